"""Editing and deleting: one field of a record of each dialect changes, and not a byte beside it."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from conftest import Ran, draws
from memdown import Memory, times
from memdown.acts.edit import hash_of
from memdown.dialects import DIALECTS, parse
from memdown.errors import Invalid, NotFound, Refused, Stale
from memdown.record import Record
from memdown.text import apply
from samples import CARD, ID, put
from test_sem_reader import ENTRY

journal = DIALECTS["journal"]
sem = DIALECTS["sem"]

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
DECIDED = (
    "# Decision Log\n\n## Decision: Use A\n- **Date**: 2026-01-01\n- **Status**: Accepted\n- **Rationale**: Small\n"
)
PROGRESS = "# Progress\n\n## In Progress\n- [ ] Import **of** invoices — soon\n  - [ ] Part\n\n## Upcoming\n- [ ] Two\n"
REGISTRY = (
    "# Task Registry\n\n## Active Tasks\n| ID  | Title | Status | Priority |\n|---|---|---|---|\n"
    "| T1  | One   | 🔄 | HIGH |\n| T2 | Two | ⬜ | LOW |\n"
)
TASK = "# T1: One\n\n**Description**: x\n**Status**: 🔄 In Progress\n**Priority**: HIGH\n\n## Steps\n- [ ] first\n- [ ] second\n"
SESSION = "# Session 2026-02-01 - Morning\n\n**Started**: 2026-02-01\n**Focus Task**: T1\n**Status**: 🔄 In Progress\n\n## Work Done\n- x\n"
ISSUES = (
    "<!-- Last Updated: 2026-01-01 -->\n\n# Known Issues\n\n### Slow start\n**Status**: Open (2026-01-01)\n\nIt waits.\n\n"
    "### Other\n**Status**: Open\n"
)
ERRORS = "# Error Log\n\n## 2026-01-02 10:00:00 UTC: Boom\n**Cause:** x\n"
EDITED = "### 2026-01-01\n\n#### 10:00 - a\n- Created `c` - x\n"
MILES = "# Progress\n\n## Milestones\n\n### One — Open\n- a\n\n### Two\n- b\n"
DETAILS = ENTRY[ENTRY.index("**details:**") : ENTRY.index("**rationale:**")]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path, now=lambda: NOW)


def the(memory: Memory, title: str, kind: str | None = None) -> Record:
    """The record of a title."""
    [found] = [each for each in memory.records() if each.title == title and kind in (None, each.kind)]
    return found


LOG = ".squad/decisions.md"


@pytest.mark.parametrize(
    ("name", "text", "title", "change", "old", "new"),
    [
        (f"memories/{ID}.md", CARD, "Pool size is 10", {"title": "Pool"}, "subject: Pool size is 10", "subject: Pool"),
        (f"memories/{ID}.md", CARD, "Pool size is 10", {"scope": "area:db"}, "'file:src/db.py'", "'area:db'"),
        (f"memories/{ID}.md", CARD, "Pool size is 10", {"add_tags": ["x"]}, "  - pool\n", "  - pool\n  - x\n"),
        (LOG, ENTRY, None, {"author": "Bob"}, "**author:** Ann", "**author:** Bob"),
        (LOG, ENTRY, None, {"summary": "Other."}, "**summary:** All services share one pool.", "**summary:** Other."),
        ("memory-bank/decisionLog.md", DECIDED, "Use A", {"status": "deprecated"}, "Accepted", "Deprecated"),
        ("memory-bank/progress.md", PROGRESS, "Two", {"title": "Three"}, "- [ ] Two", "- [ ] Three"),
        ("memory-bank/progress.md", PROGRESS, "Two", {"status": "done"}, "- [ ] Two", "- [x] Two"),
        ("memory-bank/tasks.md", REGISTRY, "One", {"status": "paused"}, "| 🔄 |", "| ⏸️ |"),
        ("memory-bank/tasks.md", REGISTRY, "One", {"title": "Uno"}, "| One ", "| Uno "),
        ("memory-bank/tasks.md", REGISTRY, "One", {"extra": {"priority": "LOW"}}, "| HIGH |", "| LOW |"),
        ("memory-bank/tasks/T1.md", TASK, "One", {"status": "completed"}, "🔄 In Progress", "✅ Completed"),
        ("memory-bank/tasks/T1.md", TASK, "One", {"title": "Uno"}, "# T1: One", "# T1: Uno"),
        ("memory-bank/tasks/T1.md", TASK, "One", {"summary": "y"}, "**Description**: x", "**Description**: y"),
        ("memory-bank/tasks/T1.md", TASK, "second", {"title": "2nd"}, "- [ ] second", "- [ ] 2nd"),
        ("memory-bank/errorLog.md", ERRORS, "Boom", {"title": "Bang"}, "UTC: Boom", "UTC: Bang"),
        ("memory-bank/errorLog.md", ERRORS, "Boom", {"text": "**Cause:** z"}, "**Cause:** x", "**Cause:** z"),
        ("memory-bank/edit_history.md", EDITED, "a", {"title": "b", "force": True}, "10:00 - a", "10:00 - b"),
        (LOG, ENTRY, None, {"text": "Other."}, DETAILS, "**details:**\n\nOther.\n\n"),
        ("memory-bank/decisionLog.md", DECIDED, "Use A", {"title": "Use B", "force": True}, "Use A", "Use B"),
        ("memory-bank/progress.md", PROGRESS, "Upcoming", {"title": "Later"}, "## Upcoming", "## Later"),
        ("memory-bank/progress.md", PROGRESS, "Upcoming", {"text": "- [ ] 3"}, "- [ ] Two", "- [ ] 3"),
        ("memory-bank/progress.md", MILES, "One", {"status": "Done"}, "### One — Open", "### One — Done"),
        ("memory-bank/progress.md", MILES, "Two", {"status": "Done"}, "### Two", "### Two — Done"),
        ("memory-bank/tasks/T1.md", TASK, "second", {"status": "completed"}, "- [ ] second", "- [x] second"),
        ("memory-bank/sessions/2026-02-01-morning.md", SESSION, None, {"extra": {"focus": "T2"}}, "Task**: T1", "Task**: T2"),
        ("memory/projects/p/known_issues.md", ISSUES, "Slow start", {"title": "Slow"}, "### Slow start", "### Slow"),
        ("memory/projects/p/known_issues.md", ISSUES, "Slow start", {"status": "Fixed"}, "Open (2026-01-01)", "Fixed"),
        ("memory/projects/p/known_issues.md", ISSUES, "Other", {"title": "Else"}, "### Other", "### Else"),
        ("memory/projects/p/known_issues.md", ISSUES, "Known Issues", {"title": "Issues"}, "# Known Issues", "# Issues"),
        ("memory/projects/p/overview.md", "## Part\n\n# Whole\n\nx\n", "Whole", {"title": "All"}, "# Whole", "# All"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_one_field_changes_and_nothing_else(
    memory: Memory, name: str, text: str, title: str | None, change: dict[str, object], old: str, new: str, eol: str
) -> None:
    lines, old, new = (each.replace("\n", eol) for each in (text, old, new))
    path = put(memory.root, name, lines)
    record = the(memory, title) if title else next(memory.records())
    assert lines.count(old) == 1
    changed = memory.edit(record.id, **change)  # type: ignore[arg-type]
    assert path.read_bytes().decode() == lines.replace(old, new)
    for field, value in change.items():
        if field in ("title", "status", "author", "summary", "scope"):
            assert str(getattr(changed, field)).casefold() == str(value).casefold()
    assert memory.edit(changed.id) == changed
    assert path.read_bytes().decode() == lines.replace(old, new)


def test_fields_of_an_entry_come_and_go(memory: Memory) -> None:
    text = ENTRY.replace("**expires:** 2027-01-01T00:00:00+0000  \n", "")
    path = put(memory.root, LOG, text)
    id = next(memory.records()).id
    memory.edit(id, extra={"expires": "2027-01-01"})
    assert "**expires:** 2027-01-01T23:59:59-0800  \n" in path.read_text()
    memory.edit(id, extra={"expires": ""})
    assert path.read_text() == text
    memory.edit(id, tags=[])
    assert "**tags:**" not in path.read_text()
    assert next(memory.records()).tags == ()
    memory.edit(next(memory.records()).id, title="Another # title #")
    assert next(memory.records()).title == "Another # title #"


@pytest.mark.parametrize(
    ("name", "text", "change", "sentence"),
    [
        (f"memories/{ID}.md", CARD, {"text": "Other content."}, "content, time and id"),
        (f"memories/{ID}.md", CARD, {"author": "Ann"}, "A card has no author"),
        (LOG, ENTRY, {"status": "Done"}, "memdown add decision 'TITLE' --supersedes"),
        (LOG, ENTRY, {"extra": {"supersedes": "Other"}}, "only its expiry date"),
        (LOG, "### 2026-01-01: Old\n**By:** Ann\n\ntext\n", {"author": "Bob"}, "legacy entry"),
        ("memory-bank/decisionLog.md", DECIDED, {"title": "Other"}, "memdown bank supersede-decision 'Use A'"),
        ("memory-bank/edit_history.md", "### 2026-01-01\n\n#### 10:00 - a\n- Created `a` - x\n", {"title": "b"}, "memdown add edit"),
        ("memory-bank/tasks/T1.md", TASK, {"tags": ["b"]}, "by hand"),
        ("memory/projects/p/overview.md", "# Overview\n", {"tags": ["a"]}, "follows from its file"),
    ],
)  # fmt: skip
def test_what_is_not_changed_so_is_refused(
    memory: Memory, name: str, text: str, change: dict[str, object], sentence: str
) -> None:
    path = put(memory.root, name, text)
    record = next(each for each in memory.records() if each.kind != "section")
    with pytest.raises(Refused, match=sentence):
        memory.edit(record.id, **change)  # type: ignore[arg-type]
    assert path.read_text() == text


def test_values_are_held_to_what_the_dialect_allows(memory: Memory) -> None:
    put(memory.root, f"memories/{ID}.md", CARD)
    put(memory.root, LOG, ENTRY)
    entry = next(each for each in memory.records() if each.dialect == "sem")
    for id, change in ((ID, {"title": "x" * 201}), (ID, {"scope": "x"}), (entry.id, {"scope": "everyone"}),
                       (entry.id, {"title": "a\nb"}), (entry.id, {"summary": "x" * 121}), (entry.id, {"author": " "})):  # fmt: skip
        with pytest.raises(Invalid):
            memory.edit(id, **change)  # type: ignore[arg-type]


def test_an_edit_over_another_text_is_refused(memory: Memory) -> None:
    path = put(memory.root, LOG, ENTRY)
    id = next(memory.records()).id
    with pytest.raises(Stale, match=hash_of(ENTRY)):
        memory.edit(id, author="Bob", expected=hash_of("other"))
    assert path.read_text() == ENTRY
    assert memory.edit(id, author="Bob", expected=hash_of(ENTRY)).author == "Bob"
    with pytest.raises(NotFound):
        memory.edit("nothing", author="Bob")


def test_a_row_that_is_completed_goes_to_its_table(memory: Memory) -> None:
    done = "\n## Completed Tasks\n| ID | Title | Completed | Archive |\n|---|---|---|---|\n"
    path = put(memory.root, "memory-bank/tasks.md", REGISTRY + done)
    memory.edit(the(memory, "One").id, status="completed", extra={"completed": "2026-02-01"})
    left = REGISTRY.replace("| T1  | One   | 🔄 | HIGH |\n", "")
    assert path.read_text() == f"{left}{done}| T1 | One | 2026-02-01 | - |\n"


def test_a_pause_that_is_over_is_told_in_the_notes() -> None:
    text = f"{TASK}\n## Notes\n- old\n".replace(
        "**Priority**", "**Paused On**: 2026-01-20\n**Reason**: Waiting\n**Priority**"
    ).replace("🔄 In Progress", "⏸️ Paused")
    [old, *_] = parse("memory-bank/tasks/T1.md", text).records
    extra = {name: value for name, value in old.extra.items() if name not in ("paused_on", "reason")}
    new = structs.replace(old, status="in_progress", at=times.read("2026-02-01 12:00:00 UTC"), extra=extra)
    again = apply(text, journal.update(text, old, new))
    assert again == (
        text.replace("**Paused On**: 2026-01-20\n**Reason**: Waiting\n", "")
        .replace("⏸️ Paused", "🔄 In Progress")
        .replace("- old\n", "- old\n- Paused on 2026-01-20, resumed on 2026-02-01: Waiting\n")
    )


LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60).filter(str.strip)


@draws(200)
@given(author=LINE, summary=LINE, title=LINE, tags=st.lists(st.sampled_from(["a", "b c", "v0.3"]), unique=True))
def test_an_entry_says_what_it_was_changed_to(author: str, summary: str, title: str, tags: list[str]) -> None:
    [old] = parse(LOG, ENTRY).records
    new = structs.replace(
        old, author=author.strip(), summary=summary.strip(), title=title.strip(), tags=tuple(tags), scope=old.scope
    )
    [read] = parse(LOG, apply(ENTRY, sem.update(ENTRY, old, new))).records
    assert (read.author, read.summary, read.title, read.tags) == (new.author, new.summary, new.title, new.tags)
    assert (read.body, read.scope, read.at, read.links) == (old.body, old.scope, old.at, old.links)


def test_the_command_changes_what_a_card_says_of_itself(cli: Cli) -> None:
    path = put(Path.cwd(), f"memories/{ID}.md", CARD)
    assert cli("edit", ID[:6], "--title", "Pool", "--add-keyword", "x").out == f"Changed memories/{ID}.md\n"
    assert path.read_text() == CARD.replace("Pool size is 10", "Pool").replace("  - pool\n", "  - pool\n  - x\n")


def test_another_title_takes_a_summary_along_that_only_repeated_it(cli: Cli) -> None:
    path = put(Path.cwd(), LOG, "")
    cli("add", "decision", "Use A", "--author", "Ann")
    old = cli("list", "--json").json()[0]["id"]
    ran = cli("edit", "Use A", "--title", "Use B")
    new = cli("list", "--json").json()[0]
    assert (new["title"], new["summary"]) == ("Use B", "Use B")
    assert "Use A" not in path.read_text()
    assert ran.out == f"Changed {LOG}:{new['line']}; its id is now {new['id']} (was {old})\n"
    again = cli("edit", new["id"], "--summary", "Because", "--json").json()
    assert (again["id"], again["old_id"], again["summary"]) == (new["id"], new["id"], "Because")
    assert cli("edit", new["id"], "--details", "-", "--json", stdin="Many\n\nlines\n").json()["body"] == "Many\n\nlines"


def test_the_status_of_a_decision_is_changed_and_got(cli: Cli) -> None:
    path = put(Path.cwd(), "memory-bank/decisionLog.md", DECIDED.replace("- **Status**: Accepted\n", ""))
    assert cli("edit", "Use A", "--status", "deprecated").code == 0
    assert path.read_text() == DECIDED.replace("Accepted", "Deprecated")
    wrong = cli("edit", "Use A", "--status", "gone")
    assert wrong.code == 2
    assert "Accepted, Superseded" in wrong.err


def test_a_task_changes_in_its_row_and_its_file(memory: Memory) -> None:
    row = put(memory.root, "memory-bank/tasks.md", REGISTRY)
    file = put(memory.root, "memory-bank/tasks/T1.md", TASK)
    memory.edit("T1", status="paused", title="Uno")
    assert file.read_text() == TASK.replace("T1: One", "T1: Uno").replace("🔄 In Progress", "⏸️ Paused")
    assert row.read_text() == REGISTRY.replace("| One   | 🔄 |", "| Uno   | ⏸️ |")
