"""Long histories and error logs: old entries go to the archives of their months, and nothing is lost."""

from collections import Counter
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Ran, draws
from memdown import Memory
from memdown.dialects.journal.edits import history
from samples import put

Cli = Callable[..., Ran]
NAME = "memory-bank/edit_history.md"
HEAD = "# Edit History\n*Last Updated: 2026-01-31 23:59:00 UTC*\n\n"
NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def entry(number: int, files: int = 8) -> str:
    bullets = "".join(f"- Modified `src/{number}-{each}.py` - x\n" for each in range(files))
    return f"#### {23 - number % 24:02}:00:00 UTC - T{number}: Work {number}\n{bullets}\n"


def day(ago: int) -> str:
    return str(date(2026, 1, 31) - timedelta(days=ago))


def long_history(days: int = 30) -> str:
    """Newest first, two entries a day."""
    return HEAD + "".join(f"### {day(ago)}\n\n{entry(2 * ago)}{entry(2 * ago + 1)}" for ago in range(days))


def read(name: str) -> str:
    return Path(name).read_bytes().decode("utf-8")


def lines(*texts: str) -> Counter[str]:
    return Counter(line for text in texts for line in text.splitlines() if line.strip())


def test_the_newest_twenty_stay_and_the_others_go_to_their_months(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history())
    before = read(NAME)
    told = cli("archive", "--dry-run", "--json").json()
    assert (read(NAME), told["written"], len(told["moved"])) == (before, [], 40)
    told = cli("archive", "--json").json()
    assert told["written"] == ["memory-bank/archive/edit_history_2026-01.md", NAME]
    assert (told["entries_before"], told["entries_left"]) == (60, 20)
    assert read(NAME) == before[: before.index(f"### {day(10)}")]
    assert read("memory-bank/archive/edit_history_2026-01.md") == (
        "# Edit History 2026-01\n\n" + before[before.index(f"### {day(10)}") :]
    )
    assert cli("archive", "--json").json()["moved"] == []
    found = Memory(Path.cwd()).check(chosen=Memory(Path.cwd()).selection()).diagnostics
    assert {each.name for each in found} == {"head-missing"}


def test_short_histories_stay_whole(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history(20))
    assert len(read(NAME).splitlines()) <= 500
    assert cli("archive", "--json").json()["moved"] == []
    assert len(cli("archive", "--keep", "0", "--older-than", "5", "--json").json()["moved"]) == 30
    assert cli("archive", "--keep", "0", "--older-than", "5", "--json").json()["moved"] == []


def test_the_limit_is_one_for_the_archive_and_for_the_rule(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history())

    def long() -> tuple[bool, list[str]]:
        moved = cli("archive", "--dry-run", "--json").json()["moved"]
        return bool(moved), [each["code"] for each in cli("check", "--select", "JNL086", "--json").json()]

    assert long() == (True, ["JNL086"])
    put(Path.cwd(), "memdown.toml", "[journal]\nmax-lines = 10000\n")
    assert long() == (False, [])
    put(Path.cwd(), "memdown.toml", "[journal]\nmax-lines = 10000\nmax-size = 1000\n")
    assert long() == (True, ["JNL086"])


def test_an_age_leaves_the_newest_too(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history(20))
    told = cli("archive", "--older-than", "5", "--json").json()
    entries = told["entries_before"]
    assert (len(told["moved"]), told["entries_left"]) == (entries - 20, 20)
    assert {each["reason"] for each in told["kept"]} == {"among the newest 20"}
    put(Path.cwd(), NAME, long_history(20))
    put(Path.cwd(), "memdown.toml", "[journal]\nkeep-edits = 3\n")
    assert cli("archive", "--older-than", "5", "--json", "--dry-run").json()["entries_left"] == 10
    assert cli("archive", "--older-than", "5", "--keep", "12", "--json").json()["entries_left"] == 12


def test_undo_takes_a_rotation_back(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history())
    before = read(NAME)
    cli("archive")
    cli("undo")
    assert read(NAME) == before
    assert not Path("memory-bank/archive/edit_history_2026-01.md").exists()


def test_an_archive_is_never_overwritten(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history())
    cli("archive")
    first = read("memory-bank/archive/edit_history_2026-01.md")
    put(
        Path.cwd(),
        NAME,
        HEAD + f"### {day(-1)}\n\n" + "".join(entry(each, 12) for each in range(24)) + read(NAME)[len(HEAD) :],
    )
    cli("archive")
    grown = read("memory-bank/archive/edit_history_2026-01.md")
    assert not lines(first) - lines(grown)
    dates = [each.date or "" for each in history(grown).days]
    assert dates == sorted(set(dates), reverse=True)
    assert len(history(grown).entries) == 60


def test_a_day_that_is_split_keeps_its_heading_in_both(cli: Cli) -> None:
    put(Path.cwd(), NAME, HEAD + "### 2026-01-05\n\n" + "".join(entry(each, 25) for each in range(23)))
    cli("archive")
    archive = read("memory-bank/archive/edit_history_2026-01.md")
    assert "### 2026-01-05\n" in read(NAME)
    assert "### 2026-01-05\n" in archive
    assert (len(history(read(NAME)).entries), len(history(archive).entries)) == (20, 3)


def test_an_entry_without_a_date_stays_and_is_told(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history() + "### Yesterday, maybe\n\n#### 10:00 UTC - T9: When\n- Modified `a` - x\n")
    told = cli("archive", "--json").json()
    assert [each["title"] for each in told["undated"]] == ["When"]
    assert "#### 10:00 UTC - T9: When\n" in read(NAME)


def test_five_errors_stay(cli: Cli) -> None:
    errors = "".join(
        f"## {day(each)} 10:00 UTC: Error {each}\n**File:** `a.py`\n{'More.' * 10}\n" + "text\n" * 60 + "\n"
        for each in range(9)
    )
    put(Path.cwd(), "memory-bank/errorLog.md", "# Error Log\n\n" + errors)
    told = cli("archive", "--json").json()
    assert (told["entries_left"], len(told["moved"])) == (5, 4)
    held = read("memory-bank/errorLog.md"), read("memory-bank/archive/errorLog_2026-01.md")
    assert lines(*held) == lines("# Error Log\n# Error Log 2026-01\n" + errors)
    assert held[1].index("Error 5") < held[1].index("Error 8")


def test_a_mode_that_writes_nothing_rotates_nothing(cli: Cli) -> None:
    put(Path.cwd(), NAME, long_history())
    before = read(NAME)
    assert cli("--mode", "ask", "archive").code == 3
    assert read(NAME) == before


BLOCK = st.sampled_from(
    [
        *("### 2026-01-31", "### 2026-01-30", "### 2025-12-05", "## 2025-12-04", "### April 20, 2025", "### Someday"),
        *("#### 14:30:15 UTC - T1: One", "#### 09:00 - Two", "### 9:05 - T3: Three", "#### no time", "## Other"),
        *(
            "- Created `a.py` - x",
            "- Fixed b.py: y",
            "  - nested `c.py`",
            "Prose.",
            "---",
            "",
            "",
            "```",
            "<!--",
            "-->",
        ),
    ]
)


@draws(150)
@given(st.lists(BLOCK, max_size=60), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(0, 60))
def test_no_line_is_ever_lost(blocks: list[str], eol: str, ended: bool, age: int) -> None:
    before = HEAD.replace("\n", eol) + eol.join(blocks) + (eol if ended else "")
    with TemporaryDirectory() as folder:
        root = Path(folder)
        put(root, NAME, before)
        memory = Memory(root, now=lambda: NOW)
        told = memory.archive(older_than=age, keep=0)
        archives = [path.read_bytes().decode() for path in sorted(root.glob("memory-bank/archive/*.md"))]
        after = (root / NAME).read_bytes().decode()
        lost = lines(before) - lines(after, *archives)
        # The heading of a day may be there once where it was twice, since an archive has each day once.
        assert {line for line in lost if not line.startswith("##")} == set()
        assert set(lines(before)) <= set(lines(after, *archives))
        kept, moved = history(after).entries, [each for text in archives for each in history(text).entries]
        assert len(kept) + len(moved) == len(history(before).entries)
        assert len(moved) == len(told.moved)
        assert memory.archive(older_than=age, keep=0).moved == []
        if told.moved:
            memory.undo()
            assert (root / NAME).read_bytes().decode() == before


@pytest.mark.parametrize("repeat", [4_000])
def test_a_large_history_is_rotated_in_time(tmp_path: Path, repeat: int) -> None:
    days = "".join(
        f"### {date(2020, 1, 1) - timedelta(days=n)}\n\n#### 10:00 UTC - x\n- Modified `a` - b\n\n"
        for n in range(repeat)
    )
    put(tmp_path, NAME, HEAD + days)
    started = datetime.now(UTC)
    assert len(Memory(tmp_path, now=lambda: NOW).archive().moved) == repeat - 20
    assert (datetime.now(UTC) - started).total_seconds() < 30
