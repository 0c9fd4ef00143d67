"""Connections that have to say what they want in time, and sessions of which the one idle longest makes room.

Whoever only connects keeps nobody out: a server holds so many that say nothing, each for so long.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from memdown.surfaces.mcp.http.guard import App, Message, Receive, Scope, Send
from memdown.surfaces.mcp.wire import ENVELOPE

_SESSION, _VERSION = b"mcp-session-id", b"mcp-protocol-version"


class WaitingRoom:
    """Connections without a request, the one that waits longest first."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._timers: dict[Connection, asyncio.TimerHandle] = {}

    def enter(self, connection: "Connection") -> None:
        """Let a connection wait; one that waits already gains no time by it."""
        if connection not in self._timers:
            while len(self._timers) >= self._most:
                self._end(next(iter(self._timers)))
            self._timers[connection] = asyncio.get_running_loop().call_later(self._seconds, self._end, connection)

    def leave(self, connection: "Connection") -> None:
        timer = self._timers.pop(connection, None)
        if timer is not None:
            timer.cancel()

    def _end(self, connection: "Connection") -> None:
        self.leave(connection)
        connection.transport.close()


class Connection(H11Protocol):
    """In the waiting room whenever no request of it is being answered, however many bytes of one have come."""

    def __init__(self, room: WaitingRoom, **about: Any) -> None:
        super().__init__(**about)
        self._room = room

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._settle()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        self._room.leave(self)
        super().connection_lost(exc)

    def _settle(self) -> None:
        if self.transport.is_closing() or (self.cycle is not None and not self.cycle.response_complete):
            self._room.leave(self)
        else:
            self._room.enter(self)


class HttpSessions:
    """In front of the SDK, which turns new clients away when it has too many: the one idle longest is ended instead."""

    def __init__(self, app: App, most: int) -> None:
        self._app = app
        self._most = most
        self._running: dict[str, int] = {}
        """How many requests of a session are being answered; the session used last stands last."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        if _SESSION not in headers:
            if headers.get(_VERSION, b"").decode("latin-1") not in ENVELOPE:  # there, a request makes no session
                await self._make_room(scope)
            await self._app(scope, receive, self._noting(send))
            return
        session = headers[_SESSION].decode("latin-1")
        if session not in self._running:
            await self._app(scope, receive, send)
            return
        self._running[session] += 1
        try:
            await self._app(scope, receive, self._noting(send, session))
        finally:
            if session in self._running:  # the last used stands last
                self._running[session] = self._running.pop(session) - 1
            if scope["method"] == "DELETE":
                self._running.pop(session, None)

    def _noting(self, send: Send, known: str = "") -> Send:
        """Passes a response on, and takes note of a session that begins or is over."""

        async def noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                session = dict(message.get("headers", ())).get(_SESSION, b"").decode("latin-1")
                if message["status"] == 404:
                    self._running.pop(known, None)
                elif session and not known:
                    self._running.setdefault(session, 0)
            await send(message)

        return noting

    async def _make_room(self, scope: Scope) -> None:
        """End idle sessions until one more has room, as their clients would."""
        idle = [session for session, running in self._running.items() if not running]
        for session in idle[: max(0, len(self._running) - self._most + 1)]:
            del self._running[session]
            own = [
                (name, value) for name, value in scope["headers"] if name not in (b"content-length", b"content-type")
            ]
            await self._app(
                {**scope, "method": "DELETE", "headers": [*own, (_SESSION, session.encode("latin-1"))]},
                _nothing,
                _ignore,
            )


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_: Message) -> None:
    pass
