"""Adding: every kind goes where the project keeps it, in the form of its dialect, and is read back as it was given."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from conftest import Ran, draws
from memdown import Memory
from memdown.acts import add
from memdown.dialects import DIALECTS, read_as
from memdown.dialects.draft import draft
from memdown.errors import Invalid, NotFound, Refused
from memdown.record import Record
from memdown.text import apply
from samples import CARD, CONTENT, ID, put
from test_walks import DEEPEST, Walk

bank = DIALECTS["bank"]
journal = DIALECTS["journal"]
layers = DIALECTS["layers"]

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, 0, tzinfo=UTC)
LOG = "memory-bank/decisionLog.md"
PROGRESS = "# Progress\n\n## In Progress\n- [ ] One\n\n## Upcoming\n- [ ] Two\n\n## Completed\n- [x] Three\n"
HISTORY = "# Edit History\n*Created: 2026-01-01 10:00:00 UTC*\n*Last Updated: 2026-01-01 10:00:00 UTC*\n"


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """An empty project, at a fixed time."""
    monkeypatch.chdir(tmp_path)
    return Memory(tmp_path, now=lambda: NOW)


def texts(root: Path) -> dict[str, str]:
    """Every file of memory, by name."""
    found = (path for path in sorted(root.rglob("*.md")))
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in found}


# Text in, text out: each kind, in each dialect


def test_a_card(memory: Memory) -> None:
    added = memory.add(
        "card", "Pool size", text=CONTENT, tags=["pool"], scope="area:db", at="2026-01-15T10:30:00Z", id=ID
    )
    assert texts(memory.root) == {
        f"memories/{ID}.md": (
            f"---\nid: {ID}\nsubject: Pool size\nkeywords:\n  - pool\napplies_to: 'area:db'\n"
            f"occurred_at: '2026-01-15T10:30:00Z'\ncontent_hash: 'd12bf02111536bbd'\n---\n\n{CONTENT}\n"
        )
    }
    assert (added.created, added.record.id, added.record.line, added.notes) == (True, ID, 1, [])


@pytest.mark.parametrize("kind", ["decision", "note", "directive"])
def test_an_entry_of_a_log(memory: Memory, kind: str) -> None:
    added = memory.add(kind, "Use SQLite", author="Ann", text="One file.", why="No server.", tags=["db"])
    assert texts(memory.root) == {
        ".squad/decisions.md": (
            f"# Decisions\n\n### 2026-02-01T12:00:00+0000: {kind}: Use SQLite\n\n**type:** {kind}  \n"
            "**timestamp:** 2026-02-01T12:00:00+0000  \n**author:** Ann  \n**scope:** team  \n**tags:** db  \n\n"
            "**summary:** Use SQLite\n\n**details:**\n\nOne file.\n\n**rationale:** No server.\n\n---\n"
        )
    }
    assert (added.record.path, added.record.line, added.record.body) == (".squad/decisions.md", 3, "One file.")


def test_a_memory_goes_to_the_history_of_its_author(memory: Memory) -> None:
    put(memory.root, ".squad/agents/Bob/charter.md", "# Bob\n")
    assert memory.add("memory", "Spies leak", author="bob (QA)").record.path == ".squad/agents/Bob/history.md"
    assert texts(memory.root)[".squad/agents/Bob/history.md"].startswith(
        "# History\n\n### 2026-02-01T12:00:00+0000: memory:"
    )


def test_a_decision_of_a_bank(memory: Memory) -> None:
    before = "# Decision Log\n\n## Decision: Use files\n- **Date**: 2026-01-01\n- **Status**: Accepted\n"
    put(memory.root, LOG, before)
    memory.add("decision", "Use SQLite", text="A store is needed.", summary="SQLite", why="Small")
    assert texts(memory.root) == {
        LOG: f"{before}\n---\n\n## Decision: Use SQLite\n- **Date**: 2026-02-01\n- **Status**: Accepted\n"
        "- **Context**: A store is needed.\n- **Selected**: SQLite\n- **Rationale**: Small\n"
    }
    memory.add(
        "decision", "Use Postgres", why="Large", supersedes=["Use SQLite"], status="proposed", options=["A", "B"]
    )
    assert texts(memory.root)[LOG] == (
        f"{before}\n---\n\n## Decision: Use SQLite\n- **Date**: 2026-02-01\n- **Status**: Superseded by Use Postgres\n"
        "- **Context**: A store is needed.\n- **Selected**: SQLite\n- **Rationale**: Small\n"
        "\n---\n\n## Decision: Use Postgres\n- **Date**: 2026-02-01\n- **Status**: Proposed\n"
        "- **Supersedes**: Use SQLite\n- **Options Considered**:\n  1. A\n  2. B\n- **Rationale**: Large\n"
    )
    with pytest.raises(NotFound):
        memory.add("decision", "New", supersedes=["Nothing"])
    with pytest.raises(Invalid, match="replaces one other"):
        memory.add("decision", "New", supersedes=["Use files", "Use Postgres"])
    with pytest.raises(Invalid, match="not a status"):
        memory.add("decision", "New", status="Cool")


def test_a_task_and_a_milestone_of_a_bank(memory: Memory) -> None:
    put(memory.root, "memory-bank/progress.md", PROGRESS)
    added = memory.add("task", "Four")
    assert (added.record.title, added.record.status, added.record.line) == ("Four", "upcoming", 8)
    memory.add("task", "Five", status="in-progress")
    memory.add("milestone", "Beta", status="Planned", text="Import works")
    assert texts(memory.root)["memory-bank/progress.md"] == (
        PROGRESS.replace("- [ ] Two\n", "- [ ] Two\n- [ ] Four\n").replace("- [ ] One\n", "- [ ] One\n- [ ] Five\n")
        + "\n## Milestones\n### Beta — Planned\n- Import works\n"
    )


def test_the_kinds_of_a_journal(memory: Memory) -> None:
    put(memory.root, "memory-bank/edit_history.md", HISTORY)
    edit = memory.add("edit", "Viewer", tasks=["T21"], files=[("created", "src/a.js", "Lists files")])
    assert texts(memory.root)["memory-bank/edit_history.md"] == (
        HISTORY.replace("Updated: 2026-01-01 10:00:00", "Updated: 2026-02-01 12:00:00")
        + "\n### 2026-02-01\n\n#### 12:00:00 UTC - T21: Viewer\n- Created `src/a.js` - Lists files\n"
    )
    assert not memory.add("edit", "Viewer", tasks=["T21"], files=[("created", "src/a.js", "Lists files")]).created
    task = memory.add("task", "Parser", priority="high", description="Reads tables")
    assert (task.record.id, task.record.status, task.record.summary) == ("T22", "pending", "Reads tables")
    assert task.written == ["memory-bank/tasks/T22.md", "memory-bank/tasks.md"]
    assert (
        "| T22 | Parser | ⬜ | HIGH | 2026-02-01 | - | [Details](tasks/T22.md) |\n"
        in texts(memory.root)["memory-bank/tasks.md"]
    )
    memory.add("error", "Boom", file="src/a.js", error="E", cause="A fuse", fix="Another", task="T22")
    stamp = "2026-02-01 12:00:00 UTC"
    assert texts(memory.root)["memory-bank/errorLog.md"] == (
        f"# Error Log\n*Created: {stamp}*\n*Last Updated: {stamp}*\n\n## {stamp}: T22 - Boom\n**File:** `src/a.js`\n"
        "**Error:** `E`\n**Cause:** A fuse\n**Fix:** Another\n**Task:** T22\n"
    )
    session = memory.add("session", "T22", period="evening")
    assert session.record.path == "memory-bank/sessions/2026-02-01-evening.md"
    assert "**Focus Task**: T22: Parser\n" in texts(memory.root)[session.record.path]
    assert edit.record.path == "memory-bank/edit_history.md"


def test_a_memory_of_the_layered_store_needs_its_address(memory: Memory) -> None:
    put(memory.root, "memory/projects/p/overview.md", "# Overview\n")
    added = memory.add("memory", "Profile", text="Body.", dialect="layers", id="shared-project/p/profile")
    assert texts(memory.root)[added.record.path] == "<!-- Last Updated: 2026-02-01 -->\n\n# Profile\n\nBody.\n"
    assert added.record.path == "memory/projects/p/profile.md"
    with pytest.raises(Refused, match="already has text"):
        memory.add("memory", "Profile", dialect="layers", id="shared-project/p/profile")
    assert add.holder(memory, "memory") == "layers"


# Where a kind goes

SEM = ".squad/decisions.md"
CANONICAL = "# Decisions\n\n### 2026-01-01: Old\n**By:** Ann\n\ntext\n"
DECIDED = "# Decision Log\n\n## Decision: Old\n- **Date**: 2026-01-01\n- **Status**: Accepted\n"
BUNDLE = '---\nokf_version: "0.2"\n---\n'
REGISTRY = "# Task Registry\n\n## Active Tasks\n| ID | Title | Status |\n|---|---|---|\n"


@pytest.mark.parametrize(
    ("files", "kind", "path"),
    [
        ({}, "decision", SEM),
        ({}, "task", "memory-bank/tasks/T1.md"),
        ({}, "edit", "memory-bank/edit_history.md"),
        ({LOG: DECIDED}, "decision", LOG),
        ({LOG: DECIDED}, "note", "memory-bank/notes.md"),
        ({LOG: DECIDED}, "memory", "memory-bank/notes.md"),
        ({LOG: DECIDED}, "directive", LOG),
        ({LOG: DECIDED, "memory-bank/Notes.md": "# Notes\n\nSee below.\n"}, "note", "memory-bank/Notes.md"),
        ({"memory-bank/tasks.md": REGISTRY}, "note", "memory-bank/notes.md"),
        ({SEM: CANONICAL}, "task", SEM),
        ({"memory-bank/decision_log.md": DECIDED}, "decision", "memory-bank/decision_log.md"),
        ({"docs/memory-bank/ADRs.md": DECIDED}, "decision", "docs/memory-bank/ADRs.md"),
        ({"memory-bank/projectbrief.md": "# Brief\n"}, "decision", LOG),
        ({"memory-bank/progress.md": PROGRESS}, "task", "memory-bank/progress.md"),
        ({"memory-bank/progress.md": "# Progress\n"}, "task", "memory-bank/progress.md"),
        ({"memory-bank/tasks.md": REGISTRY}, "task", "memory-bank/tasks/T1.md"),
        ({"memory-bank/tasks.md": REGISTRY, "memory-bank/progress.md": PROGRESS}, "task", "memory-bank/progress.md"),
        (
            {"memory-bank/tasks.md": f"{REGISTRY}| T1 | x | ✅ |\n", "memory-bank/progress.md": PROGRESS},
            "task",
            "memory-bank/tasks/T2.md",
        ),
        ({"memory-bank/tasks.md": "", "memory-bank/brief.md": "# Brief\n"}, "task", "memory-bank/progress.md"),
        ({SEM: CANONICAL, LOG: "# Decision Log\n"}, "decision", SEM),
        ({SEM: "# Decisions\n", LOG: DECIDED}, "decision", LOG),
        ({SEM: "# Decisions\n", LOG: "# Decision Log\n"}, "decision", SEM),
        ({SEM: CANONICAL, LOG: DECIDED}, "decision", SEM),
        ({"memory-bank/Error-Log.md": "# Error Log\n"}, "error", "memory-bank/Error-Log.md"),
        ({"knowledge/readme.md": "# Readme\n"}, "decision", SEM),
        ({"knowledge/index.md": BUNDLE}, "decision", "knowledge/decisions/new.md"),
        ({"knowledge/index.md": BUNDLE, LOG: DECIDED}, "decision", LOG),
        ({LOG: DECIDED}, "card", None),
        ({"memory/projects/p/overview.md": "# Overview\n"}, "memory", "memory/commands/p/lessons_learned.md"),
        ({"memory/projects/p/overview.md": "# Overview\n"}, "decision", "memory/commands/p/decisions.md"),
        ({"memory/projects/p/overview.md": "# Overview\n"}, "directive", "memory/commands/p/conventions.md"),
        ({"memory/projects/p/overview.md": "# Overview\n"}, "task", "memory/commands/p/todo.md"),
    ],
)
def test_a_kind_is_written_where_the_project_keeps_it(
    memory: Memory, files: dict[str, str], kind: str, path: str | None
) -> None:
    for name, text in files.items():
        put(memory.root, name, text)
    given = (
        {"text": CONTENT, "tags": ["x"]} if kind == "card" else {} if kind in ("edit", "task") else {"author": "Ann"}
    )
    added = memory.add(kind, "New", **given)
    assert added.record.path == (path or f"memories/{added.record.id}.md")
    assert added.created
    assert memory.get(added.record.id).title == "New"


def test_a_kind_that_nobody_holds_is_refused(memory: Memory) -> None:
    with pytest.raises(Invalid, match="'rumour' is not a kind that can be added; use card, decision"):
        memory.add("rumour", "x")


def test_what_a_format_has_no_field_for_is_told(memory: Memory) -> None:
    put(memory.root, LOG, DECIDED)
    put(memory.root, "memory-bank/progress.md", PROGRESS)
    told = memory.add("decision", "New", author="Ann", why="So", tags=["a"], scope="team", text="Context.").notes
    assert told == [f"A decision in {LOG} has no field for scope, tags; that was not written."]
    told = memory.add("task", "New", priority="HIGH", description="More").notes
    assert told == ["A task in memory-bank/progress.md has no field for priority, description; that was not written."]
    assert "no field for author" in memory.add("card", "New", text=CONTENT, tags=["x"], author="Ann").notes[0]
    told = memory.add("edit", "New", author="Ann").notes
    assert told[0] == "An edit of the journal has no field for author; that was not written."
    assert told[1].startswith("This begins a journal in memory-bank/ beside this project's memory bank")
    other = memory.add("decision", "Other")
    do = f"`memdown edit --why TEXT {other.record.id}`"
    assert other.notes == [f"This decision has no rationale; to give it one, {do}."]


def test_what_would_be_hidden_is_not_written(memory: Memory) -> None:
    for name in (LOG, "memory-bank/progress.md"):
        put(memory.root, name, "# Log\n\n```\nnever closed\n")
    before = texts(memory.root)
    for kind in ("decision", "task"):
        with pytest.raises(Refused, match="never closed"):
            memory.add(kind, "New", why="So")
    assert texts(memory.root) == before


@pytest.mark.parametrize("title", ["Plain", "*x*", "**All** of it", "_x_", "`code`"])
@pytest.mark.parametrize(
    "text",
    [
        "# Progress\n\n## Upcoming\n- [Task 1]\n- [Task 2]\n- [Task 3]\n\n## Milestones\n- [One] - [Date]\n- [Two] - [Date]\n",
        "# Progress\n\n## Done\n- One\n\n### Milestones\n\n| day | what |\n|---|---|\n| 2026-01-02 | Beta |\n\n### Blockers\n- x\n",
        "# Progress\n\n### Milestones\n\n#### Alpha\n\n##### Goals\n- One\n\n### Blockers\n- x\n",
        "# Progress\n",
    ],
)
def test_placeholders_deep_headings_and_emphasis_hinder_nothing(memory: Memory, text: str, title: str) -> None:
    put(memory.root, "memory-bank/progress.md", text)
    plain = title.replace("*", "").replace("_", "")
    for kind in ("milestone", "task"):
        record = memory.add(kind, title).record
        assert (record.kind, (record.title or "").replace("*", "").replace("_", "")) == (kind, plain)
    after = texts(memory.root)["memory-bank/progress.md"].splitlines()
    assert [line for line in text.splitlines() if "[" not in line and line not in after] == []


def test_a_refusal_names_its_true_reason(memory: Memory) -> None:
    name = "memory-bank/progress.md"
    put(memory.root, name, "# Progress\n\n###### Milestones\n\nOne by one.\n")
    with pytest.raises(Refused, match="below a heading of the sixth level"):
        memory.add("milestone", "Beta")
    put(memory.root, name, "# Progress\n\n## Milestones\n\n### Alpha\n")
    with pytest.raises(Refused, match="would read 'Blockers' as a section, not as a milestone; give it other words"):
        memory.add("milestone", "Blockers")
    put(memory.root, name, "# Progress\n\n<!-- not closed\n")
    with pytest.raises(Refused, match=r"with an HTML comment that is never closed \(line 3\)"):
        memory.add("task", "New")
    put(memory.root, name, "# Progress\n\n```\nnot closed\n")
    with pytest.raises(Refused, match=r"with a code fence that is never closed \(line 3\)"):
        memory.add("task", "New")


def test_every_kind_can_be_named_before_its_title(cli: Cli, tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/progress.md", PROGRESS)
    assert cli("add", "milestone", "Beta").out == "Wrote memory-bank/progress.md:13 Beta\n"
    assert "did you mean milestone?" in cli("add", "milestne", "Gamma").err
    assert cli("add", "milestone of May").out.startswith("Created memory-bank/notes.md")


def test_the_author_is_who_commits_here(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(put(Path.cwd(), ".gitconfig", "[user]\n\tname = Ann Lee\n")))
    ran = cli("add", "note", "Ping", "--json").json()
    assert ran["guessed"] == ["author: Ann Lee (from git)"]
    assert cli("show", ran["id"], "--json").json()["author"] == "Ann Lee"
    assert cli("add", "note", "Pong").err == "memdown: Guessed author: Ann Lee (from git).\n"
    assert cli("add", "note", "Pung", "--author", "Bob", "--json").json()["guessed"] == []


def test_the_author_is_found_as_git_finds_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def author(title: str) -> str:
        return str(cli("show", cli("add", "note", title, "--json").json()["id"], "--json").json()["author"])

    config = put(Path.cwd(), ".gitconfig", "[user]\n\tname = Ann\n\temail = ann@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert author("Ping") == "Ann"
    config.write_text("[user]\n\tname = Ann\n[author]\n\tname = Ann of the shop\n", "utf-8")
    assert author("Pong") == "Ann of the shop"
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Bob")
    assert author("Pung") == "Bob"


def test_an_author_is_needed_where_the_format_has_one(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    ran = cli("add", "note", "Ping")
    assert (ran.code, ran.err) == (
        2,
        "memdown: A note needs an author; give --author, or set user.name with `git config`.\n",
    )
    put(Path.cwd(), LOG, DECIDED)
    ran = cli("add", "decision", "Use SQLite", "--rationale", "Small", "--json")
    assert (ran.code, ran.err) == (0, "")
    assert {key: ran.json()[key] for key in ("path", "line", "created", "notes")} == {
        "path": LOG, "line": 9, "created": True, "notes": [],
    }  # fmt: skip


def test_add_task_answers_for_the_place_it_chose(cli: Cli) -> None:
    put(Path.cwd(), "memory-bank/progress.md", PROGRESS)
    assert cli("add", "task", "Four").out == "Wrote memory-bank/progress.md:8 Four\n"
    put(Path.cwd(), "memory-bank/tasks.md", f"{REGISTRY}| T1 | x | ✅ |\n")
    told = cli("add", "task", "Five", "--priority", "high", "--json").json()
    assert (told["id"], told["priority"], told["created"]) == ("T2", "HIGH", True)


# Insert, then read


LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60).filter(str.strip)
WORDS = st.lists(
    st.sampled_from(["pool", "`code`", "**bold**", "| pipe |", "[x](y.md)", "T21", "a: b", "✅", "#1"]), min_size=1
)


def written(dialect: str, record: Record, before: str = "") -> Record:
    """A record as it is read from the text that it was inserted into."""
    room = DIALECTS[dialect]
    after = apply(before, room.insert(before, record))
    old = {each.id for each in room.read(record.path, before)} if before else set()
    new = [each for each in read_as(dialect, record.path, after) if each.kind == record.kind and each.id not in old]
    assert len(new) == 1
    return new[0]


@draws(150)
@given(
    title=WORDS.map(" ".join),
    context=WORDS.map(" ".join),
    why=WORDS.map(" ".join),
    before=st.sampled_from(["", DECIDED]),
)
def test_a_decision_of_a_bank_is_read_back(title: str, context: str, why: str, before: str) -> None:
    record = bank.prepare(draft("decision", f"Use {title} now", text=context, why=why), NOW)
    read = written("bank", structs.replace(record, path=LOG), before)
    assert (read.title, read.status, read.at) == (f"Use {title} now", "Accepted", record.at)
    assert (read.extra["context"], read.extra["rationale"]) == (context, why)


@draws(150)
@given(
    title=WORDS.map(" ".join),
    status=st.sampled_from(["upcoming", "in-progress"]),
    before=st.sampled_from(["", PROGRESS]),
)
def test_a_task_of_a_bank_is_read_back(title: str, status: str, before: str) -> None:
    record = bank.prepare(draft("task", f"Do {title}", status=status), NOW)
    read = written("bank", structs.replace(record, path="memory-bank/progress.md"), before)
    assert (read.title, read.status) == (f"Do {title}", status)


@draws(150)
@given(title=WORDS.map(" ".join), tasks=st.lists(st.sampled_from(["T1", "T22", "META-1"]), unique=True))
def test_an_edit_is_read_back(title: str, tasks: list[str]) -> None:
    new = draft("edit", f"Did {title}", tasks=tasks)
    record = journal.prepare(structs.replace(new, path="memory-bank/edit_history.md"), NOW)
    read = written("journal", record, HISTORY)
    assert (read.title, read.at) == (f"Did {title}", record.at)
    assert list(read.extra["tasks"]) == tasks


@draws(150)
@given(title=WORDS.map(" ".join), fix=WORDS.map(" ".join))
def test_an_error_and_a_task_of_a_journal_are_read_back(title: str, fix: str) -> None:
    error = journal.prepare(
        structs.replace(draft("error", f"No {title}", fix=fix), path="memory-bank/errorLog.md"), NOW
    )
    assert (written("journal", error).title, written("journal", error).extra["fix"]) == (f"No {title}", fix)
    task = structs.replace(draft("task", f"Do {title}", task="T3", priority="HIGH"), path="memory-bank/tasks/T3.md")
    read = written("journal", journal.prepare(task, NOW))
    assert (read.title, read.status, read.extra["priority"]) == (f"Do {title}", "pending", "HIGH")


@draws(100)
@given(title=LINE.filter(lambda text: text.isalnum()), body=WORDS.map("\n\n".join))
def test_a_memory_of_the_layered_store_is_read_back(title: str, body: str) -> None:
    record = layers.prepare(draft("memory", title, text=body, id="shared-project/p/notes"), NOW)
    read = written("layers", structs.replace(record, path=f"memory/{layers.place(record)}"))
    assert (read.id, read.title, read.body, read.at) == (record.id, title, record.body, record.at)


# Cards and the index


def test_a_card_reads_no_other_card_when_the_index_is_fresh(tmp_path: Path) -> None:
    for number in range(300):
        id = f"{number:08d}-5a4d-4e6f-9b7a-0c1d2e3f4a5b"
        put(tmp_path, f"memories/{id}.md", CARD.replace(ID, id).replace("10 connections", f"{number} connections"))
    script = (
        "import sys; from pathlib import Path; from memdown import Memory; memory = Memory(Path(sys.argv[1])); opened = []\n"
        "memory.index(); import time; time.sleep(0.1); memory.index()\n"
        "def hear(event, args):\n"
        "    if event == 'open' and str(args[0]).endswith('.md'): opened.append(str(args[0]))\n"
        "sys.addaudithook(hear)\n"
        "added = memory.add('card', 'New', text='The pool has 900 connections, at last.', tags=['pool'])\n"
        "print(added.created, [name for name in opened if added.record.id not in name and 'index.md' not in name])\n"
        "old = 'The pool has 17 connections.\\nWith 5 the load test timed out.'\n"
        "again = memory.add('card', 'New', text=old, tags=['pool'], at='2026-01-15T10:30:00Z')\n"
        "print(again.created, again.record.id[:8])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True []", "False 00000017"]


@pytest.mark.parametrize("indexed", [True, False])
def test_the_same_memory_is_found_with_an_index_and_without(memory: Memory, indexed: bool) -> None:
    put(memory.root, f"memories/{ID}.md", CARD.replace("d12bf02111536bbd", "0000000000000000"))
    if indexed:
        memory.index()
    again = memory.add("card", "Pool size is 10", text=f"\n{CONTENT}\n\n", tags=["x"], at="2026-01-15T11:30:00+01:00")
    assert (again.created, again.record.id) == (False, ID)
    assert again.notes == ["The existing card differs in its keywords and applies_to."]
    other = memory.add("card", "Pool size", text=CONTENT, tags=["x"])
    assert other.notes == [f"The same content exists with another time: {ID}."]
    old = {"text": CONTENT, "tags": ["x"], "at": "2025-01-01T00:00:00Z"}
    assert memory.add("card", "Pool size", dedupe="content", **old).created is False  # type: ignore[arg-type]


def test_few_functions_lie_between_the_command_and_the_disk(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    walk = Walk(tmp_path, "add", "card", "New", "-k", "new", "--content", "A new memory, long enough.")
    [stack] = walk.stacks
    below = stack[: stack.index("surfaces/cli/common.py:with_session") + 1]
    assert len(below) <= DEEPEST, below


def test_what_is_replaced_within_its_second_is_named_by_its_title_too(memory: Memory) -> None:
    put(memory.root, ".squad/decisions.md", "# Decisions\n")
    memory.add("decision", "Use SQLite", author="Ann", why="No server")
    new = memory.add("decision", "Use PostgreSQL", author="Ann", why="Many writers", supersedes=["Use SQLite"])
    memory.add("decision", "Use UTC", author="Ann", why="One zone")
    assert [link.target for link in new.record.links] == ["2026-02-01T12:00:00+0000: Use SQLite"]
    assert [each.code for each in memory.check() if each.code == "SEM065"] == []


def test_what_is_behind_a_line_end_of_the_first_line_is_kept(cli: Cli) -> None:
    cli("init", "--dialect", "bank")
    assert cli("add", "text", "Pool of ten\u2028since Monday").code == 0
    assert "Pool of ten since Monday" in Path("memory-bank/notes.md").read_text("utf-8")
