"""Messages on two pipes: one JSON value a line, UTF-8, nothing else on standard output.

What starts fast stands here and in `loop`; both import little on purpose.
"""

import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BufferedReader, BufferedWriter

LONGEST = 32 * 1024 * 1024
"""Bytes of one message; a longer one is passed over and answered with an error."""

PARSE_ERROR, INVALID_REQUEST, NO_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
NO_RESOURCE, NO_VERSION = -32002, -32022
"""What the protocol adds to the errors of JSON-RPC: a resource that is not there, a revision not spoken here."""

Json = Mapping[str, object]


class McpFault(Exception):
    """A request that is wrong as a message; what a tool refuses is a result instead."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data

    def told(self) -> Json:
        error = {"code": self.code, "message": str(self)}
        return {**error, "data": self.data} if self.data is not None else error


class Pipes:
    """Standard input and output, kept for the protocol alone."""

    def __init__(self, reading: BufferedReader, writing: BufferedWriter) -> None:
        self._reading = reading
        self._writing = writing
        self._lock = threading.Lock()

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
        with self._lock, suppress(BrokenPipeError):
            self._writing.close()

    def messages(self) -> Iterator[object]:
        """What arrives, decoded, until the end of input; a Fault stands for what cannot be."""
        while line := self._reading.readline(LONGEST + 1):
            if len(line) > LONGEST and not line.endswith(b"\n"):
                while line and not line.endswith(b"\n"):
                    line = self._reading.readline(LONGEST)
                yield McpFault(INVALID_REQUEST, f"The message is longer than {LONGEST} bytes; send less at once.")
            elif line.strip(b" \t\r\n\xef\xbb\xbf"):
                yield decoded(line)

    def send(self, message: object, _: object = None) -> None:
        """Write one message, whichever request it is about; none after `close`.

        Where the reader is gone the input ends too, which the loop meets next.
        """
        line = encoded(message)
        with self._lock, suppress(BrokenPipeError):
            if not self._writing.closed:
                self._writing.write(line)
                self._writing.flush()


def decoded(line: bytes) -> object:
    """One message, or a Fault that says what is wrong with it."""
    try:
        value: object = json.loads(line.decode("utf-8-sig"), parse_constant=_refuse)
    except RecursionError:
        return McpFault(PARSE_ERROR, "The message is nested too deeply.")
    except ValueError as error:
        return McpFault(PARSE_ERROR, f"The message is not JSON in UTF-8: {error}.")
    return value


def encoded(message: object) -> bytes:
    """One line. Bytes of a file that are not UTF-8 become replacement characters: half a pair ends many readers."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode() + b"\n"


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no number in JSON")
