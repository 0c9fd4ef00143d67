"""Many processes at once: each memory is written once, and every answer is honest."""

import json
from pathlib import Path

from memdown import Memory
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
