"""Who may see the page: whoever has the token, once in the address, afterwards in a cookie; and under which rules.

Pages of other origins reach servers on this machine too, hence Host, Origin and the cookie that only pages of this one
send. No answer may load anything from elsewhere, or run a script that is not one of our files.
"""

import hmac
import os
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN = "token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_READING = ("GET", "HEAD")


class WebGuard:
    """In front of the pages."""

    def __init__(self, app: App, token: str, names: Iterable[str]) -> None:
        self._app = app
        self._token = token
        self._names = frozenset(name.lower() for name in names)
        self._secret = os.urandom(32).hex()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _reply(send, *refusal)
            return
        given = self._given(scope)
        cookie = f"memdown-{_port(headers['host'][0])}"
        if given is not None:
            if not hmac.compare_digest(given.encode(), self._token.encode()):
                await _reply(send, 401, "That token is not this server's; use the address that `memdown web` printed.")
                return
            await self._welcome(scope, send, cookie)
            return
        if not self._knows(headers.get("cookie", []), cookie):
            await _reply(send, 401, "Open the address that `memdown web` printed: it has the token that lets you in.")
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Why a request is turned away before anything else, if it is."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_own(hosts[0]):
            return 421, "This server does not accept this host name; --allow-host adds one."
        origins = headers.get("origin", [])
        if any(not _same(origin, hosts[0]) for origin in origins):
            return 403, "Pages of other origins may not use this server."
        sites = headers.get("sec-fetch-site", [])
        if scope["method"] not in _READING and not origins and sites != ["same-origin"]:
            return 403, "Only a page of this server may change something."
        navigates = headers.get("sec-fetch-mode", []) == ["navigate"] and scope["method"] in _READING
        if any(site not in ("same-origin", "none") for site in sites) and not navigates:
            return 403, "Pages of other origins may not use this server."
        return None

    def _is_own(self, host: str) -> bool:
        name, colon, port = host.lower().rpartition(":")
        return host.lower() in self._names or bool(colon and name in self._names and port.isascii() and port.isdigit())

    def _given(self, scope: Scope) -> str | None:
        """The token of the address."""
        pairs = parse_qsl(scope["query_string"].decode("latin-1")) if scope["method"] == "GET" else []
        return next((value for name, value in pairs if name == TOKEN), None)

    async def _welcome(self, scope: Scope, send: Send, cookie: str) -> None:
        """Put the secret into a cookie, and leave the token out of the address."""
        pairs = [pair for pair in parse_qsl(scope["query_string"].decode("latin-1")) if pair[0] != TOKEN]
        path = "/" + quote(scope["path"].lstrip("/"))
        place = f"{path}?{urlencode(pairs)}" if pairs else path
        value = f"{cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        await _reply(send, 303, "Welcome.", {"location": place, "set-cookie": value})

    def _knows(self, cookies: Iterable[str], name: str) -> bool:
        pairs = (each.strip().partition("=") for line in cookies for each in line.split(";"))
        return any(
            key == name and hmac.compare_digest(value.encode(), self._secret.encode()) for key, _, value in pairs
        )


def _port(host: str) -> str:
    """Cookies are shared by all ports of a host, so that two servers need two names."""
    port = host.rpartition(":")[2]
    return port if port.isascii() and port.isdigit() else "80"


def _same(origin: str, host: str) -> bool:
    """Whether an origin is this server, by the name and port that the request itself used."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*message.get("headers", []), *own]}
        await send(message)

    return sending


async def _reply(send: Send, status: int, sentence: str, more: dict[str, str] | None = None) -> None:
    body = f"{sentence}\n".encode()
    headers = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body)), **HEADERS, **(more or {})}
    headers["cache-control"] = "no-store"
    raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
