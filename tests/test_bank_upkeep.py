"""Keeping a bank small: completed items of finished milestones go to the archive, and what else could be shorter."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Ran, draws, some
from memdown import Memory
from memdown.errors import MemdownError
from memdown.markdown import tokens
from memdown.text import decode
from samples import put

Cli = Callable[..., Ran]
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
NAME = "memory-bank/progress.md"
DONE = """\
# Progress

## Completed
- [x] Import of invoices — 2026-01-03
  - [x] All sheets

  With the totals of each.
- [x] Export — 2025-12-30
- ✅ Logo

## In Progress
- [ ] Receipts

## Milestones

### Phase 1: Invoices — Complete
- [x] Import and export
- A goal without a box

### Phase 2: Receipts — Planned
- [ ] Scanning
"""
LEFT = """\
# Progress

## Completed

## In Progress
- [ ] Receipts

## Milestones

### Phase 1: Invoices — Complete
- A goal without a box

### Phase 2: Receipts — Planned
- [ ] Scanning
"""


def opened(root: Path) -> Memory:
    return Memory(root, now=lambda: NOW)


def everything(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): decode(path.read_bytes()) for path in sorted(root.rglob("*.md"))}


# Archiving


def test_where_there_is_nothing_to_do_the_answer_says_why(cli: Cli) -> None:
    assert cli("init").code == 0
    archived, converted = cli("archive"), cli("convert")
    assert (archived.code, converted.code) == (0, 0)
    assert (
        archived.out == "Nothing to archive: no file is over its limit. Use --older-than DAYS to archive logs by age.\n"
    )
    assert cli("archive", "--older-than", "90").out == "Nothing to archive: no file has entries to move.\n"
    assert (
        converted.out == "Nothing to convert: found no entries of the sem dialect, in its current or an older form.\n"
    )


def test_completed_items_of_a_finished_milestone_go_to_the_archive(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    ran = cli("archive")
    assert ran.out.splitlines()[-1] == "4 moved; 0 of 4 entries stay."
    assert everything(Path.cwd()) == {
        "memory-bank/archive/progress-2025-12.md": "# Progress 2025-12\n\n## Completed\n- [x] Export — 2025-12-30\n",
        "memory-bank/archive/progress-2026-01.md": (
            "# Progress 2026-01\n\n## Completed\n- [x] Import of invoices — 2026-01-03\n  - [x] All sheets\n\n"
            "  With the totals of each.\n"
        ),
        "memory-bank/archive/progress-2026-02.md": (
            "# Progress 2026-02\n\n## Completed\n- ✅ Logo\n\n## Phase 1: Invoices — Complete\n- [x] Import and export\n"
        ),
        NAME: LEFT,
    }


def test_a_second_time_nothing_more_happens(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    cli("archive")
    before = everything(Path.cwd())
    told = cli("archive", "--json").json()
    assert (told["moved"], told["written"]) == ([], [])
    assert everything(Path.cwd()) == before


def test_a_dry_run_writes_nothing(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    told = cli("archive", "--dry-run", "--json").json()
    assert [each["title"] for each in told["moved"]] == ["Import of invoices", "Export", "Logo", "Import and export"]
    assert told["written"] == []
    assert everything(Path.cwd()) == {NAME: DONE}


def test_undo_takes_it_back(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    cli("archive")
    assert cli("undo").code == 0
    assert everything(Path.cwd()) == {NAME: DONE}


def test_an_archive_that_is_there_grows() -> None:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        held = "# My own title\r\n\r\n## Completed\r\n- [x] Older — 2026-01-01"
        put(root, "memory-bank/archive/progress-2026-01.md", held)
        put(root, NAME, "# Progress\n\n## Completed\n- [x] New — 2026-01-09\n\n## Milestones\n### Phase 1 — Done\n")
        opened(root).bank.archive()
        grown = decode((root / "memory-bank/archive/progress-2026-01.md").read_bytes())
        assert grown == f"{held}\r\n- [x] New — 2026-01-09\r\n"


@pytest.mark.parametrize(
    ("milestones", "moved"),
    [
        ("", []),
        ("### Phase 1: A — In Progress\n", []),
        ("### Phase 1: A — Complete\n", ["Old", "New", "Step of phase 2", "Undated"]),
        ("### Phase 1: A — Complete\n### Phase 2: B — Planned\n", ["Old", "New", "Step of phase 2", "Undated"]),
        ("### Phase 1: A — Complete\n### Phase 2: B — In Progress\n", []),
        ("### Phase 2: B ✅\n### Phase 3: C — In Progress\n", ["Step of phase 2"]),
        ("### Phase 1: A — Complete (2026-01-10)\n### Phase 2: B — In Progress\n", ["Old"]),
        ("### Phase 1: A — 2026-01-10\n", []),
        ("### Phase 1: 完成\n", []),
        ("### Phase 1: A — 已完成\n", ["Old", "New", "Step of phase 2", "Undated"]),
        ("### Phase 1: A — Not done\n", []),
        ("### Phase 1: A — Incomplete\n", []),
        ("### Phase 1: [Name] — [Status]\n", []),
    ],
)
def test_which_items_a_milestone_covers(tmp_path: Path, milestones: str, moved: list[str]) -> None:
    completed = "- [x] Old — 2026-01-03\n- [x] New — 2026-01-30\n- [x] Step of phase 2\n- [x] Undated\n"
    put(tmp_path, NAME, f"# Progress\n\n## Completed\n{completed}\n## Milestones\n{milestones}")
    assert [each.title for each in opened(tmp_path).bank.archive(write=False).moved] == moved


PHASES = """\
# Progress

## Phase 1: Setup

Some words.

- [x] Clone
- [x] Install — 2025-11-03

## Phase 2: Login

- [x] Form
  - [ ] Tests

## Phase 3: Mail (In Progress)

- [x] Send
"""


def test_a_milestone_with_every_box_ticked_goes_while_others_are_open(cli: Cli) -> None:
    put(Path.cwd(), NAME, PHASES)
    ran = cli("archive")
    assert ran.out.splitlines() == [
        f"{NAME}: moved to progress-2025-11.md: Phase 1: Setup",
        "1 moved; 0 of 1 entries stay.",
    ]
    head, _, rest = PHASES.partition("## Phase 1")
    moved, _, left = rest.partition("## Phase 2")
    assert everything(Path.cwd()) == {
        "memory-bank/archive/progress-2025-11.md": f"# Progress 2025-11\n\n## Phase 1{moved.rstrip()}\n",
        NAME: f"{head}## Phase 2{left}",
    }
    assert cli("archive", "--json").json()["moved"] == []
    cli("undo")
    assert everything(Path.cwd()) == {NAME: PHASES}


@pytest.mark.parametrize(
    ("milestones", "moved"),
    [
        ("### A\n- [x] a\n### B\n- [x] b\n", []),  # nothing says that no more comes
        ("### A\n- [x] a\n### B — Planned\n- [ ] b\n", ["A"]),
        ("### A\n- [x] a\n### B\n", ["A"]),
        ("### A\ntext\n### B\n- [ ] b\n", []),
        ("### A\n- [x] a\n#### Later\n- [ ] more\n### B\n- [ ] b\n", []),
        ("### A\n- [x] a\n#### Phase 0\n- [x] more\n### B\n- [ ] b\n", ["A"]),
        ("### A\n✅ **Status:** COMPLETE\n- ✅ a\n### B\n- [ ] b\n", ["a"]),
        ("### A\n**Status:** In progress\n- ✅ a\n### B\n- [ ] b\n", []),
        ("### A\n- ✅ a\n- ❌ x\n### B\n- [ ] b\n", []),
    ],
)
def test_which_milestones_are_over(tmp_path: Path, milestones: str, moved: list[str]) -> None:
    put(tmp_path, NAME, f"# Progress\n\n## Milestones\n{milestones}")
    assert [each.title for each in opened(tmp_path).bank.archive().moved] == moved


def test_the_newest_items_stay_when_asked(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    told = cli("archive", "--keep", "1", "--json").json()
    assert [(each["title"], each["reason"]) for each in told["kept"]] == [("Import of invoices", "among the newest 1")]


def test_what_is_open_stays(tmp_path: Path) -> None:
    text = "# Progress\n\n## Completed\n- [x] Half\n  - [ ] open\n- [ ] Open\n- [x] [Task]\n\n## Milestones\n### Phase 1 ✅\n"
    put(tmp_path, NAME, text)
    told = opened(tmp_path).bank.archive()
    assert (told.moved, told.written) == ([], [])
    assert [(each.title, each.reason) for each in told.kept] == [("Half", "something in it is still open")]


def test_an_archive_that_would_hide_the_items_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/archive/progress-2026-01.md", "# Archive\n\n```\nnever closed\n")
    put(tmp_path, NAME, DONE)
    before = everything(tmp_path)
    with pytest.raises(MemdownError, match="close its code fences"):
        opened(tmp_path).bank.archive()
    assert everything(tmp_path) == before


def test_a_mode_that_does_not_write_progress_does_not_archive(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    assert cli("--mode", "debug", "archive").code == 3
    assert everything(Path.cwd()) == {NAME: DONE}


LINES = st.sampled_from(
    [
        *(
            "- [x] One — 2026-01-03",
            "- [x] Two",
            "- ✅ Three — 2025-11-30",
            "- [ ] Open",
            "  - [x] inner",
            "  - [ ] inner",
        ),
        *("  more of it", "text between", "", "", "```", "1. [x] Numbered", "- plain", "> - [x] quoted", "<!-- c -->"),
        *(
            "## Completed",
            "## In Progress",
            "## Done",
            "## Milestones",
            "### Phase 1: A — Complete",
            "### Phase 2 — Doing",
        ),
        *(
            "* [X] Star — 2026-01-09",
            "---",
            "| a | b |",
            "    code",
            "- [x] [Task — date]",
            "\t- [x] tab",
            "- [x] One — 2026-01-03",
        ),
    ]
)


def _said(files: dict[str, str]) -> Counter[str]:
    """Every line that says something, headings of archives aside."""
    return Counter(line.rstrip("\r") for text in files.values() for line in text.split("\n") if line.strip())


@draws(200)
@given(st.lists(LINES, max_size=25), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_no_line_is_ever_lost(lines: list[str], eol: str, ended: bool) -> None:
    text = eol.join(["# Progress", "", *lines]) + (eol if ended else "")
    with TemporaryDirectory() as folder:
        root = Path(folder)
        put(root, NAME, text)
        bank = opened(root).bank
        try:
            bank.archive()
        except MemdownError:
            assert everything(root) == {NAME: text}
            return
        after = everything(root)
        assert not _said({NAME: text}) - _said(after)
        assert all(line.startswith("#") for line in _said(after) - _said({NAME: text}))
        assert bank.archive().moved == []
        assert everything(root) == after


@pytest.mark.corpus
def test_no_line_of_a_real_progress_file_is_lost(corpus: list[Path]) -> None:
    moved = 0
    for path in corpus:
        if path.name.lower() != "progress.md" or "bank" not in path.parts:
            continue
        text = decode(path.read_bytes())
        with TemporaryDirectory() as folder:
            root = Path(folder)
            put(root, NAME, text)
            moved += len(opened(root).bank.archive().moved)
            after = everything(root)
            assert not _said({NAME: text}) - _said(after), path
            assert opened(root).bank.archive().moved == [], path
    assert moved > 0


# Suggestions


def told(root: Path) -> list[tuple[int, str, int]]:
    spent = opened(root).bank.budget(suggest=True)
    return [(way.line, way.does, way.tokens) for each in spent for way in each.suggestions]


def test_completed_items_can_be_archived(tmp_path: Path) -> None:
    put(tmp_path, NAME, DONE)
    [(line, does, saved)] = told(tmp_path)
    assert (line, does) == (4, "archive 4 completed items, with `memdown archive`")
    bank = opened(tmp_path).bank
    before = bank.budget()[0].tokens
    bank.archive()
    assert abs(before - bank.budget()[0].tokens - saved) <= 6


def test_many_completed_items_need_a_milestone_first(tmp_path: Path) -> None:
    put(tmp_path, NAME, "# Progress\n\n## Completed\n" + "".join(f"- [x] Item {number}\n" for number in range(11)))
    assert [does for _, does, _ in told(tmp_path)] == [
        "archive 11 completed items: set their milestone to Complete, then use `memdown archive`"
    ]


def test_old_changes_and_too_many_of_them(tmp_path: Path) -> None:
    old = "- Import reads all sheets — 2025-12-01\n"
    new = "".join(f"- Change number {number} — 2026-01-31\n" for number in range(12))
    put(tmp_path, "memory-bank/activeContext.md", f"# Active Context\n\n## Recent Changes\n{old}{new}")
    assert [(line, does) for line, does, _ in told(tmp_path)] == [
        (5, "keep the last 10 recent changes"),
        (4, "remove 1 recent change of more than 30 days ago"),
    ]


def test_placeholders_copies_and_long_sections(tmp_path: Path) -> None:
    said = "Invoices are written offline, and sent when there is a network again."
    put(tmp_path, "memory-bank/projectBrief.md", f"# Project Brief\n\n## Mission Statement\n{said}\n")
    put(
        tmp_path,
        "memory-bank/productContext.md",
        f"# Product Context\n\n## Target Users\n[Who uses it]\n\n## User Experience Goals\n- {said}\n",
    )
    put(tmp_path, "memory-bank/systemPatterns.md", "# System Patterns\n\n## Architecture Overview\n" + "word " * 1200)
    found = told(tmp_path)
    assert (3, "fill in or remove 'Target Users'", tokens.estimate("## Target Users\n[Who uses it]")) in found
    assert (7, "remove what memory-bank/projectBrief.md:4 says too", tokens.estimate(said)) in found
    assert [does for _, does, _ in found if "shorten" in does] == [
        "shorten 'Architecture Overview', 1,204 tokens, to half"
    ]


def test_the_log_is_never_told_to_shrink(tmp_path: Path) -> None:
    put(tmp_path, "memory-bank/decisionLog.md", "# Decision Log\n\n## Decision: Use SQLite\n" + "word " * 3000)
    assert told(tmp_path) == []


def test_a_budget_tells_where_to_save(cli: Cli) -> None:
    put(Path.cwd(), NAME, DONE)
    assert "memory-bank/progress.md:4: archive 4 completed items" in cli("budget").out


@pytest.mark.corpus
def test_suggestions_for_real_banks_never_save_more_than_there_is(corpus: list[Path]) -> None:
    banks: dict[Path, list[Path]] = {}
    for path in corpus:
        if path.suffix == ".md" and path.parent.name.lower() in ("memory-bank", "memory_bank"):
            banks.setdefault(path.parent, []).append(path)
    assert banks
    for folder, files in some(list(banks.items())[:40], 3):
        with TemporaryDirectory() as place:
            for file in files:
                put(Path(place), f"memory-bank/{file.name}", decode(file.read_bytes()))
            for spent in opened(Path(place)).bank.budget(suggest=True):
                assert all(0 <= way.tokens <= spent.tokens for way in spent.suggestions), folder
