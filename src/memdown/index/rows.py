"""From documents to rows, gathered so that each table is filled in bulk."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain, islice

import msgspec
from msgspec import structs

from memdown.claims import force, paths
from memdown.dialects import offered, offering
from memdown.dialects.hollow import is_hollow, is_template
from memdown.index import coverage
from memdown.index.words import parts
from memdown.markdown.blocks import blanked
from memdown.markdown.cardfile import content_hash
from memdown.markdown.merge_comments import merge_comments
from memdown.record import BriefPoint, Document, Record, people
from memdown.text import line_end
from memdown.times import Moment

Row = tuple[object, ...]
_MOST_MERGED = 12
"""Places of a file that are told where a merge kept both sides."""

INSERT = {
    "file": "insert or replace into file values",
    "record": "insert into record values",
    "words": "insert into words (rowid, title, tags, summary, body, about, dated, parts) values",
    "tag": "insert into tag values",
    "person": "insert or ignore into person values",
    "point": "insert into point values",
    "claimed": "insert or ignore into claimed (file, line, kind, target, sure, confirmed) values",
    "link": "insert into link (record, position, type, target) values",
}
DELETE = (
    "delete from words where rowid in (select rowid from record where file = ?)",
    "delete from origin where record in (select rowid from record where file = ?)",
    "delete from tag where record in (select rowid from record where file = ?)",
    "delete from person where record in (select rowid from record where file = ?)",
    "delete from link where record in (select rowid from record where file = ?)",
    "delete from replaced where record in (select rowid from record where file = ?)",
    "delete from record where file = ?",
    "delete from point where file = ?",
    "delete from checked where file = ?",
    "delete from claimed where file = ?",
)
_DIALECT = "select dialect from file where number = ?"
SESSIONS = "select distinct session from record where file = ? and session is not null and session != path"
_FULL = 1000
_VALUES = 990
"""Values given to one statement; old SQLite takes no more than 999."""
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_MONTHS = "January February March April May June July August September October November December".split()
_encode = msgspec.json.Encoder().encode


class GatheredRows:
    """Takes documents, gathers their rows by table. `expires` tells when a record is over."""

    def __init__(self, expires: Callable[[Record], datetime | None], first: int = 1) -> None:
        self.touched: set[str] = set()
        """Sessions of several files that lost or gained a record."""
        self.dialects: set[str] = set()
        """Dialects of which a file came, went or is another."""
        self.waiting: dict[str, list[Row]] = {table: [] for table in INSERT}
        self._expires = expires
        self._next = first
        self._called = ""
        """Whose memory the file is that is being added."""

    def add(self, file: int, document: Document, state: Row) -> None:
        """A file with its records, and the text of it that belongs to none; `state` is all else in the file's row."""
        for _ in self.adding(file, document, state):
            self._spill()

    def adding(self, file: int, document: Document, state: Row) -> Iterator[None]:
        """The same, record by record, for who takes rows before all are gathered."""
        self.waiting["file"].append(
            (file, document.path, *state[:-1], document.dialect, state[-1], _is_newest_on_top(document.records))
        )
        if document.dialect:
            self.dialects.add(document.dialect)
        several = len(document.records) > 1
        owned = coverage.owned(document)
        # Some dialects let a record say itself that it no longer holds.
        is_retired = offered(document.dialect, "is_retired")
        if not is_template(document.path):
            self.waiting["point"] += [
                (file, number, each.part, document.lines.at(each.start) + 1, each.text)
                for number, each in enumerate(_points(document))
            ]
        self.waiting["claimed"] += _claimed(file, document)
        named = offered(document.dialect, "called")
        self._called = named(document.path) if named is not None else ""
        for number, record in enumerate(document.records):
            session = record.session or None
            if session:
                self.touched.add(session)
            group = session or (record.path if several else None)
            retired = is_retired is not None and is_retired(record)
            self._add(file, record, group, number, owned.pop(number, ""), alone=not several, retired=retired)
            yield
        for number, prose in enumerate(coverage.prose(document), len(document.records)):
            self._add(file, prose, None, number)
        yield

    def _spill(self) -> None:
        """Make room where much is gathered, if there is a place for it."""

    def take(self) -> dict[str, list[Row]]:
        """What is gathered so far; from here on others are."""
        gathered = self.waiting
        self.waiting = {table: [] for table in INSERT}
        return gathered

    def _add(
        self,
        file: int,
        record: Record,
        session: str | None,
        ordinal: int,
        text: str = "",
        *,
        alone: bool = False,
        retired: bool = False,
    ) -> None:
        """`text` is what of the file is this record's alone, when not all of it is known to be in its fields."""
        rowid, waiting = self._next, self.waiting
        self._next += 1
        over = self._expires(record)
        waiting["record"].append(
            (
                *(rowid, file, record.id, record.dialect, record.kind, record.path, record.line, record.end_line),
                *(record.span.start, record.span.end),
                *(_moment(record.at) if record.at else (None,) * 5),
                _microseconds(over.replace(tzinfo=None)) if over else None,
                *(record.author, _json(record.contributors), record.scope, record.status, _json(record.extra)),
                *(session, ordinal, int(retired), int(is_hollow(record))),
                content_hash(record.body) if alone and record.body else None,
            )
        )
        tags = ", ".join(record.tags)
        written = "\n".join(filter(None, (record.title, tags, record.summary, record.body)))
        about = _about(record)
        if text:
            others = "\n".join(filter(None, (record.title, tags, record.summary, about)))
            about += coverage.missing(text, record.body or "", others)
        dated = _in_words(record.at) if record.at else None
        found = parts(written) if written.isascii() and about.isascii() else parts(f"{written}\n{about}")
        tagged = ", ".join(filter(None, (tags, self._called)))
        waiting["words"].append(
            (rowid, record.title, tagged or None, record.summary, record.body, about, dated, found or None)
        )
        waiting["tag"] += [(rowid, at, tag, tag.casefold()) for at, tag in enumerate(record.tags)]
        waiting["link"] += [(rowid, at, link.type, link.target) for at, link in enumerate(record.links)]
        if record.author or record.contributors:
            waiting["person"] += [(rowid, name) for name in _people(record)]


class Rows(GatheredRows):
    """Gathers the rows of documents, and writes them."""

    def __init__(self, connection: sqlite3.Connection, expires: Callable[[Record], datetime | None]) -> None:
        self.connection = connection
        super().__init__(expires, connection.execute("select coalesce(max(rowid), 0) + 1 from record").fetchone()[0])

    def remove(self, file: int) -> None:
        """Forget the records of a file."""
        self.touched.update(session for (session,) in self.connection.execute(SESSIONS, (file,)))
        self.dialects.update(dialect for (dialect,) in self.connection.execute(_DIALECT, (file,)) if dialect)
        for statement in DELETE:
            self.connection.execute(statement, (file,))

    def _spill(self) -> None:
        if len(self.waiting["record"]) >= _FULL:
            self.flush()

    def flush(self) -> None:
        for table, rows in self.waiting.items():
            if rows:
                _insert(self.connection, table, rows)
                rows.clear()


def _is_newest_on_top(records: Sequence[Record]) -> bool:
    """Whether the dates of a file's records fall more often than they rise, from each to the next of its kind."""
    if len(records) < 2:
        return False
    last: dict[str, datetime] = {}
    falls = 0
    for record in records:
        if record.at is not None:
            at = record.at.instant()
            before = last.get(record.kind, at)
            falls += (at < before) - (at > before)
            last[record.kind] = at
    return falls > 0


def _points(document: Document) -> Iterator[BriefPoint]:
    """What a session should know of a file when it begins: what it says of now, and where a merge kept both sides."""
    if "<!--" not in document.text:
        yield from _of_now(document)
        return
    shown = Document(
        document.path,
        blanked(document.text),
        dialect=document.dialect,
        records=document.records,
        settings=document.settings,
        canonical_path=document.canonical_path,
    )
    for each in _of_now(shown):
        if text := " ".join(each.text.split()):
            yield structs.replace(each, text=text)
    for at, _ in islice(merge_comments(document.text), _MOST_MERGED):
        heading = document.text.rfind("\n#", 0, at) + 1
        title = document.text[heading : line_end(document.text, heading)].lstrip("#").strip() if heading else ""
        yield BriefPoint("merged", at, title or document.path.rpartition("/")[2])


def _of_now(document: Document) -> Iterator[BriefPoint]:
    """What a file says of now, by the dialect that reads it, or by any where none does."""
    if document.dialect is None:
        for dialect in offering("points_beside"):
            yield from offered(dialect, "points_beside")(document)
    elif (points := offered(document.dialect, "points")) is not None:
        yield from points(document)


def _claimed(file: int, document: Document) -> list[Row]:
    """The files and folders that records in force say are there."""
    if force.is_aside(document):
        return []
    named = paths(document)
    found: list[Row] = []
    for claim, record in force.owned(named, document.records if named else ()):
        if record is None or not force.tells_of_past(record):
            span = (record.span.start, record.span.end) if record else (0, len(document.text))
            confirmed = force.confirmed(document.text, *span)
            line = document.lines.at(claim.span.start) + 1
            found.append((file, line, claim.kind, claim.target, claim.sure, confirmed.day if confirmed else ""))
    return found


def _insert(connection: sqlite3.Connection, table: str, rows: list[Row]) -> None:
    """Many rows with one statement, the rest one by one; all of them so where texts are long and would be copied."""
    width = len(rows[0])
    row = f"({', '.join('?' * width)})"
    many = _VALUES // width
    whole = 0 if table == "words" else len(rows) - len(rows) % many
    together = f"{INSERT[table]} {', '.join([row] * many)}"
    for start in range(0, whole, many):
        connection.execute(together, list(chain.from_iterable(rows[start : start + many])))
    connection.executemany(f"{INSERT[table]} {row}", rows[whole:])


def _moment(at: Moment) -> Row:
    instant = _microseconds(at.local) - (at.offset or 0) * 60_000_000
    return at.rfc3339(), at.precision, at.text, instant, at.local.date().isoformat()


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def _in_words(at: Moment) -> str:
    day = at.local
    return f"{_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def _json(value: object) -> str | None:
    return _encode(value).decode() if value else None


def _about(record: Record) -> str:
    found: list[str] = [record.path]
    if record.id not in record.path:
        found.append(record.id)
    for value in (record.author, *record.contributors, record.scope, record.status, *record.extra.values()):
        if isinstance(value, str):
            if value not in found and (record.at is None or value != record.at.text):
                found.append(value)
        elif value:
            found += value
    return "\n".join(found)


def _people(record: Record) -> list[str]:
    named = [name for each in (record.author, *record.contributors) if each for name in (each, *people(each))]
    return [name.strip().lstrip("@").casefold() for name in named]
