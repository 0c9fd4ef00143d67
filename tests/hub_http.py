"""Servers of a hub in processes of their own, and what may stand between them and their clients."""

import itertools
import json
import os
import re
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from urllib import error, request
from urllib.parse import urlsplit

import forks


class HubServer:
    """Where a server of a hub listens, its process, and what it has logged."""

    def __init__(self, address: str, process: "subprocess.Popen[str]") -> None:
        self.address = address
        self.process = process
        self.port = int(urlsplit(address).port or 0)
        self.lines: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines.extend(iter(self.process.stdout.readline, ""))

    def send(
        self, path: str, value: object = None, token: str | None = None, **headers: str
    ) -> tuple[int, Any, Mapping[str, str]]:
        """A request; its status, what it answers and its headers."""
        given = {"Content-Type": "application/json", **headers}
        if token is not None:
            given["Authorization"] = f"Bearer {token}"
        data = None if value is None else value if isinstance(value, bytes) else json.dumps(value).encode()
        sent = request.Request(self.address + path, data, given)
        try:
            with request.urlopen(sent, timeout=60) as response:
                return response.status, json.loads(response.read()), dict(response.headers)
        except error.HTTPError as refused:
            with refused:
                return refused.code, json.loads(refused.read()), dict(refused.headers)


@contextmanager
def serving(dsn: str, *args: str, port: int = 0) -> Iterator[HubServer]:
    """A server, on a free port if it is 0."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("MEMDOWN_HUB")}
    words = [sys.executable, "-m", "memdown", "serve", "--hub", dsn, "--port", str(port), *args]
    with forks.Forked(words, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr
        found = re.search(r"http://\S+", process.stderr.readline())
        assert found, process.stderr.read()
        try:
            yield HubServer(found[0], process)
        finally:
            process.kill()


Lost = Callable[[bytes, bytes], bool]
"""Whether the answer to a request is lost, by the beginning of both."""


class Balancer(socketserver.ThreadingTCPServer):
    """Gives each connection to the next of several servers; the answers of some are lost."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, ports: Sequence[int], is_lost: Lost) -> None:
        super().__init__(("127.0.0.1", 0), _Line)
        self.ports = itertools.cycle(ports)
        self.is_lost = is_lost
        self.asked: list[bytes] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Line(socketserver.BaseRequestHandler):
    """One connection."""

    server: Balancer

    def handle(self) -> None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", next(self.server.ports))) as other:
            self._sent = b""
            back = threading.Thread(target=self._back, args=(other,), daemon=True)
            back.start()
            while data := self.request.recv(65536):
                if not self._sent:
                    self._sent = data[:200]
                    self.server.asked.append(self._sent.partition(b"\r\n")[0])
                other.sendall(data)
            with suppress(OSError):
                other.shutdown(socket.SHUT_WR)
            back.join()

    def _back(self, other: socket.socket) -> None:
        with suppress(OSError):
            while data := other.recv(65536):
                if self.server.is_lost(self._sent, data):
                    break
                self.request.sendall(data)
        for each in (self.request, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def balanced(*servers: HubServer, is_lost: Lost = lambda *_: False) -> Iterator[Balancer]:
    with Balancer([each.port for each in servers], is_lost) as balancer:
        threading.Thread(target=balancer.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield balancer
        balancer.shutdown()
