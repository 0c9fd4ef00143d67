"""How a memory grows: decisions per week, who writes, what about. Counted from records; nothing is estimated."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, timedelta

from msgspec import Struct

from memdown.dialects import offered
from memdown.dialects.hollow import is_hollow
from memdown.limits.settings import DEFAULTS, LayerSettings
from memdown.markdown import tokens
from memdown.project import Project
from memdown.record import Days, Document, Record, days_of, people
from memdown.text import encode

LONGEST_GAPLESS = 1_000
"""Weeks between the first and the last record up to which weeks without any are counted too: one wrong year must not
make a list of half a million."""


class Person(Struct, frozen=True):
    """Somebody who writes."""

    contributed: int
    """Records of others that they took part in."""
    name: str
    records: int
    """Records they are the author of."""


class Share(Struct, frozen=True):
    """How many records, and which part of all."""

    ratio: float
    records: int


class Growth(Struct, frozen=True):
    """How much there was at the end of a week."""

    bytes: int
    records: int
    week: str


class Tag(Struct, frozen=True):
    """A tag, and how many records have it."""

    name: str
    records: int


class Stats(Struct, frozen=True):
    """What can be counted. Weeks are those of ISO 8601, by the day the author wrote."""

    authors: list[Person]
    """By what they wrote, most first."""
    bytes: int
    files: int
    first: str | None
    growth: list[Growth]
    """Records with a date, week by week, added up."""
    kinds: dict[str, int]
    last: str | None
    records: int
    scopes: dict[str, Share]
    """By the word before the colon: team, agent, skill, …; "none" for records without one."""
    staleness: dict[str, int]
    """Records that are fresh, aging, stale, undated."""
    tags: list[Tag]
    """Those used most, most first."""
    tokens: int
    """What it costs to read all of it, by the estimate."""
    undated: int
    velocity: dict[str, int]
    """Decisions in each week."""


def stats(project: Project, *, top: int = 10) -> Stats:
    """Velocity, authors, growth, scopes, kinds, tags, ages and cost of all memory."""
    return measure(project.documents(), project.now().astimezone(UTC).date(), top=top, limits=project.config.layers)


def measure(
    documents: Iterable[Document], today: date, *, top: int = 10, limits: LayerSettings = DEFAULTS.layers
) -> Stats:
    """Count all records of some files."""
    tally = _Tally()
    for document in documents:
        if document.records:
            tally.add(document)
    days = sorted(tally.written)
    weeks = list(_weeks(days))
    return Stats(
        authors=tally.authors(),
        bytes=tally.bytes,
        files=tally.files,
        first=days[0].isoformat() if days else None,
        growth=_growth(tally.written, weeks),
        kinds=dict(sorted(tally.kinds.items())),
        last=days[-1].isoformat() if days else None,
        records=tally.records,
        scopes=_scopes(tally.scopes, tally.records),
        staleness=ages(tally.days, today, limits),
        tags=_tags(tally.tags, tally.spelled_tags, top),
        tokens=tally.tokens,
        undated=tally.records - sum(records for records, _ in tally.written.values()),
        velocity=_velocity(tally.decided, weeks),
    )


class _Tally:
    """What is counted of files, one after the other: none of them is held."""

    def __init__(self) -> None:
        self.bytes = self.files = self.records = self.tokens = 0
        self.days: Days = Counter()
        self.decided: Counter[date] = Counter()
        self.kinds: Counter[str] = Counter()
        self.scopes: Counter[str | None] = Counter()
        self.spelled_tags: dict[str, str] = {}
        self.tags: Counter[str] = Counter()
        self.written: dict[date, tuple[int, int]] = {}
        """Records and bytes by the day the author wrote."""
        self._people: dict[str, list[str]] = {}
        """Whom a line of authors names."""
        self._spelled: dict[str, Counter[str]] = defaultdict(Counter)
        self._took_part: Counter[str] = Counter()
        self._wrote: Counter[str] = Counter()

    def add(self, document: Document) -> None:
        """Count a file with its records."""
        self.files += 1
        self.tokens += tokens.estimate(document.text)
        sized = [(record, size) for record, size in _sized(document) if not is_hollow(record)]
        self.days.update(days_of(record for record, _ in sized))
        for record, size in sized:
            self.records += 1
            self.bytes += size
            self.kinds[record.kind] += 1
            self.scopes[record.scope] += 1
            if record.at:
                day = record.at.local.date()
                records, before = self.written.get(day, (0, 0))
                self.written[day] = records + 1, before + size
                self.decided[day] += record.kind == "decision"
            self._add_people(record)
            for tag in record.tags:
                self.spelled_tags.setdefault(tag.casefold(), tag)
            self.tags.update({tag.casefold() for tag in record.tags})

    def _add_people(self, record: Record) -> None:
        first, *others = self._named(record.author) if record.author else [""]
        helpers = dict.fromkeys([*others, *(name for each in record.contributors for name in self._named(each))])
        for name in (first, *helpers):
            self._spelled[name.casefold()][name] += 1
        self._wrote[first.casefold()] += 1
        self._took_part.update({name.casefold() for name in helpers} - {first.casefold()})

    def _named(self, author: str) -> list[str]:
        if author not in self._people:
            self._people[author] = people(author)
        return self._people[author]

    def authors(self) -> list[Person]:
        """People by name, whatever its case; a name is shown as it is written most."""
        found = [
            Person(
                contributed=self._took_part[key],
                name=min(written, key=lambda name: (-written[name], name)),
                records=self._wrote[key],
            )
            for key, written in self._spelled.items()
            if key
        ]
        return sorted(found, key=lambda each: (-each.records, -each.contributed, each.name))


def ages(counted: Days, today: date, limits: LayerSettings) -> dict[str, int]:
    """How many records, by dialect, kind and day, are fresh, aging, stale, and without a date.

    Where files age as a whole, a file counts once, and one that does not say how old it is is stale.
    """
    found = {"fresh": 0, "aging": 0, "stale": 0, "undated": 0}
    for (dialect, kind, day), number in counted.items():
        aged = offered(dialect, "AGED")
        if aged in (None, kind):
            days = (today - day).days if day else None
            found["undated" if days is None and not aged else limits.staleness(days)] += number
    return found


def week_of(day: date) -> str:
    """The ISO week of a day, as 2026-W07."""
    year, week, _ = day.isocalendar()
    return f"{year:04}-W{week:02}"


def _weeks(days: list[date]) -> Iterator[str]:
    """Every week from the first day to the last; only those with records when that would be too many."""
    if not days:
        return
    if (days[-1] - days[0]).days > 7 * LONGEST_GAPLESS:
        yield from dict.fromkeys(week_of(day) for day in days)
        return
    for number in range((days[-1] - days[0]).days // 7 + 1):
        yield week_of(days[0] + timedelta(weeks=number))
    if week_of(days[0] + timedelta(weeks=(days[-1] - days[0]).days // 7)) != week_of(days[-1]):
        yield week_of(days[-1])


def _sized(document: Document) -> Iterator[tuple[Record, int]]:
    """Records with their bytes; one inside another adds none."""
    reached = 0
    for record in sorted(document.records, key=lambda each: (each.span.start, -each.span.end)):
        inside = record.span.end <= reached
        yield record, 0 if inside else len(encode(record.span.of(document.text)))
        reached = max(reached, record.span.end)


def _velocity(decided: Mapping[date, int], weeks: Iterable[str]) -> dict[str, int]:
    added: Counter[str] = Counter()
    for day, number in decided.items():
        added[week_of(day)] += number
    return {week: added[week] for week in weeks}


def _growth(written: Mapping[date, tuple[int, int]], weeks: Iterable[str]) -> list[Growth]:
    added: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for day, (records, size) in written.items():
        grown = added[week_of(day)]
        grown[0] += records
        grown[1] += size
    found = []
    records = size = 0
    for week in weeks:
        records, size = records + added[week][0], size + added[week][1]
        found.append(Growth(bytes=size, records=records, week=week))
    return found


def _scopes(scopes: Mapping[str | None, int], records: int) -> dict[str, Share]:
    counted: Counter[str] = Counter()
    for scope, number in scopes.items():
        counted[(scope or "none").partition(":")[0].strip().casefold() or "none"] += number
    return {scope: Share(ratio=round(number / records, 4), records=number) for scope, number in sorted(counted.items())}


def _tags(counted: Mapping[str, int], spelled: Mapping[str, str], top: int) -> list[Tag]:
    ranked = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:top]
    return [Tag(spelled[tag], number) for tag, number in ranked]
