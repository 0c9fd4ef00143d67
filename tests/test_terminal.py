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


def on_terminal(command: list[str], cwd: Path, keys: bytes = b"", **extra: str) -> str:
    """What a command shows on a terminal, standard output and standard error together."""
    main, terminal = pty.openpty()
    os.write(main, keys)
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


def progress(seconds_each: float) -> list[str]:
    """A script that goes through three names while the clock moves on so much for each."""
    script = (
        "from memdown.surfaces.cli import common\n"
        "class Clock:\n"
        "    now = 0.0\n"
        "    def monotonic(self): return self.now\n"
        "common.time = clock = Clock()\n"
        "session = common.Invocation(None, json=False, quiet=False)\n"
        f"for name in session._progress(['a', 'b', 'c'], 'reading'): clock.now += {seconds_each}\n"
    )
    return ["-c", script]


def test_progress_is_shown_after_a_second_and_wiped_away(tmp_path: Path) -> None:
    shown = on_terminal(progress(0.7), tmp_path)
    assert "\rreading 3 of 3" in shown
    assert shown.endswith("\r\x1b[K")


def test_quick_work_shows_no_progress(tmp_path: Path) -> None:
    assert on_terminal(progress(0.3), tmp_path) == ""


def test_colours_of_a_file_are_not_ours(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n### 2026-01-01: Pool \x1b[31mred\n**By:** Ann\n")
    shown = on_terminal(["-m", "memdown", "show", "Pool"], tmp_path)
    assert "\\x1b[31mred" in shown
    assert "\x1b[31m" not in shown
