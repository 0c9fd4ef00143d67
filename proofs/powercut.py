"""What a disk may hold after a power cut, at every call of everything that writes.

Everything an act does to files and folders is written down. For a cut behind one of these calls, disks are built that
keep what was synced and, of the rest, all, nothing or some: data of a file that was not synced may be old, cut off,
zeros or new; an entry of a folder that was not synced may be there or not, whatever came before or after it. A rename
is one change: its two ends appear together. On each disk the next writer has to leave the files as before or as after
the act; once the act has said that it is done, as after it.
"""

import fcntl
import os
import pickle
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from memdown.errors import MemdownError
from proofs import acts, calls
from proofs.acts import PROJECT, Doing
from proofs.faults import Job, Row, each_row, recover, state
from proofs.outcome import Outcome, Run
from test_undo import differing

SHORT, LONG = 4, 40
"""How many disks are built for a row, or in the long form for a cut."""


class Change(NamedTuple):
    """One thing that was done to files or folders."""

    kind: str
    path: str
    other: str = ""
    """Where a rename leads."""
    data: bytes = b""
    number: int = 0
    """Where data was written, how long a file became, or its mode."""


def prove(run: Run) -> Iterator[Outcome]:
    found = each_row(run, try_row)
    failures = sorted(failure for _, some in found for failure in some)
    yield Outcome("disks after a power cut", sum(tried for tried, _ in found), "disks", failures)


def of(run: Run, name: str) -> list[str]:
    """What does not hold of the commands whose names begin so."""
    return [text for _, some in each_row(run, try_row, name=name) for text in some]


def try_row(job: Job) -> tuple[int, list[str]]:
    """Disks after cuts in one row: how many were built, and what did not hold."""
    base, above, doing, share, seed = job
    work = Path(above) / f"row-{os.urandom(6).hex()}"
    work.mkdir()
    try:
        row = CutRow(Path(base), work, doing)
        last = len(row.changes)
        cuts = [(cut, how) for cut in range(last + 1) for how in range(LONG)]
        if share < 1:
            chance = random.Random(f"{seed} {doing}")
            cuts = [(last, chance.randrange(LONG)), *chance.sample(cuts, max(SHORT - 1, round(share * len(cuts))))]
        failures: list[str] = []
        for cut, how in cuts:
            failures += [f"{row.named_cut(cut, how, seed)}: {wrong}" for wrong in row.after_cut(cut, how, seed)][:1]
        return len(cuts), failures
    finally:
        shutil.rmtree(work)


class CutRow(Row):
    """A row with all that it did to the disk."""

    def __init__(self, base: Path, work: Path, doing: Doing) -> None:
        super().__init__(base, work, doing)
        log = work / "changes"
        acts.tried(
            acts.copied(self.template, work / "recorded"),
            self.doing,
            lambda root: calls.watch(root, Recorder(root, log), reading=False),
        )
        self.changes: list[Change] = []
        with log.open("rb") as file:
            while file.peek(1):
                self.changes.append(pickle.load(file))

    def named_cut(self, cut: int, how: int, seed: int) -> str:
        last = f"behind {self.changes[cut - 1].kind} {self.changes[cut - 1].path}" if cut else "before anything"
        return f"cut {cut} of {len(self.changes)} ({last}), disk {how}, seed {seed}, of {self.doing}"

    def after_cut(self, cut: int, how: int, seed: int) -> Iterator[str]:
        """What does not hold on one of the disks that a cut may leave."""
        disk = DiskModel(self.template / PROJECT)
        for change in self.changes[:cut]:
            disk.make(change)
        folder = self.work / "disk"
        root = folder / PROJECT
        try:
            disk.build(root, WAYS[how] if how < len(WAYS) else Some(random.Random(f"{seed} {cut} {how}")))
            try:
                recover(root)
            except MemdownError as error:
                yield f"the next writer fails: {error}"
                return
            found = state(root)
            is_made = self.is_made(found)
            if cut == len(self.changes) and not is_made:
                yield f"reported as done, and lost: {', '.join(differing(found, self.after)[:4])}"
            if not is_made:
                yield from self.unmade(found)
        finally:
            shutil.rmtree(folder)


class Recorder:
    """Writes down what is done to files and folders; not what SQLite does, which has its own way with power cuts."""

    def __init__(self, root: str, log: Path) -> None:
        self._root = root
        self._file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._write, self._lstat, self._fstat = os.write, os.lstat, os.fstat

    def __call__(self, call: calls.Call) -> Any:
        if call.name.startswith("sqlite"):
            return call.make()
        path, was_there, place = call.paths[0], self._is_there(call), self._place(call)
        value = call.make()
        match call.name:
            case "open" if call.changes and not was_there:
                self._note(Change("create", path, number=self._fstat(value).st_mode & 0o7777))
            case "open" if call.args[1] & os.O_TRUNC:
                self._note(Change("truncate", path))
            case "write":
                self._note(Change("write", path, data=bytes(call.args[1])[:value], number=place))
            case "fsync" | "fdatasync":
                self._note(Change("sync", path))
            case "replace" | "rename":
                self._note(Change("rename", path, call.paths[1]))
            case "unlink" | "remove" | "rmdir":
                self._note(Change("remove", path))
            case "mkdir":
                self._note(Change("mkdir", path))
            case "ftruncate" | "truncate":
                self._note(Change("truncate", path, number=call.args[1]))
            case "chmod" | "fchmod":
                self._note(Change("mode", path, number=call.args[1]))
            case "link" | "symlink":
                raise NotImplementedError(f"{call.name} is not in the model of a disk")
        return value

    def _is_there(self, call: calls.Call) -> bool:
        if call.name != "open" or not call.changes:
            return True
        try:
            self._lstat(f"{self._root}/{call.paths[0]}")
        except FileNotFoundError:
            return False
        return True

    def _place(self, call: calls.Call) -> int:
        if call.name != "write":
            return 0
        appends = fcntl.fcntl(call.args[0], fcntl.F_GETFL) & os.O_APPEND
        return self._fstat(call.args[0]).st_size if appends else os.lseek(call.args[0], 0, os.SEEK_CUR)

    def _note(self, change: Change) -> None:
        self._write(self._file, pickle.dumps(change))


class Node:
    """A file or a folder: what is in it now, and what of that the disk is sure to have."""

    def __init__(self, data: bytes | None, mode: int) -> None:
        self.data = data
        self.synced = data
        self.mode = mode
        self.entries: dict[str, Node] = {}
        self.synced_entries: dict[str, Node] = {}


class EntryChange(NamedTuple):
    """Entries of folders that change together."""

    folders: tuple[Node, ...]
    gone: tuple[Node, str] | None
    new: tuple[Node, str, Node] | None

    def entries(self) -> set[tuple[int, str]]:
        return {(id(each[0]), each[1]) for each in (self.gone, self.new) if each is not None}


Chooser = Callable[[Node], bytes]


class Way(NamedTuple):
    """Which of the things that were not synced are on the disk."""

    keeps: Callable[[], bool]
    """Whether one more change of entries is there."""
    data: Chooser


def _synced(node: Node) -> bytes:
    return node.synced or b""


def _newest(node: Node) -> bytes:
    return node.data or b""


WAYS = (
    Way(lambda: True, _newest),
    Way(lambda: False, _synced),
    Way(lambda: True, _synced),
    Way(lambda: True, lambda node: bytes(len(node.data or b""))),
)


class Some(NamedTuple):
    """Some of them, by chance."""

    chance: random.Random

    def keeps(self) -> bool:
        return self.chance.random() < 0.5

    def data(self, node: Node) -> bytes:
        new = node.data or b""
        cut = new[: self.chance.randrange(len(new) + 1)]
        return self.chance.choice([new, node.synced or b"", cut, bytes(len(new)), cut.ljust(len(new), b"\0")])


class DiskModel:
    """Folders and files as processes see them, and what of that was synced."""

    def __init__(self, root: Path) -> None:
        self.root = _read(root)
        self.pending: list[EntryChange] = []

    def make(self, change: Change) -> None:
        above, _, name = change.path.rpartition("/")
        node = self._find(change.path)
        match change.kind:
            case "create" | "mkdir":
                new = Node(b"" if change.kind == "create" else None, change.number)
                if change.kind == "create":
                    new.synced = b""
                self._change(None, (self._folder(above), name, new))
            case "remove":
                self._change((self._folder(above), name), None)
            case "rename":
                there, _, other = change.other.rpartition("/")
                assert node is not None, change
                self._change((self._folder(above), name), (self._folder(there), other, node))
            case _ if node is None:
                return  # it was removed while it was open
            case "write":
                old = (node.data or b"").ljust(change.number, b"\0")
                node.data = old[: change.number] + change.data + old[change.number + len(change.data) :]
            case "truncate":
                node.data = (node.data or b"")[: change.number].ljust(change.number, b"\0")
            case "mode":
                node.mode = change.number
            case "sync":
                self._sync(node)

    def build(self, target: Path, way: Way | Some) -> None:
        """Write what a disk may have."""
        entries: dict[int, dict[str, Node]] = {}
        for change in self.pending:
            if way.keeps():
                _apply(change, lambda node: entries.setdefault(id(node), dict(node.synced_entries)))
        _write(self.root, target, way.data, lambda node: entries.get(id(node), node.synced_entries))

    def _find(self, path: str) -> Node | None:
        node: Node | None = self.root
        for name in path.split("/") if path not in ("", ".") else ():
            node = node.entries.get(name) if node else None
        return node

    def _folder(self, path: str) -> Node:
        found = self._find(path)
        assert found is not None, path
        return found

    def _change(self, gone: tuple[Node, str] | None, new: tuple[Node, str, Node] | None) -> None:
        folders = tuple(each[0] for each in (gone, new) if each is not None)
        change = EntryChange(folders, gone, new)
        _apply(change, lambda node: node.entries)
        self.pending.append(change)

    def _sync(self, node: Node) -> None:
        if node.data is not None:
            node.synced = node.data
            return
        synced: list[EntryChange] = []
        entries: set[tuple[int, str]] = set()
        for change in reversed(self.pending):  # what was done to the same entry before is overtaken by it
            if node in change.folders or not entries.isdisjoint(change.entries()):
                synced.append(change)
                entries |= change.entries()
        for change in reversed(synced):
            _apply(change, lambda folder: folder.synced_entries)
        self.pending = [change for change in self.pending if change not in synced]


def _apply(change: EntryChange, entries: Callable[[Node], dict[str, Node]]) -> None:
    if change.gone is not None:
        entries(change.gone[0]).pop(change.gone[1], None)
    if change.new is not None:
        entries(change.new[0])[change.new[1]] = change.new[2]


def _read(path: Path) -> Node:
    mode = path.stat().st_mode & 0o7777
    if not path.is_dir():
        return Node(path.read_bytes(), mode)
    node = Node(None, mode)
    node.entries = {each.name: _read(each) for each in path.iterdir()}
    node.synced_entries = dict(node.entries)
    return node


def _write(node: Node, path: Path, data: Chooser, entries: Callable[[Node], dict[str, Node]]) -> None:
    if node.data is None:
        path.mkdir(parents=True)
        for name, inner in entries(node).items():
            _write(inner, path / name, data, entries)
    else:
        path.write_bytes(node.data if node.data == node.synced else data(node))
        path.chmod(node.mode)
