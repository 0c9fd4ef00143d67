"""Slimming: grown memory gets shorter by proposals, and no line of it is lost."""

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import CORPUS, Ran
from memdown import Memory
from memdown.acts.slim import with_links
from samples import copy_of, put

Cli = Callable[..., Ran]
ENTRY = "The import of invoices reads every sheet, and names the row that it cannot read.\n"
PROGRESS = f"""\
# Progress

## Session 2026-01-20
{ENTRY}
## Session 2026-01-10
{ENTRY}
## Session 2025-12-02 - Complete
{ENTRY}
## Session 2025-11-03
- [ ] Still to do, whatever the date says
{ENTRY}
## Completed
- [x] Export of orders - 2025-11-20
- [x] A list of customers, which nobody dated

## In Progress
- [ ] Search
"""
LOG = """\
# Decision Log

## Decision: Use SQLite
- **Date**: 2025-10-01
- **Status**: Accepted

---

## Decision: Use PostgreSQL
- **Date**: 2026-01-02
- **Status**: Accepted
"""


def lines(root: Path) -> Counter[str]:
    texts = (path.read_bytes().decode("utf-8", "replace") for path in root.rglob("*.md"))
    bare = (
        re.sub(r"^\s*(?:[-*+]|\d+[.)])?\s*(?:\[.\])?\s*", "", line).strip()
        for text in texts
        for line in text.splitlines()
    )
    return Counter(line for line in bare if line)


def bank(root: Path) -> None:
    put(root, "memory-bank/progress.md", PROGRESS)
    put(root, "memory-bank/decisionLog.md", LOG)


def test_proposals_are_listed_and_nothing_is_written(cli: Cli) -> None:
    bank(Path())
    found = cli("slim", "--to", "0", "--json").json()
    assert [set(each) >= {"id", "proposal", "diff", "saves_tokens"} for each in found] == [True] * len(found)
    assert "progress-2025-12-completed" in [each["id"] for each in found]
    assert all(each["saves_tokens"] > 0 and each["diff"].startswith("--- ") for each in found)
    assert Path("memory-bank/progress.md").read_text() == PROGRESS
    assert not Path("memory-bank/archive").exists()


def test_what_is_taken_is_in_the_archive_of_its_month_and_linked(cli: Cli) -> None:
    bank(Path())
    done = cli("slim", "--to", "0", "--take", "progress-2025-12-completed", "--json").json()
    assert done["written"] == ["memory-bank/archive/progress-2025-12.md", "memory-bank/progress.md"]
    assert done["tokens_after"] < done["tokens_before"]
    assert cli("undo").code == 0
    told = cli("slim", "--to", "0", "--take", "progress-2025-12-completed").out
    assert "Still above 0: `memdown slim --to 0` lists what else can go.\n" in told
    text = Path("memory-bank/progress.md").read_text()
    assert "> Archived: [2025-12](archive/progress-2025-12.md)\n" in text
    assert "Session 2025-12-02" not in text
    assert f"## Session 2025-12-02 - Complete\n{ENTRY}" in Path("memory-bank/archive/progress-2025-12.md").read_text()
    assert cli("search", "Session 2025-12-02").code == 0
    assert cli("undo").code == 0
    assert Path("memory-bank/progress.md").read_text() == PROGRESS


def test_open_tasks_and_the_newest_stay(cli: Cli) -> None:
    bank(Path())
    cli("slim", "--to", "0", "--all")
    text = Path("memory-bank/progress.md").read_text()
    assert "Still to do" in text
    assert "- [ ] Search" in text
    assert "Session 2026-01-20" in text
    assert "Use PostgreSQL" in Path("memory-bank/decisionLog.md").read_text()
    assert "Use SQLite" in Path("memory-bank/archive/decisionLog-2025-10.md").read_text()


def test_headings_go_with_the_last_of_what_they_stand_above(cli: Cli) -> None:
    head = "# Progress\n\n## Session 2026-01-20\nThe import reads all sheets.\n\n"
    going = [
        "## Reader\n\n### Engine\n- [x] Reads sheets - 2025-11-20\n- [x] Names rows - 2025-12-01\n",
        "\n### Tests\n- [x] Of both - 2025-12-02\n\n---\n\n",
    ]
    staying = "## Completed\n\n## Notes\n\n### Of old\n\nSome text.\n"
    text = "".join((head, *going, staying.replace("## Completed\n", "## Completed\n- [x] Export - 2025-11-30\n")))
    put(Path(), "memory-bank/progress.md", text.replace("### Of old\n", "### Of old\n- [x] Fix - 2025-12-03\n"))
    cli("slim", "--to", "0", "--take", "progress-2025-11-completed")
    assert "### Engine\n- [x] Names rows - 2025-12-01\n" in Path("memory-bank/progress.md").read_text()
    cli("undo")
    cli("slim", "--to", "1", "--all")
    left = Path("memory-bank/progress.md").read_text()
    assert left.partition("> Archived")[2].partition("\n\n")[2] == head.partition("\n\n")[2] + staying
    older, newer = (Path(f"memory-bank/archive/progress-2025-{month}.md").read_text() for month in (11, 12))
    assert "## Reader\n\n### Engine\n\n- [x] Reads sheets - 2025-11-20\n" in older
    assert "## Engine\n- [x] Names rows - 2025-12-01\n" in newer
    assert "### Tests\n\n- [x] Of both - 2025-12-02\n\n---\n" in newer


def test_long_text_beside_what_is_dated_goes_too_and_sections_go_with_those_below_them(cli: Cli) -> None:
    works, plain, gate, other = ("".join(f"- {name} {each}: {ENTRY}" for each in range(8)) for name in "ABCD")
    mixed = f"## Works\n{works}- Rows are named: {ENTRY[:-1]} - 2025-12-01\n- Columns too.\n"
    tree = f"## Open Design\n\n### Gate\n{gate}\n### Minor\nOf no use yet.\n\n### Gate two\n{other}\n"
    going_on = f"## Partially Done\n{plain}"
    text = f"# Active Context\n\n## Session 2026-01-20\nShort.\n\n{mixed}\n{tree}\n{going_on}"
    put(Path(), "memory-bank/activeContext.md", text)
    before = lines(Path())
    told = cli("slim", "--to", "0", "--all").out
    assert "Move 2 long sections to a file of their own" in told
    left = Path("memory-bank/activeContext.md").read_text()
    link = "See [details](archive/activeContext-details.md#{}).\n\n"
    assert f"## Works\n{link.format('works')}## Open Design\n{link.format('open-design')}## Partially Done\n" in left
    assert plain in left  # of what is still going on
    details = Path("memory-bank/archive/activeContext-details.md").read_text()
    assert details.index("## Works") < details.index("- Columns too.") < details.index("### Gate two")
    assert "Rows are named" in Path("memory-bank/archive/activeContext-2025-12.md").read_text()
    assert not before - lines(Path())
    cli("undo")
    assert Path("memory-bank/activeContext.md").read_text() == text


def test_a_rule_goes_with_the_decision_above_it(cli: Cli) -> None:
    decisions = [
        f"## Decision: Use tool {each}\n- **Date**: 2025-10-0{each}\n- **Status**: Accepted\n" for each in range(1, 6)
    ]
    log = "\n---\n\n".join(["# Decision Log\n", "## Phase 1\n", *decisions])
    put(Path(), "memory-bank/decisionLog.md", log)
    cli("slim", "--to", "0", "--all")
    left = Path("memory-bank/decisionLog.md").read_text()
    assert [line for line in left.splitlines()[3:] if line][:4] == [
        "---",
        "## Phase 1",
        "---",
        "## Decision: Use tool 5",
    ]
    assert Path("memory-bank/archive/decisionLog-2025-10.md").read_text().count("\n---\n") == 4
    cli("undo")
    assert Path("memory-bank/decisionLog.md").read_text() == log


def test_decisions_in_an_archive_are_not_lost(cli: Cli) -> None:
    bank(Path())
    for args in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *args], check=True)
    cli("slim", "--to", "0", "--all")
    assert "BNK037" not in cli("check", "--all").out
    put(Path(), "memory-bank/archive/decisionLog-2025-10.md", "# decisionLog-2025-10\n")
    assert "Use SQLite" in cli("check", "--select", "BNK037").out


def test_a_decision_above_entries_of_a_lower_level_is_not_lost_in_an_archive(cli: Cli) -> None:
    lower = "### Decision (Code)\n[2025-10-0{0} 06:00:00] - **Use tool {0}**\n\n**Rationale:**\nIt is there.\n\n---\n"
    higher = "## Build of {0} (2025-10-0{0}T00:24)\n\n**Choice**:\n1. Start the build again.\n\n---\n"
    tail = "## Shipped (2025-10-07T10:00)\n\nAll is well.\n\n"
    log = f"# Decision Log\n\n{higher.format(1)}{higher.format(2)}{tail}{lower.format(8)}{lower.format(9)}"
    put(Path(), "memory-bank/decisionLog.md", log)
    for args in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", *args], check=True)
    assert "## Build of 2" in cli("show", "Build of 2").out or cli("list", "kind:decision").out.count("Build of") == 2
    archive = f"# decisionLog-2025-10\n\n{higher.format(1)}{higher.format(2)}{lower.format(8)}".replace("---\n", "")
    put(Path(), "memory-bank/archive/decisionLog-2025-10.md", archive)
    put(Path(), "memory-bank/decisionLog.md", f"# Decision Log\n\n{tail}{lower.format(9)}")
    assert "BNK037" not in cli("check", "--all").out
    put(Path(), "memory-bank/archive/decisionLog-2025-10.md", archive.replace("Start the build again.", "Wait."))
    assert "Build of" in cli("check", "--select", "BNK037").out


def test_nothing_more_is_proposed_than_it_takes(cli: Cli) -> None:
    bank(Path())
    everything = cli("slim", "--to", "0", "--json").json()
    enough = cli("slim", "--to", "200", "--json").json()
    assert 0 < len(enough) < len(everything)
    told = cli("slim")
    assert re.fullmatch(r"Nothing to slim: sessions read \d+ tokens in full, within the target of 5,000\.\n", told.out)
    assert cli("slim", "--all").out == told.out


def test_wrong_input_is_refused(cli: Cli) -> None:
    bank(Path())
    mistyped = cli("slim", "--take", "progress-2025-12-complete")
    assert (mistyped.code, mistyped.err) == (
        1,
        "memdown: There is no proposal 'progress-2025-12-complete'; did you mean progress-2025-12-completed?\n",
    )
    assert cli("slim", "--all", "--take", "x").code == 2
    assert "terminal" in cli("slim", "-i").err
    assert cli("slim", "--to", "-1").code == 2


def test_what_is_said_twice_goes_once(cli: Cli) -> None:
    said = "Invoices are written offline, and sent when there is a network again."
    put(Path(), "memory-bank/projectBrief.md", f"# Project Brief\n\n## Mission Statement\n{said}\n")
    put(Path(), "memory-bank/productContext.md", f"# Product Context\n\n## Goals\n- {said}\n- Another\n")
    told = cli("slim", "--to", "0", "--take", "productcontext-repeats").out
    assert told.endswith("`memdown undo` restores everything.\n")
    assert told.count("restores") == 1
    assert Path("memory-bank/productContext.md").read_text() == "# Product Context\n\n## Goals\n- Another\n"
    assert said in Path("memory-bank/projectBrief.md").read_text()


def test_sections_of_one_title_have_a_link_of_their_own_each(cli: Cli) -> None:
    def section(word: str) -> str:
        says = "- The {} of sheet {} writes every line, and says which of them it left out.\n"
        return "## Coding Patterns\n\n" + "".join(says.format(word, n) for n in range(12))

    text = f"# System Patterns\n\n{section('import')}\n{section('export')}"
    put(Path(), "memory-bank/systemPatterns.md", text)
    cli("slim", "--to", "0", "--all")
    left = Path("memory-bank/systemPatterns.md").read_text()
    assert re.findall(r"#[\w-]+(?=\))", left) == ["#coding-patterns", "#coding-patterns-1"]
    assert "MRG003" not in cli("check", "--all").out
    put(Path(), "memory-bank/systemPatterns.md", left + "\n" + section("list"))
    cli("slim", "--to", "0", "--all")
    assert "#coding-patterns-2)" in Path("memory-bank/systemPatterns.md").read_text()


def test_items_below_a_stamp_go_with_it(cli: Cli) -> None:
    entry = "[2025-{:02}-16 20:26:40] - **Completed: Part {}**\n- Reads every sheet of {}\n\n- Tests\n\n"
    still = "[2025-01-02 10:00:00] - **Completed: Almost**\n- [x] One\n- [ ] Two\n\n"
    text = "# Progress\n\n## Completed Tasks\n\n" + still + "".join(entry.format(n, n, n) for n in range(2, 9))
    put(Path(), "memory-bank/progress.md", text)
    cli("slim", "--to", "0", "--all")
    archives = {path.name: path.read_text() for path in Path("memory-bank/archive").iterdir()}
    assert [*sorted(archives)] == [f"progress-2025-{n:02}.md" for n in range(2, len(archives) + 2)]
    assert archives["progress-2025-02.md"] == f"# progress-2025-02\n\n{entry.format(2, 2, 2).rstrip()}\n"
    assert still in Path("memory-bank/progress.md").read_text()


def test_logs_and_journals_get_shorter_too(cli: Cli) -> None:
    entry = "### 2025-{:02}-01T10:00:00Z: Use {}\n**By:** Ann\n**What:** {}\n\n"
    put(
        Path(),
        ".squad/decisions.md",
        "# Decisions\n\n" + "".join(entry.format(1 + n % 12, n, "x " * 40) for n in range(30)),
    )
    day = "### 2025-{:02}-02\n\n#### 10:00 - T1: Edit\n- Modified `a.py` - {}\n\n"
    put(
        Path(),
        "memory-bank/edit_history.md",
        "# Edit History\n\n" + "".join(day.format(12 - n, "x " * 60) for n in range(12)),
    )
    before = lines(Path())
    done = cli("slim", "--to", "0", "--all", "--json").json()
    assert Path(".squad/decisions-archive.md").exists()
    assert Path("memory-bank/archive/edit_history_2025-01.md").exists()
    assert "> Archived: [decisions-archive](decisions-archive.md)" in Path(".squad/decisions.md").read_text()
    assert done["tokens_after"] < done["tokens_before"] / 2
    assert not before - lines(Path())


def test_links_join_one_line() -> None:
    once = with_links("b/p.md", "# P\r\n\r\nText\r\n", ["b/archive/p-2026-01.md"])
    assert once == "# P\r\n\r\n> Archived: [2026-01](archive/p-2026-01.md)\r\n\r\nText\r\n"
    twice = with_links("b/p.md", once, ["b/archive/p-2026-02.md"])
    assert "> Archived: [2026-02](archive/p-2026-02.md), [2026-01](archive/p-2026-01.md)\r\n" in twice
    assert with_links("b/p.md", twice, ["b/archive/p-2026-01.md"]) == twice
    assert with_links("b/p.md", "Text", ["b/a-2026-01.md"]) == "> Archived: [2026-01](a-2026-01.md)\n\nText"


PIECES = st.sampled_from(
    [
        "## Session 2025-11-03\n",
        "## Phase 1 - Complete\n",
        "### Bug (2025-12-01)\n",
        "## Notes\n",
        "### Group\n",
        "## Completed\n",
        "- [x] Done - 2025-10-01\n",
        "- [ ] Open\n",
        "  - [x] Inside\n",
        "- Plain item\n",
        "[2025-09-01 10:00:00] - A line of a log\n",
        "```\n## no heading 2025-01-01\n",
        "```\n",
        "Prose of a few words that goes on for a while.\n",
        f"{ENTRY * 8}",
        "\n",
        "---\n",
        "| a | b |\n|---|---|\n| 2025-01-01 | c |\n",
        "Title\n=====\n",
        "<!-- 2025-01-01\n",
        "-->\n",
    ]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, min_size=1, max_size=14), st.sampled_from(["\n", "\r\n"]))
def test_no_line_is_lost(tmp_path_factory: pytest.TempPathFactory, pieces: list[str], eol: str) -> None:
    root = tmp_path_factory.mktemp("slim")
    put(root, "memory-bank/progress.md", ("# Progress\n\n" + "".join(pieces)).replace("\n", eol))
    put(root, "memory-bank/activeContext.md", "# Active Context\n\n" + "".join(reversed(pieces)))
    before = lines(root)
    with Memory.open(root) as memory:
        memory.now = lambda: datetime(2026, 2, 1, tzinfo=UTC)
        done = memory.slim(to=0, everything=True)
        assert done.tokens_after <= done.tokens_before
    missing = set(before - lines(root))
    # What is removed as a repeat stands somewhere else.
    assert not missing - set(lines(root))


def files(root: Path) -> dict[str, bytes]:
    there = (path for path in root.rglob("*") if path.is_file())
    return {str(path): path.read_bytes() for path in there if ".memdown" not in path.parts}


@pytest.mark.corpus
@pytest.mark.parametrize("to", [0, 5000])
def test_real_memory_loses_no_line_and_comes_back(tmp_path: Path, to: int, request: pytest.FixtureRequest) -> None:
    """All real projects with --slow, which takes minutes."""
    real = [
        place for dialect in ("bank", "journal", "layers", "sem") for place in sorted((CORPUS / dialect).glob("*/"))
    ]
    shortened = 0
    for number, place in enumerate(real if request.config.getoption("--slow") else real[5::30]):
        root = copy_of(place, tmp_path / str(number))
        before, bytes_before = lines(root), files(root)
        with Memory.open(root) as memory:
            memory.files.begin_act("cli", "slim")
            done = memory.slim(to=to, everything=True)
            assert not set(before) - set(lines(root)), place.name
            shortened += done.tokens_after < done.tokens_before
            if done.written:
                memory.undo()
        assert files(root) == bytes_before, place.name
    assert shortened
