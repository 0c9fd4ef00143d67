"""The judge of a race finds what it has to find; and what the race itself has found stays mended."""

import itertools
import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.store import Files, undo
from memdown.store.locks import RootLock
from proofs.concurrency import FOCUS, Event, History, Saved, judge
from proofs.linear import Timed, register, search
from samples import put
from test_undo import rich

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")


@pytest.mark.parametrize(
    "call",
    [("task", "add", "Another"), ("add", "task", "Another"), ("session", "start", "--period", "evening")],
    ids=" ".join,
)
def test_what_is_undone_at_once_was_done(
    cli: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch, call: tuple[str, ...]
) -> None:
    root, leave = rich(Path.cwd()), RootLock._leave

    def leave_to_another(lock: RootLock) -> None:
        leave(lock)
        if lock._depth == 0 and undo.acts(Files(root)):
            monkeypatch.setattr(RootLock, "_leave", leave)
            undo.take_back(Files(root))

    monkeypatch.setattr(RootLock, "_leave", leave_to_another)
    done = cli(*call)
    assert (done.code, [each.undone for each in undo.acts(Files(root))]) == (0, [True]), done.err


def act(kind: str, mark: str, number: int, began: float, undoes: int = 0) -> Event:
    return Event(kind, mark, began, began + 0.5, 0, number, undoes)


GOOD = [act("question", "aend", 1, 1), act("focus", "bend", 2, 2), act("undo", "", 3, 3, undoes=2)]
LOST = [*GOOD, act("question", "cend", 4, 4)]
WRONG: dict[str, tuple[list[Event], str]] = {
    "nothing": (GOOD, ""),
    "a write is lost": (LOST, "cend is in the files 0 times, not 1"),
    "a write has no number": ([*GOOD, act("focus", "cend", 0, 4)], "reported 0, and its number is 0"),
    "a later act has a smaller number": ([act("focus", "cend", 9, 0), *GOOD], "began after a later one had ended"),
    "an older act is undone": ([*GOOD[:2], act("undo", "", 3, 3, undoes=1)], "the log of acts is not"),
    "an act is undone twice": ([*GOOD, act("undo", "", 4, 4, undoes=2)], "the log of acts is not"),
    "an old value is read": ([*GOOD, Event("read", "", 5, 6, 0, value="bend")], "the focus is not linearizable"),
}


@pytest.mark.parametrize("case", WRONG)
def test_the_judge_of_a_race(tmp_path: Path, case: str) -> None:
    root = tmp_path / "shop"
    put(root, FOCUS, "# Active Context\n\n## Current Focus\nThe start\n\n## Questions\n- aend\n")
    put(tmp_path, "counts.json", json.dumps({"question": {FOCUS: 1}, "focus": {FOCUS: 1}}))
    (root / ".memdown/undo").mkdir(parents=True)
    events, wanted = WRONG[case]
    found = list(judge(tmp_path, [History(events, []), History([], [])]))
    assert (not found) if not wanted else any(wanted in each for each in found), found


def test_a_save_by_hand_may_be_lost_in_the_moment_before_a_rename_alone(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    put(root, FOCUS, "## Current Focus\nThe start\n")
    put(tmp_path, "counts.json", "{}")
    (root / ".memdown/undo").mkdir(parents=True)
    hand = History([], [Saved(FOCUS, 1.0, 1.1, "handend")])
    for looked, is_excused in ((0.5, True), (1.2, False)):
        found = list(judge(tmp_path, [History([], [Saved(FOCUS, looked, looked + 1)]), hand]))
        assert bool(found) != is_excused, found


def call(row: str) -> Timed:
    """A call from "1-4 write a"."""
    moments, _, did = row.partition(" ")
    began, ended = map(float, moments.split("-"))
    what, _, value = did.rpartition(" ")
    return Timed(began, ended, what, value)


@pytest.mark.parametrize(
    ("rows", "is_linear"),
    [
        (["1-2 write a", "3-4 read a"], True),
        (["1-2 write a", "3-4 read b"], False),
        (["1-9 write a", "2-3 read a", "4-5 read a"], True),
        (["1-9 write a", "2-3 read a", "4-5 read "], False),  # once read, it stays
        (["1-9 write a", "1-9 write b", "2-3 read b", "4-5 read a"], True),
        (["1-9 write a", "1-9 write b", "2-3 read b", "4-5 read a", "6-7 read b"], False),
        (["1-2 write a", "3-4 write b", "5-6 read a"], False),  # a write is lost
        (["1-2 write a", "3-4 undo a", "5-6 read "], True),
        (["1-2 write a", "1-6 undo a", "3-4 read a", "5-6 read "], True),
        (["1-2 undo a", "3-4 write a"], False),
        (["1-2 write a", "1-2 write b", "3-4 undo newest a", "5-6 read b"], True),
        (["1-2 write a", "3-4 write b", "5-6 undo newest a"], False),
        (["1-2 write a", "3-4 undo a", "5-6 undo a"], False),
        (["1-2 write a", "3-9 write b", "4-5 undo a", "6-7 read b", "6-7 read "], True),
        (["1-2 write a", "3-9 write b", "4-5 read b", "6-7 read a"], False),
    ],
)
def test_a_history_is_linearizable_or_refused(rows: list[str], is_linear: bool) -> None:
    history = [call(row) for row in rows]
    for order in (history, history[::-1]):
        found = search(order, (), register)
        assert isinstance(found, list) is is_linear, found
        assert not isinstance(found, list) or sorted(found) == sorted(history)


def by_trying(history: list[Timed]) -> bool:
    """Every order, which is what the search has to agree with."""
    for order in itertools.permutations(history):
        state: tuple[str, ...] | None = ()
        for call in order:
            state = register(state, call) if state is not None else None
        in_time = all(one.began <= two.ended for one, two in itertools.combinations(order, 2))
        if state is not None and in_time:
            return True
    return False


def test_the_search_finds_an_order_wherever_there_is_one() -> None:
    dice, found = random.Random(1), set[bool]()
    for _ in range(300):
        history = []
        for number in range(5):
            began = dice.randrange(8)
            what = ("write", "undo", "undo newest", "read")[dice.randrange(4) if number > 1 else 0]
            value = str(number) if what == "write" else dice.choice(("0", "1", ""))
            history.append(Timed(began, began + dice.randrange(1, 7), what, value))
        is_linear = isinstance(search(history, (), register), list)
        assert is_linear is by_trying(history), history
        found.add(is_linear)
    assert found == {True, False}
