"""The tables of a journal in the index: what is in them, that they can be made again, and when they may shrink."""

import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import CORPUS, some
from memdown.dialects.journal.grammar import FORMS
from memdown.index import journal, sync
from memdown.memory import Memory
from samples import ID, copy_of, put

BANK = "memory-bank"
HISTORY = """\
# Edit History

### 2025-12-05

#### 17:18:15 IST - T21: File viewer
- Created `src/viewer.js` - Lists files
- Deleted `old.js` - Nobody used it

#### 10:00 - T3, T13: Parser
- Moved `src/parser.js` to `src/read.js`

### 2025-12-04

#### 09:00:00 UTC - Housekeeping
"""
REGISTRY = """\
# Task Registry

## Active Tasks
| ID | Title | Status | Priority | Started | Dependencies | Details |
|----|-------|--------|----------|---------|--------------|---------|
| T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
| T22 | Old idea | ❌ | LOW | 2025-12-01 | - | [Details](tasks/T22.md) |
| T24 | Paused | ⏸ | MEDIUM | 2025-12-02 | T23 | [Details](tasks/T24.md) |

## Completed Tasks
| ID | Title | Completed | Related Tasks | Archive |
|----|-------|-----------|---------------|---------|
| T17 | Rules | 2025-12-04 | T21 | [Details](archive/T17.md) |
"""
TASK = """\
# T23: Format, as its file says
*Last Updated: 2025-12-05 17:18:15 UTC*

**Description**: What all files look like.
**Status**: ⏸️ Paused
**Priority**: HIGH
**Dependencies**: T17, T20a

## Completion Criteria
- [ ] Every section is written
- [x] The head is written
"""
CACHE = """\
# Session Cache
## Current Session
**Started**: 2025-12-05 18:02:00 UTC
**Focus Task**: T23: Format
**Session File**: `sessions/2025-12-05-evening.md`
**Status**: 🔄 In Progress

## Overview
- Active: 2 | Paused: 0 | Completed: 7
"""
SESSION = """\
# Session 2025-12-05 - Evening
**Started**: 2025-12-05 18:02:00 UTC
**Focus Task**: T23: Format
**Status**: ✅ Completed
**Ended**: 2025-12-05 20:00:00 UTC
"""
ERRORS = """\
# Error Log

## 2025-12-05 14:30:00 UTC: T21 - Viewer does not start
**File:** `src/viewer.js`
**Error:** `listen EADDRINUSE`
**Cause:** The port was taken.
**Fix:** It asks for a free one.
"""
FILES = {
    "edit_history.md": HISTORY,
    "tasks.md": REGISTRY,
    "tasks/T23.md": TASK,
    "session_cache.md": CACHE,
    "sessions/2025-12-05-evening.md": SESSION,
    "errorLog.md": ERRORS,
}


def write(root: Path, files: dict[str, str] = FILES, home: str = BANK) -> None:
    for name, text in files.items():
        put(root, f"{home}/{name}", text)


class Asked:
    """The index of a root, asked in SQL after each change."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.told: list[str] = []

    def index(self, *, rebuild: bool = False, shrink: bool = False) -> None:
        self.told = []
        (self.root / ".memdown").mkdir(exist_ok=True)  # a folder without memory gets none by being asked
        sync.refresh(str(self.root), rebuild=rebuild, shrink=shrink, tell=self.told.append)[0].close()

    def __call__(self, statement: str) -> list[tuple[object, ...]]:
        self.index()
        return self.held(statement)

    def held(self, statement: str) -> list[tuple[object, ...]]:
        connection = sqlite3.connect(self.root / ".memdown" / "index.db")
        try:
            return connection.execute(statement).fetchall()
        finally:
            connection.close()

    def everything(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row of every table, in the order SQLite gives them."""
        self.index()
        there = {name for (name,) in self.held("select name from sqlite_master where type in ('table', 'view')")}
        return {name: self.held(f"select * from {name}") for name in journal.names() if name in there}


@pytest.fixture
def sql(tmp_path: Path) -> Asked:
    write(tmp_path)
    return Asked(tmp_path)


# What is in the tables


def test_edits_and_the_files_in_them(sql: Asked) -> None:
    assert sql("select id, date, time, timezone, tz_explicit, task_id, task_description from edit_entries") == [
        (1, "2025-12-05", "17:18:15", "IST", 1, "T21", "File viewer"),
        (2, "2025-12-05", "10:00:00", "UTC", 0, "T3, T13", "Parser"),
        (3, "2025-12-04", "09:00:00", "UTC", 1, None, "Housekeeping"),
    ]
    assert sql("select edit_entry_id, action, file_path, description, target from file_modifications") == [
        (1, "Created", "src/viewer.js", "Lists files", None),
        (1, "Deleted", "old.js", "Nobody used it", None),
        (2, "Moved", "src/parser.js", "", "src/read.js"),
    ]
    assert sql("select entry_id, action from edit_entry_modifications where task_id = 'T21'") == [
        (1, "Created"),
        (1, "Deleted"),
    ]


def test_lists_of_tasks_are_rows(sql: Asked) -> None:
    assert sql("select edit_entry_id, task_id from edit_tasks order by 1, position") == [
        (1, "T21"),
        (2, "T3"),
        (2, "T13"),
    ]
    assert sql("select task_id from error_tasks") == [("T21",)]
    assert sql("select session_id, task_id from session_tasks") == [("2025-12-05-evening.md", "T23")]


def test_a_task_is_one_row_whatever_tells_of_it(sql: Asked) -> None:
    assert sql("select id, title, status, priority, started, last_updated, completed from task_items") == [
        ("T17", "Rules", "completed", "", "", None, "2025-12-04"),
        ("T22", "Old idea", "cancelled", "LOW", "2025-12-01", None, None),
        ("T23", "Format", "in_progress", "HIGH", "2025-12-05", "2025-12-05 17:18:15 UTC", None),
        ("T24", "Paused", "paused", "MEDIUM", "2025-12-02", None, None),
    ]
    assert sql("select source, title, status, status_text from task_places where task_id = 'T23'") == [
        ("registry", "Format", "in_progress", "🔄"),
        ("file", "Format, as its file says", "paused", "⏸️ Paused"),
    ]
    assert sql("select depends_on from task_dependencies where task_id = 'T23'") == [("T17",), ("T20a",), ("T21",)]
    assert sql("select section, position, text, checked from task_subtasks") == [
        ("Completion Criteria", 1, "Every section is written", 0),
        ("Completion Criteria", 2, "The head is written", 1),
    ]


def test_sessions_cache_and_errors(sql: Asked) -> None:
    assert sql("select id, date, period, focus, start_time, end_time, content from sessions") == [
        (
            *("2025-12-05-evening.md", "2025-12-05", "evening", "T23: Format"),
            *("2025-12-05 18:02:00 UTC", "2025-12-05 20:00:00 UTC", SESSION.strip()),
        )
    ]
    counts = "active_tasks_count, paused_tasks_count, completed_tasks_count, cancelled_tasks_count"
    assert sql(f"select session_id, focus_task, {counts} from session_cache") == [
        ("2025-12-05-evening.md", "T23: Format", 2, 0, 7, None)
    ]
    assert sql("select timestamp, task_id, file_path, error_message, cause, fix_applied from error_logs") == [
        (
            *("2025-12-05T14:30:00Z", "T21", "src/viewer.js", "`listen EADDRINUSE`"),
            *("The port was taken.", "It asks for a free one."),
        )
    ]


def test_nothing_is_made_up(sql: Asked) -> None:
    for name in journal.names():
        columns = {column for (column,) in sql(f"select name from pragma_table_info('{name}')")}
        for column in columns & {"created_at", "duration_ms"}:
            assert sql(f"select count(*) from {name} where {column} is not null") == [(0,)]
    put(sql.root, f"{BANK}/edit_history.md", "# Edit History\n\n### Someday\n\n#### 10:00 - T1: Undated\n")
    assert sql("select date, time, timestamp from edit_entries") == [("", "10:00:00", "")]


def test_a_long_title_is_whole(sql: Asked) -> None:
    said = "word " * 100 + "end"
    put(sql.root, f"{BANK}/edit_history.md", f"### 2025-12-05\n\n#### 10:00 - T1: {said}\n")
    assert sql("select task_description from edit_entries") == [(said,)]


def test_the_log_has_a_row_for_each_file(sql: Asked) -> None:
    rows = sql("select transaction_id, row_count, status, affected_tables from transaction_log")
    assert rows[0] == (f"{BANK}/edit_history.md", 6, "success", "edit_entries, file_modifications")
    assert [path for path, *_ in rows] == sorted(f"{BANK}/{name}" for name in FILES)


def test_journals_of_two_banks_stay_apart(sql: Asked) -> None:
    write(sql.root, home="memory-bank/sub/memory-bank")
    items = [id for (id,) in sql("select id from task_items")]
    assert len(items) == len(set(items)) >= 4
    assert sql("select count(*) from sessions") == [(2,)]
    assert sql("select count(*) from session_cache") == [(2,)]


# Made again


def test_a_project_without_a_journal_has_none_of_it(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", "x\n")
    assert Asked(tmp_path).everything() == {}


def test_the_tables_go_with_the_journal(sql: Asked) -> None:
    assert sql.everything()["edit_entries"]
    assert sql.held("select value from meta where key = 'journal'") == [(journal.FORMAT,)]
    shutil.rmtree(sql.root / BANK)
    assert sql.everything() == {}
    assert sql.held("select value from meta where key = 'journal'") == []


def test_indexing_again_changes_nothing(sql: Asked) -> None:
    before = sql.everything()
    sql.index(rebuild=True)
    assert sql.everything() == before
    shutil.rmtree(sql.root / ".memdown")
    assert sql.everything() == before
    assert sql.held("pragma foreign_key_check") == []


SHAPES = {
    "edit_history.md": (HISTORY, HISTORY.replace("T21", "T22"), "# Edit History\n", "### 2025-01-01\n#### 1:00 - x\n"),
    "archive/edit_history_2025-12.md": (HISTORY,),
    "edits/2025-12-05/101500-a.md": ("#### 10:15:00 UTC - T1: One\n- Created `a.py` - New\n",),
    "tasks.md": (REGISTRY, REGISTRY.replace("🔄", "✅"), "no tasks\n"),
    "tasks/T23.md": (TASK, TASK.replace("Paused", "Completed").replace("⏸️", "✅")),
    "archive/T23.md": (TASK,),
    "tasks/T24.md": ("# T24: Paused in its file\n**Status**: ⬜\n- [ ] x\n",),
    "session_cache.md": (CACHE, CACHE.replace("Active: 2", "Active: 3")),
    "archive/session_cache_1.md": (CACHE,),
    "sessions/2025-12-05-evening.md": (SESSION,),
    "archive/sessions/2025-12-05-evening.md": (SESSION,),
    "errorLog.md": (ERRORS, ERRORS * 2),
}
CHANGES = st.lists(
    st.sampled_from([(name, text) for name, texts in SHAPES.items() for text in (*texts, None)]), min_size=1, max_size=8
)


@settings(deadline=None, max_examples=40)
@given(CHANGES, st.sets(st.integers(0, 7)))
def test_rows_do_not_depend_on_the_way_there(changes: list[tuple[str, str | None]], stops: set[int]) -> None:
    with TemporaryDirectory() as folder:
        sql = Asked(Path(folder))
        for number, (name, text) in enumerate(changes):
            if text is None:
                (sql.root / BANK / name).unlink(missing_ok=True)
            else:
                put(sql.root, f"{BANK}/{name}", text)
            if number in stops:
                sql.index(shrink=True)
        sql.index(shrink=True)
        before = sql.everything()
        shutil.rmtree(sql.root / ".memdown")
        assert sql.everything() == before


KINDS = {
    "edit": "edit_entries",
    "modification": "file_modifications",
    "task": "task_places",
    "step": "task_subtasks",
    "session": "sessions",
    "cache": "session_cache",
    "error": "error_logs",
}


def count_all(sql: Asked) -> Counter[str]:
    return Counter({kind: int(str(sql.held(f"select count(*) from {table}")[0][0])) for kind, table in KINDS.items()})


def test_there_are_as_many_rows_as_records(sql: Asked) -> None:
    sql.index()
    records = [record for record in Memory.open(sql.root).records() if record.dialect == "journal"]
    assert count_all(sql) == Counter(record.kind for record in records)


@pytest.mark.corpus
def test_real_journals_have_as_many_rows_as_records(tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for project in some(sorted((CORPUS / "journal").iterdir()), 8):
        root = tmp_path / project.name
        copy_of(project, root)
        sql = Asked(root)
        before = sql.everything()
        records = [record for record in Memory.open(root).records() if record.dialect == "journal"]
        if not records:
            assert before == {}
            continue
        kinds = Counter(record.kind for record in records)
        assert {kind: number for kind, number in count_all(sql).items() if number} == dict(kinds), project.name
        tasks = {
            (record.path.rpartition("memory-bank")[0], record.extra["task"])
            for record in records
            if record.kind == "task"
        }
        assert len(before["task_items"]) == len(tasks), project.name
        assert sql.held("pragma foreign_key_check") == []
        shutil.rmtree(root / ".memdown")
        assert sql.everything() == before, project.name
        seen += kinds
    assert set(seen) == set(KINDS)


# The format and the schema are one


CANONICAL = {
    "edit_entries": "id date time timezone timestamp task_id task_description created_at",
    "file_modifications": "id edit_entry_id action file_path description created_at",
    "task_items": "id title status priority started last_updated details created_at",
    "task_subtasks": "id task_id section position text checked created_at",
    "task_dependencies": "task_id depends_on",
    "sessions": "id date period status focus start_time end_time active_count paused_count completed_count"
    " cancelled_count content created_at",
    "session_cache": "session_id status focus_task active_tasks_count paused_tasks_count completed_tasks_count"
    " cancelled_tasks_count raw_content",
    "error_logs": "id timestamp task_id file_path error_message cause fix_applied created_at",
    "transaction_log": "id transaction_id timestamp operation_type affected_tables row_count status error_message"
    " duration_ms created_at",
    "edit_entry_modifications": "entry_id timestamp task_id task_description modification_id action file_path description",
}


@pytest.fixture(scope="module")
def schema() -> Iterator[Callable[[str], list[str]]]:
    connection = sqlite3.connect(":memory:")
    for statement in journal.statements():
        connection.execute(statement)
    yield lambda name: [row[1] for row in connection.execute(f"pragma table_info({name})")]
    connection.close()


@pytest.mark.parametrize("table", CANONICAL)
def test_the_columns_of_the_contract_come_first(schema: Callable[[str], list[str]], table: str) -> None:
    columns = CANONICAL[table].split()
    assert schema(table)[: len(columns)] == columns


DOCS = Path(__file__).parents[1] / "docs"


def test_every_part_of_the_format_has_its_column(schema: Callable[[str], list[str]]) -> None:
    """The table of the format's page names each part of each form of version 1, and a column for it that exists."""
    page = (DOCS / "formats" / "journal.md").read_text("utf-8")
    assert f"**Format {journal.FORMAT} = database {journal.FORMAT}.**" in page
    section = page.partition("## 8.")[2]
    rows = re.findall(r"^\| ([a-z-]+) \| `(\w+)` \| (.+) \|$", section, re.M)
    parts = {
        (form.name, part)
        for form in FORMS
        if form.profile != "lenient"
        for part in re.findall(r"\(\?P<(\w+)>", form.pattern)
    }
    assert {(form, part) for form, part, _ in rows} == parts
    named = re.findall(r"`(\w+)\.(\w+)`", section)
    assert {(table, column) for table, column in named if column not in schema(table)} == set()
    told = {"id", "created_at", "record_id", "path", "line", "edit_entry_id", "rank"}
    for table in CANONICAL:
        if table not in ("transaction_log", "edit_entry_modifications"):
            missing = set(schema(table)) - told - {column for other, column in named if other == table}
            assert not missing, table


def test_the_page_on_sql_names_every_table_and_column(schema: Callable[[str], list[str]]) -> None:
    page = (DOCS / "sql.md").read_text("utf-8")
    rows = {row.split("`")[1]: row for row in page.splitlines() if row.startswith("| `")}
    for name in journal.names():
        assert [column for column in schema(name) if f"`{column}`" not in rows[name]] == [], name


# The shrink guard


def entries(number: int, hashes: str = "####") -> str:
    return "".join(f"\n{hashes} 10:{each:02}:00 UTC - T{each}: Number {each}\n" for each in range(number))


def history(number: int, hashes: str = "####") -> str:
    return f"# Edit History\n\n### 2025-12-05\n{entries(number, hashes)}"


@pytest.fixture
def grown(tmp_path: Path) -> Asked:
    put(tmp_path, f"{BANK}/edit_history.md", history(30))
    sql = Asked(tmp_path)
    assert sql("select count(*) from edit_entries") == [(30,)]
    return sql


UNREADABLE = history(30).replace("#### ", "")
COUNT = "select count(*) from edit_entries"


def test_rows_stay_when_a_text_is_no_longer_understood(grown: Asked) -> None:
    put(grown.root, f"{BANK}/edit_history.md", UNREADABLE)
    for _ in range(2):  # it is told each time, not once
        assert grown(COUNT) == [(30,)]
        [told] = grown.told
        assert "--accept-shrink" in told
        assert "of its 30 rows" in told
    put(grown.root, f"{BANK}/tasks.md", REGISTRY)  # all else goes on
    assert grown("select count(*) from task_items") == [(4,)]
    grown.index(shrink=True)
    assert grown(COUNT) != [(30,)]
    assert grown.told == []


def test_a_text_that_is_mended_is_taken(grown: Asked) -> None:
    put(grown.root, f"{BANK}/edit_history.md", UNREADABLE)
    assert grown(COUNT) == [(30,)]
    put(grown.root, f"{BANK}/edit_history.md", history(31))
    assert grown(COUNT) == [(31,)]
    assert grown.told == []


def test_a_file_that_is_no_journal_any_more_is_guarded(tmp_path: Path) -> None:
    rows = "".join(f"| T{each} | Title {each} | 🔄 | HIGH | 2025-12-05 | - | - |\n" for each in range(12))
    head = "# Tasks\n\n| {} | Title | Status | Priority | Started | Dependencies | Details |\n|--|--|--|--|--|--|--|\n"
    put(tmp_path, f"{BANK}/tasks.md", head.format("ID") + rows)
    sql = Asked(tmp_path)
    assert sql("select count(*) from task_items") == [(12,)]
    put(tmp_path, f"{BANK}/tasks.md", head.format("Nr") + rows.replace("| T", "| No. "))
    assert sql("select count(*) from task_items") == [(12,)]
    assert sql.told


def test_deleted_text_is_gone(grown: Asked) -> None:
    put(grown.root, f"{BANK}/edit_history.md", history(2))
    assert grown(COUNT) == [(2,)]
    assert grown.told == []
    put(grown.root, f"{BANK}/edit_history.md", "")
    grown.index()
    (grown.root / BANK / "edit_history.md").unlink()
    assert grown.everything() == {}


def test_rows_that_moved_to_another_file_may_go(grown: Asked) -> None:
    kept = "# Edit History\n\n" + "The entries are in the archive now, which is the place to look for them.\n" * 20
    put(grown.root, f"{BANK}/edit_history.md", kept)
    put(grown.root, f"{BANK}/archive/edit_history_2025-12.md", history(30))
    assert grown("select distinct path from edit_entries") == [(f"{BANK}/archive/edit_history_2025-12.md",)]
    assert grown.told == []


def test_another_new_journal_does_not_let_rows_go(grown: Asked) -> None:
    put(grown.root, f"{BANK}/edit_history.md", UNREADABLE)
    put(grown.root, f"{BANK}/archive/edit_history_2024-12.md", history(40).replace("Number", "Other"))
    assert grown(COUNT) == [(70,)]
    assert grown.told


def test_a_small_file_may_change_as_it_likes(tmp_path: Path) -> None:
    put(tmp_path, f"{BANK}/edit_history.md", history(9))
    sql = Asked(tmp_path)
    assert sql(COUNT) == [(9,)]
    put(tmp_path, f"{BANK}/edit_history.md", history(9).replace("#### ", ""))
    sql.index()
    assert sql.told == []
