"""Streamable HTTP as the official SDK speaks it, in both eras of the protocol; what it says comes from the table.

Needs the extra `mcp`, whose import takes about a second: nothing else may import this module.
"""

import asyncio
import signal
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types import NotificationParams, RequestParams, ServerCapabilities, server_notification_adapter

from memdown import VERSION
from memdown.limits import HTTP_BODY
from memdown.surfaces.listening import QUIET
from memdown.surfaces.mcp.http.guard import PATH, App, HttpGuard
from memdown.surfaces.mcp.http.lines import HttpLines, Start
from memdown.surfaces.mcp.http.sessions import HttpSessions
from memdown.surfaces.mcp.wire import (
    CAPABILITIES,
    INSTRUCTIONS,
    INVALID_REQUEST,
    LEVELS,
    SERVER,
    Json,
    McpFault,
    Request,
)
from memdown.surfaces.waiting import Connection, WaitingRoom

_CONNECTIONS = 400
_GRACE_SECONDS = 5

Context = ServerRequestContext[Any, Any]


class Endpoint:
    """The SDK's server, which asks the workers for everything that is in the table."""

    def __init__(self, start: Start) -> None:
        self._lines = HttpLines(start)
        self._server = _Sdk(
            SERVER["name"],
            version=VERSION,
            title=SERVER["title"],
            instructions=INSTRUCTIONS,
            get_tool_input_schema=start.table.tools.schema,
        )
        for method in (*start.table.methods(), "resources/subscribe", "resources/unsubscribe"):
            self._server.add_request_handler(method, RequestParams, self._answer)
        self._server.add_request_handler("subscriptions/listen", RequestParams, self._listen)
        self._server.add_request_handler("logging/setLevel", RequestParams, self._set_level)
        self._server.add_notification_handler("notifications/initialized", NotificationParams, self._connect)
        limits = start.limits
        self.manager = StreamableHTTPSessionManager(
            self._server,
            session_idle_timeout=limits.idle_seconds,
            max_request_body_size=HTTP_BODY,
            max_sessions=limits.sessions,
        )
        self.app = HttpSessions(self.manager.handle_request, limits.sessions)

    async def finish(self) -> None:
        await self._lines.finish(_GRACE_SECONDS)

    async def _connect(self, ctx: Context, _: NotificationParams) -> None:
        """Keep a worker for a client as long as it is there, and tell it what changes."""
        session = _session_of(ctx)
        if session is None or self._lines.of(session) is not None:
            return
        async with self._lines.open_line(session) as line:
            while True:
                await ctx.session.send_notification(as_notification(await line.heard.get()))

    async def _answer(self, ctx: Context, _: RequestParams) -> dict[str, Any]:
        request = request_of(ctx)
        line = self._lines.of(_session_of(ctx))
        if line is None and request.method.endswith("subscribe"):
            raise MCPError(INVALID_REQUEST, "Send notifications/initialized first.")
        return _result(await (line or self._lines.shortest()).ask(request, _teller(ctx)))

    async def _listen(self, ctx: Context, _: RequestParams) -> dict[str, Any]:
        try:
            async with self._lines.open_stream() as line:
                return _result(await line.listen(request_of(ctx), _teller(ctx)))
        except McpFault as fault:
            raise MCPError(fault.code, str(fault)) from fault

    async def _set_level(self, ctx: Context, _: RequestParams) -> dict[str, Any]:
        line, level = self._lines.of(_session_of(ctx)), (ctx.params or {}).get("level")
        if line is not None and level in LEVELS:
            line.level = LEVELS.index(level)
        return {}


class _Sdk(Server[Any]):
    """The server of the SDK, able to do what ours says everywhere."""

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> ServerCapabilities:
        del notification_options, experimental_capabilities, extensions, protocol_version
        return ServerCapabilities.model_validate(CAPABILITIES)


class _Http(uvicorn.Server):
    """Ends what is open before it waits for it to end."""

    def __init__(self, config: uvicorn.Config, guard: HttpGuard, endpoint: Endpoint) -> None:
        super().__init__(config)
        self._guard = guard
        self._endpoint = endpoint

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._guard.end_streams()
        await self._endpoint.finish()
        await super().shutdown(sockets)


def serve(listening: socket.socket, start: Start, guarded: Callable[[App], HttpGuard]) -> None:
    """Serve whom the guard lets in, until the process is asked to end."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: None)  # uvicorn ends by them, and raises them again when it has
    asyncio.run(_serve(listening, start, guarded))


async def _serve(listening: socket.socket, start: Start, guarded: Callable[[App], HttpGuard]) -> None:
    endpoint = Endpoint(start)
    guard = guarded(endpoint.app)
    room = WaitingRoom(start.limits.waiting, start.limits.header_seconds)
    config = uvicorn.Config(
        guard,
        http=partial(Connection, room),  # type: ignore[arg-type]  # it is only called
        log_level="critical",
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        **QUIET,
    )
    async with endpoint.manager.run():
        await _Http(config, guard, endpoint).serve([listening])


def address(listening: socket.socket) -> str:
    """Where clients find it."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def _session_of(ctx: Context) -> str | None:
    return ctx.request.headers.get("mcp-session-id") if ctx.request is not None else None


def request_of(ctx: Context) -> Request:
    """A request, as the table reads it."""
    message = {"jsonrpc": "2.0", "id": ctx.request_id, "method": ctx.method, "params": dict(ctx.params or {})}
    try:
        return Request(message, ctx.protocol_version)
    except McpFault as fault:
        raise MCPError(fault.code, str(fault), fault.data) from fault


def _teller(ctx: Context) -> Callable[[Json], Any]:
    """Passes on what is said while a request runs, on the response to it."""

    async def tell(message: Json) -> None:
        await ctx.session.send_notification(as_notification(message), related_request_id=ctx.request_id)

    return tell


def as_notification(message: Json) -> Any:
    """A notification, as the SDK has it."""
    return server_notification_adapter.validate_python({"method": message["method"], "params": message["params"]})


def _result(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        error = answer["error"]
        raise MCPError(error["code"], error["message"], error.get("data"))
    result: dict[str, Any] = answer["result"]
    return result
