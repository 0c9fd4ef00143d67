"""Paths below a root, reached folder by folder: a link that takes the place of one on the way is never followed.

The jail looks at a path, and somebody may swap a folder for a link before it is used. So each folder is opened from the
one before it, and what is done there is done relative to the last. Where a system has no such calls, as Windows, the
whole path is used at once. Light to import, for hooks.
"""

import errno
import os
import stat

from memdown.errors import on_failure

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from pathlib import Path

HANDLES = {os.open, os.stat, os.mkdir, os.rename, os.unlink, os.rmdir} <= os.supports_dir_fd
_LISTED = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | _NO_LINK | _LISTED
"""A folder that may be passed through need not be one that may be listed, where the system tells them apart."""


class at:
    """The folder of a path below a root, open in the block, and the name there; without handles None and the path."""

    __slots__ = ("_handle", "_path", "_root")

    def __init__(self, root: str, path: "Path | str") -> None:
        self._root = root
        self._path = str(path)
        self._handle: int | None = None

    def __enter__(self) -> tuple[str, int | None]:
        if not HANDLES:
            return self._path, None
        *folders, name = _below(self._root, self._path)
        handle = os.open(self._root, _FOLDER & ~_NO_LINK)  # how the root is reached is the person's affair
        with on_failure(lambda: os.close(handle)):
            for folder in folders:
                inner = _entered(folder, handle)
                os.close(handle)
                handle = inner
        self._handle = handle
        return name, handle

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)


def _below(root: str, path: str) -> list[str]:
    """The parts of a path; the root itself is `.`."""
    if path == root:
        return ["."]
    above = root if root.endswith(os.sep) else root + os.sep
    parts = path[len(above) :].split(os.sep)  # noqa: PTH206 - a hook cannot afford pathlib
    if not path.startswith(above) or ".." in parts:
        raise OSError(errno.EXDEV, f"it is not below {root}")
    return parts


def _entered(folder: str, handle: int) -> int:
    try:
        return os.open(folder, _FOLDER, dir_fd=handle)
    except NotADirectoryError:  # a file is no folder; that a link is none either is worth another word
        refuse_link(folder, handle)
        raise


def refuse_link(name: str, handle: int | None) -> None:
    """Say so when a link is what stands in the way."""
    if stat.S_ISLNK(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
        raise OSError(errno.ELOOP, "a symbolic link took its place meanwhile")


def open_folder(name: str, handle: int | None) -> int:
    """A folder to be listed or synced."""
    return os.open(name, os.O_RDONLY | _NO_LINK | _LISTED, dir_fd=handle)


def sync(name: str, handle: int | None) -> None:
    """Make a rename or a new name in this folder last. Windows does so by itself."""
    if os.name == "nt":
        return
    descriptor = open_folder(name, handle)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems cannot
            raise
    finally:
        os.close(descriptor)
