"""A client of an MCP server over pipes, and what its process holds."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


class Client:
    """One server process, which has said hello."""

    def __init__(self, command: list[str], folder: Path, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._number = 0
        self.ask("initialize", HELLO)
        self.kilobytes = resident(self._process.pid)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: object) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def ask(self, method: str, params: object) -> Any:
        assert self._process.stdout
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number:
                return answer["result"]
        raise RuntimeError("the server ended")

    def call(self, tool: str, **arguments: object) -> Any:
        found = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if found.get("isError"):
            raise RuntimeError(str(found)[:300])
        return found

    def processor(self) -> float:
        """Seconds of processor that the server has used, with the processes that it started; 0 where nobody tells."""
        return _processor(self._process.pid) / 1e9

    def close(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:  # some go on without a client
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


def _processor(pid: int) -> int:
    """Nanoseconds that the threads of a process and of all below it have run."""
    used = 0
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        used += int((thread / "schedstat").read_text().split()[0])
        used += sum(_processor(int(child)) for child in (thread / "children").read_text().split())
    return used


def resident(pid: int) -> int:
    """Kilobytes of memory that a process holds; 0 where nobody tells."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)
