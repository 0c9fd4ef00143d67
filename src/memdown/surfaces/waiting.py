"""Connections that have to say what they want in time. Needs uvicorn.

Whoever only connects keeps nobody out: a server holds so many that say nothing, each for so long.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol


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
