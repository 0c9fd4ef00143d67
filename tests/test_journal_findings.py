"""Nothing of a journal is lost in silence: what looks like entries, what a head lacks, marks that others do not read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.acts.check import engine
from memdown.dialects import parse

Cli = Callable[..., Ran]
HISTORY = "memory-bank/edit_history.md"
HEAD = "# Edit History\n*Created: 2025-12-01 10:00:00 UTC*\n*Last Updated: 2025-12-05 14:30:15 UTC*\n\n"
ENTRY = "### 2025-12-05\n\n#### 14:30:15 UTC - T21: Viewer\n- Created `a.js` - New\n"


def put(name: str, text: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text, encoding="utf-8")


def told(text: str, path: str = HISTORY) -> list[tuple[int, str]]:
    document = parse(path, text)
    found = engine.check([document], engine.Selection(select=("JNL",)))
    return [(document.lines.at(each.span.start) + 1, each.name) for each in found]


def test_a_history_without_its_marks_is_a_finding_for_each_block(cli: Cli) -> None:
    days = "".join(
        f"2025-11-{day:02}\n\n1{day % 10}:30:15 IST - T{day}: Viewer\nCreated `a{day}.js` - New\nModified `b.js` - Old\n\n"
        for day in range(1, 30)
    )
    put(HISTORY, HEAD + days)
    ran = cli("check", "--json")
    found = [each for each in ran.json() if each["code"] == "JNL047"]
    assert (ran.code, len(found)) == (1, 58)
    assert cli("read", HISTORY).out.splitlines()[0].endswith("116 diagnostic")


def test_lines_without_marks_below_an_entry_are_a_finding_too() -> None:
    stripped = "\n15:00:00 UTC - T22: Lost\nCreated `b.js` - New\n"
    assert told(HEAD + ENTRY + stripped) == [(10, "prose-line"), (10, "entries-unread"), (11, "prose-line")]
    assert told(HEAD + ENTRY + "\n```\n15:00:00 UTC - T22: Shown\n```\n") == []


@pytest.mark.parametrize(
    "block",
    [
        "2026-06-19 08:12:00 — T1: Lost",
        "2026-06-19T08:12 UTC - Lost",
        "April 20, 2025",
        "2025/11/30",
        "[Copied] `a.js` — From there",
        "**9:05 AM** - Lost",
    ],
)
def test_other_spellings_without_marks_are_told_too(block: str) -> None:
    assert told(f"{HEAD}{block}\n") == [(5, "entries-unread")]
    assert told(f"{HEAD}As of April 20, 2025 nothing is lost at 9:05, see `a.js`.\n") == []


TASKS, ERRORS = (HEAD.replace("Edit History", title) for title in ("Task Registry", "Error Log"))


def test_errors_and_rows_without_their_marks_are_told(cli: Cli) -> None:
    fields = "**File:** `a.js`\n**Error:** `x`\n"
    log = f"{ERRORS}2025-08-23 21:40 UTC: T5 - Lost\n{fields}\n2025-08-22: Lost too\n{fields}"
    assert told(log, "memory-bank/errorLog.md") == [(5, "entries-unread"), (9, "entries-unread")]
    rows = f"{TASKS}## Active Tasks\n\nID Title Status Priority Started\nT1 Parser 🔄 HIGH 2025-12-05\nT2 Viewer ⬜ LOW 2025-12-05\n"
    assert told(rows, "memory-bank/tasks.md") == [(8, "entries-unread")]
    put("memory-bank/tasks.md", rows)
    assert cli("read", "memory-bank/tasks.md").out.splitlines()[0].endswith("2 diagnostic")
    assert told(f"{TASKS}As of 2025-12-05 T1 is 🔄.\n", "memory-bank/tasks.md") == []


def test_a_table_without_bars_at_its_ends_is_a_table() -> None:
    text = "ID | Title | Status | Priority\n--- | --- | --- | ---\nT1 | Parser | ✅ | HIGH\nT2 | View\\|er | 🔄 | LOW\n"
    found = parse("memory-bank/tasks.md", f"{TASKS}## Active Tasks\n\n{text}\nT3 | x\n").records
    assert [(each.title, each.status) for each in found] == [
        ("Parser", "completed"),
        ("View|er", "in_progress"),
        ("x", None),
    ]


def test_prose_under_an_error_counts_as_diagnostic(cli: Cli) -> None:
    put(HISTORY, "# Edit History\n\n- Created `a.js` - Outside of any entry\n\nSome prose.\n")
    assert cli("read", HISTORY).out.splitlines()[0].endswith("2 prose, 2 blank, 1 diagnostic")


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("", [(1, "head-missing")]),
        ("# Edit History\n\n", [(1, "head-missing")]),
        (HEAD.replace("2025-12-01 10:00:00 UTC", "yesterday"), [(2, "stamp-form")]),
        (HEAD.replace("2025-12-01", "2025-13-01"), [(2, "stamp-form")]),
        (HEAD.replace("10:00:00 UTC", "10:00:00"), [(2, "stamp-form")]),
        (HEAD, []),
    ],
)
def test_the_head_of_a_file(head: str, found: list[tuple[int, str]]) -> None:
    assert told(head + ENTRY) == found


@pytest.mark.parametrize(("mark", "fixed"), [("*", "-"), ("+", "-"), ("1.", "1.")])
def test_other_marks_than_a_dash(cli: Cli, mark: str, fixed: str) -> None:
    text = HEAD + ENTRY.replace("- Created", f"{mark} Created")
    assert told(text) == [(8, "mod-bullet-mark")]
    put(HISTORY, text)
    cli("check", "--all", "--fix")
    assert f"\n{fixed} Created `a.js` - New\n" in Path(HISTORY).read_text("utf-8")


def test_an_entry_of_a_task_that_nobody_knows(cli: Cli) -> None:
    put(HISTORY, HEAD + ENTRY)
    assert "JNL066" not in cli("check").out
    put("memory-bank/tasks/T3.md", "# T3: Parser\n\n**Status**: 🔄 In Progress\n")
    assert "There is no task T21" in cli("check").out


def test_an_arrow_between_two_names_is_no_dash(cli: Cli) -> None:
    text = HEAD + ENTRY + "- Fixed `old_name` → `new_name` in the parser\n- Modified `a.js` → faster\n"
    put(HISTORY, text)
    cli("check", "--all", "--fix")
    after = Path(HISTORY).read_text("utf-8")
    assert "- Fixed `old_name` → `new_name` in the parser\n" in after
    assert "- Modified `a.js` - faster\n" in after


def test_double_back_ticks_and_closing_hashes() -> None:
    text = HEAD + ENTRY.replace("`a.js`", "``a.js``").replace("Viewer", "Viewer ####").replace("12-05\n", "12-05 ###\n")
    edit, modification = parse(HISTORY, text).records
    assert (edit.title, edit.at and edit.at.text) == ("Viewer", "2025-12-05 14:30:15 UTC")
    assert (modification.extra["file_path"], modification.body) == ("a.js", "New")
    told = [each.message for each in engine.check([parse(HISTORY, text)], engine.Selection(), whole=False)]
    assert "Write the path 'a.js' in single backticks." in told
    once = engine.fixed(parse(HISTORY, text), engine.Selection(), parse)
    assert once.text == HEAD + ENTRY


# States, ids and chunks


def registry(status: str) -> str:
    header = "| ID | Title | Status | Priority | Started | Dependencies | Details |\n|--|--|--|--|--|--|--|\n"
    return f"# Task Registry\n\n## Active Tasks\n{header}| T1 | Parser | {status} | HIGH | 2025-12-05 | - | - |\n"


def test_a_blocked_task_can_be_started(cli: Cli) -> None:
    put("memory-bank/tasks.md", registry("Blocked"))
    assert cli("task", "show", "T1", "--json").json()["status"] is None
    assert "JNL052" in cli("check").out
    assert cli("task", "start", "T1").code == 0
    assert "| T1 | Parser | 🔄 | HIGH | 2025-12-05 |" in Path("memory-bank/tasks.md").read_text("utf-8")


def test_statuses_in_the_tables_are_words(cli: Cli) -> None:
    put("memory-bank/tasks.md", registry("⚠️ Blocked"))
    put("memory-bank/sessions/2025-12-05-night.md", "# Session 2025-12-05 - Night\n\n**Status**: 🔄 In Progress\n")
    put("memory-bank/session_cache.md", "# Session Cache\n\n**Status**: ✅ **DONE**\n")
    sql = (
        "select status from task_items union all select status from sessions union all select status from session_cache"
    )
    assert [each["status"] for each in cli("sql", sql, "--json").json()["rows"]] == [
        "blocked",
        "in_progress",
        "completed",
    ]


def test_a_blocked_row_is_the_state_of_a_task_whatever_its_file_says(cli: Cli) -> None:
    put("memory-bank/tasks.md", registry("⛔ Blocked by the vendor"))
    put("memory-bank/tasks/T1.md", "# T1: Parser\n\n**Status**: 🔄 In Progress\n")
    assert cli("task", "list", "--json").json()[0]["status_text"] == "⛔ Blocked by the vendor"
    assert cli("sql", "select status from task_items", "--json").json()["rows"] == [{"status": "blocked"}]
    [mismatch] = cli("check", "--select", "JNL076", "--json").json()
    assert "in progress" in mismatch["message"]
    assert "blocked" in mismatch["message"]
    assert cli("task", "start", "T1").code == 0
    assert "JNL076" not in cli("check").out


def test_a_file_with_the_title_of_another_task_is_the_task_of_its_name(cli: Cli) -> None:
    put("memory-bank/tasks/T40.md", "# T23: Viewer\n\n**Status**: 🔄 In Progress\n\n- [ ] Draw\n")
    assert [each["id"] for each in cli("task", "list", "--json").json()] == ["T40"]
    tables = "select id from task_items union all select task_id from task_subtasks"
    assert [each["id"] for each in cli("sql", tables, "--json").json()["rows"]] == ["T40", "T40"]
    assert cli("read", "memory-bank/tasks/T40.md", "--json").json()[0]["records"][0]["id"] == "T40"
    assert "JNL079" in cli("check").out
    assert cli("task", "done", "T40").code == 0


def test_a_journal_of_chunks_gets_a_new_chunk(cli: Cli) -> None:
    old = "---\nkind: edit_chunk\nid: c1\ncreated_at: 2026-01-29 10:00:00 UTC\ntask_ids: [T3]\n---\n\n#### 10:00:00 UTC - T3: Old\n- Created `a.py` - x\n"
    put("memory-bank/edits/2026-01-29/100000-T3.md", old)
    put(HISTORY, "# Edit History\n")
    assert cli("add", "edit", "New", "--task", "T4", "--created", "b.py: y").code == 0
    assert Path("memory-bank/edits/2026-02-01/120000-T4.md").read_text("utf-8") == (
        "---\nkind: edit_chunk\nid: 120000-T4\ncreated_at: 2026-02-01 12:00:00 UTC\ntask_ids: [T4]\n---\n\n"
        "#### 12:00:00 UTC - T4: New\n- Created `b.py` - y\n"
    )
    assert Path(HISTORY).read_text("utf-8") == "# Edit History\n"
    assert cli("add", "edit", "New", "--task", "T4", "--created", "b.py: y").code == 0
    assert len(list(Path("memory-bank/edits").rglob("*.md"))) == 2
    cli("add", "edit", "Other", "--task", "T4", "--created", "c.py: z")
    assert Path("memory-bank/edits/2026-02-01/120000-T4-2.md").is_file()


def test_a_day_that_is_spelled_anew_was_not_removed(cli: Callable[..., Ran]) -> None:
    history = Path("memory-bank/edit_history.md")
    history.parent.mkdir()
    entry = "#### 10:00 UTC - T1: One\n- Created `a.py` - First\n"
    history.write_text(
        f"# Edit History\n\n### 2026-1-6\n\n{entry}\n### 2026/01/05\n\n{entry}\n### 2026-01-04\n\n{entry}"
    )
    fixed = cli("check", "--all", "--fix")
    assert "### 2026-01-05" in history.read_text()
    assert "Removed" not in fixed.out + fixed.err
