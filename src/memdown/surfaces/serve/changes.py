"""Who listens for changes: a document that somebody subscribed to is looked up when its project is said to change.

PostgreSQL says which project changed (`LISTEN`), by a hash of its name, as everybody who may log in can listen. Which
of its documents did, and whether who listens may still see them, is asked of the database with their token.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any

from memdown.errors import MemdownError
from memdown.hub.calls import HeadsCall
from memdown.hub.store import mark_of
from memdown.surfaces.mcp.wire import INTERNAL, McpFault
from memdown.surfaces.serve.database import HubDatabase

Work = Callable[[Callable[[], Any]], Awaitable[Any]]
Documents = Mapping[str, Collection[str]]
"""By project, the paths of documents."""


class ChangeStream:
    """One request that listens, and what it hears."""

    def __init__(self, token: str, wanted: Documents, seen: dict[str, int]) -> None:
        self.token = token
        self.wanted = wanted
        self.seen = seen
        """By project, the revision up to which it has heard all."""
        self.heard: asyncio.Queue[str | None] = asyncio.Queue()
        """Projects that may have changed; None ends the stream."""

    def hear(self, mark: str | None) -> None:
        for project in self.wanted:
            if mark in (None, mark_of(project)):
                self.heard.put_nowait(project)


class HubChanges:
    """All who listen to one server."""

    def __init__(self, database: HubDatabase, work: Work, most: int) -> None:
        self._database = database
        self._work = work
        self._most = most
        self._streams: dict[ChangeStream, str] = {}
        """Who listens, and for whom."""
        self._is_ending = False

    def hear(self, loop: asyncio.AbstractEventLoop) -> Callable[[str | None], None]:
        """For the thread that PostgreSQL tells what changed."""

        def heard(mark: str | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._heard, mark)

        return heard

    def _heard(self, mark: str | None) -> None:
        for stream in self._streams:
            stream.hear(mark)

    def end(self) -> None:
        """End every stream: the requests would not end by themselves."""
        self._is_ending = True
        for stream in self._streams:
            stream.heard.put_nowait(None)

    @asynccontextmanager
    async def listening(self, token: str, principal: str, wanted: Documents) -> AsyncIterator[ChangeStream]:
        """A stream of changes of these documents, as far as their projects may be seen."""
        if list(self._streams.values()).count(principal) >= self._most:
            raise McpFault(INTERNAL, f"{principal} has {self._most} open streams already; close some.")
        seen: dict[str, int] = {}
        for project in wanted:
            revision = await self._revision(token, project)
            if revision is not None:
                seen[project] = revision
        stream = ChangeStream(token, {project: wanted[project] for project in seen}, seen)
        self._streams[stream] = principal
        stream.hear(None)  # what changed before this was known
        if self._is_ending:
            stream.heard.put_nowait(None)
        try:
            yield stream
        finally:
            del self._streams[stream]

    async def _revision(self, token: str, project: str) -> int | None:
        heads = await self._heads(token, project, -1)
        return max((head.revision for head in heads.values()), default=None)

    async def _heads(self, token: str, project: str, since: int) -> Any:
        call = HeadsCall(project=project, since=since)
        return await self._work(lambda: self._database.ask(token, call, lambda _: None))

    async def changes(self, stream: ChangeStream) -> AsyncIterator[tuple[str, str]]:
        """Project and path of each document that changed, until the stream ends."""
        while (project := await stream.heard.get()) is not None:
            try:
                heads = await self._heads(stream.token, project, stream.seen[project])
            except MemdownError:
                continue  # the listening thread says so again when the database is back
            stream.seen[project] = max((head.revision for head in heads.values()), default=stream.seen[project])
            for path in heads:
                if path in stream.wanted[project]:
                    yield project, path
