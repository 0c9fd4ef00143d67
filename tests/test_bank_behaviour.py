"""The behaviour every memory bank has, test by test under the contract's names, seen from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from memdown.dialects.bank.templates import LAYERS
from samples import in_process as memdown
from samples import put

SEVEN = [layer.file for layer in LAYERS]
REQUIRED = ["projectBrief.md", "activeContext.md", "progress.md"]
UPDATE_ORDER = [
    *("progress.md", "activeContext.md", "decisionLog.md", "techContext.md"),
    *("systemPatterns.md", "productContext.md", "projectBrief.md"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project"
    path.mkdir()
    return path


def run(root: Path, *args: str, stdin: str = "") -> Any:
    """What a command answers in JSON; it has to succeed."""
    done = memdown(root, *args, "--json", stdin=stdin)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bank(root: Path) -> dict[str, str]:
    """The files of the bank with their text."""
    folder = root / "memory-bank"
    return {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.is_file()}


def refused(root: Path, *args: str, stdin: str = "") -> str:
    """Why a command is refused; it changes nothing."""
    before = bank(root)
    done = memdown(root, *args, stdin=stdin)
    assert done.returncode in (2, 3), done
    assert done.stdout == ""
    assert bank(root) == before
    return done.stderr


# Initialization


def test_create_memory_bank_for_new_project(project: Path) -> None:
    told = run(project, "init")
    assert told["created"] == [f"memory-bank/{file}" for file in SEVEN]
    found = bank(project)
    assert sorted(found) == sorted(SEVEN)
    for text in found.values():
        assert any(line.startswith("#") for line in text.splitlines())
        assert "[" in text
        assert "]" in text


def test_initialize_with_project_brief(project: Path) -> None:
    brief = "A REST API for managing todo items"
    run(project, "init", "--brief", brief)
    found = bank(project)
    assert brief in found["projectBrief.md"]
    derived = [file for file in SEVEN[1:] if "todo items" in found[file]]
    assert {"productContext.md", "activeContext.md"} <= set(derived)


def test_detect_existing_memory_bank(project: Path) -> None:
    own = "# Project Brief\n\nOurs, as we wrote it.\n"
    put(project, "memory-bank/projectBrief.md", own)
    told = run(project, "init", "--brief", "Something else")
    assert told["kept"] == ["memory-bank/projectBrief.md"]
    assert told["merged"] == told["kept"]
    assert bank(project)["projectBrief.md"] == f"{own}\n## Mission Statement\nSomething else\n"
    assert sorted(bank(project)) == sorted(SEVEN)
    before = bank(project)
    assert run(project, "init")["created"] == []
    assert bank(project) == before
    assert all(each["present"] for each in run(project, "start")["order"])


# Read operations


def test_read_all_files_in_order(project: Path) -> None:
    run(project, "init")
    told = run(project, "start")
    assert [each["file"] for each in told["order"]] == SEVEN
    assert [each["path"] for each in told["order"]] == [f"memory-bank/{file}" for file in SEVEN]
    assert all(each["present"] and each["tokens"] > 0 for each in told["order"])


def test_handle_missing_optional_files(project: Path) -> None:
    for file in REQUIRED:
        put(project, f"memory-bank/{file}", f"# {file[:-3]}\n\n## Current Focus\nThe API.\n")
    told = run(project, "start")
    assert {each["file"] for each in told["order"] if each["present"]} == set(REQUIRED)
    assert told["missing_required"] == []
    assert told["missing_recommended"] == [file for file in SEVEN if file not in REQUIRED]
    assert told["focus"] == "The API."
    assert run(project, "validate")["valid"] is True


def test_handle_empty_memory_bank(project: Path) -> None:
    (project / "memory-bank").mkdir()
    done = memdown(project, "start")
    assert done.returncode == 1
    assert "memdown init" in done.stdout
    assert "Traceback" not in done.stderr
    run(project, "init")
    assert memdown(project, "start").returncode == 0


# Write operations


def test_update_active_context(project: Path) -> None:
    put(
        project,
        "memory-bank/activeContext.md",
        "# Active Context\n\n## Current Focus\nThe old focus.\n\n## Own\nOld.\n",
    )
    said = ("--summary", "The API answers", "--focus", "The new focus.", "--next", "Deploy")
    told = run(project, "end", "--replace", *said)
    assert [each["what"] for each in told["removed"]] == ["section 'Own'"]
    assert told["written"] == ["memory-bank/activeContext.md"]
    text = bank(project)["activeContext.md"]
    assert "The new focus." in text
    assert "old" not in text.lower()
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == [section.heading for section in LAYERS[4].sections]


def test_append_to_decision_log(project: Path) -> None:
    old = "# Decision Log\n\n" + "\n---\n\n".join(
        f"## Decision: Number {number}\n- **Date**: 2026-01-0{number}\n- **Status**: Accepted\n" for number in (1, 2)
    )
    put(project, "memory-bank/decisionLog.md", old)
    run(project, "update", "--decision", "Number 3", "--rationale", "It follows.")
    text = bank(project)["decisionLog.md"]
    assert text.startswith(old)
    assert "## Decision: Number 3\n" in text[len(old) :]


def test_update_progress_checkboxes(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01T12:00:00Z")
    put(
        project,
        "memory-bank/progress.md",
        "# Progress\n\n## Completed\n- [x] Feature W — 2026-01-01\n\n## In Progress\n- [ ] Feature X\n- [ ] Feature Y\n",
    )
    run(project, "update", "--complete", "Feature X")
    assert bank(project)["progress.md"] == (
        "# Progress\n\n## Completed\n- [x] Feature W — 2026-01-01\n- [x] Feature X — 2026-02-01\n\n"
        "## In Progress\n- [ ] Feature Y\n"
    )


# Security


def test_path_traversal_prevention(project: Path) -> None:
    run(project, "init")
    for name in ("../../etc/passwd", "../../../../../../etc/passwd", "/etc/passwd"):
        for command in (("show", name), ("update", "--from", name), ("init", "--brief", f"@{name}")):
            assert "root:" not in refused(project, *command)


def test_file_type_restriction(project: Path) -> None:
    run(project, "init")
    refused(project, "update", "--set", "script.sh", "Build Commands", "rm -rf /")
    refused(project, "update", "--from", "-", stdin='{"sections": {"script.sh": {"Build Commands": "x"}}}')
    assert not list(project.rglob("script.sh"))


def test_project_isolation(project: Path) -> None:
    run(project, "init")
    put(project.parent, "other/memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] A secret of theirs\n")
    put(project.parent, "other/memory-bank/session.json", '{"focus": "A secret of theirs"}')
    for command in (
        ("show", "../other/memory-bank/progress.md"),
        ("update", "--from", "../other/memory-bank/session.json"),
    ):
        assert "secret" not in refused(project, *command)
    assert "secret" not in memdown(project, "start").stdout
    assert "secret" not in memdown(project, "list").stdout


# Session lifecycle


def test_full_session_lifecycle(project: Path) -> None:
    run(project, "init", "--brief", "A REST API for managing todo items")
    assert [each["file"] for each in run(project, "start")["order"]] == SEVEN
    planned = memdown(project, "prompt").stdout
    assert "### Plan Mode" in planned
    assert "### Act Mode" in planned
    assert run(project, "mode", "implement the list of items")["mode"] == "code"
    run(project, "update", "--add", "List of items", "--focus", "The list of items.")
    assert run(project, "start")["in_progress"] == ["List of items"]
    run(project, "update", "--complete", "List of items", "--decision", "Pages of 50")
    said = ("--summary", "Items are listed", "--state", "GET /items answers.", "--next", "POST /items")
    told = run(project, "end", *said, "--close", "what the brief became")
    assert told["written"] == ["memory-bank/activeContext.md"]
    assert told["validation"]["valid"] is True
    after = run(project, "start")
    assert (after["state"], after["next_steps"], after["in_progress"]) == ("GET /items answers.", ["POST /items"], [])


def test_mid_session_update_trigger(project: Path) -> None:
    run(project, "init")
    sections = {
        "projectBrief.md": {"Project Name": "Todo"},
        "productContext.md": {"Target Users": "People with lists."},
        "systemPatterns.md": {"Architecture Overview": "One service."},
        "techContext.md": {"Languages": "- Python 3.12"},
    }
    changes = {"sections": sections, "decisions": [{"title": "One service"}], "focus": "The list.", "add": ["The list"]}
    told = run(project, "update", "--from", "-", stdin=json.dumps(changes))
    assert told["written"] == [f"memory-bank/{file}" for file in UPDATE_ORDER]
    assert run(project, "update", "--next", "Sort the list")["written"] == ["memory-bank/activeContext.md"]
