"""Commits since memory was last touched, from one git process that has little time.

Where there is no git or no repository, nothing is known.
"""

import os

from memdown.homes import HOMES, NOT_CODE
from memdown.index import git_output

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Container

_COMMITS = 40
_FOLDERS = tuple(f"{home}/" for homes in HOMES.values() for home in homes)
_ENTRY = os.urandom(8).hex()
"""Begins a commit in what git prints: no title can pass for one."""
_COMMAND = ("log", f"-n{_COMMITS}", "--no-merges", "--name-only", "--relative", "-z", f"--format={_ENTRY}%cs %h %s")


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
    for entry in _log(root, seconds).split(_ENTRY)[1:]:
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
    return (git_output.output(root, _COMMAND, seconds) or b"").decode("utf-8", "replace")
