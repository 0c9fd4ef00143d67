"""The few acts on the disk that everything here is made of; each is whole after a crash, or never was.

They raise OSError. What a name may be, and what an error means to a person, is decided above.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from memdown.errors import on_failure

if sys.platform == "darwin":
    import fcntl

TEMPORARY = ".memdown-"
_PLAIN_OPEN = (
    getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NOCTTY", 0)
)


class Unconfirmed(OSError):
    """The change is made, but the disk did not say that it will last."""


def read(path: Path | str, *, seen: bool = False) -> bytes:
    """The bytes of an ordinary file. Never waits: pipes and devices are refused before they are opened.

    `seen` says that the caller has just found it to be an ordinary one.
    """
    if not seen:
        _ordinary(os.stat(path))  # noqa: PTH116 - takes both, and an index reads ten thousand names
    descriptor = os.open(path, os.O_RDONLY | _PLAIN_OPEN | getattr(os, "O_NONBLOCK", 0))
    try:
        found = os.fstat(descriptor)
        _ordinary(found)
        data = os.read(descriptor, found.st_size + 1)
        if len(data) == found.st_size:
            return data
        pieces = [data]  # it grew, or shrank, or is larger than a read gives at once
        while pieces[-1]:
            pieces.append(os.read(descriptor, 1 << 20))
        return b"".join(pieces)
    finally:
        os.close(descriptor)


def stat_of(path: Path) -> os.stat_result | None:
    """The state of an ordinary file; None when there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    _ordinary(found)
    return found


def write(path: Path, data: bytes, like: os.stat_result | None, note: Callable[[Path], None]) -> None:
    """Put data in the place of a file, or make it with its folders. `note` hears of the temporary file."""
    made = make_folders(path.parent)
    temporary = path.with_name(f"{TEMPORARY}{os.urandom(8).hex()}.tmp")
    with on_failure(partial(unmake, made)), on_failure(partial(temporary.unlink, missing_ok=True)):
        note(temporary)
        fill(temporary, data, like)
        if sys.platform == "win32":
            replace(temporary, path)
        else:
            temporary.replace(path)
    _confirm(path.parent)


def fill(path: Path, data: bytes, like: os.stat_result | None) -> None:
    """Make a new file that is on the disk when this returns, with the mode and owner of another."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _PLAIN_OPEN, 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if like is not None:
            _resemble(descriptor, like)
        _sync(descriptor)
    finally:
        os.close(descriptor)


def replace(source: Path, target: Path) -> None:
    """Rename over. On Windows another program may hold the file open for a moment: then try again."""
    for pause in (0.01, 0.02, 0.05, 0.1, 0.2) if sys.platform == "win32" else ():
        try:
            source.replace(target)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    source.replace(target)


def move(source: Path, target: Path) -> None:
    """Rename to a name that is free, and make its folders."""
    made = make_folders(target.parent)
    with on_failure(partial(unmake, made)):
        source.rename(target)
    _confirm(target.parent, source.parent)


def remove(path: Path) -> None:
    path.unlink()
    _confirm(path.parent)


def make_folders(folder: Path) -> list[Path]:
    """Make what is missing; the folders made, innermost first."""
    missing: list[Path] = []
    while not folder.is_dir():
        missing.append(folder)
        folder = folder.parent
    made: list[Path] = []
    with on_failure(partial(unmake, made)):
        for new in reversed(missing):
            new.mkdir()
            made.insert(0, new)
            sync_folder(new.parent)
    return made


def unmake(folders: list[Path]) -> None:
    """Take back folders made for a file that was not; innermost first."""
    with suppress(OSError):  # someone else uses them by now
        for folder in folders:
            folder.rmdir()


def sync_folder(folder: Path) -> None:
    """Make a rename or a new name in this folder last. Windows does so by itself."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot
            raise
    finally:
        os.close(descriptor)


def drop_temporaries(folder: Path) -> None:
    """Remove what writers that died left in a folder. Only under the lock: then none of them is alive."""
    try:
        names = [name for name in os.listdir(folder) if is_temporary(name)]  # noqa: PTH208
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        (folder / name).unlink(missing_ok=True)


def is_temporary(name: str) -> bool:
    return name.startswith(TEMPORARY) and name.endswith(".tmp")


def is_read_only(found: os.stat_result, path: Path) -> bool:
    """Whether its owner marked a file as not to be written, which the administrator's rights do not undo."""
    return not found.st_mode & 0o222 or not os.access(path, os.W_OK)


def _confirm(*folders: Path) -> None:
    try:
        for folder in folders:
            sync_folder(folder)
    except OSError as error:
        raise Unconfirmed(error.errno, error.strerror) from error


def _ordinary(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not an ordinary file")


def _resemble(descriptor: int, like: os.stat_result) -> None:
    if sys.platform == "win32":
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
