"""Telling open pages that memory changed, from the index's own watch, by server-sent events.

Needs the extra `web`.
"""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from memdown.errors import MemdownError
from memdown.memory import Memory
from memdown.settings import config

_BEAT = 20.0
"""Seconds after which a line is sent that says nothing, so that both ends know of each other."""
_AGAIN = 1.0
"""Seconds until memory that cannot be read is tried again."""
_AT_ONCE = 4
"""Pages that listen at a time; a browser has six connections to a server, for all its tabs and what they load."""


class Listener:
    """A page that listens."""

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self.gives_way = False
        """Whether it is another's turn; it is told what changed when it comes back."""


class Live:
    """Pages that are open, and the thread that watches the files for them."""

    def __init__(self, root: str | None) -> None:
        self._root = root
        """Where files are watched; nowhere for a hub, whose pages do not ask."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pages: list[Listener] = []
        self.changes = 0
        """How often memory changed; a page that was made before the last time is told when it begins to listen."""
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = None

    def changed(self) -> None:
        """Tell every page; to be called on the event loop."""
        self.changes += 1
        for page in self._pages:
            page.called.set()

    def end(self) -> None:
        """End all streams, which never end by themselves, and the watch."""
        self._ended.set()
        self.changed()

    def join(self) -> None:
        """Wait until nothing is watched any more."""
        if self._watcher is not None:
            self._watcher.join()

    async def stream(self, request: Request) -> Response:
        if self._root is None:
            return Response("Nothing is watched here.\n", 404)
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._watcher = threading.Thread(target=self._watch, name="memdown-watch", daemon=True)
            self._watcher.start()
        seen = request.headers.get("last-event-id") or request.query_params.get("since")
        return StreamingResponse(
            self._events(seen), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def _events(self, seen: str | None) -> AsyncIterator[bytes]:
        page = Listener()
        if seen != str(self.changes):
            page.called.set()
        self._pages.append(page)
        for other in self._pages[:-_AT_ONCE]:
            other.gives_way = True
            other.called.set()
        try:
            yield b"retry: 2000\n\n"
            while not self._ended.is_set():
                try:
                    await asyncio.wait_for(page.called.wait(), _BEAT)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                page.called.clear()
                if page.gives_way:
                    yield b"event: later\ndata: 1\n\n"
                    return
                if not self._ended.is_set():
                    yield f"id: {self.changes}\nevent: changed\ndata: 1\n\n".encode()
        finally:
            self._pages.remove(page)

    def _watch(self) -> None:
        told = False
        while not self._ended.is_set():
            try:
                with Memory.open(self._root or "") as memory:
                    changes = memory.watch(self._ended)
                    if not self._tell():  # what changed since the first page was made, or since it could not be read
                        return
                    told = False
                    for _ in changes:
                        if not self._tell():
                            return
                        if memory.config != config.load(memory.root):
                            break  # other folders are memory now
            except (MemdownError, sqlite3.Error, OSError):  # settings are half written, say; the page says what it is
                if not (told or self._tell()):
                    return
                told = True
                self._ended.wait(_AGAIN)

    def _tell(self) -> bool:
        """Tell every page, unless the server has ended."""
        if self._loop is None or self._loop.is_closed():
            return False
        self._loop.call_soon_threadsafe(self.changed)
        return True
