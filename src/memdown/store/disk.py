"""The few acts on the disk that everything here is made of; each is whole after a crash, or never was.

They raise OSError. What a name may be, and what an error means to a person, is decided above.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from memdown.errors import on_failure
from memdown.store.handles import HANDLES, at, open_folder, sync

if sys.platform == "darwin":
    import fcntl

TEMPORARY = ".memdown-"
_PLAIN_OPEN = (
    getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)
)
_READ = os.O_RDONLY | _PLAIN_OPEN | getattr(os, "O_NONBLOCK", 0)


_IN_USE = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR)
"""What a folder says that somebody else has put something into by now, or has removed."""

Like = os.stat_result | int | None
"""Whose mode and owner a new file gets, or the mode alone."""


class Unconfirmed(OSError):
    """The change is made, but the disk did not say that it will last."""


class Listed:
    """What a folder says of something in it."""

    __slots__ = ("is_file", "is_folder", "is_link", "name")

    def __init__(self, entry: "os.DirEntry[str]") -> None:
        self.name = entry.name
        self.is_link = entry.is_symlink() or (os.name == "nt" and is_link(entry.stat(follow_symlinks=False)))
        self.is_folder = entry.is_dir(follow_symlinks=False)
        self.is_file = entry.is_file(follow_symlinks=False)


class Disk:
    """The acts below one root. Paths are whole and real ones, as the jail gives them."""

    def __init__(self, root: Path | str) -> None:
        self._root = str(root)

    def open(self, path: Path | str, flags: int, mode: int = 0o666) -> int:
        """A descriptor; never through a link."""
        with at(self._root, path) as (name, handle):
            return os.open(name, flags | _PLAIN_OPEN, mode, dir_fd=handle)

    def read(self, path: Path | str, *, seen: bool = False) -> bytes:
        """The bytes of an ordinary file. Never waits: pipes and devices are refused before they are opened.

        `seen` says that the caller has just found it to be an ordinary one.
        """
        with at(self._root, path) as (name, handle):
            if not seen:
                _ordinary(os.stat(name, dir_fd=handle, follow_symlinks=False))
            descriptor = os.open(name, _READ, dir_fd=handle)
        try:
            return _content(descriptor)
        finally:
            os.close(descriptor)

    def read_folder(self, folder: Path | str, names: Iterable[str], most: int) -> dict[str, bytes]:
        """The bytes of the ordinary files among these in one folder, which is opened once for all of them.

        What is something else, is larger or cannot be read is left out: `read` says why.
        """
        found: dict[str, bytes] = {}
        if not HANDLES:
            return found
        with at(self._root, folder) as (last, above):
            handle = open_folder(last, above)
        try:
            for name in names:
                with suppress(OSError):
                    data = _small(name, handle, most)
                    if data is not None:
                        found[name] = data
        finally:
            os.close(handle)
        return found

    def stat(self, path: Path) -> os.stat_result | None:
        """The state of an ordinary file; None when there is none."""
        try:
            with at(self._root, path) as (name, handle):
                found = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        _ordinary(found)
        return found

    def listing(self, folder: Path) -> list[Listed]:
        """What is in a folder, in no order."""
        if not HANDLES or os.scandir not in os.supports_fd:
            with os.scandir(folder) as entries:
                return [Listed(entry) for entry in entries]
        with at(self._root, folder) as (name, handle):
            descriptor = open_folder(name, handle)
        try:
            with os.scandir(descriptor) as entries:
                return [Listed(entry) for entry in entries]  # while it is open: some disks are asked once more
        finally:
            os.close(descriptor)

    def write(self, path: Path, data: bytes, like: Like, note: Callable[[Path], None]) -> None:
        """Put data in the place of a file, or make it with its folders. `note` hears of the temporary file."""
        made = self.make_folders(path.parent)
        temporary = path.with_name(f"{TEMPORARY}{os.urandom(8).hex()}.tmp")
        with on_failure(partial(self.unmake, made)), at(self._root, path) as (name, handle):
            beside = str(temporary) if handle is None else temporary.name
            with on_failure(partial(_forget, beside, handle)):
                note(temporary)
                _fill(beside, handle, data, like)
                if sys.platform == "win32":
                    _replace(beside, handle, name, handle)
                else:
                    os.replace(beside, name, src_dir_fd=handle, dst_dir_fd=handle)
        self._confirm(path.parent)

    def fill(self, path: Path, data: bytes, like: Like) -> None:
        """Make a new file that is on the disk when this returns, with the mode and owner of another."""
        with at(self._root, path) as (name, handle):
            _fill(name, handle, data, like)

    def replace(self, source: Path | str, target: Path | str) -> None:
        """Rename over."""
        with at(self._root, source) as (old, here), at(self._root, target) as (new, there):
            _replace(old, here, new, there)

    def move(self, source: Path, target: Path) -> None:
        """Rename to a name that is free, and make its folders."""
        made = self.make_folders(target.parent)
        with (
            on_failure(partial(self.unmake, made)),
            at(self._root, source) as (old, here),
            at(self._root, target) as (new, there),
        ):
            os.rename(old, new, src_dir_fd=here, dst_dir_fd=there)
        self._confirm(target.parent, source.parent)

    def remove(self, path: Path) -> None:
        self.unlink(path)
        self._confirm(path.parent)

    def unlink(self, path: Path | str, *, missing_ok: bool = False) -> None:
        allowed = (FileNotFoundError, NotADirectoryError) if missing_ok else ()  # its folder may be gone too
        with suppress(*allowed), at(self._root, path) as (name, handle):
            os.unlink(name, dir_fd=handle)

    def make_folder(self, folder: Path | str) -> None:
        """Make one folder; its name is on the disk when this returns."""
        with at(self._root, folder) as (name, handle):
            os.mkdir(name, dir_fd=handle)
        with on_failure(partial(self.unmake, [folder])):
            self.sync_folder(Path(folder).parent)

    def make_folders(self, folder: Path) -> list[Path]:
        """Make what is missing; the folders made, innermost first."""
        missing: list[Path] = []
        while not folder.is_dir():
            missing.append(folder)
            folder = folder.parent
        made: list[Path] = []
        with on_failure(partial(self.unmake, made)):
            for new in reversed(missing):
                self.make_folder(new)
                made.insert(0, new)
        return made

    def unmake(self, folders: Iterable[Path | str]) -> OSError | None:
        """Remove folders that are empty, innermost first, up to the first that is not; why the disk refused it."""
        try:
            for folder in folders:
                with at(self._root, folder) as (name, handle):
                    os.rmdir(name, dir_fd=handle)
        except OSError as error:
            return None if error.errno in _IN_USE else error
        return None

    def chmod(self, path: Path, mode: int) -> None:
        """Give an ordinary file other permissions."""
        if sys.platform == "win32":
            path.chmod(mode)
            return
        descriptor = self.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            _ordinary(os.fstat(descriptor))
            os.fchmod(descriptor, mode)
        finally:
            os.close(descriptor)

    def sync_folder(self, folder: Path | str) -> None:
        """Make a rename or a new name in this folder last."""
        with at(self._root, folder) as (name, handle):
            sync(name, handle)

    def drop_temporaries(self, folder: Path) -> None:
        """Remove what writers that died left in a folder. Only under the lock: then none of them is alive."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for each in self.listing(folder):
                if is_temporary(each.name):
                    self.unlink(folder / each.name, missing_ok=True)

    def _confirm(self, *folders: Path) -> None:
        try:
            for folder in folders:
                self.sync_folder(folder)
        except OSError as error:
            raise Unconfirmed(error.errno, error.strerror) from error


def _small(name: str, handle: int, most: int) -> bytes | None:
    """The bytes of an ordinary file that is not larger than this; None for anything else."""
    seen = os.stat(name, dir_fd=handle, follow_symlinks=False)
    if not stat.S_ISREG(seen.st_mode) or seen.st_size > most:
        return None
    descriptor = os.open(name, _READ, dir_fd=handle)
    try:
        return _content(descriptor)
    finally:
        os.close(descriptor)


def _content(descriptor: int) -> bytes:
    found = os.fstat(descriptor)
    _ordinary(found)
    data = os.read(descriptor, found.st_size + 1)
    if len(data) == found.st_size:
        return data
    pieces = [data]  # it grew, or shrank, or is larger than a read gives at once
    while pieces[-1]:
        pieces.append(os.read(descriptor, 1 << 20))
    return b"".join(pieces)


def _fill(name: str, handle: int | None, data: bytes, like: Like) -> None:
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN_OPEN, 0o666, dir_fd=handle)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if like is not None:
            _resemble(descriptor, like)
        _sync(descriptor)
    finally:
        os.close(descriptor)


def _replace(old: str, here: int | None, new: str, there: int | None) -> None:
    """Rename over. On Windows another program may hold the file open for a moment: then try again."""
    for pause in (0.01, 0.02, 0.05, 0.1, 0.2) if sys.platform == "win32" else ():
        try:
            os.replace(old, new)  # noqa: PTH105 - as below
        except PermissionError:
            time.sleep(pause)
        else:
            return
    os.replace(old, new, src_dir_fd=here, dst_dir_fd=there)


def _forget(name: str, handle: int | None) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=handle)


def is_temporary(name: str) -> bool:
    return name.startswith(TEMPORARY) and name.endswith(".tmp")


def is_link(found: os.stat_result) -> bool:
    """Whether this state, taken without following, is of something that leads elsewhere."""
    if sys.platform == "win32":  # junctions lead elsewhere too
        return bool(found.st_file_attributes & stat.FILE_ATTRIBUTE_REPARSE_POINT)
    return stat.S_ISLNK(found.st_mode)


def is_read_only(found: os.stat_result, path: Path) -> bool:
    """Whether its owner marked a file as not to be written, which the administrator's rights do not undo."""
    return not found.st_mode & 0o222 or not os.access(path, os.W_OK)


def _ordinary(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not an ordinary file")


def _resemble(descriptor: int, like: os.stat_result | int) -> None:
    if sys.platform == "win32":
        return
    if isinstance(like, int):
        os.fchmod(descriptor, like)
        return
    own = os.fstat(descriptor)
    if (own.st_uid, own.st_gid) != (like.st_uid, like.st_gid):
        with suppress(PermissionError):  # only an administrator may give files away; the text matters more
            os.fchown(descriptor, like.st_uid, like.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(like.st_mode))


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":  # there, fsync stops at the drive's own cache
        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:
            os.fsync(descriptor)
    else:
        os.fsync(descriptor)
