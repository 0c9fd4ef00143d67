"""Calling a program to see whether it answers: with a limit of time, in an empty folder."""

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from memdown.store.jail import reason
from memdown.text import decode

_SECONDS = 20


class ProgramAnswer(Struct, frozen=True):
    """What a program did."""

    printed: str
    fault: str
    """What went wrong; when it ended well, what it complained of."""
    code: int = 1


def answer(words: Sequence[str], given: str = "") -> ProgramAnswer:
    """What a program prints, called without a shell where there is nothing it could change.

    `{folder}` in what it is given stands for that folder.
    """
    with tempfile.TemporaryDirectory(prefix="memdown-doctor-") as folder:
        Path(folder, ".git").mkdir()  # so that no folder above is taken for the project
        try:
            done = subprocess.run(
                list(words),
                cwd=folder,
                input=given.replace("{folder}", folder.replace("\\", "/")).encode(),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ProgramAnswer("", f"does not end within {_SECONDS} s")
        except OSError as error:
            return ProgramAnswer("", f"cannot be started: {reason(error)}")
    last_line = decode(done.stderr).strip().rpartition("\n")[2]
    if done.returncode:
        return ProgramAnswer(decode(done.stdout), f"ends with exit code {done.returncode}: {last_line}")
    return ProgramAnswer(decode(done.stdout), last_line, 0)
