"""Changes that happen together: wished for one by one, checked all before anything is written."""

import os
from collections.abc import Callable
from pathlib import Path

from memdown import text as lossless
from memdown.errors import Exists, Invalid, MemdownError, Refused, Stale, Unreadable, quote
from memdown.store.disk import Disk, Unconfirmed, is_read_only
from memdown.store.jail import Jail, reason
from memdown.store.wal import WalChange


class Group:
    """Saves, deletions and renames. Nothing is read or written before the group ends.

    A later wish may build on an earlier one: its `over` is then the text wished for before.
    """

    def __init__(self, jail: Jail, allow: Callable[[str], None]) -> None:
        self._jail = jail
        self._allow = allow
        self._wishes: dict[str, tuple[bytes | None, bytes | None]] = {}
        self._likes: dict[str, str] = {}
        self._modes: dict[str, int] = {}

    def save(self, name: str, text: str, *, over: str | None, mode: int = 0) -> None:
        """Write a file in the place of `over`; a new one when that is None, which may have a mode of its own."""
        if mode:
            self._modes[name] = mode
        self._wish(name, None if over is None else encoded(name, over), encoded(name, text))

    def delete(self, name: str, *, over: str) -> None:
        self._wish(name, encoded(name, over), None)

    def rename(self, old: str, new: str, *, over: str) -> None:
        """Give a file another name; the new one must be free."""
        data = encoded(old, over)
        self._wish(old, data, None)
        self._wish(new, None, data)
        self._likes[new] = self._likes.get(old, old)

    def changes(self) -> list[WalChange]:
        """What has to be done, new texts before deletions, once every wish is found possible."""
        found = [self._checked(name, before, after) for name, (before, after) in self._wishes.items()]
        wanted = [change for change in found if change.before != change.after]
        self._refuse_same_file(wanted)
        self._jail.refuse_clashes(change.name for change in wanted if change.before is None)
        return sorted(wanted, key=lambda change: change.after is None)

    def _wish(self, name: str, before: bytes | None, after: bytes | None) -> None:
        self._jail.target(name)
        self._allow(name)
        if name in self._wishes:
            first, now = self._wishes[name]
            refuse_unexpected(name, now, before)
            before = first
        self._wishes[name] = (before, after)

    def _checked(self, name: str, before: bytes | None, after: bytes | None) -> WalChange:
        path = self._jail.target(name)
        now = current(name, path, self._jail.disk)
        refuse_unexpected(name, now, before)
        if before != after:
            refuse_unwritable(name, path, self._jail.disk)
        like = name if now is not None else self._likes.get(name, "")
        state = state_of(name, self._jail.path(like), self._jail.disk) if like else None
        return WalChange(name, before, after, state or self._modes.get(name))

    def _refuse_same_file(self, changes: list[WalChange]) -> None:
        """Two names of one file, through a symbolic link, would undo each other's change."""
        seen: dict[Path, str] = {}
        for change in changes:
            other = seen.setdefault(self._jail.path(change.name), change.name)
            if other != change.name:
                raise Refused(f"{quote(other)} and {quote(change.name)} are one file; change it by one of its names")


def encoded(name: str, text: str) -> bytes:
    try:
        return lossless.encode(text)
    except UnicodeEncodeError as error:
        raise Invalid(
            f"{quote(name)} would get an unpaired surrogate at {error.start}, which no file can contain; remove it"
        ) from error


def current(name: str, path: Path, disk: Disk) -> bytes | None:
    """What is in a file now; None when there is none."""
    try:
        return disk.read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(f"{quote(name)} cannot be read: {reason(error)}; fix that and try again") from error


def state_of(name: str, path: Path, disk: Disk) -> os.stat_result | None:
    """The state of a file; None when there is none."""
    try:
        return disk.stat(path)
    except OSError as error:
        raise Unreadable(f"{quote(name)} cannot be accessed: {reason(error)}; fix that") from error


def refuse_unexpected(name: str, now: bytes | None, before: bytes | None) -> None:
    if now == before:
        return
    if before is None:
        raise Exists(f"{quote(name)} exists already; choose another name, or read it and change it")
    if now is None:
        raise Stale(f"{quote(name)} is gone since it was read; look for its new name, or save it as a new file")
    raise Stale(f"{quote(name)} changed since it was read; read it again and repeat the change")


def refuse_unwritable(name: str, path: Path, disk: Disk) -> None:
    found = state_of(name, path, disk)
    if found is not None and is_read_only(found, path):
        raise Refused(f"{quote(name)} is read-only; make it writable first if it is meant to change")
    folder = path.parent
    while not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise Refused(f"{quote(name)} is refused: {quote(folder.name)} in it is a file, not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise Refused(f"cannot write {quote(name)}: its folder is read-only; check its permissions")


def unwritten(names: list[str], error: OSError) -> MemdownError:
    """The error for a person when the disk refused."""
    if isinstance(error, Unconfirmed) and len(names) == 1:  # a group is taken back
        return MemdownError(f"the change is made, but the disk did not confirm it: {reason(error)}; check the disk")
    what = quote(names[0]) + (f" and {len(names) - 1} more" if len(names) > 1 else "")
    return Refused(f"cannot write {what}: {reason(error)}; nothing was changed; fix that and try again")
