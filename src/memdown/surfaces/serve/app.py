"""The paths of a hub's server: who is let in, what is asked of the database, and how it begins and ends."""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import msgspec
import uvicorn

from memdown import VERSION
from memdown.errors import Invalid, MemdownError, NotFound, Refused, fault_of, quote
from memdown.hub.calls import CALLS, HubCall, ProposeCall, PublishCall
from memdown.hub.connection import HubDown
from memdown.hub.served import PATH as API
from memdown.surfaces.listening import QUIET
from memdown.surfaces.mcp.http.guard import PATH as MCP
from memdown.surfaces.mcp.http.guard import HostNames, Receive, Scope, Send, SlowBody, timely
from memdown.surfaces.serve.changes import HubChanges
from memdown.surfaces.serve.database import HubDatabase, UnknownToken
from memdown.surfaces.serve.endpoint import HubEndpoint
from memdown.surfaces.serve.exchange import Exchange
from memdown.surfaces.serve.limits import KnownTokens, RequestLimit, ServeLimits
from memdown.surfaces.serve.oauth import HubOAuth
from memdown.surfaces.waiting import Connection, WaitingRoom

T = TypeVar("T")
_HEALTH, _READY = "/health", "/ready"
_CONNECTIONS = 1000
_OTHER_NAME = Refused("This server does not accept this host name; --allow-host adds one.")


class HubApp:
    """The ASGI application."""

    def __init__(
        self, database: HubDatabase, names: Sequence[str], limits: ServeLimits, url: str | None = None
    ) -> None:
        self._database = database
        self._names = HostNames(names)
        self._limits = limits
        self._requests = RequestLimit(limits.requests)
        self._known = KnownTokens()
        self._threads = ThreadPoolExecutor(limits.connections + 4, thread_name_prefix="hub")
        self.changes = HubChanges(database, self.work, limits.streams)
        self.endpoint = HubEndpoint(database, self.work, self.changes, limits.body)
        self._oauth = HubOAuth(database, self.work, url) if url else None
        self.is_ending = False

    async def work(self, do: Callable[[], T]) -> T:
        """Do what waits for the database beside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, do)

    def close(self) -> None:
        self._threads.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Exchange(scope, timely(receive, self._limits.body_seconds), send)
        try:
            await self._answer(request)
        except SlowBody:
            await request.refuse(Invalid("The request did not arrive in time."), 408)
        except MemdownError as error:
            await request.refuse(error)
        finally:
            request.log()

    async def _answer(self, request: Exchange) -> None:
        method, path = request.scope["method"], request.path
        if path == _HEALTH:
            await request.reply(200, {"status": "ok", "version": VERSION})
        elif path == _READY:
            await self._ready(request)
        elif self._oauth is not None and path in self._oauth.paths:
            await self._authorize(request, self._oauth)
        elif path != MCP and not path.startswith(API):
            raise NotFound(f"There is no {quote(path)} here; working copies use {API}, assistants {MCP}.")
        elif not self._names.has(request.header(b"host")):
            await request.refuse(_OTHER_NAME, 421)
        elif not self._names.may_ask(request.header(b"origin")):
            raise Refused("Pages of other origins may not use this server.")
        elif path.startswith(API) and method != "POST":
            await request.refuse(Invalid("Calls are sent with POST."), 405)
        elif await self._is_let_in(request):
            await (self._mcp(request) if path == MCP else self._api(request))

    async def _authorize(self, request: Exchange, oauth: HubOAuth) -> None:
        """What who has no token yet may ask for; all of them together have a limit."""
        wait = self._requests.wait("")
        if wait:
            await request.refuse(HubDown("too many requests for access; try again later"), 429, wait)
        elif not self._names.has(request.header(b"host")):
            await request.refuse(_OTHER_NAME, 421)
        else:
            await oauth.app(request.scope, request.receive, request.send)

    async def _ready(self, request: Exchange) -> None:
        if self.is_ending:
            raise HubDown("this server is shutting down")
        try:
            await self.work(self._database.ready)
        except MemdownError as error:
            await request.refuse(error, 503)
        else:
            await request.reply(200, {"status": "ready", "version": VERSION})

    async def _is_let_in(self, request: Exchange) -> bool:
        """Whether a token is sent, and its owner has not asked too much. Whether it is valid says the database."""
        if self._oauth is not None:
            request.challenge = f', resource_metadata="{self._oauth.metadata}"'
        request.token = _bearer(request.header(b"authorization"))
        principal = self._known.get(request.token)
        if principal is None or request.path == MCP:
            principal = await self.work(partial(self._database.principal, request.token))
            self._known.note(request.token, principal)
        request.identified(principal)
        wait = self._requests.wait(principal)
        if wait:
            busy = HubDown(f"{principal} sent more than {self._limits.requests} requests in a minute; wait {wait} s")
            await request.refuse(busy, 429, wait)
        return not wait

    async def _mcp(self, request: Exchange) -> None:
        request.scope["memdown.exchange"] = request
        await self.endpoint.handle(request.scope, request.receive, request.send)

    async def _api(self, request: Exchange) -> None:
        kind = CALLS.get(request.path.removeprefix(API))
        if kind is None:
            raise NotFound(
                f"There is no call {quote(request.path)}; this is memdown {VERSION}, and yours may be another version."
            )
        is_push = issubclass(kind, (PublishCall, ProposeCall))
        most = self._limits.push if is_push else self._limits.body
        body = await request.body(most)
        if body is None:
            await request.refuse(Refused(f"This hub accepts at most {most >> 20} MB at once; push less."), 413)
            return
        await request.reply(200, await self.work(partial(self._asked, request, kind, body)))

    def _asked(self, request: Exchange, kind: type[HubCall[object]], body: bytes) -> object:
        try:
            call = msgspec.json.decode(body or b"{}", type=kind)
        except (ValueError, RecursionError) as error:
            raise Invalid(f"The call {kind.name} is invalid: {fault_of(error)}.") from None
        call.refuse()
        try:
            return self._database.ask(request.token, call, request.identified)
        except RecursionError:
            raise Invalid("The query is nested too deeply.") from None


def _bearer(given: Sequence[str]) -> str:
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer" or not token.strip():
        raise UnknownToken("Send your hub token as `Authorization: Bearer <token>`.")
    return token.strip()


class _HubHttp(uvicorn.Server):
    """Answers what is under way before it ends."""

    def __init__(self, config: uvicorn.Config, app: HubApp, drain: float) -> None:
        super().__init__(config)
        self._app = app
        self._drain = drain

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._app.is_ending = True
        await asyncio.sleep(self._drain)
        self._app.changes.end()
        await super().shutdown(sockets)


def serve(
    listening: socket.socket, dsn: str, names: Sequence[str], limits: ServeLimits, url: str | None = None
) -> None:
    """Serve until the process is asked to end; where clients reach it is needed to let assistants in by OAuth."""
    database = HubDatabase(dsn, limits.connections)
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: None)  # uvicorn ends by them, and raises them again when it has
    database.open()
    try:
        asyncio.run(_serve(listening, HubApp(database, names, limits, url), database, limits))
    finally:
        database.close()


async def _serve(listening: socket.socket, app: HubApp, database: HubDatabase, limits: ServeLimits) -> None:
    config = uvicorn.Config(
        app,
        http=partial(Connection, WaitingRoom(limits.waiting, limits.header_seconds)),  # type: ignore[arg-type]
        log_level="error",
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=limits.grace_seconds,
        **QUIET,
    )
    heard = app.changes.hear(asyncio.get_running_loop())
    threading.Thread(target=database.listen, args=(heard,), daemon=True).start()
    async with app.endpoint.running():
        await _HubHttp(config, app, limits.drain_seconds).serve([listening])
    app.close()
