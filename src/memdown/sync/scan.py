"""The state of all folders that may hold memory, as one value: when it is what it was, no file has changed.

It takes in more than memory, every Markdown file whatever its name, so that the rules of which names are memory need
not be applied to ten thousand files to learn that nothing happened. Imports next to nothing.
"""

import marshal
import os
import time
from collections.abc import Iterable

SETTINGS = ("memdown.toml", "pyproject.toml")
Tree = dict[str, "Tree"]
State = tuple[int, int, int, int]
"""Size, time of change and of status change in nanoseconds, inode."""


class Scan:
    """What is on the disk below the homes. Not `simple` when links are there, or something could not be looked at."""

    def __init__(self, root: str, homes: Iterable[str]) -> None:
        self.simple = True
        self.started = time.time_ns()
        self.states: dict[str, State] = {}
        self._folders: list[str] = []
        try:
            self._look(root, "", _tree(homes))
        except (OSError, ValueError):  # the walk that follows tells which folder it was
            self.simple = False

    def signature(self) -> bytes:
        """Equal for equal states."""
        flat: list[object] = [*self._folders, ""]
        for name, state in self.states.items():
            flat.append(name)
            flat += state
        return marshal.dumps(flat, 2)  # later versions of the format write equal values in more than one way

    def _look(self, path: str, name: str, homes: Tree) -> None:
        """Go down to the homes, in whatever spelling they are on disk."""
        for entry in _entries(path):
            inner = homes.get(entry.name.casefold())
            if inner is None:
                continue
            if entry.is_symlink():
                self.simple = False
            elif entry.is_dir():
                below = f"{name}{entry.name}/"
                if "" in inner:
                    self._enter(entry.path, below)
                if len(inner) > ("" in inner):
                    self._look(entry.path, below, inner)

    def _enter(self, path: str, name: str) -> None:
        waiting = [(path, name)]
        states = self.states
        while waiting:
            path, name = waiting.pop()
            self._folders.append(name)
            for entry in _entries(path):
                if entry.is_symlink():
                    self.simple = False
                elif entry.is_dir():
                    waiting.append((entry.path, f"{name}{entry.name}/"))
                elif entry.name.endswith(".md"):
                    states[name + entry.name] = state_of(entry.stat(follow_symlinks=False))


def state_of(found: os.stat_result) -> State:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def settings(root: str) -> str:
    """The state of the files that may set something; equal when nothing was set anew."""
    found = []
    for name in SETTINGS:
        try:
            found.append(repr(state_of(os.stat(f"{root}/{name}"))))  # noqa: PTH116 - see above
        except OSError:
            found.append("-")
    return " ".join(found)


def _tree(homes: Iterable[str]) -> Tree:
    """Homes by their parts; the empty part marks the end of one."""
    tree: Tree = {}
    for home in homes:
        inner = tree
        for part in home.split("/"):
            if part in ("", ".", "..") or not part.isascii():  # a name that disks may spell in other ways
                raise ValueError(home)
            inner = inner.setdefault(part.casefold(), {})
        inner[""] = {}
    return tree


def _entries(path: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
