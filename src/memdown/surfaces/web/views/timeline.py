"""Everything that has a date, over time: a picture to zoom into, filters, and the entries themselves."""

import json
from collections import Counter
from datetime import date

from msgspec import Struct

from memdown.errors import Invalid
from memdown.index.facets import DayCount
from memdown.memory import Memory
from memdown.surfaces.web.views.model import Pager, PageRequest, View

_SIZE = 50
_KINDS = 6
"""Kinds that are drawn apart; the rest is one."""
_BARS = 80
_DAY = 30
FILTERS = ("kind", "author", "tag", "dialect")


class TimeBar(Struct, frozen=True):
    """A stretch of time in the picture that needs no script."""

    at: int
    """Which stretch, from 0."""
    first: str
    last: str
    """The days of it that have records."""
    parts: list[tuple[int, int, int]]
    """Which kind, how many records, and how many are below it."""
    total: int


def show(memory: Memory, request: PageRequest) -> View:
    chosen = {name: request.text(name) for name in FILTERS if request.text(name)}
    asked = " ".join(f'{name}:"{value}"' for name, value in chosen.items())
    asked = f"{request.text('q').strip()} {asked}".strip()
    problem = ""
    try:
        query = memory.questions.parse(asked)
        counted = memory.questions.days(query)
    except Invalid as error:
        problem, query = str(error), memory.questions.parse("")
        counted = memory.questions.days(query)
    pager = Pager(request.page(), _SIZE, 0)
    found = memory.questions.page(query, offset=pager.offset, limit=_SIZE)
    dated = sum(each.records for each in counted)  # those without a date are behind all others
    kinds = [kind for kind, _ in _by_kind(counted).most_common(_KINDS)]
    bars, stretches = _bars(counted, kinds)
    values = {
        "facets": [each for each in memory.questions.facets(memory.questions.parse("")) if each.name in FILTERS],
        "chosen": chosen,
        "words": request.text("q"),
        "problem": problem,
        "pager": Pager(request.page(), _SIZE, dated),
        "marks": [mark for mark in found.found.marks if mark.record.at],
        "undated": found.total - dated,
        "kinds": [*kinds, *(["other"] if len(_by_kind(counted)) > len(kinds) else [])],
        "bars": bars,
        "stretches": stretches,
        "most": max((bar.total for bar in bars), default=1) or 1,
        "series": json.dumps(_series(counted, kinds)),
        "asked": asked,
    }
    return View("timeline.html", "Timeline", values)


def day(memory: Memory, request: PageRequest) -> View:
    """The entries between two days, for who points at a part of the picture."""
    words = f"{request.text('q')} after:{request.text('first')} before:{request.text('last')}"
    found = memory.questions.page(memory.questions.parse(words), limit=_DAY)
    return View("day.html", request.text("first"), {"marks": found.found.marks, "total": found.total})


def _by_kind(counted: list[DayCount]) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in counted:
        found[each.kind] += each.records
    return found


def _series(counted: list[DayCount], kinds: list[str]) -> dict[str, object]:
    """Days with records, and for each kind how many."""
    days = sorted({each.day for each in counted})
    at = {day: number for number, day in enumerate(days)}
    rows = [[0] * len(days) for _ in range(len(kinds) + 1)]
    for each in counted:
        rows[kinds.index(each.kind) if each.kind in kinds else len(kinds)][at[each.day]] += each.records
    other = any(rows[-1])
    return {"days": days, "kinds": [*kinds, *(["other"] if other else [])], "rows": rows if other else rows[:-1]}


def _bars(counted: list[DayCount], kinds: list[str]) -> tuple[list[TimeBar], int]:
    """Days put together so that all of them can be seen, and into how many stretches of one length time is cut."""
    days = sorted({date.fromisoformat(each.day) for each in counted})
    span = (days[-1] - days[0]).days + 1 if days else 0
    size = max(-(-span // _BARS), 1)
    sums: dict[int, Counter[int]] = {}
    for each in counted:
        at = (date.fromisoformat(each.day) - days[0]).days // size
        kind = kinds.index(each.kind) if each.kind in kinds else len(kinds)
        sums.setdefault(at, Counter())[kind] += each.records
    found = []
    for at in sorted(sums):
        own = [day.isoformat() for day in days if (day - days[0]).days // size == at]
        below, parts = 0, []
        for kind in sorted(sums[at]):
            parts.append((kind, sums[at][kind], below))
            below += sums[at][kind]
        found.append(TimeBar(at, own[0], own[-1], parts, below))
    return found, -(-span // size)
