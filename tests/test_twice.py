"""What is done twice is done once: the second run of an act changes no byte and writes no file, and no line is lost."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from msgspec import structs

import test_rules
from conftest import draws
from memdown import Memory
from memdown.acts.check import engine as lint
from memdown.acts.transfer.bundle import Bundle, BundleMember
from memdown.diagnostics import Finding, Fix, Rule
from memdown.dialects import parse
from memdown.errors import MemdownError
from memdown.record import Document
from memdown.text import Edit, Span
from samples import CARD, ID, OTHER_ID, put
from test_query import entry

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LOG, OLD_LOG = ".squad/decisions.md", ".squad/decisions-archive.md"
HISTORY = ".squad/agents/ann/history.md"
PATHS = [
    *(LOG, OLD_LOG, HISTORY, ".squad/agents/ann/history-archive.md", ".squad/decisions/inbox/x.md"),
    *(".squad/agents/ann/charter.md", ".squad/log/2026-01-10-x.md", ".ai-team/decisions.md"),
    *("memory-bank/progress.md", "memory-bank/activeContext.md", "memory-bank/productContext.md"),
    *("memory-bank/decisionLog.md", "memory-bank/edit_history.md", "memory-bank/tasks.md", "memory-bank/errorLog.md"),
    *("memory-bank/sessions/2026-01-10-morning.md", "memory-bank/tasks/T1.md", "memory-bank/session_cache.md"),
    *(f"memories/{ID}.md", "memories/notes.md", ".claude/memory-bank/progress.md"),
    *("memory/projects/my-api/notes.md", "memory/skills/x/my-api/learnings.md", "memory/agents/x/notes.md"),
]

PIECES = [
    entry("2026-01-10T09:00:00+0000", "A", body="Text."),
    entry("2026-01-11T09:00:00+0000", "B").replace("\n", "\r\n"),
    entry("2026-01-11T09:00:00+0000", "B").removesuffix("---\n"),
    entry("2026-01-11T09:00:00+0000", "B", body="## Deep\n\ntext"),
    "### 2026-01-10: Legacy\n\n**By:** Ann\n\n**What:** This.\n\n**Why:** That.\n",
    "### 2026-01-10: Legacy\n\n**By:** Ann\n\nText.\n",
    "## 2026-01-10T10:00Z Dated\r\n\r\n**By:** Ann\r\n",
    "# Decision: Whole\n\n**By:** Ann\n**Date:** 2026-01-10\n\n## Context\n\ntext\n",
    "# Title\n\n",
    "## Undated heading\n\ntext\n",
    "## Learnings\n\n- Learned.\n- 2026-01-10: Dated.\n",
    "### Deep heading ###\n",
    "```\n### 2026-01-10: in code\n```\n",
    "```\n",
    "~~~\n",
    "---\n",
    "---\nid: x\nsubject: Subject\nkeywords: [a, A]\n---\n",
    "---\ntitle: T\nauthor: Ann\ndate: 2026-01-10\n---\n",
    "---\nkey: [\n---\n",
    CARD,
    CARD.replace(ID, OTHER_ID).replace("\n", "\r\n"),
    "- [x] Done\n- [ ] Open\n",
    "## Completed Milestones\n\n### M1 (2025-01-10)\n\n- [x] One\n- [x] Two\n",
    "## In Progress\n\n- [ ] Open\n",
    "## Completed\n\n- [x] One\n  - [x] Part\n\n  More.\n- [x] Two — 2026-01-03\n- ✅ Three\n",
    "## Milestones\n\n### Phase 1: Begin — Complete\n\n- [x] Four\n- A goal\n",
    "### Phase 2 (Completed)\r\n- [x] Five\r\n  - [ ] open\r\n",
    "### Phase 3 — Planned\n\n- [ ] Six\n",
    "**By:** Ann\n",
    "**author:** Ann  \n",
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "<!-- a comment -->\n",
    "> quote\n",
    "#### 10:00:00 UTC - T1: Edit\n- Created `a.py` - text\n",
    "### 2026-01-10\n\n#### 9:05 IST - T1: Edit\n- Created `a.py` - text\n",
    "<!-- timestamp: 2026-01-10T09:00:00Z -->\n",
    "2026-01-10 ",
    "no end of line",
    "word",
]
MARKS = [
    "\r",
    "\n",
    "\r\n",
    "\n\n",
    "\ufeff",
    "\u2028",
    "\x85",
    "\x0c",
    "\0",
    "\udc80",
    "\udcff",
    " ",
    "\t",
    "#",
    "# ",
    "-",
    ">",
]
texts = st.lists(
    st.sampled_from(MARKS) | st.sampled_from(PIECES) | st.text(st.characters(codec="utf-8"), max_size=8), max_size=9
).map("".join)
paths = st.sampled_from(PATHS)
OTHERWISE = re.compile(r"# .*|---+|<!--.*-->|>.*|id: .*")
"""What a merge may leave out: what the head of a file says about that file, and the id of a card that gets its own."""
quiet = draws(60, suppress_health_check=list(HealthCheck))


def files(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of a project but what memdown derives, and when it was written."""
    return {
        path.relative_to(root).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".memdown" not in path.parts
    }


def lines(found: Iterable[str]) -> set[str]:
    """Lines that say something, whatever their ends and the marks around them."""
    return {line for text in found for line in (bare(each) for each in re.split(r"\r\n|\n|\r", text)) if line}


def bare(line: str) -> str:
    return line.strip().strip("\ufeff").strip()


def held(root: Path) -> set[str]:
    return lines(data.decode("utf-8", "surrogateescape") for data, _ in files(root).values())


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> pytest.TempPathFactory:
    return tmp_path_factory


@given(paths, texts, texts)
@example(LOG, "", "\r\ufeff")
@example(LOG, "", ">")
@example(HISTORY, "## Learnings\n", "## Learnings\n\n> quote\n")
@quiet
def test_an_import_merged_twice(roots: pytest.TempPathFactory, path: str, here: str, coming: str) -> None:
    root = roots.mktemp("project")
    put(root, path, here)
    memory, bundle = Memory(root), Bundle((BundleMember(path, coming),))
    memory.import_bundle(bundle, merge=True)
    after = files(root)
    assert not {line for line in lines([here, coming]) - held(root) if not OTHERWISE.fullmatch(line)}
    again = memory.import_bundle(bundle, merge=True)
    assert (again.added, again.conflicts, again.written, again.notes) == (0, [], [], [])
    assert files(root) == after


@given(st.dictionaries(paths, texts, max_size=3), st.dictionaries(paths, texts, max_size=4))
@quiet
def test_a_bundle_merged_twice(roots: pytest.TempPathFactory, here: dict[str, str], coming: dict[str, str]) -> None:
    root = roots.mktemp("project")
    for path, text in here.items():
        put(root, path, text)
    memory, bundle = Memory(root), Bundle(tuple(BundleMember(path, text) for path, text in coming.items()))
    memory.import_bundle(bundle, merge=True)
    after = files(root)
    missing = lines([*here.values(), *coming.values()]) - held(root)
    assert not {line for line in missing if not OTHERWISE.fullmatch(line)}
    again = memory.import_bundle(bundle, merge=True)
    assert (again.added, again.conflicts, again.written, again.notes) == (0, [], [], [])
    assert files(root) == after


@given(paths, texts, st.booleans())
@quiet
def test_a_file_converted_twice(roots: pytest.TempPathFactory, path: str, text: str, low: bool) -> None:
    root = roots.mktemp("project")
    log = put(root, path, text)
    memory = Memory(root)
    minimum = "low" if low else "medium"
    memory.logs.convert(str(log), minimum=minimum)
    after = files(root)
    again = memory.logs.convert(str(log), minimum=minimum)
    assert (again.written, again.backups) == ([], [])
    assert files(root) == after
    memory.logs.convert(str(log), minimum=minimum, backup=False)
    assert files(root) == after


@given(texts, st.lists(texts, min_size=1, max_size=3))
@example("```\n", ["# Hidden since 2026-01-10\n\nText.\n", PIECES[0]])  # until the second one is there
@example("", ["### 2026-01-10: Legacy\n\n**By:** Ann\n\nText.\n\r\r\r\ufeff"])  # converted in the log only
@quiet
def test_an_inbox_merged_twice(roots: pytest.TempPathFactory, here: str, dropped: list[str]) -> None:
    root = roots.mktemp("project")
    put(root, LOG, here)
    for number, text in enumerate(dropped):
        put(root, f".squad/decisions/inbox/n{number}.md", text)
    memory = Memory(root)
    first = memory.logs.merge_inbox()
    after = files(root)
    assert not lines([here, *dropped]) - held(root)
    again = memory.logs.merge_inbox()
    assert (again.merged, again.duplicates, again.written, again.archived) == (0, 0, [], [])
    assert again.left == first.left
    assert files(root) == after
    for name in first.archived:
        (root / name).rename(root / name.replace("inbox-archive", "inbox"))
    log = (root / LOG).read_bytes()
    third = memory.logs.merge_inbox()
    assert third.merged == 0
    assert (root / LOG).read_bytes() == log


ARCHIVES = {
    LOG: OLD_LOG,
    HISTORY: ".squad/agents/ann/history-archive.md",
    ".ai-team/decisions.md": ".ai-team/decisions-archive.md",
    "memory-bank/progress.md": "memory-bank/archive/progress-2026-01.md",
    "memory-bank/edit_history.md": "memory-bank/archive/edit_history_2026-01.md",
    "memory-bank/errorLog.md": "memory-bank/archive/errorLog_2026-01.md",
}


@given(st.sampled_from([*ARCHIVES]), texts, texts)
@example("memory-bank/edit_history.md", PIECES[-5] + "## 2026-01-10\n\n#### 10:00 UTC - x\n", "## January 10, 2026\n")
@quiet
def test_archived_twice(roots: pytest.TempPathFactory, path: str, text: str, old: str) -> None:
    root = roots.mktemp("project")
    put(root, path, text)
    put(root, ARCHIVES[path], old)
    memory = Memory(root)
    before = files(root)
    try:
        memory.archive(older_than=10, keep=0)
    except MemdownError:  # the archive would hide what comes to it
        assert files(root) == before
        return
    after = files(root)
    assert not lines([text, old]) - held(root)
    again = memory.archive(older_than=10, keep=0)
    assert (again.moved, again.written) == ([], [])
    assert files(root) == after
    if after != before:
        memory.undo()
        assert {name: data for name, (data, _) in files(root).items()} == {
            name: data for name, (data, _) in before.items()
        }


SECTIONS = [
    *("## Review #1\n\nText.\n", "## Review: 2025-03-01\n", "## Session 1\nPassed: 3\n", "## 2025-01-01 - /x\n"),
    *("### A\n**Status**: Resolved (2020-01-01)\n", "### B\n**Status**: Open (2020-01-01)\n", "## Goals\n- x\n"),
]
MEMORIES = ["review_history", "test_results_history", "command_history", "known_issues"]
memories = st.lists(st.sampled_from(SECTIONS) | st.sampled_from(MARKS) | st.sampled_from(PIECES), max_size=14)


@given(st.sampled_from(MEMORIES), memories.map("".join), st.none() | memories.map("".join))
@quiet
def test_pruned_twice(roots: pytest.TempPathFactory, file_type: str, text: str, old: str | None) -> None:
    root = roots.mktemp("project")
    put(root, "memdown.toml", "[layers]\nkeep-reviews = 1\nkeep-sessions = 1\nkeep-commands = 1\n")
    put(root, f"memory/skills/x/my-api/{file_type}.md", text)
    if old is not None:
        put(root, f"memory/skills/x/my-api/{file_type}_archive.md", old)
    layers = Memory(root).layers
    layers.prune()
    after = files(root)
    kept = {line.replace(" [VERIFY STATUS]", "") for line in held(root)}
    assert not {line for line in lines([text, old or ""]) - kept if not line.startswith("<!-- Last Updated")}
    assert layers.prune().pruned == []
    assert files(root) == after


read = partial(parse, now=NOW)


@cache
def bad_examples() -> list[Document]:
    return [doc for rule in test_rules.RULES for doc in test_rules.examples(rule, "Bad") if len(doc.text) < 3000]


@st.composite
def faulty(draw: st.DrawFn) -> tuple[str, str]:
    """A file with the faults that rules are about, several of them, many times, and in places nobody thought of."""
    page = draw(st.sampled_from(bad_examples()))
    text = page.text
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(text)))
        end = draw(st.integers(at, len(text)))
        match draw(st.sampled_from(["insert", "cut", "repeat", "repeat a line", "append", "endings"])):
            case "insert":
                text = text[:at] + draw(st.sampled_from(MARKS)) + text[at:]
            case "cut":
                text = text[:at] + text[end:]
            case "repeat":
                text = text[:at] + text[at:end] * draw(st.integers(2, 5)) + text[end:]
            case "repeat a line":
                rows = text.split("\n")
                row = draw(st.integers(0, len(rows) - 1))
                text = "\n".join([*rows[:row], *[rows[row]] * draw(st.integers(2, 45)), *rows[row:]])
            case "append":
                text += draw(st.sampled_from(bad_examples())).text
            case "endings":
                text = text.replace("\n", draw(st.sampled_from(["\r\n", "\r"])))
    return draw(st.just(page.path) | paths), text[:5000]


@given(faulty() | st.tuples(paths, texts), st.booleans())
@example(("memory/projects/my-api/notes.md", "<!-- Last Updated: 2026-01-10 -->\n" * 100 + "\n# Scope\n"), True)
@example(("memory/projects/my-api/notes.md", "<!-- Last Updated: 2026-01-10 -->\n\n" * 100 + "# Scope\n"), True)
@quiet
def test_fixed_twice(file: tuple[str, str], unsafe: bool) -> None:
    once = lint.fixed(read(*file), lint.Selection(), read, unsafe=unsafe)
    assert lint.fixed(once, lint.Selection(), read, unsafe=unsafe).text == once.text


def test_rules_that_disagree_end_in_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def turning(code: str, one: str, other: str) -> Rule:
        def find(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
            fix = Fix("turn it", (Edit(Span(0, len(one)), other),))
            yield from ((doc, Finding(Span(0, 1), "Turn it.", fix)) for doc in documents if doc.text == one)

        return structs.replace(lint.all_rules()[0], code=code, find=find, whole=False)

    rules = [turning("MD097", "b", "c"), turning("MD098", "c", "a"), turning("MD099", "a", "b")]
    monkeypatch.setattr("memdown.acts.check.engine.rules.RULES", rules)
    assert {lint.fixed(read("notes.md", text), lint.Selection(), read).text for text in "abc"} == {"a"}
