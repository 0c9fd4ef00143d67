"""What all records that fit a query have in common, counted in the index: how many, of which kind, from which day."""

import sqlite3
from datetime import datetime

from msgspec import Struct

from memdown.index import where
from memdown.index.found import Found, marks
from memdown.index.query import FILTERS, HAS, IS, All, Any, Query
from memdown.index.schema import IN_FILE, NEWEST, REAL, SEARCHED
from memdown.record import LISTS

MOST = 12
"""Values of a facet that are told, the most frequent first."""
_PAST = ("edit", "modification", "session", "review", "error", "section", *LISTS)
"""Kinds that tell what was, and so do not go stale."""
_OVER = ("is:superseded", "is:archived", "status:done", "status:complete", *(f"kind:{kind}" for kind in _PAST))
STALE = " ".join(("is:stale", *(f"-{each}" for each in _OVER)))
"""What asks for the records that should hold now and that nobody has touched for long."""
STANDING = "-is:superseded -is:archived"
"""What asks for the records whose age says something: nothing replaces them, and nobody put them away."""
_FITS = f"from record r where {REAL} and {{}}"
_COUNT = f"select count(*) {_FITS}"
_PAGE = f"select r.rowid {_FITS} order by {NEWEST} limit ? offset ?"
_OLDEST = f"""
select r.rowid {_FITS} and r.instant is not null order by r.instant, r.path desc, {IN_FILE} desc limit ?
"""
_DAYS = f"select r.day, r.kind, count(*) {_FITS} and r.day is not null group by r.day, r.kind order by r.day"
_UNDATED = f"select r.path, count(*) {_FITS} group by r.path order by r.path"
_FACETS = {
    "kind": "select r.kind, count(*) as many from record r where {} group by r.kind",
    "author": "select coalesce(min(case when lower(r.author) = p.name then r.author end), p.name), count(*) as many"
    " from person p join record r on r.rowid = p.record where {} group by p.name",
    "tag": "select min(t.name), count(*) as many from tag t join record r on r.rowid = t.record"
    " where {} group by t.folded",
    "dialect": "select r.dialect, count(*) as many from record r where {} and r.dialect != '' group by r.dialect",
    "status": "select max(r.status), count(*) as many from record r where {} and r.status is not null"
    " and length(r.status) < 30 group by lower(r.status)",
}
_VALUES = {
    "kind": f"select distinct r.kind from record r where {REAL}",
    "author": "select name from person group by name order by count(*) desc",
    "tag": "select min(name) from tag group by folded order by count(*) desc",
    "dialect": "select distinct dialect from record",
    "status": "select status from record where status is not null group by status order by count(*) desc",
    "scope": "select scope from record where scope is not null group by scope order by count(*) desc",
    "path": "select path from file where dialect is not null order by path",
}
_WRITTEN = {
    "after": ("7d", "30d", "90d"),
    "before": ("30d", "90d", "365d"),
    "since": ("7d", "30d"),
    "has": HAS,
    "is": IS,
}

_FILES = f"""
select f.path, f.dialect, f.size, (select count(*) from record r where r.file = f.number and {REAL})
from file f where f.dialect is not null order by f.path
"""


class Facet(Struct, frozen=True):
    """One thing that records can be told apart by."""

    name: str
    values: list[tuple[str, int]]
    """Each value with the number of records that have it."""


class FoundPage(Struct, frozen=True):
    """Some of the records that fit, the newest first, and how many fit in all."""

    found: Found
    total: int
    offset: int


class DayCount(Struct, frozen=True):
    """How many records of a kind bear the date of a day."""

    day: str
    kind: str
    records: int


class IndexedFile(Struct, frozen=True):
    """A file of memory as the index knows it."""

    path: str
    dialect: str
    size: int
    """Bytes."""
    records: int


def page(db: sqlite3.Connection, query: Query, now: datetime, offset: int, limit: int) -> FoundPage:
    """The records from `offset` on, at most `limit`."""
    where.prepare(db)
    where.check(db, query)
    fits = where.condition(query, now, words=True)
    [(total,)] = db.execute(_COUNT.format(fits.sql), fits.values)
    rowids = [rowid for (rowid,) in db.execute(_PAGE.format(fits.sql), (*fits.values, limit, offset))]
    known = marks(db, rowids, now)
    return FoundPage(Found([known[rowid] for rowid in rowids], 0), total, offset)


def oldest(db: sqlite3.Connection, query: Query, now: datetime, limit: int) -> FoundPage:
    """The records whose dates lie furthest back, the oldest first."""
    where.prepare(db)
    where.check(db, query)
    fits = where.condition(query, now, words=True)
    [(total,)] = db.execute(_COUNT.format(fits.sql), fits.values)
    rowids = [rowid for (rowid,) in db.execute(_OLDEST.format(fits.sql), (*fits.values, limit))]
    known = marks(db, rowids, now)
    return FoundPage(Found([known[rowid] for rowid in rowids], 0), total, 0)


def facets(db: sqlite3.Connection, query: Query, now: datetime) -> list[Facet]:
    """By what the records that have any of the words, and all that is required, can be narrowed down."""
    where.prepare(db)
    where.check(db, query)
    fits = where.where(All((*query.must, *((Any(query.words),) if query.words else ()))), now)
    counted = SEARCHED if query.words else REAL
    found = []
    for name, sql in _FACETS.items():
        fitting = sql.format(f"{counted} and {fits.sql}")
        rows = db.execute(f"{fitting} order by many desc, 1 limit {MOST}", fits.values).fetchall()
        if rows:
            found.append(Facet(name, [(str(value), number) for value, number in rows]))
    return found


def days(db: sqlite3.Connection, query: Query, now: datetime) -> list[DayCount]:
    """How many records of which kind each day has, the oldest day first."""
    where.prepare(db)
    where.check(db, query)
    fits = where.condition(query, now, words=True)
    return [DayCount(*row) for row in db.execute(_DAYS.format(fits.sql), fits.values)]


def undated(db: sqlite3.Connection, query: Query, now: datetime) -> dict[str, int]:
    """How many records that fit each file has."""
    where.prepare(db)
    fits = where.condition(query, now, words=True)
    return dict(db.execute(_UNDATED.format(fits.sql), fits.values).fetchall())


def completions(db: sqlite3.Connection, text: str, most: int = MOST) -> list[str]:
    """Queries that begin as this one does, with its last word completed to a filter or a value of one."""
    before, space, last = text.rpartition(" ")
    name, colon, begun = last.lstrip("-+(").partition(":")
    lead = before + space + last[: len(last) - len(last.lstrip("-+("))]
    if not colon:
        return [f"{lead}{each}:" for each in FILTERS if name and each.startswith(name.casefold())][:most]
    rows = db.execute(_VALUES[name]) if name in _VALUES else ((each,) for each in _WRITTEN.get(name, ()))
    values = [str(value) for (value,) in rows]
    begun = begun.strip('"').casefold()
    fitting = [value for value in values if value.casefold().startswith(begun)]
    return [f'{lead}{name}:"{value}"' if " " in value else f"{lead}{name}:{value}" for value in fitting[:most]]


def files(db: sqlite3.Connection) -> list[IndexedFile]:
    """Every file that a dialect claims, by name."""
    return [IndexedFile(*row) for row in db.execute(_FILES)]
