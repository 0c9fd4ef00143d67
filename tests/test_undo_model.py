"""Undo and redo beside models of them: random acts, other processes, edits by hand, and kills at any call."""

import collections
import contextlib
import itertools
import json
import os
import random
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import forks
from memdown.errors import MemdownError, NotFound, Refused, Stale, Unreadable
from memdown.store import Files, undo
from memdown.store.adding import Adding
from memdown.store.files import FileEdit
from memdown.store.locks import RootLock
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
    shorter = min(len(old), len(new))
    start = next((place for place in range(shorter) if old[place] != new[place]), shorter)
    end = next((place for place in range(shorter - start) if old[-1 - place] != new[-1 - place]), shorter - start)
    while start and (inside(old, start) or inside(new, start)):
        start -= 1
    while end and (inside(old, len(old) - end) or inside(new, len(new) - end)):
        end -= 1
    return Change(before, after, start, len(old) - end, len(new) - end)


def shifted(each: Change) -> list[Change]:
    """The same change at every place where it gives the same text."""
    if each.before is None or each.after is None:
        return [each]
    removed, added = each.old_end - each.start, each.new_end - each.start
    return [
        Change(each.before, each.after, start, start + removed, start + added)
        for start in range(max(each.start - 40, 0), min(each.start + 41, len(each.before) - removed + 1))
        if each.before[:start] == each.after[:start] and each.before[start + removed :] == each.after[start + added :]
    ]


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
        self.past: dict[str, list[tuple[Entry, Change]]] = {}
        """What was done to each file, by hand too."""

    @property
    def log(self) -> list[Entry]:
        return self.all[len(self.all) - self.kept :]

    def copy(self) -> "Model":
        found = Model(self.files)
        found.all, found.kept, found.last = list(self.all), self.kept, self.last
        found.past = {name: list(each) for name, each in self.past.items()}
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
            self.past.setdefault(name, []).append((self.all[-1], each))
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

    def reverse(self, act: int, by_hand: set[str]) -> dict[str, list[Content]]:
        """What files become when an act is undone or redone. `by_hand` gets those that a hand changed since.

        Where lines are alike, nobody can tell which of them a hand took or added: then each is right.
        """
        tip = self.tip(act)[0]
        names = dict.fromkeys(name for entry in self.steps(tip) for name in entry.changes)
        return {name: self._reversed(name, tip, by_hand) for name in names}

    def _reversed(self, name: str, tip: int, by_hand: set[str]) -> list[Content]:
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
            return [replayed(entries[low:done], tip)]
        if done <= high == len(entries) and now == entries[-1][1].after:
            return [replayed(entries[low:], tip)]
        by_hand.add(name)
        if now == entries[own[0]][1].before:
            return [now]
        found: list[Content] = []
        told = [(entry, shifted(each) if entry.act in (-1, tip) else [each]) for entry, each in self.past[name][-40:]]
        for choice in itertools.islice(itertools.product(*(each for _, each in told)), 200):
            with contextlib.suppress(Blocked):
                found.append(replayed([(entry, each) for (entry, _), each in zip(told, choice, strict=True)], tip))
        if not found:
            raise Blocked
        return found

    def edit(self, name: str, start: int, end: int, new: bytes) -> bytes:
        """By hand: one more who changes the file, at a place that nobody is told."""
        before = self.files[name]
        after = self.files[name] = before[:start] + new + before[end:]
        self.past[name].append((Entry(-1, -1, 0, {}), Change(before, after, start, end, start + len(new))))
        return after


def replayed(entries: list[tuple[Entry, Change]], tip: int) -> Content:
    """A file without an act. Every byte is a cell of its own, and each change leaves a mark where it was made."""
    serial = iter(range(1, 1 << 60))
    marks = iter(range(-1, -(1 << 60), -1))
    cells = [next(serial) << 8 | byte for byte in entries[0][1].before or b""]
    swaps: dict[int, list[tuple[list[int], list[int]]]] = {}
    for entry, each in entries:
        target = swaps.get(entry.undoes, []) if entry.undoes >= entries[0][0].number and entry.act != tip else []
        back: list[int] | None = cells
        for old, new in reversed(target):
            back = swapped(back, new, old)
        if target and back is not None and bytes(cell & 255 for cell in seen(back)) == (each.after or b""):
            for old, new in reversed(target):
                put = [next(marks), *old]
                now = swapped(cells, new, put) or []
                swaps.setdefault(entry.act, []).append(
                    (cells[now.index(put[0]) :][: len(cells) - len(now) + len(put)], put)
                )
                cells = now
            continue
        new_cells = [
            next(marks),
            *(next(serial) << 8 | byte for byte in (each.after or b"")[each.start : each.new_end]),
        ]
        low, high = 0, len(cells)
        if each.before is not None and each.after is not None:
            low, high = bounds(cells, each.start, each.old_end)
        swaps.setdefault(entry.act, []).append((cells[low:high], new_cells))
        cells = [*cells[:low], *new_cells, *cells[high:]]
        assert bytes(cell & 255 for cell in seen(cells)) == (each.after or b"")
    without: list[int] | None = cells
    for old, new in reversed(swaps[tip]):
        without = swapped(without, new, old)
    first = next(each for entry, each in entries if entry.act == tip)
    if without is None or (first.before is None and seen(without)):
        raise Blocked  # a file that was made and changed since is not deleted: what was added would go with it
    return None if first.before is None else bytes(cell & 255 for cell in seen(without))


def conserved(now: Content, found: Content, changes: list[Change]) -> bool:
    """Whether what went and came are the bytes of the changes alone, but for an end of line that keeps two apart."""
    gone = collections.Counter((now or b"") + b"".join(each.before or b"" for each in changes))
    come = collections.Counter((found or b"") + b"".join(each.after or b"" for each in changes))
    return not gone - come and come - gone <= collections.Counter(b"\r\n")


def seen(cells: list[int]) -> list[int]:
    return [cell for cell in cells if cell > 0]


def bounds(cells: list[int], start: int, end: int) -> tuple[int, int]:
    """Where a range of bytes is among the cells. An insertion comes before the marks at its place, but at the end."""
    places = [place for place, cell in enumerate(cells) if cell > 0]
    if start == end:
        low = places[start - 1] + 1 if start else 0
        return (low, low) if start < len(places) else (len(cells), len(cells))
    return places[start], places[end - 1] + 1


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
    while high < len(cells) and cells[high] < 0 and cells[high] in new:
        high += 1
    return [*cells[:low], *old, *cells[high:]] if seen(cells[low:high]) == wanted else None


# Random acts

LINES = [
    b"same\n",
    b"same\n",
    b"\n",
    b"other\r\n",
    b"- item\n",
    b"\xc3\xa9\xc3\xa8 \xe2\x82\xac\n",
    b"\xff\xfe\n",
    b"x",
]
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
        start, end, new = self.edit(data)
        return data[:start] + new + data[end:]

    def edit(self, data: bytes) -> tuple[int, int, bytes]:
        """A change at some place, at the beginning of a line or anywhere, also within a character."""
        chance = self.chance
        places = [0, len(data), *(place + 1 for place, byte in enumerate(data[:5000]) if byte == 10)]
        low, high = sorted(
            chance.choices(places, k=2) if chance.random() < 0.8 else chance.choices(range(len(data) + 1), k=2)
        )
        high = min(high, low + 60)
        kind = chance.choice(("append", "insert", "insert", "replace", "delete"))
        if kind == "append":
            return len(data), len(data), self.text(1)
        if kind == "insert":
            return low, low, self.text(chance.randint(1, 2))
        return low, high, self.text(1) if kind == "replace" else b""

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
        steps = [int(path.stem) for path in (self.root / ".memdown").glob("undo/*.step")]
        for each in states if killed else ():  # maybe before the oldest step was forgotten
            each.kept = min(len(steps), len(each.all))
        fitting = [
            each for each in states if (each.files, each.acts(), each.last) == (seen, acts, max(steps, default=0))
        ]
        assert fitting, "\n".join(self.differences(each, seen, acts) for each in states)
        self.model = fitting[0]

    def differences(self, model: Model, seen: dict[str, bytes], acts: dict[int, bool]) -> str:
        names = [name for name in {**seen, **model.files} if seen.get(name) != model.files.get(name)]
        texts = [
            f"{name}: {(seen.get(name) or b'')[:900]!r}, not {(model.files.get(name) or b'')[:900]!r}" for name in names
        ]
        return "\n".join([*texts, f"list: {acts} not {model.acts()} kept {model.kept} {model.last}"])

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
        what, run, last = self.chance.choice(
            (
                ("take_back", undo.take_back, self.model.undoable()),
                ("bring_back", undo.bring_back, self.model.redoable()),
            )
        )
        number: int | None = None
        acts = self.model.acts()
        if acts and self.chance.random() < 0.7:
            number = self.chance.choice(list(acts)[:12])
        target = last if number is None else number
        if not target or acts[target] is (run is undo.take_back):
            with pytest.raises((NotFound, Refused)):
                run(files, number)
            return
        wanted: dict[str, list[Content]] = {}
        by_hand: set[str] = set()
        blocked = False
        try:
            wanted = self.model.reverse(target, by_hand)
        except Blocked:
            blocked = True
        before = self.on_disk()
        tip = self.model.steps(self.model.tip(target)[0])
        try:
            found = {each.name: each.after for each in run(files, number, write=False).files}
        except Stale:
            # Lines that a hand moved may be found by what is around them, or not: memdown refuses when in doubt.
            assert blocked or by_hand, f"{what} {target}"
            self.count("refused by hand" if by_hand else "refused")
            assert self.on_disk() == before
            return
        except Refused:
            # A hand made the files what they were before the act, so that there is nothing to take back.
            assert run is undo.take_back, f"{what} {target}"
            earliest = [(name, each.before) for entry in reversed(tip) for name, each in entry.changes.items()]
            assert all(before.get(name) == content for name, content in dict(earliest).items()), f"{what} {target}"
            self.count("refused as it is not there")
            return
        assert not blocked or by_hand, f"{what} {target}"
        for name in dict.fromkeys(name for entry in tip for name in entry.changes):
            after, right = found.get(name, before.get(name)), wanted.get(name, [])
            # Where a hand was, nobody can tell which of several lines that are alike it took or moved.
            changes = [entry.changes[name] for entry in tip if name in entry.changes]
            fits = after in right or (name in by_hand and conserved(before.get(name), after, changes))
            assert fits or (blocked and name not in by_hand), f"{what} {target} {name} {found} {right}"
        model = self.model.copy()
        model.commit(found, undoes=self.model.tip(target)[0])
        self.count(f"{what}{' by number' if number else ''}{' by hand' if by_hand else ''}")
        self.survive(lambda: run(files, number), [self.model, model])

    def edit_by_hand(self) -> None:
        names = [name for name in self.model.files if name != "big.md"]
        if names:
            name = self.chance.choice(names)
            (self.root / name).write_bytes(self.model.edit(name, *self.edit(self.model.files[name])))
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
        def call(*args: Any, **options: Any) -> object:
            left[0] -= 1
            if not left[0]:
                if plain is write:
                    write(args[0], bytes(args[1])[: len(args[1]) // 2])
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
        print(json.dumps(found.counts))


def played(root: Path, seed: int, acts: int) -> dict[str, int]:
    code = "import sys; sys.path.insert(0, sys.argv[1]); from test_undo_model import play; play(*sys.argv[2:])"
    command = [sys.executable, "-c", code, str(Path(__file__).parent), str(root), str(seed), str(acts)]
    done = forks.run(command, capture_output=True, text=True, timeout=3000, check=False)
    assert done.returncode == 0, f"seed {seed}: {done.stdout}\n{done.stderr[-6000:]}"
    counts: dict[str, int] = json.loads(done.stdout)
    return counts


@pytest.mark.parametrize("seed", range(1))
def test_files_and_list_are_those_of_the_model(tmp_path: Path, seed: int) -> None:
    counts = played(tmp_path, seed, 400)
    assert counts["acts"] >= 180
    assert counts["killed"] >= 18 or not hasattr(os, "fork")


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_files_and_list_are_those_of_the_model_for_new_seeds(
    tmp_path: Path, number: int, pytestconfig: pytest.Config
) -> None:
    played(tmp_path, int(pytestconfig.getoption("--hypothesis-seed")) + number, 1500)


# Slots: a model that knows nothing of bytes


@pytest.mark.parametrize("seed", range(2))
def test_what_was_done_elsewhere_in_the_file_is_never_in_the_way(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of slots, each with the values it was given: one can be taken back when it is the last that stands."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    chance = random.Random(seed)
    files = Files(tmp_path)
    slots: list[list[int]] = [[] for _ in range(8)]
    """The acts that stand, by slot."""
    done: dict[int, int] = {}
    texts = {0: "before"}

    def text() -> str:
        return "".join(f"## Slot {slot}\n{texts[acts[-1] if acts else 0]}\n" for slot, acts in enumerate(slots))

    files.save("a.md", text(), over=None)
    for number in range(200):
        slot = chance.randrange(len(slots))
        if not done or chance.random() < 0.4:
            before = text()
            # No two values have a first or last character in common, but the bytes of these do have.
            texts[-1] = f"{chr(0x4E00 + number)} value{chr(0x5E00 + number)}"
            slots[slot].append(-1)
            files.save("a.md", text(), over=before)
            step = undo.acts(files)[0].step
            slots[slot][-1], texts[step] = step, texts[-1]
            done[step] = slot
            continue
        step = chance.choice(list(done)[-40:])
        acts = slots[done[step]]
        if step not in acts:
            continue
        if acts[-1] == step:
            undo.take_back(files, step)
            acts.pop()
        else:
            with pytest.raises(Stale, match=f"step {acts[acts.index(step) + 1]} "):
                undo.take_back(files, step)
        assert files.read("a.md") == text()
        if acts and chance.random() < 0.3 and step not in acts:
            with pytest.raises(Refused):
                undo.take_back(files, step)
        if step not in acts and chance.random() < 0.5:
            undo.bring_back(files, step)
            acts.append(step)
            assert files.read("a.md") == text()


# What an auditor asks


def save(files: Files, text: str, name: str = "a.md") -> int:
    """One act; its number."""
    with files.lock():
        files.save(name, text, over=files.find(name))
    return undo.acts(files)[0].step


def test_only_what_has_later_changes_is_said_to_keep_them(tmp_path: Path) -> None:
    files = Files(tmp_path)
    for text in ("1\n2\n3\n4\n", "1\n2\n3\n4\n5\n", "0\n1\n2\n3\n4\n5\n"):
        save(files, text)
    assert [each.merged for each in undo.take_back(files, 2).files] == [True]
    assert [each.merged for each in undo.take_back(files, 3).files] == [True]
    save(files, "1\n2\n")
    assert [each.merged for each in undo.take_back(files).files] == [False]


def test_all_lines_around_a_change_tell_its_place(tmp_path: Path) -> None:
    files = Files(tmp_path)
    block = "# {}\nsame here\nvalue {}\nsame behind\nsame there\nsame last\n"
    middle = "".join(f"line {number}\n" for number in range(10))
    text = f"{block.format('One', 'old')}{middle}last {{}}\n{block.format('Two', 'new')}"
    save(files, text.format("old"))
    save(files, text.format("new").replace("value old", "value new"))
    path = tmp_path / "a.md"
    path.write_text(path.read_text("utf-8").replace("line 5\n", "by hand\n"), "utf-8", newline="\n")
    undo.take_back(files)
    assert files.read("a.md") == text.format("old").replace("line 5\n", "by hand\n")


def test_an_edit_by_hand_between_two_acts_is_not_overlooked(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "one\ntwo\nthree\nfour\nfive\n")
    step = save(files, "one\ntwo\nTHREE\nfour\nfive\n")
    (tmp_path / "a.md").write_text("by hand\none\ntwo\nTHREE\nfour\nfive\n")
    save(files, "by hand\none\ntwo\nTHREE\nfour\nfive\nsix\n")
    undo.take_back(files, step)
    assert files.read("a.md") == "by hand\none\ntwo\nthree\nfour\nfive\nsix\n"


def test_a_file_that_was_deleted_and_made_again_is_searched_when_a_hand_changed_it(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "one line\ntwo lines\nthree lines\n")
    step = save(files, "one line\nthree lines\n")
    files.delete("a.md", over="one line\nthree lines\n")
    save(files, "one line\nthree lines\n")
    (tmp_path / "a.md").write_text("one line\nthree lines\nby hand\n")
    undo.take_back(files, step)
    assert files.read("a.md") == "one line\ntwo lines\nthree lines\nby hand\n"


def test_a_twin_is_not_taken_for_the_place(tmp_path: Path) -> None:
    """The lines around a change were there twice; by hand, one of the two is changed."""
    files = Files(tmp_path)
    block = "- a\n- b\n- c\n"
    save(files, f"{block}- old\n{block}\n{block}- new\n{block}")
    step = save(files, f"{block}- new\n{block}\n{block}- new\n{block}")
    by_hand = f"{block}- mine\n{block}\n{block}- new\n{block}"
    (tmp_path / "a.md").write_text(by_hand)
    with pytest.raises(Stale, match="by hand"):
        undo.take_back(files, step)
    assert files.read("a.md") == by_hand


def test_an_act_that_was_redone_is_where_it_was_redone(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1\n2\n3\n")
    step = save(files, "1\nnew\n2\n3\n")
    undo.take_back(files)
    save(files, "zero\n1\n2\n3\n")
    for _ in range(3):
        undo.bring_back(files, step)
        assert files.read("a.md") == "zero\n1\nnew\n2\n3\n"
        undo.take_back(files, step)
        assert files.read("a.md") == "zero\n1\n2\n3\n"


def test_what_was_in_the_way_and_is_undone_is_so_no_more(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1\n2\n3\n")
    first = save(files, "1\nnew\n2\n3\n")
    second = save(files, "1\n3\n")
    save(files, "1\n3\n4\n")
    with pytest.raises(Stale, match=f"step {second} "):
        undo.take_back(files, first)
    undo.take_back(files, second)
    undo.take_back(files, first)
    assert files.read("a.md") == "1\n2\n3\n4\n"
    with pytest.raises(Stale, match=f"step {first} "):
        undo.bring_back(files, second)


def test_a_file_that_was_made_anew_and_is_gone_again_is_not_in_the_way(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "first\n")
    files.delete("a.md", over="first\n")
    second = save(files, "second\n")
    with pytest.raises(Stale, match=f"step {second} "):
        undo.take_back(files, 2)
    undo.take_back(files, second)
    undo.bring_back(files, second)
    with pytest.raises(Stale, match=f"step {second} "):
        undo.take_back(files, 2)
    undo.take_back(files, second)
    undo.take_back(files, 2)
    assert files.read("a.md") == "first\n"


def test_an_act_that_another_act_reversed_is_in_the_way(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1\n")
    first = save(files, "1\n2\n")
    second = save(files, "1\n")
    with pytest.raises(Stale, match=f"step {second} "):
        undo.take_back(files, first)
    undo.take_back(files, second)
    undo.take_back(files, first)
    assert files.read("a.md") == "1\n"


def test_a_deleted_entry_comes_back_before_those_that_were_added_at_the_end_since(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "# Log\n- 1\n- 2\n")
    step = save(files, "# Log\n- 1\n")
    save(files, "# Log\n- 1\n- 3\n")
    save(files, "# Log\n- 1\n- 3\n- 4\n")
    undo.take_back(files, step)
    assert files.read("a.md") == "# Log\n- 1\n- 2\n- 3\n- 4\n"


def test_a_character_is_never_put_together_from_two(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "é\n")  # C3 A9
    step = save(files, "ĩ\n")  # C4 A9
    save(files, "Ĭ fine ĩ\n")  # C4 AC … C4 A9: as bytes, all of it is inserted behind the C4
    with pytest.raises(Stale):
        undo.take_back(files, step)
    assert files.read("a.md") == "Ĭ fine ĩ\n"


def test_redo_of_an_act_of_which_a_hand_undid_a_part(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "a\n")
    save(files, "b\n", "b.md")
    with files.group() as group:
        group.save("a.md", "A\n", over="a\n")
        group.save("b.md", "B\n", over="b\n")
    (tmp_path / "a.md").write_text("a\n")
    assert [each.name for each in undo.take_back(files).files] == ["b.md"]
    assert [each.name for each in undo.bring_back(files).files] == ["b.md"]
    assert (files.read("a.md"), files.read("b.md")) == ("a\n", "B\n")


def test_a_file_that_an_act_made_and_deleted(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.begin_act("test", "passing")
    files.save("sub/a.md", "1", over=None)
    files.delete("sub/a.md", over="1")
    assert undo.take_back(files).files == []
    assert undo.bring_back(files).files == []
    assert not files.exists("sub/a.md")


def test_another_process_writes_between_two_groups_of_an_act(tmp_path: Path) -> None:
    one, other = Files(tmp_path), Files(tmp_path)
    save(one, "1\n2\n3\n4\n")
    one.begin_act("test", "two groups")
    one.save("a.md", "1\n2\n3\n4\nfirst\n", over=one.read("a.md"))
    other.begin_act("other", "between")
    other.save("a.md", "zero\n1\n2\n3\n4\nfirst\n", over=other.read("a.md"))
    one.save("a.md", "zero\n1\n2\nsecond\n3\n4\nfirst\n", over=one.read("a.md"))
    assert [(act.step, act.act) for act in undo.acts(one)] == [(3, "between"), (2, "two groups"), (1, "write")]
    undo.take_back(one, 2)
    assert one.read("a.md") == "zero\n1\n2\n3\n4\n"
    undo.take_back(other)
    assert one.read("a.md") == "1\n2\n3\n4\n"
    undo.bring_back(other, 2)
    assert one.read("a.md") == "1\n2\nsecond\n3\n4\nfirst\n"


def test_half_an_act_is_not_taken_back(tmp_path: Path) -> None:
    """The log forgets its oldest steps, and a step may be damaged; what is left of such an act is not offered."""
    files = Files(tmp_path, log=StepLog(str(tmp_path / ".memdown"), steps=4))
    files.begin_act("test", "long")
    for number in range(3):
        files.save(f"{number}.md", "x", over=None)
    files.begin_act("test", "short")
    files.save("a.md", "1", over=None)
    assert [act.step for act in undo.acts(files)] == [4, 1]
    files.save("a.md", "2", over="1")
    assert [act.step for act in undo.acts(files)] == [4]
    with pytest.raises(NotFound):
        undo.take_back(files, 1)
    (tmp_path / ".memdown/undo/000000005.step").write_bytes(b"")
    files.save("a.md", "3", over="2")
    assert undo.acts(files) == []
    with pytest.raises(NotFound):
        undo.take_back(files)
    assert files.read("a.md") == "3"


def test_the_log_is_deleted_between_two_groups_of_an_act(tmp_path: Path) -> None:
    files = Files(tmp_path)
    for number in range(5):
        save(files, f"{number}\n")
    files.begin_act("test", "two groups")
    files.save("b.md", "1", over=None)
    for step in (tmp_path / ".memdown/undo").iterdir():
        step.unlink()
    files.save("c.md", "1", over=None)
    assert [(act.step, act.files) for act in undo.acts(files)] == [(1, ["c.md"])]
    undo.take_back(files)
    assert not files.exists("c.md")
    assert files.exists("b.md")


def test_undo_within_an_act_that_writes_too(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1\n")
    files.begin_act("test", "all at once")
    files.save("b.md", "1", over=None)
    undo.take_back(files, 1)
    files.save("c.md", "1", over=None)
    assert [(act.step, act.undone, act.files) for act in undo.acts(files)] == [
        (2, False, ["b.md", "c.md"]),
        (1, True, ["a.md"]),
    ]
    undo.take_back(files, 2)
    undo.bring_back(files, 1)
    assert [*files.walk("")] == ["a.md"]


def test_names_and_clients_of_any_characters(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.begin_act("mcp \ud800\n\n\0 evil\\n", "write\r\nbytes 0")
    files.save("a b é.md", "1", over=None)
    (act,) = undo.acts(files)
    assert act.files == ["a b é.md"]
    assert act.act == "write\r\nbytes 0"
    undo.take_back(files)
    assert [*files.walk("")] == []


def test_case_alone_changes_and_comes_back(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1", "readme.md")
    files.rename("readme.md", "README.md", over="1")
    undo.take_back(files)
    assert [path.name for path in tmp_path.glob("*.md")] == ["readme.md"]
    undo.bring_back(files)
    assert [path.name for path in tmp_path.glob("*.md")] == ["README.md"]


def leave_pending(root: Path, text: str = "1\n2\n") -> None:
    """A writer dies after it changed the file, before it told the log."""
    log = StepLog(str(root / ".memdown"))
    log.done = lambda: (_ for _ in ()).throw(OSError)  # type: ignore[method-assign]
    files = Files(root, log=log)
    files.save("a.md", text, over=files.find("a.md"))
    assert log.is_pending()


def test_something_else_is_in_the_place_of_a_file_whose_writer_died(tmp_path: Path) -> None:
    leave_pending(tmp_path)
    (tmp_path / "a.md").unlink()
    (tmp_path / "a.md").mkdir()
    files = Files(tmp_path)
    files.save("b.md", "1", over=None)
    assert [act.files for act in undo.acts(files)] == [["b.md"]]


def test_a_hand_was_quicker_than_the_one_who_completes(tmp_path: Path) -> None:
    save(Files(tmp_path), "1\n")
    leave_pending(tmp_path, "1\nwhat died\n")
    (tmp_path / "a.md").write_text("zero\n1\nwhat died\n")
    files = Files(tmp_path)
    files.recover()
    assert len(undo.acts(files)) == 2
    undo.take_back(files)
    assert files.read("a.md") == "zero\n1\n"
    StepLog(str(tmp_path / ".memdown")).begin(next(StepLog(str(tmp_path / ".memdown")).read()))
    (tmp_path / "a.md").write_text("never begun\n")  # and the one who died had not changed the file yet
    files.recover()
    assert len(undo.acts(files)) == 2


def test_a_hook_does_not_drop_the_step_of_a_writer_that_died_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(Files(tmp_path), "1\n")
    log = StepLog(str(tmp_path / ".memdown"))
    adding = Adding(tmp_path, log, "hook", lock_timeout=5)
    held, first = RootLock.held, [True]

    def late(lock: RootLock) -> AbstractContextManager[bool]:
        if first and first.pop():
            leave_pending(tmp_path)
        return held(lock)

    monkeypatch.setattr(RootLock, "held", late)
    with adding.lock():
        adding.add("b.md", b"b")
    files = Files(tmp_path)
    assert [act.files for act in undo.acts(files)] == [["b.md"], ["a.md"], ["a.md"]]
    leave_pending(tmp_path, "1\n2\n3\n")
    step = next(log.read())
    with pytest.raises(FileExistsError):
        log.begin(step)
    assert log.is_pending()


def test_a_group_that_fails_and_cannot_be_taken_back_is_no_step_once_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = Files(tmp_path)
    files.save("a.md", "1", over=None)
    plain, left = os.replace, [2]

    def full(source: Path, target: Path, **folders: Any) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        plain(source, target, **folders)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(MemdownError, match="half done"):
        files.save_all([FileEdit("a.md", "1", "2"), FileEdit("b.md", None, "2")])
    monkeypatch.undo()
    files.recover()
    made = files.read("a.md") == "2"
    assert files.exists("b.md") == made
    assert len(undo.acts(files)) == 1 + made


def test_a_log_that_cannot_be_read_or_written_is_told(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1\n")
    step = tmp_path / ".memdown/undo/000000001.step"
    step.unlink()
    step.mkdir()
    assert undo.acts(files) == [], "a folder is no step"
    step.rmdir()
    step.parent.rmdir()
    step.parent.write_text("a file")
    with pytest.raises(Unreadable, match="log of changes"):
        undo.acts(files)
    with pytest.raises(MemdownError):
        save(files, "2\n")
    assert files.read("a.md") == "1\n"


def test_a_link_and_what_it_leads_to(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "1\n2\n3\n4\n5\n6\n7\n8\n")
    (tmp_path / "link.md").symlink_to("a.md")
    step = save(files, "1\nsomething new\n2\n3\n4\n5\n6\n7\n8\n")
    save(files, "zero\n1\nsomething new\n2\n3\n4\n5\n6\n7\n8\n", "link.md")
    undo.take_back(files, step)
    assert files.read("link.md") == files.read("a.md") == "zero\n1\n2\n3\n4\n5\n6\n7\n8\n"
    assert (tmp_path / "link.md").is_symlink()


def test_two_who_undo_at_once(tmp_path: Path) -> None:
    files = Files(tmp_path)
    save(files, "")
    for number in range(12):
        save(files, files.read("a.md") + f"line {number}\n")
    code = """if True:
        import sys
        from pathlib import Path
        from memdown.store import Files, undo
        files = Files(Path(sys.argv[1]))
        for _ in range(5):
            undo.take_back(files)
    """
    both = [forks.Forked([sys.executable, "-c", code, str(tmp_path)]) for _ in range(2)]
    assert [each.wait(60) for each in both] == [0, 0]
    assert files.read("a.md") == "line 0\nline 1\n"
    for _ in range(10):
        undo.bring_back(files)
    assert files.read("a.md") == "".join(f"line {number}\n" for number in range(12))
