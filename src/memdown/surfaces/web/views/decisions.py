"""Decisions as a graph: one row each, the newest first, with rails from each to what it replaced or relates to."""

from collections.abc import Mapping

from msgspec import Struct

from memdown.errors import Invalid
from memdown.memory import Memory
from memdown.record import Mark, Record, distinct
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
    kept = distinct(marks)
    names = {mark.record.id: first.record for first, copies in kept for mark in (first, *copies)}
    edges = _edges(marks, names)
    copies = len(marks) - len(kept)
    marks = [first for first, _ in kept]
    if request.text("linked"):
        touched = {end for edge in edges for end in (edge.source, edge.target)}
        marks = [mark for mark in marks if mark.record.id in touched]
    rows = _rows(marks)
    drawn = rails.lay_out([row.mark.record.id if row.mark else "" for row in rows], edges)
    values = {"rows": rows, "drawn": drawn, "names": names, "pager": pager, "asked": asked, "problem": problem}
    values |= {"linked": bool(request.text("linked")), "copies": copies, "shown": len(marks)}
    return View("decisions.html", "Decisions", values)


def _edges(marks: list[Mark], names: Mapping[str, Record]) -> list[rails.Rail]:
    """Which decision replaced which, and which others they name; `names` has for each id the record that is shown."""
    found: dict[tuple[str, str], rails.Rail] = {}

    def add(type: str, source: str, target: str) -> None:
        if source in names and target in names:
            ends = names[source].id, names[target].id
            if ends[0] != ends[1]:
                found.setdefault(ends, rails.Rail(type, *ends))

    for mark in marks:
        for by in mark.superseded_by:
            add("supersedes", by, mark.record.id)
    for mark in marks:
        for link in mark.record.links:
            add(link.type, mark.record.id, link.resolved or "")
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
