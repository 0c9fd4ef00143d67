"""The index to work with: the one that is there, else a new file, else one in memory where the disk allows none."""

import os
import sqlite3

from memdown.errors import MemdownError, on_failure, quote
from memdown.homes import holds_memory
from memdown.index import Index
from memdown.index.sqlite import NAME, Unusable, remove
from memdown.index.sync.writer import Tell
from memdown.store import Files
from memdown.store.jail import STATE, reason


def opened(files: Files, tell: Tell) -> Index:
    """The index of a root, made when there is none; one in memory when the disk does not allow it.

    A folder without memory gets no file: who only asks writes nothing there.
    """
    if not os.path.lexists(files.root / STATE) and not holds_memory(str(files.root)):
        return Index.in_memory()
    try:
        path = str(files.state_folder() / NAME)
        index = Index.open(path, make=True)
    except Unusable as error:
        return _replaced(files, str(error), tell)
    except (OSError, MemdownError, sqlite3.DatabaseError) as error:
        return in_memory(files, error, tell)
    if index is None:
        raise AssertionError("an index that is to be made is there")
    return index


def after(found: Exception, files: Files, tell: Tell) -> Index:
    """The index to go on with after an error."""
    if isinstance(found, Unusable):
        return _replaced(files, str(found), tell)
    return in_memory(files, found, tell)


def _replaced(files: Files, why: str, tell: Tell) -> Index:
    """Put a new file in the place of one that cannot be used, unless another process did so meanwhile.

    Not under the lock of the root, which whoever asks may hold: should two do this at once, the one whose new file goes
    with the old one finds that it is no longer in its place.
    """
    path = str(files.root / STATE / NAME)
    try:
        try:
            index = Index.open(path, make=True)
            if index is not None and _is_sound(index):
                return index
        except Unusable:
            index = None
        if index is not None:
            index.close()
        remove(path)
        index = Index.open(path, make=True)
    except (OSError, Unusable, sqlite3.DatabaseError) as error:
        return in_memory(files, error, tell)
    if index is None:
        raise AssertionError("an index that is to be made is there")
    tell(f"the index {why}, and is rebuilt from the files")
    return index


def _is_sound(index: Index) -> bool:
    with on_failure(index.close):
        try:
            return bool(index.connection.execute("pragma quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.DatabaseError:
            return False


def in_memory(files: Files, why: Exception, tell: Tell) -> Index:
    cause = reason(why) if isinstance(why, OSError) else str(why)
    place = quote(str(files.root))  # a search may read several projects
    tell(f"the index of {place} is built in memory for this run, as it cannot be saved: {cause}")
    return Index.in_memory()
