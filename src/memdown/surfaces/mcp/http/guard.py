"""Who may speak to the HTTP server at all: a request is turned away before any of its body is read.

A page in a browser can reach this computer under a name of its own (DNS rebinding), hence Host and Origin; other
programs on it can too, hence the token.
"""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from memdown.errors import Invalid, quote

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PATH = "/mcp"
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_BODY_SECONDS = 30.0
"""How long a request may take to arrive."""


def names_of(host: str, allowed: Sequence[str]) -> list[str]:
    """What a server on this address is called. Where other computers reach it, that has to be said."""
    try:
        stays = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        stays = False
    if not stays and not allowed:
        raise Invalid(
            f"Other computers can reach a server on {quote(host)}; use --allow-host to say by what host name."
        )
    own = [f"[{host}]" if ":" in host else host, *_LOOPBACK] if stays else []
    return [*own, *allowed]


class SlowBody(Exception):
    """A body that does not come."""


class HostNames:
    """What a server is called."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(name.lower() for name in names)

    def has(self, hosts: Sequence[str]) -> bool:
        """Whether there is one host, by a name of this server; the port is free, as tunnels change it."""
        if len(hosts) != 1:
            return False
        host = hosts[0].lower()
        name, colon, port = host.rpartition(":")
        return host in self._names or bool(colon and name in self._names and port.isascii() and port.isdigit())

    def may_ask(self, origins: Sequence[str]) -> bool:
        """Whether a request comes from no page, or from one of this server."""
        return not origins or self.has([_host_of(origin) for origin in origins])


def timely(receive: Receive, seconds: float) -> Receive:
    """The same messages, as long as the body is there in time."""
    until: float | None = asyncio.get_running_loop().time() + seconds

    async def in_time() -> Message:
        nonlocal until
        try:
            async with asyncio.timeout_at(until):
                message = await receive()
        except TimeoutError:
            raise SlowBody from None
        if not message.get("more_body"):
            until = None
        return message

    return in_time


class HttpGuard:
    """In front of another ASGI application."""

    def __init__(self, app: App, token: str, names: Iterable[str], *, seconds: float = _BODY_SECONDS) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()
        self._names = HostNames(names)
        self._seconds = seconds
        self._streams: set[asyncio.Task[Any]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.lower(), []).append(value)
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _reply(send, *refusal)
            return
        try:
            await self._serve(scope, timely(receive, self._seconds), send)
        except SlowBody:
            await _reply(send, 408, "The request did not arrive in time.")

    def end_streams(self) -> None:
        """End the responses that never end by themselves."""
        for task in self._streams:
            task.cancel()

    def _refusal(self, scope: Scope, headers: dict[bytes, list[bytes]]) -> tuple[int, str] | None:
        """Why a request is turned away, if it is: a status and a sentence."""
        if not self._names.has(_texts(headers.get(b"host", []))):
            return 421, "This server does not accept this host name; --allow-host adds one."
        if not self._names.may_ask(_texts(headers.get(b"origin", []))):
            return 403, "Pages of other origins may not use this server."
        given = headers.get(b"authorization", [])
        if len(given) != 1 or not hmac.compare_digest(_same_scheme(given[0]), self._expected):
            return 401, "Send the server's token as `Authorization: Bearer <token>`."
        if scope["path"] != PATH:
            return 404, f"There is only {PATH} here."
        return None

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        task = asyncio.current_task()
        if scope["method"] == "GET" and task is not None:
            self._streams.add(task)
            task.add_done_callback(self._streams.discard)
        await self._app(scope, receive, send)


def _texts(values: Iterable[bytes]) -> list[str]:
    return [value.decode("latin-1") for value in values]


def _host_of(origin: str) -> str:
    """The host that an origin names; nothing for what is no origin of a page."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return ""
    return parts.netloc if parts.scheme in ("http", "https") else ""


def _same_scheme(given: bytes) -> bytes:
    """The credentials with the scheme as it is written here; its case means nothing."""
    scheme, space, token = given.partition(b" ")
    return b"Bearer" + space + token.strip() if scheme.lower() == b"bearer" else given


async def _reply(send: Send, status: int, sentence: str) -> None:
    body = f"{sentence}\n".encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
