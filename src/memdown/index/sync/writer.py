"""Putting files into the index, one by one, and settling what replaces what when all are in."""

import sqlite3
from collections.abc import Callable, Iterable

from msgspec import Struct

from memdown.dialects import relations
from memdown.dialects.finder import LINKING
from memdown.hashes import blake2b
from memdown.index.records import load
from memdown.index.rows import Rows
from memdown.index.sync.scan import State
from memdown.index.sync.shrink import Row, ShrinkGuard
from memdown.record import Document

Tell = Callable[[str], None]

TOUCH = "update file set size = ?, mtime_ns = ?, ctime_ns = ?, inode = ?, racy = ? where number = ?"
UNRELATE = (
    # What a record says of itself stays, as the record does.
    "update record set superseded = 0 where rowid in (select record from replaced)",
    "delete from replaced",
    "update link set resolved = null where resolved is not null",
)
MAY_LINK = f"""
select exists (select 1 from link where type in ({", ".join(map(repr, sorted(LINKING)))}))
    or exists (select 1 from replaced)
"""


class KnownFile(Struct, frozen=True, gc=False):
    """A file as the index has it."""

    number: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    racy: int
    digest: bytes

    def state(self) -> State | None:
        """None for one that may have changed without a trace."""
        return None if self.racy else self.seen()

    def seen(self) -> State:
        return self.size, self.mtime_ns, self.ctime_ns, self.inode


class IndexWriter:
    """Puts files into the index, one by one; those that moved keep their number."""

    def __init__(self, rows: Rows, known: dict[str, KnownFile], gone: dict[str, KnownFile], following: int) -> None:
        self._rows = rows
        self._known = known
        self._gone = gone
        self._by_digest = {each.digest: name for name, each in gone.items()}
        self._next = following
        self.guard = ShrinkGuard(rows.connection)
        self.changed = self.removed = self.renamed = 0

    def take(self, name: str, data: bytes, state: State, racy: bool, parse: Callable[[str, bytes], Document]) -> None:
        digest = blake2b(data, digest_size=16).digest()
        known = self._known.get(name)
        if known is not None and known.digest == digest:
            self._rows.connection.execute(TOUCH, (*state, racy, known.number))
            return
        document = parse(name, data)
        row = (*state, digest, racy)
        if known is not None and self.guard.holds(known.number, known.size, document, row):
            return
        self._put(known.number if known else self._moved(digest), document, row)

    def _put(self, number: int | None, document: Document, row: Row) -> None:
        if number is None:
            number, self._next = self._next, self._next + 1
        else:
            self._remove(number)
        self.guard.comes(number, document)
        self._rows.add(number, document, row)
        self.changed += 1

    def _remove(self, number: int) -> None:
        self.guard.goes(number)
        self._rows.remove(number)

    def settle(self, *, shrink: bool, tell: Tell) -> Iterable[str]:
        """Take the files that the guard held back, as far as it lets them; those that it does not."""
        if self.guard.pending:
            self._rows.flush()
        for pending in self.guard.passed(shrink=shrink):
            self._put(pending.number, pending.document, pending.row)
        for why in self.guard.refused.values():
            tell(why)
        return self.guard.refused

    def _moved(self, digest: bytes) -> int | None:
        """The number of a file that is gone, and was this one."""
        before = self._by_digest.pop(digest, None)
        if before is None:
            return None
        self.renamed += 1
        return self._gone.pop(before).number

    def forget_rest(self, is_over: Callable[[], bool]) -> int:
        """Forget the files that are gone; how many are left when the time is up."""
        left = len(self._gone)
        for each in self._gone.values():
            self._remove(each.number)
            self._rows.connection.execute("delete from file where number = ?", (each.number,))
            self.removed += 1
            left -= 1
            if is_over():
                break
        return left


def relate(connection: sqlite3.Connection) -> None:
    """Which records replace which and what links mean, anew: any record may be the missing end of a link."""
    if not connection.execute(MAY_LINK).fetchone()[0]:
        return
    for statement in UNRELATE:
        connection.execute(statement)
    records = load(connection, "record.kind != 'prose'")
    rowids = {relations.place_of(record): rowid for rowid, record in records.items()}
    found = relations.resolve(records.values())
    connection.executemany("update record set superseded = 1 where rowid = ?", [(rowids[p],) for p in found.superseded])
    connection.executemany(
        "insert or ignore into replaced values (?, ?)",
        [(rowids[place], rowids[relations.place_of(by)]) for place, each in found.superseded.items() for by in each],
    )
    connection.executemany(
        "update link set resolved = ? where record = ? and position = ?",
        [
            (link.resolved, rowids[place], position)
            for place, links in found.links.items()
            for position, link in enumerate(links)
            if link.resolved
        ],
    )
