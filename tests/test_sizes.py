"""A file that is too large is left out by every command, which says so; the rest of memory is as it was."""

from pathlib import Path

import pytest

from memdown.acts.capture.keep import Keeper
from memdown.dialects import parse, relations
from memdown.errors import too_large
from memdown.index import Index
from memdown.index.hook_state import State
from memdown.index.rows import Rows
from samples import CARD, ID, put
from samples import in_process as memdown

LARGE = "memory-bank/edit_history.md"
ENTRY = "#### 10:00:00 UTC - T1: Pool of connections\n- Modified `src/db.py` - Pool {}\n\n"
SAID = f"memdown: '{LARGE}' has 1.1 MB and is not read, as the limit is 1 MB; set `max-file-megabytes = 2`"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    text = "# Edit History\n\n### 2026-01-05\n\n" + "".join(map(ENTRY.format, range(200)))
    put(tmp_path, LARGE, text + "x" * (1_153_433 - len(text)))
    put(tmp_path, f"memories/{ID}.md", CARD)
    put(tmp_path, "memdown.toml", "max-file-megabytes = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "status",
        "list",
        "search pool",
        "index",
        "check",
        "health",
        "start",
        "task list",
        "export",
        "stats",
        "check --format sarif",
        "check --diff",
    ],
)
def test_every_command_says_that_a_file_is_too_large(project: Path, command: str) -> None:
    for _ in range(2):  # the second time nothing has changed
        done = memdown(project, *command.split())
        assert done.returncode == (command.split()[0] in ("check", "health"))
        assert SAID in done.stderr
        assert done.stderr.count("is not read") == 1


def test_a_file_that_is_too_large_is_not_written(project: Path) -> None:
    before = (project / LARGE).read_bytes()
    for words in (["add", "edit", "New", "--task", "T1"], ["archive"], ["check", LARGE], ["show", f"{LARGE}:3"]):
        done = memdown(project, *words)
        assert (done.returncode, done.stdout) == (4, "")
        assert SAID in done.stderr
    assert (project / LARGE).read_bytes() == before
    assert "Pool size is 10" in memdown(project, "list").stdout
    assert memdown(project, "add", "card", "New", "--keyword", "pool", stdin="Ten connections.").returncode == 0


def test_the_doctor_says_it_too(project: Path) -> None:
    assert "has 1.1 MB and is not read" in memdown(project, "doctor").stdout


def test_what_is_said_to_do_works(project: Path) -> None:
    put(project, "memdown.toml", "max-file-megabytes = 2\n")
    text = (project / LARGE).read_text("utf-8").replace("x" * 100, "")
    entry = ENTRY.replace("{}", "{} " + "and its connections " * 30)
    days = "".join(f"### 2025-{month:02}-05\n\n" + "".join(map(entry.format, range(140))) for month in range(12, 0, -1))
    put(project, LARGE, text + days)
    assert memdown(project, "archive").returncode == 0
    assert (project / LARGE).stat().st_size < 1 << 20
    put(project, "memdown.toml", "max-file-megabytes = 1\n")
    assert "is not read" not in memdown(project, "status").stderr


def test_a_project_may_raise_the_limit(project: Path) -> None:
    put(project, "memdown.toml", "max-file-megabytes = 2\n")
    assert "journal    1 file" in memdown(project, "status").stdout
    assert "Pool 199" in memdown(project, "search", "199").stdout


def test_the_limit_is_the_size_in_bytes() -> None:
    assert too_large(1 << 20, 1) is None
    assert too_large((1 << 20) + 1, 1)


def test_a_large_file_comes_into_the_index_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    document = parse(LARGE, "### 2026-01-05\n\n" + "".join(map(ENTRY.format, range(2000))))
    assert len(document.records) == 4000
    index = Index.in_memory()
    index.clear()
    waiting: list[int] = []
    rows = Rows(index.connection, relations.expires)
    flush = rows.flush

    def noting() -> None:
        waiting.append(len(rows.waiting["record"]))
        flush()

    monkeypatch.setattr(rows, "flush", noting)
    rows.add(1, document, (0, 0, 0, 0, b"", 0))
    rows.flush()
    index.close()
    assert max(waiting) <= 1000


def test_a_message_that_would_be_too_large_a_card_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdown.acts.capture.keep.MEMORY_MEGABYTES", 1)
    put(tmp_path, f"memories/{ID}.md", CARD)
    line = '{"type": "assistant", "message": {"id": "%s", "content": "%s\\nand more"}}\n'
    transcript = put(tmp_path, "t.jsonl", line % ("a", "x" * (1 << 20)) + line % ("b", "short"))
    state = State(str(tmp_path))
    kept = Keeper(state, "s", "memories").run(str(transcript))
    state.close()
    assert kept.summary() == "1 kept, 1 too large"
    assert len(list((tmp_path / "memories").iterdir())) == 2
