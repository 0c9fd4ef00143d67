"""A server over HTTP in a process of its own, and a client that sends single requests to it."""

import itertools
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from forks import Forked
from mcp_client import META, WHO, command, environment

TOKEN = "a-token-that-only-tests-know"
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
_SECONDS = 240


class Server:
    """Where a server listens, and its process."""

    def __init__(self, url: str, process: "subprocess.Popen[str]") -> None:
        self.url = url
        self.process = process
        self.port = int(urlsplit(url).port or 0)

    def send(self, method: str, body: bytes = b"", headers: Mapping[str, str | None] | None = None) -> tuple[int, str]:
        """A request and the status and text of its response. A header that is None is left out."""
        with self.sending(method, body, headers) as response:
            try:
                return response.status, response.read().decode()
            except ConnectionResetError:  # who refuses a request hangs up without reading all of it
                assert response.status >= 400
                return response.status, ""

    @contextmanager
    def sending(
        self, method: str, body: bytes, headers: Mapping[str, str | None] | None = None, path: str = "/mcp"
    ) -> Iterator[HTTPResponse]:
        wanted = {"Host": f"127.0.0.1:{self.port}", "Authorization": f"Bearer {TOKEN}", **ACCEPT, **(headers or {})}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)) as connection:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in wanted.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            yield connection.getresponse()


class Web:
    """A client after its handshake, which has the methods of the one on pipes that the tests share."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._ids = itertools.count(1)
        self.heard: list[Any] = []
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": WHO}
        with server.sending("POST", self._message("initialize", hello)) as response:
            self.session = response.headers["mcp-session-id"]
            self.told = self._read(response)["result"]
        self._headers = {"Mcp-Session-Id": self.session, "MCP-Protocol-Version": "2025-11-25"}
        note = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        assert server.send("POST", note, self._headers)[0] == 202

    def ask(self, method: str, **params: object) -> Any:
        with self._server.sending("POST", self._message(method, params), self._headers) as response:
            return self._read(response)

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.ask("tools/call", name=name, arguments=arguments)["result"]

    def value(self, name: str, /, **arguments: object) -> Any:
        result = self.call(name, **arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refusal(self, name: str, /, **arguments: object) -> str:
        result = self.call(name, **arguments)
        assert result.get("isError"), result
        text: str = result["content"][0]["text"]
        return text

    def end(self) -> int:
        return self._server.send("DELETE", headers=self._headers)[0]

    def _message(self, method: str, params: Mapping[str, object]) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}).encode()

    def _read(self, response: HTTPResponse) -> Any:
        """The answer, of a stream its last message."""
        text = response.read().decode()
        assert response.status == 200, (response.status, text)
        if response.headers["content-type"].startswith("application/json"):
            return json.loads(text)
        *before, answer = [json.loads(data) for data in re.findall(r"^data: (\{.*)$", text, re.M)]
        self.heard += before
        return answer


def modern(method: str, **params: object) -> tuple[bytes, dict[str, str]]:
    """A request of the revision without a handshake, and its headers."""
    meta = {f"{META}protocolVersion": "2026-07-28", f"{META}clientCapabilities": {}}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}).encode()
    headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    return body, {**headers, "Mcp-Name": str(params["name"])} if "name" in params else headers


_LIMITED = """
import json, sys
from functools import partial
from memdown.surfaces.listening import listen
from memdown.surfaces.mcp.http import guard, lines, server
from memdown.surfaces.mcp.table import TABLE
with listen("127.0.0.1", 0) as listening:
    print(server.address(listening), file=sys.stderr, flush=True)
    start = lines.Start(None, None, TABLE, lines.HttpLimits(**json.loads(sys.argv[1])))
    server.serve(listening, start, partial(guard.HttpGuard, token=sys.argv[2], names=["127.0.0.1"]))
"""


@contextmanager
def http_server(project: Path, *args: str, limits: Mapping[str, float] | None = None, **env: str) -> Iterator[Server]:
    """A server on a free port, started in a project; by the command line, unless it has other limits."""
    known = environment(project.parent / "banks", **{"MEMDOWN_MCP_TOKEN": TOKEN, **env})
    words = command("--http", "--port", "0", *args)
    if limits is not None:
        words = [sys.executable, "-c", _LIMITED, json.dumps(limits), TOKEN]
    with Forked(words, cwd=project, env=known, text=True, stderr=subprocess.PIPE) as process:
        assert process.stderr
        lines = iter(process.stderr.readline, "")
        url = next((found[0] for line in lines if (found := re.search(r"http://\S+", line))), None)
        assert url, process.wait()
        try:
            yield Server(url, process)
        finally:
            process.kill()
