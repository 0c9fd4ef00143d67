"""Random acts in each dialect beside a simple model: a bag of records, and for each act what it took out and put in.

After each act the project is read back. An addition puts in what was given and changes no other record; an edit changes
one; a deletion takes out one; `undo` and `redo` are exact, to the byte where nothing came in between; what is refused
changes nothing. Now and then the project is closed and opened again, or a record is looked for in the index.
"""

import os
import random
import re
import shutil
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from memdown import Memory
from memdown.errors import MemdownError
from memdown.record import Record
from proofs import acts
from proofs.acts import PROJECT
from proofs.faults import fast_folder
from proofs.outcome import Outcome, Run
from test_undo import REVIEWS, State, differing, state

Bag = Counter[tuple[object, ...]]
Adding = Callable[[Memory, str, str], object]

SHORT, LONG = (1, 30), (60, 150)
"""How many projects of each dialect, and how many acts in each."""


def _adds(dialect: str, kind: str, **more: object) -> Adding:
    return lambda memory, title, text: memory.add(kind, title, dialect=dialect, text=text, **more)  # type: ignore[arg-type]


ADDING: dict[str, dict[str, Adding]] = {
    "bank": {kind: _adds("bank", kind) for kind in ("decision", "task", "milestone")},
    "sem": {kind: _adds("sem", kind, author="Ann") for kind in ("decision", "memory", "note", "directive")},
    "cards": {"card": _adds("cards", "card", tags=["one", "two"])},
    "layers": {"section": lambda memory, title, text: memory.layers.append(REVIEWS, f"## {title}\n\n{text}\n")},
    "journal": {kind: _adds("journal", kind) for kind in ("edit", "task", "error")},
    "okf": {kind: _adds("okf", kind) for kind in ("decision", "memory", "note", "directive")},
}
"""How a record of each kind is added."""
TITLES = (
    *(
        "{}",
        "{} and more",
        "Über {} — ein Maß",
        "{} 日本語",
        "{} 🚀",
        "Use `{}`",
        "{} (v1.2)",
        "{}: a colon",
        "The {}'s end",
    ),
    *('"{}"', "{} | pipe", "{} #1", "[{}](x.md)", "*{}*", "_{}_", "{} <b>", "{} & more", "{}, 50 %", "- {}", "1. {}"),
)
TEXTS = (
    "A text of {} that is long enough to be kept.",
    "Two lines of {}\nthat belong together.",
    "A paragraph of {}.\n\nAnd another one.",
    "A list of {}:\n\n- one\n- two\n  - three",
    "Code of {}:\n\n```\n# not a heading\n---\n```\n\nand more.",
    "Über {} — 日本語 🚀 \\* <b> & | `x`",
)
INFORMAL = ("bank", "layers")
"""Dialects that people write by hand: there a reader takes markup, a state or a date out of a title."""
FIXED = frozenset({"section", "index", "log"})
"""Kinds of records whose text has other records in it; in layers a section is a record of its own."""


class ModelAct(NamedTuple):
    """What one act took out and put in, and the files before and after."""

    step: int
    gone: Bag
    new: Bag
    before: State
    after: State


def prove(run: Run) -> Iterator[Outcome]:
    projects, length = (max(1, round(run.share * LONG[0])), LONG[1]) if run.long else SHORT
    work = fast_folder(run.work)
    try:
        base = acts.lay_base(work / "base")
        jobs = [(base, dialect, number, length, run.seed) for dialect in ADDING for number in range(projects)]
        with get_context("fork").Pool(os.cpu_count()) as pool:
            found = list(pool.imap_unordered(live, jobs))
    finally:
        if work != run.work:
            shutil.rmtree(work)
    for dialect in ADDING:
        mine = [(done, wrong) for of, done, wrong in found if of == dialect]
        failures = sorted(wrong for _, wrong in mine if wrong)
        yield Outcome(f"random acts beside a model of {dialect}", sum(done for done, _ in mine), "acts", failures)


def live(job: tuple[Path, str, int, int, int]) -> tuple[str, int, str]:
    """The life of one project: its dialect, how many acts there were, and what did not hold at the last of them."""
    base, dialect, number, length, seed = job
    root = acts.copied(base, base.parent / f"{dialect}-{number}") / PROJECT
    with closing(Machine(root, dialect, random.Random(f"{seed} {dialect} {number}"))) as machine:
        for turn in range(length):
            if wrong := next(machine.turn(), ""):
                return dialect, turn + 1, f"{dialect}, project {number}, act {turn}, seed {seed}: {wrong}"
    shutil.rmtree(root.parent)
    return dialect, length, ""


class Machine:
    """A project and its model."""

    def __init__(self, root: Path, dialect: str, chance: random.Random) -> None:
        acts.environment(root.parent)
        self._root = root
        self._dialect = dialect
        self._chance = chance
        self._memory = Memory.open(root)
        self._memory.layers.prune()  # else the first addition does
        self._bag = self._seen()
        self._done: list[ModelAct] = []
        """The acts that stand, in the order of the log."""
        self._undone: list[ModelAct] = []
        self._titles = 0

    def close(self) -> None:
        self._memory.close()

    def turn(self) -> Iterator[str]:
        """One random act; what does not hold."""
        ways = {"add": 5, "edit": 3, "delete": 2, "undo": 3, "redo": 2, "undo older": 1, "reopen": 1, "search": 1}
        way = self._chance.choices([*ways], [*ways.values()])[0]
        yield from {
            "add": self._add,
            "edit": self._edit,
            "delete": self._delete,
            "undo": self._undo,
            "redo": self._redo,
            "undo older": self._undo_older,
            "reopen": self._reopen,
            "search": self._search,
        }[way]()

    def _add(self) -> Iterator[str]:
        kind = self._chance.choice([*ADDING[self._dialect]])
        title, text = self._title(), self._chance.choice(TEXTS).format(self._titles)
        what = f"add {kind} {title!r} {text!r}"
        act = yield from self._acted(what, lambda: ADDING[self._dialect][kind](self._memory, title, text))
        if act is None:
            return
        if act.gone:
            yield f"{what} changed {_told(act.gone)}"
        if not act.new or any(found[1] != kind or not self._is_title(found[2], title) for found in act.new):
            yield f"{what} is read as {_told(act.new)}"

    def _edit(self) -> Iterator[str]:
        record, title = self._one(), self._title()
        if record is None:
            return
        what = f"edit {record.id} {record.title!r} to {title!r}"
        act = yield from self._acted(what, lambda: self._memory.edit(record.id, title=title, force=True))
        if act is None:
            return
        if not self._are_all(act.gone, record):
            yield f"{what} changed {_told(act.gone)}"
        if not act.new or not all(self._is_title(found[2], title) for found in act.new):
            yield f"{what} is read as {_told(act.new)}"
        gone, new = (Counter((*found[:2], *found[3:]) for found in bag.elements()) for bag in (act.gone, act.new))
        if self._dialect not in INFORMAL and gone != new:
            yield f"{what} changed more than the title: {_told(act.new)}"

    def _delete(self) -> Iterator[str]:
        record = self._one()
        if record is None:
            return
        what = f"delete {record.id} {record.title!r}"
        act = yield from self._acted(what, lambda: self._memory.delete(record.id, force=True))
        if act is None:
            return
        if act.new or not act.gone or not self._are_all(act.gone, record):
            yield f"{what} took out {_told(act.gone)} and put in {_told(act.new)}"

    def _undo(self) -> Iterator[str]:
        if self._done:
            yield from self._take_back(self._done[-1], None)

    def _undo_older(self) -> Iterator[str]:
        if self._done:
            act = self._chance.choice(self._done)
            yield from self._take_back(act, act.step)

    def _take_back(self, act: ModelAct, step: int | None) -> Iterator[str]:
        now = state(self._root)
        try:
            self._memory.undo(step)
        except MemdownError as error:
            if act is self._done[-1] and now == act.after:
                yield f"undo of the last act, {act.step}, is refused: {error}"
            yield from self._unchanged(f"undo {act.step}, refused", now)
            return
        self._done.remove(act)
        self._undone.append(act)
        yield from self._is(f"undo {act.step}", self._bag - act.new + act.gone)
        if now == act.after and (differs := differing(state(self._root), act.before)):
            yield f"undo {act.step} does not bring back {differs}"

    def _redo(self) -> Iterator[str]:
        if not self._undone:
            return
        act, now = self._undone[-1], state(self._root)
        try:
            self._memory.redo()
        except MemdownError as error:
            if now == act.before:
                yield f"redo of {act.step} is refused: {error}"
            yield from self._unchanged(f"redo {act.step}, refused", now)
            return
        self._undone.pop()
        self._done = sorted([*self._done, act], key=lambda each: each.step)  # it has its old place again
        yield from self._is(f"redo {act.step}", self._bag - act.gone + act.new)
        if now == act.before and (differs := differing(state(self._root), act.after)):
            yield f"redo {act.step} does not bring back {differs}"

    def _reopen(self) -> Iterator[str]:
        self._memory.close()
        self._memory = Memory.open(self._root)
        yield from self._is("reopen", self._bag)

    def _search(self) -> Iterator[str]:
        record = self._one()
        if record is None:
            return
        hits = self._memory.search(_mark(record)).hits
        if record.id not in {id for hit in hits for id in (hit.mark.record.id, *hit.near_duplicates)}:
            yield f"search {_mark(record)} does not find {record.id} {record.title!r}"

    def _acted(self, what: str, act: Callable[[], object]) -> Generator[str, None, ModelAct | None]:
        """Do it; what it came to, or None when it was refused and changed nothing."""
        before = state(self._root)
        try:
            act()
        except MemdownError:
            yield from self._unchanged(f"{what}, refused", before)
            return None
        seen = self._seen()
        done = ModelAct(self._memory.steps()[0].step, self._bag - seen, seen - self._bag, before, state(self._root))
        self._bag = seen
        self._done.append(done)
        self._undone.clear()
        return done

    def _unchanged(self, what: str, before: State) -> Iterator[str]:
        if differs := differing(state(self._root), before):
            yield f"{what}, and {differs} changed"

    def _is(self, what: str, wanted: Bag) -> Iterator[str]:
        self._bag = self._seen()
        if self._bag != wanted:
            yield f"{what}: missing {_told(wanted - self._bag)}, too many {_told(self._bag - wanted)}"

    def _seen(self) -> Bag:
        return Counter(
            (found.dialect, found.kind, found.title, found.body, found.status, found.author, found.tags)
            for found in self._memory.records()
            if found.kind not in FIXED or found.dialect == "layers"
        )

    def _one(self) -> Record | None:
        """A record that this machine added."""
        own = [found for found in self._memory.records() if found.dialect == self._dialect and _mark(found)]
        return self._chance.choice([found for found in own if found.kind in ADDING[self._dialect]] or [None])

    def _is_title(self, read: object, given: str) -> bool:
        is_informal = self._dialect in (*INFORMAL, "journal")  # whose tables are Markdown too
        return read == given or (is_informal and _mark_of(str(read)) == _mark_of(given))

    def _are_all(self, bag: Bag, record: Record) -> bool:
        """Whether these are one record; a registry may show its title without the emphasis that its own file keeps."""
        return all(found[1] == record.kind and self._is_title(found[2], record.title or "") for found in bag)

    def _title(self) -> str:
        self._titles += 1
        return self._chance.choice(TITLES).format(f"zed{self._titles}x")


def _mark(record: Record) -> str:
    return _mark_of(record.title or "")


def _mark_of(title: str) -> str:
    words = re.findall(r"zed\d+x", title)
    return words[0] if words else ""


def _told(bag: Bag) -> str:
    return (
        "; ".join(f"{count} x {found[1]} {found[2]!r} {found[3]!r}" for found, count in bag.items())[:400] or "nothing"
    )
