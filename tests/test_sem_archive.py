"""The archive: old entries move, the rest stays as it is, and nothing is lost on the way."""

import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import CORPUS, Ran
from memdown import archiver, dialects
from memdown.dialects import DIALECTS
from memdown.dialects.sem.read import entries
from memdown.store import Files
from samples import killed, memdown, put

sem = DIALECTS["sem"]

Cli = Callable[..., Ran]
LOG = ".squad/decisions.md"
OLD_LOG = ".squad/decisions-archive.md"
HISTORY = ".squad/agents/ann/history.md"
OLD_HISTORY = ".squad/agents/ann/history-archive.md"


def canonical(title: str, day: str, *fields: str, kind: str = "decision", details: str = "Text.") -> str:
    stamp = f"{day}T10:00:00+0000"
    head = "".join(
        f"{field}  \n" for field in (f"**type:** {kind}", f"**timestamp:** {stamp}", "**author:** Ann", *fields)
    )
    return f"### {stamp}: {kind}: {title}\n\n{head}\n**summary:** {title}\n\n**details:**\n\n{details}\n\n---\n\n"


def legacy(title: str, day: str, *lines: str) -> str:
    return "\n".join([f"### {day}: {title}", "**By:** Ann", *lines]) + "\n\n"


NEWER = canonical("New", "2026-01-25")
OLDER = canonical("Old", "2025-12-01")


def titles(name: str) -> list[str]:
    path = Path(name)
    return [record.title or "" for record in sem.read(name, path.read_text())] if path.exists() else []


def test_old_entries_move(cli: Cli) -> None:
    put(Path(), LOG, f"# Decisions\n\nText.\n\n{OLDER}{legacy('Older', '2025-11-01', 'Text.')}## Part\n\n{NEWER}")
    ids = {record.title: record.id for record in sem.read(LOG, Path(LOG).read_text())}
    told = cli("archive", "--keep", "0", "--older-than", "30", "--json").json()
    assert told["moved"] == [
        {"id": ids["Old"], "title": "Old", "from": LOG, "to": OLD_LOG},
        {"id": ids["Older"], "title": "Older", "from": LOG, "to": OLD_LOG},
    ]
    assert told["written"] == [OLD_LOG, LOG]
    assert (told["entries_before"], told["entries_left"]) == (4, 2)
    assert Path(LOG).read_text() == f"# Decisions\n\nText.\n\n## Part\n\n{NEWER}"
    assert Path(OLD_LOG).read_text() == (
        f"# Archived decisions\n\n{OLDER}{legacy('Older', '2025-11-01', 'Text.')}".rstrip("\n") + "\n"
    )
    again = cli("archive", "--keep", "0", "--older-than", "30", "--json").json()
    assert (again["moved"], again["written"]) == ([], [])


def test_a_dry_run_changes_nothing(cli: Cli) -> None:
    put(Path(), LOG, OLDER)
    told = cli("archive", "--keep", "0", "--older-than", "30", "--dry-run", "--json").json()
    assert [each["title"] for each in told["moved"]] == ["Old"]
    assert told["written"] == []
    assert Path(LOG).read_text() == OLDER
    assert not Path(OLD_LOG).exists()


def test_what_would_lose_a_line_stays(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(Path(), LOG, f"# Decisions\n\n{OLDER}{NEWER}")
    plain = archiver._Attempt._move

    def move(attempt: archiver._Attempt) -> None:
        plain(attempt)
        attempt.grown = {target: text.replace("Text.\n", "") for target, text in attempt.grown.items()}

    monkeypatch.setattr(archiver._Attempt, "_move", move)
    monkeypatch.setattr(archiver._Attempt, "_hidden", lambda *_: None)
    assert cli("archive", "--keep", "0", "--older-than", "30", "--json").json()["moved"] == []
    assert Path(LOG).read_text() == f"# Decisions\n\n{OLDER}{NEWER}"


def test_the_archive_is_appended_to(cli: Cli) -> None:
    put(Path(), LOG, OLDER)
    put(Path(), OLD_LOG, "# Mine\n\nText of mine")
    cli("archive", "--keep", "0", "--older-than", "30")
    assert Path(OLD_LOG).read_text() == f"# Mine\n\nText of mine\n\n{OLDER.rstrip()}\n"
    assert Path(LOG).read_text() == ""


def test_undo_takes_it_back(cli: Cli) -> None:
    put(Path(), LOG, OLDER + NEWER)
    put(Path(), HISTORY, OLDER)
    cli("archive", "--keep", "0", "--older-than", "30")
    assert titles(OLD_HISTORY) == titles(OLD_LOG) == ["Old"]
    cli("undo")
    assert (Path(LOG).read_text(), Path(HISTORY).read_text()) == (OLDER + NEWER, OLDER)
    assert not Path(OLD_LOG).exists()
    assert not Path(OLD_HISTORY).exists()


def test_line_endings_stay(cli: Cli) -> None:
    text = f"\ufeff# Decisions\n\n{OLDER}{NEWER}".replace("\n", "\r\n")
    put(Path(), LOG, text)
    cli("archive", "--keep", "0", "--older-than", "30")
    assert Path(LOG).read_bytes().decode() == f"\ufeff# Decisions\n\n{NEWER}".replace("\n", "\r\n")
    assert Path(OLD_LOG).read_bytes().decode() == f"# Archived decisions\n\n{OLDER.rstrip()}\n".replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("kept", "reason"),
    [
        (canonical("Kept", "2025-01-01", "**tags:** permanent"), "permanent"),
        (canonical("Kept", "2025-01-01", details="**Status:** Permanent"), "permanent"),
        (legacy("Kept", "2025-01-01", "**Status:** permanent", "Text."), "permanent"),
        (legacy("Kept", "2025-01-01", "- keep: active", "Text."), "permanent"),
        (canonical("Kept", "2025-01-01", kind="directive"), "a directive"),
        (legacy("User directive — Kept", "2025-01-01", "Text."), "a directive"),
        (canonical("Kept", "2025-01-01", "**expires:** 2027-01-01"), "in force until 2027-01-01"),
        (canonical("Kept", "2025-01-01", "**tags:** policy"), "a policy"),
        (
            canonical("Kept", "2025-01-01", "**supersedes:** 2024-01-01T10:00:00+0000"),
            "it replaces another entry and is in force",
        ),
    ],
)
def test_what_never_ages_out(cli: Cli, kept: str, reason: str) -> None:
    put(Path(), LOG, kept)
    told = cli("archive", "--keep", "0", "--older-than", "30", "--json").json()
    assert [(each["title"], each["reason"]) for each in told["kept"]] == [("Kept", reason)]
    assert told["moved"] == []
    assert Path(LOG).read_text() == kept


def test_what_is_over_ages_out(cli: Cli) -> None:
    first = canonical("First", "2025-01-01", "**supersedes:** 2024-01-01T10:00:00+0000")
    second = canonical("Second", "2025-02-01", "**supersedes:** 2025-01-01T10:00:00+0000")
    expired = canonical("Expired", "2025-01-02", "**expires:** 2025-06-01", "**tags:** policy")
    put(Path(), LOG, first + second + expired)
    told = cli("archive", "--keep", "0", "--older-than", "30", "--json").json()
    assert [each["title"] for each in told["moved"]] == ["First", "Expired"]
    assert [each["title"] for each in told["kept"]] == ["Second"]


def test_undated_entries_are_listed(cli: Cli) -> None:
    put(Path(), LOG, f"## Decision: Undated\n\n**By:** Ann\n\nText.\n\n{OLDER}")
    told = cli("archive", "--keep", "0", "--older-than", "30", "--json").json()
    assert [(each["title"], each["path"], each["line"]) for each in told["undated"]] == [("Undated", LOG, 1)]
    assert titles(LOG) == ["Undated"]


def padded(size: int, *entries: str) -> str:
    text = "# Log\n\n" + "".join(entries)
    return text.replace("# Log\n", "# Log\n\n" + "x" * (size - len(text) - 2) + "\n", 1)


@pytest.mark.parametrize(
    ("size", "moved"),
    [(20_479, []), (20_480, ["D31"]), (51_199, ["D31"]), (51_200, ["D31", "D8"])],
)
def test_thresholds_of_logs(cli: Cli, size: int, moved: list[str]) -> None:
    ages = [canonical("D31", "2026-01-01"), canonical("D8", "2026-01-24"), canonical("D6", "2026-01-26")]
    put(Path(), LOG, padded(size, *ages))
    assert [each["title"] for each in cli("archive", "--keep", "0", "--json").json()["moved"]] == moved


@pytest.mark.parametrize(("size", "moved"), [(15_359, []), (15_360, ["D15"])])
def test_thresholds_of_histories(cli: Cli, size: int, moved: list[str]) -> None:
    ages = [canonical("D15", "2026-01-17", kind="memory"), canonical("D13", "2026-01-19", kind="memory")]
    put(Path(), HISTORY, padded(size, *ages))
    told = cli("archive", "--keep", "0", "--json").json()
    assert [each["title"] for each in told["moved"]] == moved
    assert titles(OLD_HISTORY) == moved


def test_thresholds_can_be_set(cli: Cli) -> None:
    put(Path(), LOG, OLDER + NEWER)
    assert cli("archive", "--json").json()["moved"] == []
    put(Path(), "memdown.toml", "[sem]\narchive-size = 10\narchive-days = 3\narchive-keep = 0\n")
    assert len(cli("archive", "--json", "--dry-run").json()["moved"]) == 2
    put(Path(), "memdown.toml", "")
    assert len(cli("archive", "--size", "10", "--keep", "0", "--json", "--dry-run").json()["moved"]) == 1
    assert len(cli("archive", "--size", "9999", "--older-than", "1", "--json", "--dry-run").json()["moved"]) == 0


MANY = [legacy(f"Number {number}", f"2025-{number // 28 + 1:02}-{number % 28 + 1:02}", "Text.") for number in range(58)]


@pytest.mark.parametrize(
    ("arguments", "settings", "kept"),
    [((), "", 20), (("--keep", "5"), "", 5), ((), "[sem]\narchive-keep = 57\n", 57), (("--keep", "99"), "", 58)],
)
def test_the_newest_entries_stay_however_old(cli: Cli, arguments: tuple[str, ...], settings: str, kept: int) -> None:
    order = [*MANY[30:], *MANY[:30]]  # the newest need not be the last
    put(Path(), LOG, "# Decisions\n\n" + "".join(order))
    put(Path(), "memdown.toml", settings)
    told = cli("archive", "--older-than", "30", *arguments, "--json", "--dry-run").json()
    assert len(told["moved"]) == 58 - kept
    assert {each["reason"] for each in told["kept"]} == {f"among the newest {arguments[1] if arguments else kept}"}
    ran = cli("archive", "--older-than", "30", *arguments)
    assert titles(LOG) == [f"Number {number}" for number in (*range(30, 58), *range(30)) if number >= 58 - kept]
    lines = [line for line in ran.out.splitlines() if "among the newest" in line]
    assert lines == [
        f"{LOG}: kept {kept} old entries (among the newest {arguments[1] if arguments else kept}; --keep N changes that)"
    ]
    assert cli("archive", "--older-than", "30", *arguments, "--json").json()["moved"] == []


def test_what_belongs_to_the_file_stays(cli: Cli) -> None:
    governance = "## Governance\n\n- All meaningful changes require team consensus\n"
    put(Path(), LOG, f"# Squad Decisions\n\n## Active Decisions\n\n{''.join(MANY[:3])}{governance}")
    assert len(cli("archive", "--older-than", "30", "--keep", "0", "--json").json()["moved"]) == 3
    assert Path(LOG).read_text() == f"# Squad Decisions\n\n## Active Decisions\n\n{governance}"
    assert "Governance" not in Path(OLD_LOG).read_text()


def test_an_archive_that_git_ignores_is_told(cli: Cli) -> None:
    put(Path(), LOG, OLDER + NEWER)
    notice = f"{OLD_LOG} is ignored by git, so what is moved there leaves the repository"
    arguments = ("archive", "--older-than", "30", "--keep", "0", "--json", "--dry-run")
    assert cli(*arguments).json()["notices"] == []  # no repository
    subprocess.run(["git", "init", "-q"], check=True)
    assert cli(*arguments).json()["notices"] == []
    put(Path(), ".gitignore", "*-archive.md\n")
    ran = cli(*arguments)
    assert (ran.json()["notices"], ran.err) == ([notice], f"memdown: {notice}.\n")
    assert cli("archive", "--json", "--dry-run").json()["notices"] == []  # nothing would move
    put(Path(), ".gitignore", ".squad/\n")
    assert cli(*arguments).json()["notices"] == []  # the log is not in the repository either
    put(Path(), ".gitignore", "*-archive.md\n")
    assert cli("archive", "--older-than", "30", "--keep", "0").err == f"memdown: {notice}.\n"


def test_an_entry_that_holds_its_neighbours_apart_stays(cli: Cli) -> None:
    """Without the dated entry the next heading would be read as part of the document before it."""
    text = (
        "# Decision: Whole\n\n**Date:** 2026-01-30\n**By:** Ann\n\nText.\n\n"
        f"{legacy('Between', '2025-01-01', 'Text.')}## Next\n\nText.\n\n**By:** Ann\n**Date:** 2026-01-31\n"
    )
    put(Path(), LOG, text)
    told = cli("archive", "--keep", "0", "--older-than", "30", "--json").json()
    assert [each["reason"] for each in told["kept"]] == ["without it the text around it would be read differently"]
    assert Path(LOG).read_text() == text


@pytest.mark.corpus
def test_real_logs_lose_nothing(tmp_path: Path) -> None:
    """Entries before are entries in the log and those that moved, word for word."""
    logs = sorted((CORPUS / "sem").glob("*/.squad/decisions.md"))[:12:4]
    for number, path in enumerate(logs):
        root = tmp_path / str(number)
        before = path.read_bytes().decode("utf-8", "surrogateescape")
        put(root, LOG, before)
        told = json.loads(memdown(root, "archive", "--keep", "0", "--older-than", "10", "--json").stdout)
        after = (root / LOG).read_bytes().decode("utf-8", "surrogateescape")
        old = entries(dialects.parse(LOG, before).records)
        left = entries(dialects.parse(LOG, after).records)
        assert len(old) == len(left) + len(told["moved"]) == told["entries_before"]
        if told["moved"]:
            moved = {each["id"] for each in told["moved"]}
            archive = (root / OLD_LOG).read_bytes().decode("utf-8", "surrogateescape")
            for record in old:
                assert record.span.of(before).strip() in (archive if record.id in moved else after)
        again = json.loads(memdown(root, "archive", "--keep", "0", "--older-than", "10", "--json").stdout)
        assert again["moved"] == []


def crash_once(root: Path, seconds: float) -> None:
    entries = [canonical(f"Entry {number}", f"2025-0{number % 9 + 1}-01") for number in range(60)]
    put(root, LOG, "# Decisions\n\n" + "".join(entries) + NEWER)
    put(root, HISTORY, "# History\n\n" + "".join(entries))
    environment = {**os.environ, "MEMDOWN_NOW": "2026-02-01"}
    killed(root, seconds, "archive", "--keep", "0", "--older-than", "30", env=environment)
    Files(root, hidden=frozenset({".squad"})).recover()
    counts = [len(titles(str(root / name))) for name in (LOG, OLD_LOG, HISTORY, OLD_HISTORY)]
    assert counts in ([61, 0, 60, 0], [1, 60, 0, 60])
    memdown(root, "archive", "--keep", "0", "--older-than", "30", env=environment)
    assert titles(str(root / LOG)) == ["New"]
    assert sorted(titles(str(root / OLD_LOG))) == sorted(f"Entry {number}" for number in range(60))


@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_a_killed_run_is_whole_or_not_at_all(tmp_path: Path) -> None:
    for number in range(3):
        (root := tmp_path / str(number)).mkdir()
        crash_once(root, random.uniform(0, 0.2))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kills with a signal")
def test_many_killed_runs(tmp_path: Path) -> None:
    for number in range(60):
        (root := tmp_path / str(number)).mkdir()
        crash_once(root, random.uniform(0, 0.3))


def test_what_stays_is_named_though_the_file_has_become_small(cli: Cli) -> None:
    old = "".join(
        f"### 2024-01-{day:02}T10:00:00Z: note: Number {day}\n\n**author:** Ann\n**summary:** Number {day}\n\n{'x' * 800}\n\n"
        for day in range(1, 29)
    )
    put(Path(), LOG, f"# Decisions\n\n### Undated\n\n**By:** Ann\n\ntext\n\n{old}")
    done = cli("archive", "--dry-run", "--keep", "0", "--json").json()
    assert len(done["moved"]) == 28
    assert [each["line"] for each in done["undated"]] == [3]
