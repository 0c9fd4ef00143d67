"""`.memdown/`: the folder for what memdown derives, ignored by git from the start. Light to import, for hooks."""

import os

from memdown.errors import MemdownError, Refused, quote

STATE = ".memdown"


def make_state_folder(root: str) -> str:
    """The folder, made when it is missing."""
    folder = os.path.join(root, STATE)
    try:
        if os.path.islink(folder):
            raise Refused(f"{quote(folder)} is a symbolic link; remove it, memdown makes the folder itself")
        try:
            os.mkdir(folder)
        except FileExistsError:  # as it mostly is; another process or thread may make it at the same time
            if not os.path.isdir(folder):
                raise
        ignore = os.path.join(folder, ".gitignore")
        if not _has_text(ignore):
            _write_ignore(ignore)
    except OSError as error:
        raise MemdownError(
            f"nothing can be written in {quote(root)}: {reason(error)}; see that it may be written"
        ) from error
    return folder


def reason(error: OSError) -> str:
    """What the system reported, without the path it adds."""
    return (error.strerror or str(error)).lower()


def _has_text(path: str) -> bool:
    try:
        return os.lstat(path).st_size > 0
    except FileNotFoundError:
        return False


def _write_ignore(path: str) -> None:
    # Without a temporary file: two processes may do this at once, and both write the same two bytes.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        os.write(file, b"*\n")
    finally:
        os.close(file)
