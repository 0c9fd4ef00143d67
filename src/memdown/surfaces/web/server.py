"""Serving the page until the process is asked to end. Needs the extra `web`."""

import asyncio
import signal
import socket
import sys
from functools import partial
from typing import Any

import uvicorn

from memdown.surfaces.listening import QUIET
from memdown.surfaces.waiting import Connection, WaitingRoom
from memdown.surfaces.web.app import Pages, Workers
from memdown.surfaces.web.guard import WebGuard
from memdown.surfaces.web.live import Live
from memdown.surfaces.web.sites import Site

_CONNECTIONS = 200
_WAITING, _HEADER_SECONDS = 100, 15
"""Connections without a request, and for how long each may be one."""
_GRACE_SECONDS = 3
"""For pages that are being worked out when the server is asked to end."""


class _WebServer(uvicorn.Server):
    """Ends the streams before it waits for them, and pages that take long before uvicorn loses its patience."""

    def __init__(self, config: uvicorn.Config, live: Live, workers: Workers[Any]) -> None:
        super().__init__(config)
        self._live = live
        self._workers = workers

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._live.end()
        asyncio.get_running_loop().call_later(_GRACE_SECONDS, self._workers.give_up)
        await super().shutdown(sockets)


def serve(listening: socket.socket, site: Site[Any], token: str, names: list[str]) -> None:
    """Serve whoever has the token."""
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, lambda *_: sys.exit(0))  # uvicorn ends by them, and raises them again when it has
    asyncio.run(_serve(listening, site, token, names))


async def _serve(listening: socket.socket, site: Site[Any], token: str, names: list[str]) -> None:
    workers, live = Workers(site), Live(site.root)
    config = uvicorn.Config(
        WebGuard(Pages(site, workers, live).app, token, names),
        http=partial(Connection, WaitingRoom(_WAITING, _HEADER_SECONDS)),  # type: ignore[arg-type]  # it is only called
        log_level="error",
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=_GRACE_SECONDS + 2,
        **QUIET,
    )
    try:
        await _WebServer(config, live, workers).serve([listening])
    finally:
        workers.close()
