"""The ledger of what was sent to assistants, and that no file of the store stays open."""

import os
import stat
from pathlib import Path

import pytest

from memdown.errors import Unreadable
from memdown.store import Files, ledger, locks
from memdown.store.disk import Disk
from memdown.store.outside import files_below, read_any
from memdown.store.state import make_state_folder


@pytest.fixture
def state(tmp_path: Path) -> str:
    return make_state_folder(str(tmp_path))


def costs(state: str) -> list[tuple[str, str, str, int]]:
    return [(each.session, each.surface, each.name, each.tokens) for each in ledger.read(state)]


def test_what_is_noted_is_read_in_order(state: str) -> None:
    ledger.note(state, "s1", "hook", "SessionStart", 0)
    ledger.note(state, "s2", "mcp", "search", 12)
    assert costs(state) == [("s1", "hook", "SessionStart", 0), ("s2", "mcp", "search", 12)]


def test_names_are_cut_and_cannot_make_other_cells_or_lines(state: str) -> None:
    ledger.note(state, "", "mcp", "a\tb\nc" + "x" * 100, 1)
    assert costs(state) == [("-", "mcp", "a b c" + "x" * 75, 1)]


@pytest.mark.parametrize("line", ["", "a\tb\tc\td", "a\tb\tc\td\te", "a\tb\tc\td\t1\tf", "a\tb\tc\td\t-1"])
def test_lines_that_are_none_are_passed_over(state: str, line: str) -> None:
    Path(state, ledger.NAME).write_text(f"{line}\n", "utf-8")
    ledger.note(state, "s", "hook", "Stop", 5)
    assert costs(state) == [("s", "hook", "Stop", 5)]


def test_a_full_ledger_is_put_aside_and_still_read(state: str) -> None:
    path = Path(state, "lines")
    ledger.append(str(path), "1234", 5)
    assert path.read_text() == "1234\n"  # as large as it may be
    ledger.append(str(path), "5", 5)
    assert not path.exists()
    assert Path(state, "lines.1").read_text() == "1234\n5\n"
    ledger.note(state, "s1", "hook", "Stop", 1)
    Path(state, ledger.NAME).rename(Path(state, f"{ledger.NAME}.1"))
    ledger.note(state, "s2", "hook", "Stop", 2)
    assert [each[3] for each in costs(state)] == [1, 2]


def test_a_folder_in_its_place_is_named(state: str) -> None:
    Path(state, ledger.NAME).mkdir()
    with pytest.raises(Unreadable, match="not an ordinary file"):
        ledger.read(state)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts the files that are open")
def test_no_file_stays_open(tmp_path: Path) -> None:
    def work(number: int) -> None:
        root = tmp_path / str(number)
        root.mkdir()
        state = make_state_folder(str(root))
        ledger.note(state, "s", "hook", "Stop", 1)
        ledger.read(state)
        files = Files(root)
        files.save("a/note.md", "One.\n", over=None)
        assert files.read("a/note.md") == "One.\n"
        disk = Disk(root)
        disk.chmod(root / "a/note.md", 0o600)
        assert stat.S_IMODE((root / "a/note.md").stat().st_mode) == 0o600
        assert read_any(root / "a/note.md") == "One.\n"
        with files.lock():
            assert locks.holder(root)
        assert locks.holder(root) is None
        assert locks.fault_of(root / "locked") == ""

    work(0)
    opened = len([*Path("/proc/self/fd").iterdir()])
    for number in range(1, 4):
        work(number)
    assert len([*Path("/proc/self/fd").iterdir()]) == opened


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="needs a file that does not say its size")
def test_a_file_is_read_to_its_end_whatever_size_it_says() -> None:
    assert "Threads:" in read_any(Path("/proc/self/status"))


def test_files_below_a_folder_are_those_of_memory(tmp_path: Path) -> None:
    for name in ("b.md", "a/Z.MD", "a/c.txt", ".git/x.md", ".memdown/y.md", "a/.git/z.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x", "utf-8")
    assert files_below(str(tmp_path)) == [str(tmp_path / "b.md"), str(tmp_path / "a/Z.MD")]
    assert files_below(str(tmp_path / "b.md")) == [str(tmp_path / "b.md")]
    assert files_below("no\0path") == ["no\0path"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_what_is_no_file_is_not_taken_for_one_that_is_missing(tmp_path: Path) -> None:
    files = Files(tmp_path)
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    assert not files.exists("folder.md")
    assert not files.exists("none.md")
    with pytest.raises(Unreadable):
        files.exists("pipe.md")
    with pytest.raises(OSError, match=r"."):
        Disk(tmp_path).chmod(tmp_path / "pipe.md", 0o600)
