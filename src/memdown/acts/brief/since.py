"""Commits since memory was last touched, from one git process that has little time.

A hook cannot afford to load what `memdown.git` needs. Where there is no git, no repository or no `posix_spawn`, nothing
is known.
"""

import os
import select

from memdown.homes import HOMES, NOT_CODE

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Container

_COMMITS = 40
_FOLDERS = tuple(f"{home}/" for homes in HOMES.values() for home in homes)
_SIZE = 1 << 16
_COMMAND = ("git", "log", f"-n{_COMMITS}", "--no-merges", "--name-only", "--relative", "-z", "--format=%x01%cs %h %s")


class LastCommits:
    """What git knows of the time since memory was last touched."""

    __slots__ = ("commits", "day", "files", "title")

    def __init__(self) -> None:
        self.day = self.title = ""
        """Of the last commit; empty where none is known."""
        self.commits: list[str] = []
        """Those that came after the last one that touched a file of memory, the newest first."""
        self.files = 0


def since(root: str, memory: "Container[str]", seconds: float) -> LastCommits:
    """The last commits, asked once; none where git says nothing for so many seconds."""
    found = LastCommits()
    files: set[str] = set()
    for entry in _log(root, seconds).split("\x01")[1:]:
        head, _, names = entry.partition("\0")
        day, _, commit = head.partition(" ")
        if not found.day:
            found.day, found.title = day, commit.partition(" ")[2]
        touched = {name.lstrip("\n") for name in names.split("\0") if name.strip()}
        if any(name in memory or _was_memory(name) for name in touched):
            found.files = len(files)
            return found
        if touched := touched - NOT_CODE:
            found.commits.append(commit)
            files |= touched
    found.commits = []  # memory is not in these commits at all: nobody can say since when
    return found


def _was_memory(name: str) -> bool:
    """Whether a file that the index does not have, since it is gone or only kept, belongs to memory."""
    return name.endswith(".md") and name.startswith(_FOLDERS)


def _log(root: str, seconds: float) -> str:
    if not hasattr(os, "posix_spawnp") or not _is_in_repository(root):
        return ""
    out, into = os.pipe()
    nothing = os.open(os.devnull, os.O_RDWR)
    command = [*_COMMAND[:1], "-C", root, *_COMMAND[1:]]
    places = [(os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, into, 1), (os.POSIX_SPAWN_DUP2, nothing, 2)]
    try:
        child = os.posix_spawnp("git", command, {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}, file_actions=places)
    except OSError:
        os.close(out)
        return ""
    finally:
        os.close(into)
        os.close(nothing)
    data, whole = _read(out, seconds)
    os.close(out)
    if not whole:  # it is still at work, and may wait for ever for what it reads
        os.kill(child, 9)
    os.waitpid(child, 0)
    return data.decode("utf-8", "replace") if whole else ""


def _is_in_repository(folder: str) -> bool:
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _read(out: int, seconds: float) -> tuple[bytes, bool]:
    """What came within the time, and whether that was all."""
    data = b""
    while select.select([out], [], [], seconds)[0]:
        more = os.read(out, _SIZE)
        if not more:
            return data, True
        data += more
    return data, False
