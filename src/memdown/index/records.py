"""From rows back to records, as the dialect read them."""

import sqlite3
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import structs

from memdown import times
from memdown.record import Extra, Link, Record
from memdown.text import Span
from memdown.times import Moment

COLUMNS = """
select record.rowid, record.id, dialect, kind, path, line, end_line, start, end, at_text, at, at_precision, author,
    contributors, scope, status, extra, words.title, words.summary, words.body
from record join words on words.rowid = record.rowid
"""
WITHOUT_TEXT = COLUMNS.replace("words.summary, words.body", "null, null")
TAGS = "select record, name from tag where record in (select rowid from record where {}) order by record, position"
LINKS = """
select record, type, target, resolved from link
where record in (select rowid from record where {}) order by record, position
"""
_decode_extra = msgspec.json.Decoder(dict[str, str | list[str]]).decode
_decode_names = msgspec.json.Decoder(tuple[str, ...]).decode


def load(
    connection: sqlite3.Connection, where: str, values: Iterable[object] = (), *, text: bool = True
) -> dict[int, Record]:
    """Records by rowid, in the order of their places; without `text`, as a line of a list needs them.

    Such a record has neither summary, body, tags nor links.

    `where` is SQL over `record`, never anything that a person wrote; that goes into `values`.
    """
    given = tuple(values)
    tags: dict[int, list[str]] = {}
    links: dict[int, list[Link]] = {}
    if text:
        for record, name in connection.execute(TAGS.format(where), given):
            tags.setdefault(record, []).append(name)
        for record, *link in connection.execute(LINKS.format(where), given):
            links.setdefault(record, []).append(Link(*link))
    rows = connection.execute(f"{COLUMNS if text else WITHOUT_TEXT} where {where} order by path, start, end", given)
    return {row[0]: _record(row, tags.get(row[0], []), links.get(row[0], [])) for row in rows}


def _moment(written: str, at: str, precision: str) -> Moment | None:
    """A time as it is written, with the offset that the letters of its zone were found to have."""
    moment = times.read(written)
    if moment and not moment.is_doubtful:
        return moment
    known = times.read(at)
    if moment or not known:
        return structs.replace(moment, offset=known.offset) if moment and known else moment
    return Moment(written, known.local, precision, "", None)  # a spelling of a date that dialects know, without a zone


def _record(row: tuple[Any, ...], tags: list[str], links: list[Link]) -> Record:
    _, id, dialect, kind, path, line, end_line, start, end, *rest = row
    written, at, precision, author, contributors, scope, status, extra, *texts = rest
    kept: Extra = _decode_extra(extra) if extra else {}
    return Record(
        id=id,
        dialect=dialect,
        kind=kind,
        path=path,
        span=Span(start, end),
        line=line,
        end_line=end_line,
        title=texts[0],
        summary=texts[1],
        body=texts[2],
        at=_moment(written, at, precision) if written else None,
        author=author,
        contributors=_decode_names(contributors) if contributors else (),
        scope=scope,
        status=status,
        tags=tuple(tags),
        links=tuple(links),
        extra=kept,
    )
