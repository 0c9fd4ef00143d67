"""Many processes at once: each memory is written once, and every answer is honest."""

import json
import subprocess
import sys
from pathlib import Path

from memdown import Memory
from samples import CARD, CONTENT, ID, put


def at_once(root: Path, *commands: list[str]) -> list[tuple[int, str, str]]:
    """Start all, then wait for all."""
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "memdown", *command, "--root", str(root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        for command in commands
    ]
    return [(process.wait(), out, err) for process in running for out, err in [process.communicate(timeout=120)]]


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
    answers = [json.loads(out) for code, out, _ in at_once(tmp_path, *[command] * 8) if code == 0]
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
    assert [code for code, _, _ in results] == [0] * 8
    assert set(Memory(tmp_path).get(ID).tags) == {"database", "pool", *(f"word{number}" for number in range(8))}
