"""What the system says has changed below the folders of memory, for a process that lives on between questions.

On Linux that is inotify, asked through ctypes. The kernel queues an event before the call returns that made the change,
so draining the queue before an answer gives every change that was complete when the question came. What it would not
tell of is not trusted to it: disks of other machines, names that share a file (hard links), and links. Then, where
there is no inotify, and when the queue ran over, `changed` says None, and whoever asks looks at all files.
"""

import ctypes
import os
import struct
import sys
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memdown.record import Record

_MODIFY, _ATTRIB, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLY_FOLDERS, _NO_LINKS, _IS_FOLDER = 0x1000000, 0x2000000, 0x40000000
_CONTENT = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE
_ASKED = _CONTENT | _DELETE_SELF | _MOVE_SELF | _ONLY_FOLDERS | _NO_LINKS
_ALL_CHANGED = _DELETE_SELF | _MOVE_SELF | _UNMOUNT | _OVERFLOW | _IGNORED
_EVENT = struct.Struct("iIII")
_READ = 1 << 16
_MOST_FOLDERS = 2_000
"""A user may watch some thousands; more folders than this are looked at."""
_MOST_NAMES = 500
"""When more files changed, looking at all of them is as fast."""
_TRUSTED_SECONDS = 60.0
"""After which all files are looked at all the same."""
_LOCAL = frozenset(
    (0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x794C7630, 0x2FC12FC1, 0xF2F52010, 0xCA451A4E, 0x858458F6)
)
"""ext, xfs, btrfs, tmpfs, overlay, zfs, f2fs, bcachefs and ramfs, by their magic numbers in statfs(2)."""


class Notifications:
    """The changes below some folders since they were asked for the last time."""

    def __init__(self) -> None:
        self._number = -1
        self._folders: dict[int, str] = {}
        self._above: dict[int, frozenset[str]] = {}
        """Folders above homes, and the names in them that lead to one."""
        self._until = 0.0
        self._late: dict[str, Sequence[Record] | None] = {}
        self.homes = self.around = ""

    def watch(self, root: str, homes: str, around: str) -> None:
        """Begin anew. What changes from now on below the homes, a line each, is told, if all of it can be.

        `around` is for who asks to remember.
        """
        self.close()
        self.homes, self.around = homes, around
        library = _library()
        if library is None:
            return
        self._number = library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._number < 0 or not self._add_all(library, root, _leading(homes.split("\n"))):
            self.close()
            return
        self._until = time.monotonic() + _TRUSTED_SECONDS

    def changed(self) -> set[str] | None:
        """Names of files that may have changed since the last call; None when any file may have."""
        changed = self._changed()
        late, self._late = self._late, {}
        return None if changed is None or len(changed) + len(late) > _MOST_NAMES else changed | late.keys()

    def late(self) -> "dict[str, Sequence[Record] | None] | None":
        """The same names, which `changed` still tells after this; with each, what whoever asks puts there of the file.

        That is None again when the file may have changed again.
        """
        changed = self._changed()
        if changed is None:
            self._until = 0.0  # what was lost now is not told again
            return None
        self._late.update(dict.fromkeys(changed))
        return self._late

    def _changed(self) -> set[str] | None:
        if not self._folders or time.monotonic() > self._until:
            return None
        found: set[str] = set()
        while True:
            try:
                data = os.read(self._number, _READ)
            except BlockingIOError:
                return found
            except OSError:
                return None
            for folder, mask, name in _events(data):
                if mask & _ALL_CHANGED or folder not in self._folders:
                    return None
                if folder in self._above and name.casefold() not in self._above[folder]:
                    continue  # beside memory
                if folder in self._above or mask & _IS_FOLDER:
                    return None
                if name.endswith(".md"):
                    found.add(f"{self._folders[folder]}{name}")

    def close(self) -> None:
        if self._number >= 0:
            os.close(self._number)
        self._number = -1
        self._folders, self._above, self._late = {}, {}, {}

    def _add_all(self, library: ctypes.CDLL, root: str, leading: dict[str, set[str]]) -> bool:
        """Watch the folders above homes, and all folders in them; whether that worked."""
        waiting: list[tuple[str, str, bool]] = [("", "", False)]
        while waiting:
            key, name, whole = waiting.pop()
            whole = whole or "" in leading[key]
            above = None if whole else leading[key]
            number = self._add(library, f"{root}/{name}")
            if number is None or len(self._folders) >= _MOST_FOLDERS:
                return False
            self._folders[number] = name
            if above is not None:
                self._above[number] = frozenset(above)
            try:
                with os.scandir(f"{root}/{name}") as entries:
                    for entry in entries:
                        lower = entry.name.casefold()
                        if entry.is_dir(follow_symlinks=False) and (above is None or lower in above):
                            waiting.append((f"{key}{lower}/", f"{name}{entry.name}/", whole))
            except OSError:
                return False
        return True

    def _add(self, library: ctypes.CDLL, path: str) -> int | None:
        given = os.fsencode(path)
        facts = (ctypes.c_long * 64)()
        if library.statfs(given, facts) or facts[0] & 0xFFFFFFFF not in _LOCAL:
            return None
        number = int(library.inotify_add_watch(self._number, given, _ASKED))
        return number if number >= 0 else None


def _leading(homes: Iterable[str]) -> dict[str, set[str]]:
    """By each folder that leads to a home, in small letters, the names in it that do; the empty one for a home."""
    found: dict[str, set[str]] = {"": set()}
    for home in homes:
        folder = ""
        for part in home.casefold().split("/"):
            found.setdefault(folder, set()).add(part)
            folder = f"{folder}{part}/"
        found.setdefault(folder, set()).add("")
    return found


def _events(data: bytes) -> Iterable[tuple[int, int, str]]:
    at = 0
    while at < len(data):
        folder, mask, _, length = _EVENT.unpack_from(data, at)
        at += _EVENT.size
        yield folder, mask, os.fsdecode(data[at : at + length].rstrip(b"\0"))
        at += length


def _library() -> ctypes.CDLL | None:
    """The C library, where it has inotify."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None, use_errno=True)
    return library if hasattr(library, "inotify_init1") and hasattr(library, "statfs") else None
