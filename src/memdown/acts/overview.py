"""One look at a memory: what was decided of late and by whom, how old the rest is, and what it costs to read."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, timedelta

from msgspec import Struct

from memdown.index import questions
from memdown.index.facets import STALE, STANDING, DayCount, IndexedFile
from memdown.limits.settings import LayerSettings
from memdown.markdown import tokens
from memdown.project import Project
from memdown.record import LISTS, Mark, distinct

DAYS = 7
"""What happened in these is news."""
_MOST = 50
_OLDEST = 6
_NEWEST = 6
_FILES = 8
_COPIES = 4
"""So many times as many are asked for as are shown: a folder that was renamed is often kept, with the same entries."""
_COUNTED = 100_000
"""Characters of a file that are counted; the rest is taken to be like them."""
_AGES = ((7, "this week"), (30, "this month"), (90, "1 to 3 months"), (180, "3 to 6 months"), (365, "6 to 12 months"))


class AgeBand(Struct, frozen=True):
    """The records of one age that nothing replaces and that are in no archive."""

    name: str
    state: str
    """fresh, aging or stale, or undated."""
    records: int
    after: str | None
    before: str | None
    """The days between which they were written, these included."""


class FileCost(Struct, frozen=True):
    """What a file costs to read."""

    path: str
    tokens: int
    limit: int | None
    """How many it should have at most, where its dialect says so."""


class MemoryOverview(Struct, frozen=True):
    """What a person wants to know first."""

    name: str
    since: str
    """The day from which on something is news."""
    files: int
    records: int
    decided: list[Mark]
    """Decisions since then, the newest first."""
    earlier: list[Mark]
    """The newest decisions before that."""
    changed: list[Mark]
    """Other records since then."""
    changed_total: int
    ages: list[AgeBand]
    standing_query: str
    """What asks for all that have an age."""
    stale: int
    stale_query: str
    """What asks for them."""
    oldest: list[Mark]
    """Those that nobody has touched for longest."""
    costs: list[FileCost]
    """The files that cost most."""


def overview(project: Project, limits: Mapping[str, int | None]) -> MemoryOverview:
    """The look; `limits` are the tokens that files should have at most."""
    asked = questions.of(project)
    today = project.now().astimezone(UTC).date()
    since = (today - timedelta(days=DAYS)).isoformat()
    decided = asked.page(asked.parse(f"kind:decision after:{since}"), limit=_MOST)
    earlier = asked.page(asked.parse("kind:decision"), offset=decided.total, limit=_NEWEST * _COPIES)
    others = " ".join(f"-kind:{kind}" for kind in ("decision", *LISTS))
    changed = asked.page(asked.parse(f"after:{since} {others}"), limit=_NEWEST * 2 * _COPIES)
    standing = asked.parse(STANDING)
    undated = asked.page(asked.parse(f"{STANDING} is:undated"), limit=1).total
    oldest = asked.oldest(asked.parse(STALE), limit=_OLDEST * _COPIES)
    files = asked.files()
    return MemoryOverview(
        name=project.root.name,
        since=since,
        files=len(files),
        records=sum(each.records for each in files),
        decided=_once(decided.found.marks),
        earlier=_once(earlier.found.marks)[:_NEWEST],
        changed=_once(changed.found.marks)[: _NEWEST * 2],
        changed_total=changed.total,
        ages=bands(asked.days(standing), undated, today, project.config.layers),
        standing_query=STANDING,
        stale=oldest.total,
        stale_query=STALE,
        oldest=_once(oldest.found.marks)[:_OLDEST],
        costs=_costs(project, files, limits),
    )


def _once(marks: Iterable[Mark]) -> list[Mark]:
    return [first for first, _ in distinct(marks)]


def bands(days: Iterable[DayCount], undated: int, today: date, limits: LayerSettings) -> list[AgeBand]:
    """Records by age, the youngest first; bands without any are left out."""
    counted = [0] * (len(_AGES) + 1)
    for each in days:
        age = (today - date.fromisoformat(each.day)).days
        counted[next((at for at, (most, _) in enumerate(_AGES) if age <= most), len(_AGES))] += each.records
    found = []
    youngest = None
    for number, (most, name) in zip(counted, (*_AGES, (None, "over a year")), strict=True):
        after = (today - timedelta(days=most)).isoformat() if most is not None else None
        state = limits.staleness(most if most is not None else None)
        found.append(AgeBand(name, state, number, after, youngest))
        youngest = (today - timedelta(days=most + 1)).isoformat() if most is not None else None
    found.append(AgeBand("no date", "undated", undated, None, None))
    return [band for band in found if band.records]


def _costs(project: Project, files: Sequence[IndexedFile], limits: Mapping[str, int | None]) -> list[FileCost]:
    largest = sorted(files, key=lambda each: (each.path not in limits, -each.size))[: 2 * _FILES]
    costs = [FileCost(each.path, _tokens(project.text(each.path)), limits.get(each.path)) for each in largest]
    dearest = sorted(costs, key=lambda each: (each.limit is None, -each.tokens))[:_FILES]
    return sorted(dearest, key=lambda each: -each.tokens)


def _tokens(text: str) -> int:
    """What a text costs to read; of a long one, by its beginning."""
    counted = tokens.estimate(text[:_COUNTED])
    return counted if len(text) <= _COUNTED else counted * len(text) // _COUNTED
