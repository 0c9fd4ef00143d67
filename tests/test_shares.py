"""Large work is shared among processes, and gives what one process gives, whatever becomes of the others."""

import os
import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest

from memdown import Memory
from memdown.evidence import codefiles, digest, shares
from memdown.record import Statement
from samples import put
from test_verify import Cli, commit, git, repository

__all__ = ["repository"]

SHOWN = "8c1e2a30-5a4d-4e6f-9b7a-{:012}"
HEAD = "---\nid: {}\nsubject: Module {}\napplies_to: global\noccurred_at: 2026-01-02T10:00:00Z\n---\n\n"
CARD = "{}It has `take_{}()` and `LIMIT_{} = {}` in `src/mod_{}.py`, with MST for `MOUNTAIN_{}`.\n"


@pytest.fixture
def large(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that is large enough for three processes, and of which something is no longer true."""
    for number in range(9):
        id = SHOWN.format(number)
        text = CARD.format(HEAD.format(id, number), *(number,) * 5)
        put(repository, f"memories/{id}.md", text)
        put(repository, f"src/mod_{number}.py", f"LIMIT_{number} = {number}\ndef take_{number}(): ...\n")
    put(repository, "src/empty.py", "")
    put(repository, "src/größe.py", "GRÖSSE = take_3\n")
    commit("Begin")
    git("mv", "src/mod_3.py", "src/pool.py")
    put(repository, "src/mod_5.py", "LIMIT_5 = 6\n")
    commit("Change")
    monkeypatch.setattr(digest, "LEAST", 1)
    monkeypatch.setattr(codefiles, "LEAST", 1)
    monkeypatch.setattr(shares, "count", lambda: 3)
    return repository


def verified(root: Path) -> list[Statement]:
    with Memory.open(root) as memory:
        return memory.verify()


def alone(root: Path) -> list[Statement]:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(shares, "count", lambda: 1)
        return verified(root)


class Begun(shares.WorkShare):
    """Counts the processes, and those that answered."""

    all: ClassVar[list["Begun"]] = []
    answered: ClassVar[int] = 0

    def __init__(self, module: str, question: bytes) -> None:
        super().__init__(module, question)
        Begun.all.append(self)

    def answer(self, type: type[shares.T]) -> shares.T | None:
        found = super().answer(type)
        Begun.answered += found is not None
        return found

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None and not self._thread.is_alive()


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Begun]:
    monkeypatch.setattr(Begun, "all", [])
    monkeypatch.setattr(Begun, "answered", 0)
    monkeypatch.setattr(shares, "WorkShare", Begun)
    return Begun.all


def test_shared_work_gives_the_same_and_leaves_no_process(cli: Cli, large: Path, begun: list[Begun]) -> None:
    expected = alone(large)
    assert {each.state for each in expected} >= {"fresh", "moved", "changed", "gone"}
    assert verified(large) == expected
    assert (len(begun), Begun.answered) == (4, 4)  # two for memory, two for the code
    cli("index")
    assert verified(large) == expected  # what is kept is the same as well
    assert verified(large) == expected
    assert (len(begun), Begun.answered) == (8, 8)
    assert all(each.has_ended for each in begun)


@pytest.mark.parametrize(
    "instead",
    [
        ["/nowhere/python"],
        [sys.executable, "-c", "raise SystemExit(3)"],
        [sys.executable, "-c", "import os, sys; sys.stdin.close(); os.write(1, b'nonsense')"],
        [sys.executable, "-c", "import os; os.write(1, bytes.fromhex('92a5302e302e3090'))"],  # another version
    ],
)
def test_what_a_process_does_not_do_is_done_here(
    large: Path, begun: list[Begun], monkeypatch: pytest.MonkeyPatch, instead: list[str]
) -> None:
    expected = alone(large)
    start = subprocess.Popen
    monkeypatch.setattr(
        "memdown.evidence.shares.subprocess.Popen",
        lambda line, **how: start(instead if line[3:4] == ["memdown.evidence.shares"] else line, **how),
    )
    assert verified(large) == expected
    assert (len(begun), Begun.answered) == (0 if instead == ["/nowhere/python"] else 4, 0)


def test_no_process_is_left_when_the_work_is_given_up(begun: list[Begun]) -> None:
    with pytest.raises(KeyboardInterrupt), shares.shared(digest.__name__, [digest.MemoryShare({}, [])] * 2):
        raise KeyboardInterrupt
    assert len(begun) == 2
    assert all(each.has_ended for each in begun)


def test_a_text_that_is_no_utf_8_is_read_here(large: Path, begun: list[Begun]) -> None:
    for number in range(9):
        with (large / f"memories/{SHOWN.format(number)}.md").open("ab") as file:
            file.write(b"\xff `take_1()`\n")
    expected = alone(large)
    assert verified(large) == expected
    assert len(begun) == 2  # for the code


def test_a_small_project_begins_none(repository: Path, begun: list[Begun]) -> None:
    put(repository, "memories/a.md", CARD.format(HEAD.format(SHOWN.format(1), 1), *(1,) * 5))
    put(repository, "src/a.py", "LIMIT_1 = 1\n")
    verified(repository)
    assert begun == []


def test_as_many_as_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    assert shares.count() == 2
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    assert shares.count() == shares.MOST
    monkeypatch.setattr(sys, "executable", "")
    assert shares.count() == 1
