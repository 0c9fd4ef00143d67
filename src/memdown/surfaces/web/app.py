"""The application: an address becomes a page or an act, which `Memory` answers in a thread of its own.

Needs the extra `web`.
"""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from http import HTTPStatus
from typing import Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlsplit

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from memdown import VERSION
from memdown.errors import Exists, Invalid, Locked, MemdownError, NotFound, Refused, Stale, Unreadable
from memdown.memory import Memory
from memdown.surfaces.web import markup
from memdown.surfaces.web.live import Live
from memdown.surfaces.web.sites import Site
from memdown.surfaces.web.views import shown
from memdown.surfaces.web.views.model import PageRequest, View

T = TypeVar("T")
M = TypeVar("M")
_THREADS = 2
_FORM = 4 << 20
"""Bytes of a form; a longer one is refused."""
_STATUS: dict[type[MemdownError], int] = {
    NotFound: 404,
    Invalid: 400,
    Refused: 403,
    Exists: 409,
    Stale: 409,
    Locked: 409,
    Unreadable: 500,
}
_TITLES = {
    400: "Invalid request",
    403: "Not allowed",
    404: "Not found",
    409: "Changed meanwhile",
    500: "Memory cannot be read",
}


class _ServerEnds(Exception):
    """The server ends before an answer is there."""


class Workers(Generic[M]):
    """A few threads, each with the memory that is shown."""

    def __init__(self, site: Site[M]) -> None:
        self._own = threading.local()
        self._site = site
        self._asked: set[asyncio.Future[Any]] = set()
        self._gave_up = False
        self._pool = ThreadPoolExecutor(_THREADS, "memdown-web")

    def _memory(self) -> M:
        """That of this thread."""
        held: M | None = getattr(self._own, "memory", None)
        self._own.memory = memory = self._site.open(held)
        return memory

    async def ask(self, question: Callable[[M], T]) -> T:
        """What memory answers; the event loop goes on meanwhile."""
        if self._gave_up:
            raise _ServerEnds
        asked = asyncio.get_running_loop().run_in_executor(self._pool, lambda: question(self._memory()))
        self._asked.add(asked)
        asked.add_done_callback(self._asked.discard)
        try:
            return await asked
        except asyncio.CancelledError:
            if self._gave_up:
                raise _ServerEnds from None
            raise

    def give_up(self) -> None:
        """Wait for no answer any more; what is written meanwhile is written to its end."""
        self._gave_up = True
        for each in tuple(self._asked):
            each.cancel()

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


class Pages(Generic[M]):
    """Everything that can be asked of the server."""

    def __init__(self, site: Site[M], workers: Workers[M], live: Live) -> None:
        self._site = site
        self._workers = workers
        self._live = live
        self._slow = asyncio.Semaphore(_THREADS - 1)
        self._templates = markup.environment(address)
        self._templates.globals.update(
            static=_static,
            navigation=site.navigation,
            live=True,
            policy="",
            watched=site.root is not None,
            version=VERSION,
        )
        self.app = Starlette(
            routes=[
                Mount("/static", StaticFiles(directory=markup.STATIC)),
                Route("/events", live.stream),
                Route("/do/{name}", self._do, methods=["POST"]),
                Route("/", self._show),
                Route("/{name}", self._show),
            ],
            middleware=[Middleware(GZipMiddleware, minimum_size=500)],
            exception_handlers={_ServerEnds: _ended, MemdownError: self._unopened},
        )

    async def _show(self, request: Request) -> Response:
        name = request.path_params.get("name", "")
        show = self._site.shows.get(name)
        given = PageRequest(dict(request.query_params))
        if show is None:
            return await self._failed(name, NotFound("There is no such page here."))
        changes = self._live.changes  # before memory is read: what changes meanwhile is told to this page too
        async with self._slow if name in self._site.slow else nullcontext():
            return await self._workers.ask(lambda memory: self._page(memory, name, given, changes))

    def _page(self, memory: M, name: str, given: PageRequest, changes: int) -> Response:
        try:
            return self._render(memory, name, given, self._site.shows[name](memory, given), changes)
        except MemdownError as error:
            return self._render(memory, name, given, _error(error), changes)

    async def _failed(self, name: str, error: MemdownError) -> Response:
        return await self._workers.ask(lambda memory: self._render(memory, name, PageRequest({}), _error(error)))

    def _unopened(self, request: Request, error: Exception) -> Response:
        """What is asked of memory that cannot be opened, as while its settings are half written."""
        assert isinstance(error, MemdownError)
        facts = {"project": self._site.name, "notices": ()}
        changes = self._live.changes if request.method == "GET" else -1
        return self._page_with(facts, request.path_params.get("name", ""), PageRequest({}), _error(error), changes)

    def _render(self, memory: M, name: str, given: PageRequest, view: View, changes: int = -1) -> Response:
        return self._page_with(self._site.facts(memory), name, given, view, changes)

    def _page_with(self, facts: dict[str, Any], name: str, given: PageRequest, view: View, changes: int) -> Response:
        common = {"title": view.title, "here": name, "request": given, "changes": changes, **facts}
        html = self._templates.get_template(view.template).render(common | view.values)
        return HTMLResponse(html.encode("utf-8", "replace"), view.status, {"cache-control": "no-store"})

    async def _do(self, request: Request) -> Response:
        name = request.path_params["name"]
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _FORM:
                return await self._failed("do", Invalid("The form is too long; edit the file instead."))
        if name not in self._site.does:
            return await self._failed("do", NotFound("There is no such action here."))
        given = PageRequest(dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)))
        back = _page_of(request)
        answer = await self._workers.ask(lambda memory: self._act(memory, name, given, back))
        self._live.changed()
        return answer

    def _act(self, memory: M, name: str, given: PageRequest, back: str) -> Response:
        assert isinstance(memory, Memory)  # nothing else has acts
        try:
            with memory.files.act("web", name):
                done = self._site.does[name](memory, given)
                reverse = done.reverse or {"undo": memory.files.step}
        except MemdownError as error:
            diff = shown.since(memory, given.text("path"), given.text("hash")) if isinstance(error, Stale) else ""
            wrote = "\n\n".join(filter(None, (given.text("title"), given.text("content"))))
            return self._render(memory, "do", given, _error(error, diff, back, wrote))
        place = address(done.page, **done.given, done=done.message, **reverse)
        return RedirectResponse(place, HTTPStatus.SEE_OTHER)


def address(page: str, /, **given: object) -> str:
    """Where a page is."""
    anchor = str(given.pop("anchor", ""))
    query = markup.query(**given)
    return f"/{page}{'?' if query else ''}{query}{'#' if anchor else ''}{anchor}"


def _ended(request: Request, error: Exception) -> Response:
    del request, error
    return PlainTextResponse("The server stopped before this page was ready.", HTTPStatus.SERVICE_UNAVAILABLE)


def _static(name: str) -> str:
    return f"/static/{name}?{VERSION}"


def _page_of(request: Request) -> str:
    """The page of ours whose form was sent, to go back to; empty where the browser does not say."""
    from_page = urlsplit(request.headers.get("referer", ""))
    if from_page.netloc != request.headers["host"] or from_page.path.startswith("/do/"):
        return ""
    return f"/{from_page.path.lstrip('/')}{'?' if from_page.query else ''}{from_page.query}"


def _error(error: MemdownError, diff: str = "", back: str = "", wrote: str = "") -> View:
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
    values = {"sentence": str(error), "diff": diff, "back": back, "wrote": wrote, "again": status >= 500}
    return View("error.html", _TITLES[status], values, status)
