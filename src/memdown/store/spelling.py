"""Folders by the names they have on disk: people write Memory-Bank where memory-bank is meant."""

import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

_Listed = dict[str, tuple[frozenset[str], dict[str, str]]]
"""By folder: the names in it, and by each in small letters the first that is spelled so."""


def spelled(root: Path, folders: Iterable[str]) -> dict[str, str | None]:
    """Each folder below a root in the spelling it has on disk; None for one that is not there."""
    listed: _Listed = {}
    return {folder: _spelled(str(root), folder, listed) for folder in folders}


def entries(folder: Path | str) -> list[str]:
    """What a folder holds, sorted; nothing when it is none, or nobody may look.

    Any other failure is one: who took it for an empty folder would begin another memory beside the one that is there.
    """
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - see below
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _spelled(root: str, wanted: str, listed: _Listed) -> str | None:
    # Every write asks for all folders of memory, some of them many times; pathlib would be most of what that takes.
    found = ""
    for part in wanted.split("/"):
        if found not in listed:
            names = entries(f"{root}{found}")
            listed[found] = frozenset(names), {name.lower(): name for name in reversed(names)}
        exact, lowered = listed[found]
        # What is hidden counts in its exact spelling alone, as it does for every name that is asked for.
        name = part if part in exact else None if part.startswith(".") else lowered.get(part.lower())
        if name is None:
            return None
        found = f"{found}/{name}"
    return found[1:] if _is_folder(f"{root}{found}") else None


def _is_folder(path: str) -> bool:
    """Whether a name that a folder lists is a folder; one that nobody may look at is not missing."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)  # noqa: PTH116 - see above
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):  # removed meanwhile, or a link to nothing
            return False
        raise
