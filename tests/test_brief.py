"""What a session is told when it begins: the same from the hook, `start` and MCP, in every dialect."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mcp_client import server
from memdown import Memory
from memdown.acts.brief.since import since
from memdown.dialects.bank import briefing
from memdown.git import process
from memdown.markdown import tokens
from samples import CARD, put
from samples import in_process as memdown
from test_hooks import said

TASKS = """\
# Tasks

## Active Tasks

| ID | Title | Status | Priority | Started | Dependencies | Details |
|----|-------|--------|----------|---------|--------------|---------|
| T1 | Viewer | 🔄 | HIGH | 2026-01-01 | T2 | [Details](tasks/T1.md) |
| T2 | Parser | ⬜ | LOW | - | - | - |
| T3 | Export | ⏸️ | LOW | 2026-01-01 | - | - |
"""
TASK = """\
# T1: Viewer
*Last Updated: 2026-01-02 12:00:00 UTC*

**Status**: 🔄 In progress
**Priority**: HIGH

## Completion Criteria
- [x] Opens a file
- [ ] Shows a table
"""
CACHE = """\
# Session Cache
*Last Updated: 2026-01-02 12:00:00 UTC*

**Started**: 2026-01-02 10:00:00 UTC
**Focus Task**: T1: Viewer
**Session File**: `sessions/2026-01-02-morning.md`

## Overview
- Active: 1 | Paused: 1

## Next Session Focus
1. Finish the table
"""
LOG = """\
# Decisions

### 2026-01-03T10:00:00Z: Use SQLite
**By:** Ada
**What:** One file is enough.
**Why:** No server to run.
"""


def begin(root: Path) -> str:
    return said(root, "SessionStart", source="startup")


def git(root: Path, *args: str) -> None:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", "-C", str(root), *who, *args], check=True, capture_output=True)


def test_a_journal_says_its_tasks(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/tasks.md", TASKS)
    put(tmp_path, "memory-bank/tasks/T1.md", TASK)
    put(tmp_path, "memory-bank/session_cache.md", CACHE)
    text = begin(tmp_path)
    assert "Focus (memory-bank/session_cache.md:1):\nT1: Viewer\n" in text
    assert "In progress (memory-bank/tasks.md:7):\n- T1 Viewer (high, waits for T2)\n" in text
    assert "- T1: Shows a table\n" in text
    assert "- T3 Export (low)" in text
    assert "\n- Finish the table\n" in text
    ran = memdown(tmp_path, "start")
    assert ran.returncode == 0
    assert "In progress (1):\n  - T1 Viewer (high, waits for T2)\n" in ran.stdout


def test_every_surface_says_the_same(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", LOG)
    assert "Newest decisions:\n- 2026-01-03 Use SQLite (.squad/decisions.md:3)\n" in begin(tmp_path)
    told = json.loads(memdown(tmp_path, "start", "--json").stdout)
    item = {"text": "2026-01-03 Use SQLite", "path": ".squad/decisions.md", "line": 3}
    assert {"part": "decisions", "title": "Newest decisions", "items": [item]} in told["parts"]
    assert told["warnings"] == []
    with server(tmp_path, banks=tmp_path / "banks") as client:
        client.initialize()
        assert client.value("start_session")["also"] == told["parts"]


@pytest.mark.parametrize(
    "blank", ["- [Blocker 1: …]", "- (what comes next)\n- (and then)", "- <!-- TODO: next -->", "- None", "-"]
)
def test_a_form_that_nobody_filled_in_is_not_stated(tmp_path: Path, blank: str) -> None:
    put(
        tmp_path,
        "memory-bank/activeContext.md",
        f"# Active Context\n\n## Blockers\n{blank}\n\n## Next Steps\n{blank}\n",
    )
    put(
        tmp_path,
        "memory-bank/decisionLog.md",
        "# Decision Log\n\n## Decision: [Decision Title]\n- **Status**: [Accepted]\n",
    )
    text = begin(tmp_path)
    assert "Blockers" not in text
    assert "Next steps" not in text or blank == "- None"
    assert "[Decision Title]" not in text


def test_memory_of_several_folders_is_read_in_one_order(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/projectbrief.md", "# Project Brief\n\nTea.\n")
    put(tmp_path, "memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Cart\n")
    put(tmp_path, "docs/memory-bank/session_cache.md", CACHE)
    put(tmp_path, "docs/memory-bank/tasks.md", TASKS)
    put(tmp_path, ".squad/decisions.md", LOG)
    order = [
        *("memory-bank/projectbrief.md", "memory-bank/progress.md"),
        *("docs/memory-bank/session_cache.md", "docs/memory-bank/tasks.md", ".squad/decisions.md"),
    ]
    told = f"Read in this order: {', '.join(order)}\n"
    assert told in begin(tmp_path)
    assert told in memdown(tmp_path, "start", "--no-record").stdout
    with server(tmp_path, banks=tmp_path / "banks") as mcp:
        mcp.initialize()
        [read] = [each for each in mcp.value("start_session")["also"] if each["part"] == "read"]
        added = mcp.value("add", kind="task", title="Sell")
        assert (added["id"], added["path"]) == ("docs/T4", "docs/memory-bank/tasks/T4.md")
        assert mcp.value("set_task", task=added["id"], state="started")["changed"]
    assert [each["path"] for each in read["items"]] == order


def test_an_edit_is_told_and_not_each_file_of_it(tmp_path: Path) -> None:
    entry = "#### 10:00:00 UTC - T1: Drew the viewer\n- Modified `src/a.py` - Lines\n- Created `src/b.py` - Tables\n"
    put(tmp_path, "memory-bank/edit_history.md", f"# Edit History\n\n### 2026-01-02\n\n{entry}")
    told = "Newest entries:\n- 2026-01-02 Drew the viewer (memory-bank/edit_history.md:5)\n<"
    assert told in begin(tmp_path)


def test_what_does_not_fit_is_counted(tmp_path: Path) -> None:
    steps = "".join(f"- Step {number} of many words that say what is to be done next\n" for number in range(40))
    put(tmp_path, "memory-bank/activeContext.md", f"# Active Context\n\n## Next Steps\n{steps}")
    put(tmp_path, "memdown.toml", "[hooks]\nsession-tokens = 120\n")
    text = begin(tmp_path)
    assert tokens.estimate(text) <= 120
    assert "Step 0" in text
    put(tmp_path, "memdown.toml", "[hooks]\nsession-tokens = 330\n")
    text = said(tmp_path, "SessionStart", source="startup", session_id="other")
    assert tokens.estimate(text) <= 330
    shown = text.count("- Step ")
    assert 4 < shown < 40
    assert f"Left out: {40 - shown} of next steps" in text


def test_commits_without_a_word_in_memory_are_named(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nThe pool.\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Memory")
    assert "Not in memory yet" not in begin(tmp_path)
    put(tmp_path, "a.py", "x")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Add a")
    text = said(tmp_path, "SessionStart", source="startup", session_id="other")
    assert "Not in memory yet: 1 commit of 1 file since it was last committed:\n" in text
    assert " Add a\n" in text


def test_commits_of_settings_or_of_memory_are_nothing_to_document(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    put(tmp_path, "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nThe pool.\n")
    put(tmp_path, "memory-bank/old.md", "# Old\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Memory")
    put(tmp_path, ".mcp.json", "{}\n")
    put(tmp_path, ".gitattributes", "memory-bank/**/*.md merge=memdown\n")
    put(tmp_path, "memdown.toml", "[hooks]\ncapture = true\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Install memdown")
    assert "Not in memory yet" not in begin(tmp_path)
    put(tmp_path, "a.py", "x")
    put(tmp_path, ".mcp.json", "{ }\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "Add a")
    text = said(tmp_path, "SessionStart", source="startup", session_id="other")
    assert "Not in memory yet: 1 commit of 1 file since it was last committed:\n" in text
    assert "Install memdown" not in text
    git(tmp_path, "rm", "-q", "memory-bank/old.md")
    git(tmp_path, "commit", "-qm", "Drop what is old")
    assert "Not in memory yet" not in said(tmp_path, "SessionStart", source="startup", session_id="third")


def test_files_without_dates_or_known_headings_are_named(tmp_path: Path) -> None:
    put(tmp_path, "memory/projects/api/notes.md", "<!-- Last Updated: 2026-01-01 -->\n# Notes of the API\n\nText.\n")
    assert "Notes of the API" in begin(tmp_path)


DIRECTIVE = """\
### 2026-01-0{day}T10:00:00Z: User directive

**By:** Ada
**What:** {text}
**Why:** Asked for.

"""


def test_a_directive_is_told_with_what_it_says_and_once(tmp_path: Path) -> None:
    long = "Squash before a merge, " + "and say in the message what was merged, " * 8
    texts = ["Never push on Fridays.", long, "Never push on Fridays."]
    log = "".join(DIRECTIVE.format(day=day, text=text) for day, text in enumerate(texts, 1))
    put(tmp_path, ".squad/decisions.md", f"# Decisions\n\n{log}")
    rows = [row for row in begin(tmp_path).splitlines() if "User directive" in row]
    assert [row.partition(" (.squad")[0] for row in rows] == [
        "- 2026-01-03 User directive: Never push on Fridays.",
        "- 2026-01-02 User directive: Squash before a merge, and say in the message what was merged, and say in the"
        " message what was merged, and say in the message what was merged, and say in the...",
    ]


def test_a_day_is_not_told_twice(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/tasks.md", TASKS)
    put(
        tmp_path,
        "memory-bank/sessions/2026-01-02-morning.md",
        "# Session 2026-01-02 - Morning\n\n## Work Done\n- Tables\n",
    )
    assert "2026-01-02 Session 2026-01-02" not in begin(tmp_path)
    assert "- Session 2026-01-02 - Morning" in begin(tmp_path)


BLANK_CACHE = """\
# Session Cache

## Current Session
**Started**: 2026-01-05 12:29:25 UTC
**Focus Task**: {focus}

## Next Session Context
{next}
"""
EMPTY_LOG = (
    "# Decision Log\n\n## Decision 1\n- **Date:** [Date]\n- **Context:** [Context]\n- **Decision:** [Decision]\n"
)


def test_a_session_cache_and_a_decision_that_nobody_filled_in_are_not_stated(tmp_path: Path) -> None:
    put(
        tmp_path, "memory-bank/session_cache.md", BLANK_CACHE.format(focus="[Task ID]", next="[Notes for next session]")
    )
    put(tmp_path, "memory-bank/decisionLog.md", EMPTY_LOG)
    told = Memory.open(tmp_path).context().text
    assert "[" not in told
    assert "Decision 1" not in told
    put(tmp_path, "memory-bank/session_cache.md", BLANK_CACHE.format(focus="T3: The cart", next="Ask for the key"))
    put(tmp_path, "memory-bank/decisionLog.md", "# Decision Log\n\n[2026-01-05 10:00:00] - [Use SQLite: one file]\n")
    told = Memory.open(tmp_path).context().text
    assert all(each in told for each in ("T3: The cart", "Ask for the key", "Use SQLite"))


def test_what_is_over_or_said_already_is_not_stated(tmp_path: Path) -> None:
    doing = (
        "- [ ] Import\n- Import\n- Export (COMPLETED 2026-05-09)\n- [2026-01-01 10:00:00] - **Completed Task**: Read\n"
        "- [2026-01-02 10:00:00] - Fixed the totals\n- [2026-01-02] - (🧪 TDD) 完成了测试\n- Move finished successfully\n"
    )
    rest = "- Charts ✅\n- Print\n- Fixed costs page\n- [2026-01-03] - 完成登录\n"
    put(tmp_path, "memory-bank/progress.md", f"# Progress\n\n## In Progress\n{doing}{rest}")
    put(tmp_path, "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\n\n(what we work on now)\n")
    put(tmp_path, "memory-bank/techContext.md", "# Tech Context\n\n## Stack\n")
    text = begin(tmp_path)
    assert (
        "In progress (memory-bank/progress.md:4):\n- Import\n- Print\n- Fixed costs page\n- [2026-01-03] - 完成登录\nMissing files: "
        in text
    )
    assert "Focus" not in text
    assert "techContext.md" not in text


def test_a_long_focus_leaves_room_and_what_is_left_out_is_told(tmp_path: Path) -> None:
    focus = "\n".join(f"- Point {n}: {'a word and another, ' * 12}" for n in range(40))
    put(tmp_path, "memory-bank/activeContext.md", f"# Active Context\n\n## Current Focus\n{focus}\n")
    items = "\n".join(f"- [ ] Item {n} {'of some length ' * 12}" for n in range(40))
    put(tmp_path, "memory-bank/progress.md", f"# Progress\n\n## In Progress\n{items}\n\n## Upcoming\n{items}\n")
    put(tmp_path, ".squad/decisions.md", LOG)
    text = begin(tmp_path)
    assert "In progress (memory-bank/progress.md:4):\n- Item 0" in text
    assert text.splitlines()[-2].startswith("Left out: ")
    assert tokens.estimate(text) <= 1000


def test_a_directive_is_told_by_what_it_says(tmp_path: Path) -> None:
    """Not by who captured it when; a heading that only has directives below it is none."""
    log = (
        "# Decisions\n\n## User Directives\n\n### No migrations (2026-04-27)\n**By:** Ann\n**What:** None unasked.\n\n---\n\n"
        "## User Directive: Release flow\n\n**Captured:** 2026-03-20T14:11:50Z\n**Authority:** Bob (owner)\n\nMerge, then tag.\n"
    )
    put(tmp_path, ".squad/decisions.md", log)
    text = begin(tmp_path)
    assert "Release flow: Merge, then tag. (" in text
    assert "User Directives" not in text


def test_what_to_read_has_its_room_before_long_lists(tmp_path: Path) -> None:
    steps = "".join(f"- [ ] Step number {each} of the long way to the release of the shop\n" for each in range(80))
    put(tmp_path, "memory-bank/progress.md", f"# Progress\n\n## In Progress\n{steps}\n## Upcoming\n{steps}")
    told = begin(tmp_path)
    assert "\nRead in this order: memory-bank/progress.md\n" in told
    assert "of in progress" in told.rpartition("Left out:")[2]


@pytest.mark.parametrize("grows", ["down", "up", ""])
def test_of_one_day_the_newest_is_where_the_log_grows(tmp_path: Path, grows: str) -> None:
    days = {"down": ("2026-01-01", "2026-01-02", "2026-01-02"), "up": ("2026-01-02", "2026-01-02", "2026-01-01")}
    names = ("First", "Second", "Third")
    dated = zip(names, days.get(grows, ("", "", "")), strict=True)
    entries = (
        f"## Decision: {name}\n" + (f"- **Date**: {day}\n" if day else "") + f"- **Rationale**: {name}!\n"
        for name, day in dated
    )
    put(tmp_path, "memory-bank/decisionLog.md", "# Decision Log\n\n" + "\n".join(entries))
    told = begin(tmp_path)
    expected = names if grows == "up" else names[::-1]
    assert sorted(names, key=lambda name: told.index(f"{name} (")) == list(expected)


def test_what_one_part_says_no_other_repeats(tmp_path: Path) -> None:
    put(
        tmp_path,
        "memory-bank/activeContext.md",
        "# Active Context\n\n## Current State\nEarly days.\n\n### Current Focus\n- The cart\n- The till\n\n## Recent Changes\n"
        "- Chose Redis for sessions — 2026-02-01\n",
    )
    put(
        tmp_path,
        "memory-bank/decisionLog.md",
        "# Decision Log\n\n## Decision: Chose Redis for sessions\n- **Date**: 2026-02-01\n",
    )
    told = begin(tmp_path)
    assert told.count("The cart") == told.count("Early days.") == told.count("Chose Redis for sessions") == 1
    assert "### Current Focus" not in told


def test_a_team_is_told_what_its_coordinator_keeps_as_the_focus(tmp_path: Path) -> None:
    put(
        tmp_path, ".squad/decisions.md", "# Decisions\n\n### 2026-02-01: Use SQLite\n**By:** Ann\n**What:** One file.\n"
    )
    now = "---\nupdated_at: 2026-02-02T10:00:00Z\nfocus_area: {}\nactive_issues: []\n---\n\n# What We're Focused On\n\n{}\n"
    put(tmp_path, ".squad/identity/now.md", now.format("The till", "Taking money."))
    told = begin(tmp_path)
    assert "Focus (.squad/identity/now.md:1):\nAs of 2026-02-02: The till\n" in told
    assert "\nRead in this order: .squad/identity/now.md, .squad/decisions.md\n" in told
    put(tmp_path, ".squad/identity/now.md", "# Now\n\n**Focus:** The cart\n\n- Totals are wrong\n")
    assert "Focus (.squad/identity/now.md:3):\n**Focus:** The cart\n- Totals are wrong\n" in begin(tmp_path)
    put(tmp_path, ".squad/identity/now.md", now.format("The till", "Taking money.").removeprefix("---\n"))
    assert "Focus (.squad/identity/now.md:1):\nAs of 2026-02-02: The till\n" in begin(tmp_path)
    untouched = now.format("Initial setup", "Getting started. Updated by coordinator at session start.")
    put(tmp_path, ".squad/identity/now.md", untouched)
    told = begin(tmp_path)
    assert "Focus" not in told
    assert "\nRead in this order: .squad/decisions.md\n" in told


def test_knowledge_and_layers_are_read_in_an_order_too(tmp_path: Path) -> None:
    put(tmp_path, "memory/projects/shop/common_patterns.md", "<!-- Last Updated: 2026-01-01 -->\n# Patterns\n\nOne.\n")
    put(tmp_path, "memory/projects/shop/project_profile.md", "<!-- Last Updated: 2026-01-01 -->\n# Shop\n\nSells.\n")
    put(tmp_path, "memory/skills/review/shop/known_issues.md", "<!-- Last Updated: 2026-01-01 -->\n# Issues\n\nTax.\n")
    put(tmp_path, "memory/skills/review/index.md", "# Review\n\nHow this is used.\n")
    put(tmp_path, "knowledge/index.md", '---\nokf_version: "0.2"\n---\n\n# Tables\n\n* [Orders](tables/orders.md)\n')
    put(tmp_path, "knowledge/tables/orders.md", "---\ntype: table\ntitle: Orders\n---\n\nA row each.\n")
    put(tmp_path, "knowledge/tables/index.md", "# Tables\n\n* [Orders](orders.md)\n")
    files = (
        "knowledge/index.md, memory/projects/shop/project_profile.md, memory/projects/shop/common_patterns.md,"
        " memory/skills/review/shop/known_issues.md\n"
    )
    assert f"\nRead in this order: {files}" in begin(tmp_path)


def test_of_many_files_to_read_the_first_are_named(tmp_path: Path) -> None:
    for number in range(15):
        name = f"memory/projects/p{number:02}/project_profile.md"
        put(tmp_path, name, "<!-- Last Updated: 2026-01-01 -->\n# P\n\nIt is.\n")
    told = begin(tmp_path)
    assert "memory/projects/p11/project_profile.md, and 3 more\n" in told
    assert "memory/projects/p12/project_profile.md, " not in told


def test_a_claim_is_told_with_what_it_leads_in_to(tmp_path: Path) -> None:
    log = (
        "# Decisions\n\n### 2026-02-01: User directive\n**By:** Ann\n\nCommit in two steps:\n\n1. The model\n2. The rest\n\n"
        "### 2026-02-02T10:00:00Z\n**By:** Ann\n**What:** Tags are signed.\n"
    )
    put(tmp_path, ".squad/decisions.md", log)
    told = begin(tmp_path)
    assert "Commit in two steps: 1. The model" in told
    assert "Tags are signed." in told


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders there")
def test_a_repository_that_never_answers_keeps_nobody_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git/objects").mkdir(parents=True)
    (tmp_path / ".git/refs").mkdir()
    os.mkfifo(tmp_path / ".git/HEAD")
    assert since(str(tmp_path), (), 0.05).day == ""
    monkeypatch.setattr(process, "_SOON", 0.05)
    assert process.output(tmp_path, "log") == ""
    monkeypatch.setattr("memdown.git.process.subprocess.Popen", None)  # it is not asked again
    assert process.output(tmp_path, "log") == ""


def test_no_comment_is_stated_and_two_versions_of_a_merge_are_said_to_be(tmp_path: Path) -> None:
    both = "Cart.\n\nCheckout. <!-- soon -->\n<!-- memdown merge: both sides changed this, and both are kept -->\n"
    active = (
        f"# Active Context\n\n## Current Focus\n<!-- one\nline -->\n{both}\n## Current State\nUse `<!-- x -->` there.\n"
    )
    put(
        tmp_path,
        "memory-bank/activeContext.md",
        f"{active}\n## Blockers\n- <!-- 7 --> The bank's keys <!-- ask Ann -->\n",
    )
    put(tmp_path, "memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Invoices <!-- id: 8 -->\n")
    decided = "- **Date**: 2026-01-02\n- **Status**: Accepted\n- **Rationale**: It is <!-- or seems --> quick\n"
    put(tmp_path, "memory-bank/decisionLog.md", f"# Decision Log\n\n## Use Zephyr <!-- adr 7 -->\n{decided}")
    versions = "2 versions after a merge; choose with `memdown resolve -i`"
    told = begin(tmp_path)
    asked = said(tmp_path, "UserPromptSubmit", prompt="current focus checkout")
    decision = said(tmp_path, "UserPromptSubmit", prompt="why is Zephyr quick?")
    context = Memory.open(tmp_path).context("Zephyr").text
    started = json.loads(memdown(tmp_path, "start", "--json").stdout)
    for text in (told, asked, decision, context, json.dumps(started)):
        assert "<!--" not in text.replace("`<!-- x -->`", "")
        assert not any(word in text for word in ("both are kept", "ask Ann", "adr 7", "or seems", "id: 8"))
    assert f"Cart.\nCheckout.\nState (memory-bank/activeContext.md:11):\nUse `<!-- x -->` there.\n{versions}:\n" in told
    assert "- Current Focus (memory-bank/activeContext.md:9)" in told
    assert "- The bank's keys\n" in told
    assert "- Invoices\n" in told
    assert f"(memory-bank/activeContext.md:3; {versions})" in asked
    assert "It is quick" in " ".join(decision.split())
    assert f"a required file; {versions})\n~~~\n# Active Context\n\n## Current Focus\nCart.\n\nCheckout.\n" in context
    assert started["focus"] == "Cart.\nCheckout."
    with server(tmp_path, banks=tmp_path / "banks") as client:
        client.initialize()
        titles = [each["title"] for each in client.value("start_session")["also"] if each["part"] == "merged"]
    assert titles == [f"{versions} (for the user to run)"]


# What nobody filled in

ROO = {
    "activeContext.md": "# Active Context\n\nThis file tracks the project's current status, including recent changes, current"
    " goals, and open questions.\n2025-01-01 10:00:00 - Log of updates made.\n\n*\n\n## Current Focus\n\n*   \n\n## Recent Changes\n\n*   \n",
    "progress.md": "# Progress\n\nThis file tracks the project's progress using a task list format.\n2025-01-01 10:00:00 - Log of"
    " updates made.\n\n*\n\n## Completed Tasks\n\n*   \n\n## Current Tasks\n\n*   \n",
    "decisionLog.md": "# Decision Log\n\nThis file records architectural and implementation decisions using a list format.\n"
    "[2025-03-26 21:35:08] - File initialized\n\n*\n\n## Decision\n\n*\n\n## Rationale\n\n*\n",
    "systemPatterns.md": "# System Patterns *Optional*\n\nThis file documents recurring patterns and standards used in the project.\n"
    "It is optional, but recommended to be updated as the project evolves.\n2025-01-01 10:00:00 - Log of updates made.\n\n*\n\n"
    "## Coding Patterns\n\n*   \n",
}


def test_templates_that_nobody_touched_are_not_to_be_read(tmp_path: Path) -> None:
    for name, text in ROO.items():
        put(tmp_path, f"memory-bank/{name}", text)
    brief = "# Product Context\n\n## Project Goal\n\n* Tea for everybody.\n"
    put(tmp_path, "memory-bank/productContext.md", brief)
    assert begin(tmp_path).endswith("\nRead in this order: memory-bank/productContext.md\n</project-memory>")
    put(tmp_path, "memory-bank/progress.md", ROO["progress.md"].replace("*   \n", "* Login\n", 1))
    assert "\nRead in this order: memory-bank/productContext.md, memory-bank/progress.md\n" in begin(tmp_path)


def test_a_new_bank_has_nothing_to_read_yet(tmp_path: Path) -> None:
    memdown(tmp_path, "init")
    first = memdown(tmp_path, "start").stdout
    assert "Read in this order" not in first
    assert "44 sections are not filled in yet" in first
    assert "Read in this order" not in memdown(tmp_path, "start").stdout  # the start was recorded
    assert "\nNo entries yet; kept here (7 files): memory-bank/activeContext.md" in begin(tmp_path)
    memdown(tmp_path, "add", "decision", "Use SQLite", "--why", "One file.")
    assert "\nRead in this order: memory-bank/decisionLog.md\n" in memdown(tmp_path, "start").stdout


@pytest.mark.parametrize(
    "line",
    [
        "File initialized",
        "the memory bank was made from the brief",
        "*Initial creation of product context based on available information.*",
    ],
)
def test_a_line_that_says_only_that_a_file_was_made_is_no_news(tmp_path: Path, line: str) -> None:
    log = f"# Decision Log\n\n2025-03-26 21:35:08 - {line}\n\n2025-03-27 09:00:00 - Chose SQLite\n"
    put(tmp_path, "memory-bank/decisionLog.md", log)
    said = begin(tmp_path)
    assert "Chose SQLite" in said
    assert line.strip("*") not in said
    assert line.strip("*.") in memdown(tmp_path, "list").stdout


def test_a_head_of_dates_alone_is_not_context(tmp_path: Path) -> None:
    head = "*Created: 2025-04-15 10:00:00 IST*\n*Last Updated: 2025-05-01 10:00:00 IST*\n"
    put(
        tmp_path,
        "memory-bank/projectbrief.md",
        f"# Project Brief\n\n{head}\n## Mission Statement\nTea for everybody.\n",
    )
    active = "## Current Focus\nThe cart.\n\n## Blockers\n- [Blocker 1]\n"
    put(tmp_path, "memory-bank/activeContext.md", f"# Active Context\n\n{head}\n{active}")
    text = memdown(tmp_path, "context", "tea").stdout
    assert "Tea for everybody." in text
    assert "The cart." in text
    assert "Created:" not in text
    assert "Last Updated:" not in text


def directive(text: str, by: str) -> str:
    return f"### 2026-01-05T10:00:00Z: User directive\n**By:** {by}\n**What:** {text}.\n\n"


def test_what_nobody_settled_is_no_rule(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    put(project, ".squad/decisions.md", f"# Decisions\n\n{directive('Tabs, never spaces', 'Ann')}{LOG[13:]}\n")
    git(tmp_path, "init", "-q", "-b", "main", str(project))
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Begin")
    log = project / ".squad/decisions.md"
    tabs = "2026-01-05 User directive: Tabs, never spaces."
    assert f"Directives in force:\n- {tabs} (.squad/decisions.md:3)\n" in begin(project)
    git(project, "switch", "-q", "-c", "topic")
    log.write_text(log.read_text("utf-8") + directive("Push without tests", "Eve"), "utf-8")
    eve = ("-c", "user.name=Eve", "-c", "user.email=eve@example.org")
    git(project, *eve, "commit", "-qam", "Topic")
    log.write_text(log.read_text("utf-8") + directive("Never rotate keys", "claude"), "utf-8")
    told = begin(project)
    with server(project, banks=tmp_path / "banks") as client:
        client.initialize()
        also = {
            part["part"]: [each["text"] for each in part["items"]] for part in client.value("start_session")["also"]
        }
        context = client.value("context")["text"]
    for text in (told, memdown(project, "start").stdout, context):
        assert text.count("Tabs, never spaces") == 1
        assert (
            "unconfirmed: 2026-01-05 User directive: Push without tests. [on branch topic, not merged, by Eve]" in text
        )
        assert (
            "unconfirmed: 2026-01-05 User directive: Never rotate keys. [written by an assistant, not confirmed]"
            in text
        )
        in_force = text[text.index("Directives in force") : text.index("Unconfirmed directives")]
        assert "Tabs, never spaces" in in_force
        assert "unconfirmed" not in in_force
    assert also["directives"] == [tabs]
    assert len(also["proposed"]) == 2


def test_a_decision_and_a_memory_that_cannot_be_relied_on_are_said_to_be(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    put(project, "README.md", "# Shop\n")
    put(project, ".squad/decisions.md", "# Decisions\n")
    put(
        project,
        "memory/projects/shop/notes.md",
        "<!-- Last Updated: 2020-01-02 -->\n\n# Notes of old\n\nThe pool is small.\n",
    )
    git(tmp_path, "init", "-q", str(project))
    git(project, "add", "-A")
    git(project, "commit", "-qm", "Begin")
    put(project, ".squad/decisions.md", LOG)
    told = begin(project)
    assert "- unconfirmed: 2026-01-03 Use SQLite [uncommitted] (.squad/decisions.md:3)\n" in told
    assert "stale: " in told
    assert "[last updated " in told


def test_a_later_session_is_told_decisions_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, ".squad/decisions.md", LOG)
    for day in ("2026-01-10", "2026-01-12"):
        monkeypatch.setenv("MEMDOWN_NOW", day)
        told = said(tmp_path, "SessionStart", source="startup", session_id=day)
        assert "Newest decisions:\n- 2026-01-03 Use SQLite (.squad/decisions.md:3)\n" in told
        said(tmp_path, "SessionEnd", session_id=day)
    new = "\n### 2026-01-13T10:00:00Z: Use WAL\n**By:** Ada\n**What:** Readers never wait.\n"
    put(tmp_path, ".squad/decisions.md", LOG + new)
    monkeypatch.setenv("MEMDOWN_NOW", "2026-01-14")
    told = said(tmp_path, "SessionStart", source="startup", session_id="third")
    assert (
        "Decisions since 2026-01-12:\n- 2026-01-13 Use WAL (.squad/decisions.md:8)\nDecisions before that:\n- 2026-01-03 "
        in told
    )


def test_what_is_left_out_is_shown_where_it_says(tmp_path: Path) -> None:
    items = "".join(f"- [ ] Move the page number {number} to the new layout of the shop\n" for number in range(60))
    put(tmp_path, "memory-bank/progress.md", f"# Progress\n\n## In Progress\n{items}")
    assert "`memdown start --all` shows all." in begin(tmp_path)
    assert "… and 55 more" in memdown(tmp_path, "start").stdout
    assert memdown(tmp_path, "start", "--all").stdout.count("Move the page number") == 60


def test_files_that_a_bank_lacks_are_named(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nPaging.\n")
    put(tmp_path, "memory-bank/projectBrief.md", "# Project Brief\n\nA shop.\n")
    missing = [row for row in begin(tmp_path).splitlines() if row.startswith("Missing files: ")]
    told = json.loads(memdown(tmp_path, "start", "--json").stdout)
    marked = [f"memory-bank/{each} (required)" for each in told["missing_required"]]
    marked += [f"memory-bank/{each} (recommended)" for each in told["missing_recommended"]]
    assert missing == [f"Missing files: {', '.join(marked)}"]
    assert len(marked) == 5
    for name in (*told["missing_required"], *told["missing_recommended"]):
        put(tmp_path, f"memory-bank/{name}", "# File\n\nText.\n")
    assert "Missing files" not in begin(tmp_path)
    (tmp_path / "memory-bank/techContext.md").unlink()
    assert "Missing files: memory-bank/techContext.md (" in begin(tmp_path)


@pytest.mark.parametrize("kind", ["cards", "kilo", "journal", "none"])
def test_nothing_is_missing_where_no_bank_asks_for_it(tmp_path: Path, kind: str) -> None:
    put(tmp_path, "memories/3f2b8c1e-0000-4000-8000-000000000001.md", CARD)
    kilo = ("brief.md", "product.md", "architecture.md", "tech.md", "context.md")
    names = {"kilo": kilo, "journal": ("tasks.md", "edit_history.md", "session_cache.md"), "none": ("notes.md",)}
    for name in names.get(kind, ()):
        put(tmp_path, f"memory-bank/{name}", "# File\n\nText.\n")
    assert "Missing files" not in begin(tmp_path)


def test_an_item_of_brackets_and_blanks_takes_linear_time() -> None:
    """A quadratic pattern would take longer than a test may."""
    assert briefing._OVER.match(f"[ab]{' ' * 300_000}x") is None
    assert all(map(briefing._OVER.match, ("[ab] - ✅ x", "[ab] completed: x", "✅ x", "[ab] -- Completed (x)")))
