"""The messages of the protocol, and the pipes they come through: one JSON value a line, UTF-8.

What starts fast stands here and in `loop`; both import little on purpose. All other modules of this room stand on
this one, and it on none of them.
"""

import json
import os
from _thread import allocate_lock  # threading's, for which a start need not wait
from collections.abc import Callable, Iterator, Mapping
from io import BufferedReader, BufferedWriter

from memdown import VERSION
from memdown.errors import without_credentials
from memdown.limits import MCP_MESSAGE
from memdown.surfaces.show.style import safe_json

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE, NO_VERSION = -32002, -32022
"""What the protocol adds to the errors of JSON-RPC: a resource that is not there, a revision not spoken here."""

HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions that begin with `initialize`, the newest first."""
ENVELOPE = ("2026-07-28",)
"""Revisions in which every request names its own."""
BATCHES = "2025-03-26"
"""The one revision with lists of messages."""

META = "io.modelcontextprotocol/"
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
SERVER = {"name": "memdown", "title": "memdown", "version": VERSION}
CAPABILITIES = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": False},
    "resources": {"subscribe": True, "listChanged": True},
    "tools": {"listChanged": False},
}
INSTRUCTIONS = (
    "The memory of a project, kept in Markdown files. Begin with start_session, or read the files of the memory bank"
    " in order. Search before asking the user again. Write down decisions, progress and what the next session must"
    " know; end with end_session. A refused call says what to do instead."
)
_CACHED = ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list")
_KEEP_MS = 60_000

Json = Mapping[str, object]


class McpFault(Exception):
    """A request that is wrong as a message; what a tool refuses is a result instead."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(without_credentials(message))
        self.code = code
        self.data = data

    def as_json(self) -> Json:
        error = {"code": self.code, "message": str(self)}
        return {**error, "data": self.data} if self.data is not None else error


class Request:
    """A message that is understood: what it asks for, and in which revision."""

    def __init__(self, message: Json, handshake: str | None) -> None:
        self.id = message.get("id")
        method, params = message.get("method"), message.get("params", {})
        if not isinstance(method, str) or message.get("jsonrpc") != "2.0":
            raise McpFault(INVALID_REQUEST, 'A message has "jsonrpc": "2.0" and a method.')
        if not isinstance(params, dict):
            raise McpFault(INVALID_PARAMS, "params is an object.")
        self.method = method
        self.params: Json = params
        meta = params.get("_meta")
        self.meta: Json = meta if isinstance(meta, dict) else {}
        self.is_modern = f"{META}protocolVersion" in self.meta or method == "server/discover"
        self.version = self._own_version() if self.is_modern and "id" in message else handshake
        token = self.meta.get("progressToken")
        self.token = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None
        level = self.meta.get(f"{META}logLevel")
        self.level = LEVELS.index(level) if level in LEVELS else None

    def _own_version(self) -> str:
        """The revision that the request names for itself."""
        version = self.meta.get(f"{META}protocolVersion")
        if not isinstance(version, str):
            raise McpFault(INVALID_PARAMS, f"params._meta names the revision: {META}protocolVersion.")
        if version not in ENVELOPE:
            known = {"supported": [*ENVELOPE, *HANDSHAKE], "requested": version}
            raise McpFault(NO_VERSION, "Unsupported protocol version", known)
        if not isinstance(self.meta.get(f"{META}clientCapabilities"), dict):
            raise McpFault(INVALID_PARAMS, f"params._meta has an object {META}clientCapabilities.")
        return version

    def in_revision(self, result: Json) -> Json:
        """The result as its revision has it."""
        if not self.is_modern:
            return result
        cached = {"ttlMs": _KEEP_MS if self.method in _CACHED[:3] else 0, "cacheScope": "private"}
        more = cached if self.method in (*_CACHED, "resources/read") else {}
        own = result.get("_meta")
        meta = {**(own if isinstance(own, dict) else {}), f"{META}serverInfo": SERVER}
        return {**result, **more, "resultType": "complete", "_meta": meta}


def response(request: Request, result: Json) -> Json:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": request.id, "result": request.in_revision(result)}


def failure(id: object, fault: McpFault) -> Json:
    """The answer to a request that is refused."""
    return {"jsonrpc": "2.0", "id": id, "error": fault.as_json()}


class Pipes:
    """Standard input and output, kept for the protocol alone."""

    def __init__(self, reading: BufferedReader, writing: BufferedWriter) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = allocate_lock()
        self._when_gone: Callable[[], None] | None = None

    @classmethod
    def of_process(cls) -> "Pipes":
        """Take both over: whatever else is printed goes to standard error, and nothing else reads."""
        pipes = cls(os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb"))
        nothing = os.open(os.devnull, os.O_RDONLY)
        try:
            os.dup2(nothing, 0)
        finally:
            os.close(nothing)
        os.dup2(2, 1)
        return pipes

    def close(self) -> None:
        """Speak no more; what is printed from here on goes to standard error still."""
        self._reading.close()
        with self._lock:
            try:
                self._writing.close()
            except BrokenPipeError:
                return  # nobody reads any more

    def messages(self) -> Iterator[object]:
        """What arrives, decoded, until the end of input; a Fault stands for what cannot be."""
        while line := self._reading.readline(MCP_MESSAGE + 1):
            if len(line) > MCP_MESSAGE and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = self._reading.readline(MCP_MESSAGE)
                yield McpFault(INVALID_REQUEST, f"The message is longer than {MCP_MESSAGE} bytes; send less at once.")
            elif line.strip(b" \t\r\n\xef\xbb\xbf"):
                yield decode(line)

    def send(self, message: object, _: object = None) -> None:
        """Write one message, whichever request it is about; none after `close`.

        Where the reader is gone the input ends too, which the loop meets next.
        """
        line = encode(message)
        try:
            with self._lock:
                if not self._writing.closed:
                    self._writing.write(line)
                    self._writing.flush()
        except BrokenPipeError:
            if self._when_gone is not None:
                self._when_gone()

    def when_gone(self, act: Callable[[], None]) -> None:
        """What to do from now on when nobody reads any more."""
        self._when_gone = act


def decode(line: bytes) -> object:
    """One message, or a Fault that says what is wrong with it."""
    try:
        value: object = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse)
    except RecursionError:
        return McpFault(PARSE_ERROR, "The message is nested too deeply.")
    except ValueError as error:
        return McpFault(PARSE_ERROR, f"The message is not JSON in UTF-8: {error}.")
    return value


def encode(message: object) -> bytes:
    """One line. Bytes of a file that are not UTF-8 become replacement characters: half a pair ends many readers."""
    text = safe_json(json.dumps(message, ensure_ascii=False, separators=(",", ":")))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + b"\n"


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not a number in JSON")
