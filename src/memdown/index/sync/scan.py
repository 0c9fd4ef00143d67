"""The state of all folders that may hold memory, as one value: when it is what it was, no file has changed.

It takes in more than memory, every Markdown file whatever its name, so that the rules of which names are memory need
not be applied to ten thousand files to learn that nothing happened. Imports next to nothing.
"""

import marshal
import os
import time
from collections.abc import Callable, Iterable
from operator import attrgetter

from memdown.homes import bundle_parts, bundles, git_folder, nested

_BY_NUMBER = os.scandir in os.supports_fd
"""Whether a folder can be read by its descriptor: looking at a file in it then takes half the time."""

_KIND, _FILE = 0o170000, 0o100000
"""Of a mode, the part that tells what it is, and what it is for a file."""

SETTINGS = ("memdown.toml", "pyproject.toml")
Tree = dict[str, "Tree"]
State = tuple[int, int, int, int]
"""Size, time of change and of status change in nanoseconds, inode."""
state_of: "Callable[[os.stat_result], State]" = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


class Scan:
    """What is on the disk below the homes. Not `simple` when links are there, or something could not be looked at."""

    def __init__(self, root: str, homes: Iterable[str]) -> None:
        self.simple = True
        self.shared = False
        """Whether a file has a second name, by which it may change without a word to who watches the first."""
        self.started = time.time_ns()
        self._folders: list[tuple[str, list[tuple[str, State]]]] = []
        try:
            self._look(root, "", _tree(homes))
        except (OSError, ValueError):  # the walk that follows tells which folder it was
            self.simple = False

    def states(self) -> dict[str, State]:
        """The state of every Markdown file, by its name in the root."""
        return {f"{folder}{name}": state for folder, files in self._folders for name, state in files}

    def signature(self) -> bytes:
        """Equal for equal states."""
        return marshal.dumps(self._folders, 2)  # later versions of the format write equal values in more than one way

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
        while waiting:
            path, name = waiting.pop()
            files: list[tuple[str, State]] = []
            self._folders.append((name, files))
            number = os.open(path, os.O_RDONLY) if _BY_NUMBER else None
            try:
                with os.scandir(path if number is None else number) as entries:
                    for entry in entries:
                        if entry.name.endswith(".md"):
                            found = entry.stat(follow_symlinks=False)
                            if found.st_mode & _KIND == _FILE:
                                files.append((entry.name, state_of(found)))
                                if found.st_nlink > 1:
                                    self.shared = True
                                continue
                        if entry.is_symlink():
                            self.simple = False
                        elif entry.is_dir():
                            waiting.append((f"{path}/{entry.name}", f"{name}{entry.name}/"))
                        elif entry.name.endswith(".md"):
                            self.simple = False  # a pipe or the like, of which the walk tells
            finally:
                if number is not None:
                    os.close(number)


def settings(root: str) -> str:
    """The state of the files that may set something, and the folders that say themselves what they are."""
    found = [*bundles(root), *bundle_parts(root), *nested(root)]
    for name in SETTINGS:
        try:
            found.append(repr(state_of(os.stat(f"{root}/{name}"))))  # noqa: PTH116 - see above
        except OSError:
            found.append("?" if os.path.islink(f"{root}/{name}") else "-")  # noqa: PTH114 - see above
    return " ".join(found)


def history(root: str) -> str:
    """Another value after every commit, merge, pull or change of branch; empty where git does not tell."""
    try:
        return repr(state_of(os.stat(f"{git_folder(root) or '-'}/logs/HEAD"))[:2])  # noqa: PTH116 - see above
    except (OSError, ValueError):
        return ""


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
