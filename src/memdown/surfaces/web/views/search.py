"""Searching as you type, with what an answer can be narrowed down by."""

from typing import Any

from memdown.errors import Invalid
from memdown.memory import Memory
from memdown.surfaces.web.views.model import Pager, PageRequest, View

_SIZE = 25
_MOST = 1000


def show(memory: Memory, request: PageRequest) -> View:
    asked, page = request.text("q").strip(), request.page()
    values: dict[str, Any] = {"asked": asked, "hits": [], "marks": [], "facets": [], "problem": "", "answer": None}
    pager = Pager(page, _SIZE, 0)
    try:
        query = memory.questions.parse(asked, limit=min(page * _SIZE, _MOST))
        values["facets"] = memory.questions.facets(query)
        if query.words or any(True for _ in query.ranking()):
            answer = memory.search(query)
            pager = Pager(page, _SIZE, min(answer.total, _MOST))
            values |= {"answer": answer, "hits": answer.hits[pager.offset :]}
        else:
            found = memory.questions.page(query, offset=pager.offset, limit=_SIZE)
            pager = Pager(page, _SIZE, found.total)
            values["marks"] = found.found.marks
    except Invalid as error:
        values["problem"] = str(error)
    return View("search.html", f"Search: {asked}" if asked else "Search", {**values, "pager": pager})


def complete(memory: Memory, request: PageRequest) -> View:
    """Queries that go on as the one that is being typed."""
    return View("complete.html", "Completions", {"found": memory.questions.completions(request.text("q")[:500])})
