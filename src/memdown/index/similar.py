"""Records that say nearly what a new one says: told when it is added, so that nobody keeps one thing twice unawares.

The records of its own file are at hand when a record is written; those of other files are asked of the index as it is,
which is not brought up to date for this: what it has of a file that changed since does not count.
"""

import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown import clock
from memdown.index.sqlite import NAME, Index, Unusable
from memdown.index.words import quoted
from memdown.lazy import LazyModule
from memdown.patterns import lazy
from memdown.record import Record
from memdown.store.jail import STATE
from memdown.text import legible

if TYPE_CHECKING:
    from memdown.dialects import relations
else:
    relations = LazyModule("memdown.dialects.relations")

MOST = 3
_SHARED = 0.6
"""How many of the words of two lines are in both."""
_FEWEST = 3
_ASKED = 12
"""Words of a title that the index is asked for."""
_COMMON = 1000
"""Titles that are looked at for that."""
_WORD = lazy(r"[^\W\d_]{4,}")
_NUMBER = lazy(r"\d+")
_SIGNS = lazy(r"[\W_]+")
_OVER = ("superseded", "deprecated", "retired", "rejected", "cancelled", "canceled", "archived")
_TITLED = """
select r.kind, r.id, r.path, w.title, substr(coalesce(w.summary, w.body), 1, 400), r.status, f.size, f.mtime_ns
from words w join record r on r.rowid = w.rowid join file f on f.number = r.file
where words match :match and r.superseded = 0 and (r.expires is null or r.expires > :now)
    and r.kind not in ('prose', 'section') and r.path <> :path
order by rank limit 20
"""


_HAVING = "select count(*) from (select 1 from words where words match ? limit ?)"


class SimilarRecord(Struct, frozen=True):
    """A record that was there, and is nearly the same."""

    id: str
    title: str
    path: str


def similar(
    root: Path,
    record: Record,
    beside: Iterable[Record],
    *,
    index: Index | None = None,
    late: Mapping[str, Sequence[Record]] = MappingProxyType({}),
) -> list[SimilarRecord]:
    """Records in force that are nearly a new one, the nearest first; `beside` are those of its own file.

    `index` is the one that is open already, and `late` are the records of files that it does not have yet.
    """
    own = _Lines(record.title, record.summary or record.body)
    there = [each for each in beside if each.kind == record.kind and not _is_over(each.status)]
    scores = [own.likeness(_Lines(each.title, each.summary or each.body)) for each in there]
    gone = _superseded([record, *there]) if any(scores) else ()
    near = [
        (score, each.kind, SimilarRecord(each.id, each.title or "", each.path))
        for score, each in zip(scores, there, strict=True)
        if score and each.id not in gone
    ]
    near += _indexed(root, record, own, index, late)
    near += _unindexed(record, own, late)
    near.sort(key=lambda found: found[0])
    # A task has a row and a file, which are one thing.
    known = {each.title if kind == "task" else each.id: each for _, kind, each in near if each.id != record.id}
    return list(known.values())[::-1][:MOST]


def similar_groups(records: Iterable[Record]) -> list[list[Record]]:
    """Groups of records that say nearly the same, the newest of each first; each is like that one.

    Only records that share a telling word of their titles or first lines are compared.
    """
    newest = sorted(
        records, key=lambda each: (each.at.instant().timestamp() if each.at else 0.0, each.path), reverse=True
    )
    groups: list[tuple[_Lines, list[Record]]] = []
    by_word: dict[str, list[int]] = {}
    for record in newest:
        own = _Lines(record.title, record.summary or record.body)
        keys = {own.title, *own.words, *own.first}
        numbers = sorted({number for key in keys for number in by_word.get(key, ())})
        same = next((number for number in numbers if own.likeness(groups[number][0])), None)
        if same is not None:
            groups[same][1].append(record)
            continue
        for key in keys:
            by_word.setdefault(key, []).append(len(groups))
        groups.append((own, [record]))
    return [found for _, found in groups if len(found) > 1]


class _Lines:
    """What two records are compared by: the title, and the first line of the text."""

    def __init__(self, title: str | None, text: str | None) -> None:
        first = (text or "").lstrip().partition("\n")[0]
        self.title = _SIGNS.sub("", (title or "").casefold())
        self.words = frozenset(_WORD.findall((title or "").casefold()))
        self.numbers = frozenset(_NUMBER.findall(title or ""))
        # Lists, headings and fields are of the form, and not of the content.
        self.first = frozenset(() if first[:1] in "-*#|>" else _WORD.findall(first.casefold()))

    def likeness(self, other: "_Lines") -> float:
        """From 0, nothing alike, to 1, the same title."""
        if self.title and self.title == other.title:
            return 1.0
        if self.numbers and other.numbers and not self.numbers & other.numbers:
            return 0.0  # as phase 2 and phase 3, which are two things
        return max(_overlap(self.words, other.words), _overlap(self.first, other.first))


def _overlap(one: frozenset[str], two: frozenset[str]) -> float:
    shared = len(one & two)
    part = shared / len(one | two) if shared >= _FEWEST else 0.0
    return part * 0.99 if part >= _SHARED else 0.0


def _is_over(status: str | None) -> bool:
    return (status or "").casefold().startswith(_OVER)


def _superseded(records: list[Record]) -> set[str]:
    found = relations.resolve(records)
    return {each.id for each in records if found.is_superseded(each)}


def _indexed(
    root: Path, record: Record, own: _Lines, index: Index | None, late: Container[str]
) -> Iterator[tuple[float, str, SimilarRecord]]:
    title = legible(record.title or "")
    words = [*_WORD.findall(title), *_NUMBER.findall(title)] or title.split()
    try:
        opened = index or Index.open(str(root / STATE / NAME))
        if opened is None:
            return
        with nullcontext(opened) if index else closing(opened):
            match = "" if opened.outdated else _match(opened.connection, words)
            asked = {"match": match, "now": clock.microseconds(), "path": record.path}
            rows = opened.connection.execute(_TITLED, asked).fetchall() if match else []
    except (Unusable, sqlite3.DatabaseError):
        return  # the next question of the index mends it
    for kind, id, path, title, text, status, *state in rows:
        score = own.likeness(_Lines(title, text))
        if score and path not in late and not _is_over(status) and _state(root / path) == state:
            yield score, kind, SimilarRecord(id, title or "", path)


def _match(db: sqlite3.Connection, words: Sequence[str]) -> str:
    """What to ask for titles with these words: the rare ones tell, and those that most titles have take longest.

    Where all are common, only titles with every one of them are asked for. Empty when no title has any.
    """
    counts = {
        each: db.execute(_HAVING, (f"title : {quoted(each)}", _COMMON + 1)).fetchone()[0] for each in words[:_ASKED]
    }
    had = sorted((each for each in counts if counts[each]), key=lambda each: counts[each])
    if not had:
        return ""
    totals = accumulate(counts[each] for each in had)
    rare = [quoted(each) for each, total in zip(had, totals, strict=True) if total <= _COMMON]
    return f"title : ({' OR '.join(rare) if rare else ' AND '.join(map(quoted, had))})"


def _unindexed(
    record: Record, own: _Lines, late: Mapping[str, Sequence[Record]]
) -> Iterator[tuple[float, str, SimilarRecord]]:
    """The same among files that the index does not have yet."""
    scored = [
        (score, each)
        for name, records in late.items()
        for each in (records if name != record.path else ())
        if each.kind not in ("prose", "section")
        and (score := own.likeness(_Lines(each.title, each.summary or each.body)))
    ]
    if not scored:
        return
    now = datetime.fromisoformat(clock.stamp())
    gone = _superseded([record, *(each for _, each in scored)])
    for score, each in scored:
        over = relations.expires(each)
        if each.id not in gone and not _is_over(each.status) and (over is None or over > now):
            yield score, each.kind, SimilarRecord(each.id, each.title or "", each.path)


def _state(path: Path) -> list[int]:
    try:
        seen = path.stat()
    except OSError:
        return []
    return [seen.st_size, seen.st_mtime_ns]
