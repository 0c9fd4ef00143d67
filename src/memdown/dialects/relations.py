"""How records relate: which replace which, and which are over. Links are resolved by instant, then kind, then title."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct, structs

from memdown.dialects import answered
from memdown.dialects.days import iso_moment
from memdown.dialects.finder import LINKING, Finder, identity
from memdown.record import Link, Record
from memdown.times import Moment

Place = tuple[str, int, int]
"""Where a record stands. Ids do not do here: copies of one entry have the same one."""


class Relations(Struct, frozen=True):
    """What is known of a set of records taken together."""

    superseded: dict[Place, tuple[Record, ...]]
    """By the place of a record, those that replace it; none for one that only says so itself."""
    links: dict[Place, tuple[Link, ...]]
    """By the place of a record, its links with the ids they mean."""

    def is_superseded(self, record: Record) -> bool:
        return place_of(record) in self.superseded

    def replaced_by(self, record: Record) -> tuple[Record, ...]:
        return self.superseded.get(place_of(record), ())


def place_of(record: Record) -> Place:
    return record.path, record.span.start, record.span.end


def resolve(records: Iterable[Record]) -> Relations:
    """The relations among records. Copies of one entry, as in a log and its archive, are replaced together."""
    known = list(records)
    linking = [number for number, record in enumerate(known) if any(link.type in LINKING for link in record.links)]
    finder = Finder(known if linking else ())
    is_retired = answered("is_retired")
    replaced: dict[Place, list[Record]] = {place_of(record): [] for record in known if is_retired(record)}
    links: dict[Place, tuple[Link, ...]] = {}
    for number in linking:
        record, resolved = known[number], []
        for link in record.links:
            found = finder.follow(number, link.type, link.target)
            is_clear = len(finder.distinct(found)) == 1
            resolved.append(structs.replace(link, resolved=known[found[0]].id) if is_clear else link)
            for each in found if is_clear and link.type == "supersedes" else ():
                replaced.setdefault(place_of(known[each]), []).append(record)
            if is_clear and link.type == "superseded_by":
                replaced.setdefault(place_of(record), []).append(known[found[0]])
        links[place_of(record)] = tuple(resolved)
    return Relations(superseded={place: _distinct(by) for place, by in replaced.items()}, links=links)


def expires(record: Record) -> datetime | None:
    """When a record should be looked at again: a date means the end of that day where it was written."""
    moment = expiry(record)
    if moment is None:
        return None
    if moment.precision != "day":
        return moment.instant()
    offset = (record.at.offset if record.at else None) or 0
    # The last day of the calendar has no tomorrow.
    last = moment.local.replace(hour=23, minute=59, second=59, microsecond=999999)
    try:
        return (last - timedelta(minutes=offset)).replace(tzinfo=UTC)
    except OverflowError:
        return last.replace(tzinfo=UTC)


def expiry(record: Record) -> Moment | None:
    """The time that a record names for that."""
    value = record.extra.get("expires") or record.extra.get("Expires")
    return iso_moment(value) if isinstance(value, str) else None


def _distinct(records: Sequence[Record]) -> tuple[Record, ...]:
    return tuple({identity(record): record for record in reversed(records)}.values())[::-1]
