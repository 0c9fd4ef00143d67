"""Undo and redo beside models of them: random acts, other processes, edits by hand, and kills at any call."""

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from memdown.errors import MemdownError, NotFound, Refused, Stale
from memdown.store import Files, undo
from memdown.store.steps import StepLog
from memdown.text import decode

Content = bytes | None
KEPT = 60
CALLS = ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "ftruncate")


class Blocked(Exception):
    """The model says that something is in the way."""


class Change(NamedTuple):
    """A file before and after, and where the two differ."""

    before: Content
    after: Content
    start: int
    old_end: int
    new_end: int


class Entry(NamedTuple):
    """A step."""

    number: int
    act: int
    undoes: int
    changes: dict[str, Change]


def change(before: Content, after: Content) -> Change:
    """The first and the last character that differ, found the slow way."""
    old, new = before or b"", after or b""
    if before is None or after is None:
        return Change(before, after, 0, len(old), len(new))
    start = len(os.path.commonprefix([old, new]))
    end = len(os.path.commonprefix([old[start:][::-1], new[start:][::-1]]))
    while start and (inside(old, start) or inside(new, start)):
        start -= 1
    while end and (inside(old, len(old) - end) or inside(new, len(new) - end)):
        end -= 1
    return Change(before, after, start, len(old) - end, len(new) - end)


def inside(data: bytes, place: int) -> bool:
    """Whether a place is within a character of UTF-8."""
    return place < len(data) and 0x80 <= data[place] < 0xC0


class Model:
    """What the files and the list have to be, by keeping every version of everything."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = dict(files)
        self.all: list[Entry] = []
        self.kept = 0
        self.last = 0

    @property
    def log(self) -> list[Entry]:
        return self.all[len(self.all) - self.kept :]

    def copy(self) -> "Model":
        found = Model(self.files)
        found.all, found.kept, found.last = list(self.all), self.kept, self.last
        return found

    def commit(self, wanted: dict[str, Content], act: int = 0, undoes: int = 0) -> int:
        changes = {name: change(self.files.get(name), after) for name, after in wanted.items()}
        changes = {name: each for name, each in changes.items() if each.before != each.after}
        if not changes and not undoes:
            return 0
        self.last += 1
        self.all.append(Entry(self.last, act or self.last, undoes, changes))
        self.kept = min(self.kept + 1, KEPT)
        for name, each in changes.items():
            if each.after is None:
                del self.files[name]
            else:
                self.files[name] = each.after
        return self.last

    def steps(self, act: int) -> list[Entry]:
        return [entry for entry in self.log if entry.act == act]

    def tip(self, act: int) -> tuple[int, bool]:
        """What did or undid an act last, and whether it is undone."""
        undone = False
        for entry in self.log:
            if entry.undoes == act:
                act, undone = entry.number, not undone
        return act, undone

    def acts(self) -> dict[int, bool]:
        """Acts that are in the list, the newest first, and whether they are undone: those of which all is kept."""
        kept = {entry.number for entry in self.log}
        found = {entry.act: self.tip(entry.act)[1] for entry in reversed(self.log) if not entry.undoes}
        return {act: found[act] for act in sorted(found, reverse=True) if act in kept}

    def undoable(self) -> int:
        return next((act for act, undone in self.acts().items() if not undone), 0)

    def redoable(self) -> int:
        undone = {self.tip(act)[0]: act for act, is_undone in self.acts().items() if is_undone}
        last = max(undone, default=0)
        return undone[last] if last > self.undoable() else 0

    def reverse(self, act: int) -> tuple[dict[str, Content], set[str]]:
        """What files become when an act is undone or redone, and in which of them a hand has to be reckoned with."""
        tip = self.tip(act)[0]
        names = dict.fromkeys(name for entry in self.steps(tip) for name in entry.changes)
        by_hand: set[str] = set()
        wanted: dict[str, Content] = {}
        for name in names:
            wanted[name] = self._reversed(name, tip, by_hand)
        return wanted, by_hand

    def _reversed(self, name: str, tip: int, by_hand: set[str]) -> Content:
        now = self.files.get(name)
        entries = [(entry, entry.changes[name]) for entry in self.log if name in entry.changes]
        own = [place for place, (entry, _) in enumerate(entries) if entry.act == tip]
        low, high = own[0], own[0] + 1
        while low and entries[low - 1][1].after == entries[low][1].before:
            low -= 1
        while high < len(entries) and entries[high - 1][1].after == entries[high][1].before:
            high += 1
        done = own[-1] + 1
        if done <= high and now == entries[done - 1][1].after:  # it is as the act left it, whatever was in between
            return replayed(entries[low:done], tip)
        if done <= high == len(entries) and now == entries[-1][1].after:
            return replayed(entries[low:], tip)
        by_hand.add(name)
        if now == entries[own[0]][1].before:
            return now
        whole: list[tuple[Entry, Change]] = []
        for entry, each in entries:  # a hand is one more who changes the file
            if whole and whole[-1][1].after != each.before:
                whole.append((Entry(-1, -1, 0, {}), change(whole[-1][1].after, each.before)))
            whole.append((entry, each))
        if whole[-1][1].after != now:
            whole.append((Entry(-1, -1, 0, {}), change(whole[-1][1].after, now)))
        return replayed(whole, tip)


def replayed(entries: list[tuple[Entry, Change]], tip: int) -> Content:
    """A file without an act. Every byte is a cell of its own, and each change leaves a mark where it was made."""
    serial = iter(range(1, 1 << 60))
    marks = iter(range(-1, -(1 << 60), -1))
    cells = [next(serial) << 8 | byte for byte in entries[0][1].before or b""]
    swaps: dict[int, list[tuple[list[int], list[int]]]] = {}
    for entry, each in entries:
        target = swaps.get(entry.undoes, []) if entry.undoes >= entries[0][0].number and entry.act != tip else []
        back = cells
        for old, new in reversed(target):
            back = swapped(back, new, old)
        if target and back is not None and len(seen(back)) == len(each.after or b""):
            for old, new in reversed(target):
                put = [next(marks), *old]
                swaps.setdefault(entry.act, []).append((within(cells, new), put))
                cells = swapped(cells, new, put) or []
            continue
        new_cells = [next(marks), *(next(serial) << 8 | byte for byte in (each.after or b"")[each.start : each.new_end])]
        low, high = 0, len(cells)
        if each.before is not None and each.after is not None:
            low, high = bounds(cells, each.start, each.old_end)
        swaps.setdefault(entry.act, []).append((cells[low:high], new_cells))
        cells = [*cells[:low], *new_cells, *cells[high:]]
    for old, new in reversed(swaps[tip]):
        cells = swapped(cells, new, old)
    if cells is None:
        raise Blocked
    first = next(each for entry, each in entries if entry.act == tip)
    if first.before is None and seen(cells):
        raise Blocked  # a file that was made and changed since is not deleted: what was added would go with it
    return None if first.before is None else bytes(cell & 255 for cell in seen(cells))


def seen(cells: list[int]) -> list[int]:
    return [cell for cell in cells if cell > 0]


def bounds(cells: list[int], start: int, end: int) -> tuple[int, int]:
    """Where a range of bytes is among the cells. An insertion comes before the marks at its place, but at the end."""
    places = [place for place, cell in enumerate(cells) if cell > 0]
    if start == end:
        low = places[start - 1] + 1 if start else 0
        return (low, low) if start < len(places) else (len(cells), len(cells))
    return places[start], places[end - 1] + 1


def within(cells: list[int], new: list[int]) -> list[int]:
    """What stands from the first to the last of some cells."""
    return cells[cells.index(new[0]) : max(cells.index(cell) for cell in (new[0], new[-1])) + 1]


def swapped(cells: list[int] | None, new: list[int], old: list[int]) -> list[int] | None:
    """Other cells in the place of those of a change; None when they are not there, or not together."""
    if cells is None or new[0] not in cells:
        return None
    wanted = seen(new)
    low = high = cells.index(new[0])
    high += 1
    if wanted:
        if wanted[-1] not in cells:
            return None
        high = cells.index(wanted[-1]) + 1
    return [*cells[:low], *old, *cells[high:]] if seen(cells[low:high]) == wanted else None


# Random acts

LINES = [b"same\n", b"same\n", b"\n", b"other\r\n", b"- item\n", b"\xc3\xa9\xc3\xa8 \xe2\x82\xac\n", b"\xff\xfe\n", b"x"]
NAMES = ["a.md", "b.md", "sub/c.md", "sub/deep/d.md"]


class Play:
    """One run: what is done to a root, and to its model."""

    def __init__(self, root: Path, seed: int, *, kills: bool) -> None:
        self.root = root
        self.chance = random.Random(seed)
        self.kills = kills
        self.files = self.opened()
        self.model = Model({})
        self.counts: dict[str, int] = {}
        self.fresh = 0

    def opened(self) -> Files:
        return Files(self.root, log=StepLog(str(self.root / ".memdown"), steps=KEPT))

    def text(self, lines: int) -> bytes:
        found = self.chance.choices(LINES, k=lines)
        if self.chance.random() < 0.6:
            self.fresh += 1
            found.insert(self.chance.randint(0, lines), b"new %d\n" % self.fresh)
        return b"".join(found)

    def edited(self, data: bytes) -> bytes:
        """A change at some place, at the beginning of a line or anywhere, also within a character."""
        chance = self.chance
        places = [0, len(data), *(place + 1 for place, byte in enumerate(data[:5000]) if byte == 10)]
        low, high = sorted(chance.choices(places, k=2) if chance.random() < 0.8 else chance.choices(range(len(data) + 1), k=2))
        high = min(high, low + 60)
        kind = chance.choice(("append", "insert", "insert", "replace", "delete"))
        if kind == "append":
            return data + self.text(1)
        if kind == "insert":
            return data[:low] + self.text(chance.randint(1, 2)) + data[low:]
        return data[:low] + (self.text(1) if kind == "replace" else b"") + data[high:]

    def wishes(self, state: dict[str, bytes]) -> dict[str, Content]:
        """What a group makes of one file or several."""
        chance = self.chance
        wanted: dict[str, Content] = {}
        for name in chance.sample(NAMES, chance.choice((1, 1, 1, 2, 3))):
            now = state.get(name)
            if now is None:
                wanted[name] = chance.choice((b"", self.text(8), self.text(60)))
            elif chance.random() < 0.08:
                wanted[name] = None
            elif len(now) > 2500:
                wanted[name] = now[:600]
            else:
                wanted[name] = self.edited(now)
        if chance.random() < 0.03:
            big = state.get("big.md")
            wanted["big.md"] = self.text(20_000) if big is None else big[:-9000] + self.text(3)
        return wanted

    def moves(self, state: dict[str, bytes]) -> dict[str, Content]:
        """A file gets another name."""
        there = [name for name in state if name != "big.md"]
        free = [name for name in NAMES if name not in state]
        if not there or not free:
            return self.wishes(state)
        old, new = self.chance.choice(there), self.chance.choice(free)
        return {new: state[old], old: None}

    def write(self, files: Files, state: dict[str, bytes], wanted: dict[str, Content]) -> None:
        with files.group() as group:
            for name, after in wanted.items():
                over = decode(state[name]) if name in state else None
                if after is not None:
                    group.save(name, decode(after), over=over)
                elif over is not None:
                    group.delete(name, over=over)

    def act(self) -> None:
        """An act of one group or several, by this process or another one, that may be killed."""
        files = self.files if self.chance.random() < 0.7 else self.opened()
        make = self.wishes if self.chance.random() < 0.9 else self.moves
        states = [self.model]
        groups: list[tuple[dict[str, bytes], dict[str, Content]]] = []
        number = 0
        for _ in range(self.chance.choice((1, 1, 1, 2, 3))):
            before = dict(states[-1].files)
            wanted = make(before)
            model = states[-1].copy()
            number = number or model.commit(wanted)
            if number and model.last == states[-1].last and len(states) > 1:
                model.commit(wanted, act=number)
            states.append(model)
            groups.append((before, wanted))

        def run() -> None:
            files.begin_act("test", "act")
            for before, wanted in groups:
                self.write(files, before, wanted)

        self.survive(run, states)

    def survive(self, run: Callable[[], object], states: list[Model]) -> None:
        """Run it, or have it killed; then the files and the list are those of one of the states."""
        killed = self.kills and self.chance.random() < 0.25
        if not killed:
            run()
            states = states[-1:]
        else:
            self.count("killed" if self.child(run) == 9 else "survived")
            while self.chance.random() < 0.4:
                self.child(self.opened().recover)
            assert self.opened().recover() == []
        seen, acts = self.on_disk(), self.listed()
        if killed:  # maybe before the oldest step was forgotten
            there = len(list((self.root / ".memdown").glob("undo/*.step")))
            states = [each for each in states if each.kept in (there, there - 1)] or states
            for each in states:
                each.kept = min(there, len(each.all))
        fitting = [each for each in states if (each.files, each.acts()) == (seen, acts)]
        assert fitting, "\n".join(self.differences(each, seen, acts) for each in states)
        self.model = fitting[-1]

    def differences(self, model: Model, seen: dict[str, bytes], acts: dict[int, bool]) -> str:
        names = [name for name in {**seen, **model.files} if seen.get(name) != model.files.get(name)]
        texts = [f"{name}: {(seen.get(name) or b'')[:900]!r}, not {(model.files.get(name) or b'')[:900]!r}" for name in names]
        return "\n".join([*texts, f"list: {acts.items() ^ model.acts().items()}"])

    def child(self, run: Callable[[], object]) -> int:
        number = self.chance.randint(1, 45)
        pid = os.fork()
        if pid == 0:
            die_at(number)
            run()
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def reverse(self) -> None:
        """Undo or redo, the last or any; refused when the model says so."""
        files = self.files if self.chance.random() < 0.7 else self.opened()
        run, last = self.chance.choice(((undo.take_back, self.model.undoable()), (undo.bring_back, self.model.redoable())))
        number: int | None = None
        acts = self.model.acts()
        if acts and self.chance.random() < 0.7:
            number = self.chance.choice(list(acts)[:12])
        target = last if number is None else number
        if not target or acts[target] is (run is undo.take_back):
            with pytest.raises((NotFound, Refused)):
                run(files, number)
            return
        wanted: dict[str, Content] = {}
        by_hand: set[str] = set()
        blocked = False
        try:
            wanted, by_hand = self.model.reverse(target)
        except Blocked:
            blocked = True
        before = self.on_disk()
        model = self.model.copy()
        model.commit(wanted, undoes=self.model.tip(target)[0])
        try:
            run(files, number, write=False)
        except Stale:
            # Lines that a hand moved may be found by what is around them, or not: memdown refuses when in doubt.
            assert blocked or by_hand, f"{run.__name__} {target}"
            self.count("refused by hand" if by_hand else "refused")
            assert self.on_disk() == before
            return
        assert not blocked, f"{run.__name__} {target}"
        self.count(f"{run.__name__}{' by number' if number else ''}{' by hand' if by_hand else ''}")
        self.survive(lambda: run(files, number), [self.model, model])

    def edit_by_hand(self) -> None:
        names = [name for name in self.model.files if name != "big.md"]
        if names:
            name = self.chance.choice(names)
            self.model.files[name] = self.edited(self.model.files[name])
            (self.root / name).write_bytes(self.model.files[name])
            self.count("edited by hand")

    def on_disk(self) -> dict[str, bytes]:
        paths = [path for path in self.root.rglob("*") if path.is_file() and ".memdown" not in path.parts]
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in paths}

    def listed(self) -> dict[int, bool]:
        return {each.step: each.undone for each in undo.acts(self.files)}

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def run(self, acts: int) -> None:
        for _ in range(acts):
            dice = self.chance.random()
            if dice < 0.5:
                self.act()
                self.count("acts")
            elif dice < 0.96:
                self.reverse()
            else:
                self.edit_by_hand()


def die_at(number: int) -> None:
    """End this process at the n-th call that changes the disk, as a power cut would."""
    left = [number]
    write = os.write

    def armed(plain: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            left[0] -= 1
            if not left[0]:
                if plain is write:
                    write(args[0], bytes(args[1])[: len(args[1]) // 2])  # type: ignore[arg-type]
                os._exit(9)
            return plain(*args, **options)

        return call

    for name in CALLS:
        setattr(os, name, armed(getattr(os, name)))


def play(root: str, seed: str, acts: str) -> None:
    """Runs in a process of its own, which forks those that are killed."""
    os.fsync = lambda _: None  # type: ignore[assignment] # the system does not die here
    found = Play(Path(root), int(seed), kills=hasattr(os, "fork"))
    try:
        found.run(int(acts))
    finally:
        print(found.counts)


def played(root: Path, seed: int, acts: int) -> str:
    code = "import sys; sys.path.insert(0, sys.argv[1]); from test_undo_model import play; play(*sys.argv[2:])"
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(root), str(seed), str(acts)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, f"seed {seed}: {done.stdout}\n{done.stderr[-6000:]}"
    return done.stdout


@pytest.mark.parametrize("seed", range(4))
def test_files_and_list_are_those_of_the_model(tmp_path: Path, seed: int) -> None:
    print(played(tmp_path, seed, 500))
