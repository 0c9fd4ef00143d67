"""One verdict: `check`, `validate`, `status`, `health` and MCP's validation agree, whatever a memory holds."""

import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Ran
from memdown.memory import Memory
from memdown.surfaces.mcp.bank_tools import validate
from memdown.surfaces.mcp.session import McpSession
from repos import Repo
from samples import put

Cli = Callable[..., Ran]
BRIEF, ACTIVE, PROGRESS, TECH = (
    f"memory-bank/{name}.md" for name in ("projectBrief", "activeContext", "progress", "techContext")
)
WHOLE = {
    BRIEF: "# Project Brief\n\n## Mission Statement\nInvoices for craftsmen, offline.\n",
    ACTIVE: "# Active Context\n\n## Current Focus\nThe printing of totals.\n",
    PROGRESS: "# Progress\n\n## In Progress\n- [ ] Print totals\n",
}
CONFLICT = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
ROWS = (
    "# Task Registry\n\n## Active Tasks\n| ID | Title | Status | Priority |\n|---|---|---|---|\n"
    + "| T1 | Print | 🔄 | HIGH |\n" * 2
)
LOG = "# Decisions\n\n### 2026-01-10T09:00:00+0000 [decision] A — b (by: Ann)\n"


@pytest.mark.parametrize(
    ("files", "errors"),
    [
        (WHOLE, 0),
        (WHOLE | {TECH: ""}, 0),
        (WHOLE | {PROGRESS: ""}, 1),
        (WHOLE | {PROGRESS: "no heading\n"}, 1),
        (WHOLE | {ACTIVE: "# Active Context\n\n## Current Focus\nPrinting.\n\n" + CONFLICT}, 3),
        ({BRIEF: WHOLE[BRIEF], TECH: "# Tech Context\n\n## Technologies\n- Python\n"}, 2),
        (WHOLE | {"memory-bank/tasks.md": ROWS}, 1),
    ],
    ids=["whole", "recommended-empty", "required-empty", "no-heading", "conflict", "missing", "journal"],
)
def test_every_command_gives_the_same_verdict(cli: Cli, files: dict[str, str], errors: int) -> None:
    for path, text in files.items():
        put(Path.cwd(), path, text)
    found = [each for each in cli("check", "--json").json() if each["severity"] == "error"]
    validated, checked, health = cli("validate", "--json"), cli("check"), cli("health", "--json")
    fails = int(bool(errors))
    assert len(found) == errors
    assert (checked.code, validated.code, health.code) == (fails, fails, fails)
    assert validated.json()["valid"] is not bool(errors)
    assert [each for each in validated.json()["findings"] if each["severity"] == "error"] == found
    assert len([each for each in health.json() if each["severity"] == "error"]) == errors
    warned = [each for each in cli("check", "--json").json() if each["severity"] == "warning"]
    assert len([each for each in health.json() if each["severity"] == "warning"]) == len(warned)
    assert cli("status", "--json").json()["findings"]["error"] == errors
    assert ("is not valid" if errors else "is valid") in cli("validate").out.splitlines()[-1]
    with closing(McpSession(str(Path.cwd()), None)) as session:
        assert validate(session, {"projectPath": str(Path.cwd())})["valid"] is not bool(errors)


def test_settings_count_for_every_command(cli: Cli) -> None:
    for path, text in (WHOLE | {PROGRESS: ""}).items():
        put(Path.cwd(), path, text)
    put(Path.cwd(), "memdown.toml", '[check]\nignore = ["BNK004"]\n')
    assert [cli(command).code for command in ("check", "validate", "health")] == [0, 0, 0]
    put(Path.cwd(), "memdown.toml", '[check]\nignore = ["BNK004"]\nstrict = true\n')
    put(Path.cwd(), TECH, "```\nnever closed\n")
    assert [cli(command).code for command in ("check", "validate", "health")] == [1, 1, 1]


def test_health_does_not_hide_what_else_is_wrong(cli: Cli) -> None:
    put(Path.cwd(), BRIEF, "# Brief\n\n" + CONFLICT)
    ran = cli("health")
    assert (ran.code, "other" in ran.out, "No problems" in ran.out) == (1, True, False)


def test_no_memory_is_said_with_what_to_do(cli: Cli) -> None:
    for command in ("check", "status", "health", "validate"):
        ran = cli(command)
        assert f"in {Path.cwd()}. Run `memdown init`" in ran.out
        assert ran.code == int(command == "validate")


def test_a_folder_without_one_of_the_seven_is_told_so(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/plan.md", "# Plan\n\nShips in May.\n")
    ran = cli("validate")
    assert (ran.code, ran.out) == (
        1,
        "None of the seven files of a memory bank is here; `memdown init` creates them.\n",
    )


# Layouts

ROO = ("productContext.md", "activeContext.md", "systemPatterns.md", "decisionLog.md", "progress.md")
CLINE = (
    "projectbrief.md",
    "productContext.md",
    "activeContext.md",
    "systemPatterns.md",
    "techContext.md",
    "progress.md",
)
KILO = ("brief.md", "product.md", "context.md", "architecture.md", "tech.md")


@pytest.mark.parametrize(("layout", "names"), [("roo", ROO), ("cline", CLINE), ("kilo", KILO)])
def test_what_a_layout_does_not_have_is_not_missing(tmp_path: Path, layout: str, names: tuple[str, ...]) -> None:
    for name in names:
        put(tmp_path, f"memory-bank/{name}", "# A title\n\n## Overview\nText.\n")
    with Memory.open(tmp_path) as memory:
        found = memory.bank.validate()
        assert (found.layout, found.missing_required, found.missing_recommended) == (layout, [], [])
        assert not {"BNK001", "BNK002"} & {each.code for each in found.findings}
        (tmp_path / f"memory-bank/{'product.md' if layout == 'kilo' else 'productContext.md'}").unlink()
    with Memory.open(tmp_path) as memory:
        assert memory.bank.validate().missing_recommended == ["productContext.md"]


def test_a_canonical_bank_without_its_brief_is_no_other_layout(tmp_path: Path) -> None:
    for name in (*ROO, "techContext.md"):
        put(tmp_path, f"memory-bank/{name}", "# A title\n")
    with Memory.open(tmp_path) as memory:
        assert memory.bank.validate().missing_required == ["projectBrief.md"]


def test_a_journal_needs_no_bank_beside_it(cli: Cli) -> None:
    put(Path.cwd(), ACTIVE, WHOLE[ACTIVE])
    assert cli("check").code == 1
    put(Path.cwd(), "memory-bank/edit_history.md", "# Edit History\n")
    assert (cli("check").code, cli("validate").code) == (0, 0)


# Quiet


def test_a_rule_is_told_once_for_each_file(cli: Cli) -> None:
    text = "".join(f"\n## Decision: {name}\n- **Rationale**: Because.\n" for name in "ABC")
    put(Path.cwd(), "memory-bank/decisionLog.md", f"# Decision Log\n{text}\n## Decision: D\n- **Date**: 2026-02-01\n")
    selected = cli("check", "--select", "BNK030", "--json").json()
    assert len(selected) == 3
    lines = [line for line in cli("check").out.splitlines() if "BNK030" in line]
    assert len(lines) == 1
    assert lines[0].startswith("memory-bank/decisionLog.md:3:1: warning BNK030 ")
    assert lines[0].endswith("(and 2 more in this file)")
    assert len([line for line in cli("check", "--all").out.splitlines() if "BNK030" in line]) == 3


def test_a_log_where_no_decision_has_a_date_is_told_once_for_all_of_them(cli: Cli) -> None:
    text = "".join(f"\n## Decision: {name}\n- **Rationale**: Because.\n" for name in "ABC")
    put(Path.cwd(), "memory-bank/decisionLog.md", f"# Decision Log\n{text}")
    [found] = cli("check", "--select", "BNK030", "--json").json()
    assert (found["line"], found["severity"]) == (3, "info")
    assert found["message"].startswith("None of the 3 decisions of this file has a date; ")


def test_a_month_for_a_day_and_a_status_in_words_of_its_own_are_notes(cli: Cli) -> None:
    entries = (
        ("A", "2026-02 (inception)", "Accepted"),
        ("B", "soon", "Cool"),
        ("C", "2026-02-01", "Resolved, see docs"),
    )
    text = "".join(
        f"\n## Decision: {name}\n- **Date**: {date}\n- **Status**: {status}\n" for name, date, status in entries
    )
    put(Path.cwd(), "memory-bank/decisionLog.md", f"# Decision Log\n{text}")
    found = cli("check", "--select", "BNK030,BNK032", "--json").json()
    assert [(each["line"], each["code"], each["severity"]) for each in found] == [
        (3, "BNK030", "info"), (7, "BNK030", "warning"), (7, "BNK032", "warning"), (11, "BNK032", "info"),
    ]  # fmt: skip
    assert "has the date 'soon', which is not a valid day; write `- **Date**: YYYY-MM-DD`." in found[1]["message"]


def test_info_is_shown_by_all_alone(cli: Cli) -> None:
    for path, text in WHOLE.items():
        put(Path.cwd(), path, text.rstrip("\n"))
    shown, every = cli("check"), cli("check", "--all")
    assert ("info" in shown.out, " info MD006 " in every.out) == (False, True)
    assert shown.out.startswith("All checks passed (3 files). ")
    assert "use --all to show" in shown.out
    assert any(each["severity"] == "info" for each in cli("check", "--json").json())


# Profiles of journals

HISTORY = "memory-bank/edit_history.md"
HEAD = (
    "# Edit History\n*Created: 2026-01-05 09:00:00 UTC*\n*Last Updated: 2026-01-05 10:00:00 UTC*\n\n### 2026-01-05\n\n"
)
STRICT = "#### 10:00:00 UTC - T1: Parser\n" + "".join(f"- Created `src/a{number}.py` - Reads\n" for number in range(40))


def severities(cli: Cli, text: str, profile: str | None = None) -> dict[str, str]:
    put(Path.cwd(), HISTORY, HEAD + text)
    if profile:
        put(Path.cwd(), "memdown.toml", f'[journal]\nprofile = "{profile}"\n')
    return {each["code"]: each["severity"] for each in cli("check", "--select", "JNL03", "--json").json()}


def test_a_journal_shows_which_profile_it_keeps_to(cli: Cli) -> None:
    slip, words = "- Created `b.py`- Reads\n", "- Added `c.py` — Reads\n- Deleted `d.py` - Unused\n"
    assert severities(cli, STRICT) == {}
    assert severities(cli, STRICT + slip + words) == {
        "JNL035": "warning",
        "JNL036": "info",
        "JNL031": "info",
        "JNL032": "info",
    }
    assert severities(cli, STRICT.replace("` - ", "` — ")) == {"JNL036": "info"}
    assert set(severities(cli, STRICT + slip + words, "1.0").values()) == {"error"}


def test_a_finding_of_a_journal_names_the_text_and_what_to_write(cli: Cli) -> None:
    put(Path.cwd(), HISTORY, f"{HEAD}#### 9:30 UTC - T1: Parser\n- Created `b.py` — Reads\n")
    assert [each["message"] for each in cli("check", "--select", "JNL021,JNL036", "--json").json()] == [
        "The hour of '9:30' has one digit; write '09:30'.",
        "The line '- Created `b.py` — Reads' has another dash than a hyphen after the path; "
        "write '- Created `b.py` - Reads'.",
    ]


# What is no fault


def test_what_is_put_away_is_not_worth_a_warning(cli: Cli) -> None:
    for path in ("memory-bank/progress.md", "memory-bank/archive/progress-2025.md"):
        put(Path.cwd(), path, "# Progress\n\n```\nnever closed\n\n## Upcoming\n")
    found = {each["path"]: each["severity"] for each in cli("check", "--select", "MD020", "--json").json()}
    assert found == {"memory-bank/progress.md": "warning", "memory-bank/archive/progress-2025.md": "info"}


def test_a_label_that_names_both_days_agrees_with_the_heading(cli: Cli) -> None:
    entry = "### 2026-08-02: Hints\n\n**Date:** 2026-03-29{}\n**By:** Ann\n\nText.\n"
    for more, codes in (("", ["SEM017"]), ("T21-13-50Z (reviewed 2026-08-02)", [])):
        put(Path.cwd(), ".squad/decisions.md", f"# Decisions\n\n{entry.format(more)}")
        assert [each["code"] for each in cli("check", "--select", "SEM017", "--json").json()] == codes


def test_a_label_in_another_language_says_which_number_is_the_day(cli: Cli) -> None:
    for label, codes in (("Date", ["MD024"]), ("Fecha", []), ("Datum", [])):
        put(
            Path.cwd(),
            "memory-bank/decisionLog.md",
            f"# Log\n\n## Decision: Use SQLite\n- **{label}:** 03/05/2025\n- **Status**: Accepted\n",
        )
        assert [each["code"] for each in cli("check", "--select", "MD024", "--json").json()] == codes
    assert cli("list", "kind:decision", "--json").json()[0]["at"].startswith("2025-05-03")


def test_an_empty_file_beside_a_journal_is_no_error(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/progress.md", "")
    (found,) = cli("check", "--select", "BNK004", "--json").json()
    assert (found["severity"], "run `memdown init`" in found["message"]) == ("error", True)
    put(Path.cwd(), HISTORY, HEAD)
    (found,) = cli("check", "--select", "BNK004", "--json").json()
    assert (found["severity"], "delete it" in found["message"]) == ("warning", True)


def test_a_task_that_nobody_works_at_needs_no_file(cli: Cli) -> None:
    rows = "| T1 | Parser | 🔄 | HIGH | - |\n| T2 | Later | ⬜ Deferred | LOW | - |\n| T3 | Lexer | 🔄 | HIGH | - |\n"
    head = "# Tasks\n\n| ID | Title | Status | Priority | Dependencies |\n|---|---|---|---|---|\n"
    put(Path.cwd(), "memory-bank/tasks.md", head + rows)
    put(Path.cwd(), "memory-bank/tasks/T1.md", "# T1: Parser\n\n**Status**: 🔄 In Progress\n")
    found = cli("check", "--select", "JNL072", "--json").json()
    assert [(each["line"], each["severity"]) for each in found] == [(6, "info"), (7, "warning")]


def test_a_block_that_shows_how_to_edit_is_no_conflict(cli: Cli) -> None:
    put(Path.cwd(), BRIEF, "# Brief\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n")
    assert cli("check", "--select", "MD022", "--json").json() == []
    assert cli("resolve", "--dry-run", "--json").json()["resolved"] == []
    put(Path.cwd(), BRIEF, f"# Brief\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n\n{CONFLICT}")
    assert [each["line"] for each in cli("check", "--select", "MD022", "--json").json()] == [9, 11, 13]


def test_a_rule_is_told_in_ten_files(cli: Cli) -> None:
    for number in range(13):
        put(Path.cwd(), f"memory-bank/notes/n{number:02}.md", "# Notes\n\n```\nnever closed\n\n## Upcoming\n")
    lines = cli("check").out.splitlines()
    assert len([line for line in lines if " MD020 " in line]) == 10
    assert "MD020: 3 more files; use --all to show them." in lines


def test_a_project_that_rests_is_not_asked_what_it_works_on(cli: Cli) -> None:
    put(Path.cwd(), ACTIVE, "# Active Context\n\n## Recent Changes\n- Paging — 2025-02-01\n")
    old = ("check", "--select", "BNK057")
    assert "2025-02-01" in cli(*old).out
    repo = Repo(Path.cwd())
    repo.commit("one")
    assert "BNK057" not in cli(*old).out
    put(Path.cwd(), "paging.py", "")
    repo.commit("two")
    assert "2025-02-01" in cli(*old).out


def test_another_document_of_a_name_that_layouts_have_is_no_second_one(cli: Cli) -> None:
    put(Path.cwd(), ACTIVE, WHOLE[ACTIVE])
    for path, told in (("memory-bank/CONTEXT.md", False), ("memory-bank/context.md", True)):
        put(Path.cwd(), path, "# All that there is to know\n\n## Next Steps\nPhase two.\n")
        assert ("BNK003" in cli("check").out) is told
        Path(path).unlink()


def test_sections_in_the_words_of_a_project_are_not_worth_a_warning(cli: Cli) -> None:
    said = "Pagamentos vão por uma fila, e cada um tem um recibo.\n" * 4
    for text, severity in ((f"# Padrões\n\n## Pagamentos\n{said}", "info"), ("# Ours\n\nSee the wiki.\n", "warning")):
        put(Path.cwd(), "memory-bank/systemPatterns.md", text)
        assert [each["severity"] for each in cli("check", "--select", "BNK006", "--json").json()] == [severity]


def test_code_that_ends_with_its_file_hides_nothing(cli: Cli) -> None:
    for rest, severity in (("graph TD\n", "info"), ("graph TD\n\n## Next Steps\nPrinting.\n", "warning")):
        put(Path.cwd(), "memory-bank/systemPatterns.md", f"# System Patterns\n\n```mermaid\n{rest}")
        assert [each["severity"] for each in cli("check", "--select", "MD020", "--json").json()] == [severity]


def test_files_of_a_layout_without_sections_need_none(cli: Cli) -> None:
    for name in ("brief", "product", "architecture", "tech", "context"):
        put(Path.cwd(), f".kilocode/rules/memory-bank/{name}.md", f"# {name.title()}\n\nAn HTTP client.\n")
    assert cli("check").out.startswith("All checks passed (5 files).")


def test_a_repeated_section_names_the_first_and_says_something(cli: Cli) -> None:
    twice = "## Paging\n\nLists are read in pages of fifty, by a cursor.\n\n"
    put(Path.cwd(), "memory-bank/notes/one.md", f"# Notes\n\n{twice}## Other\n\nAnother text.\n\n{twice}")
    put(
        Path.cwd(),
        "memory-bank/notes/two.md",
        "# Log\n\n" + "## Entries\n<!-- Append what was decided here -->\n\n" * 2,
    )
    (found,) = cli("check", "--select", "MRG003", "--json").json()
    assert found["message"] == "'## Paging' repeats line 3, word for word; keep one of the two."


def test_what_a_shell_ate_is_named(cli: Cli) -> None:
    put(Path.cwd(), BRIEF, "# Brief\n\nSee \x07pp.css and \x07 the end.\nAnd \x01.\n")
    first, second = (each["message"] for each in cli("check", "--select", "MD002", "--json").json())
    assert first.endswith(r"' is what a shell makes of `\a`; restore what it was.")
    assert second.endswith("' cannot be seen; remove it.")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_files_passed_over_for_one_reason_are_one_line(cli: Cli) -> None:
    put(Path.cwd(), BRIEF, WHOLE[BRIEF])
    for minute in range(4):
        put(Path.cwd(), f"memory-bank/log/10:0{minute}.md", "# Log\n")
    told = [line for line in cli("status").err.splitlines() if "colon" in line]
    assert len(told) == 1
    assert "(so are 3 more, as 'memory-bank/log/10:0" in told[0]
