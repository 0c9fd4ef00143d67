"""What one git prints that has little time, for hooks: they cannot afford to load what `memdown.git` needs."""

import os
import select

from memdown import homes
from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    import pathlib
    import subprocess

    from memdown.git import process
else:
    pathlib, subprocess = LazyModule("pathlib"), LazyModule("subprocess")
    process = LazyModule("memdown.git.process")

_SIZE = 1 << 16
_LEAST_SECONDS = 0.15
"""How long git may be silent in any case."""
_READING = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}


def output(root: str, args: tuple[str, ...], seconds: float) -> bytes | None:
    """What git prints in a folder; None where there is none, it fails, or says nothing for so many seconds."""
    seconds = max(seconds, _LEAST_SECONDS)
    if homes.working_tree(root) is None:
        return None
    if not hasattr(os, "posix_spawnp"):
        return _run(root, args, seconds)
    out, into = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    command = [*homes.git_words(root), *args]
    places = [(os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, into, 1), (os.POSIX_SPAWN_DUP2, nothing, 2)]
    try:
        child = os.posix_spawnp("git", command, {**os.environ, **_READING}, file_actions=places)
    except OSError:
        os.close(out)
        return None
    finally:
        os.close(into)
        os.close(nothing)
    data, whole = _read(out, seconds)
    os.close(out)
    if not whole:  # it is still at work, and may wait for ever for what it reads
        os.kill(child, 9)
    try:
        status = os.waitpid(child, 0)[1]
    except ChildProcessError:
        status = 0  # who started us takes no notice of children, and so git's is gone
    return data if whole and status == 0 else None


def _read(out: int, seconds: float) -> tuple[bytes, bool]:
    """What came within the time, and whether that was all."""
    data = bytearray()
    while select.select([out], [], [], seconds)[0]:
        more = os.read(out, _SIZE)
        if not more:
            return bytes(data), True
        data += more
    return bytes(data), False


def _run(root: str, args: tuple[str, ...], seconds: float) -> bytes | None:
    try:
        done = process.run(pathlib.Path(root), *args, seconds=seconds, is_reading=True)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
