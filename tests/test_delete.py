"""Deleting and naming: one record of any kind goes, exact to its lines, and the dry run says what the real one does."""

import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import CORPUS, Ran, draws
from memdown import Memory
from memdown.acts.delete import Deletion
from memdown.dialects import DIALECTS, parse, read_as
from memdown.dialects.draft import draft
from memdown.dialects.remove import without
from memdown.errors import Ambiguous, NotFound, Refused
from memdown.record import Record
from memdown.text import apply, decode
from samples import CARD, CONTENT, ID, put
from test_edit import DECIDED, ISSUES, PROGRESS, REGISTRY, SESSION, TASK
from test_sem_reader import ENTRY

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
LOG = ".squad/decisions.md"
CACHE = "# Session Cache\n\n## Overview\n- Active: 1 | Paused: 0 | Completed: 0 | Cancelled: 0\n"
HISTORY = (
    "# Edit History\n*Created: 2026-01-01*\n\n### 2026-01-31\n\n#### 10:00:00 UTC - T1: One\n- Created `a` - x\n\n"
    "#### 09:00:00 UTC - Two\n- Created `b` - y\n- Modified `c` - z\n\n### 2026-01-30\n\n#### 08:00:00 UTC - Three\n"
    "- Created `d` - w\n"
)
ERRORS = (
    "# Error Log\n\n## 2026-01-02 10:00:00 UTC: Boom\n**Cause:** x\n\n## 2026-01-01 10:00:00 UTC: Bang\n**Cause:** y\n"
)
CONCEPT = "---\ntype: Decision\ntitle: Use A\ndescription: Small\n---\n\nText.\n"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path, now=lambda: NOW)


# What goes, and what stays


@pytest.mark.parametrize(
    ("name", "text", "record", "gone"),
    [
        (LOG, f"# Decisions\n\n{ENTRY}\n### 2026-01-01: Old\n**By:** Ann\n\ntext\n", "Old", "\n### 2026-01-01: Old\n**By:** Ann\n\ntext\n"),
        (LOG, f"# Decisions\n\n### 2026-01-01: Old\n**By:** Ann\n\ntext\n\n{ENTRY}", "Old", "### 2026-01-01: Old\n**By:** Ann\n\ntext\n\n"),
        ("memory-bank/progress.md", PROGRESS, "Two", "- [ ] Two\n"),
        ("memory-bank/progress.md", PROGRESS, "Part", "  - [ ] Part\n"),
        ("memory-bank/progress.md", PROGRESS, "Upcoming", "\n## Upcoming\n- [ ] Two\n"),
        ("memory-bank/tasks.md", REGISTRY, "T1", "| T1  | One   | 🔄 | HIGH |\n"),
        ("memory-bank/tasks/T1.md", TASK, "second", "- [ ] second\n"),
        ("memory-bank/errorLog.md", ERRORS, "Boom", "## 2026-01-02 10:00:00 UTC: Boom\n**Cause:** x\n\n"),
        ("memory-bank/errorLog.md", ERRORS, "Bang", "\n## 2026-01-01 10:00:00 UTC: Bang\n**Cause:** y\n"),
        ("memory/projects/p/known_issues.md", ISSUES, "Slow start", "### Slow start\n**Status**: Open (2026-01-01)\n\nIt waits.\n\n"),
        ("memory/projects/p/known_issues.md", ISSUES, "Other", "\n### Other\n**Status**: Open\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_the_lines_of_a_record_go_and_nothing_else(
    memory: Memory, name: str, text: str, record: str, gone: str, eol: str
) -> None:
    lines, gone = text.replace("\n", eol), gone.replace("\n", eol)
    path = put(memory.root, name, lines)
    assert lines.count(gone) == 1
    would = memory.delete(record, write=False)
    assert path.read_bytes().decode() == lines
    done = memory.delete(record)
    assert (done.record.id, done.written) == (would.record.id, would.written)
    assert path.read_bytes().decode() == lines.replace(gone, "")


@pytest.mark.parametrize(
    ("record", "gone"),
    [
        ("T1: One", "#### 10:00:00 UTC - T1: One\n- Created `a` - x\n\n"),
        ("Two", "#### 09:00:00 UTC - Two\n- Created `b` - y\n- Modified `c` - z\n\n"),
        ("Three", "\n### 2026-01-30\n\n#### 08:00:00 UTC - Three\n- Created `d` - w\n"),
        ("Modified c", "- Modified `c` - z\n"),
    ],
)
def test_the_history_is_kept_until_somebody_insists(memory: Memory, record: str, gone: str) -> None:
    path = put(memory.root, "memory-bank/edit_history.md", HISTORY)
    title = record.removeprefix("T1: ")
    with pytest.raises(Refused, match="memdown add edit 'Correction"):
        memory.delete(title)
    assert path.read_text() == HISTORY
    memory.delete(title, force=True)
    assert path.read_text() == HISTORY.replace(gone, "")


def test_a_decision_of_a_bank_is_superseded_and_the_refusal_says_how(cli: Cli) -> None:
    path = put(Path.cwd(), "memory-bank/decisionLog.md", DECIDED)
    for dry in ((), ("--dry-run",)):
        ran = cli("delete", "Use A", *dry)
        assert ran.code == 3
        assert path.read_text() == DECIDED
    way = ran.err.split("`")[1]
    assert way.startswith("memdown bank supersede-decision")
    assert cli(*shlex.split(way)[1:]).code == 0
    assert "Superseded by NEW TITLE" in path.read_text()
    put(Path.cwd(), "memory-bank/decisionLog.md", DECIDED)
    retires = cli("delete", "Use A").err.split("`")[3]
    assert cli(*shlex.split(retires)[1:]).code == 0
    assert path.read_text() == DECIDED.replace("Accepted", "Deprecated")
    assert cli("delete", "Use A", "--force").code == 0
    assert path.read_text() == "# Decision Log\n"


def test_the_dry_run_of_an_entry_names_the_entry_and_keeps_the_file(cli: Cli) -> None:
    path = put(Path.cwd(), LOG, f"# Decisions\n\n{ENTRY}")
    entry = parse(LOG, path.read_text()).records[0]
    ran = cli("delete", entry.id, "--dry-run")
    assert ran.code == 0
    assert (entry.title or "?") in ran.out
    assert f"({LOG}:3, " in ran.out
    assert ran.out.startswith("Would delete the decision ")
    done = cli("delete", entry.id, "--json").json()
    assert (done["id"], done["path"], done["line"], done["deleted"]) == (entry.id, LOG, 3, True)
    assert not done["file_deleted"]
    assert path.read_text() == "# Decisions\n"


def test_a_section_with_others_below_it_goes_by_force_alone(memory: Memory) -> None:
    text = "# Active Context\n\n## Current Focus\nOne.\n\n### Part\nTwo.\n\n## Next Steps\n1. x\n"
    path = put(memory.root, "memory-bank/activeContext.md", text)
    with pytest.raises(Refused, match='sections below it: "Part"'):
        memory.delete("Current Focus")
    assert [each.title for each in memory.delete("Current Focus", force=True).along] == ["Part"]
    assert path.read_text() == "# Active Context\n\n## Next Steps\n1. x\n"


def test_a_task_goes_from_its_row_its_file_and_the_counts(memory: Memory) -> None:
    row = put(memory.root, "memory-bank/tasks.md", REGISTRY)
    file = put(memory.root, "memory-bank/tasks/T1.md", TASK)
    counts = put(memory.root, "memory-bank/session_cache.md", CACHE)
    would = memory.delete("T1", write=False)
    done = memory.delete("T1")
    assert would == done
    assert sorted(done.written) == [f"memory-bank/{name}.md" for name in ("session_cache", "tasks", "tasks/T1")]
    assert not file.exists()
    assert row.read_text() == REGISTRY.replace("| T1  | One   | 🔄 | HIGH |\n", "")
    assert counts.read_text() == CACHE.replace("Active: 1", "Active: 0")


def test_a_session_and_a_list_are_kept(memory: Memory) -> None:
    put(memory.root, "memory-bank/sessions/2026-02-01-morning.md", SESSION)
    put(memory.root, "knowledge/index.md", "# Decision\n\n* [Use A](decisions/use-a.md)\n")
    put(memory.root, "knowledge/decisions/use-a.md", CONCEPT)
    for record in [each for each in memory.records() if each.kind in ("session", "index")]:
        with pytest.raises(Refused, match="--force"):
            memory.delete(record.id)
        assert memory.delete(record.id, force=True).file


# What was added goes without a trace

BEGUN = {
    "bank": {
        "memory-bank/decisionLog.md": f"{DECIDED}\n---\n\n## Decision: Use B\n- **Status**: Accepted\n",
        "memory-bank/progress.md": f"{PROGRESS}\n## Milestones\n\n### One — Complete\n- all\n\n## Known Issues\n- slow\n",
        "memory-bank/notes.md": "# Notes\n\n- 2026-01-01: Old\n\n## Other\ntext\n",
    },
    "cards": {f"memories/{ID}.md": CARD},
    "sem": {LOG: f"# Decisions\n\n{ENTRY}", ".squad/agents/ann/history.md": "# History\n\n## Learnings\n\ntext\n"},
    "okf": {
        "knowledge/index.md": '---\nokf_version: "0.2"\n---\n\n# Subdirectories\n\n* [tables](tables/index.md)\n',
        "knowledge/tables/index.md": "# Table\n\n* [x](x.md)\n",
        "knowledge/tables/x.md": "---\ntype: Table\ntitle: x\n---\n",
    },
    "journal": {
        "memory-bank/edit_history.md": HISTORY.replace("*Created: 2026-01-01*\n", ""),
        "memory-bank/tasks.md": REGISTRY,
        "memory-bank/errorLog.md": ERRORS,
        "memory-bank/session_cache.md": CACHE,
    },
}
GIVEN: dict[str, dict[str, object]] = {
    "cards": {"text": CONTENT, "tags": ["x"]},
    "sem": {"author": "Ann", "why": "Because", "text": "Many\n\nlines"},
    "bank": {"summary": "Small"},
}


def everything(root: Path) -> dict[str, str]:
    found = (path for path in root.rglob("*.md") if ".memdown" not in path.parts)
    return {str(path.relative_to(root)): path.read_bytes().decode() for path in found}


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("dialect", "kind"), [(name, kind) for name in BEGUN for kind in DIALECTS[name].KINDS if kind != "session"]
)
def test_what_was_added_goes_without_a_trace(memory: Memory, dialect: str, kind: str, eol: str) -> None:
    for name, text in BEGUN[dialect].items():
        put(memory.root, name, text.replace("\n", eol))
    before = everything(memory.root)
    added = memory.add(kind, "Quite new", dialect=dialect, **GIVEN.get(dialect, {}))  # type: ignore[arg-type]
    assert everything(memory.root) != before
    done = memory.delete(added.record.id, force=True)
    assert isinstance(done, Deletion)
    after = everything(memory.root)
    if dialect == "okf":  # its log tells of both
        assert "**Deletion**: Deleted Quite new" in after.pop("knowledge/log.md")
    assert after == before


TITLE = st.sampled_from(["Use SQLite", "Don't: use # it", "Выбор", "a `b` c", "Part 2 — more"])


@settings(max_examples=60, deadline=None)
@given(titles=st.lists(TITLE, min_size=1, max_size=4), at=st.integers(0, 3), eol=st.sampled_from(["\n", "\r\n"]))
@pytest.mark.parametrize(("dialect", "kind"), [("sem", "decision"), ("bank", "decision"), ("bank", "task"), ("bank", "milestone"), ("bank", "note")])  # fmt: skip
def test_an_entry_goes_from_among_others(dialect: str, kind: str, titles: list[str], at: int, eol: str) -> None:
    """Entries are added one after another; without one of them the text is as if it had not been added."""
    name = {"sem": LOG, "bank": f"memory-bank/{DIALECTS['bank'].KINDS[kind]}"}[dialect]
    titles = list(dict.fromkeys(titles))
    at %= len(titles)
    begin = (
        "# Title\n\n## Upcoming\n- [ ] first\n\n## Milestones\n\n### One\n- x\n" if kind != "decision" else "# Title\n"
    )
    room = DIALECTS[dialect]

    def written(all_titles: list[str]) -> str:
        text = begin.replace("\n", eol)
        for title in all_titles:
            record = room.prepare(draft(kind, title, author="Ann"), NOW)
            text = apply(text, room.insert(text, record))
        return text

    text = written(titles)
    [record] = [each for each in read_as(dialect, name, text) if each.kind == kind and _is(each, titles[at])]
    edits = room.remove(text, record)  # type: ignore[attr-defined]
    assert apply(text, edits) == written(titles[:at] + titles[at + 1 :])


def _is(record: Record, title: str) -> bool:
    return (record.title or "").strip() == title or (record.title, title) == ("Part 2", "Part 2 — more")


@draws(200)
@given(
    above=st.lists(st.sampled_from(["a", "", "  "]), max_size=5),
    below=st.lists(st.sampled_from(["b", "", " "]), max_size=5),
    eol=st.sampled_from(["\n", "\r\n", "\r"]),
    ended=st.booleans(),
)
def test_lines_that_go_leave_one_gap(above: list[str], below: list[str], eol: str, ended: bool) -> None:
    text = eol.join([*above, "gone", *below]) + (eol if ended else "")
    start = text.index("gone")
    after = apply(text, [without(text, start, start + len("gone"))])
    assert [line for line in after.split(eol) if line.strip()] == [line for line in (*above, *below) if line.strip()]
    assert not after.strip() or not ended or after.endswith(eol)


# Names


@pytest.fixture
def full(memory: Memory) -> Memory:
    put(memory.root, f"memories/{ID}.md", CARD)
    put(memory.root, "memory-bank/decisionLog.md", DECIDED)
    put(memory.root, "memory-bank/progress.md", PROGRESS)
    put(memory.root, "memory-bank/tasks.md", REGISTRY)
    put(memory.root, "memory-bank/tasks/T1.md", TASK)
    return memory


@pytest.mark.parametrize(
    ("name", "kind", "title"),
    [
        (ID, "card", "Pool size is 10"),
        (ID[:5], "card", "Pool size is 10"),
        ("pool SIZE is 10", "card", "Pool size is 10"),
        ("Pool si", "card", "Pool size is 10"),
        (f"memories/{ID}.md", "card", "Pool size is 10"),
        ("memory-bank/decisionLog.md:5", "decision", "Use A"),
        ("memory-bank/progress.md:5", "task", "Part"),
        ("memory-bank/progress.md:1", "section", "Progress"),
        ("T1", "task", "One"),
        ("T2", "task", "Two"),
        ("memory-bank/tasks/T1.md", "task", "One"),
    ],
)
def test_a_record_is_named_in_many_ways(full: Memory, name: str, kind: str, title: str) -> None:
    record = full.get(name)
    assert (record.kind, record.title) == (kind, title)


def test_several_that_fit_are_listed_with_ids_that_can_be_given(full: Memory) -> None:
    with pytest.raises(Ambiguous) as several:
        full.get("Two")  # a task of the bank, and one of the journal
    ids = [each.split()[0] for each in str(several.value).partition(": ")[2].split("; ")]
    assert len(ids) == 2
    assert {full.get(id).title for id in ids} == {"Two"}
    with pytest.raises(Ambiguous, match=r"progress\.md:LINE"):
        full.get("memory-bank/progress.md")
    with pytest.raises(NotFound, match="begin at 1"):
        full.get("memory-bank/decisionLog.md:99")
    with pytest.raises(NotFound, match="no such: thing"):
        full.get("no such: thing")


def test_what_list_shows_names_a_record(cli: Cli) -> None:
    for name, text in {**BEGUN["okf"], **BEGUN["journal"], **BEGUN["sem"], **BEGUN["cards"]}.items():
        put(Path.cwd(), name, text)
    put(Path.cwd(), "memory/projects/p/known_issues.md", ISSUES)
    put(Path.cwd(), "memory/projects/p/overview.md", "# Overview\n")
    shown = [line.split("  ")[0] for line in cli("list").out.splitlines()]
    listed = [each["id"] for each in cli("list", "--json").json()]
    assert len(shown) == len(listed) > 15
    for short, id in zip(shown, listed, strict=True):
        assert cli("show", short, "--json").json()["id"] == id


@pytest.mark.parametrize("way", ["short", "title", "stamp", "prefix"])
def test_supersedes_takes_what_list_shows(cli: Cli, way: str) -> None:
    path = put(Path.cwd(), LOG, f"# Decisions\n\n{ENTRY}")
    old = parse(LOG, path.read_text()).records[0]
    assert old.at
    name = {"short": cli("list").out[:8], "title": old.title or "", "stamp": old.at.text, "prefix": old.id[:4]}[way]
    assert cli("add", "decision", "Another", "--author", "Ann", "--supersedes", name).code == 0
    assert f"**supersedes:** {old.at.text}  \n" in path.read_text()
    marks = {each["title"]: each["superseded"] for each in cli("list", "--json").json()}
    assert marks == {"Another": False, old.title: True}
    wrong = cli("add", "decision", "Third", "--author", "Ann", "--supersedes", "nothing like it")
    assert wrong.code == 2
    assert "memdown list" in wrong.err


def test_supersedes_names_a_decision_of_a_bank_by_id(cli: Cli) -> None:
    path = put(Path.cwd(), "memory-bank/decisionLog.md", DECIDED)
    id = parse("memory-bank/decisionLog.md", DECIDED).records[1].id
    assert cli("add", "decision", "Use B", "--supersedes", id[:8]).code == 0
    assert "- **Supersedes**: Use A\n" in path.read_text()
    assert "Superseded by Use B" in path.read_text()


# Real files


@pytest.mark.corpus
def test_real_files_keep_all_other_records(corpus: list[Path]) -> None:
    """In every seventh real file, each twentieth record is taken out: what stays was there, and in this order."""
    tried = 0
    for path in corpus[::7]:
        if path.suffix != ".md" or path.stat().st_size > 60_000:
            continue
        name = "/".join(path.relative_to(CORPUS).parts[2:])
        text = decode(path.read_bytes())
        document = parse(name, text)
        for record in document.records[::20]:
            room = DIALECTS[record.dialect]
            edits = room.remove(text, record)  # type: ignore[attr-defined]
            after = apply(text, edits)
            left = iter(after.splitlines())
            lines = iter(text.splitlines())
            assert all(line in lines for line in left), (path, record.line)
            tried += 1
    assert tried > 200
