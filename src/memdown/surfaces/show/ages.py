"""The ages of memories as people see them: a chart of bars, and a table."""

from collections.abc import Iterator, Sequence

from memdown.memory.layers import Age, StalenessReport
from memdown.surfaces.show import charts
from memdown.surfaces.show.style import style

_WIDTH = 72
_COLOURS = {"fresh": "added", "aging": "warning", "stale": "error"}


def lines(report: StalenessReport, limits: tuple[int, int], *, chart: bool, table: bool) -> Iterator[str]:
    groups = {"fresh": report.fresh, "aging": report.aging, "stale": report.stale}
    if not any(groups.values()):
        yield "There is no memory here."
        return
    if chart:
        yield from _chart([age for ages in groups.values() for age in ages], limits)
    if chart and table:
        yield ""
    if table:
        for name, ages in groups.items():
            yield f"{style(_COLOURS[name], name)}: {len(ages):,} {'memory' if len(ages) == 1 else 'memories'}"
            yield from (f"  {_days(age):>8}  {age.updated_at or '----------'}  {age.id}" for age in ages)


def _days(age: Age) -> str:
    return "no stamp" if age.days_since_update is None else f"{age.days_since_update} d"


def _chart(ages: Sequence[Age], limits: tuple[int, int]) -> Iterator[str]:
    """A bar for each range of days, to scale, in the colour of its group."""
    known = [age.days_since_update for age in ages if age.days_since_update is not None]
    groups, values = [], []
    for group, first, last in _ranges(*limits):
        name = f"{first}-{last} days" if last is not None else f"{first} days and more"
        groups.append(group)
        values.append((name, sum(first <= days and (last is None or days <= last) for days in known)))
    groups.append("stale")
    values.append(("no stamp", len(ages) - len(known)))
    drawn = charts.bars(charts.Series("Ages", tuple(values)), _WIDTH)
    for group, line in zip(groups, drawn, strict=True):
        yield style(_COLOURS[group], line)


def _ranges(fresh: int, aging: int) -> list[tuple[str, int, int | None]]:
    """Groups cut in two, so that what will soon be stale can be told from the rest."""
    early, middle, late = fresh // 4, (fresh + aging) // 2, max(180, aging + 90)
    return [
        ("fresh", 0, early),
        ("fresh", early + 1, fresh),
        ("aging", fresh + 1, middle),
        ("aging", middle + 1, aging),
        ("stale", aging + 1, late),
        ("stale", late + 1, None),
    ]
