"""The files that clients subscribed to, compared with their last state between requests."""

from collections.abc import Callable, Iterator
from pathlib import Path

from memdown.errors import MemdownError
from memdown.surfaces.mcp.session import McpSession
from memdown.surfaces.mcp.wire import INVALID_PARAMS, META, Json, McpFault, Request

MOST = 1_000
"""Resources one client may watch; each is looked at once a second."""
MOST_STREAMS = 64
"""Requests of one client that listen at once."""
_LONGEST = 4_096
"""Characters of the address of a resource."""

_State = tuple[int, int, int] | None


class _Stream:
    """One listening request: what it wants to hear."""

    def __init__(self, uris: frozenset[str], *, lists: bool) -> None:
        self.uris = uris
        self.lists = lists


class Watch:
    """All that one client watches."""

    def __init__(self, session: McpSession, place: Callable[[McpSession, str], Path]) -> None:
        self._session = session
        self._place = place
        self._subscribed: set[str] = set()
        self._streams: dict[object, _Stream] = {}
        self._states: dict[str, _State] = {}
        self._names: frozenset[str] | None = None

    def __bool__(self) -> bool:
        return bool(self._subscribed or self._streams)

    def subscribe(self, request: Request) -> Json:
        """Begin or end to watch one resource, in revisions with a handshake."""
        uri = request.params.get("uri")
        if not isinstance(uri, str):
            raise McpFault(INVALID_PARAMS, "uri is a string.")
        if request.method == "resources/unsubscribe":
            self._subscribed.discard(uri)
            self._forget()
            return {}
        self._add(uri)
        self._subscribed.add(uri)
        return {}

    def listen(self, request: Request, send: Callable[[object], None]) -> None:
        """Begin a stream, and tell what of it is granted. It ends with the connection, or when it is cancelled."""
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise McpFault(INVALID_PARAMS, "notifications must be an object that names what to subscribe to.")
        named = wanted.get("resourceSubscriptions")
        uris = dict.fromkeys(uri for uri in named if isinstance(uri, str)) if isinstance(named, list) else {}
        if len(self._streams) >= MOST_STREAMS:
            raise McpFault(INVALID_PARAMS, f"{MOST_STREAMS} requests listen already, which is the limit; cancel some.")
        if len(self._states.keys() | uris) > MOST:
            raise _too_many()
        granted = [uri for uri in uris if self._can_watch(uri)]
        lists = wanted.get("resourcesListChanged") is True
        hears: dict[str, object] = {"resourceSubscriptions": granted} if granted else {}
        if lists:
            hears["resourcesListChanged"] = True
        self._streams[request.id] = _Stream(frozenset(granted), lists=lists)
        self._names = self._listing() if lists else self._names
        params = {"_meta": {f"{META}subscriptionId": request.id}, "notifications": hears}
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params})

    def listens(self, id: object) -> bool:
        return id in self._streams

    def streams(self) -> list[object]:
        return list(self._streams)

    def drop(self, id: object) -> None:
        """End a stream."""
        self._streams.pop(id, None)
        self._forget()

    def look(self) -> Iterator[tuple[Json, object]]:
        """A notice for each watched resource that changed since the last look, with the stream it goes to, if any."""
        for uri, before in list(self._states.items()):
            now = self._state(uri)
            if now != before:
                self._states[uri] = now
                yield from self._notices("resources/updated", uri)
        if self._names is not None and (now_there := self._listing()) != self._names:
            self._names = now_there
            yield from self._notices("resources/list_changed", None)

    def _notices(self, what: str, uri: str | None) -> Iterator[tuple[Json, object]]:
        params: dict[str, object] = {} if uri is None else {"uri": uri}
        method = f"notifications/{what}"
        if self._subscribed and (uri is None or uri in self._subscribed):
            yield {"jsonrpc": "2.0", "method": method, "params": params}, None
        for id, stream in self._streams.items():
            if stream.lists if uri is None else uri in stream.uris:
                meta = {"_meta": {f"{META}subscriptionId": id}}
                yield {"jsonrpc": "2.0", "method": method, "params": {**params, **meta}}, id

    def _can_watch(self, uri: str) -> bool:
        try:
            self._add(uri)
        except (McpFault, MemdownError):
            return False
        return True

    def _add(self, uri: str) -> None:
        if uri in self._states:
            return
        if len(self._states) >= MOST:
            raise _too_many()
        if len(uri) > _LONGEST:
            raise McpFault(INVALID_PARAMS, f"The address of a resource has at most {_LONGEST:,} characters.")
        self._place(self._session, uri)  # refuses what is no resource
        self._states[uri] = self._state(uri)
        if self._names is None:
            self._names = self._listing()

    def _forget(self) -> None:
        wanted = self._subscribed.union(*(stream.uris for stream in self._streams.values()))
        self._states = {uri: state for uri, state in self._states.items() if uri in wanted}

    def _state(self, uri: str) -> _State:
        try:
            found = self._place(self._session, uri).stat()
        except (OSError, MemdownError):
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _listing(self) -> frozenset[str]:
        return frozenset(self._session.memory().names())


def _too_many() -> McpFault:
    return McpFault(INVALID_PARAMS, f"More than {MOST:,} resources cannot be watched at once; unsubscribe from some.")
