"""The journal as it is read: every file, in the forms of the contract and in those that real files have."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memdown.dialects
from memdown.acts.check import account
from memdown.dialects import DIALECTS, parse
from memdown.dialects.journal.codes import CODES, holds
from memdown.dialects.journal.edits import chunk, history
from memdown.dialects.journal.grammar import FORM, FORMS, period_at
from memdown.dialects.journal.lines import lines_of
from memdown.dialects.journal.names import kind_of
from memdown.dialects.journal.readings import READERS
from memdown.dialects.journal.sections import sections
from memdown.record import Record
from memdown.text import apply

journal = DIALECTS["journal"]

BANK = "memory-bank"


def one(line: str) -> tuple[str | None, str | None, str | None, tuple[str, ...], str]:
    """Date, time, zone, tasks and description of the only entry below a day."""
    [entry] = history(f"### 2025-12-05\n\n{line}\n").entries
    return entry.date, entry.time, entry.zone, entry.tasks, entry.description


def changes(line: str) -> list[tuple[str, str]]:
    """Action and path of each file that a bullet names."""
    found = history(f"### 2025-12-05\n\n#### 10:00 - T1: x\n{line}\n").modifications
    return [(each.action, each.path) for each in found]


def records(name: str, text: str) -> list[Record]:
    document = parse(f"{BANK}/{name}", text)
    assert document.dialect == "journal"
    return list(document.records)


# Headings of entries


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("#### 14:30:15 IST - T21: Viewer", ("2025-12-05", "14:30:15", "IST", ("T21",), "Viewer")),
        ("#### 14:30 - T21 Viewer", ("2025-12-05", "14:30:00", None, ("T21",), "Viewer")),
        ("### 14:30 - T2: One level up", ("2025-12-05", "14:30:00", None, ("T2",), "One level up")),
        ("## 14:30 - T2: Two levels up", ("2025-12-05", "14:30:00", None, ("T2",), "Two levels up")),
        ("#### 14:30 GMT+3 — T2: Em dash", ("2025-12-05", "14:30:00", "GMT+3", ("T2",), "Em dash")),
        ("#### 02:00–02:30 IST - T5/T7: A range", ("2025-12-05", "02:00:00", "IST", ("T5", "T7"), "A range")),
        ("#### 11:05 PM - T1: Twelve hours", ("2025-12-05", "23:05:00", None, ("T1",), "Twelve hours")),
        ("#### 12:05 AM - T1: Midnight", ("2025-12-05", "00:05:00", None, ("T1",), "Midnight")),
        ("#### 14:30 IST - T1 & META-1: Two", ("2025-12-05", "14:30:00", "IST", ("T1", "META-1"), "Two")),
        ("#### 14:30 - T9-T12: A row of tasks", ("2025-12-05", "14:30:00", None, ("T9", "T12", "T10", "T11"), "A row of tasks")),
        ("#### 14:30 - T13: T13: Twice", ("2025-12-05", "14:30:00", None, ("T13",), "Twice")),
        ("#### 14:30 - TaskID: T30b: Template", ("2025-12-05", "14:30:00", None, ("T30b",), "Template")),
        ("#### 14:30 - API: no task", ("2025-12-05", "14:30:00", None, (), "API: no task")),
        ("**14:30 IST - T2: In bold**", ("2025-12-05", "14:30:00", "IST", ("T2",), "In bold")),
        ("### 2025-08-28 18:12 - META-2: Both", ("2025-08-28", "18:12:00", None, ("META-2",), "Both")),
        ("## 2026-06-18 19:04:00 — T1,T2: Both", ("2026-06-18", "19:04:00", None, ("T1", "T2"), "Both")),
        ("## 2025-04-10: A day with a title", ("2025-04-10", None, None, (), "A day with a title")),
        ("####\u00a014:30\u00a0-\u00a0T1: No-break spaces", ("2025-12-05", "14:30:00", None, ("T1",), "No-break spaces")),
        ("#### 25:00 - T1: No such time", ("2025-12-05", None, None, ("T1",), "No such time")),
    ],
)  # fmt: skip
def test_headings_of_entries(line: str, expected: object) -> None:
    assert one(line) == expected


@pytest.mark.parametrize(
    ("heading", "date"),
    [
        ("### 2025-11-30", "2025-11-30"),
        ("## 2025-11-30", "2025-11-30"),
        ("## 2025-11-30 (Afternoon — a fix)", "2025-11-30"),
        ("### April 20, 2025", "2025-04-20"),
        ("### 20 April 2025", "2025-04-20"),
        ("### 2025/11/30", "2025-11-30"),
        ("### 30.11.2025", "2025-11-30"),
        ("### 2025年11月30日", "2025-11-30"),
        ("## 30/11/2025", "2025-11-30"),
        ("## 11/12/2025", None),
        ("### Session 2025-11-30", "2025-11-30"),
        ("## v1.2.0 - 2025-11-30", "2025-11-30"),
        ("2025-11-30\n----------", None),
        ("2025-11-30", None),
        ("### 11-12-2025", None),
        ("### 2025-02-30", None),
        ("### 2025-13-45", None),
        ("### [DATE]", None),
        ("### Yesterday", None),
        ("# Edit History", None),
    ],
)
def test_the_date_of_what_follows(heading: str, date: str | None) -> None:
    """A heading that cannot be read clears the date: nothing is dated by the day above it."""
    text = f"### 2025-12-05\n\n#### 10:00 - a\n\n{heading}\n\n#### 09:00 - b\n"
    assert [entry.date for entry in history(text).entries] == ["2025-12-05", date]


def test_files_below_a_heading_without_a_time_are_an_entry_of_the_day() -> None:
    text = "### 2025-12-05\n\n#### Evening work\n- Created `a.md` - x\n\n#### Notes\nNothing.\n\n#### 10:00 - b\n"
    assert [(each.date, each.time, each.description, len(each.modifications)) for each in history(text).entries] == [
        ("2025-12-05", None, "Evening work", 1),
        ("2025-12-05", "10:00:00", "b", 0),
    ]
    told = [(each.name, each.span.of(text)) for each in history(text).deviations]
    assert told == [("time-missing", "#### Evening work"), ("heading-unknown", "#### Notes")]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("#### 14:30:15.123 UTC - T3: x", "x"),
        ("#### 14:30 EST | T3 | x", "x"),
        ("#### 14:30 EST - [T3](tasks/T3.md): x", "x"),
        ("#### 14:30 UTC - T3, T4 - x", "x"),
    ],
)
def test_the_title_of_an_entry_has_nothing_else_in_it(line: str, title: str) -> None:
    [entry] = history(f"### 2025-12-05\n\n{line}\n").entries
    assert (entry.description, entry.tasks[0]) == (title, "T3")


def test_an_entry_in_a_fence_is_none() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - a\n```markdown\n#### 09:00 - b\n- Created `x.md` - y\n```\n"
    assert (len(history(text).entries), len(history(text).modifications)) == (1, 0)


def test_an_open_fence_hides_nothing() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - a\n```\n\n#### 09:00 - b\n- Created `x.md` - y\n"
    assert (len(history(text).entries), len(history(text).modifications)) == (2, 1)


# Bullets


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- Created `a/b.md` - New", [("Created", "a/b.md")]),
        ("- Modified `a b/c d.md` - Spaces", [("Modified", "a b/c d.md")]),
        ("- Modified `index.html` — Em dash", [("Modified", "index.html")]),
        ("- Modified `index.html`: colon", [("Modified", "index.html")]),
        ("- Deleted `git.diff` - Gone", [("Deleted", "git.diff")]),
        ("- Removed `visual-pde` - A folder", [("Deleted", "visual-pde")]),
        ("- [create] `scripts/` — Copied", [("Created", "scripts/")]),
        ("- **Modified** `a.ts` - bold", [("Modified", "a.ts")]),
        ("- ✅ Created `a.ts` - done", [("Created", "a.ts")]),
        ("- Fixed `a.ts` - repaired", [("Fixed", "a.ts")]),
        ("- `src/a.ts` - Added a thing", [("Added", "src/a.ts")]),
        ("- `src/a.ts`", [("Modified", "src/a.ts")]),
        ("- `src/a.ts` — Deleted", [("Deleted", "src/a.ts")]),
        ("- Created `LICENSE`", [("Created", "LICENSE")]),
        ("- Created tasks/T21.md - bare", [("Created", "tasks/T21.md")]),
        ("- memory-bank/tasks.md", [("Modified", "memory-bank/tasks.md")]),
        ("- Updated session_cache.md with the latest", [("Updated", "session_cache.md")]),
        ("- Modified [a/b.md](file:///x/a/b.md) - linked", [("Modified", "a/b.md")]),
        ("- Modified \\`a/b.md\\` - escaped", [("Modified", "a/b.md")]),
        ("- Updated `a.json` and `b.yaml` - two", [("Updated", "a.json"), ("Updated", "b.yaml")]),
        ("- Modified: `a.ts`, `b.ts`, `c.ts`", [("Modified", "a.ts"), ("Modified", "b.ts"), ("Modified", "c.ts")]),
        ("- Renamed `a/b.ts` to `a/c.ts` - better", [("Renamed", "a/b.ts")]),
        ("- Created new client at `backend/client.py`", [("Created", "backend/client.py")]),
        ("- **Logged**: in `logs/file.log`", [("Logged", "logs/file.log")]),
        ("- Screenshot `05-bank.png` shows it", [("Mentioned", "05-bank.png")]),
        ("* Created `a.md` - star", [("Created", "a.md")]),
        ("1. `a.ts` - Shared types", [("Modified", "a.ts")]),
        ("  - Created `a.md` - nested", [("Created", "a.md")]),
        ("- Created `docs/Notes (revised).md` - parentheses", [("Created", "docs/Notes (revised).md")]),
        ("- Committed and pushed to `main`", []),
        ("- Created branch `feat/x` for it", []),
        ("- `GET /api/identity` — an endpoint", []),
        ("- `npx tsc --noEmit` passes", []),
        ("- Updated `getNeighbors()` to filter", []),
        ("- Commit: `39f8c8c`", []),
        ("- Fixed `pool` - a name behind a verb", [("Fixed", "pool")]),
        ("- Fixed `pool`", [("Fixed", "pool")]),
        ("- Fixed src/ - a folder", [("Fixed", "src/")]),
        ("- Fixed `pool` = 3", []),
        ("- Fixed `pool` and more", []),
        ("- `pool` - no verb", []),
        ("---", []),
    ],
)
def test_files_that_a_bullet_names(line: str, expected: list[tuple[str, str]]) -> None:
    assert changes(line) == expected


def test_where_a_renamed_file_went() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - a\n- Renamed `a.ts` to `b.ts` - better\n"
    [found] = history(text).modifications
    assert (found.path, found.target, found.description) == ("a.ts", "b.ts", "better")


def test_blank_lines_prose_and_nested_bullets_end_nothing() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - a\n\n- Created `a.md` - x\n  - detail\nProse.\n\n- Created `b.md` - y\n"
    assert [each.path for each in history(text).modifications] == ["a.md", "b.md"]


def test_bullets_directly_below_a_day_make_an_entry() -> None:
    reading = history("### 2025-12-05\n\n- Created `a.md` - x\n")
    [entry] = reading.entries
    assert (entry.date, entry.time, len(entry.modifications)) == ("2025-12-05", None, 1)
    assert [each.name for each in reading.deviations] == ["modification-outside-entry"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## 2025-12-05", "### 2025-12-05"),
        ("### 2025-12-5", "### 2025-12-05"),
        ("###  2025-12-05", "### 2025-12-05"),
        ("####14:30 - a", "#### 14:30 - a"),
        ("### 9:30 UTC — T1: a", "#### 09:30 UTC - T1: a"),
        ("#### 2:30 PM -- a", "#### 14:30 - a"),
        ("**14:30 IST - T2: a**", "#### 14:30 IST - T2: a"),
        ("#### 14:30 IST T1: a", "#### 14:30 IST - T1: a"),
        ("- Created `a.md` — x", "- Created `a.md` - x"),
        ("- Created `a.md`: x", "- Created `a.md` - x"),
        ("- Created `a.md`-x", "- Created `a.md` - x"),
        ("- Created`a.md` - x", "- Created `a.md` - x"),
        ("- Created a/b.md - x", "- Created `a/b.md` - x"),
        ("- [create] `a.md` - x", "- Created `a.md` - x"),
    ],
)
def test_safe_edits_mend_a_line(before: str, after: str) -> None:
    head = "### 2025-12-05\n\n#### 10:00 - a\n" if before.startswith("-") else "### 2025-12-01\n\n"
    text = f"{head}{before}\n"
    edits = {edit: None for each in history(text).deviations for edit in each.edits}
    assert apply(text, edits) == f"{head}{after}\n"


def test_profiles() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - a\n- Created `a.md` - x\n- Deleted `b.md` - y\n- Fixed `c.md` - z\n"
    reading = history(text)
    told = [
        [each.name for each in reading.deviations if holds(each.name, profile)] for profile in ("1.0", "1.1", "lenient")
    ]
    assert told == [["mod-deleted-unsupported", "mod-unknown-action"], ["mod-unknown-action"], []]


# Chunks


def test_a_chunk_has_its_date_in_the_path() -> None:
    text = (
        "---\nkind: edit_chunk\nid: c1\ncreated_at: 2026-01-29 22:43:00 IST\ntask_ids: [T30]\nsource_branch: main\n"
        "source_commit: 8c324c2\n---\n\n#### 22:43:00 IST - T30: Growth\n- Created `a.ts` - x\n"
    )
    edit, change = records("edits/2026-01-29/224300-T30.md", text)
    assert (edit.kind, edit.title, edit.at and edit.at.text) == ("edit", "Growth", "2026-01-29 22:43:00 IST")
    assert (edit.extra["chunk"], edit.extra["source_commit"]) == ("c1", "8c324c2")
    assert (change.kind, change.extra["file_path"], change.extra["edit"]) == ("modification", "a.ts", edit.id)


def test_a_generated_chunk_is_one_entry() -> None:
    text = (
        "# Edit Chunk: 2026-06-26 07:10:27 IST\n\n## Task: T20\n\n### Work Done\n\nA skeleton.\n\n### Files Modified\n\n"
        "- Modified `web/index.html` — Modified web/index.html\n"
    )
    edit, change = records("edits/2026-06-26/071027-T20-edit-chunk.md", text)
    assert (edit.at and edit.at.text, edit.extra["tasks"]) == ("2026-06-26 07:10:27 IST", ["T20"])
    assert change.extra["action"] == "Modified"


def test_a_free_chunk_has_its_time_in_the_name() -> None:
    edit, change = records("edits/2026-05-09/0745-T25b-types.md", "# T25b: Types\n\n## Files\n1. `a.ts` - typed\n")
    assert (edit.title, edit.at and edit.at.text) == ("Types", "2026-05-09 07:45:00")
    assert change.extra["file_path"] == "a.ts"


# The registry


REGISTRY = """# Task Registry
*Last Updated: 2025-12-05 10:00:00 IST*

## Active Tasks
| ID | Title | Status | Priority | Started | Dependencies | Details |
|----|-------|--------|----------|---------|--------------|---------|
| T1 | Pipes \\| and such | 🔄 | HIGH | 2025-12-01 | - | [Details](tasks/T1.md) |
| T2 | Waiting | ⏸ | LOW | 2025-12-02 | T1, META-1 | [Details](tasks/T2.md) |
| T2a | Waiting too | ⏸️ PAUSED | LOW | May 17, 2025 | None | text |
| **T3** | **T3: Bold** | **✅ DONE** | P1 | - | T1 (first) | - |
| T4 | Odd | 🦄 | ? | soon | whatever | - |
| T5 | More cells | 📝 PLANNED | HIGH | 2025-12-03 | 2025-12-04 | T1 | [Details](tasks/T5.md) |
| T6 | Dropped | ❌ | LOW | 2025-12-03 | - | [Details](tasks/T6.md) |
| T7 | Later | ⬜ | LOW | 2025-12-03 | - | [Details](tasks/T7.md) |

## Completed Tasks
| ID | Title | Completed | Related Tasks | Archive |
|----|-------|-----------|---------------|---------|
| T0 | Begin | 2025-11-30 | T1 | [Details](archive/T0.md) |
| ID | Title | Status |
| T8 | Second header | ✅ |

## Tiers
| Tier | Tasks |
|---|---|
| P0 | T1 |
"""


def test_rows_by_the_names_of_their_columns() -> None:
    rows = {str(record.extra["task"]): record for record in records("tasks.md", REGISTRY)}
    states = {id: row.status for id, row in rows.items()}
    assert states == {
        "T1": "in_progress", "T2": "paused", "T2a": "paused", "T3": "completed", "T4": "🦄", "T5": "pending",
        "T6": "cancelled", "T7": "pending", "T0": "completed", "T8": "completed",
    }  # fmt: skip
    assert rows["T1"].title == "Pipes | and such"
    assert rows["T3"].title == "Bold"
    assert rows["T2"].extra["dependencies"] == ["T1", "META-1"]
    assert rows["T5"].extra["completed"] == "2025-12-04"
    assert rows["T5"].extra["dependencies"] == ["T1"]
    assert rows["T0"].extra["completed"] == "2025-11-30"
    assert rows["T4"].extra["priority"] == "?"


def test_what_is_odd_in_a_registry_is_told() -> None:
    found = {each.name for each in READERS["registry"](REGISTRY).deviations}
    assert {"status-unknown", "status-words", "started-not-a-date", "row-cells", "dependency-not-an-id"} <= found


def test_details_of_tasks_are_tasks_too() -> None:
    text = (
        "# Task Registry\n\n## Task Details\n### T2: Move\n**Status**: 🔄 **Last**: 2025-04-25\n**Criteria**:\n"
        "- Archive ✅\n- Test ⬜\n"
    )
    task, *steps = records("tasks.md", text)
    assert (task.id, task.status, task.title) == ("T2@details", "in_progress", "Move")
    assert [(step.title, step.status) for step in steps] == [("Archive", "completed"), ("Test", "pending")]


def test_another_tasks_file_is_not_a_registry() -> None:
    assert parse(f"{BANK}/tasks.md", "# Tasks\n\n- [ ] buy milk\n").dialect == "bank"
    assert parse(f"{BANK}/activeContext.md", "# Active\n\n#### 10:00 - x\n").dialect == "bank"
    assert parse(f"{BANK}/progress.md", "# Progress\n").dialect == "bank"


# Task files


@pytest.mark.parametrize(
    "text",
    [
        "# T21: Viewer\n*Created: 2025-12-05*\n\n**Description**: See.\n**Status**: 🔄 In Progress (Design)\n"
        "**Priority**: HIGH\n**Started**: 2025-12-05\n**Dependencies**: T17 (rules), T20\n",
        "# Task: T21\n\n## Task Information\n**Title:** Viewer\n**Status:** 🔄 ACTIVE\n**Priority:** HIGH\n"
        "**Started:** 2025-12-05\n\n## Dependencies\n- **Depends On:** T17, T20\n",
        "# T21: Viewer\n\n**Status**: 🔄 **IN_PROGRESS**\n**Priority**: high\n**Started**: 2025-12-05\n"
        "**Dependencies**: T17, T20\n\n## Details\n\nx\n",
    ],
)
def test_three_templates_of_a_task(text: str) -> None:
    [task] = records("tasks/T21.md", text)
    assert (task.id, task.title, task.status) == ("T21", "Viewer", "in_progress")
    assert (task.extra["priority"], task.extra["started"]) == ("HIGH", "2025-12-05")
    assert [link.target for link in task.links if link.type == "depends"] == ["T17", "T20"]


def test_steps_of_a_task() -> None:
    text = "# T1: x\n\n## Completion Criteria\n- [x] a\n- [ ] b\n\n## Progress\n1. ✅ c\n2. 🔄 d\n3. ⏸️ e\n"
    _, *steps = records("tasks/T1.md", text)
    assert [(step.title, step.status, step.extra["section"], step.extra["position"]) for step in steps] == [
        ("a", "completed", "Completion Criteria", "1"),
        ("b", "pending", "Completion Criteria", "2"),
        ("c", "completed", "Progress", "3"),
        ("d", "in_progress", "Progress", "4"),
        ("e", "paused", "Progress", "5"),
    ]


# Sessions and the cache


@pytest.mark.parametrize(
    "title", ["Session 2025-12-05 - Evening", "Session 2025-12-05 Evening", "Session: 2025-12-05 Evening",
              "Session 2025-12-05-evening", "Session Log: 2025-12-05 Evening", "Something else"],
)  # fmt: skip
def test_titles_of_sessions(title: str) -> None:
    [session] = records(
        "sessions/2025-12-05-evening.md", f"# {title}\n\n## Focus Task\nMETA-1: Upkeep\n**Status**: 🔄 on\n"
    )
    assert (session.extra["date"], session.extra["period"]) == ("2025-12-05", "evening")
    assert (session.extra["focus"], session.extra["tasks"], session.status) == ("META-1: Upkeep", ["META-1"], "🔄 on")


def test_the_focus_of_a_session_inline() -> None:
    text = "# Session: 2025-12-05 Night\n\n**Started**: 2025-12-05 01:00:00 IST\n**Focus Task**: T2: Parser\n"
    [session] = records("sessions/2025-12-05-night-2.md", text)
    assert (session.extra["focus"], session.at and session.at.text) == ("T2: Parser", "2025-12-05 01:00:00 IST")


def test_the_session_cache() -> None:
    text = (
        "# Session Cache\n*Last Updated: 2025-12-05*\n\n**Started**: 2025-12-05 18:00:00 IST\n"
        "**Focus Task**: T23 (Spec) 🔄\n**Session File**: `sessions/2025-12-05-evening.md`\n**Status**: 🔄 on\n\n"
        "## Overview\n- Active: 12 | Paused: 0 | Completed: 7 | Cancelled: 1\n\n## Session History (Last 5)\n"
        "1. `sessions/2025-12-05-evening.md` - x\n2. `sessions/2025-12-04-night.md` - y\n\n## Task Registry\n"
        "- T23: Spec - 🔄\n"
    )
    [cache] = records("session_cache.md", text)
    assert (cache.kind, cache.extra["session_file"], cache.extra["focus"]) == (
        "cache",
        "2025-12-05-evening.md",
        "T23 (Spec) 🔄",
    )
    assert [cache.extra[f"{name}_count"] for name in ("active", "paused", "completed", "cancelled")] == [
        "12",
        "0",
        "7",
        "1",
    ]
    assert cache.extra["history"] == ["2025-12-05-evening.md", "2025-12-04-night.md"]


def test_periods() -> None:
    assert [period_at(hour) for hour in (0, 5, 6, 11, 12, 17, 18, 23)] == [
        *("night", "night", "morning", "morning", "afternoon", "afternoon", "evening", "evening"),
    ]


# The error log


def test_errors() -> None:
    text = (
        "# Error Log\n\n## 2025-08-23 21:40 IST: T5b - Not restored\n**File:** `a.tsx`\n**Error:** `x`\n**Cause:** y\n"
        "**Fix:**\n1. z\n```\n## 2025-01-01 10:00: not an entry\n```\n**Task:** T5b\n\n"
        "## 2025-04-16 07:35 IST - T11: A dash\n**Cause:** c\n\n## 2025-04-14 - No time\n**Cause:** c\n\n"
        "## Bug #1: undated\n**File**: `b.ts`\n**Root Cause**: r\n\n## Key\nwords\n"
    )
    found = records("errorLog.md", text)
    assert [(each.title, each.at and each.at.text, each.extra.get("tasks")) for each in found] == [
        ("Not restored", "2025-08-23 21:40 IST", ["T5b"]),
        ("A dash", "2025-04-16 07:35 IST", ["T11"]),
        ("No time", "2025-04-14", None),
        ("Bug #1: undated", None, None),
    ]
    assert (found[0].extra["cause"], found[3].extra["cause"]) == ("y", "r")


@pytest.mark.parametrize(
    ("heading", "at", "title", "tasks"),
    [
        ("## April 14, 2025: T1 - Crash", "2025-04-14", "Crash", ["T1"]),
        ("## Apr 14, 2025 10:00 EST: Crash", "2025-04-14T10:00:00-05:00", "Crash", None),
        ("## 2025/04/14 - Crash", "2025-04-14", "Crash", None),
        ("## 2025-04-14 9:05 PM UTC: T1 - Crash", "2025-04-14T21:05:00Z", "Crash", ["T1"]),
        ("## 2025-04-16T07:35:09Z: T1 - Crash", "2025-04-16T07:35:09Z", "Crash", ["T1"]),
        ("## 2025-04-14 10:00 UTC: T5, T6 - Both", "2025-04-14T10:00:00Z", "Both", ["T5", "T6"]),
        ("## T5: Crash (2025-04-14)", "2025-04-14", "Crash (2025-04-14)", ["T5"]),
        ("## 13/04/2025: Crash", "2025-04-13", "Crash", None),
        ("## 03/04/2025: Crash", None, "03/04/2025: Crash", None),
        ("### [2025-04-10] OAuth 1.0", "2025-04-10", "OAuth 1.0", None),
    ],
)
def test_the_heading_of_an_error(heading: str, at: str | None, title: str, tasks: list[str] | None) -> None:
    [found] = records("errorLog.md", f"# Error Log\n\n{heading}\n**File:** `a`\n**Error:** b\n")
    assert (found.at and found.at.rfc3339(), found.title, found.extra.get("tasks")) == (at, title, tasks)


def test_errors_in_sections_of_a_day_have_its_date() -> None:
    text = (
        "# Error Log\n\n## 2025-04-14\n\n### T5: One\n**Error:** b\n\n### 10:05 UTC - Two\n**Error:** c\n\n"
        "## April 13, 2025\n\n### Three\n**Error:** d\n\n## Notes\n\n### More\n\n- x\n"
    )
    assert [(each.title, each.at and each.at.rfc3339()) for each in records("errorLog.md", text)] == [
        ("One", "2025-04-14"),
        ("Two", "2025-04-14T10:05:00Z"),
        ("Three", "2025-04-13"),
    ]


# All files


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("memory-bank/edit_history.md", "history"),
        ("memory-bank/archive/edit_history_2025-04.md", "history"),
        ("memory-bank/archive/edit-history-aug.md", "history"),
        ("memory-bank/edits/2026-01-29/x.md", "chunk"),
        ("memory-bank/tasks.md", "registry"),
        ("memory-bank/tasks/T1.md", "task"),
        ("memory-bank/tasks/META-1.md", "task"),
        ("memory-bank/archive/T24.md", "task"),
        ("memory-bank/tasks/TASK001-x.md", None),
        ("memory-bank/session_cache.md", "cache"),
        ("memory-bank/sessions/2025-12-05-evening.md", "session"),
        ("memory-bank/errorLog.md", "errors"),
        ("memory-bank/activeContext.md", None),
    ],
)
def test_which_file_it_is(path: str, kind: str | None) -> None:
    assert kind_of(path) == kind


def test_templates_are_not_memory() -> None:
    assert not journal.claims("memory-bank/templates/edit_history.md", "# Edit History\n")


def test_every_example_of_the_grammar_matches_its_form() -> None:
    for form in FORMS:
        said = form.example.lstrip("# ") if form.name not in ("date", "entry") else form.example
        said = said.removeprefix("- ") if form.name == "step" else said
        match = FORM[form.name].match(said)
        assert match, form.name


def test_every_form_is_one_that_a_reader_uses() -> None:
    source = "".join(
        path.read_text("utf-8") for path in Path(memdown.dialects.__file__ or "").parent.glob("journal/*.py")
    )
    strict = {"modification", "deletion"}  # told by a variable
    assert [form.name for form in FORMS if f'FORM["{form.name}"]' not in source and form.name not in strict] == []


def test_ids_are_unique_and_stay_when_an_entry_is_added() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - a\n- Created `a.md` - x\n- Created `a.md` - x\n\n#### 10:00 - a\n"
    before = records("edit_history.md", text)
    after = records("edit_history.md", "### 2025-12-06\n\n#### 10:00 - new\n\n" + text)
    assert len({each.id for each in before}) == len(before) == 4
    assert {each.id for each in before} <= {each.id for each in after}


PIECES = st.sampled_from(
    [
        "### 2025-12-05", "## 2025-12-05", "#### 14:30 UTC - T1: a", "### 14:30 — T1", "- Created `a.md` - x", "- `a.md`",
        "  - b", "---", "=======", "| ID | Title | Status |", "|---|---|---|", "| T1 | a | 🔄 |", "# T1: x",
        "**Status**: 🔄", "- [ ] step", "```", "<!--", "-->", "## 2025-12-05 10:00: T1 - e", "**File:** `a`", "",
        "*Created: 2025-12-05*", "\ufeff", "# Session 2025-12-05 - Night", "\x00", "\udc80", "| T2 |", "- T1: x - ✅",
    ]
)  # fmt: skip
EOLS = st.sampled_from(["\n", "\r\n", "\r"])


@given(st.lists(st.one_of(PIECES, st.text(max_size=30)), max_size=25), EOLS)
def test_nothing_raises_and_spans_are_inside(lines: list[str], eol: str) -> None:
    text = eol.join(lines)
    for name in ("edit_history.md", "edits/2025-12-05/1.md", "tasks.md", "tasks/T1.md", "session_cache.md",
                 "sessions/2025-12-05-night.md", "errorLog.md"):  # fmt: skip
        document = parse(f"{BANK}/{name}", text)
        assert len({record.id for record in document.records}) == len(document.records)
        assert all(0 <= record.span.start <= record.span.end <= len(text) for record in document.records)
        counted = account.counts(account.kinds(document, []))
        assert counted.total == counted.blank + counted.record + counted.prose
    for reader in READERS.values():
        for each in reader(text).deviations:
            assert each.name in CODES
            assert 0 <= each.span.start <= each.span.end <= len(text)
            apply(text, each.edits)


@pytest.mark.parametrize(
    "line",
    [
        "#### 10:00 - " + "T1, " * 20000 + ": x",
        "#### 10:00 - " + "T1," * 20000,
        "#### 10:00" + " " * 50000 + "- x",
        "- Created " + "`" * 50001,
        "- " + "a/" * 50000,
        "- " + "[a](" * 20000,
        "| T1 " + "|" * 50000,
        "# Session" + " " * 50000 + "2025",
    ],
)
def test_hostile_lines_take_no_time(line: str) -> None:
    for reader in READERS.values():
        reader(f"### 2025-12-05\n\n#### 10:00 - a\n{line}\n")


def test_a_title_keeps_its_underscores() -> None:
    text = "# Tasks\n\n## Active Tasks\n| ID | Title | Status |\n|--|--|--|\n| T1 | __init__ is slow | 🔄 |\n| T2 | **Bold** | ⬜ |\n"
    titles = [record.title for record in parse("memory-bank/tasks.md", text).records if record.kind == "task"]
    assert titles == ["__init__ is slow", "Bold"]


def test_ids_do_not_depend_on_how_a_line_is_spelled() -> None:
    text = "### 2025-12-05\n\n#### 09:05:00 UTC - T3: Parser\n- Modified `a.js` - reads lines\n"
    other = "## 2025-12-05\n\n### 9:05 utc — T3: **Parser** ###\n* Modified a.js — reads lines\n"
    assert [each.id for each in records("edit_history.md", other)] == [
        each.id for each in records("edit_history.md", text)
    ]
    fault = "## 2025-12-05 10:00 UTC: T1 - Crash\n**File:** `a`\n"
    spelled = "##  2025-12-05 10:00 UTC - T1: Crash ##\n**File:** `a`\n"
    assert records("errorLog.md", spelled)[0].id == records("errorLog.md", fault)[0].id


# What the format asks of one line


def told(text: str) -> list[str]:
    return [each.name for each in history(text).deviations]


ENTRY = "#### 10:00:00 UTC - T1: Something\n"


@pytest.mark.parametrize("day", ["###  2025-12-05", "###2025-12-05", "###\t2025-12-05"])
def test_the_space_after_the_hashes_of_a_day(day: str) -> None:
    assert told(f"{day}\n\n{ENTRY}") == ["date-heading-space"]
    assert history(f"{day}\n\n{ENTRY}").entries[0].date == "2025-12-05"


def test_text_behind_a_day() -> None:
    assert told(f"### 2025-12-05 Friday\n\n{ENTRY}") == ["date-heading-format"]


def test_a_time_that_no_clock_has() -> None:
    text = "### 2025-12-05\n\n#### 24:00 UTC - x\n"
    assert told(text) == ["time-out-of-range"]
    assert (history(text).entries[0].date, history(text).entries[0].time) == ("2025-12-05", None)


@pytest.mark.parametrize(
    ("line", "description"),
    [
        ("- Modified `a.py` — now a generator with yield*", "now a generator with yield*"),
        ("- Modified `a.py` - **Added** retries", "**Added** retries"),
        ("- Modified `a.py` — **Added retries**", "**Added retries**"),
        ("- **Modified `a.py` - Added retries**", "Added retries"),
        ("- **Modified `a.py`** - ignore build/**", "ignore build/**"),
    ],
)
def test_stars_of_a_description_stay_unless_they_are_bold_type_around_it(line: str, description: str) -> None:
    [found] = history(f"### 2025-12-05\n\n#### 10:00 - T1: x\n{line}\n").modifications
    assert found.description == description


@pytest.mark.parametrize("heading", ["#### 10:00 UTC - T21:", "#### 10:00 UTC - T21", "#### 10:00 UTC -"])
def test_an_entry_without_a_description(heading: str) -> None:
    assert told(f"### 2025-12-05\n\n{heading}\n") == ["description-missing"]


def test_an_entry_without_a_day() -> None:
    assert told(ENTRY) == ["entry-without-date"]
    assert history(ENTRY).entries[0].moment is None


@pytest.mark.parametrize("path", ["/abs/a.md", "C:\\work\\a.md", "~/a.md"])
def test_a_path_that_is_not_relative(path: str) -> None:
    text = f"### 2025-12-05\n\n{ENTRY}- Created `{path}` - x\n"
    assert told(text) == ["path-not-relative"]
    assert history(text).modifications[0].path == path


def test_a_path_may_have_spaces() -> None:
    text = f"### 2025-12-05\n\n{ENTRY}- Created `my docs/a-b_c.d/e.md` - x\n"
    assert (told(text), history(text).modifications[0].path) == ([], "my docs/a-b_c.d/e.md")


def test_a_file_outside_of_any_entry() -> None:
    assert told(f"- Created `a.md` - x\n\n### 2025-12-05\n\n{ENTRY}") == ["modification-outside-entry"]


def test_sections_of_the_second_level_are_tasks_with_the_state_in_their_heading() -> None:
    text = (
        "# Tasks\n\n## T1: Set up ✅ COMPLETE\n- [x] Clone\n\n## T2: Move\n- [ ] Verify\n\n### Results\n\nNone.\n\n"
        "## T3: Bench (2026-07-17) 🔄 IN PROGRESS (2026-08-14) — phase 2\n- See [details](tasks/T3.md)\n"
    )
    tasks = [each for each in records("tasks.md", text) if each.kind == "task"]
    assert [(each.id, each.title, each.status) for each in tasks] == [
        ("T1@details", "Set up", "completed"),
        ("T2@details", "Move", None),
        ("T3@details", "Bench (2026-07-17)", "in_progress"),
    ]
    assert [each.at and each.at.text for each in tasks] == [None, None, "2026-07-17"]


def test_a_command_of_tex_is_no_path() -> None:
    text = "# Edit History\n\n### 2026-07-30\n\n#### 10:00:00 UTC - T2: Math\n- **Escaping**: strips (e.g., `\\int` → `int`)\n"
    assert [each.kind for each in records("edit_history.md", text)] == ["edit"]


def test_a_second_path_has_its_own_verb() -> None:
    line = "- Modified `a.py` + created `b.py`, and deleted `c.py` - Moved the rest"
    text = f"# Edit History\n\n### 2026-07-30\n\n#### 10:00:00 UTC - T2: Split\n{line}\n- Modified `a.py` and see `b.py` - x\n"
    found = [(each.extra["action"], each.extra["file_path"]) for each in records("edit_history.md", text)[1:]]
    assert found == [("Modified", "a.py"), ("Created", "b.py"), ("Deleted", "c.py"), ("Modified", "a.py")]


def test_what_a_caption_says_of_the_files_below_it() -> None:
    text = (
        "### 2025-12-05\n\n#### 10:00 - T4: Remove the old parser\n- `use.js` - callers\n\n"
        "#### 09:00 - T5: Lists\nNew files:\n- `a.js` - one\n\n**Files modified (2):**\n- `b.js` - two\n"
        "- Deleted:\n  - `c.js` - three\n\n## 2025-12-04: Initial\n\n**Files Created**\n- `d.js` - four\n"
    )
    assert [(each.action, each.path) for each in history(text).modifications] == [
        ("Modified", "use.js"), ("Created", "a.js"), ("Modified", "b.js"), ("Deleted", "c.js"), ("Created", "d.js")
    ]  # fmt: skip


def test_ids_of_trackers_and_names_of_standards() -> None:
    assert one("#### 10:00 - PROJ-12: Start")[3:] == (("PROJ-12",), "Start")
    assert one("#### 10:00 - UTF-8: Names")[3:] == ((), "UTF-8: Names")
    assert one("#### 10:00 - GPT-5 and T3: Try it")[3] in ((), ("T3",))
    text = "| ID | Title | Status | Started | Dependencies |\n|---|---|---|---|---|\n| PROJ-2 | A | ✅ | Sep 18, 2026 | PROJ-1, T3 |\n"
    [row] = records("tasks.md", f"# Tasks\n\n{text}")
    assert (row.extra["task"], row.extra["dependencies"]) == ("PROJ-2", ["PROJ-1", "T3"])
    assert row.at
    assert row.at.rfc3339() == "2026-09-18"


def test_fields_of_an_error_in_a_list() -> None:
    text = "# Error Log\n\n### 2026-09-21 13:21 UTC — Overflow\n\n- Symptom: all fail\n- **Root cause:** a loop\n- Resolution: none\n\n---\n"
    [found] = records("errorLog.md", text)
    assert (found.extra["error"], found.extra["cause"], found.extra["fix"]) == ("all fail", "a loop", "none")


def test_the_place_of_a_path_in_a_bullet() -> None:
    text = "### 2025-12-05\n\n#### 10:00 - T1: x\n- Fixed `pool.py` - y\n"
    [found] = history(text).modifications
    assert found.at.of(text) == "pool.py"


def test_an_entry_of_a_chunk_needs_no_day_above_it() -> None:
    text = "#### 10:00:00 UTC - T1: Pool\n- Modified `a.py` - x\n"
    assert chunk(text).deviations == ()
    assert [each.name for each in history(text).deviations] == ["entry-without-date"]


def test_what_stands_above_the_first_heading_has_no_level() -> None:
    assert [each.level for each in sections(list(lines_of("Text.\n\n# Head\n")))] == [0, 1]
