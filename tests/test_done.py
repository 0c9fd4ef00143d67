"""What is done is said to be done, whatever fails after it: a second try would write it twice."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.errors import Unreadable
from memdown.store import Files
from memdown.store.steps import StepLog
from test_closing import spoken
from test_undo import rich, state

CALLS = [
    ("task", "add", "Another"),
    ("task", "done", "T1"),
    ("session", "note", "One"),
    ("update", "--decision", "One"),
    ("end", "--summary", "Done"),
]


@pytest.fixture
def fails_after_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk from which nothing can be read once something was written."""
    done = StepLog.done

    def done_at_last(log: StepLog) -> int:
        def fail(*_: object) -> None:
            raise Unreadable("'a.md' cannot be read: input/output error; fix that and try again.")

        monkeypatch.setattr(Files, "read", fail)
        return done(log)

    monkeypatch.setattr(StepLog, "done", done_at_last)


@pytest.mark.parametrize("call", CALLS, ids=" ".join)
@pytest.mark.usefixtures("fails_after_writing")
def test_a_command_that_cannot_read_back_what_it_wrote(cli: Callable[..., Ran], call: tuple[str, ...]) -> None:
    before = state(rich(Path.cwd()))
    ran = cli(*call)
    assert ran.code == 4
    assert ran.err.endswith("; step 1 was written anyway, and `memdown undo` reverts it.\n")
    assert state(Path.cwd()) != before


@pytest.mark.usefixtures("fails_after_writing")
def test_a_tool_that_cannot_read_back_what_it_wrote(cli: Callable[..., Ran]) -> None:
    del cli
    before = state(rich(Path.cwd()))
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    given = {"name": "set_task", "arguments": {"task": "T1", "state": "paused"}}
    answer = spoken(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": given},
        ]
    )[-1]["result"]
    assert answer["isError"]
    assert answer["content"][0]["text"].endswith("; step 1 was written anyway, and the tool undo reverts it")
    assert state(Path.cwd()) != before
