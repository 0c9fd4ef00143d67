"""`.memdown/`: the folder for what memdown derives, ignored by git from the start. Light to import, for hooks."""

import errno
import os

from memdown.errors import Refused, quote
from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from memdown.store import handles
else:
    handles = LazyModule("memdown.store.handles")

STATE = ".memdown"
HOOKS = "hooks.db"
"""What hooks remember, in that folder."""
_HANDLES = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)


class entry:
    """The folder of a file in `.memdown/`, open in the block, and the name there; without handles None and the path.

    A link in the place of the folder is an error. What is deeper below the root is reached by `handles.at`.
    """

    __slots__ = ("_handle", "_path")

    def __init__(self, path: str) -> None:
        self._path = path
        self._handle: int | None = None

    def __enter__(self) -> tuple[str, int | None]:
        if not _HANDLES:
            return self._path, None
        folder, name = os.path.split(self._path)
        self._handle = os.open(folder, _FOLDER | getattr(os, "O_NOFOLLOW", 0))
        return name, self._handle

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            os.close(self._handle)


def make_state_folder(root: str) -> str:
    """The folder, made when it is missing."""
    folder = os.path.join(root, STATE)
    try:
        if os.path.islink(folder):
            raise Refused(f"{quote(folder)} is a symbolic link; remove it, memdown recreates the folder")
        try:
            os.mkdir(folder)
            with handles.at(root, root) as place:
                handles.sync(*place)  # else a power cut takes the folder, and all that was decided in it
        except FileExistsError:  # as it mostly is; another process or thread may make it at the same time
            if not os.path.isdir(folder):
                raise
        hide_from_git(root, folder)
    except OSError as error:
        raise Refused(f"cannot write to {quote(root)}: {reason(error)}; {way_on(error)}") from error
    return folder


def hide_from_git(root: str, folder: str) -> None:
    """Have git ignore all that is in a folder, unless it has rules of its own."""
    ignore = os.path.join(folder, ".gitignore")
    if not _has_text(ignore):
        _write_ignore(root, ignore)


def reason(error: OSError) -> str:
    """What the system reported, without the path it adds."""
    return (error.strerror or str(error)).lower()


def way_on(error: OSError) -> str:
    """What to do where a folder cannot be written."""
    return "free some space" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "check its permissions"


def _has_text(path: str) -> bool:
    try:
        return os.lstat(path).st_size > 0
    except FileNotFoundError:
        return False


def _write_ignore(root: str, path: str) -> None:
    # Without a temporary file: two processes may do this at once, and both write the same two bytes.
    with handles.at(root, path) as (name, handle):
        flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        file = os.open(name, flags, 0o666, dir_fd=handle)
    try:
        os.write(file, b"*\n")
    finally:
        os.close(file)
