"""The pages of a hub: how much it holds, what contradicts, who knows, and what is found in all projects."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from memdown.errors import Invalid
from memdown.hub import calls, client
from memdown.hub.calls import HubCall
from memdown.surfaces.web.markup import LONGEST
from memdown.surfaces.web.views.model import Pager, PageRequest, View
from memdown.text import decode, legible

R = TypeVar("R")
Asking = Callable[[HubCall[Any]], Any]
"""What answers a call: a hub."""
_SIZE = 25
_MOST = 250
_PROJECTS = 200
_SUBJECTS = 50


def asking(address: str) -> Asking:
    """A hub, asked once for each call."""
    return partial(client.ask, address)


def overview(ask: Asking, request: PageRequest) -> View:
    del request
    found = ask(calls.ContradictionsCall())
    values = {
        "stats": ask(calls.StatsCall(top=_PROJECTS)),
        "contradictions": found[:_SUBJECTS],
        "subjects": len(found),
        "proposals": ask(calls.ProposalsCall()),
    }
    return View("hub.html", "Hub", values)


def search(ask: Asking, request: PageRequest) -> View:
    asked, page = request.text("q").strip(), request.page()
    pager, hits, total, problem = Pager(page, _SIZE, 0), [], 0, ""
    if asked:
        try:
            found = ask(calls.SearchCall(query=asked, limit=min(page * _SIZE, _MOST)))
        except Invalid as error:
            problem = str(error)
        else:
            total = found.hits.total
            pager = Pager(page, _SIZE, min(total, _MOST))
            hits = [*zip(found.hits.hits, found.places, strict=True)][pager.offset :]
    values = {"asked": asked, "hits": hits, "total": total, "pager": pager, "problem": problem}
    return View("hub_search.html", f"Search: {asked}" if asked else "Search", values)


def who(ask: Asking, request: PageRequest) -> View:
    asked = request.text("q").strip()
    people, problem = [], ""
    if asked:
        try:
            people = ask(calls.WhoCall(question=asked))
        except Invalid as error:
            problem = str(error)
    return View("hub_who.html", "Who knows", {"asked": asked, "people": people, "problem": problem})


def document(ask: Asking, request: PageRequest) -> View:
    found = ask(calls.DocumentCall(project=request.text("project"), path=request.text("path")))
    text = legible(decode(found.content))
    return View("hub_document.html", found.path, {"document": found, "text": text, "cut": len(text) > LONGEST})


SHOWS: dict[str, Callable[[Asking, PageRequest], View]] = {
    "": overview,
    "document": document,
    "search": search,
    "who": who,
}
NAVIGATION = (("", "Overview", "o"), ("search", "Search", "s"), ("who", "Who knows", "w"))
"""What the menu lists."""
