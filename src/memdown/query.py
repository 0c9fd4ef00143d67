"""Which records a query asks for, and how people write the moments in it."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from memdown import times
from memdown.dialects import DIALECTS
from memdown.dialects.sem.legacy import names
from memdown.errors import Invalid, quote
from memdown.patterns import lazy
from memdown.record import Query, Record
from memdown.times import Moment

_AGE = lazy(r"(\d{1,5})\s*([hdw])", re.ASCII | re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


class Mark(Struct, frozen=True):
    """A record, and what is known of it beyond its own text."""

    record: Record
    superseded: bool
    superseded_by: tuple[str, ...]
    """Ids of the records that replace it."""
    expired: bool


class Found(Struct, frozen=True):
    """The answer to a query, the newest first."""

    marks: list[Mark]
    undated: int
    """How many records fit but for their missing date, and were left out."""

    @property
    def records(self) -> list[Record]:
        return [mark.record for mark in self.marks]


def moment(text: str, now: datetime) -> Moment:
    """A date, a time, or an age such as 7d; else `Invalid` with the right form."""
    age = _AGE.fullmatch(text.strip())
    if age:
        try:
            then = now - timedelta(hours=int(age[1]) * _HOURS[age[2].lower()])
        except OverflowError:
            raise Invalid(f"{quote(text)} is before the calendar begins; give a date as 2026-02-01.") from None
        spelled = times.stamp(then) if age[2] in "hH" else then.date().isoformat()
    else:
        spelled = text
    found = times.read(spelled)
    if found is None:
        raise Invalid(
            f"{quote(text)} is not a date; write it as 2026-02-01, as 2026-02-01T09:30:00Z, or as an age: 12h, 7d, 2w."
        )
    return found


def checked(query: Query) -> Query:
    """The query, when it asks for something that can be."""
    if query.dialect is not None and query.dialect not in DIALECTS:
        raise Invalid(f"{quote(query.dialect)} is not a dialect; it is one of {', '.join(DIALECTS)}.")
    return query


def select(marks: Iterable[Mark], query: Query) -> Found:
    """The records a query asks for."""
    fitting = [mark for mark in marks if _fits(mark, query)]
    if query.after is None and query.before is None:
        chosen, undated = fitting, 0
    else:
        chosen = [mark for mark in fitting if mark.record.at is not None and _in_time(mark.record.at, query)]
        undated = sum(mark.record.at is None for mark in fitting)
    return Found(sorted(chosen, key=_newest_first)[: query.limit], undated)


def oldest_first(marks: Iterable[Mark]) -> list[Mark]:
    """By the day an author wrote, then by instant; the undated last."""
    return sorted(marks, key=_oldest_first)


def _fits(mark: Mark, query: Query) -> bool:
    record = mark.record
    return (
        (not query.kinds or record.kind.casefold() in (kind.casefold() for kind in query.kinds))
        and (query.dialect is None or record.dialect == query.dialect)
        and (query.path is None or is_below(record.path, query.path))
        and (query.scope is None or (record.scope or "").casefold() == query.scope.strip().casefold())
        and (query.status is None or query.status.casefold() in (record.status or "").casefold())
        and (query.expired is None or mark.expired == query.expired)
        and (query.superseded is None or mark.superseded == query.superseded)
        and (query.author is None or _wrote(record, query.author))
        and _has_tags(record, query.tags)
        and _has_words(record, query.words)
    )


def is_below(path: str, folder: str) -> bool:
    """Whether a path is this one or below it; the empty name is the root."""
    return not folder or path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _wrote(record: Record, author: str) -> bool:
    people = [name for each in (record.author, *record.contributors) if each for name in (each, *names(each))]
    return author.strip().lstrip("@").casefold() in (name.strip().lstrip("@").casefold() for name in people)


def _has_tags(record: Record, tags: Sequence[str]) -> bool:
    own = {tag.casefold() for tag in record.tags} if tags else set()
    return all(tag.strip().lstrip("#").casefold() in own for tag in tags)


def _has_words(record: Record, words: Sequence[str]) -> bool:
    if not words:
        return True
    rationale = record.extra.get("rationale")
    texts = (
        *(record.title, record.summary, record.body, record.scope, record.author),
        rationale if isinstance(rationale, str) else None,
        *record.tags,
    )
    text = " ".join(filter(None, texts)).casefold()
    return all(word.casefold() in text for word in words)


def _in_time(at: Moment, query: Query) -> bool:
    """A day counts as a whole: it is in time when any of it may be."""
    after, before = query.after, query.before
    return (after is None or _last(at, after) >= _first(after, at)) and (
        before is None or _first(at, before) <= _last(before, at)
    )


def _first(moment: Moment, other: Moment) -> datetime:
    """Where a moment begins; days are compared as they are written, times as instants."""
    if "day" in (moment.precision, other.precision):
        return moment.local.replace(tzinfo=UTC) if moment.precision != "day" else moment.instant()
    return moment.instant()


def _last(moment: Moment, other: Moment) -> datetime:
    first = _first(moment, other)
    return first.replace(hour=23, minute=59, second=59, microsecond=999999) if moment.precision == "day" else first


def _newest_first(mark: Mark) -> tuple[bool, float, str]:
    """Dated before undated; the id decides between records of one instant."""
    at = mark.record.at
    return at is None, -at.instant().timestamp() if at else 0.0, mark.record.id


def _oldest_first(mark: Mark) -> tuple[bool, str, float, str, int]:
    record = mark.record
    if record.at is None:
        return True, "", 0.0, record.path, record.line
    return False, record.at.local.date().isoformat(), record.at.instant().timestamp(), record.path, record.line
