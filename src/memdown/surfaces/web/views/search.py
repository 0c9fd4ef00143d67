"""Searching as you type, with what an answer can be narrowed down by."""

from typing import Any

from memdown.errors import Invalid
from memdown.memory import Memory
from memdown.surfaces.web.views.model import Pager, PageRequest, View

_SIZE = 25
_FILE = 200
"""Records on one page of an export."""
_MOST = 1000


def show(memory: Memory, request: PageRequest) -> View:
    asked, page = request.text("q").strip(), request.page()
    values: dict[str, Any] = {"asked": asked, "hits": [], "marks": [], "facets": [], "problem": "", "answer": None}
    size = _FILE if request.as_file else _SIZE
    pager = Pager(page, size, 0)
    try:
        query = memory.questions.parse(asked, limit=min(page * size, _MOST))
        values["facets"] = memory.questions.facets(query)
        if query.words or any(True for _ in query.ranking()):
            answer = memory.search(query)
            pager = Pager(page, size, min(answer.total, _MOST))
            values |= {"answer": answer, "hits": answer.hits[pager.offset :]}
        else:
            found = memory.questions.page(query, offset=pager.offset, limit=size)
            pager = Pager(page, size, found.total)
            values["marks"] = found.found.marks
    except Invalid as error:
        values["problem"] = str(error)
    return View("search.html", f"Search: {asked}" if asked else "Search", {**values, "pager": pager})


def complete(memory: Memory, request: PageRequest) -> View:
    """Queries that go on as the one that is being typed."""
    return View("complete.html", "Completions", {"found": memory.questions.completions(request.text("q")[:500])})
