"""How a memory grows: decisions per week, who writes, what about. Counted from records; nothing is estimated."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
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
    filled = [document for document in documents if document.records]
    sized = [pair for document in filled for pair in _sized(document) if not is_hollow(pair[0])]
    records = [record for record, _ in sized]
    days = sorted(record.at.local.date() for record in records if record.at)
    weeks = list(_weeks(days))
    return Stats(
        authors=_authors(records),
        bytes=sum(size for _, size in sized),
        files=len(filled),
        first=days[0].isoformat() if days else None,
        growth=_growth(sized, weeks),
        kinds=dict(sorted(Counter(record.kind for record in records).items())),
        last=days[-1].isoformat() if days else None,
        records=len(records),
        scopes=_scopes(records),
        staleness=ages(days_of(records), today, limits),
        tags=_tags(records, top),
        tokens=sum(tokens.estimate(document.text) for document in filled),
        undated=len(records) - len(days),
        velocity=_velocity(records, weeks),
    )


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


def _velocity(records: Iterable[Record], weeks: Iterable[str]) -> dict[str, int]:
    decided = Counter(week_of(record.at.local.date()) for record in records if record.kind == "decision" and record.at)
    return {week: decided[week] for week in weeks}


def _growth(sized: Iterable[tuple[Record, int]], weeks: Iterable[str]) -> list[Growth]:
    added: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for record, size in sized:
        if record.at:
            grown = added[week_of(record.at.local.date())]
            grown[0] += 1
            grown[1] += size
    found = []
    records = size = 0
    for week in weeks:
        records, size = records + added[week][0], size + added[week][1]
        found.append(Growth(bytes=size, records=records, week=week))
    return found


def _authors(records: Iterable[Record]) -> list[Person]:
    """People by name, whatever its case; a name is shown as it is written most."""
    wrote: Counter[str] = Counter()
    took_part: Counter[str] = Counter()
    spelled: dict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        first, *others = people(record.author) if record.author else [""]
        helpers = dict.fromkeys([*others, *(name for each in record.contributors for name in people(each))])
        for name in (first, *helpers):
            spelled[name.casefold()][name] += 1
        wrote[first.casefold()] += 1
        took_part.update({name.casefold() for name in helpers} - {first.casefold()})
    people_found = [
        Person(
            contributed=took_part[key], name=min(written, key=lambda name: (-written[name], name)), records=wrote[key]
        )
        for key, written in spelled.items()
        if key
    ]
    return sorted(people_found, key=lambda each: (-each.records, -each.contributed, each.name))


def _scopes(records: list[Record]) -> dict[str, Share]:
    counted = Counter((record.scope or "none").partition(":")[0].strip().casefold() or "none" for record in records)
    return {
        scope: Share(ratio=round(number / len(records), 4), records=number) for scope, number in sorted(counted.items())
    }


def _tags(records: Iterable[Record], top: int) -> list[Tag]:
    counted: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for record in records:
        for tag in record.tags:
            spelled.setdefault(tag.casefold(), tag)
        counted.update({tag.casefold() for tag in record.tags})
    ranked = sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:top]
    return [Tag(spelled[tag], number) for tag, number in ranked]
