"""Sessions of which the one idle longest makes room."""

from memdown.surfaces.mcp.http.guard import App, Message, Receive, Scope, Send
from memdown.surfaces.mcp.wire import ENVELOPE

_SESSION, _VERSION = b"mcp-session-id", b"mcp-protocol-version"


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
