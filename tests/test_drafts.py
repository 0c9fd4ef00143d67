"""The draft of an update: what commits say plainly goes into one diff, in the style of the files; the rest is noted."""

import os
import subprocess
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from conftest import Ran
from memdown.memory.bank.drafts import completes, touches
from samples import put

Cli = Callable[..., Ran]
PROGRESS = """\
# Progress

## Completed
- [x] Parser — 2026-01-05

## In Progress
- [ ] Import of invoices
- [ ] Export to PDF
- [ ] Sync with the bank
  - [ ] retries

## Upcoming
- [ ] Dark mode for the report page
"""
ACTIVE = """\
# Active Context

## Current Focus
Invoices.

## Recent Changes
- Parser reads tables — 2026-01-05

## Next Steps
1. Export
"""
TECH = """\
# Tech Context

## Technology Stack
- Python 3.12
- FastAPI 0.104
- Pydantic 2.6.1, upgraded from 1.10
- Typer >= 9.0
"""
LOCK = """\
[[package]]
name = "fastapi"
version = "0.115.2"

[[package]]
name = "pydantic"
version = "2.9.0"

[[package]]
name = "typer"
version = "0.12.0"
"""
PYPROJECT = '[project]\nname = "x"\ndependencies = ["fastapi", "pydantic", "typer"]\n'


def git(root: Path, *args: str, day: int = 10) -> str:
    at = f"2026-01-{day:02}T10:00:00Z"
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "core.autocrlf=false")
    env = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    return subprocess.run(["git", *who, *args], cwd=root, env=env, check=True, capture_output=True, text=True).stdout


def commit(root: Path, title: str, *, day: int, file: str = "") -> None:
    put(root, file or f"src/on_{day}.py", f"# {title}\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", title, day=day)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    for name, text in (("progress.md", PROGRESS), ("activeContext.md", ACTIVE), ("techContext.md", TECH)):
        put(folder, f"memory-bank/{name}", text)
    put(folder, "pyproject.toml", PYPROJECT)
    commit(folder, "Start", day=8)
    return folder


def bank_of(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "memory-bank").rglob("*.md")}


def test_a_draft_is_one_diff_and_writes_nothing(cli: Cli, root: Path) -> None:
    commit(root, "feat: add import of invoices", day=11)
    commit(root, "Fix typo in export to PDF", day=12)
    commit(root, "Add sync with the bank", day=13)
    put(root, "uv.lock", LOCK)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Lock the libraries", day=14)
    before = bank_of(root)
    found = cli("update", "--draft", "--json").json()
    assert found["files"] == [f"memory-bank/{name}" for name in ("progress.md", "activeContext.md", "techContext.md")]
    changed = [
        line for line in found["diff"].split("\n") if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")
    ]
    assert changed == [
        "+- [x] Import of invoices — 2026-01-11",
        "-- [ ] Import of invoices",
        "+- Lock the libraries — 2026-01-14",
        "+- Add sync with the bank — 2026-01-13",
        "+- Fix typo in export to PDF — 2026-01-12",
        "+- feat: add import of invoices — 2026-01-11",
        "-- FastAPI 0.104",
        "+- FastAPI 0.115",
    ]
    told = "\n".join(found["notes"])
    assert "'Export to PDF'; not moved" in told
    assert "'Sync with the bank'; not moved" in told, "something inside of it is open"
    assert "Typer 9.0" in told
    assert "src/on_11.py" in told
    assert "src/on_11.py" in found["undocumented"]
    assert bank_of(root) == before


def test_what_is_applied_is_the_diff_and_one_step(cli: Cli, root: Path) -> None:
    commit(root, "Add import of invoices", day=11)
    before = bank_of(root)
    drafted = cli("update", "--draft")
    done = cli("update", "--draft", "--apply", "--json").json()
    assert done["written"] == ["memory-bank/progress.md", "memory-bank/activeContext.md"]
    after = bank_of(root)
    assert cli("undo").code == 0
    assert bank_of(root) == before
    (root.parent / "draft.patch").write_text(drafted.out, encoding="utf-8", newline="")
    git(root, "apply", "../draft.patch")
    assert bank_of(root) == after
    again = cli("update", "--draft", "--json").json()
    assert again["diff"] == ""


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
def test_other_line_ends_and_no_last_one(cli: Cli, root: Path, end: bytes) -> None:
    for name in ("progress.md", "activeContext.md"):
        path = root / "memory-bank" / name
        path.write_bytes(path.read_bytes().replace(b"\n", end).rstrip())
    git(root, "commit", "-qam", "Line ends", day=9)
    commit(root, "Add import of invoices", day=11)
    drafted = cli("update", "--draft", "--json").json()["diff"]
    assert cli("update", "--draft", "--apply").code == 0
    after = bank_of(root)
    assert after["progress.md"].count(b"\n") == after["progress.md"].count(end)
    git(root, "checkout", "-q", "--", "memory-bank")
    (root.parent / "draft.patch").write_bytes(drafted.encode())
    git(root, "apply", "../draft.patch")
    assert bank_of(root) == after


HEADINGS = ("Recent Changes", "最近更改", "Последние изменения", "Cambios recientes")
STYLES = {
    "- **2026-01-05:** Parser": "- **2026-01-11:** Add import of invoices",
    "* [2026-01-05 09:30:00] - Parser": "* [2026-01-11 10:00:00] - Add import of invoices",
    "+ Parser (5 January 2026)": "+ Add import of invoices (11 January 2026)",
    "1. Parser (2026/1/5)": "1. Add import of invoices (2026/1/11)",
    "- ✅ Parser": "- ✅ Add import of invoices — 2026-01-11",
    "[2026-01-05 09:30:00] - Parser": "[2026-01-11 10:00:00] - Add import of invoices",
    "### 2026.01.05\n* Parser": "### 2026.01.11\n* Add import of invoices",
    "### Jan 5, 2026 - Parser\n\n- Reads": "### Jan 11, 2026\n\n- Add import of invoices",
    "*   ": "*   Add import of invoices — 2026-01-11",
    "- 2026年1月5日：解析": "- 2026年1月11日：Add import of invoices",
}


@pytest.mark.parametrize(("line", "heading"), list(zip(STYLES, cycle(HEADINGS), strict=False)))
def test_a_change_is_written_as_the_others_are(cli: Cli, root: Path, line: str, heading: str) -> None:
    put(root, "memory-bank/activeContext.md", f"# X\n\n## {heading}\n{line}\n\n## Other\nText\n")
    git(root, "commit", "-qam", "Style", day=9)
    commit(root, "Add import of invoices", day=11)
    assert cli("update", "--draft", "--apply").code == 0
    text = (root / "memory-bank/activeContext.md").read_text(encoding="utf-8")
    assert f"\n{STYLES[line]}\n" in text
    assert text.startswith(f"# X\n\n## {heading}\n")
    assert text.endswith("\n\n## Other\nText\n")


def test_the_oldest_first_stays_so(cli: Cli, root: Path) -> None:
    lines = "- One — 2026-01-01\n- Two — 2026-01-02\n"
    put(root, "memory-bank/activeContext.md", f"# Active Context\n\n## Recent Changes\n{lines}")
    git(root, "commit", "-qam", "Style", day=9)
    commit(root, "Three", day=11)
    commit(root, "Four", day=12)
    assert cli("update", "--draft", "--apply").code == 0
    text = (root / "memory-bank/activeContext.md").read_text()
    assert text.endswith(f"{lines}- Three — 2026-01-11\n- Four — 2026-01-12\n")


def test_no_section_in_another_language_is_made(cli: Cli, root: Path) -> None:
    put(root, "memory-bank/activeContext.md", "# Контекст\n\n## Текущий фокус\nСчета\n")
    git(root, "commit", "-qam", "Style", day=9)
    commit(root, "Three", day=11)
    found = cli("update", "--draft", "--json").json()
    assert found["diff"] == ""
    assert "no section of recent changes" in found["notes"][0]


def test_remarks_on_a_task_are_not_moved_to_another_task(cli: Cli, root: Path) -> None:
    text = "# Progress\n\n#### Task 13: Errors (Complete)\n- Retries\n\n#### Task 14: Tests (In Progress)\n- Import of invoices\n"
    put(root, "memory-bank/progress.md", text)
    git(root, "commit", "-qam", "Style", day=9)
    commit(root, "Add import of invoices", day=11)
    found = cli("update", "--draft", "--json").json()
    assert found["files"] == ["memory-bank/activeContext.md"]
    assert "'Import of invoices'; not moved" in found["notes"][0]


def test_only_the_newest_commits_are_listed(cli: Cli, root: Path) -> None:
    for day in range(9, 24):
        commit(root, f"Number {day} # with `code` <b>", day=day)
    commit(root, "# a heading", day=24)
    found = cli("update", "--draft", "--json").json()
    assert found["diff"].count("\n+- ") == 10
    assert "+- Commit: # a heading — 2026-01-24" in found["diff"]
    assert any(note.startswith("6 older commits") for note in found["notes"])


def test_wrong_options_are_refused(cli: Cli, root: Path) -> None:
    before = bank_of(root)
    assert cli("update", "--apply").code == 2
    assert cli("update", "--draft", "--focus", "X").code == 2
    commit(root, "Add import of invoices", day=11)
    refused = cli("--mode", "ask", "update", "--draft", "--apply")
    assert "ask" in refused.err
    assert refused.code != 0
    assert bank_of(root) == before


def test_cards_of_the_memory_are_not_said_to_be_missing_in_it(cli: Cli, root: Path) -> None:
    assert cli("add", "card", "Tabs", "--content", "We use tabs in all Makefiles here.").code == 0
    commit(root, "Add import of invoices", day=11)
    notes = cli("update", "--draft", "--json").json()["notes"]
    assert any("src/on_11.py" in note for note in notes)
    assert not any("memories/" in note for note in notes)


def test_nothing_new(cli: Cli, root: Path) -> None:
    before = bank_of(root)
    assert cli("update", "--draft").out == "# Nothing changed since the memory was last touched.\nNothing to change.\n"
    assert bank_of(root) == before


def test_a_journal_gets_an_entry(cli: Cli, tmp_path: Path) -> None:
    root = tmp_path / "project"
    git(root, "init", "-q")
    put(
        root,
        "memory-bank/edit_history.md",
        "# Edit History\n\n*Last Updated: 2026-01-05 10:00:00 UTC*\n\n### 2026-01-05\n\n"
        "#### 10:00:00 UTC - T1: Parser\n- Created `src/parser.py` - Reads tables\n",
    )
    commit(root, "T1: parser", day=5, file="src/parser.py")
    commit(root, "T2: import of invoices", day=11, file="src/invoices.py")
    put(root, "src/loose.py", "1\n")
    ran = cli("update", "--draft", "--json")
    assert ran.code == 0, ran.err
    drafted = ran.json()
    added = [line for line in drafted["diff"].split("\n") if line.startswith("+- ")]
    assert added == [
        "+- Created `src/invoices.py` - import of invoices",
        "+- Created `src/loose.py` - not committed yet",
    ]
    assert "+### 2026-02-01\n" in drafted["diff"]
    assert "+#### 12:00:00 UTC - T2: import of invoices\n" in drafted["diff"]
    assert cli("update", "--draft", "--apply").code == 0
    assert cli("update", "--draft", "--json").json()["files"] == []
    assert cli("check").code == 0


@pytest.mark.parametrize(
    ("title", "item"),
    [
        ("Add import of invoices", "Import of invoices"),
        ("feat(io): implement importing invoices", "**Import invoices**: all sheets"),
        ("Finish the export to PDF with fonts, images and tables", "Export to PDF"),
        ("Write tests for the parser", "Write tests for the parser"),
        ("完成 用户登录页面", "用户登录页面"),
    ],
)
def test_a_title_that_completes(title: str, item: str) -> None:
    assert completes(title, item)


@pytest.mark.parametrize(
    ("title", "item"),
    [
        ("Start import of invoices", "Import of invoices"),
        ("Fix typo in import of invoices", "Import of invoices"),
        ("Revert import of invoices", "Import of invoices"),
        ("test: import of invoices", "Import of invoices"),
        ("Add tests for import of invoices", "Import of invoices"),
        ("Import of receipts", "Import of invoices"),
        ("Add authentication", "Authentication"),
        ("Move settings of the import of invoices page into another menu bar", "Import of invoices"),
    ],
)
def test_a_title_that_does_not(title: str, item: str) -> None:
    assert not completes(title, item)


def test_a_title_may_be_about_an_item() -> None:
    assert touches("Fix typo in import of invoices", "Import of invoices")
    assert not touches("Import of receipts", "Import of invoices")
