"""Records that fit a query, with what the index knows of them. No file is read."""

import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from memdown.index import untrue, where
from memdown.index.query import Query
from memdown.index.records import load
from memdown.index.schema import NEWEST, REAL
from memdown.record import Link, Mark, Record

_PAGE = 500
_THESE = "record.rowid in (select value from json_each(?))"
_STATE = f"select rowid, superseded, expires from record where {_THESE}"
_REPLACED = """
select replaced.record, by.id from replaced join record by on by.rowid = replaced.by
where replaced.record in (select value from json_each(?)) order by replaced.record, replaced.by
"""
_FITTING = f"""
select r.rowid from record r where {REAL} and {{}}
order by {NEWEST} limit ?
"""
_UNDATED = f"select count(*) from record r where {REAL} and {{}}"
_PLACE = "select rowid from record where id = ? and path = ? and start = ?"
_NAMED = "select rowid from record where kind != 'prose' and id in (select value from json_each(?))"
_POINTING = """
select r.id, l.type from link l join record r on r.rowid = l.record
where coalesce(l.resolved, l.target) = :id and r.id <> :id and r.kind <> 'prose' order by r.path, r.line, l.position
"""
"""A link that is not followed by time or title names an id, if any record has it."""


class Found(Struct, frozen=True):
    """The answer to a query, the newest first."""

    marks: list[Mark]
    undated: int
    """How many records fit but for their missing date, and were left out."""

    def __iter__(self) -> Iterator[Mark]:
        """The records with what is known of them."""
        return iter(self.marks)

    def __len__(self) -> int:
        return len(self.marks)

    @property
    def records(self) -> list[Record]:
        return [mark.record for mark in self.marks]


class Listing(Struct, frozen=True):
    """The same for who shows a line for each: the marks come as they are asked for, with no more than that line."""

    rowids: list[int]
    undated: int
    marks: Iterator[Mark]


def fitting(db: sqlite3.Connection, query: Query, now: datetime) -> Found:
    """The records that have everything a query asks for."""
    rowids, undated = _rowids(db, query, now)
    known = marks(db, rowids, now)
    return Found([known[rowid] for rowid in rowids], undated)


def listing(db: sqlite3.Connection, query: Query, now: datetime) -> Listing:
    """The same, a page at a time."""
    rowids, undated = _rowids(db, query, now)
    return Listing(rowids, undated, _paged(db, rowids, now))


def _paged(db: sqlite3.Connection, rowids: list[int], now: datetime) -> Iterator[Mark]:
    for start in range(0, len(rowids), _PAGE):
        page = rowids[start : start + _PAGE]
        known = marks(db, page, now, text=False)
        yield from (known[rowid] for rowid in page if rowid in known)  # another process may have removed it


def _rowids(db: sqlite3.Connection, query: Query, now: datetime) -> tuple[list[int], int]:
    """What fits, in order, and how many records would but for their missing date."""
    where.prepare(db)
    where.check(db, query)
    fits = where.condition(query, now, words=True)
    limit = -1 if query.limit is None else query.limit
    rowids = [rowid for (rowid,) in db.execute(_FITTING.format(fits.sql), (*fits.values, limit))]
    undated = 0
    if query.names("after") or query.names("before"):
        left_out = where.undated(query, now)
        [(undated,)] = db.execute(_UNDATED.format(left_out.sql), left_out.values)
    return rowids, undated


def marks(db: sqlite3.Connection, rowids: Sequence[int], now: datetime, *, text: bool = True) -> dict[int, Mark]:
    """Records with what is known of them, by rowid."""
    values = (msgspec.json.encode(rowids).decode(),)
    replaced: dict[int, list[str]] = {}
    for rowid, by in db.execute(_REPLACED, values):
        replaced.setdefault(rowid, []).append(by)
    states = {rowid: state for rowid, *state in db.execute(_STATE, values)}
    instant = where.micros(now)
    wrong = untrue.of_records(db, rowids)
    found = {}
    for rowid, record in load(db, _THESE, values, text=text).items():
        superseded, expires = states[rowid]
        over = expires is not None and expires <= instant
        found[rowid] = Mark(
            record, bool(superseded), tuple(replaced.get(rowid, ())), over, tuple(map(str, wrong.get(rowid, ())))
        )
    return found


def mark_of(db: sqlite3.Connection, record: Record, now: datetime) -> Mark:
    """What the index knows of a record; one that it does not hold has no more than its text."""
    found = db.execute(_PLACE, (record.id, record.path, record.span.start)).fetchone()
    return marks(db, found, now)[found[0]] if found else Mark(record, False, (), False)


def named(db: sqlite3.Connection, ids: Sequence[str], now: datetime) -> list[Mark]:
    """The records with these ids, in no order; ids that no record has are left out."""
    values = (msgspec.json.encode([id.encode("utf-8", "replace").decode() for id in ids]).decode(),)
    return list(marks(db, [rowid for (rowid,) in db.execute(_NAMED, values)], now).values())


def pointing(db: sqlite3.Connection, id: str) -> list[Link]:
    """Which records point at one: their ids, and how."""
    return [Link(type, source, resolved=source) for source, type in db.execute(_POINTING, {"id": id})]


def oldest_first(marks: Sequence[Mark]) -> list[Mark]:
    """What was found as a timeline: by the day an author wrote, then by instant; the undated last."""
    found = list(reversed(marks))
    found.sort(key=_age)
    return found


def _age(mark: Mark) -> tuple[bool, str, float, str, int]:
    """What is of one instant and one file stays in its order."""
    record = mark.record
    if record.at is None:
        return True, "", 0.0, record.path, record.line
    return False, record.at.local.date().isoformat(), record.at.instant().timestamp(), record.path, 0
