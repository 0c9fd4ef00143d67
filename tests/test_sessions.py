"""The protocol of a session: start tells where the work stands, update writes all or nothing, end leaves a clean state."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from conftest import CORPUS, Ran, some
from memdown import Memory
from memdown.acts.recall.triggers import asks_for_update
from memdown.dialects.bank.templates import LAYERS, render
from memdown.errors import Invalid, MemdownError, NotFound, Refused
from memdown.index.none import offer
from memdown.memory.bank.updates import BankUpdate, Decided, Ending
from memdown.scan.changes import is_source
from samples import put

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
ACTIVE = """\
# Active Context

## Current Focus
The import of invoices.

## Recent Changes
- src/read.py reads sheets — 2026-01-30

## Current State
Import works, export does not.

## Active Decisions
- [Decision that is pending, or was made in this session]

## Open Questions
- Which currencies?

## Blockers
- No access to the test server

## Next Steps
1. Import of receipts
2. Export
"""
PROGRESS = """\
# Progress

## Completed
- [x] Parser — 2026-01-20

## In Progress
- [ ] Feature X
  - [ ] its tests
- [ ] Import of invoices

## Upcoming
- [ ] Export
"""
LOG = """\
# Decision Log

## Decision: Use SQLite
- **Date**: 2026-01-10
- **Status**: Accepted

---

## Decision: No server
- **Date**: 2026-01-11
- **Status**: Accepted
"""


def text(root: Path, file: str) -> str:
    return (root / "memory-bank" / file).read_bytes().decode()


def everything(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".git", ".memdown"} & set(path.relative_to(root).parts)
    }


def fill(root: Path) -> Path:
    for layer in LAYERS:
        put(root, f"memory-bank/{layer.file}", f"# {layer.title}\n\n## {layer.sections[0].heading}\nInvoices.\n")
    put(root, "memory-bank/activeContext.md", ACTIVE)
    put(root, "memory-bank/progress.md", PROGRESS)
    put(root, "memory-bank/decisionLog.md", LOG)
    return root


@pytest.fixture
def full(tmp_path: Path) -> Path:
    return fill(tmp_path / "project")


def opened(root: Path, mode: str | None = None) -> Memory:
    return Memory(root, now=lambda: NOW, mode=mode)


def git(root: Path, *args: str, at: str = "2026-01-31T10:00:00Z") -> str:
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    times = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    done = subprocess.run(
        ["git", "-C", str(root), *who, *args], capture_output=True, text=True, check=True, env={**os.environ, **times}
    )
    return done.stdout


@pytest.fixture
def repository(full: Path) -> Path:
    """A bank and four source files, committed together."""
    git_init(full)
    for number in range(4):
        put(full, f"src/part{number}.py", f"number = {number}\n" * 9)
    put(full, "tests/test_part.py", "x\n")
    git(full, "add", "-A")
    git(full, "commit", "-qm", "Begin")
    return full


def git_init(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "Ann")
    git(root, "config", "user.email", "ann@example.org")


# Start


def test_start_tells_where_the_work_stands(full: Path) -> None:
    told = opened(full).bank.start()
    assert [each.file for each in told.order] == [layer.file for layer in LAYERS]
    assert all(each.present and each.tokens > 0 for each in told.order)
    assert told.focus == "The import of invoices."
    assert told.state == "Import works, export does not."
    assert told.blockers == ["No access to the test server"]
    assert told.in_progress == ["Feature X", "Import of invoices"]
    assert told.next_steps == ["Import of receipts", "Export"]
    assert (told.since_last_update.commits, told.since_last_update.files) == ([], [])
    assert told.warnings == ["memory-bank/activeContext.md is not filled in: Active Decisions."]


def test_start_answers_in_the_shape_other_programs_rely_on(cli: Cli) -> None:
    fill(Path.cwd())
    told = cli("start", "--json").json()
    assert set(told) >= {
        *("order", "missing_required", "missing_recommended", "focus", "state", "blockers", "in_progress"),
        *("next_steps", "since_last_update", "warnings"),
    }
    assert told["order"][0].keys() == {"file", "path", "present", "tokens"}
    assert {"commits", "files"} <= told["since_last_update"].keys()


@pytest.mark.parametrize("before", ["nothing", "an empty folder"])
def test_without_memory_start_offers_to_begin_one(cli: Cli, before: str) -> None:
    if before == "an empty folder":
        Path("memory-bank").mkdir()
    ran = cli("start")
    assert (ran.code, ran.out, ran.err) == (1, f"{offer('.', 'a memory bank')}\n", "")
    told = cli("start", "--json")
    assert told.code == 1
    assert told.json()["warnings"] == [offer(".", "a memory bank")]
    assert len(told.json()["missing_required"]) == 3
    assert not Path(".memdown").exists()


def test_the_briefing_fits_on_a_screen(cli: Cli) -> None:
    items = "".join(f"- [ ] Do thing {number}\n" for number in range(300))
    put(fill(Path.cwd()), "memory-bank/progress.md", f"# Progress\n\n## In Progress\n{items}")
    out = cli("start").out
    assert out.count("\n") <= 24
    assert "In progress (300):" in out
    assert "… and 295 more" in out


@pytest.mark.parametrize(
    ("said", "blockers"),
    [
        ("- None\n", []),
        ("None at this time.\n", []),
        ("- No blockers\n", []),
        ("<!-- what holds up the work -->\n", []),
        ("- [ ] [Blocker 1]\n", []),
        ("Waiting for the key.\n", ["Waiting for the key."]),
        ("- None of the tests run\n", ["None of the tests run"]),
        ("- [x] Over\n- Open\n", ["Open"]),
        ("- None - the application is in production\n", []),
        ("- None — but the key is late\n", ["None — but the key is late"]),
        ("- [ ] ~~Over~~ *(done)*\n- ~~**Rules**~~ ✅\n- Open ~~or not~~\n", ["Open ~~or not~~"]),
    ],
)
def test_what_counts_as_a_blocker(full: Path, said: str, blockers: list[str]) -> None:
    put(full, "memory-bank/activeContext.md", f"# Active Context\n\n## Blockers\n{said}")
    assert opened(full).bank.start().blockers == blockers


def test_what_is_missing_empty_or_unfilled_is_told(full: Path) -> None:
    (full / "memory-bank/progress.md").unlink()
    (full / "memory-bank/techContext.md").unlink()
    put(full, "memory-bank/activeContext.md", "")
    put(full, "memory-bank/productContext.md", render(LAYERS[1]))
    told = opened(full).bank.start()
    assert (told.missing_required, told.missing_recommended) == (["progress.md"], ["techContext.md"])
    assert told.warnings == [
        "progress.md is missing (required).",
        "techContext.md is missing (recommended).",
        "memory-bank/activeContext.md is empty.",
        "memory-bank/productContext.md is not filled in:"
        " Why This Project Exists, Target Users, User Problems and 3 more.",
        "The bank is not valid; see `memdown validate`.",
    ]


def test_a_bank_that_nobody_has_filled_in_is_told_in_one_line(tmp_path: Path) -> None:
    for layer in LAYERS:
        put(tmp_path, f"memory-bank/{layer.file}", render(layer))
    [told] = [each for each in opened(tmp_path).bank.start().warnings if "not filled in" in each]
    assert re.fullmatch(
        r"[0-9]+ sections are not filled in yet, in memory-bank/projectBrief\.md,"
        r" memory-bank/productContext\.md, memory-bank/systemPatterns\.md and 4 more\.",
        told,
    )


def test_start_tells_what_changed_since_the_memory_was_touched(repository: Path) -> None:
    put(repository, "src/part0.py", "changed\n")
    git(repository, "commit", "-qam", "Change a part", at="2026-01-31T11:00:00Z")
    put(repository, "src/new.py", "new\n")
    told = opened(repository).bank.start()
    (commit,) = told.since_last_update.commits
    assert (commit.title, commit.author, commit.date) == ("Change a part", "Ann", "2026-01-31T11:00:00Z")
    assert told.since_last_update.files == ["src/new.py", "src/part0.py"]
    assert "memory-bank/activeContext.md looks stale: 1 commit of code since it last changed." in told.warnings


def test_a_memory_that_is_not_committed_yet_counts_by_its_time(repository: Path) -> None:
    put(repository, "src/part0.py", "changed\n")
    git(repository, "commit", "-qam", "Before", at="2026-01-31T11:00:00Z")
    put(repository, "src/part1.py", "changed\n")
    git(repository, "commit", "-qam", "After", at="2026-01-31T13:00:00Z")
    active = put(repository, "memory-bank/activeContext.md", ACTIVE + "3. Rest\n")
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp()
    os.utime(active, (noon, noon))
    told = opened(repository).bank.start()
    assert [commit.title for commit in told.since_last_update.commits] == ["After"]
    assert told.since_last_update.files == ["src/part1.py"]


def test_a_change_of_memory_alone_is_no_change_of_code(repository: Path) -> None:
    opened(repository).bank.focus("Another")
    git(repository, "commit", "-qam", "Memory", at="2026-01-31T11:00:00Z")
    told = opened(repository).bank.start()
    assert (told.since_last_update.commits, told.since_last_update.files) == ([], [])
    assert not any("stale" in warning for warning in told.warnings)


# Impact


def test_impact_is_measured_with_the_numbers_behind_it(repository: Path) -> None:
    put(repository, "src/part0.py", "changed\n")
    git(repository, "mv", "src/part1.py", "src/moved.py")
    git(repository, "rm", "-q", "src/part2.py")
    put(repository, "src/new.py", "new = 1\n")
    put(repository, "tests/test_part.py", "changed\n")
    put(repository, "docs/conf.py", "new\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "Much", at="2026-01-31T11:00:00Z")
    told = opened(repository).bank.start()
    assert told.impact
    assert (told.impact.per_cent, told.impact.files, told.impact.of) == (80, 4, 5)
    assert (told.impact.added, told.impact.deleted, told.impact.renamed, told.impact.changed) == (1, 1, 1, 1)
    assert any(warning.startswith("80% of the source files (4 of 5: 1 added") for warning in told.warnings)


def test_impact_below_a_quarter_is_silent_and_begins_anew(repository: Path) -> None:
    for number in range(4, 9):
        put(repository, f"src/part{number}.py", "new\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "More", at="2026-01-31T11:00:00Z")
    bank = opened(repository).bank
    assert any("source files" in warning for warning in bank.start().warnings)
    done = bank.update(BankUpdate(sections={"systemPatterns.md": {"Architecture Overview": "Nine parts."}}))
    assert not any("source files" in warning for warning in done.warnings)
    git(repository, "commit", "-qam", "Patterns", at="2026-01-31T12:00:00Z")
    put(repository, "src/part0.py", "changed\n")
    git(repository, "commit", "-qam", "Little", at="2026-01-31T13:00:00Z")
    told = bank.start()
    assert told.impact
    assert (told.impact.files, told.impact.of) == (1, 9)
    assert not any("source files" in warning for warning in told.warnings)


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("src/app.py", True),
        ("Main.java", True),
        ("web/latest.ts", True),
        ("src/contest.py", True),
        ("tests/helper.py", False),
        ("src/test_app.py", False),
        ("src/app.test.ts", False),
        ("src/app_spec.rb", False),
        ("src/UserTest.java", False),
        ("docs/conf.py", False),
        ("README.md", False),
        ("package.json", False),
        ("py", False),
    ],
)
def test_what_counts_as_source(name: str, source: bool) -> None:
    assert is_source(name) == source


# The brief


def test_a_newer_brief_flags_the_files_below_it(repository: Path) -> None:
    put(repository, "memory-bank/projectBrief.md", "# Project Brief\n\n## Mission Statement\nReceipts too.\n")
    everything_else = ", ".join(layer.file for layer in LAYERS[1:])
    assert f"projectBrief.md changed after {everything_else}: review them." in opened(repository).bank.start().warnings
    git(repository, "commit", "-qam", "Brief", at="2026-01-31T11:00:00Z")
    assert f"projectBrief.md changed after {everything_else}: review them." in opened(repository).bank.start().warnings
    for layer in LAYERS[2:]:
        put(repository, f"memory-bank/{layer.file}", text(repository, layer.file) + "\nReviewed.\n")
    assert "projectBrief.md changed after productContext.md: review them." in opened(repository).bank.start().warnings


def test_an_update_of_the_brief_asks_for_a_review(full: Path) -> None:
    done = opened(full).bank.update(sections={"projectBrief.md": {"Project Name": "Bills"}}, focus="Review")
    assert done.written == ["memory-bank/activeContext.md", "memory-bank/projectBrief.md"]
    assert done.warnings == [
        "projectBrief.md changed: everything else builds on it, so review"
        " productContext.md, systemPatterns.md, techContext.md, progress.md, decisionLog.md."
    ]


def test_patterns_without_a_decision_are_told(full: Path) -> None:
    sections = {"systemPatterns.md": {"Architecture Overview": "One process."}}
    told = "systemPatterns.md changed without a decision in the log; add one."
    assert told in opened(full).bank.update(sections=sections).warnings
    sections = {"systemPatterns.md": {"Architecture Overview": "Two processes."}}
    done = opened(full).bank.update(BankUpdate(sections=sections, decisions=(Decided(title="Two processes"),)))
    assert told not in done.warnings


# Update

EVERYTHING = {
    "sections": {
        "brief.md": {"Mission Statement": "Bills."},
        "PRODUCTCONTEXT.md": {"target users": "Craftsmen."},
        "techContext.md": {"Languages": "- Python 3.12"},
        "systemPatterns.md": {"Design Patterns in Use": "### Repository\n- **Why**: tests"},
    },
    "decisions": [{"title": "Use PostgreSQL", "supersedes": "sqlite", "rationale": "Several writers."}],
    "complete": ["Feature X"],
    "start": ["Export"],
    "add": ["Receipts"],
    "plan": ["Currencies"],
    "issues": ["Totals are rounded twice"],
    "debts": ["Two parsers"],
    "milestones": [{"name": "Phase 1: Import", "status": "In Progress"}],
    "focus": "Receipts.",
    "state": "All tests of tests/test_read.py pass.",
    "changes": ["Feature X in src/x.py"],
    "active_decisions": ["REST or GraphQL"],
    "questions": ["Which bank?"],
    "blockers": ["No key"],
    "next_steps": ["Ask for the key"],
}


def test_one_update_writes_all_seven_in_the_order_of_the_contract(cli: Cli) -> None:
    fill(Path.cwd())
    ran = cli("update", "--from", "-", "--json", stdin=json.dumps(EVERYTHING))
    assert ran.code == 0, ran.err
    told = ran.json()
    assert told["written"] == [
        f"memory-bank/{file}.md"
        for file in (
            *("progress", "activeContext", "decisionLog", "techContext"),
            *("systemPatterns", "productContext", "projectBrief"),
        )
    ]
    assert told["validation"].keys() == {"layout", "valid", "missingRequired", "missingRecommended", "findings"}
    assert told["validation"]["valid"] is True
    assert told["warnings"] == []
    progress = text(Path.cwd(), "progress.md")
    assert "- [x] Parser — 2026-01-20\n- [x] Feature X — 2026-02-01\n  - [ ] its tests\n" in progress
    assert "- [ ] Import of invoices\n- [ ] Export\n- [ ] Receipts\n" in progress
    log = text(Path.cwd(), "decisionLog.md")
    assert [line for line in log.splitlines() if line.startswith("## ")] == [
        "## Decision: Use SQLite",
        "## Decision: No server",
        "## Decision: Use PostgreSQL",
    ]
    assert "- **Status**: Superseded by Use PostgreSQL\n" in log
    assert "3. Ask for the key\n" in text(Path.cwd(), "activeContext.md")
    assert "## Languages\n- Python 3.12\n" in text(Path.cwd(), "techContext.md")


def test_options_and_a_document_are_one_update(cli: Cli) -> None:
    fill(Path.cwd())
    put(Path(), "session.json", json.dumps({"complete": ["Feature X"], "focus": "From the file", "blockers": ["A"]}))
    ran = cli("update", "--from", "session.json", "--complete", "invoices", "--focus", "From the option", "--json")
    assert ran.json()["written"] == ["memory-bank/progress.md", "memory-bank/activeContext.md"]
    assert "From the option" in text(Path.cwd(), "activeContext.md")
    assert text(Path.cwd(), "progress.md").count("[x]") == 3


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (("--complete", "Nothing of that name"), 1),
        (("--decision", "A", "--supersedes", "e"), 1),
        (("--set", "techContext.md", "No Such Section", "x"), 2),
        (("--set", "techContext.md", "Languages", " "), 2),
        (("--set", "techContext.md", "Languages", "# A title"), 2),
        (("--set", "techContext.md", "Technology Stack", "```\nnever closed"), 3),
        (("--set", "decisionLog.md", "Decision", "x"), 2),
        (("--set", "../secret.md", "Languages", "x"), 2),
        (("--state", "```\nnever closed"), 3),
        (("--rationale", "of nothing"), 2),
        (("--decision", "A", "--supersedes", "Nothing of that name"), 1),
        (("--milestone", "", "Done"), 2),
        (("--blocker", " "), 2),
        (("--from", "nowhere.json"), 4),
    ],
)
def test_one_wrong_change_and_nothing_is_written(cli: Cli, wrong: tuple[str, ...], code: int) -> None:
    root = fill(Path.cwd())
    put(
        root,
        "memory-bank/techContext.md",
        "# Tech Context\n\n## Technology Stack\nPython.\n\n## Build Commands\nmake\n",
    )
    before = everything(root)
    ran = cli("update", "--complete", "Feature X", "--focus", "Other", *wrong)
    assert (ran.code, ran.out) == (code, ""), ran
    assert ran.err.count("\n") == 1
    assert everything(root) == before


@pytest.mark.parametrize(
    "document",
    ["", "[]", "{", '{"completed": []}', '{"focus": 1}', '{"decisions": [{}]}', "[" * 100_000, "\0", "\udcff"],
)
def test_a_document_that_is_no_update_is_refused(cli: Cli, document: str) -> None:
    before = everything(fill(Path.cwd()))
    ran = cli("update", "--from", "-", stdin=document)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert everything(Path.cwd()) == before


def test_without_changes_update_tells_what_git_shows(repository: Path) -> None:
    put(repository, "src/part0.py", "changed\n")
    git(repository, "commit", "-qam", "Change a part", at="2026-01-31T11:00:00Z")
    before = everything(repository)
    done = opened(repository).bank.update()
    assert (done.written, everything(repository)) == ([], before)
    assert [commit.title for commit in done.since_last_update.commits] == ["Change a part"]
    assert done.since_last_update.files == ["src/part0.py"]
    assert done.impact
    assert (done.impact.per_cent, done.impact.files, done.impact.of) == (25, 1, 4)
    assert not (repository / ".memdown").exists()


def test_names_on_disk_and_line_endings_are_kept(tmp_path: Path) -> None:
    put(tmp_path, "docs/memory-bank/active_context.md", "# A\r\n\r\n## Current Focus\r\nx\r\n")
    done = opened(tmp_path).bank.update(focus="y", blockers=["z"])
    assert done.written == ["docs/memory-bank/active_context.md"]
    written = (tmp_path / "docs/memory-bank/active_context.md").read_bytes()
    assert written == b"# A\r\n\r\n## Current Focus\r\ny\r\n\r\n## Blockers\r\n- z\r\n"


def test_a_section_is_set_by_its_own_heading_before_any_synonym(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/techContext.md", "# T\n\n## Stack\nAll.\n\n### Languages\nC\n\n### Databases\nNone.\n")
    opened(tmp_path).bank.update(sections={"techContext.md": {"languages": "Python"}})
    assert text(tmp_path, "techContext.md") == (
        "# T\n\n## Stack\nAll.\n\n### Languages\nPython\n\n### Databases\nNone.\n"
    )
    opened(tmp_path).bank.update(sections={"techContext.md": {"Technology Stack": "Gone."}}, replace=True)
    assert text(tmp_path, "techContext.md") == "# T\n\n## Stack\nGone.\n"


# End


def test_end_may_replace_the_active_context_whole(full: Path) -> None:
    done = opened(full).bank.end(
        replace=True,
        summary="Feature X works",
        focus="Export.",
        state="Import and X work.",
        changes=["src/x.py has Feature X"],
        next_steps=["Export to CSV"],
        complete=["Feature X"],
        decisions=[{"title": "CSV"}],
    )
    assert done.written == [f"memory-bank/{file}.md" for file in ("progress", "activeContext", "decisionLog")]
    assert text(full, "activeContext.md") == (
        "# Active Context\n\n## Current Focus\nExport.\n\n"
        "## Recent Changes\n- Feature X works — 2026-02-01\n- src/x.py has Feature X — 2026-02-01\n\n"
        "## Current State\nImport and X work.\n\n## Active Decisions\n\n## Open Questions\n\n## Blockers\n\n"
        "## Next Steps\n1. Export to CSV\n"
    )
    assert "- [x] Feature X — 2026-02-01\n" in text(full, "progress.md")
    assert text(full, "decisionLog.md").startswith(LOG)
    assert done.validation.valid


def test_end_can_be_undone(full: Path) -> None:
    before = everything(full)
    opened(full).bank.end(summary="Done", complete=["Feature X"])
    assert everything(full) != before
    opened(full).undo()
    assert everything(full) == before


def test_end_without_a_word_is_refused(full: Path) -> None:
    before = everything(full)
    with pytest.raises(Invalid, match="at least a summary"):
        opened(full).bank.end()
    with pytest.raises(Refused, match="a code fence that is never closed"):
        opened(full).bank.end(focus="x", state="```\nnever closed")
    with pytest.raises(Invalid, match="close its code fences"):
        opened(full).bank.end(focus="x", state="```\nnever closed", replace=True)
    with pytest.raises(Invalid):
        opened(full).bank.end(sumary="x")
    assert everything(full) == before


def test_end_commits_the_memory_alone(repository: Path) -> None:
    put(repository, "src/part0.py", "staged\n")
    git(repository, "add", "src/part0.py")
    put(repository, "src/part1.py", "not staged\n")
    put(repository, "src/new.py", "not known\n")
    put(repository, "memory-bank/notes.md", "# Notes\n")
    put(repository, "memory-bank/picture.svg", "<svg/>\n")
    status = git(repository, "status", "--porcelain", "--", "src")
    done = opened(repository).bank.end(summary="Feature X works", complete=["Feature X"], commit=True)
    assert done.commit
    shown = git(repository, "show", "--format=%B", "--name-only", "HEAD").split("\n")
    assert shown[:3] == ["Update memory bank", "", "Feature X works"]
    assert [name for name in shown[3:] if name] == [
        f"memory-bank/{file}.md" for file in ("activeContext", "notes", "progress")
    ]
    assert git(repository, "status", "--porcelain", "--", "src") == status
    assert git(repository, "status", "--porcelain", "--", "memory-bank") == "?? memory-bank/picture.svg\n"


def test_there_is_no_empty_commit(repository: Path) -> None:
    ending = Ending(summary="Done", focus="Rest")
    assert opened(repository).bank.end(ending, commit=True).commit
    head = git(repository, "rev-parse", "HEAD")
    done = opened(repository).bank.end(ending, commit=True)
    assert (done.written, done.commit) == ([], None)
    assert git(repository, "rev-parse", "HEAD") == head


def test_a_hook_that_says_no_is_obeyed_and_the_index_is_as_before(repository: Path) -> None:
    hook = put(repository, ".git/hooks/pre-commit", "#!/bin/sh\necho not on Sundays >&2\nexit 1\n")
    hook.chmod(0o755)
    put(repository, "src/part0.py", "staged\n")
    git(repository, "add", "src/part0.py")
    put(repository, "memory-bank/notes.md", "# Notes\n")
    head, index = git(repository, "rev-parse", "HEAD"), git(repository, "ls-files", "--stage")
    with pytest.raises(MemdownError, match="written, but git did not commit it: 'not on Sundays'"):
        opened(repository).bank.end(summary="Done", commit=True)
    assert (git(repository, "rev-parse", "HEAD"), git(repository, "ls-files", "--stage")) == (head, index)
    assert "Done — 2026-02-01" in text(repository, "activeContext.md")


@pytest.mark.parametrize("why", ["no repository", "a merge", "ignored", "no name", "an empty message"])
def test_a_commit_that_cannot_be_is_refused_before_anything_is_written(
    full: Path, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = None
    if why != "no repository":
        git_init(full)
        git(full, "commit", "-qm", "Begin", "--allow-empty")
    if why == "a merge":
        put(full, ".git/MERGE_HEAD", git(full, "rev-parse", "HEAD"))
    if why == "ignored":
        put(full, ".gitignore", "memory-bank/\n")
    if why == "no name":
        git(full, "config", "user.name", "")
        git(full, "config", "user.useConfigOnly", "true")
        git(full, "config", "--unset", "user.email")
        for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
            monkeypatch.setenv(name, os.devnull)
    if why == "an empty message":
        message = " "
    before = everything(full)
    with pytest.raises((Refused, Invalid)):
        opened(full).bank.end(summary="Done", complete=["Feature X"], commit=True, message=message)
    assert everything(full) == before


def test_the_first_commit_of_a_repository_may_be_memory(cli: Cli) -> None:
    fill(Path.cwd())
    git_init(Path.cwd())
    put(Path(), "staged.py", "x\n")
    git(Path.cwd(), "add", "staged.py")
    told = cli("end", "--summary", "Begun", "--commit", "-m", "Memory: [begin]", "--json").json()
    assert git(Path.cwd(), "log", "--format=%H %s") == f"{told['commit']} Memory: [begin]\n"
    assert git(Path.cwd(), "status", "--porcelain") == "A  staged.py\n"
    assert cli("end", "--summary", "Begun", "-m", "x").code == 2


# Triggers


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("update memory bank", True),
        ("Please UPDATE  Memory\nBank now.", True),
        ("umb", True),
        ("(UMB)", True),
        ("an umbrella", False),
        ("UMB_x", False),
        ("update memory banks", False),
        ("update my memory of the bank", False),
        ("", False),
    ],
)
def test_what_asks_for_an_update(prompt: str, asked: bool) -> None:
    assert asks_for_update(prompt) == asked


# All or nothing


def dies_at(step: int, act: Callable[[], object]) -> bool:
    """Whether an act in a child process, killed at its n-th change of the disk, was killed before its end."""
    child = os.fork()
    if child == 0:
        left = step

        def watch(event: str, args: tuple[object, ...]) -> None:
            nonlocal left
            writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes or event in ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate"):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGKILL)
    return ended != 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("act", ["update", "end"])
def test_killed_at_each_touch_of_the_disk(tmp_path: Path, act: str) -> None:
    outcomes = set()
    for step in range(200):
        root = fill(tmp_path / str(step))
        before = everything(root)
        bank = opened(root).bank
        ending = Ending(complete=("Feature X",), decisions=(Decided(title="CSV"),), focus="Export.")
        died = dies_at(step, partial(bank.update if act == "update" else bank.end, ending))
        Memory(root).files.recover()
        found = everything(root)
        done = [name for name in before if found[name] != before[name]]
        assert done in ([], [f"memory-bank/{file}.md" for file in ("activeContext", "decisionLog", "progress")])
        assert found.keys() == before.keys()
        outcomes.add(len(done))
        if not died:
            break
    assert not died
    assert outcomes == {0, 3}


# Real banks


@pytest.mark.corpus
@pytest.mark.parametrize("with_git", [False, True])
def test_every_real_bank_is_briefed(tmp_path: Path, with_git: bool) -> None:
    seen = 0
    banks = some(sorted(path for path in (CORPUS / "bank").iterdir() if path.is_dir()), 8)
    for bank in banks:
        root = tmp_path / bank.name
        for path in bank.rglob("*"):
            if path.is_file():
                target = root / path.relative_to(bank)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        if with_git:
            git_init(root)
            git(root, "add", "-A")
            git(root, "commit", "-qm", "All")
        before = everything(root)
        told = opened(root).bank.start()
        assert [each.file for each in told.order] == [layer.file for layer in LAYERS]
        assert all(told.warnings) or told.empty
        assert everything(root) == before
        seen += not told.empty
    assert seen >= len(banks) * 0.9


def test_a_bank_below_a_file_that_is_named_like_a_folder_is_read(full: Path) -> None:
    put(full, ".clinerules", "# Rules\n")
    assert opened(full).bank.start().focus == "The import of invoices."
    with pytest.raises(NotFound):
        opened(full).bank.update(complete=["nothing"])


def test_the_focus_of_a_file_kept_as_a_log_is_its_last(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/projectBrief.md", "# Brief\n")
    put(
        tmp_path,
        "memory-bank/activeContext.md",
        "# Active Context\n\n## Current Focus\n\n*   \n\n## Open Questions\n\n*   \n\n---\n\n[2026-01-01 10:00:00] - One\n**Current Focus:** The cart\n\n"
        "[2026-01-02 10:00:00] - Two\n**Current Focus:** Paying\n",
    )
    assert Memory.open(tmp_path).bank.start().focus == "Paying"


def test_that_a_session_began_does_not_make_an_old_active_context_new(cli: Cli) -> None:
    cli("init")
    put(Path.cwd(), "memory-bank/activeContext.md", "# Active Context\n\n## Recent Changes\n- Paging — 2025-02-01\n")
    assert "BNK057" in cli("check").out
    assert cli("start").code == 0
    assert "Session started — 2026-02-01" in Path("memory-bank/activeContext.md").read_text("utf-8")
    assert "BNK057" in cli("check").out


@pytest.mark.parametrize(
    "args", [("end", "Import works"), ("end", "--complete", "Import"), ("update", "--focus", "Import")]
)
def test_no_session_begins_a_bank_with_the_one_file_it_touches(cli: Cli, args: tuple[str, ...]) -> None:
    ran = cli(*args)
    assert (ran.code, ran.err) == (1, f"memdown: {offer('.', 'a memory bank')}\n")
    assert list(Path.cwd().iterdir()) == []


def test_a_session_that_only_completed_something_ends(cli: Cli) -> None:
    cli("init")
    cli("update", "--add", "Write the docs")
    active = Path("memory-bank/activeContext.md").read_text("utf-8")
    unknown = cli("end", "--complete", "Write the tests")
    assert (unknown.code, unknown.err) == (1, "memdown: No open item matches 'Write the tests'.\n")
    ran = cli("end", "--complete", "Write the docs")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "memory-bank/progress.md: written")
    assert "- [x] Write the docs — 2026-02-01" in Path("memory-bank/progress.md").read_text("utf-8")
    assert Path("memory-bank/activeContext.md").read_text("utf-8") == active
    assert cli("end", "--replace", "--complete", "Write the docs").code == 2
