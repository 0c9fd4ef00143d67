"""Holds back a reading that would take most of a journal's rows out of the index while its text is still there.

That is what happens when a heading changes its level and nothing below it is understood any more.
"""

import sqlite3
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from memdown.errors import quote, way
from memdown.record import Document

LEAST = 10
"""How many rows a file must have had to be guarded."""
SHARE = 0.5
"""Less than this share of the rows has to be left, …"""
AHEAD = 0.25
"""… and this much more of the text than of the rows."""

Row = tuple[object, ...]

_ROWS = "select count(*) from record where file = ? and dialect = 'journal' and kind <> 'prose'"
_ELSEWHERE = """
select count(*) from record r join words w on w.rowid = r.rowid
where r.file = ? and r.dialect = 'journal' and r.kind <> 'prose' and (r.kind, coalesce(w.title, '')) in (
    select r.kind, coalesce(w.title, '') from record r join words w on w.rowid = r.rowid
    where r.file in (select value from json_each(?)) and r.dialect = 'journal'
)
"""


class PendingFile(Struct, frozen=True):
    """A file that was read and is not in the index yet."""

    number: int
    document: Document
    row: Row
    rows: int
    """How many rows of a journal it has in the index."""


class ShrinkGuard:
    """Watches the files of a journal during one pass."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.pending: list[PendingFile] = []
        """Files to decide on when all others are in."""
        self._came: list[int] = []
        self.touched = False
        """Whether any row of a journal came or went."""
        self.refused: dict[str, str] = {}
        """Why a file keeps the rows it had."""

    def holds(self, number: int, size: int, document: Document, row: Row) -> bool:
        """Whether to wait with a file; `size` is what it was. Its rows may turn up in another one that changed too."""
        [before] = self._connection.execute(_ROWS, (number,)).fetchone()
        if before < LEAST:
            return False
        left = count(document) / before
        now = len(document.text.encode("utf-8", "surrogatepass"))
        if left >= SHARE or now / max(size, 1) <= left + AHEAD:
            return False
        self.pending.append(PendingFile(number, document, row, before))
        return True

    def comes(self, number: int, document: Document) -> None:
        """The rows of a file come in."""
        if document.dialect == "journal":
            self._came.append(number)
            self.touched = True

    def goes(self, number: int) -> None:
        """The rows of a file go."""
        self.touched = self.touched or self._connection.execute(_ROWS, (number,)).fetchone() != (0,)

    def passed(self, *, shrink: bool) -> Iterator[PendingFile]:
        """Those held back that may come in: all with `shrink`, else those whose rows moved to a file that came in."""
        came = msgspec.json.encode(self._came).decode()
        for pending in self.pending:
            left = count(pending.document)
            [moved] = self._connection.execute(_ELSEWHERE, (pending.number, came)).fetchone()
            if shrink or left + moved >= pending.rows * SHARE:
                yield pending
                continue
            path = pending.document.path
            self.refused[path] = (
                f"{quote(path)} would keep {left} of its {pending.rows} rows in the index though its text is still "
                f"there, so the old ones stay; {way('check')} shows what is not understood, and "
                f"{way('index --accept-shrink')} drops them"
            )


def count(document: Document) -> int:
    """How many rows of a journal a file makes."""
    return sum(record.dialect == "journal" for record in document.records)
