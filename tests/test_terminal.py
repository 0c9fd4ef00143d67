"""On a terminal: colours unless NO_COLOR says no, and progress for work that takes longer than a second."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samples import CARD, ID, put

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are of POSIX systems", allow_module_level=True)

import pty


def on_terminal(command: list[str], cwd: Path, **extra: str) -> str:
    """What a command shows on a terminal, standard output and standard error together."""
    main, terminal = pty.openpty()
    env = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, *command], cwd=cwd, stdin=terminal, stdout=terminal, stderr=terminal,
        env={**env, "TERM": "xterm", **extra},
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    try:
        while piece := os.read(main, 65536):
            shown += piece
    except OSError:
        pass  # Linux tells the end of a terminal as an error
    os.close(main)
    process.wait(60)
    return shown.decode()


def test_colours_on_a_terminal_only_and_not_with_no_color(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD.replace("subject: Pool size is 10\n", ""))
    assert "\x1b[31merror" in on_terminal(["-m", "memdown", "check"], tmp_path)
    assert "\x1b" not in on_terminal(["-m", "memdown", "check"], tmp_path, NO_COLOR="1")
    assert "\x1b" not in on_terminal(["-m", "memdown", "check"], tmp_path, TERM="dumb")


def test_progress_is_shown_after_a_second_and_wiped_away(tmp_path: Path) -> None:
    script = (
        "import time; from memdown.surfaces.cli.common import Session\n"
        "session = Session(None, json=False, quiet=False)\n"
        "for name in session._progress(['a', 'b', 'c'], 'reading'): time.sleep(0.7)\n"
    )
    shown = on_terminal(["-c", script], tmp_path)
    assert "\rreading 3 of 3" in shown
    assert shown.endswith("\r\x1b[K")


def test_quick_work_shows_no_progress(tmp_path: Path) -> None:
    put(tmp_path, f"memories/{ID}.md", CARD)
    assert "reading" not in on_terminal(["-m", "memdown", "list"], tmp_path)
