"""A client that writes and reads single messages, so that tests see every byte of the protocol."""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from forks import Forked

META = "io.modelcontextprotocol/"
ENVELOPE = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
WHO = {"name": "test", "version": "1"}
_SECONDS = 240


class Client:
    """The other end of a server's pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._ids = iter(range(1, 1_000_000))
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.heard: list[Any] = []
        """Notifications that came before an answer."""
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        with suppress(ValueError):  # it is closed by whoever has no more questions
            for line in self.process.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    def send(self, message: object) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def receive(self, seconds: float = _SECONDS) -> Any:
        """The next message; None at the end of output."""
        line = self._lines.get(timeout=seconds)
        return json.loads(line) if line else None

    def answer(self, id: object) -> Any:
        """The answer to a request; what comes before it is kept in `heard`."""
        while True:
            message = self.receive()
            if not isinstance(message, dict) or message.get("id") == id:
                return message
            self.heard.append(message)

    def ask(self, method: str, **params: object) -> Any:
        """A request and its answer."""
        id = next(self._ids)
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return self.answer(id)

    def ask_modern(self, method: str, **params: object) -> Any:
        """The same in the revision without a handshake."""
        return self.ask(method, **{**params, "_meta": ENVELOPE})

    def notify(self, method: str, **params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def initialize(self, version: str = "2025-11-25") -> Any:
        told = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=WHO)
        self.notify("notifications/initialized")
        return told["result"]

    def call(self, name: str, /, **arguments: object) -> Any:
        """A tool's result."""
        return self.ask("tools/call", name=name, arguments=arguments)["result"]

    def value(self, name: str, /, **arguments: object) -> Any:
        """What a tool gives, when it does not refuse."""
        result = self.call(name, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, name: str, /, **arguments: object) -> str:
        """The sentence a tool refuses with."""
        result = self.call(name, **arguments)
        assert result.get("isError"), result
        assert "structuredContent" not in result
        [content] = result["content"]
        text: str = content["text"]
        return text

    def end(self) -> tuple[int, bytes]:
        """Close the input; the exit code and standard error."""
        assert self.process.stdin
        assert self.process.stderr
        self.process.stdin.close()
        code = self.process.wait(_SECONDS)
        return code, self.process.stderr.read()


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "memdown", "mcp", *args]


def environment(banks: Path, **more: str) -> dict[str, str]:
    """Where all projects are, and a clock that stands still."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMDOWN_", "MEMORY_BANK"))}
    return {**kept, "MEMORY_BANK_ROOT": str(banks), "MEMDOWN_NOW": "2026-02-01T12:00:00Z", **more}


@contextmanager
def server(project: Path, *args: str, banks: Path, **env: str) -> Iterator[Client]:
    """A server of its own process, started in a project."""
    pipe = subprocess.PIPE
    with Forked(
        command(*args), cwd=project, env=environment(banks, **env), stdin=pipe, stdout=pipe, stderr=pipe
    ) as process:
        try:
            yield Client(process)
        finally:
            process.kill()
