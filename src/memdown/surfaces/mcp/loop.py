"""The loop of the server over pipes: which revision of the protocol is spoken, and what is answered at once.

The handshake is answered from here, before memory is imported; everything that reads or writes waits in a line
for the worker, so that a request can be cancelled while another runs.
"""

import os
from collections.abc import Callable, Sequence

from memdown.errors import MemdownError, telling
from memdown.lazy import LazyModule
from memdown.surfaces.mcp.wire import (
    BATCHES,
    CAPABILITIES,
    ENVELOPE,
    HANDSHAKE,
    INSTRUCTIONS,
    INTERNAL,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEVELS,
    SERVER,
    Json,
    McpFault,
    Pipes,
    Request,
    failure,
    response,
)
from memdown.surfaces.mcp.words import as_tool

TYPE_CHECKING = False  # the name is what type checkers look for; importing it costs more than the rest of this file
if TYPE_CHECKING:
    from memdown.surfaces.mcp import worker
else:
    worker = LazyModule("memdown.surfaces.mcp.worker")

_GRACE_SECONDS = 5.0
"""How long after the end of input a request that waits may still begin."""
MODES = ("architect", "code", "ask", "debug", "default")
"""The names of `dialects.bank.modes`, which would have to be imported; a test compares the two."""


class Loop:
    """One connection: a client at the other end of two pipes."""

    def __init__(
        self, pipes: Pipes, root: str | None = None, mode: str | None = None, *, grace: float = _GRACE_SECONDS
    ) -> None:
        self._pipes = pipes
        self._grace = grace
        self._started_for = (root, mode)
        self._version: str | None = None
        self._client = ""
        self._worker: worker.Worker | None = None
        self._at_once: dict[str, Callable[[Request], Json]] = {
            "initialize": self._initialize,
            "server/discover": self._discover,
            "ping": lambda _: {},
            "logging/setLevel": self._set_level,
        }
        self.level = LEVELS.index("warning")

    def run(self) -> None:
        """Answer until the input ends, and what waits then as far as it begins soon; the rest is refused."""
        for message in self._pipes.messages():
            self._take(message)
        if self._worker is not None:
            self._pipes.when_gone(self._worker.refuse_rest)
            self._worker.refuse_rest(self._grace)
            self._worker.finish()

    def _take(self, message: object) -> None:
        if isinstance(message, list) and message and self._version == BATCHES:
            self._take_batch(message)
            return
        answer = self._begin(message)
        if isinstance(answer, Request):
            self._wait([answer])
        elif answer is not None:
            self._pipes.send(answer)

    def _take_batch(self, messages: Sequence[object]) -> None:
        begun = [answer for message in messages if (answer := self._begin(message, batched=True)) is not None]
        if begun:
            self._wait(begun, batch=True)

    def _wait(self, begun: Sequence[Request | Json], *, batch: bool = False) -> None:
        """Put requests in line; all of them fail where memory cannot even be looked for."""
        try:
            with telling(as_tool):
                self._line().put(begun, batch=batch)
        except MemdownError as error:
            fault = McpFault(INTERNAL, str(error))
            answers = [failure(each.id, fault) if isinstance(each, Request) else each for each in begun]
            self._pipes.send(answers if batch else answers[0])

    def _begin(self, message: object, *, batched: bool = False) -> Json | Request | None:
        """The answer to a message, or the request that waits for one; None where none is due."""
        if isinstance(message, McpFault):
            return failure(None, message)
        if not isinstance(message, dict):
            return failure(None, McpFault(INVALID_REQUEST, "A message is a JSON object."))
        id, asks = message.get("id"), "id" in message
        if "method" not in message and ("result" in message or "error" in message):
            return None  # an answer, and nothing was asked
        if asks and (not isinstance(id, (str, int)) or isinstance(id, bool)):
            return failure(None, McpFault(INVALID_REQUEST, "The id of a request must be a string or a whole number."))
        try:
            request = Request(message, self._version)
            if not asks:
                self._hear(request)
                return None
            return self._answer(request, batched=batched)
        except McpFault as fault:
            return failure(id, fault) if asks else None

    def _answer(self, request: Request, *, batched: bool) -> Json | Request:
        if request.method == "initialize" and batched:
            raise McpFault(INVALID_REQUEST, "initialize comes alone.")
        if request.version is None and request.method not in ("initialize", "ping"):
            raise McpFault(INVALID_REQUEST, "Begin with initialize, or name the revision in params._meta.")
        at_once = self._at_once.get(request.method)
        if at_once is None or (request.is_modern and request.method != "server/discover"):
            return request
        return response(request, at_once(request))

    def _hear(self, request: Request) -> None:
        """Take note of a notification; those that mean nothing here are passed over."""
        if request.method == "notifications/cancelled" and self._worker is not None:
            self._worker.cancel(request.params.get("requestId"))

    def _initialize(self, request: Request) -> Json:
        wanted = request.params.get("protocolVersion")
        if not isinstance(wanted, str):
            raise McpFault(INVALID_PARAMS, "initialize names a protocolVersion.")
        about = request.params.get("clientInfo")
        named = about.get("name") if isinstance(about, dict) else None
        self._client = named[:40] if isinstance(named, str) else ""
        self._version = wanted if wanted in HANDSHAKE else HANDSHAKE[0]
        return {
            "protocolVersion": self._version,
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER,
            "instructions": INSTRUCTIONS,
        }

    def _discover(self, _: Request) -> Json:
        versions = [*ENVELOPE, *HANDSHAKE]
        return {"supportedVersions": versions, "capabilities": CAPABILITIES, "instructions": INSTRUCTIONS}

    def _set_level(self, request: Request) -> Json:
        level = request.params.get("level")
        if level not in LEVELS:
            raise McpFault(INVALID_PARAMS, f"The level must be one of {', '.join(LEVELS)}.")
        self.level = LEVELS.index(level)
        return {}

    def _line(self) -> "worker.Worker":
        """The line of requests that need memory; made, and memory imported, when the first one comes."""
        if self._worker is None:
            root, mode = self._started_for
            self._worker = worker.Worker(self._pipes.send, lambda: self.level, root, mode, client=self._client)
        return self._worker


def serve(root: str | None = None, mode: str | None = None) -> None:
    """Serve the process's own pipes until the input ends."""
    pipes = Pipes.of_process()
    try:
        Loop(pipes, root, mode).run()
    except KeyboardInterrupt:
        return
    finally:
        pipes.close()


def serve_plain(args: Sequence[str]) -> bool:
    """Serve when nothing is asked that needs the whole command line: `--root DIR` and `--mode MODE` at most."""
    given: dict[str, str] = {}
    waiting = ""
    for arg in args:
        name, equals, value = arg.partition("=")
        if waiting:
            given[waiting], waiting = arg, ""
        elif arg in ("--root", "--mode"):
            waiting = arg
        elif equals and name in ("--root", "--mode"):
            given[name] = value
        else:
            return False
    chosen = given.get("--mode") or os.environ.get("MEMDOWN_MODE") or MODES[-1]
    if waiting or chosen not in MODES:
        return False  # the command line says what is wrong
    serve(given.get("--root"), given.get("--mode"))
    return True
