"""Many processes at once: each memory is written once, and every answer is honest."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from memdown import Memory
from memdown.index.schema import APPLICATION_ID
from memdown.index.sqlite import Index, Unusable
from samples import CARD, CONTENT, ID, at_once, put


def test_eight_processes_create_the_same_memory_once(tmp_path: Path) -> None:
    command = [
        "add",
        "card",
        "Pool",
        "-k",
        "pool",
        "--content",
        CONTENT,
        "--occurred-at",
        "2026-01-15T10:30:00Z",
        "--json",
    ]
    answers = [json.loads(out) for _, out, _ in at_once(tmp_path, *[command] * 8)]
    assert len(answers) == 8
    assert sum(answer["created"] for answer in answers) == 1
    assert len({answer["id"] for answer in answers}) == 1
    assert len(list(tmp_path.glob("memories/*.md"))) == 1


def test_eight_processes_capture_the_same_message_once(tmp_path: Path) -> None:
    command = ["capture", "--content", CONTENT, "--occurred-at", "2026-01-15T10:30:00Z", "--json"]
    answers = [json.loads(out) for _, out, _ in at_once(tmp_path, *[command] * 8)]
    assert sum(answer["created"] for answer in answers) == 1


def test_eight_processes_add_a_keyword_each(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    results = at_once(tmp_path, *[["edit", ID, "--add-keyword", f"word{number}"] for number in range(8)])
    assert [(code, err) for code, _, err in results] == [(0, "")] * 8
    assert set(Memory(tmp_path).get(ID).tags) == {"database", "pool", *(f"word{number}" for number in range(8))}


@pytest.mark.parametrize("alive", ["begins", "ends", "writes again", "died"])
def test_who_is_between_two_steps_of_writing_an_index_is_not_taken_for_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alive: str
) -> None:
    path = str(tmp_path / "index.db")
    index = Index.open(path, make=True)
    assert index is not None
    with index.writing():
        index.clear()
        index.add_indexes()
    says = "pragma application_id = {}".format
    step = {"begins": "begin immediate", "ends": says(APPLICATION_ID), "died": "select 1"}
    step["writes again"] = "insert or replace into meta values ('changed', 1)"
    index.connection.execute(says(APPLICATION_ID ^ 1))

    def go_on(seconds: float) -> None:
        del seconds
        if not index.connection.in_transaction:
            index.connection.execute(step[alive])

    monkeypatch.setattr("memdown.index.sqlite.time.sleep", go_on)
    with pytest.raises(Unusable) if alive == "died" else nullcontext():
        other = Index.open(path)
        assert other is not None
        other.close()
    index.close()
