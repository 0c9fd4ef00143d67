"""The memory bank of a project: files by any name, operations through the library and the command line, validation."""

import json
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from memdown.dialects.bank.templates import LAYERS, render
from memdown.dialects.bank.write import Active, DecisionFields
from memdown.errors import Ambiguous, Invalid, Refused
from memdown.memory.bank.operations import BankResult
from samples import put

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def open_bank(root: Path) -> Memory:
    return Memory(root, now=lambda: NOW)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    for layer in LAYERS:
        put(tmp_path, f"memory-bank/{layer.file}", render(layer))
    return tmp_path


def text(root: Path, file: str) -> str:
    return (root / "memory-bank" / file).read_bytes().decode()


def test_the_name_on_disk_is_kept(tmp_path: Path) -> None:
    put(tmp_path, "docs/memory-bank/active_context.md", "# Active Context\n\n## Current Focus\nx\n")
    assert open_bank(tmp_path).bank.focus("y") == BankResult("docs/memory-bank/active_context.md", 4, True)
    assert not (tmp_path / "memory-bank").exists()


def test_the_canonical_name_wins_over_another(tmp_path: Path) -> None:
    for name in ("brief.md", "projectBrief.md", "project_brief.md"):
        put(tmp_path, f"memory-bank/{name}", "# x\n")
    memory = open_bank(tmp_path)
    assert memory.bank.files() == {"projectBrief.md": "memory-bank/projectBrief.md"}
    codes = [each.code for each in memory.bank.validate().findings]
    assert codes.count("BNK003") == 2


def test_every_operation_answers_with_its_place(full: Path) -> None:
    bank = open_bank(full).bank
    acts: list[Callable[[], BankResult]] = [
        lambda: bank.focus("The import."),
        lambda: bank.state("It works."),
        lambda: bank.add_change("Reads sheets"),
        lambda: bank.add_active_decision("A or B"),
        lambda: bank.add_question("Which?"),
        lambda: bank.add_blocker("No key"),
        lambda: bank.add_next_step("Test"),
        lambda: bank.add_item("Import"),
        lambda: bank.add_item("Export", to="upcoming"),
        lambda: bank.start_item("export"),
        lambda: bank.complete("import"),
        lambda: bank.note_issue("Rounding"),
        lambda: bank.note_debt("Two parsers"),
        lambda: bank.resolve("round"),
        lambda: bank.add_milestone("Phase 1: Import", status="Planned", summary="Reads."),
        lambda: bank.set_milestone("phase 1", "Complete"),
        lambda: bank.add_decision("Use A", DecisionFields(rationale="Small.")),
        lambda: bank.supersede_decision("use a", "Use B"),
    ]
    for act in acts:
        done = act()
        assert done.changed
        assert text(full, done.path.rpartition("/")[2]).splitlines()[done.line - 1].strip()
    assert "- Reads sheets — 2026-02-01\n" in text(full, "activeContext.md")
    assert text(full, "progress.md").startswith(
        "# Progress\n\n## Completed\n- [x] Import — 2026-02-01\n- [x] Rounding — 2026-02-01\n\n"
        "## In Progress\n- [ ] Export\n\n## Known Issues\n\n## Technical Debt\n- Two parsers\n"
    )
    assert text(full, "decisionLog.md") == (
        "# Decision Log\n\n## Decision: Use A\n- **Date**: 2026-02-01\n- **Status**: Superseded by Use B\n"
        "- **Rationale**: Small.\n\n---\n\n## Decision: Use B\n- **Date**: 2026-02-01\n- **Status**: Accepted\n"
        "- **Supersedes**: Use A\n"
    )


def test_saying_the_same_again_changes_nothing(full: Path) -> None:
    bank = open_bank(full).bank
    assert bank.focus("The import.").changed
    assert not bank.focus("The import.").changed


def test_replacing_really_replaces(full: Path) -> None:
    bank = open_bank(full).bank
    bank.focus("Old words")
    assert bank.replace_active(Active(focus="New words", blockers=("No key",))).changed
    assert "Old words" not in text(full, "activeContext.md")
    assert not bank.replace_active(Active(focus="New words", blockers=("No key",))).changed


def test_an_ambiguous_match_writes_nothing(full: Path) -> None:
    bank = open_bank(full).bank
    bank.add_item("Import of a")
    bank.add_item("Import of b")
    before = text(full, "progress.md")
    with pytest.raises(Ambiguous):
        bank.complete("import")
    assert text(full, "progress.md") == before


def test_what_an_open_fence_would_hide_is_refused(tmp_path: Path) -> None:
    log = put(tmp_path, "memory-bank/decisionLog.md", "# Decision Log\n\n```\nnever closed\n")
    with pytest.raises(Refused, match="code fence"):
        open_bank(tmp_path).bank.add_decision("Use A")
    assert log.read_text() == "# Decision Log\n\n```\nnever closed\n"


def test_dates_are_dates(full: Path) -> None:
    bank = open_bank(full).bank
    bank.add_decision("Use A", date="2025-12-24")
    assert "- **Date**: 2025-12-24\n" in text(full, "decisionLog.md")
    with pytest.raises(Invalid):
        bank.add_decision("Use B", date="soon")
    with pytest.raises(Invalid):
        bank.add_item("x", to="nowhere")


# Validation


def test_templates_are_valid_but_not_filled_in(full: Path) -> None:
    found = open_bank(full).bank.validate()
    assert (found.valid, found.missing_required, found.missing_recommended) == (True, [], [])
    assert {each.code for each in found.findings} == {"BNK007"}


@pytest.mark.parametrize(("content", "valid"), [("# x\n", True), ("", False), ("  \n", False), ("no heading\n", False)])
def test_a_required_file_says_something_below_a_heading(full: Path, content: str, valid: bool) -> None:
    put(full, "memory-bank/progress.md", content)
    assert open_bank(full).bank.validate().valid is valid


def git(root: Path, *args: str) -> None:
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *name, *args], cwd=root, check=True, capture_output=True)


def test_a_log_that_lost_a_decision_is_told(full: Path) -> None:
    bank = open_bank(full).bank
    bank.add_decision("Use A", DecisionFields(rationale="r"))
    bank.add_decision("Use B", DecisionFields(rationale="r"))
    git(full, "init", "-q")
    git(full, "add", "-A")
    git(full, "commit", "-q", "-m", "x")
    bank.supersede_decision("Use A", "Use C", DecisionFields(rationale="r"))
    assert "BNK037" not in {each.code for each in bank.validate().findings}
    put(full, "memory-bank/decisionLog.md", "# Decision Log\n\n## Decision: Use B\n- **Date**: 2026-02-01\n")
    lost = [each for each in bank.validate().findings if each.code == "BNK037"]
    assert [(each.severity, each.message) for each in lost] == [
        ("error", "The decision 'Use A' of the last commit is gone; the log is append-only, so restore it.")
    ]


# Command line


def test_commands_answer_in_json(cli: Cli) -> None:
    done = cli("bank", "add-item", "Feature X", "--json").json()
    assert done == {"path": "memory-bank/progress.md", "line": 4, "changed": True, "removed": [], "undo": 1}
    assert cli("bank", "complete", "feature x", "--json").json()["line"] == 4
    assert Path("memory-bank/progress.md").read_text() == (
        "# Progress\n\n## Completed\n- [x] Feature X — 2026-02-01\n\n## In Progress\n"
    )
    again = cli("bank", "complete", "Feature X")
    assert (again.code, again.err) == (1, "memdown: No open item matches 'Feature X'.\n")


def test_decisions_from_the_command_line(cli: Cli) -> None:
    args = ("--context", "c", "--option", "A", "--option", "B", "--selected", "A", "--trade-offs", "t", "--json")
    assert cli("bank", "add-decision", "Use A", *args).json()["line"] == 3
    assert cli("bank", "supersede-decision", "Use A", "Use B", "--json").json()["changed"] is True
    assert "  1. A\n  2. B\n" in Path("memory-bank/decisionLog.md").read_text()
    assert cli("bank", "supersede-decision", "Use A", "Use C").code == 3


def test_a_mode_refuses_what_it_does_not_write(cli: Cli) -> None:
    ran = cli("bank", "--mode", "debug", "add-item", "Feature X")
    assert (ran.code, ran.err) == (
        3,
        "memdown: The mode debug does not write progress.md; it writes activeContext.md.\n",
    )
    assert cli("bank", "--mode", "ask", "replace-active", stdin="{}").code == 3
    assert not Path("memory-bank").exists()
    assert cli("bank", "--mode", "debug", "focus", "The crash of the import.").code == 0
    assert cli("bank", "--mode", "architect", "add-decision", "Use A").code == 0


def test_an_active_context_from_json(cli: Cli) -> None:
    given = json.dumps({"focus": "f", "next_steps": ["n"]})
    assert cli("bank", "replace-active", "--json", stdin=given).json()["changed"] is True
    assert cli("bank", "replace-active", stdin="{").code == 2
    assert cli("bank", "replace-active", stdin='{"foo": 1}').code == 2


def test_validate_has_its_keys(cli: Cli) -> None:
    Path("memory-bank").mkdir()
    ran = cli("validate", "--json")
    assert ran.code == 1
    assert ran.json() == {
        "valid": False,
        "missingRequired": ["projectBrief.md", "activeContext.md", "progress.md"],
        "missingRecommended": ["productContext.md", "systemPatterns.md", "techContext.md", "decisionLog.md"],
        "layout": "canonical",
        "findings": [],
    }
    for file in ("projectBrief.md", "activeContext.md", "progress.md"):
        put(Path.cwd(), f"memory-bank/{file}", "# x\n")
    ran = cli("validate", "--json")
    assert (ran.code, ran.json()["valid"]) == (0, True)


def test_some_files_do_not_miss_the_others(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] Import of a — 2026-01-01\n")
    assert cli("check", "memory-bank/progress.md", "--json").json() == []
    assert {each["code"] for each in cli("check", "--json").json()} == {"BNK001", "BNK002"}


def test_the_budget_says_that_there_is_no_bank(cli: Cli) -> None:
    ran = cli("budget")
    assert (ran.code, ran.out) == (
        0,
        "Budget counts the files of a memory bank, and there is none here; `memdown init` creates one.\n",
    )
    assert cli("budget", "--json").json() == []


def test_the_budget(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/progress.md", "# Progress\n\n" + "word " * 1497)
    assert cli("budget", "--json").json() == [
        {
            "file": "progress.md",
            "path": "memory-bank/progress.md",
            "tokens": 1500,
            "limit": 1000,
            "suggestions": [{"line": 1, "does": "shorten 'Progress', 1,500 tokens, to half", "tokens": 750}],
        }
    ]
    assert "above 1,000" in cli("budget").out


_LOG = """\
# Decision Log

## Decision: Use SQLite
- **Date**: 2026-01-05
- **Status**: Accepted

---

## ADR-007: Cache prices for a day
- **Date**: 2026-01-06
- **Status**: Accepted

---

## Decision: Use SQLite
- **Date**: 2026-01-07
- **Status**: Accepted
"""
_BY = {
    "bank supersede-decision": ("bank", "supersede-decision", "OLD", "Something new"),
    "update": ("update", "--decision", "Something new", "--supersedes", "OLD"),
    "end": ("end", "--summary", "S", "--decision", "Something new", "--supersedes", "OLD"),
    "add": ("add", "decision", "Something new", "--supersedes", "OLD"),
}


@pytest.mark.parametrize("command", _BY)
def test_what_is_superseded_is_named_as_list_names_it(cli: Cli, command: str) -> None:
    assert cli("init").code == 0
    log = Path("memory-bank/decisionLog.md")
    log.write_text(_LOG, "utf-8", newline="")
    listed = cli("list", "--type", "decision").out.splitlines()
    [short] = [line.split()[0] for line in listed if "Cache" in line]
    [id] = [each["id"] for each in cli("list", "--type", "decision", "--json").json() if "Cache" in each["title"]]
    for name in (id, short, short[:4], "Cache prices for a day", "cache prices", "ADR-007"):
        log.write_text(_LOG, "utf-8", newline="")
        done = cli(*(name if word == "OLD" else word for word in _BY[command]))
        assert done.code == 0, done
        assert log.read_text("utf-8").startswith(
            _LOG.replace("2026-01-06\n- **Status**: Accepted", "2026-01-06\n- **Status**: Superseded by Something new")
        )


@pytest.mark.parametrize("command", [("list",), ("show", "ADR-007"), ("search", "prices"), ("timeline",)])
def test_a_deprecated_decision_is_not_called_superseded(cli: Cli, command: tuple[str, ...]) -> None:
    assert cli("init").code == 0
    Path("memory-bank/decisionLog.md").write_text(_LOG, "utf-8", newline="")
    assert cli("edit", "ADR-007", "--status", "Deprecated").code == 0
    out = cli(*command).out
    assert "[deprecated]" in out
    assert "[superseded]" not in out


@pytest.mark.parametrize("command", ["bank supersede-decision", "update", "end"])
def test_of_two_decisions_with_one_title_the_id_tells_which(cli: Cli, command: str) -> None:
    assert cli("init").code == 0
    log = Path("memory-bank/decisionLog.md")
    log.write_text(_LOG, "utf-8", newline="")
    ids = [each["id"] for each in cli("list", "--type", "decision", "--json").json() if each["title"] == "Use SQLite"]
    assert cli(*("Use SQLite" if word == "OLD" else word for word in _BY[command])).code != 0
    assert cli(*(ids[0] if word == "OLD" else word for word in _BY[command])).code == 0
    [line] = [line for line in log.read_text("utf-8").splitlines() if "Superseded" in line]
    assert line == "- **Status**: Superseded by Something new"
