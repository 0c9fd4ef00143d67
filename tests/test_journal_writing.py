"""Commands that write a journal: edits, tasks, sessions, errors; what git shows; and the journal from its records."""

import subprocess
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Ran, draws
from memdown import Memory
from memdown.dialects.journal.circles import circles
from memdown.errors import MemdownError
from memdown.memory.journal.tasks import FROM
from samples import put

Cli = Callable[..., Ran]
HISTORY = """\
# Edit History
*Created: 2026-01-10 12:00:00 IST*
*Last Updated: 2026-01-31 17:18:15 IST*

### 2026-01-31

#### 17:18:15 IST - T21: Older
- Modified `a.py` - x
"""


def text(name: str) -> str:
    return Path("memory-bank", name).read_bytes().decode("utf-8")


def git(*args: str, at: str = "2026-01-01T00:00:00Z") -> None:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    dates = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at, "PATH": "/usr/bin:/bin:/usr/local/bin"}
    subprocess.run(["git", *who, *args], check=True, capture_output=True, env=dates)


# Edits


def test_an_edit_begins_the_history(cli: Cli) -> None:
    ran = cli("add", "edit", "Viewer", "--task", "T21,T22", "--created", "src/a.js: Lists files", "--modified", "b.md")
    assert ran == (0, "Created memory-bank/edit_history.md:7 Viewer\n", "")
    assert text("edit_history.md") == (
        "# Edit History\n*Created: 2026-02-01 12:00:00 UTC*\n*Last Updated: 2026-02-01 12:00:00 UTC*\n\n"
        "### 2026-02-01\n\n#### 12:00:00 UTC - T21, T22: Viewer\n"
        "- Created `src/a.js` - Lists files\n- Modified `b.md` - Viewer\n"
    )


@pytest.mark.parametrize(
    ("said", "options", "heading"),
    [
        ("T21: Viewer", (), "T21: Viewer"),
        ("T3, T13: Viewer", ("--task", "T13"), "T13, T3: Viewer"),
        ("T5 - Viewer", (), "T5: Viewer"),
        ("Viewer of T21", (), "Viewer of T21"),
        ("Task: a viewer", (), "Task: a viewer"),
    ],
)
def test_a_description_may_begin_with_its_tasks_as_a_heading_does(
    cli: Cli, said: str, options: tuple[str, ...], heading: str
) -> None:
    assert cli("add", "edit", said, *options, "--modified", "b.md").code == 0
    rest = heading.rpartition(": ")[2] if heading[:4] != "Task" else heading
    assert f"#### 12:00:00 UTC - {heading}\n- Modified `b.md` - {rest}\n" in text("edit_history.md")


def test_a_new_edit_is_first_and_the_rest_keeps_its_bytes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(Path.cwd(), "memory-bank/edit_history.md", HISTORY.replace("\n", "\r\n"))
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01T18:00:00+05:30")
    told = cli("add", "edit", "New", "-f", "modified:src/a.py:why: so", "--json").json()
    assert (told["path"], told["line"], told["created"]) == ("memory-bank/edit_history.md", 7, True)
    new = "### 2026-02-01\r\n\r\n#### 18:00:00 IST - New\r\n- Modified `src/a.py` - why: so\r\n\r\n"
    expected = HISTORY.replace("2026-01-31 17:18:15", "2026-02-01 18:00:00").replace("\n", "\r\n")
    assert text("edit_history.md") == expected.replace("### 2026-01-31", new + "### 2026-01-31")
    again = cli("add", "edit", "New", "-f", "modified:src/a.py:why: so", "--json").json()
    assert (again["id"], again["created"], again["written"]) == (told["id"], False, [])


@pytest.mark.parametrize(
    ("now", "written"),
    [
        (datetime(2026, 2, 1, 18, tzinfo=timezone(timedelta(hours=5, minutes=30))), "18:00:00 IST"),
        (datetime(2026, 2, 1, 18, tzinfo=timezone(timedelta(hours=3))), "15:00:00 UTC"),
        (datetime(2026, 2, 1, 18, tzinfo=timezone(timedelta(hours=-3), "-03")), "21:00:00 UTC"),
        (datetime(2026, 2, 1, 18, tzinfo=timezone(timedelta(hours=9), "JST")), "18:00:00 JST"),
        (datetime(2026, 2, 1, 18, tzinfo=UTC), "18:00:00 UTC"),
    ],
)
def test_a_zone_is_that_of_the_file_or_of_the_clock_and_never_made_up(
    tmp_path: Path, now: datetime, written: str
) -> None:
    put(tmp_path, "memory-bank/edit_history.md", HISTORY)
    Memory(tmp_path, now=lambda: now).journal.edits.add("New")
    assert f"#### {written} - New\n" in (tmp_path / "memory-bank/edit_history.md").read_text("utf-8")


def test_files_come_from_git(cli: Cli) -> None:
    git("init", "-q")
    for name in ("kept.py", "gone.py", "old name.py", ".github/ci.yml"):
        put(Path.cwd(), name, f"{name}\n" * 5)
    git("add", ".")
    git("commit", "-qm", "one")
    Path("gone.py").unlink()
    git("mv", "old name.py", "new.py")
    put(Path.cwd(), "kept.py", "other\n")
    put(Path.cwd(), "memory-bank/activeContext.md", "x\n")
    assert (
        cli("add", "edit", "All", "--from-git", "--modified", "kept.py: mine", "--updated", ".github/ci.yml").code == 0
    )
    bullets = [line for line in text("edit_history.md").splitlines() if line.startswith("- ")]
    assert bullets == [
        "- Modified `kept.py` - mine",
        "- Updated `.github/ci.yml` - All",
        "- Modified `gone.py` - Removed: All",
        "- Created `new.py` - All",
        "- Modified `old name.py` - Removed: All",
    ]
    assert not [each for each in cli("check", "--json").json() if each["code"] == "JNL032"]


def test_version_1_1_has_a_word_for_files_that_are_gone(cli: Cli) -> None:
    put(Path.cwd(), "memdown.toml", '[journal]\nprofile = "1.1"\n')
    assert cli("add", "edit", "Clean", "--deleted", "gone.py: no longer used").code == 0
    assert "- Deleted `gone.py` - no longer used\n" in text("edit_history.md")


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("Two\nlines",), 2),
        (("x", "--created", "a`b.py"), 2),
        (("x", "--created", "../a.py"), 3),
        (("x", "--task", "../T1"), 2),
        (("x", "-f", "Fixed:a.py:x"), 2),
        (("x", "-f", "a.py"), 2),
        ((" ",), 2),
    ],
)
def test_an_edit_that_cannot_be_written_is_refused_in_a_sentence(cli: Cli, args: tuple[str, ...], code: int) -> None:
    ran = cli("add", "edit", *args)
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)
    assert not Path("memory-bank").exists()


# Tasks


def test_the_life_of_a_task(cli: Cli) -> None:
    assert cli("init", "--dialect", "journal", "--json").json()["created"] == [
        "memory-bank/edit_history.md",
        "memory-bank/tasks.md",
    ]
    assert cli("task", "add", "Parser | lexer", "--priority", "high", "--json").json()["id"] == "T1"
    assert cli("add", "task", "Docs", "--depends", "T1", "--json").json()["id"] == "T2"
    ran = cli("task", "start", "T2")
    assert ran.err == "memdown: T2 depends on T1, not completed yet.\n"
    assert cli("task", "start", "T2").err == "memdown: T2 is in progress already.\n"
    assert cli("task", "resume", "T2").code == 3
    cli("task", "pause", "T2", "--reason", "Waits for T1")
    shown = cli("task", "show", "T2", "--json").json()
    assert (shown["status"], shown["reason"], shown["dependencies"]) == ("paused", "Waits for T1", ["T1"])
    cli("task", "resume", "T2")
    file = text("tasks/T2.md")
    assert "**Paused On**" not in file
    assert "- Paused on 2026-02-01, resumed on 2026-02-01: Waits for T1\n" in file
    cli("task", "done", "T1")
    assert text("tasks.md").endswith("| T1 | Parser \\| lexer | 2026-02-01 | - | [Details](tasks/T1.md) |\n")
    assert cli("task", "cancel", "T1").err.startswith("memdown: T1 is completed, so there is nothing to cancel.")
    assert [task["id"] for task in cli("task", "list", "--status", "completed", "--json").json()] == ["T1"]
    assert cli("check").out.startswith("All checks passed (")


@pytest.mark.parametrize(
    ("text", "next_id"),
    [
        ("T3: Write the importer", "T4"),
        ("- [ ] **T7**: Parser", "T8"),
        ("- 🔄 T5 - Parser", "T6"),
        ("| T6 | Parser |", "T7"),
        ("1. [T4](tasks/T4.md)", "T5"),
        ("Active tasks: T3, T9 and T4.", "T10"),
        ("We wait for **Task:** T8 now.", "T9"),
        ("Trained on a T4 with T1000 lines.", "T3"),
        ("T4 GPUs are enough.", "T3"),
    ],
)
def test_a_new_task_has_no_number_that_another_file_gives_to_a_task(cli: Cli, text: str, next_id: str) -> None:
    for title in ("One", "Two"):
        cli("add", "task", title)
    put(Path(), "memory-bank/activeContext.md", f"# Active Context\n\n## Current Focus\n\n{text}\n")
    assert cli("add", "task", "Something new", "--json").json()["id"] == next_id


@pytest.mark.parametrize(
    ("place", "said", "next_id"),
    [
        ("tasks/T2.md", "- T31: The gateway of the other project (same pattern)", "T3"),
        ("tasks/T2.md", "Tasks (T52, T53) of other projects show up; see task T40.", "T3"),
        ("tasks/T2.md", "### T9: A part with a number of its own", "T10"),
        ("session_cache.md", "We wait for task T31 of the other project.", "T3"),
        ("session_cache.md", "- T6: Paint the fence - 🔄", "T7"),
        ("errorLog.md", "- T31: The gateway had it, too", "T3"),
        ("rules.md", "Write `tasks/T123.md` for `$ROOT/memory-bank/tasks/T123.md`.", "T3"),
        ("rules.md", "See [the parser](tasks/T8.md).", "T9"),
    ],
)
def test_prose_about_tasks_of_another_project_gives_no_number(cli: Cli, place: str, said: str, next_id: str) -> None:
    for title in ("One", "Two"):
        cli("add", "task", title)
    path = Path("memory-bank", place)
    there = path.read_text("utf-8") if path.exists() else "# Notes\n"
    put(Path(), f"memory-bank/{place}", f"{there}\n{said}\n")
    assert cli("add", "task", "Something new", "--json").json()["id"] == next_id


COUNTED = {
    "exact": (
        "- Active: 0 | Paused: 0 | Completed: 1 | Cancelled: 0",
        "- Active: 1 | Paused: 0 | Completed: 1 | Cancelled: 0",
    ),
    "drifted": ("- Active: 8 | Paused: 3 | Completed: 1", "- Active: 1 | Paused: 0 | Completed: 1"),
    "focus": ("- Active: 0 | Completed: 1 | Focus: T3", "- Active: 1 | Completed: 1 | Focus: T3"),
    "queued": (
        "- Active: 0 | Paused: 0 | Queued: 4 | Completed: 1",
        "- Active: 1 | Paused: 0 | Queued: 4 | Completed: 1",
    ),
    "two": ("- Active: 0 | Paused: 0", "- Active: 1 | Paused: 0"),
    "tasks": ("* Active Tasks: 0, Completed Tasks: 1", "* Active Tasks: 1, Completed Tasks: 1"),
    "bullets": (
        "- **Active**: 0\n- **Paused**: 0\n- **Completed**: 1\n- **Pending**: 4",
        "- **Active**: 1\n- **Paused**: 0\n- **Completed**: 1\n- **Pending**: 4",
    ),
    "counted otherwise": ("- **Active**: 7\n- **Completed**: 0", "- **Active**: 7\n- **Completed**: 0"),
    "sessions": ("- Active: 0 | Paused: 0 | Completed: 4 sessions", "- Active: 0 | Paused: 0 | Completed: 4 sessions"),
    "prose": ("- We have Active: 0 and Paused: 0", "- We have Active: 0 and Paused: 0"),
    "twice": ("- Active: 0 | Active: 0", "- Active: 0 | Active: 0"),
    "status": (
        "**Status**: 🔄 Active: 0, Paused: 0, Completed: 1\n\n## Overview\n- Active: 0 | Paused: 0 | Completed: 1",
        "**Status**: 🔄 Active: 0, Paused: 0, Completed: 1\n\n## Overview\n- Active: 1 | Paused: 0 | Completed: 1",
    ),
}


@pytest.mark.parametrize(("before", "after"), COUNTED.values(), ids=COUNTED)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_only_the_digits_of_counts_change_in_the_cache(cli: Cli, before: str, after: str, eol: str) -> None:
    cli("add", "task", "One")
    cli("task", "done", "T1")
    cached = "# Session Cache\n\n{}\n- Last Session: none\n\n## Notes\nActive: 0 | Paused: 0\n"
    path = Path("memory-bank/session_cache.md")
    path.write_bytes(cached.format(before).replace("\n", eol).encode())
    cli("add", "task", "Two")
    assert path.read_bytes() == cached.format(before).replace("\n", eol).encode()  # one that waits is not counted
    cli("task", "start", "T2")
    assert path.read_bytes() == cached.format(after).replace("\n", eol).encode()


def test_a_session_leaves_counts_of_another_form(cli: Cli) -> None:
    line = "- Active: 1 | Completed: 2 | Focus: T3\n"
    put(Path(), "memory-bank/session_cache.md", f"# Session Cache\n\n## Overview\n{line}")
    cli("add", "task", "One")
    assert cli("session", "start", "--focus", "T1").code == 0
    assert cli("session", "end").code == 0
    assert text("session_cache.md").count(line) == 1
    assert "Cancelled" not in text("session_cache.md")


def test_a_session_leaves_what_the_cache_says_of_others(cli: Cli) -> None:
    over = "## 2026-01-24 Session\n**Started**: 2026-01-24 06:00 UTC\n**Focus Task**: T3: Bridge\n**Status**: ✅ Complete\n"
    put(
        Path(),
        "memory-bank/session_cache.md",
        f"# Session Cache\n\n{over}\n## Current Session\n- **Focus**: T1\n- **Status**: active\n",
    )
    assert cli("session", "start", "--focus", "Paint").code == 0
    assert over in text("session_cache.md")
    assert "\n## Current Session\n**Started**: 2026-02-01 " in text("session_cache.md")
    assert cli("session", "end").code == 0
    assert over in text("session_cache.md")
    assert "\n- **Status**: ✅ Completed\n" in text("session_cache.md")


@pytest.mark.parametrize("below", ["\n\n## Completed Tasks", "\n## Completed Tasks", "", "\n"])
@pytest.mark.parametrize("said", ["", "\nNo active tasks.", "\n\nNone yet,\nas far as we know."])
def test_a_first_task_stands_in_the_section_that_is_there(cli: Cli, said: str, below: str) -> None:
    put(Path(), "memory-bank/tasks.md", f"# Task Registry\n\n## Active Tasks{said}{below}")
    assert cli("add", "task", "One").code == 0
    after = text("tasks.md")
    assert after.startswith(f"# Task Registry\n\n## Active Tasks{said}\n")
    assert after.count("## Active Tasks") == 1
    table = "| ID | Title | Status | Priority | Started | Dependencies | Details |\n"
    assert (f"{said}\n\n{table}" if said else f"Tasks\n{table}") in after
    rest = after.partition("(tasks/T1.md) |\n")[2]
    assert rest.strip() == below.strip()
    assert not rest.strip() or rest.startswith("\n")
    assert cli("task", "list", "--json").json()[0]["id"] == "T1"


def test_what_people_wrote_into_a_task_stays(cli: Cli) -> None:
    cli("task", "add", "Parser")
    path = Path("memory-bank/tasks/T1.md")
    mine = path.read_text("utf-8").replace("## Context\n", "## Context\nWhy  we do *this*.\n\n## Ours\n| a | b |\n")
    path.write_text(mine, "utf-8", newline="")
    cli("task", "start", "T1")
    assert path.read_text("utf-8") == mine.replace("⬜ Pending", "🔄 In Progress")


def test_an_id_is_free_everywhere(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/archive/T7.md", "# T7: Old\n\n**Status**: ✅ Done\n")
    put(Path.cwd(), "memory-bank/edit_history.md", HISTORY)
    assert cli("task", "add", "New", "--json").json()["id"] == "T22"
    assert cli("task", "add", "New", "--id", "T7").code == 3
    assert cli("task", "add", "New", "--id", "META-1", "--json").json()["id"] == "META-1"
    assert cli("task", "add", "New", "--depends", "T99").err == (
        "memdown: There is no task 'T99' to depend on; add it first.\n"
    )
    assert cli("task", "show", "T99").code == 1


def test_the_registry_of_another_hand_is_changed_in_its_own_columns(cli: Cli) -> None:
    registry = (
        "# Tasks\n\n| ID | Title | Status | Owner |\n|---|---|---|---|\n| T1 | One | ⏸️ PAUSED | Ann |\n\n"
        "## Task Details\n### T1: One\n**Status:** ⏸️ Paused **Last**: 2025-01-01\n\nProse.\n"
    )
    put(Path.cwd(), "memory-bank/tasks.md", registry)
    ran = cli("task", "resume", "T1")
    assert (ran.code, ran.err) == (0, "memdown: T1 has no file of its own; only its row changed.\n")
    assert text("tasks.md") == registry.replace("⏸️ PAUSED", "🔄").replace("⏸️ Paused", "🔄 In Progress")


def test_a_failed_write_changes_neither_row_nor_file(cli: Cli) -> None:
    cli("task", "add", "One")
    before = text("tasks.md"), text("tasks/T1.md")
    Path("memory-bank/tasks/T1.md").chmod(0o444)
    assert cli("task", "start", "T1").code == 3
    assert (text("tasks.md"), text("tasks/T1.md")) == before


def test_the_graph_shows_circles_and_what_is_missing(cli: Cli) -> None:
    rows = "".join(f"| T{n} | N{n} | 🔄 | LOW | 2026-01-01 | {on} | - |\n" for n, on in ((1, "T2"), (2, "T1, T9")))
    head = "| ID | Title | Status | Priority | Started | Dependencies | Details |\n|--|--|--|--|--|--|--|\n"
    put(Path.cwd(), "memory-bank/tasks.md", f"# Task Registry\n\n{head}{rows}")
    told = cli("task", "graph", "--json").json()
    assert [(edge["source"], edge["target"]) for edge in told["edges"]] == [("T1", "T2"), ("T2", "T1"), ("T2", "T9")]
    assert told["cycles"] == [["T1", "T2", "T1"]]
    assert "T9 (missing)" in cli("task", "graph").out
    assert cli("task", "graph", "--format", "mermaid").out.startswith("graph TD\n")
    assert cli("task", "graph", "--format", "svg").out.startswith("<svg")


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), max_size=3)))
def test_circles_are_found_exactly_where_there_are_any(edges: dict[str, list[str]]) -> None:
    left = {node: set(others) & edges.keys() for node, others in edges.items()}
    while free := [node for node, others in left.items() if not others]:
        left = {node: others - set(free) for node, others in left.items() if node not in free}
    found = circles(edges)
    assert bool(found) == bool(left)
    for circle in found:
        assert circle[0] == circle[-1]
        assert all(other in edges[node] for node, other in pairwise(circle))


ACTS = st.lists(
    st.tuples(st.sampled_from(["add", "session", "end", *FROM]), st.integers(1, 4), st.text("Wx |`é\\", max_size=6)),
    max_size=14,
)


@draws(40)
@given(ACTS)
def test_any_sequence_of_acts_leaves_a_consistent_journal(acts: list[tuple[str, int, str]]) -> None:
    with TemporaryDirectory() as folder:
        memory = Memory(Path(folder), now=lambda: datetime(2026, 2, 1, 12, tzinfo=UTC))
        for act, number, said in acts:
            with suppress(MemdownError):
                _do(memory, act, number, said)
        found = memory.check(chosen=memory.selection(select=["JNL"])).diagnostics
        assert [(each.path, each.code, each.message) for each in found if each.severity != "info"] == []


def _do(memory: Memory, act: str, number: int, said: str) -> None:
    journal = memory.journal
    if act == "add":
        journal.tasks.add(f"N{said}", depends=[f"T{number}"] if number > 1 else [])
    elif act == "session":
        journal.sessions.start(focus=said, period=("night", "morning", "afternoon", "evening")[number - 1])
    elif act == "end":
        journal.sessions.end(summary=said)
    else:
        journal.tasks.change(act, f"T{number}", reason=said)


# Sessions


@pytest.mark.parametrize(
    ("hour", "period"),
    [(0, "night"), (5, "night"), (6, "morning"), (12, "afternoon"), (18, "evening"), (23, "evening")],
)
def test_the_period_is_that_of_the_clock(cli: Cli, monkeypatch: pytest.MonkeyPatch, hour: int, period: str) -> None:
    monkeypatch.setenv("MEMDOWN_NOW", f"2026-02-01T{hour:02}:30:00Z")
    assert cli("session", "start", "--json").json()["path"] == f"memory-bank/sessions/2026-02-01-{period}.md"


def test_a_session_without_a_focus_is_listed_by_its_file_alone(cli: Cli) -> None:
    assert cli("session", "start").out == "Began memory-bank/sessions/2026-02-01-afternoon.md\n"
    assert text("session_cache.md").endswith("(Last 5)\n1. `sessions/2026-02-01-afternoon.md`\n")
    cli("session", "end")
    assert text("session_cache.md").endswith("(Last 5)\n1. `sessions/2026-02-01-afternoon.md`\n")
    cli("session", "start", "--focus", "Docs")
    cli("session", "end", "--summary", "Docs work")
    assert text("session_cache.md").endswith("(Last 5)\n1. `sessions/2026-02-01-afternoon.md` - Docs work\n")


def test_a_session_goes_on_and_ends(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("session", "note", "x").err == "memdown: No session is open; run `memdown session start` to start one.\n"
    cli("task", "add", "Parser")
    cli("task", "start", "T1")
    first = cli("session", "start", "--json").json()
    assert (first["created"], first["focus"], first["written"]) == (
        True,
        "T1: Parser",
        ["memory-bank/sessions/2026-02-01-afternoon.md", "memory-bank/session_cache.md"],
    )
    again = cli("session", "start", "--focus", "Docs", "--json").json()
    assert (again["created"], again["focus"], again["path"]) == (False, "Docs", first["path"])
    cli("session", "note", "Read tables")
    cli("session", "note", "Use tables", "--section", "Decisions")
    cli("session", "end", "--summary", "Tables work")
    file = text("sessions/2026-02-01-afternoon.md")
    assert "## Work Done\n- Read tables\n- Tables work\n\n## Decisions\n- Use tables\n" in file
    assert cli("session", "end").code == 3
    monkeypatch.setenv("MEMDOWN_NOW", "2026-02-01T19:00:00Z")
    cli("session", "start")
    cache = text("session_cache.md")
    assert "- Active: 1 | Paused: 0 | Completed: 0 | Cancelled: 0\n- Last Session: 2026-02-01-afternoon.md\n" in cache
    assert (
        cache.endswith(
            "## Session History (Last 5)\n1. `sessions/2026-02-01-evening.md` - Docs\n"
            "2. `sessions/2026-02-01-afternoon.md` - Tables work\n"
        )
        or "2. `sessions/2026-02-01-afternoon.md` - Tables work\n" in cache
    )
    assert [each["period"] for each in cli("session", "list", "--json").json()] == ["evening", "afternoon"]


@pytest.mark.parametrize(("title", "kept"), [("(Last 5)", 5), ("(Last 10)", 10), ("", 5)])
def test_the_cache_changes_by_section(cli: Cli, title: str, kept: int) -> None:
    listed = "".join(f"{n}. `sessions/2026-01-{20 - n:02}-night.md` - s{n}\n" for n in range(1, 12))
    ours = "## Ours\nStays   as it is.\n"
    put(
        Path.cwd(),
        "memory-bank/session_cache.md",
        f"# Session Cache\n\n**Focus Task**: Old\n\n{ours}\n## Session History {title}\n{listed}",
    )
    cli("session", "start", "--focus", "New")
    cache = text("session_cache.md")
    assert ours in cache
    assert "**Focus Task**: New\n" in cache
    history = [line for line in cache.splitlines() if line[:1].isdigit()]
    assert history[:2] == ["1. `sessions/2026-02-01-afternoon.md` - New", "2. Old"]
    assert len(history) == kept


def test_a_new_session_keeps_the_words_of_the_last_one(cli: Cli) -> None:
    """A status in prose, a focus and an end stand below the row of the session they are about, and are said once."""
    put(
        Path.cwd(),
        "memory-bank/session_cache.md",
        "# Session Cache\n\n## Current Session\n\n**Session**: 2026-01-11-morning.md\n"
        "**Started**: 2026-01-11 10:23:55 UTC\n**Ended**: 2026-01-11 11:00:00 UTC\n**Focus**: T27 - Rewrite\n"
        "**Status**: 🔄 IN PROGRESS — statistics visible; clean-up remains\n**Branch**: main\n\n## Overview\n\n"
        "- Active: 1 | Paused: 0 | Completed: 0\n- Last Session: `sessions/2026-01-09-night.md`\n\n"
        "## Session History (Last 2)\n\n1. `sessions/2026-01-11-morning.md` - Fix of the statistics\n"
        "2. `sessions/2026-01-09-night.md` - Parity\n   - Status: good\n",
    )
    began = cli("session", "start", "--focus", "Docs")
    assert "Removed session '2026-01-09-night.md' from memory-bank/session_cache.md (2 lines)" in began.err + began.out
    cache = text("session_cache.md")
    assert "**Session**: 2026-02-01-afternoon.md\n**Started**: 2026-02-01 " in cache
    assert "**Focus**: Docs\n**Status**: 🔄 In Progress\n**Branch**: main\n" in cache
    assert "- Last Session: `sessions/2026-01-11-morning.md`\n" in cache
    below = (
        "   - Focus: T27 - Rewrite\n   - Status: 🔄 IN PROGRESS — statistics visible; clean-up remains\n"
        "   - Ended: 2026-01-11 11:00:00 UTC\n"
    )
    last = f"2. `sessions/2026-01-11-morning.md` - Fix of the statistics\n{below}"
    assert cache.endswith(f"(Last 2)\n\n1. `sessions/2026-02-01-afternoon.md` - Docs\n{last}")
    put(Path.cwd(), "memory-bank/session_cache.md", cache.replace("🔄 In Progress", "🔄 Half of the docs are written"))
    cli("session", "start")
    assert "**Status**: 🔄 Half of the docs are written\n" in text("session_cache.md")
    cli("session", "end", "--summary", "Docs done")
    rows = "1. `sessions/2026-02-01-afternoon.md` - Docs done\n   - Status: 🔄 Half of the docs are written\n"
    assert text("session_cache.md").endswith(f"(Last 2)\n\n{rows}{last}")


# Errors


def test_the_newest_error_is_first(cli: Cli) -> None:
    cli("error", "add", "First", "--cause", "Nobody knows")
    told = cli(
        "error", "add", "Second", "--file", "src/a.py", "--error", "E `x`", "--task", "T1", "--fix", "Y", "--json"
    )
    assert told.json()["line"] == 5
    assert text("errorLog.md").partition("\n\n")[2] == (
        "## 2026-02-01 12:00:00 UTC: T1 - Second\n**File:** `src/a.py`\n**Error:** `E 'x'`\n**Fix:** Y\n**Task:** T1\n\n"
        "## 2026-02-01 12:00:00 UTC: First\n**Cause:** Nobody knows\n"
    )


# What git shows


def test_update_names_work_that_the_journal_does_not(cli: Cli) -> None:
    git("init", "-q")
    put(Path.cwd(), "a.py", "1\n")
    git("add", ".")
    git("commit", "-qm", "one", at="2026-01-30T00:00:00Z")
    assert cli("update", "--json").json()["undocumented"] == []
    put(Path.cwd(), "src/b.py", "1\n")
    put(Path.cwd(), "src/c.py", "1\n")
    cli("add", "edit", "B", "--created", "src/b.py")
    assert cli("update", "--json").json()["undocumented"] == ["src/c.py"]
    git("add", ".")
    git("commit", "-qm", "two", at="2026-02-01T12:01:00Z")
    put(Path.cwd(), "a.py", "2\n")
    assert cli("update", "--json").json()["undocumented"] == ["a.py", "src/c.py"]
    ran = cli("update")
    assert (ran.code, ran.out.count("  - src/c.py\n")) == (0, 1)
    assert not Path("memory-bank/activeContext.md").exists()


def test_work_after_an_entry_whose_zone_is_east_is_not_lost(cli: Cli) -> None:
    git("init", "-q")
    put(Path.cwd(), "memory-bank/edit_history.md", HISTORY)  # 17:18:15 IST, which is 11:48:15 UTC in India
    git("add", ".")
    git("commit", "-qm", "one", at="2026-01-31T11:00:00Z")
    put(Path.cwd(), "later.py", "1\n")
    git("add", ".")
    git("commit", "-qm", "two", at="2026-01-31T13:00:00Z")
    assert cli("update", "--json").json()["undocumented"] == ["later.py"]
    put(Path.cwd(), "memdown.toml", '[times]\nzones = { IST = "+05:30" }\n')
    assert "later.py" in cli("update", "--json").json()["undocumented"]


def test_an_entry_names_a_file_by_its_end_or_its_folder(cli: Cli) -> None:
    git("init", "-q")
    put(Path.cwd(), "x/lib/one.py", "1\n")
    put(Path.cwd(), "docs/deep/two.md", "1\n")
    put(Path.cwd(), "three.py", "1\n")
    put(
        Path.cwd(),
        "memory-bank/edit_history.md",
        HISTORY + "- Updated `docs/` - x\n- Updated `lib/one.py` - x\n",
    )
    assert cli("update", "--json").json()["undocumented"] == ["three.py"]


# From records


def test_a_conforming_journal_comes_out_of_its_records_as_it_went_in(cli: Cli) -> None:
    cli("task", "add", "One")
    cli("task", "add", "Two", "--depends", "T1")
    cli("task", "done", "T1")
    cli("add", "edit", "Viewer", "--task", "T1", "--created", "src/a.js: Lists files")
    told = cli("regenerate", "--json").json()
    assert told["texts"] == {f"memory-bank/{name}": text(name) for name in ("edit_history.md", "tasks.md")}
    assert cli("regenerate", "--diff").out == ""


def test_regenerated_text_never_takes_the_place_of_other_text(cli: Cli) -> None:
    prose = HISTORY + "\nA remark.\n\n#### no time - x\n- Fixed `b.py`: y\n"
    put(Path.cwd(), "memory-bank/edit_history.md", prose)
    assert cli("regenerate", "--out", "memory-bank").code == 3
    assert cli("regenerate", "--out", "new").out == "Wrote new/edit_history.md\n"
    assert cli("regenerate", "--out", "new").code == 3
    assert text("edit_history.md") == prose
    assert cli("regenerate", "--diff").out.startswith("--- memory-bank/edit_history.md\n")


KILO = ".kilocode/rules/memory-bank"
WORKFLOWS = """\
# Repetitive Tasks

## Add a model
**Last performed:** 2026-01-10
**Files to modify:**
- `src/models.py`

**Steps:**
1. Add the class.

| ID | Field |
|---|---|
| 1 | name |
"""


def test_repetitive_tasks_of_kilo_are_no_registry(cli: Callable[..., Ran]) -> None:
    for name in ("brief", "product", "context", "architecture", "tech"):
        put(Path(), f"{KILO}/{name}.md", f"# {name}\n\nTea is sold here.\n")
    tasks = put(Path(), f"{KILO}/tasks.md", WORKFLOWS)
    [read] = cli("read", f"{KILO}/tasks.md", "--json").json()
    assert (read["dialect"], [each["title"] for each in read["records"]]) == (
        "bank",
        ["Repetitive Tasks", "Add a model"],
    )
    assert cli("status", "--json").json()["dialects"]["journal"]["files"] == 0
    assert "Journal" not in cli("prompt").out
    assert cli("add", "Export of orders", "--kind", "task").code == 0
    assert tasks.read_text("utf-8") == WORKFLOWS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Task Registry\n",
        "# Work\n\n| ID | Title | Status |\n|---|---|---|\n",
        "# Work\n\n| T1 | Export |\n",
        "# Work\n\n### T1: Export\n",
    ],
)
def test_a_registry_alone_is_a_journal(cli: Callable[..., Ran], text: str) -> None:
    put(Path(), "memory-bank/tasks.md", text)
    cli("add", "Import of orders", "--kind", "task")
    assert "Import of orders" in Path("memory-bank/tasks.md").read_text("utf-8")


def test_a_task_that_is_a_section_gets_its_state_into_its_heading(cli: Cli) -> None:
    put(Path(), "memory-bank/session_cache.md", "# Session Cache\n")
    put(Path(), "memory-bank/tasks.md", "# Tasks\n\n## T1: Move\n\nx\n\n## T2: Go 🔄 ACTIVE (x)\n")
    assert cli("task", "start", "T1").code == 0
    assert cli("task", "done", "T2").code == 0
    assert text("tasks.md") == "# Tasks\n\n## T1: Move 🔄 In Progress\n\nx\n\n## T2: Go ✅ Completed (x)\n"
