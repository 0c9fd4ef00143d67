"""Runs git, and gives up where it does not end: what it opens may be a pipe that nobody writes to."""

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from memdown import homes
from memdown.lazy import LazyModule
from memdown.text import decode

if TYPE_CHECKING:
    import subprocess

    Done = subprocess.CompletedProcess[bytes]
else:
    subprocess = LazyModule("subprocess")

ENTRY, FIELD = os.urandom(8).hex(), os.urandom(8).hex()
"""What git is told to print before each entry of a list and between its fields. Names, titles and authors come from
others, who would pass for an entry or a field of their own if they knew what to write."""
_SECONDS = 60
_SOON = 8
"""Seconds after which git is asked where its folder is: it answers that at once, or never anything."""
_GIVEN_UP = 300
"""Seconds for which a folder whose repository does not answer is taken for one without git."""
_silent: dict[str, float] = {}
"""Until when, by folder."""


def output(root: Path, *args: str, given: bytes = b"") -> str:
    """What a command of git prints; nothing when there is no git, or it has nothing to say."""
    if _silent and time.monotonic() < _silent.get(str(root), 0):
        return ""
    line = command_line(root, "--no-optional-locks", *args)
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    try:
        with subprocess.Popen(line, env=reading(), stdin=pipe, stdout=pipe, stderr=nowhere) as process:
            try:
                printed = _printed(process, root, given)
            finally:
                process.kill()  # which does nothing to one that has ended
    except (OSError, subprocess.TimeoutExpired):  # it cannot be started, or does not end
        return ""
    return decode(printed) if process.returncode == 0 else ""


def _printed(process: "subprocess.Popen[bytes]", root: Path, given: bytes) -> bytes:
    try:
        return process.communicate(given, timeout=_SOON)[0]
    except subprocess.TimeoutExpired:
        _ask_where(root)
        return process.communicate(timeout=_SECONDS - _SOON)[0]


def _ask_where(root: Path) -> None:
    """Raise `TimeoutExpired` where git does not answer even this, and ask it nothing more for a while."""
    try:
        run(root, "rev-parse", "--git-dir", seconds=_SOON)
    except subprocess.TimeoutExpired:
        _silent[str(root)] = time.monotonic() + _GIVEN_UP
        raise


def run(root: Path, *args: str, seconds: float | None = None, given: bytes = b"", is_reading: bool = False) -> "Done":
    """Run a command of git; what it printed, and how it ended."""
    around = reading() if is_reading else None
    return subprocess.run(
        command_line(root, *args), capture_output=True, input=given, env=around, timeout=seconds, check=False
    )


def command_line(root: Path, *args: str) -> list[str]:
    return [*homes.git_words(str(root)), *args]


def reading() -> dict[str, str]:
    """What a clone left out is not fetched: reading does not go over the network."""
    return os.environ | {"GIT_NO_LAZY_FETCH": "1"}
