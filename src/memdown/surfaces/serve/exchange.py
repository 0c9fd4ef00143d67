"""One request over HTTP: what came, what is sent back, and the line that the log gets of it."""

import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from memdown.errors import MemdownError
from memdown.hub.connection import HubDown
from memdown.hub.served import HubRefusal
from memdown.surfaces.mcp.http.guard import Message, Receive, Scope, Send
from memdown.surfaces.serve.database import UnknownToken
from memdown.text import legible

STATUS = {"Invalid": 400, "NotFound": 404, "Ambiguous": 404, "Refused": 403, "Exists": 409, "Stale": 409}
"""By the class of an error; any other is 422."""
_DRAINED = 4
"""How many times what is taken is read, and dropped, of a body that is too long."""


class Exchange:
    """A request and its response, as far as they have come."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self._receive = receive
        self._send = send
        self._started = time.perf_counter()
        self.path: str = scope["path"]
        self.status = 0
        self.token = ""
        self.principal: str | None = None
        self.challenge = ""
        """Where who has no token gets one, for the header that says that one is needed."""
        self.call: str | None = None
        """What is asked of a path that takes several."""

    def identified(self, principal: str) -> None:
        self.principal = principal

    def header(self, name: bytes) -> list[str]:
        return [value.decode("latin-1") for key, value in self.scope["headers"] if key.lower() == name]

    async def receive(self) -> Message:
        return await self._receive()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)

    async def body(self, most: int) -> bytes | None:
        """The body; None if it is longer.

        Of what is too long the rest is read as well, up to a bound: who is still sending when the connection is closed
        gets no answer.
        """
        declared = self.header(b"content-length")
        keeps = not (declared and declared[0].isdigit() and int(declared[0]) > most)
        parts: list[bytes] = []
        size = 0
        while size <= most * _DRAINED:
            message = await self._receive()
            part = message.get("body", b"")
            size += len(part)
            keeps = keeps and size <= most
            if keeps:
                parts.append(part)
            else:
                parts.clear()
            if not message.get("more_body"):
                return b"".join(parts) if keeps else None
        return None

    async def reply(self, status: int, value: object, headers: Iterable[tuple[bytes, bytes]] = ()) -> None:
        body = encode(value)
        own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self.send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
        await self.send({"type": "http.response.body", "body": body})

    async def refuse(self, error: MemdownError, status: int | None = None, wait: int = 0) -> None:
        """Say why not, as the client will say it there."""
        kind = type(error).__name__
        headers = []
        if isinstance(error, UnknownToken):
            status, kind = 401, "Refused"
            headers.append((b"www-authenticate", f'Bearer error="invalid_token"{self.challenge}'.encode()))
        elif isinstance(error, HubDown):
            status = status or 503
            wait = wait or 1
        if wait:
            headers.append((b"retry-after", str(wait).encode()))
        await self.reply(status or STATUS.get(kind, 422), HubRefusal(kind, str(error)), headers)

    def log(self) -> None:
        """One line for each request; a token is in none of what it has."""
        line = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "principal": self.principal,
            "method": self.scope["method"],
            "path": self.path,
            "call": self.call,
            "status": self.status or 500,
            "ms": round((time.perf_counter() - self._started) * 1000, 1),
        }
        with suppress(BrokenPipeError, ValueError):  # who reads the log has gone
            sys.stdout.write(msgspec.json.encode(line).decode() + "\n")
            sys.stdout.flush()


def encode(value: object) -> bytes:
    """JSON. Bytes of a file that are not UTF-8 become replacement characters."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_replaced(msgspec.to_builtins(value)))


def _replaced(value: object) -> object:
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, dict):
        return {_replaced(key): _replaced(each) for key, each in value.items()}
    return [_replaced(each) for each in value] if isinstance(value, (list, tuple)) else value
