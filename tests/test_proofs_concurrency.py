"""The judge of a race finds what it has to find; and what the race itself has found stays mended."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.store import Files, undo
from memdown.store.locks import RootLock
from proofs.concurrency import FOCUS, Event, History, Saved, judge
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
    "an older act is undone": ([*GOOD[:2], act("undo", "", 3, 3, undoes=1)], "the newest step was 2, and 1"),
    "an act is undone twice": ([*GOOD, act("undo", "", 4, 4, undoes=2)], "did not stand"),
    "an old value is read": ([*GOOD, Event("read", "", 5, 6, 0, value="bend")], "'bend' was read between"),
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
