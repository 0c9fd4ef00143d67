"""The Model Context Protocol as it is spoken on the pipes: five revisions, message by message."""

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_client import ENVELOPE, META, WHO, Client, command, environment, server
from memdown.dialects.bank.modes import MODES
from memdown.limits import MCP_MESSAGE
from memdown.surfaces.mcp import loop, watch, worker
from memdown.surfaces.mcp.table import TABLE, McpTable
from memdown.surfaces.mcp.wire import Pipes, Request, decode, encode
from samples import CARD, ID, put
from test_start import HEAVY

OLD = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    put(root, "memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Search\n")
    put(root, f"memories/{ID}.md", CARD)
    return root


@pytest.fixture
def client(project: Path, tmp_path: Path) -> Iterator[Client]:
    with server(project, banks=tmp_path / "banks") as client:
        yield client


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A server after its handshake, for tests that leave it as it was."""
    root = tmp_path_factory.mktemp("begun")
    with server(root, banks=root / "banks") as client:
        client.initialize()
        yield client


# The handshake


@pytest.mark.parametrize("version", OLD)
def test_every_revision_with_a_handshake_is_spoken(client: Client, version: str) -> None:
    told = client.initialize(version)
    assert told["protocolVersion"] == version
    assert told["serverInfo"]["name"] == "memdown"
    assert set(told["capabilities"]) == {"completions", "logging", "prompts", "resources", "tools"}
    assert len(client.ask("tools/list")["result"]["tools"]) >= 7


@pytest.mark.parametrize("version", ["2026-07-28", "1999-01-01", "next"])
def test_a_revision_without_a_handshake_is_answered_with_the_newest_that_has_one(client: Client, version: str) -> None:
    assert client.initialize(version)["protocolVersion"] == "2025-11-25"


def test_nothing_but_ping_is_answered_before_the_handshake(client: Client) -> None:
    assert client.ask("ping")["result"] == {}
    assert client.ask("tools/list")["error"]["code"] == -32600
    client.initialize()
    assert "result" in client.ask("tools/list")


def test_the_handshake_is_answered_before_anything_heavy_is_imported(project: Path, tmp_path: Path) -> None:
    """What is loaded is told by the interpreter itself, import by import."""
    with server(project, banks=tmp_path, PYTHONPROFILEIMPORTTIME="1") as client:
        client.initialize()
        client.ask("ping")
        _, told = client.end()
    loaded = {line.rpartition(b"|")[2].strip().decode().split(".")[0] for line in told.splitlines()}
    assert "memdown" in loaded
    assert loaded & (HEAVY - {"json", "re", "pathlib", "typing"}) == set()
    assert not [line for line in told.splitlines() if b"memdown.memory" in line]


def test_the_names_of_modes_are_the_ones_of_the_bank() -> None:
    assert tuple(mode.name for mode in MODES) == loop.MODES


# The revision in which every request stands alone


def test_a_request_that_names_its_revision_needs_no_handshake(client: Client) -> None:
    told = client.ask_modern("server/discover")["result"]
    assert told["supportedVersions"] == ["2026-07-28", *reversed(OLD)]
    assert told["resultType"] == "complete"
    assert told["cacheScope"] == "private"
    assert told["_meta"][f"{META}serverInfo"]["name"] == "memdown"
    listed = client.ask_modern("tools/list")["result"]
    assert listed["resultType"] == "complete"
    assert listed["ttlMs"] >= 0
    called = client.ask_modern("tools/call", name="list_project_files", arguments={"projectPath": "."})["result"]
    assert called["structuredContent"]["files"][0]["name"] == "progress.md"
    assert "ttlMs" not in called


def test_a_revision_that_is_not_spoken_is_refused_with_the_ones_that_are(client: Client) -> None:
    meta = {**ENVELOPE, f"{META}protocolVersion": "2031-01-01"}
    error = client.ask("tools/list", _meta=meta)["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": ["2026-07-28", *reversed(OLD)], "requested": "2031-01-01"}


@pytest.mark.parametrize(
    "meta",
    [{}, {f"{META}protocolVersion": "2026-07-28"}, {f"{META}protocolVersion": 7, f"{META}clientCapabilities": {}}],
)
def test_a_request_without_all_of_its_envelope_is_wrong(begun: Client, meta: dict[str, object]) -> None:
    assert begun.ask("server/discover", _meta=meta)["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["ping", "logging/setLevel", "resources/subscribe", "initialize"])
def test_methods_that_the_revision_dropped_are_gone(begun: Client, method: str) -> None:
    assert begun.ask_modern(method, uri="x", level="info")["error"]["code"] == -32601


# Messages


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}', -32700),
        (b"[" * 100_000, -32700),
        (b'{"a":' * 100_000, -32700),
        (b"1" * 10_000, -32700),
        (b"null", -32600),
        (b'"text"', -32600),
        (b"[]", -32600),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
        (b'{"id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nothing"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":["x"]}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"-1"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}', -32602),
        (b'{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32601),
        (b'{"jsonrpc":"2.0","id":1,"method":"tasks/get"}', -32601),
    ],
)
def test_a_wrong_message_is_answered_with_its_error_and_the_next_one_is_served(
    begun: Client, line: bytes, code: int
) -> None:
    begun.send_bytes(line + b"\n")
    assert begun.receive()["error"]["code"] == code
    assert begun.ask("ping")["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \r",
        b'{"jsonrpc":"2.0","method":"notifications/unheard"}',
        b'{"jsonrpc":"2.0","method":7}',
        b'{"jsonrpc":"2.0","method":"ping","params":[]}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
        b'{"jsonrpc":"2.0","id":99,"result":{}}',
        b'{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}',
    ],
)
def test_what_asks_for_nothing_is_not_answered(begun: Client, line: bytes) -> None:
    begun.ask("tools/list")
    begun.send_bytes(line + b"\n")
    assert begun.ask("ping")["result"] == {}
    assert begun.heard == []


def test_a_message_that_is_too_long_is_passed_over(client: Client) -> None:
    client.initialize()
    client.send_bytes(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * MCP_MESSAGE + b'"}\n')
    assert "longer than" in client.receive()["error"]["message"]
    assert client.ask("ping")["result"] == {}


def test_lines_end_with_either_line_end_and_ids_may_be_texts(client: Client) -> None:
    client.initialize()
    client.send_bytes(b'\xef\xbb\xbf{"jsonrpc":"2.0","id":"a b","method":"ping"}\r\n')
    assert client.receive() == {"jsonrpc": "2.0", "id": "a b", "result": {}}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["2.0", "ping", "initialize", *OLD]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "params", "_meta", "result", "x"]), inner, max_size=5
        )
    ),
    max_leaves=12,
)


def spoken(messages: list[object]) -> list[Any]:
    """What the loop answers to some lines, in this process."""
    said = "".join(f"{json.dumps(message)}\n" for message in messages)
    written = io.BytesIO()
    loop.Loop(Pipes(io.BufferedReader(io.BytesIO(said.encode())), io.BufferedWriter(written))).run()
    return [json.loads(line) for line in written.getvalue().splitlines()]


@given(st.lists(JSON, max_size=4))
def test_whatever_arrives_is_answered_or_passed_over(messages: list[object]) -> None:
    for answer in spoken(messages):
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer)


@given(JSON)
def test_messages_are_lines_that_read_back_as_they_were(value: object) -> None:
    line = encode(value)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == value


def test_half_a_pair_of_surrogates_leaves_as_a_replacement_character() -> None:
    assert decode(encode({"text": "a\ud800b \U0001f9c0 \udc80"})) == {"text": "a\ufffdb \U0001f9c0 \ufffd"}


def test_lists_of_messages_are_answered_as_lists_in_the_one_revision_that_has_them(client: Client) -> None:
    client.initialize("2025-03-26")
    client.send(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "prompts/list"},
            {"jsonrpc": "2.0", "id": 3, "method": "initialize", "params": {"protocolVersion": OLD[0]}},
            7,
        ]
    )
    answers = client.receive()
    assert [answer["id"] for answer in answers] == [1, 2, 3, None]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, None, -32600, -32600]
    client.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    client.send([])
    assert client.receive()["error"]["code"] == -32600


def test_text_is_utf8_whatever_the_locale_says(project: Path, tmp_path: Path) -> None:
    put(project, "memory-bank/notes.md", "# Käse – 日本語 🧀\n")
    # Without UTF-8 mode Python itself loads no extension module from below a folder with another name than ASCII.
    off = {"PYTHONUTF8": "0"} if sys.prefix.isascii() else {}
    with server(project, banks=tmp_path, LC_ALL="C", LANG="C", PYTHONIOENCODING="ascii", **off) as client:
        client.initialize()
        assert (
            client.value("memory_bank_read", projectPath=".", fileName="notes.md")["content"] == "# Käse – 日本語 🧀\n"
        )


def test_bytes_that_are_not_utf8_are_read_as_replacement_characters_and_not_lost_by_an_update(
    client: Client, project: Path
) -> None:
    path = put(project, "memory-bank/old.md", "# Old\ncaf\udce9\n")
    client.initialize()
    read = client.value("memory_bank_read", projectPath=".", fileName="old.md")
    assert read["content"] == "# Old\ncaf\ufffd\n"
    told = client.refusal("memory_bank_update", projectPath=".", fileName="old.md", content=read["content"])
    assert "not UTF-8" in told
    assert path.read_bytes() == b"# Old\ncaf\xe9\n"


# The life of a server


def test_the_end_of_input_ends_the_server_after_it_answered(client: Client) -> None:
    client.initialize()
    client.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "check", "arguments": {}}})
    assert client.process.stdin
    client.process.stdin.close()
    assert client.answer(7)["result"]["structuredContent"]["total"] >= 0
    assert client.receive() is None
    assert client.end() == (0, b"")


def test_a_client_that_is_gone_ends_the_server_without_a_word(project: Path, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    asks = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": OLD[0]}}]
    asks += [{"jsonrpc": "2.0", "id": id, "method": "tools/list"} for id in (2, 3)]
    done = subprocess.run(
        command(),
        cwd=project,
        env=environment(tmp_path),
        input="".join(f"{json.dumps(ask)}\n" for ask in asks).encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def asking(id: int, method: str, **params: object) -> Request:
    return Request({"jsonrpc": "2.0", "id": id, "method": method, "params": params}, OLD[-1])


def test_after_the_end_of_input_what_runs_is_finished_and_what_has_not_begun_is_refused(project: Path) -> None:
    runs, may_end = threading.Event(), threading.Event()
    sent: list[Any] = []

    def wait(*_: object) -> dict[str, object]:
        runs.set()
        assert may_end.wait(60)
        return {}

    table = McpTable(TABLE.tools, {"wait": wait}, TABLE.place)
    line = worker.Worker(lambda message, _: sent.append(message), lambda: 0, str(project), None, table)
    line.put([asking(0, "wait")])
    for id in range(1, 301):
        line.put([asking(id, "wait")])
    assert runs.wait(60)
    line.refuse_rest()
    may_end.set()
    line.finish()
    first, *others = sent
    assert first["result"] == {}
    assert [each["id"] for each in others] == list(range(1, 301))
    assert {each["error"]["message"] for each in others} == {"The input ended before this was begun; nothing was done."}


def test_nothing_more_begins_when_nobody_reads(project: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    asked = b"".join(encode({"jsonrpc": "2.0", "id": id, "method": "tools/list"}) for id in range(300))
    hello = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {"protocolVersion": OLD[-1]}}
    pipes = Pipes(io.BufferedReader(io.BytesIO(encode(hello) + asked)), os.fdopen(writing, "wb"))
    ended = loop.Loop(pipes, str(project), grace=1e6)
    ended.run()
    pipes.close()
    assert ended._worker
    assert ended._worker._until < time.monotonic()


def test_a_client_watches_so_many_resources_and_no_more(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def place(_: object, uri: str) -> Path:
        nonlocal looked
        looked += 1
        return project / uri

    monkeypatch.setattr(worker, "_EVERY_SECONDS", 1e6)
    sent: list[Any] = []
    table = McpTable(TABLE.tools, {}, place)
    line = worker.Worker(lambda message, _: sent.append(message), lambda: 0, str(project), None, table)
    for id in range(watch.MOST):
        line.put([asking(id, "resources/subscribe", uri=f"{id}.md")])
    line.put(
        [asking(-1, "resources/subscribe", uri="0.md"), asking(-2, "resources/subscribe", uri="more.md")], batch=True
    )
    line.put(
        [asking(-3, "resources/unsubscribe", uri="1.md"), asking(-4, "resources/subscribe", uri="2" * 5000)], batch=True
    )
    line.finish()
    *granted, [again, refused], [_, long] = sent
    assert all(each["result"] == {} for each in [*granted, again])
    assert refused["error"]["message"] == "More than 1,000 resources cannot be watched at once; unsubscribe from some."
    assert "4,096 characters" in long["error"]["message"]
    assert looked < 4 * watch.MOST


@pytest.mark.parametrize("asked", [[f"memdown://shop/memory-bank/{n}.md" for n in range(1001)], []])
def test_streams_are_limited_too(client: Client, asked: list[str]) -> None:
    params = {"_meta": ENVELOPE, "notifications": {"resourceSubscriptions": asked}}
    for id in range(1 if asked else watch.MOST_STREAMS + 1):
        client.send({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params})
    told = client.answer(0 if asked else watch.MOST_STREAMS)
    assert ("More than 1,000" if asked else "64 requests listen already") in told["error"]["message"]


def test_a_server_that_cannot_look_for_memory_says_why(project: Path, tmp_path: Path) -> None:
    with server(project, banks=tmp_path, MEMDOWN_MODE="nonsense") as client:
        code, told = client.end()
        assert (code, told.count(b"\n")) == (2, 1)
        assert b"'nonsense'" in told
    with server(project, "--root", str(tmp_path / "none"), banks=tmp_path) as client:
        client.initialize()
        assert "is not a folder" in client.refusal("check")


def test_a_request_that_waits_can_be_cancelled(client: Client, project: Path) -> None:
    client.initialize()
    client.ask("tools/list")
    for number in range(300):
        put(project, f".squad/agents/a{number}/history.md", "### 2026-02-01: x\n**By:** Ann\n\ntext\n" * 20)
    for id in (100, 101, 102):
        client.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "check"}})
    client.notify("notifications/cancelled", requestId=101)
    client.notify("notifications/cancelled", requestId=100)
    assert client.answer(102)["result"]["structuredContent"]["total"] > 0
    assert [message for message in client.heard if message.get("id") in (100, 101)] == []


def test_progress_is_told_to_those_who_gave_a_token(client: Client, project: Path) -> None:
    for number in range(50):
        put(project, f"memories/{number}.md", CARD)
    client.initialize()
    client.ask("tools/call", name="check", arguments={}, _meta={"progressToken": "t"})
    told = [message["params"] for message in client.heard if message["method"] == "notifications/progress"]
    assert told
    assert {each["progressToken"] for each in told} == {"t"}
    steps = [each["progress"] for each in told]
    assert steps == sorted(set(steps))
    client.heard.clear()
    client.call("check")
    assert client.heard == []


def test_log_messages_come_from_the_level_that_was_set(client: Client, project: Path, tmp_path: Path) -> None:
    (project / "memories/out.md").symlink_to(tmp_path / "secret.md")
    client.initialize()
    client.call("check")
    [told] = [message["params"] for message in client.heard]
    assert (told["level"], told["logger"]) == ("warning", "memdown")
    assert "memories/out.md" in told["data"]
    client.heard.clear()
    assert client.ask("logging/setLevel", level="error")["result"] == {}
    client.call("check")
    assert client.heard == []


def test_without_a_handshake_log_messages_come_only_to_those_who_ask(client: Client, project: Path) -> None:
    (project / "memories/out.md").symlink_to("/nowhere/at/all.md")
    client.ask("tools/call", name="check", _meta=ENVELOPE)
    assert client.heard == []
    client.ask("tools/call", name="check", _meta={**ENVELOPE, f"{META}logLevel": "info"})
    assert [message["method"] for message in client.heard] == ["notifications/message"]


# Resources


def test_resources_are_the_memory_files_and_what_an_assistant_is_told(client: Client) -> None:
    client.initialize()
    listed = client.ask("resources/list")["result"]["resources"]
    assert [each["uri"] for each in listed] == [
        "memdown://shop/memory-bank/progress.md",
        f"memdown://shop/memories/{ID}.md",
        "memdown://shop/@prompt",
        "memdown://shop/@rules",
    ]
    [content] = client.ask("resources/read", uri=listed[0]["uri"])["result"]["contents"]
    assert content["text"].startswith("# Progress")
    assert content["mimeType"] == "text/markdown"
    [content] = client.ask("resources/read", uri="memdown://shop/@prompt")["result"]["contents"]
    assert "Read Order" in content["text"]
    [template] = client.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "memdown://{project}/{+path}"


@pytest.mark.parametrize(
    "uri",
    [
        "memdown://shop/memory-bank/none.md",
        "memdown://shop/../secret.md",
        "memdown://shop/%2e%2e/secret.md",
        "memdown://shop/memory-bank/%2e%2e/%2e%2e/secret.md",
        "memdown://shop//etc/passwd",
        "memdown://%2e%2e/secret.md",
        "memdown://nobody/memory-bank/progress.md",
        "memdown://shop",
        "memdown:///x.md",
        "file:///etc/passwd",
        "memdown://shop/README.md",
        "memdown://shop/link/secret.md",
        "",
    ],
)
def test_no_uri_reaches_beyond_memory(client: Client, project: Path, tmp_path: Path, uri: str) -> None:
    put(tmp_path, "secret.md", "the secret")
    put(project, "README.md", "no memory")
    (project / "link").symlink_to(tmp_path, target_is_directory=True)
    client.initialize()
    for method in ("resources/read", "resources/subscribe"):
        answer = client.ask(method, uri=uri)
        if method == "resources/read":
            assert answer["error"]["code"] == -32002, answer
        assert "the secret" not in json.dumps(answer)


def test_long_lists_come_in_pages(client: Client, project: Path) -> None:
    for number in range(250):
        put(project, f"memory-bank/notes/n{number:03}.md", "# Note\n")
    client.initialize()
    seen: list[str] = []
    cursor: dict[str, object] = {}
    for size in (100, 100, 54):
        told = client.ask("resources/list", **cursor)["result"]
        assert len(told["resources"]) == size
        seen += [each["uri"] for each in told["resources"]]
        cursor = {"cursor": told.get("nextCursor")}
    assert cursor == {"cursor": None}
    assert len(set(seen)) == 254


def test_changes_of_a_file_are_told_to_those_who_subscribed(client: Client, project: Path) -> None:
    uri = "memdown://shop/memory-bank/progress.md"
    client.initialize()
    assert client.ask("resources/subscribe", uri=uri)["result"] == {}
    put(project, "memory-bank/progress.md", "# Progress\n\nchanged by hand\n")
    assert client.receive() == {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
    put(project, "memory-bank/new.md", "# New\n")
    assert client.receive()["method"] == "notifications/resources/list_changed"
    client.value("memory_bank_update", projectPath=".", fileName="progress.md", content="# Progress\n")
    told = client.receive()["method"]
    while told == "notifications/resources/list_changed":  # a new file may be seen before it has its text, and again
        told = client.receive()["method"]
    assert told == "notifications/resources/updated"
    assert client.ask("resources/unsubscribe", uri=uri)["result"] == {}
    put(project, "memory-bank/progress.md", "# Progress\n\nonce more\n")
    time.sleep(1.5)
    assert client.ask("ping")["result"] == {}
    assert client.heard == []


def test_a_stream_of_changes_is_acknowledged_stamped_and_ended(client: Client, project: Path) -> None:
    uri = "memdown://shop/memory-bank/progress.md"
    wanted = {
        "resourceSubscriptions": [uri, "file:///etc/passwd"],
        "toolsListChanged": True,
        "resourcesListChanged": True,
    }
    client.send(
        {
            "jsonrpc": "2.0",
            "id": "listen-1",
            "method": "subscriptions/listen",
            "params": {"_meta": ENVELOPE, "notifications": wanted},
        }
    )
    stamp = {f"{META}subscriptionId": "listen-1"}
    assert client.receive() == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": stamp, "notifications": {"resourceSubscriptions": [uri], "resourcesListChanged": True}},
    }
    put(project, "memory-bank/progress.md", "# Progress\n\nchanged by hand\n")
    assert client.receive()["params"] == {"uri": uri, "_meta": stamp}
    assert client.process.stdin
    client.process.stdin.close()
    ended = client.receive()
    assert ended["id"] == "listen-1"
    assert ended["result"] == {"resultType": "complete", "_meta": stamp}


def test_a_cancelled_stream_is_silent(client: Client, project: Path) -> None:
    params = {"_meta": ENVELOPE, "notifications": {"resourcesListChanged": True}}
    client.send({"jsonrpc": "2.0", "id": 5, "method": "subscriptions/listen", "params": params})
    assert client.receive()["method"] == "notifications/subscriptions/acknowledged"
    client.notify("notifications/cancelled", requestId=5)
    time.sleep(1.2)
    put(project, "memory-bank/new.md", "# New\n")
    time.sleep(1.2)
    client.ask_modern("tools/list")
    assert client.heard == []


# Prompts


def test_prompts_bring_what_they_rest_on(client: Client, project: Path) -> None:
    put(project, ".clinerules", "- Every function has a test.\n")
    client.initialize()
    names = [each["name"] for each in client.ask("prompts/list")["result"]["prompts"]]
    assert names == ["plan", "act", "update_memory_bank", "start_session", "end_session"]
    said = [
        each["content"]
        for each in client.ask("prompts/get", name="plan", arguments={"task": "A shop"})["result"]["messages"]
    ]
    assert said[0]["text"].endswith("The task: A shop")
    assert said[1]["resource"]["uri"] == "memdown://shop/memory-bank/progress.md"
    assert "Every function has a test" in said[2]["resource"]["text"]
    assert "whether activeContext.md is current" in said[0]["text"]
    told = client.ask("prompts/get", name="act")["result"]["messages"]
    assert "On completion, move what is done to Completed in progress.md" in told[0]["content"]["text"]
    told = client.ask("prompts/get", name="update_memory_bank")["result"]["messages"]
    order, draft = (each["content"]["text"] for each in told)
    assert draft.startswith("A draft from git:")
    assert order.index("progress.md") < order.index("activeContext.md") < order.index("projectBrief.md")


@pytest.mark.parametrize(
    "params",
    [{"name": "none"}, {"name": "plan", "arguments": {"x": "y"}}, {"name": "plan", "arguments": {"task": 7}}],
)
def test_prompts_that_cannot_be_filled_in_are_errors(begun: Client, params: dict[str, object]) -> None:
    assert begun.ask("prompts/get", **params)["error"]["code"] == -32602


def test_arguments_are_completed(client: Client) -> None:
    client.initialize()

    def completed(ref: dict[str, str], name: str, value: str) -> object:
        told = client.ask("completion/complete", ref=ref, argument={"name": name, "value": value})
        return told["result"]["completion"]["values"]

    prompt, template = {"type": "ref/prompt", "name": "start_session"}, {"type": "ref/resource", "uri": "memdown://x"}
    assert completed(prompt, "mode", "a") == ["architect", "ask"]
    assert completed(prompt, "project", "SH") == ["shop"]
    assert completed(template, "path", "memory-bank/") == ["memory-bank/progress.md"]
    assert completed(prompt, "summary", "") == []


def test_a_handshake_is_told_who_the_client_is_and_does_not_care(client: Client) -> None:
    answer = client.ask("initialize", protocolVersion="2025-06-18", capabilities={"roots": {}}, clientInfo=WHO, more=1)
    assert answer["result"]["instructions"]
