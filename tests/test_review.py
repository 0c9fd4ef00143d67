"""Reviewing what was captured, by the command line: every act changes what it names, and undo takes it back."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.memory import Memory
from samples import CARD, ID, answer, memdown, put

Cli = Callable[..., Ran]
TEXTS = ["The pool has 10 connections.\nWith 5 it timed out.", "Retries wait two seconds.\nOne was too short."]


def captured(root: Path, texts: list[str], *, settings: str = "[hooks]\ncapture = true\n") -> None:
    """Have a hook capture messages."""
    put(root, "memdown.toml", settings)
    lines = [
        {"type": "assistant", "timestamp": f"2026-03-01T10:0{at}:00Z", "message": {"id": str(at), "content": text}}
        for at, text in enumerate(texts)
    ]
    transcript = put(root, "t.jsonl", "\n".join(map(json.dumps, lines)) + "\n")
    memdown(root, "hook", "Stop", stdin=json.dumps({"cwd": str(root), "transcript_path": str(transcript)}))


def cards(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted((root / "memories").rglob("*.md"))}


def pending(root: Path) -> list[dict[str, object]]:
    found = answer(root, "review")
    assert isinstance(found, list)
    return found


def test_what_is_captured_waits_with_a_number(tmp_path: Path) -> None:
    assert "Nothing to review." in memdown(tmp_path, "review").stdout
    captured(tmp_path, TEXTS)
    assert [(each["number"], each["title"], each["inbox"]) for each in pending(tmp_path)] == [
        (1, "The pool has 10 connections.", True),
        (2, "Retries wait two seconds.", True),
    ]
    assert "2 cards to review." in memdown(tmp_path, "review").stdout


def test_what_is_kept_moves_out_of_the_inbox(tmp_path: Path) -> None:
    captured(tmp_path, TEXTS)
    before = cards(tmp_path)
    id = str(pending(tmp_path)[1]["id"])
    done = memdown(tmp_path, "review", "keep", id[:8])
    assert f"Kept memories/{id}.md" in done.stdout
    assert cards(tmp_path)[f"memories/{id}.md"] == before[f"memories/inbox/{id}.md"]
    assert [each["number"] for each in pending(tmp_path)] == [1]
    memdown(tmp_path, "undo")
    assert cards(tmp_path) == before


def test_a_captured_card_waits_until_it_is_confirmed_or_committed(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=Ann", "-c", "user.email=ann@example.com"]
    subprocess.run([*git, "init", "-q"], check=True)
    put(tmp_path, f"memories/{ID}.md", CARD)
    captured(tmp_path, TEXTS, settings="")
    first, second = pending(tmp_path)  # the card that a person wrote does not wait
    assert not first["inbox"]
    before = cards(tmp_path)
    memdown(tmp_path, "review", "keep", "1")
    assert [each["id"] for each in pending(tmp_path)] == [second["id"]]
    after = (tmp_path / str(first["path"])).read_text("utf-8")
    assert [line for line in after.splitlines() if line.encode() not in before[str(first["path"])].splitlines()] == [
        next(line for line in after.splitlines() if line.startswith("confirmed: '2"))
    ]
    assert memdown(tmp_path, "check").returncode == 0
    memdown(tmp_path, "undo")
    assert cards(tmp_path) == before
    subprocess.run([*git, "add", str(second["path"])], check=True)
    subprocess.run([*git, "commit", "-qm", "Cards"], check=True)
    assert [each["id"] for each in pending(tmp_path)] == [first["id"]]


def test_what_is_dropped_is_not_captured_again(tmp_path: Path) -> None:
    captured(tmp_path, TEXTS)
    before = cards(tmp_path)
    memdown(tmp_path, "review", "drop", "1", "2")
    assert cards(tmp_path) == {}
    captured(tmp_path, TEXTS)
    assert cards(tmp_path) == {}
    memdown(tmp_path, "undo")
    assert cards(tmp_path) == before


def test_title_text_and_scope_can_be_changed(tmp_path: Path) -> None:
    captured(tmp_path, TEXTS)
    before = cards(tmp_path)
    put(tmp_path, "src/db.py", "")
    memdown(tmp_path, "review", "edit", "1", "--title", "Pool size is 10", "--content", "The pool has 12 connections.")
    memdown(tmp_path, "review", "scope", "1", "file:src/db.py")
    record = Memory(tmp_path).get(str(pending(tmp_path)[0]["id"]))
    assert (record.title, record.body, record.scope) == (
        "Pool size is 10",
        "The pool has 12 connections.",
        "file:src/db.py",
    )
    assert [each.state for each in Memory(tmp_path).cards.verify()] == ["ok", "ok"]
    memdown(tmp_path, "undo")
    memdown(tmp_path, "undo")
    assert cards(tmp_path) == before


def test_a_card_is_merged_into_one_that_says_nearly_the_same(tmp_path: Path) -> None:
    near = f"{TEXTS[0]}\n\n```sh\npool\n\n10\n```"
    captured(tmp_path, [near, f"{TEXTS[0]}\n\nThat was in March."])
    before = cards(tmp_path)
    first, second = pending(tmp_path)
    assert [each["id"] for each in first["similar"]] == [second["id"]]  # type: ignore[attr-defined]
    memdown(tmp_path, "review", "merge", "2", str(first["id"]))
    [left] = Memory(tmp_path).records()
    assert (left.id, left.body) == (first["id"], f"{near}\n\nThat was in March.")
    assert [each.state for each in Memory(tmp_path).cards.verify()] == ["ok"]
    memdown(tmp_path, "undo")
    assert cards(tmp_path) == before


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("keep", "9"), "There is no number 9; 2 cards wait"),
        (("drop", "nobody"), "nobody"),
        (("scope", "1", "file:src/gone.py"), "There is no file 'src/gone.py' here"),
        (("scope", "1", "somewhere"), "is not `global`"),
        (("edit", "1"), "nothing to change"),
        (("edit", "1", "--content", "short"), "at least 10 characters"),
        (("merge", "1", "1"), "cannot be merged with itself"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(tmp_path: Path, args: tuple[str, ...], sentence: str) -> None:
    captured(tmp_path, TEXTS)
    before = cards(tmp_path)
    done = memdown(tmp_path, "review", *args)
    assert done.returncode != 0
    assert sentence in done.stderr
    assert cards(tmp_path) == before
