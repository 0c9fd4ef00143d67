"""What the index knows, asked without loading the engine, and only of files that are still as they were indexed."""

import os
import sqlite3

from memdown import homes
from memdown.index.hook_state import State
from memdown.index.sqlite import NAME, Index, Unusable

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterator

_HITS = 200
"""Records that a word may be in and still tell them apart; a word in more is common."""
_NEWEST = """
select r.rowid, w.title, r.day, r.path, r.line from record r join words w on w.rowid = r.rowid
where r.dialect not in ('cards', 'bank') and r.instant is not null and r.superseded = 0 and w.title <> ''
order by r.instant desc limit ?
"""
_ROW = """
select w.title, w.body, r.day, r.path, r.line, r.dialect from record r join words w on w.rowid = r.rowid
where r.rowid = ?
"""
_FRESH = "select r.path, f.size, f.mtime_ns from record r join file f on f.number = r.file where r.rowid = ?"


class Row:
    """A record that was found."""

    __slots__ = ("body", "day", "dialect", "line", "path", "title")

    def __init__(self, title: str, body: str, day: str, path: str, line: int, dialect: str) -> None:
        self.title = title
        self.body = body
        self.day = day
        self.path = path
        self.line = line
        self.dialect = dialect


def opened(state: State) -> Index | None:
    """The index, when there is one that this version made."""
    if not state.folder:
        return None
    try:
        index = Index.open(os.path.join(state.folder, NAME))
    except (Unusable, sqlite3.Error):
        return None  # an index that cannot be read is no index
    if index is not None and index.outdated:
        index.close()
        return None
    return index


def newest(state: State, most: int) -> list[tuple[str, str, str, int]]:
    """Title, day, path and line of the newest entries that are neither cards nor parts of a bank."""
    others = (home for dialect in homes.HOMES if dialect not in ("cards", "bank") for home in homes.HOMES[dialect])
    # Where no other dialect lives there is no such entry, and opening the index is most of what a hook would do.
    index = opened(state) if any(os.path.isdir(os.path.join(state.root, home)) for home in others) else None
    if index is None:
        return []
    try:
        rows = index.connection.execute(_NEWEST, (most,)).fetchall()
        return [row[1:] for row in rows if fresh(state, index.connection, row[0])]
    except sqlite3.DatabaseError:
        return []
    finally:
        index.close()


def counts(db: sqlite3.Connection, words: "list[str]") -> "tuple[int, dict[str, set[int]]]":
    """How many records there are, and which of them each word is in, up to a number."""
    total = db.execute("select count(*) from record").fetchone()[0]
    hits = {}
    for word in words:
        rows = db.execute("select rowid from words where words match ? limit ?", (f'"{word}"', _HITS))
        hits[word] = {row[0] for row in rows}
    return total, {word: found for word, found in hits.items() if found}


def rows(state: State, db: sqlite3.Connection, numbers: "list[int]") -> "Iterator[Row]":
    """These records, but for those whose file changed since."""
    for number in numbers:
        if fresh(state, db, number):
            row = db.execute(_ROW, (number,)).fetchone()
            yield Row(row[0] or "", row[1] or "", row[2] or "", *row[3:])


def fresh(state: State, db: sqlite3.Connection, number: int) -> bool:
    path, size, mtime = db.execute(_FRESH, (number,)).fetchone()
    try:
        seen = os.stat(os.path.join(state.root, path))
    except OSError:
        return False
    return (seen.st_size, seen.st_mtime_ns) == (size, mtime)


def known(db: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Every file the index has, and how it was."""
    return {path: (size, mtime) for path, size, mtime in db.execute("select path, size, mtime_ns from file")}
