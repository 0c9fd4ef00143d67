"""Decisions as a graph: one row each, the newest first, with rails from each to what it replaced or relates to."""

from collections.abc import Collection

from msgspec import Struct

from memdown.errors import Invalid
from memdown.memory import Memory
from memdown.record import Mark
from memdown.surfaces.show import rails
from memdown.surfaces.web.views.model import Pager, PageRequest, View

_SIZE = 2000
"""Decisions on one page."""


class DecisionRow(Struct, frozen=True):
    """A decision, or the month that those below it were taken in."""

    month: str = ""
    mark: Mark | None = None
    replaces: tuple[str, ...] = ()


def show(memory: Memory, request: PageRequest) -> View:
    asked, problem = request.text("q").strip(), ""
    try:
        query = memory.questions.parse(f"kind:decision {asked}")
        pager = Pager(request.page(), _SIZE, 0)
        found = memory.questions.page(query, offset=pager.offset, limit=_SIZE)
    except Invalid as error:
        problem = str(error)
        found = memory.questions.page(memory.questions.parse("kind:decision"), limit=_SIZE)
    pager = Pager(request.page(), _SIZE, found.total)
    marks = found.found.marks
    names = {mark.record.id: mark.record for mark in marks}
    edges = _edges(marks, names.keys())
    if request.text("linked"):
        touched = {end for edge in edges for end in (edge.source, edge.target)}
        marks = [mark for mark in marks if mark.record.id in touched]
    rows = _rows(marks)
    drawn = rails.lay_out([row.mark.record.id if row.mark else "" for row in rows], edges)
    values = {"rows": rows, "drawn": drawn, "names": names, "pager": pager, "asked": asked, "problem": problem}
    values |= {"linked": bool(request.text("linked")), "edges": len(edges), "shown": len(marks)}
    return View("decisions.html", "Decisions", values)


def _edges(marks: list[Mark], known: Collection[str]) -> list[rails.Rail]:
    """Which decision replaced which, and which others they name."""
    ids = set(known)
    found: dict[tuple[str, str], rails.Rail] = {}
    for mark in marks:
        for by in mark.superseded_by:
            if by in ids:
                found[by, mark.record.id] = rails.Rail("supersedes", by, mark.record.id)
    for mark in marks:
        for link in mark.record.links:
            source, target = mark.record.id, link.resolved or ""
            if target in ids and target != source:
                found.setdefault((source, target), rails.Rail(link.type, source, target))
    return list(found.values())


def _rows(marks: list[Mark]) -> list[DecisionRow]:
    rows, month = [], None
    for mark in marks:
        at = mark.record.at
        own = at.local.strftime("%B %Y") if at else "No date"
        if own != month:
            rows.append(DecisionRow(month=own))
            month = own
        replaced = tuple(link.resolved for link in mark.record.links if link.type == "supersedes" and link.resolved)
        rows.append(DecisionRow(mark=mark, replaces=replaced))
    return rows
