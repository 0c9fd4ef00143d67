"""Workers for the clients of an HTTP server: one for each that begins with a handshake, some for all the others.

What a worker's thread says comes back here on the event loop.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from msgspec import Struct

from memdown.surfaces.mcp.table import McpTable
from memdown.surfaces.mcp.wire import INTERNAL, LEVELS, Json, McpFault, Request
from memdown.surfaces.mcp.worker import Worker

_SHARED = 4
"""Workers for requests that stand alone."""
_STREAMS = 64
"""Requests that listen for changes at once; each has a worker."""

Notify = Callable[[Json], Awaitable[None]]


class HttpLimits(Struct, frozen=True):
    """How many, and for how long."""

    sessions: int = 100
    """Clients with a handshake; one more ends the session that has been idle longest."""
    idle_seconds: float = 30 * 60
    """After which a session without a request is ended."""
    waiting: int = 100
    """Connections without a request; one more closes the one that waits longest."""
    header_seconds: float = 10
    """How long the head of a request may take to arrive."""


class Start(Struct, frozen=True):
    """What the server was started for."""

    root: str | None
    mode: str | None
    table: McpTable
    limits: HttpLimits = HttpLimits()


class HttpLine:
    """One worker, asked from the event loop."""

    def __init__(self, start: Start, *, shared: bool = False) -> None:
        self._loop = asyncio.get_running_loop()
        self._ids = itertools.count(1)
        self._waiting: dict[object, asyncio.Queue[dict[str, Any]]] = {}
        self.level = LEVELS.index("warning")
        self.heard: asyncio.Queue[Json] = asyncio.Queue()
        """Notices about no request: files that changed."""
        self.worker = Worker(self._send, lambda: self.level, start.root, start.mode, start.table, shared=shared)

    @property
    def length(self) -> int:
        return len(self._waiting)

    async def ask(self, request: Request, notify: Notify) -> dict[str, Any]:
        """The answer to a request; what is said meanwhile is passed on. Whoever stops waiting cancels it."""
        request.id = next(self._ids)  # clients choose theirs as they like, and several may share a worker
        return await self.listen(request, notify)

    async def listen(self, request: Request, notify: Notify) -> dict[str, Any]:
        """The same under the client's own id, which the notices of a stream name."""
        queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._waiting[request.id] = queue
        self.worker.put([request])
        try:
            while "method" in (message := await queue.get()):
                await notify(message)
        finally:
            del self._waiting[request.id]
            self.worker.cancel(request.id)
        return message

    def _send(self, message: object, about: object) -> None:
        with suppress(RuntimeError):  # the loop has ended, and with it whoever asked
            self._loop.call_soon_threadsafe(self._deliver, message, about)

    def _deliver(self, message: Any, about: object) -> None:
        queue = self._waiting.get(message.get("id", about))
        if queue is not None:
            queue.put_nowait(message)
        elif about is None and "method" in message:
            self.heard.put_nowait(message)


class HttpLines:
    """All workers of a server."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._clients: dict[str, HttpLine] = {}
        self._streams: set[HttpLine] = set()
        self._shared = [HttpLine(start, shared=True) for _ in range(_SHARED)]

    def of(self, session: str | None) -> HttpLine | None:
        """The worker of a client, if it has one."""
        return self._clients.get(session) if session else None

    def shortest(self) -> HttpLine:
        """The worker for a request that stands alone."""
        return min(self._shared, key=lambda line: line.length)

    @asynccontextmanager
    async def open_line(self, session: str) -> AsyncIterator[HttpLine]:
        """The worker of one client, as long as it is connected."""
        line = self._clients[session] = HttpLine(self._start)
        try:
            yield line
        finally:
            del self._clients[session]
            line.worker.close()

    @asynccontextmanager
    async def open_stream(self) -> AsyncIterator[HttpLine]:
        """A worker for one request that listens."""
        if len(self._streams) >= _STREAMS:
            raise McpFault(INTERNAL, f"{_STREAMS} clients are connected already; try again later.")
        line = HttpLine(self._start, shared=True)
        self._streams.add(line)
        try:
            yield line
        finally:
            self._streams.discard(line)
            line.worker.close()

    async def finish(self, seconds: float) -> None:
        """Answer what waits, as far as that takes no longer than this."""
        lines = [*self._shared, *self._clients.values(), *self._streams]
        for line in lines:
            line.worker.close()
        until = asyncio.get_running_loop().time() + seconds
        while any(line.worker.is_alive for line in lines) and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(0.02)
        for line in lines:
            if not line.worker.is_alive:
                line.worker.finish()  # tells those who listen that it is over
