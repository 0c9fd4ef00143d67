"""How records relate: which replace which, and which are over. Links are resolved by instant, then kind, then title."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct, structs

from memdown.dialects.sem import grammar
from memdown.dialects.sem.finder import Finder, identity
from memdown.patterns import lazy
from memdown.record import Link, Record
from memdown.times import Moment

Place = tuple[str, int, int]
"""Where a record stands. Ids do not do here: copies of one entry have the same one."""

_MARKED = lazy(r"[\[(]\s*superseded\b", re.IGNORECASE)
_NOTHING = frozenset(("", "-", "—", "n/a", "none", "nothing", "tbd"))
_LINKING = frozenset(("supersedes", *grammar.KINDS))


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
    walk = _Walk(known)
    for number, record in enumerate(known):
        if any(link.type in _LINKING for link in record.links):
            walk.follow(number)
    marked: dict[Place, list[Record]] = {place_of(record): [] for record in known if _says_so(record)}
    for number, targets in walk.edges.items():
        for each in targets:
            marked.setdefault(place_of(known[each]), []).append(known[number])
    return Relations(
        superseded={place: _distinct(by) for place, by in marked.items()},
        links=walk.links,
    )


class _Walk:
    """Follows links, and keeps where they lead."""

    def __init__(self, known: Sequence[Record]) -> None:
        self._known = known
        self._finder: Finder | None = None
        self._identities: dict[int, object] = {}
        self.edges: dict[int, list[int]] = {}
        self.links: dict[Place, tuple[Link, ...]] = {}

    def follow(self, number: int) -> None:
        """Find what one record points at."""
        self._finder = self._finder or Finder(self._known)
        record, links = self._known[number], []
        for link in record.links:
            target = plain_target(link.target)
            found: list[int] = []
            if link.type in _LINKING and names_something(target):
                found = self._finder.find(number, target, record.kind if link.type == "supersedes" else link.type)
            alike = self._are_one(found)
            if alike and link.type == "supersedes":
                self.edges.setdefault(number, []).extend(found)
            links.append(structs.replace(link, resolved=self._known[found[0]].id) if alike else link)
        self.links[place_of(record)] = tuple(links)

    def _are_one(self, found: list[int]) -> bool:
        """Whether these are copies of one entry."""
        for each in found:
            if each not in self._identities:
                self._identities[each] = identity(self._known[each])
        return len({self._identities[each] for each in found}) == 1


def plain_target(target: str) -> str:
    """What a link names, without the marks around it."""
    return target.strip().strip("`*")


def names_something(target: str) -> bool:
    """Whether a link leads anywhere at all; people write that there is none."""
    return plain_target(target).casefold() not in _NOTHING


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
    return grammar.moment(value) if isinstance(value, str) else None


def _says_so(record: Record) -> bool:
    """A legacy entry tells of its end in its title or status."""
    if record.dialect != "sem" or record.extra.get("form") == "sem":
        return False
    status = (record.status or "").casefold()
    return bool(_MARKED.search(record.title or "")) or "superseded" in status


def _distinct(records: Sequence[Record]) -> tuple[Record, ...]:
    return tuple({identity(record): record for record in reversed(records)}.values())[::-1]
