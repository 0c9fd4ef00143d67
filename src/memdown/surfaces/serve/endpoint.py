"""MCP over HTTP for a hub: the official SDK, without sessions, so that any server answers any request."""

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import RequestParams, ServerCapabilities

from memdown import VERSION
from memdown.errors import MemdownError
from memdown.surfaces.mcp import resources
from memdown.surfaces.mcp.http.guard import Receive, Scope, Send
from memdown.surfaces.mcp.http.server import as_notification, request_of
from memdown.surfaces.mcp.wire import ENVELOPE, INVALID_PARAMS, META, SERVER, Json, McpFault, Request
from memdown.surfaces.serve import tools
from memdown.surfaces.serve.changes import HubChanges, Work
from memdown.surfaces.serve.database import HubDatabase
from memdown.surfaces.serve.exchange import Exchange
from memdown.surfaces.serve.tools import HubSession

_INSTRUCTIONS = (
    "The memory of many projects: decisions, notes and rules written by people and assistants. Search it before you"
    " decide something that may have been decided already; `who` names people who know. Record what others need to know"
    " with `add`. A refused call says what to do instead."
)
_MOST_URIS = 1_000

Context = ServerRequestContext[Any, Any]
Method = Callable[[HubSession, Request], Json]


class HubEndpoint:
    """The SDK's server, which asks the database for everything."""

    def __init__(self, database: HubDatabase, work: Work, changes: HubChanges, body: int) -> None:
        self._database = database
        self._work = work
        self._changes = changes
        server = _HubSdk(
            SERVER["name"],
            version=VERSION,
            title="memdown hub",
            instructions=_INSTRUCTIONS,
            get_tool_input_schema=tools.schema,
        )
        for method, act in tools.METHODS.items():
            server.add_request_handler(method, RequestParams, partial(self._answer, act))
        server.add_request_handler("subscriptions/listen", RequestParams, self._listen)
        self._manager = StreamableHTTPSessionManager(server, stateless=True, max_request_body_size=body)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._manager.run():
            yield

    async def _answer(self, act: Method, ctx: Context, _: RequestParams) -> dict[str, Any]:
        request, asker = request_of(ctx), _exchange(ctx)
        name = request.params.get("name", "") if request.method == "tools/call" else ""
        asker.call = f"{request.method} {str(name)[:80]}".strip()
        return dict(await self._work(partial(self._acted, act, asker.token, request)))

    def _acted(self, act: Method, token: str, request: Request) -> Json:
        write = tools.writes(request)
        try:
            with self._database.session(token, write=write) as (db, principal):
                return request.in_revision(act(HubSession(db, principal), request))
        except McpFault as fault:
            raise MCPError(fault.code, str(fault), dict(fault.data or {})) from fault
        except MemdownError as error:
            if request.method == "tools/call":
                return request.in_revision(tools.refusal(error))
            raise MCPError(INVALID_PARAMS, str(error)) from error

    async def _listen(self, ctx: Context, _: RequestParams) -> dict[str, Any]:
        """Tell of documents that change, until the client has enough or the server ends."""
        request, asker = request_of(ctx), _exchange(ctx)
        asker.call = request.method
        meta = {"_meta": {f"{META}subscriptionId": request.id}}

        async def tell(method: str, params: Json) -> None:
            message = {"method": f"notifications/{method}", "params": {**params, **meta}}
            await ctx.session.send_notification(as_notification(message), related_request_id=ctx.request_id)

        try:
            wanted = _wanted(request)
            async with self._changes.listening(asker.token, asker.principal or "", wanted) as stream:
                uris = [resources.uri_of(project, path) for project, paths in stream.wanted.items() for path in paths]
                hears = {"resourceSubscriptions": uris} if uris else {}
                await tell("subscriptions/acknowledged", {"notifications": hears})
                async for project, path in self._changes.changes(stream):
                    await tell("resources/updated", {"uri": resources.uri_of(project, path)})
        except McpFault as fault:
            raise MCPError(fault.code, str(fault)) from fault
        return {"resultType": "complete", **meta}


class _HubSdk(Server[Any]):
    """The server of the SDK, able to do what is done here."""

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> ServerCapabilities:
        """Revisions with a handshake subscribe within a session, and there is none."""
        del notification_options, experimental_capabilities, extensions
        subscribes = protocol_version in ENVELOPE
        return ServerCapabilities.model_validate(
            {"resources": {"subscribe": subscribes, "listChanged": False}, "tools": {"listChanged": False}}
        )


def _exchange(ctx: Context) -> Exchange:
    assert ctx.request is not None
    found = ctx.request.scope["memdown.exchange"]
    assert isinstance(found, Exchange)
    return found


def _wanted(request: Request) -> dict[str, list[str]]:
    """The documents that somebody wants to hear of, by project."""
    given = request.params.get("notifications")
    if not isinstance(given, dict):
        raise McpFault(INVALID_PARAMS, "notifications must be an object that names what to subscribe to.")
    uris = given.get("resourceSubscriptions")
    named = [uri for uri in uris if isinstance(uri, str)] if isinstance(uris, list) else []
    if len(named) > _MOST_URIS:
        raise McpFault(INVALID_PARAMS, f"More than {_MOST_URIS:,} resources cannot be watched at once.")
    found: dict[str, list[str]] = {}
    for project, path in _documents(named):
        found.setdefault(project, []).append(path)
    return found


def _documents(uris: Iterable[str]) -> Iterable[tuple[str, str]]:
    for uri in dict.fromkeys(uris):
        try:
            yield tools.document_of(uri)
        except MemdownError:
            continue  # what is no resource is not granted
