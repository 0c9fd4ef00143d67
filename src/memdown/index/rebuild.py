"""Making an index anew, in a file beside the one that others use, which it replaces once it is whole.

Until then SQLite may write pages as they come, where a change in place has to keep all of them in memory to the end:
whoever spills pages locks readers out. Others read what was meanwhile, and who dies leaves that as it was, with a file
beside it that the next who makes an index anew removes. Whoever waited for the lock of the old file finds that it is no
longer in its place, and opens the new one.
"""

import os
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

from memdown.errors import on_failure
from memdown.index.schema import APPLICATION_ID
from memdown.index.sqlite import Index, Unusable, remove
from memdown.store.state import entry, reason

_BEGIN = "index-"
"""What the name of such a file begins with."""
_PAGES = 24 << 10
"""Kilobytes of pages that are kept in memory before some are written."""


def rebuilt(index: Index, fill: Callable[[Index], None]) -> Index | None:
    """The index that `fill` filled, in the place of one that is closed; None when no file can be made beside that.

    Raises sqlite3.Error, or what `fill` raises; then the old one stands as it was.
    """
    if index.path is None or os.name == "nt":  # where no file can take the place of an open one
        return None
    with index.alone():
        if not index.is_in_place():
            raise _moved()
        path = Path(index.path)
        try:
            place = _beside(path)
        except OSError:
            return None
        try:
            new = Index.open(place, make=True)
        except (OSError, sqlite3.OperationalError, Unusable):
            _forget(place)
            return None
        if new is None:
            raise AssertionError("an index that is to be made is there")
        with on_failure(partial(_forget, place)):
            with on_failure(new.close):
                _fill(new, fill)
            new.close()
            _put(place, index, path)
    try:
        found = Index.open(index.path)
    except Unusable:
        found = None
    if found is None or found.outdated:  # another, which is empty yet, took its place at once
        if found is not None:
            found.close()
        raise _moved()
    index.close()
    return found


def is_moved(error: Exception) -> bool:
    """Whether a file was no longer in its place, so that another has to be opened."""
    return getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_READONLY_DBMOVED


def _fill(new: Index, fill: Callable[[Index], None]) -> None:
    """One transaction, whose pages may be written before its end, as nobody else knows the file."""
    connection = new.connection
    connection.execute("pragma cache_spill = on")
    connection.execute("begin immediate")
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    new.clear()
    connection.execute(f"pragma cache_size = -{_PAGES}")
    fill(new)
    connection.execute("commit")


def _beside(path: Path) -> str:
    """The path of a file that is not there yet. Those of others go: whoever still fills one begins again."""
    for each in path.parent.iterdir():
        if each != path and each.name.startswith(_BEGIN) and each.name.endswith(path.suffix):
            _forget(str(each))
    return str(path.with_name(f"{_BEGIN}{os.urandom(8).hex()}{path.suffix}"))


def _put(new: str, index: Index, path: Path) -> None:
    """Let the new file be the one that others open, unless somebody else has put one there."""
    if not index.is_in_place():
        raise _moved()
    try:
        with entry(str(path)) as (name, handle):
            os.rename(Path(new).name, name, src_dir_fd=handle, dst_dir_fd=handle)
    except FileNotFoundError:
        raise _moved() from None
    except OSError as error:
        refused = sqlite3.OperationalError(reason(error))
        refused.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise refused from error


def _forget(path: str) -> None:
    try:
        remove(path)
    except OSError:
        return  # it can be removed later as well


def _moved() -> sqlite3.OperationalError:
    """What SQLite says itself to who would write to a file that is no longer in its place."""
    error = sqlite3.OperationalError("another process replaced the index")
    error.sqlite_errorcode = sqlite3.SQLITE_READONLY_DBMOVED
    return error
