"""Entries are written canonically, appended as one block, and read back as they were."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Unpack

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forks
from conftest import CORPUS, Ran, draws
from memdown import Memory
from memdown.acts import add
from memdown.dialects import DIALECTS, parse
from memdown.dialects.draft import DraftFields, draft
from memdown.dialects.sem import write as sem_write
from memdown.dialects.sem.write import entry_text
from memdown.errors import Invalid, Refused
from memdown.project import Project
from memdown.record import Link, Record
from memdown.text import apply
from samples import put
from test_sem_reader import ENTRY, LOG

sem = DIALECTS["sem"]

Cli = Callable[..., Ran]
AT = datetime(2026, 2, 15, 14, 32, 15, tzinfo=timezone(timedelta(hours=-8)))


def new(kind: str, title: str, **given: Unpack[DraftFields]) -> Record:
    """An entry ready to be written."""
    return sem.prepare(draft(kind, title, **given), AT)


def test_an_entry_in_canonical_form() -> None:
    entry = new(
        "decision",
        "One pool for all",
        author="Ann",
        summary="All services share one pool.",
        text="The pool has three sizes.",
        why="One pool is easier to watch.",
        tags=["database", "#pool"],
        contributors=["Bob"],
        supersedes=["2026-02-10T09:15:00-0800"],
        expires="2027-01-01",
        related=[Link("issue", "#18")],
    )
    assert entry_text(entry) == (
        "### 2026-02-15T14:32:15-0800: decision: One pool for all\n\n"
        "**type:** decision  \n**timestamp:** 2026-02-15T14:32:15-0800  \n**author:** Ann  \n**contributors:** Bob  \n"
        "**scope:** team  \n**tags:** database, pool  \n**supersedes:** 2026-02-10T09:15:00-0800  \n"
        "**expires:** 2027-01-01T23:59:59-0800  \n\n**summary:** All services share one pool.\n\n"
        "**details:**\n\nThe pool has three sizes.\n\n**rationale:** One pool is easier to watch.\n\n"
        "**related:**\n- issue: #18\n\n---\n"
    )


def test_a_canonical_entry_is_written_as_it_was() -> None:
    text = ENTRY.replace("`pool`, #v0.3", "pool, v0.3")
    [record] = parse(LOG, text).records
    assert entry_text(record) == text


@pytest.mark.corpus
@pytest.mark.skipif(not (CORPUS.parent / "seeds").is_dir(), reason="the description of the format is not here")
def test_the_examples_of_the_format_are_written_as_they_are() -> None:
    seed = (CORPUS.parent / "seeds" / "sem-proposal-037.txt").read_text("utf-8")
    found = 0
    for chunk in seed.split("```markdown\n")[1:]:
        entry, terminator, _ = chunk.partition("\n---\n```\n")
        if terminator:
            [record] = parse(LOG, f"{entry}\n---\n").records
            assert entry_text(record) == f"{entry}\n---\n"
            found += 1
    assert found == 5


LINE = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=80).filter(str.strip)
WORD = LINE.filter(lambda word: "," not in word and word.strip(" `#"))
STRUCTURE = st.sampled_from(
    ["---", "  ---  ", "### 2026-02-01: x", "# 2026-02-01", "**author:** x", "**details:**", "**Author:** x", "```", "~~~~", "```js",
     "\\---", "\\\\---", "\\```", "    code", "## Plan", "# Whole", "### 2026-02-15T14:32:15-0800: note: x", "a", "", "  ", "\\", "- x",
     "### Plan (2026-02-01)", "|---|", "----", "\t---", "text\\"]
)  # fmt: skip
TEXT = st.one_of(st.lists(STRUCTURE, max_size=12).map("\n".join), st.text(st.characters(exclude_categories=["Cs"])))


@draws(400)
@given(
    kind=st.sampled_from(["decision", "memory", "note", "directive"]),
    title=LINE,
    author=LINE,
    summary=LINE,
    details=TEXT,
    rationale=TEXT,
    tags=st.lists(WORD, max_size=4),
    contributors=st.lists(WORD, max_size=3),
    related=st.lists(st.tuples(st.sampled_from(["issue", "pr", "decision"]), LINE), max_size=3),
    before=st.sampled_from(["", "# Decisions\n\n", "text", "### 2026-02-01: Old\n**By:** x\n", ENTRY, "a\r\nb\r\n"]),
)
def test_what_is_written_is_read_back(
    kind: str,
    title: str,
    author: str,
    summary: str,
    details: str,
    rationale: str,
    tags: list[str],
    contributors: list[str],
    related: list[tuple[str, str]],
    before: str,
) -> None:
    try:
        entry = new(
            kind,
            title,
            author=author,
            summary=summary,
            text=details,
            why=rationale,
            tags=tags,
            contributors=contributors,
            related=[Link(*each) for each in related],
        )
    except Invalid:
        return
    text = apply(before, sem.insert(before, entry))
    assert text.startswith(before)
    *_, read = parse(LOG, text).records
    for field in ("kind", "title", "summary", "body", "author", "contributors", "scope", "tags", "links"):
        assert getattr(read, field) == getattr(entry, field), field
    assert read.extra.get("rationale", "") == entry.extra.get("rationale", "")
    assert read.at == entry.at


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"kind": "idea"}, "not a kind"),
        ({"title": " "}, "title is empty"),
        ({"title": "a\nb"}, "one line"),
        ({"author": ""}, "author is empty"),
        ({"summary": "x" * 121}, "has 121 characters"),
        ({"summary": ""}, "summary is empty"),
        ({"scope": "everyone"}, "is not team"),
        ({"scope": "team, project"}, "one place"),
        ({"scope": "agent:"}, "is not team"),
        ({"tags": ["a,b"]}, "comma"),
        ({"tags": ["#"]}, "not a tag"),
        ({"supersedes": ["that one"]}, "memdown list"),
        ({"expires": "2026-02-14"}, "is in the past"),
        ({"expires": "soon"}, "does not begin with a timestamp"),
        ({"related": [Link("thing", "1")]}, "is not one of the types"),
        ({"related": [Link("issue", "")]}, "is empty"),
        ({"text": "\ud800"}, "not valid UTF-8"),
    ],
)
def test_what_is_not_written(change: dict[str, object], sentence: str) -> None:
    good: dict[str, object] = {"kind": "note", "title": "T", "author": "Ann"}
    with pytest.raises(Invalid, match=sentence):
        new(**{**good, **change})  # type: ignore[arg-type]


def test_a_long_summary_can_be_forced() -> None:
    assert new("note", "T", author="A", summary="x" * 121, force=True).summary == "x" * 121


def test_scopes_with_hyphens_dots_and_spaces() -> None:
    for scope in ("team", "project", "agent:fact-checker", "skill:squad-memory-format", "agent:application engineer"):
        assert new("note", "T", author="A", scope=scope).scope == scope


# Into files


def test_entries_go_to_their_files(cli: Cli) -> None:
    decision = cli("add", "decision", "Use SQLite", "--author", "Ann", "--rationale", "No server.", "--json").json()
    assert (decision["path"], decision["line"], decision["created"]) == (".squad/decisions.md", 3, True)
    put(Path.cwd(), ".squad/agents/Bob/charter.md", "# Bob\n")
    memory = cli("add", "memory", "Spies leak", "--author", "bob (QA)", "--json").json()
    assert memory["path"] == ".squad/agents/Bob/history.md"
    assert "**timestamp:** 2026-02-01T12:00:00+0000  \n" in Path(".squad/decisions.md").read_text()
    assert cli("show", decision["id"], "--json").json()["summary"] == "Use SQLite"


def test_an_entry_is_appended_as_one_block(cli: Cli) -> None:
    before = "# Team log\r\n\r\nIntro.\r\n\r\n### 2026-01-01: Old\r\n**By:** Ann\r\n\r\ntext without end"
    path = put(Path.cwd(), ".ai-team/decisions.md", before)
    assert cli("add", "note", "New", "--author", "Ann", "--json").json()["path"] == ".ai-team/decisions.md"
    after = path.read_bytes().decode()
    assert after.startswith(before + "\r\n\r\n### 2026-02-01T12:00:00+0000: note: New\r\n")
    assert "\n" not in after.replace("\r\n", "")


def test_an_empty_line_stands_before_it_with_windows_line_ends_too() -> None:
    [record] = parse(".squad/decisions.md", ENTRY).records
    text = ENTRY.replace("\n", "\r\n")
    assert apply(text, sem.insert(text, record)).startswith(f"{text}\r\n###")


def test_another_entry_of_the_same_title_comes_a_second_later(cli: Cli) -> None:
    for number in range(3):
        cli("add", "note", "Ping", "--author", "Ann", "--details", f"From {number}.")
    stamps = [record.at.text for record in Memory(Path.cwd()).records() if record.at]
    assert sorted(stamps) == [f"2026-02-01T12:00:0{second}+0000" for second in range(3)]


def test_a_drop_box_file_never_takes_another_s_place(cli: Cli) -> None:
    paths = [cli("add", "note", "Ping", "--author", "Ann (Lead)", "--inbox", "--json").json()["path"] for _ in range(3)]
    assert paths == [f".squad/decisions/inbox/ann-ping{suffix}.md" for suffix in ("", "-2", "-3")]


def test_a_missing_rationale_is_said(cli: Cli) -> None:
    assert "no rationale" in cli("add", "decision", "T", "--author", "Ann").err
    assert cli("add", "note", "T", "--author", "Ann").err == ""


def test_details_may_be_piped_in(cli: Cli) -> None:
    cli("add", "note", "T", "--author", "Ann", "--details", "-", stdin="Two\nlines\n")
    assert next(Memory(Path.cwd()).records()).body == "Two\nlines"


def test_a_log_that_would_hide_the_entry_is_left_alone(tmp_path: Path) -> None:
    text = "### 2026-01-01: Old\n\n```sh\nmake\n"
    path = put(tmp_path, LOG, text)
    with pytest.raises(Refused, match="never closed"):
        Memory(tmp_path).add("note", "T", dialect="sem", author="A", text="a\n\n```\ncode\n```\n")
    assert path.read_text() == text


def test_a_note_stays_one_when_another_process_begins_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = add._keepers

    def slowly(project: Project, kind: str) -> list[str]:
        found = look(project, kind)
        put(tmp_path, ".squad/decisions.md", "# Decisions\n")
        return found

    monkeypatch.setattr(add, "_keepers", slowly)
    assert add.kept_as(Memory(tmp_path), "note") == "note"


def test_eight_processes_add_an_entry_each(tmp_path: Path) -> None:
    running = [
        forks.Forked(
            [
                *(sys.executable, "-m", "memdown", "add", "note", "Ping", "--author", "Ann"),
                *("--details", f"From {number}.", "--root", str(tmp_path)),
            ],
            env={**os.environ, "MEMDOWN_NOW": "2026-02-01T12:00:00Z"},
            stdout=subprocess.DEVNULL,
        )
        for number in range(8)
    ]
    assert [process.wait(120) for process in running] == [0] * 8
    records = list(Memory(tmp_path).records())
    assert len({record.at.text for record in records if record.at}) == len(records) == 8


def test_the_way_out_of_a_long_summary_is_named_where_there_is_one() -> None:
    with pytest.raises(Invalid) as told:
        sem_write._summary("x" * 121, force=False)
    assert "--force" in str(told.value)
    with pytest.raises(Invalid) as told:
        sem_write._summary("x" * 121, force=None)
    assert "--force" not in str(told.value)
    assert sem_write._summary("x" * 121, force=True) == "x" * 121
