"""The server over HTTP: who is let in, many at once, and how it begins and ends."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra is not installed")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated

from forks import Forked
from mcp_client import command, environment
from mcp_http_client import ACCEPT, TOKEN, Server, Web, http_server, modern
from memdown.errors import Invalid, installing
from memdown.surfaces.mcp.http.guard import HttpGuard, Message, Receive, Scope, Send, names_of
from memdown.surfaces.mcp.tools import TOOLS
from samples import CARD, ID, memdown, put

PROGRESS = "# Progress\n\n## Completed\n\n## In Progress\n- [ ] Search\n"
URI = "memdown://shop/memory-bank/progress.md"
HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
).encode()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    put(tmp_path, "banks/alpha/memory-bank/progress.md", PROGRESS)
    put(tmp_path, "shop/memory-bank/progress.md", PROGRESS)
    return tmp_path / "shop"


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    with http_server(project) as server:
        yield server


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for requests that change nothing."""
    folder = tmp_path_factory.mktemp("door")
    put(folder, "shop/memory-bank/progress.md", PROGRESS)
    with http_server(folder / "shop") as server:
        yield server


# Who is let in


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer \xff",
    ],
)
def test_nobody_is_served_without_the_token(door: Server, given: str | None) -> None:
    status, told = door.send("POST", HELLO, {"Authorization": given})
    assert status == 401
    assert "memdown" not in told
    assert TOKEN not in told


def test_the_scheme_of_the_token_is_of_any_case(door: Server) -> None:
    assert door.send("POST", HELLO, {"Authorization": f"bearer {TOKEN}"})[0] == 200


def test_who_sends_no_token_is_told_how(door: Server) -> None:
    with door.sending("POST", HELLO, {"Authorization": None}) as response:
        assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "http://evil.example",
            "https://localhost.evil.example",
            "null",
            "file://",
            "",
            "http://127.0.0.1.evil.example:80",
        ),
        *("http://localhost@evil.example", "chrome-extension://localhost", "http://[::1", "http://localhost:x"),
    ],
)
def test_pages_of_other_origins_are_turned_away(door: Server, origin: str) -> None:
    assert door.send("POST", HELLO, {"Origin": origin})[0] == 403


@pytest.mark.parametrize(
    "host",
    [None, "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:80:90", "localhost:x", "127.0.0.1@evil.example"],
)  # fmt: skip
def test_other_names_of_this_computer_are_turned_away(door: Server, host: str | None) -> None:
    assert door.send("POST", HELLO, {"Host": host})[0] in (400, 421)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1234", "127.0.0.1", "[::1]:80"])
def test_this_computer_has_several_names_and_tunnels_other_ports(door: Server, host: str) -> None:
    assert door.send("POST", HELLO, {"Host": host, "Origin": f"http://{host}"})[0] == 200


def test_a_page_that_asks_whether_it_may_ask_may_not(door: Server) -> None:
    with door.sending("OPTIONS", b"", {"Origin": "http://localhost:3000", "Authorization": None}) as response:
        assert response.status == 401
        assert not [name for name in response.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("path", ["/", "/mcp/", "/mcp/../mcp", "/mcp%00", "//mcp", "/memory-bank/progress.md"])
def test_there_is_one_path(door: Server, path: str) -> None:
    with door.sending("POST", HELLO, path=path) as response:
        assert response.status == 404
        assert "Progress" not in response.read().decode()


@pytest.mark.parametrize(
    ("host", "allowed", "names"),
    [
        ("127.0.0.1", (), {"127.0.0.1", "localhost", "[::1]"}),
        ("::1", ("box.lan",), {"127.0.0.1", "localhost", "[::1]", "box.lan"}),
        ("0.0.0.0", ("box.lan",), {"box.lan"}),
        ("box.lan", ("box.lan",), {"box.lan"}),
    ],
)
def test_a_server_knows_its_names(host: str, allowed: tuple[str, ...], names: set[str]) -> None:
    assert set(names_of(host, allowed)) == names


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "box.lan", "localhost.evil.example"])
def test_other_computers_are_let_in_only_by_name(host: str) -> None:
    with pytest.raises(Invalid, match="--allow-host"):
        names_of(host, ())


# What is too much


@pytest.mark.parametrize("declared", [True, False])
def test_a_request_that_is_too_long_is_refused(door: Server, declared: bool) -> None:
    with socket.create_connection(("127.0.0.1", door.port), 240) as line:
        size = f"Content-Length: {1 << 40}" if declared else "Transfer-Encoding: chunked"
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n{size}\r\n\r\n".encode()
        )
        with_chunks = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
        try:
            for _ in range(0 if declared else 8):
                line.sendall(with_chunks)
        except OSError:
            pass  # it did not wait for the rest
        assert line.recv(100).startswith(b"HTTP/1.1 413")
    assert Web(door).value("list_projects")


def test_who_has_no_token_is_turned_away_before_the_body_comes(door: Server) -> None:
    with socket.create_connection(("127.0.0.1", door.port), 240) as line:
        line.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{")
        assert line.recv(100).startswith(b"HTTP/1.1 401")


def test_others_are_served_while_a_body_is_slow(door: Server) -> None:
    lines = [socket.create_connection(("127.0.0.1", door.port), 240) for _ in range(20)]
    for line in lines:
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\nContent-Length: 100\r\n\r\n{{".encode()
        )
    assert Web(door).value("list_projects")
    for line in lines:
        line.close()


# Who says nothing


def silent(server: Server, said: bytes = b"") -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), 240)
    line.sendall(said)
    return line


def is_closed(line: socket.socket) -> bool:
    """Whether the server hangs up, which is waited for."""
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def test_silent_connections_keep_nobody_out(door: Server) -> None:
    with ExitStack() as stack:
        for _ in range(401):
            stack.enter_context(silent(door))
        assert Web(door).value("list_projects")


def test_of_too_many_that_wait_the_first_has_to_go(project: Path) -> None:
    with http_server(project, limits={"waiting": 5, "header_seconds": 1e6}) as server, ExitStack() as stack:
        waiting = [stack.enter_context(silent(server, b"POST /mcp HTTP/1.1\r\nHost:")) for _ in range(20)]
        assert all(map(is_closed, waiting[:15]))
        client = Web(server)
        assert client.value("list_projects")
        with server.sending("POST", HELLO, {"Authorization": "Bearer wrong"}) as response:
            assert response.status == 401


def test_a_head_that_does_not_come_is_not_waited_for(project: Path) -> None:
    begun = [b"", b"POST /mcp HTTP/1.1\r\nHost:", b"GET /mcp HTTP/1.1\r\nHost: x\r\n\r\nGET"]
    with http_server(project, limits={"header_seconds": 0.2}) as server:
        for said in begun:
            ended = threading.Event()
            with silent(server, said) as line, ThreadPoolExecutor() as pool:
                if said:
                    pool.submit(drip, line, ended)  # a byte now and then gains no time
                while not is_closed(line):
                    pass
                ended.set()
        assert Web(server).value("list_projects")


def drip(line: socket.socket, ended: threading.Event) -> None:
    while not ended.wait(0.02):
        try:
            line.sendall(b"x")
        except OSError:
            return


def test_a_session_that_is_idle_is_ended(project: Path) -> None:
    with http_server(project, limits={"idle_seconds": 0.2}) as server:
        client = Web(server)
        pause = 0.3
        while server.send("POST", HELLO, {"Mcp-Session-Id": client.session})[0] != 404:
            time.sleep(pause)
            pause *= 2
            assert pause < 240


def test_one_client_too_many_ends_the_session_that_is_idle_longest(project: Path) -> None:
    with http_server(project, limits={"sessions": 3}) as server:
        first, second, third = Web(server), Web(server), Web(server)
        assert first.value("list_projects")
        listens = {"Mcp-Session-Id": second.session, "MCP-Protocol-Version": "2025-11-25"}
        with server.sending("GET", b"", listens) as response:
            assert response.status == 200
            fourth = Web(server)
            assert third.end() == 404
            assert all(each.value("list_projects") for each in (first, second, fourth))
            fifth = Web(server)
            assert first.end() == 404
            assert all(each.value("list_projects") for each in (second, fourth, fifth))
            body, headers = modern("tools/list")
            assert server.send("POST", body, headers)[0] == 200
            assert fourth.value("list_projects")


def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    answers = []

    async def app(_: Scope, receive: Receive, __: Send) -> None:
        while (await receive())["more_body"]:
            pass

    async def receive() -> Message:
        await asyncio.sleep(0.02)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: Message) -> None:
        answers.append(message.get("status"))

    headers = [(b"host", b"localhost"), (b"authorization", f"Bearer {TOKEN}".encode())]
    guard = HttpGuard(app, TOKEN, ("localhost",), seconds=0.1)
    asyncio.run(guard({"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, receive, send))
    assert answers[0] == 408


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"[" * 100_000, b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b'{"a":' * 50_000],
)  # fmt: skip
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28", "nonsense"])
def test_what_is_no_message_is_an_error_and_no_more(door: Server, body: bytes, version: str) -> None:
    status, told = door.send("POST", body, {"MCP-Protocol-Version": version})
    assert 400 <= status < 500
    assert "Traceback" not in told
    assert Web(door).value("list_projects")


# The same table


def test_paths_that_leave_the_project_are_refused_as_on_pipes(server: Server, project: Path) -> None:
    put(project.parent, "secret.md", "The secret.\n")
    (project / "memory-bank/out.md").symlink_to(project.parent / "secret.md")
    web = Web(server)
    for name in (
        "../../secret.md",
        str(project.parent / "secret.md"),
        "out.md",
        "..\\..\\secret.md",
        "a\0.md",
        "CON.md",
    ):
        told = web.refusal("memory_bank_read", projectPath=".", fileName=name)
        assert "The secret" not in told
    for place in ("..", "/", str(project.parent), "../shop", "banks/alpha"):
        assert web.refusal("memory_bank_read", projectPath=place, fileName="progress.md")
    for uri in ("memdown://shop/../secret.md", "memdown://shop/%2e%2e/secret.md", "file:///etc/passwd"):
        assert "error" in web.ask("resources/read", uri=uri)


def test_what_looks_like_a_credential_is_not_written(server: Server, project: Path) -> None:
    web = Web(server)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    told = web.refusal("memory_bank_write", projectPath=".", fileName="x.md", content=f"# X\n\n{secret}\n")
    assert "line 3" in told
    assert secret not in told
    assert not (project / "memory-bank/x.md").exists()


def test_a_mode_lasts_for_a_client_and_for_no_other(server: Server) -> None:
    one, other = Web(server), Web(server)
    one.value("start_session", mode="ask")
    assert "ask" in one.refusal("set_task", task="Search", state="done")
    assert other.value("set_task", task="Search", state="done")["changed"]
    body, headers = modern("tools/call", name="start_session", arguments={"mode": "ask"})
    told = json.loads(server.send("POST", body, headers)[1])["result"]
    assert told["isError"]
    assert "--mode" in told["content"][0]["text"]


def test_a_server_in_ask_mode_only_reads(project: Path) -> None:
    with http_server(project, "--mode", "ask") as server:
        assert "ask" in Web(server).refusal("set_task", task="Search", state="done")
        body, headers = modern("tools/call", name="set_task", arguments={"task": "Search", "state": "done"})
        assert json.loads(server.send("POST", body, headers)[1])["result"]["isError"]
    assert (project / "memory-bank/progress.md").read_text() == PROGRESS


def test_a_client_that_says_goodbye_is_forgotten(server: Server) -> None:
    web = Web(server)
    other = Web(server)
    assert web.end() == 200
    with server.sending("POST", HELLO, {"Mcp-Session-Id": web.session}) as response:
        assert response.status == 404
    assert other.value("list_projects")


# Many at once


def test_twenty_clients_write_at_once_and_nothing_is_lost(server: Server, project: Path) -> None:
    put(project, f"memories/{ID}.md", CARD)

    def work(number: int) -> str:
        web = Web(server)
        text = f"What client {number} found out about the pool."
        added = web.value("add", kind="card", title=f"Card {number}", text=text, tags=["pool"])
        web.value("memory_bank_write", projectPath=".", fileName=f"note-{number}.md", content=f"# {number}\n")
        assert web.value("show", id=added["id"])["title"] == f"Card {number}"
        web.end()
        return str(added["path"])

    with ThreadPoolExecutor(20) as pool:
        paths = list(pool.map(work, range(20)))
    assert len(set(paths)) == 20
    for number, path in enumerate(paths):
        assert f"What client {number} found out" in (project / path).read_text()
        assert (project / f"memory-bank/note-{number}.md").read_text() == f"# {number}\n"


def test_one_file_is_changed_by_many_and_by_one_at_a_time(server: Server, project: Path) -> None:
    seen = Web(server).value("memory_bank_read", projectPath=".", fileName="progress.md")["hash"]

    def work(number: int) -> bool:
        body, headers = modern(
            "tools/call",
            name="memory_bank_update",
            arguments={"projectPath": ".", "fileName": "progress.md", "content": f"# {number}\n", "expectedHash": seen},
        )
        answer = server.send("POST", body, headers)[1]
        return not json.loads(answer)["result"].get("isError")

    with ThreadPoolExecutor(20) as pool:
        won = [number for number, done in enumerate(pool.map(work, range(20))) if done]
    assert len(won) == 1
    assert (project / "memory-bank/progress.md").read_text() == f"# {won[0]}\n"


# The official client


@asynccontextmanager
async def connected(server: Server, mode: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=240) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=mode, read_timeout_seconds=240) as client,
    ):
        yield client


@pytest.mark.parametrize(
    ("mode", "version"), [("legacy", "2025-11-25"), ("2026-07-28", "2026-07-28"), ("auto", "2026-07-28")]
)
def test_the_python_sdk_uses_everything(server: Server, mode: str, version: str) -> None:
    async def use() -> None:
        async with connected(server, mode) as client:
            assert client.protocol_version == version
            tools = await client.list_tools()
            assert len(tools.tools) == len(TOOLS)
            assert all(tool.output_schema and tool.annotations for tool in tools.tools)
            read = await client.call_tool("memory_bank_read", {"projectPath": "alpha", "fileName": "progress.md"})
            assert read.structured_content
            assert read.structured_content["content"] == PROGRESS
            steps: list[tuple[float, float | None, str | None]] = []

            async def heard(progress: float, total: float | None, message: str | None) -> None:
                steps.append((progress, total, message))

            await client.call_tool("check", {}, progress_callback=heard)
            assert steps
            resources = await client.list_resources()
            assert URI in [str(each.uri) for each in resources.resources]
            assert (await client.read_resource(URI)).contents
            assert len((await client.list_prompts()).prompts) == 5
            assert len((await client.get_prompt("start_session", {"project": "alpha"})).messages) == 2

    asyncio.run(use())


def test_the_python_sdk_hears_of_changes(server: Server, project: Path) -> None:
    async def use() -> str:
        async with connected(server, "auto") as client, client.listen(resource_subscriptions=[URI]) as changes:
            put(project, "memory-bank/progress.md", "# Progress\n\nby hand\n")
            async for event in changes:
                assert isinstance(event, ResourceUpdated)
                return event.uri
        raise AssertionError("the stream ended")

    assert asyncio.run(asyncio.wait_for(use(), 240)) == URI


def test_a_client_that_subscribed_hears_of_changes(server: Server, project: Path) -> None:
    web = Web(server)
    headers = {"Mcp-Session-Id": web.session, "MCP-Protocol-Version": "2025-11-25"}
    with server.sending("GET", b"", headers) as stream:
        assert web.ask("resources/subscribe", uri=URI)["result"] == {}
        put(project, "memory-bank/progress.md", "# Progress\n\nby hand\n")
        line = next(line for line in iter(stream.readline, b"") if line.startswith(b"data: {"))
    assert json.loads(line[6:])["params"] == {"uri": URI}


def test_messages_come_from_the_level_that_was_set(server: Server, project: Path) -> None:
    (project.parent / "banks/bad\nname/memory-bank").mkdir(parents=True)
    web = Web(server)
    assert web.ask("logging/setLevel", level="emergency")["result"] == {}
    web.value("list_projects")
    assert web.heard == []
    web.ask("logging/setLevel", level="debug")
    web.value("list_projects")
    assert [each["method"] for each in web.heard] == ["notifications/message"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell how long a process worked")
def test_a_request_whose_client_leaves_is_cancelled(server: Server, project: Path) -> None:
    for number in range(100):
        put(project, f".squad/agents/a{number}/history.md", "### 2026-02-01: x\n**By:** Ann\n\ntext\n" * 20)
    body, headers = modern("tools/call", name="check", arguments={})

    def spent() -> int:
        """How long the server has been at work, in ticks; waiting for a busy machine does not count."""
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def taken() -> int:
        before = spent()
        assert "structuredContent" in json.loads(server.send("POST", body, headers)[1])["result"]
        return spent() - before

    taken()
    once = taken()
    said = {
        **headers,
        **ACCEPT,
        "Host": "localhost",
        "Authorization": f"Bearer {TOKEN}",
        "Content-Length": str(len(body)),
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
    before = spent()
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), 240) as line:
            line.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
            time.sleep(0.02)
    taken()
    assert spent() - before < once * 10  # and not twenty times as much, as each of them would have had to be answered


# How it begins and ends


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_when_it_is_asked_to_even_while_clients_listen(server: Server, ending: signal.Signals) -> None:
    web = Web(server)
    headers = {"Mcp-Session-Id": web.session, "MCP-Protocol-Version": "2025-11-25"}
    body, listening = modern("subscriptions/listen", notifications={"resourceSubscriptions": [URI]})
    with server.sending("GET", b"", headers), server.sending("POST", body, listening) as stream:
        assert b"acknowledged" in next(line for line in iter(stream.readline, b"") if line.startswith(b"data: {"))
        server.process.send_signal(ending)
        assert server.process.wait(120) == 0
        assert b'"resultType":"complete"' in stream.read()
    assert server.process.stderr
    assert server.process.stderr.read() == ""


def test_a_token_is_made_and_shown_once(project: Path) -> None:
    env = environment(project.parent / "banks")
    with Forked(command("--http", "--port", "0"), cwd=project, env=env, text=True, stderr=subprocess.PIPE) as process:
        assert process.stderr
        made = re.fullmatch(r"memdown: the token, shown this once: ([0-9a-f]{64})\n", process.stderr.readline())
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", process.stderr.readline())
        assert made
        assert found
        served = Server(found[0], process)
        assert served.send("POST", HELLO, {"Authorization": f"Bearer {made[1]}"})[0] == 200
        assert served.send("POST", HELLO)[0] == 401
        process.kill()


def test_a_token_is_read_from_a_file(project: Path) -> None:
    file = put(project.parent, "token", "from-the-file-0123456789\n")
    with http_server(project, "--token-file", str(file)) as server:
        assert server.send("POST", HELLO, {"Authorization": "Bearer from-the-file-0123456789"})[0] == 200
        assert server.send("POST", HELLO)[0] == 401


@pytest.mark.parametrize(
    ("args", "env", "code", "told"),
    [
        (("--host", "0.0.0.0"), {}, 2, "--allow-host"),
        (("--token-file", "none"), {}, 4, "cannot be read"),
        ((), {"MEMDOWN_MCP_TOKEN": "short"}, 2, "at least 16"),
        ((), {"MEMDOWN_MCP_TOKEN": "with a space in between"}, 2, "without spaces"),
        (("--host", "203.0.113.1", "--allow-host", "x", "--port", "1"), {"MEMDOWN_MCP_TOKEN": TOKEN}, 2, "another --port"),
        ((), {"MEMDOWN_MCP_TOKEN": TOKEN, "MEMDOWN_MODE": "nonsense"}, 2, "there is no mode"),
    ],
)  # fmt: skip
def test_what_cannot_be_served_is_said_in_a_sentence(
    project: Path, args: tuple[str, ...], env: dict[str, str], code: int, told: str
) -> None:
    done = memdown(project, "mcp", "--http", *args, env=environment(project.parent, **env))
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_said_in_a_sentence(server: Server, project: Path) -> None:
    done = memdown(
        project, "mcp", "--http", "--port", str(server.port), env=environment(project, MEMDOWN_MCP_TOKEN=TOKEN)
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--port" in done.stderr


def test_without_the_extra_one_sentence_says_what_to_install(project: Path) -> None:
    hidden = "import sys; sys.modules['uvicorn'] = None; from memdown.__main__ import main; sys.argv[1:] = ['mcp', '--http']; main()"
    env = environment(project.parent, MEMDOWN_MCP_TOKEN=TOKEN)
    done = subprocess.run(
        [sys.executable, "-c", hidden], cwd=project, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == f"memdown: Serving over HTTP needs more packages; run {installing('mcp')}.\n"


def test_nothing_else_imports_the_sdk() -> None:
    assert find_spec("mcp")
    told = "import sys; import memdown.surfaces.cli.mcp, memdown.surfaces.mcp.worker; print([n for n in ('mcp', 'uvicorn', 'asyncio', 'pydantic') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
