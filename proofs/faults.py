"""Kills and disk errors at every call that touches the root, in everything that writes.

After each fault: the files are as before or as after the act, whole; what was reported is true; a retry does it once;
the next writer leaves nothing of it behind; `undo --list` agrees with the files, and taking the act back brings back
every byte.
"""

import errno
import os
import random
import re
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import test_undo
from memdown import Memory
from memdown.errors import MemdownError
from memdown.homes import INBOX
from memdown.store import wal
from proofs import acts, calls
from proofs.acts import KILLED, PROJECT, Doing, Tried
from proofs.outcome import Outcome, Run
from test_undo import State, differing

T = TypeVar("T")
Job = tuple[str, str, Doing, float, int]
"""The template, the folder to work in, what is done, whether at length, and the seed."""
ERRORS = {"EIO": errno.EIO, "EACCES": errno.EACCES, "ENOSPC": errno.ENOSPC, "full disk": errno.ENOSPC}
FAULTS = {
    "kill": "killed at a call",
    "kill twice": "killed at a call, and again in recovery",
    "ENOSPC": "a call fails: no space left",
    "full disk": "no space left from a call on",
    "EIO": "a call fails: disk error",
    "EACCES": "a call fails: permission denied",
    "short write": "a write is cut short",
}
_WRITES = ("write", "pwrite", "pwrite64")
_NEEDS_SPACE = (*_WRITES, "open", "mkdir", "fsync", "ftruncate", "link", "symlink")
_SAYS_NOT_RECORDED = "was not recorded: "
"""`start` briefs all the same, and says that it wrote nothing."""
_SAYS_EMPTY = "is empty and could not be removed"
_SAYS_MADE = re.compile(rf"\bis made\b|was written anyway|{re.escape(wal.HALF_DONE)}")
_AGAIN = 15
"""Up to which of its calls recovery is killed."""
_SAMPLE = {"kill": 1, "kill twice": 1, "ENOSPC": 1, "full disk": 1, "EIO": 1, "EACCES": 1, "short write": 1}
"""How many faults of a kind a row meets in the short form."""


class Fault(NamedTuple):
    """What happens at which call."""

    kind: str
    point: int
    """The number of the call, from 0."""
    again: int = 0
    """The number of the call of recovery that opens or changes something, where that is killed too."""


class Found(NamedTuple):
    """What the tries of one row came to."""

    tried: dict[str, int]
    failures: list[tuple[str, str]]


def prove(run: Run) -> Iterator[Outcome]:
    yield Outcome("commands and tools that write have a row", len(acts.COMMANDS), "commands", acts.missing())
    found = each_row(run, try_row, index=True)
    for kind, what in FAULTS.items():
        failures = sorted(text for each in found for where, text in each.failures if where == kind)
        yield Outcome(what, sum(each.tried.get(kind, 0) for each in found), "tries", failures)


def of(run: Run, name: str) -> list[str]:
    """What does not hold of the commands whose names begin so."""
    return [text for each in each_row(run, try_row, index=True, name=name) for _, text in each.failures]


def each_row(
    run: Run,
    try_row: Callable[[Job], T],
    some: Iterable[Doing] | None = None,
    *,
    index: bool = False,
    name: str = "",
) -> list[T]:
    """What comes of everything that writes, or of `some` rows, side by side.

    In the short form, of one row of each command and tool.
    """
    rows = [row for row in some or acts.all_of_them() if row.name.startswith(name)]
    if not run.long:
        random.Random(run.seed).shuffle(rows)
        rows = list({row.kind: row for row in rows}.values())
    work = fast_folder(run.work)
    try:
        base = acts.lay_base(work / "base", index=index)
        jobs = [(str(base), str(work), row, run.share, run.seed) for row in rows]
        with get_context("fork").Pool(os.cpu_count()) as pool:
            return list(pool.imap_unordered(try_row, jobs))
    finally:
        if work != run.work:
            shutil.rmtree(work)


def fast_folder(work: Path) -> Path:
    """A folder in memory where there is one: a disk that is really waited for would take ten times as long."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        return work
    return Path(tempfile.mkdtemp(prefix=work.name, dir=shared))


def try_row(job: Job) -> Found:
    """All faults of one row, or a sample of them."""
    base, above, doing, share, seed = job
    chance = random.Random(f"{seed} {doing}")
    work = Path(above) / f"row-{os.urandom(6).hex()}"
    work.mkdir()
    try:
        row = Row(Path(base), work, doing)
        faults = list(row.faults())
        if share < 1:
            by_kind = {kind: [fault for fault in faults if fault.kind == kind] for kind in FAULTS}
            most = {kind: max(_SAMPLE[kind], round(share * len(some))) for kind, some in by_kind.items()}
            faults = [
                fault for kind, some in by_kind.items() for fault in chance.sample(some, min(most[kind], len(some)))
            ]
        failures = []
        for fault in faults:
            failures += [(fault.kind, f"{row.named(fault)}: {wrong}") for wrong in row.meets(fault)][:1]
        return Found({kind: sum(fault.kind == kind for fault in faults) for kind in FAULTS}, failures)
    except AssertionError as error:  # a row of the tables that needs something before it
        return Found({}, [("kill", f"{doing} cannot be tried: {error}")])
    finally:
        shutil.rmtree(work)


class Row:
    """One row of the tables: what it is done in, what it calls, and what comes of it when nothing fails."""

    def __init__(self, base: Path, work: Path, doing: Doing) -> None:
        self.template = work / "template"
        self.work = work
        self.doing = acts.lay(base, self.template, doing)
        self.before = state(self.template / PROJECT)
        self.acts_before = steps(self.template / PROJECT)
        acts.warm(acts.copied(self.template, work / "warm"), self.doing)
        folder = acts.copied(self.template, work / "plain")
        log = work / "calls"
        done = acts.tried(folder, self.doing, lambda root: calls.watch(root, Listing(log)))
        assert done.code == 0, (doing, done)
        self.after = state(folder / PROJECT)
        assert differing(self.before, self.after), (doing, "it writes nothing")
        self.calls = [line.split(" ", 1) for line in log.read_text("utf-8", "surrogateescape").splitlines()]
        recover(folder / PROJECT)
        self.kept = kept(folder / PROJECT)
        self.acts_after = steps(folder / PROJECT)

    def faults(self) -> Iterator[Fault]:
        """All that can happen."""
        for point, (changes, call) in enumerate(self.calls):
            name = call.removeprefix("sqlite ").split(" ")[0]
            if changes == "True":
                yield Fault("kill", point)
                yield from (Fault("kill twice", point, again) for again in range(_AGAIN))
                yield Fault("full disk", point)
                yield Fault("ENOSPC", point)
                if name in _WRITES:
                    yield Fault("short write", point)
            yield Fault("EIO", point)
            yield Fault("EACCES", point)

    def named(self, fault: Fault) -> str:
        again = f" and {fault.again} of recovery" if fault.kind == "kill twice" else ""
        return f"{fault.kind} at call {fault.point}{again} ({self.calls[fault.point][1]}) of {self.doing}"

    def meets(self, fault: Fault) -> Iterator[str]:
        """What does not hold after a fault."""
        folder = acts.copied(self.template, self.work / "try")
        try:
            done = acts.tried(folder, self.doing, lambda root: calls.watch(root, Faulty(fault)))
            if fault.kind == "kill twice":
                _kill_recovery(folder / PROJECT, fault.again)
            yield from self.judge(folder, done, loose=fault.kind in ("kill", "kill twice", "full disk"))
        finally:
            shutil.rmtree(folder)

    def judge(self, folder: Path, done: Tried, *, loose: bool) -> Iterator[str]:
        """`loose` allows a folder that is empty: taking back what was begun may be what fails."""
        root = folder / PROJECT
        if "Traceback" in done.err:
            yield f"a traceback: {done.err.strip().splitlines()[-1]}"
        was_killed = done.code == KILLED
        if done.code < 0 and not was_killed:
            yield f"ended by signal {-done.code}"
        found = state(root)
        if self.doing.name == "hook":
            pass  # it never fails, and the next event tries again
        elif done.code == 0:
            wanted = self.before if _SAYS_NOT_RECORDED in done.err else self.after
            if _SAYS_EMPTY in done.err:
                found, loose = trimmed(found, wanted), True
            yield from self._unlike("reported as done, but", found, wanted)
        elif not was_killed:
            said = _SAYS_MADE.search(done.err)
            if not done.err.strip():
                yield f"exit code {done.code} without a word"
            wanted = self.after if said else self.before
            if not (said and said[0] == wal.HALF_DONE):
                yield from self._unlike(f"exit code {done.code} ({_one_line(done.err)}), but", found, wanted)
        try:
            recover(root)
        except MemdownError as error:
            yield f"the next writer fails: {error}"
            return
        found = state(root)
        is_made = self.is_made(found)
        if not is_made:
            yield from self.unmade(found)
        if not loose and self.doing.name != "hook":
            yield from self._unlike("left behind:", found, self.after if is_made else self.before)
        if left := kept(root) - self.kept:
            yield f"left behind: {', '.join(sorted(left))}"
        listed = self.acts_after if is_made else self.acts_before
        if (in_log := steps(root)) != listed and found in (self.before, self.after):
            yield f"the log has {in_log} where it should have {listed}"
        yield from self._goes_on(folder, is_made)

    def is_made(self, found: State) -> bool:
        return not differing(trimmed(found, self.after), self.after)

    def unmade(self, found: State) -> Iterator[str]:
        """What is not as before. A hook keeps one message after the other, and the next event goes on."""
        found = trimmed(found, self.before)
        if self.doing.name != "hook" or not self.before.items() <= found.items() <= self.after.items():
            yield from self._unlike("neither before nor after:", found, self.before)

    def _goes_on(self, folder: Path, is_made: bool) -> Iterator[str]:
        """What was not done is done by a retry, once; what was done is taken back."""
        root = folder / PROJECT
        if not is_made:
            again = acts.tried(folder, self.doing)
            if again.code:
                yield f"a retry fails: {_one_line(again.err)}"
            yield from self._unlike("after a retry:", state(root), self.after)
        elif self.doing.name not in ("undo", "redo"):
            try:
                with Memory.open(root) as memory:
                    memory.undo()
            except MemdownError as error:
                yield f"undo fails: {error}"
            yield from self._unlike("after undo:", trimmed(state(root), self.before), self.before)

    def _unlike(self, what: str, found: State, wanted: State) -> Iterator[str]:
        if differs := differing(found, wanted):
            yield f"{what} {', '.join(differs[:4])}"


class Listing:
    """Writes down every call."""

    def __init__(self, log: Path) -> None:
        self._file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._write = os.write

    def __call__(self, call: calls.Call) -> Any:
        self._write(self._file, f"{call.changes} {call}\n".encode("utf-8", "surrogateescape"))
        return call.make()


class Faulty:
    """Lets one call, or all from one on, go wrong."""

    def __init__(self, fault: Fault) -> None:
        self._kind = fault.kind
        self._left = fault.point

    def __call__(self, call: calls.Call) -> Any:
        self._left -= 1
        name = call.name.removeprefix("sqlite ")
        if (
            self._left == -1
            and self._kind in ("kill", "kill twice", "short write")
            and name in ("write", "pwrite", "pwrite64")
        ):
            data = memoryview(call.args[1]) if name == call.name else bytes(call.args[2])
            written = call.make(call.args[0], data[: (len(data) + 1) // 2])
            if self._kind == "short write":
                return written
        if self._left == -1 and self._kind.startswith("kill"):
            os.kill(os.getpid(), signal.SIGKILL)
        needs = call.changes and name in _NEEDS_SPACE
        if (self._left == -1 and self._kind in ERRORS) or (self._left < 0 and needs and self._kind == "full disk"):
            number = ERRORS[self._kind]
            if name == "access":
                return False
            raise OSError(number, os.strerror(number), call.args[0] if isinstance(call.args[0], str) else None)
        return call.make()


def state(root: Path) -> State:
    """All files and folders, but not what hides the inbox from git: it is made anew by whoever misses it."""
    return {name: value for name, value in test_undo.state(root).items() if not name.endswith(f"{INBOX}/.gitignore")}


def recover(root: Path) -> None:
    """What the next command that writes does first; it has looked for its files before."""
    with Memory.open(root) as memory:
        memory.files.walk("")
        memory.files.recover()


def _kill_recovery(root: Path, point: int) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            calls.watch(str(root), Faulty(Fault("kill", point)), reading=False)
            recover(root)
        finally:
            os._exit(0)
    os.waitpid(pid, 0)


def steps(root: Path) -> list[tuple[str, bool]]:
    with Memory.open(root) as memory:
        return [(each.act, each.undone) for each in memory.steps()]


def kept(root: Path) -> set[str]:
    """What is in the folder of state and what looks like a temporary file, steps without their numbers."""
    names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    names = [name for name in names if name.startswith(".memdown/") or name.endswith((".tmp", "~"))]
    return {re.sub(r"\d{9}", "N", name) for name in names if not re.search(r"\.db-|-journal$|-wal$|-shm$", name)}


def trimmed(found: State, wanted: State) -> State:
    """Without folders that are empty and not asked for: a kill leaves such a one at worst."""
    full = {name.rpartition("/")[0] for name, value in found.items() if value is not None}
    above = {"/".join(name.split("/")[:deep]) for name in full for deep in range(1, name.count("/") + 2)}
    return {name: value for name, value in found.items() if value is not None or name in above or name in wanted}


def _one_line(text: str) -> str:
    return " ".join(text.split())[:160]
