"""A hub behind a server: the same exchange as with the database itself, who is let in, and how it begins and ends."""

import asyncio
import itertools
import json
import os
import random
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

pytest.importorskip("mcp", reason="the extra is not installed")

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated

import forks
from conftest import Ran
from hub_http import HubServer, balanced, serving
from hub_server import NO_CLIENT, Server, TestHub, new_hub
from memdown import Memory
from memdown.errors import Invalid, MemdownError, NotFound, Refused, Unreadable
from memdown.hub import access, client, connection, exchange, served, working
from memdown.hub.calls import CALLS, ProtectCall, SearchCall, TakeCall
from memdown.hub.connection import HubDown, HubUncertain
from memdown.hub.exchange import Exchanged
from memdown.hub.served import PATH
from memdown.surfaces.cli.serve import not_up
from memdown.surfaces.mcp.resources import uri_of
from memdown.surfaces.serve.exchange import Exchange
from memdown.surfaces.serve.limits import RequestLimit
from samples import CARD, ID, put
from test_as_of import commit, git
from test_hub import ENTRY, FIRST, LOG, append, edit, repository
from test_hub_faults import acknowledged, check, judge, primary, running, wait_for
from test_hub_search import NOW, PROJECTS, log, publish

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = pytest.importorskip("psycopg", reason=NO_CLIENT)

Cli = Callable[..., Ran]
SHOP = "github.com/acme/shop"
ACTION = Path(__file__).parents[1] / "integrations/github-push"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture(scope="module")
def hub(postgres: Server) -> Iterator[TestHub]:
    """One hub for all tests here, which use projects of their own; some of it is known."""
    with new_hub(postgres) as made:
        for project, entries in PROJECTS.items():
            publish(made, project, log(entries))
        yield made


@pytest.fixture(scope="module")
def first(hub: TestHub) -> Iterator[HubServer]:
    with serving(hub.dsn) as server:
        yield server


@pytest.fixture(scope="module")
def second(hub: TestHub) -> Iterator[HubServer]:
    """Another server of the same hub, with lower limits."""
    with serving(hub.dsn, "--requests-per-minute", "60", "--push-megabytes", "1", "--connections", "2") as server:
        yield server


@pytest.fixture(scope="module")
def token(hub: TestHub) -> str:
    """Of somebody who may write everywhere."""
    return token_of(hub, "writer")


def token_of(hub: TestHub, who: str, right: str = "write", project: str = "*") -> str:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MEMDOWN_HUB_TOKEN", raising=False)  # whoever has it in the environment gives no rights
        access.grant(hub.dsn, who, right, project, kind="agent")
        return access.issue(hub.dsn, who, may=right).token


class Way:
    """One way to a hub, for one project of it."""

    def __init__(self, address: str, name: str) -> None:
        self.address = address
        self.name = name

    def push(self, root: Path, *delete: str) -> Exchanged:
        with Memory.open(root) as memory:
            return exchange.push(memory, self.address, name=self.name, delete=delete)

    def pull(self, root: Path, *, restore: bool = False) -> Exchanged:
        with Memory.open(root) as memory:
            return exchange.pull(memory, self.address, name=self.name, restore=restore)

    def sync(self, root: Path) -> Exchanged:
        with Memory.open(root) as memory:
            return exchange.sync(memory, self.address, name=self.name)


@pytest.fixture(params=["database", "server"])
def way(
    request: pytest.FixtureRequest, hub: TestHub, first: HubServer, token: str, monkeypatch: pytest.MonkeyPatch
) -> Way:
    """The database itself, and a server of it."""
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token)
    address = hub.login("door") if request.param == "database" else first.address
    monkeypatch.setenv("MEMDOWN_HUB", address)
    return Way(address, f"example.com/{request.node.name}")


@pytest.fixture
def through(first: HubServer, token: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Way:
    """The server alone."""
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token)
    monkeypatch.setenv("MEMDOWN_HUB", first.address)
    return Way(first.address, f"example.com/{request.node.name}")


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """Two working copies of one project; the first has a log."""
    (tmp_path / "two").mkdir()
    put(tmp_path / "one", LOG, FIRST)
    return tmp_path / "one", tmp_path / "two"


# The same, either way


def test_only_what_changed_travels(way: Way, copies: tuple[Path, Path]) -> None:
    one, two = copies
    put(one, f"memories/{ID}.md", CARD)
    assert sorted(way.push(one).sent) == [LOG, f"memories/{ID}.md"]
    assert way.push(one).sent == []
    assert sorted(way.pull(two).received) == [LOG, f"memories/{ID}.md"]
    assert (two / LOG).read_bytes() == (one / LOG).read_bytes()
    append(two, ENTRY.format(2, "Use Kafka", "Events need an order."))
    assert way.push(two).sent == [LOG]
    assert way.pull(one).received == [LOG]
    assert way.sync(one).sent == way.sync(two).sent == []


def test_both_sides_changed(way: Way, copies: tuple[Path, Path]) -> None:
    one, two = copies
    way.push(one)
    way.pull(two)
    append(one, ENTRY.format(2, "From one", "Text of one."))
    append(two, ENTRY.format(3, "From two", "Text of two."))
    way.sync(one)
    done = way.sync(two)
    assert (done.sent, done.received, done.merged, done.conflicts) == ([LOG], [LOG], [LOG], [])
    way.sync(one)
    assert (one / LOG).read_text() == (two / LOG).read_text()
    edit(one, "Text of one.", "One thing.")
    edit(two, "Text of one.", "Another thing.")
    way.push(one)
    assert [each.path for each in way.push(two).conflicts] == [LOG]
    assert all(text in (two / LOG).read_text() for text in ("One thing.", "Another thing."))


def test_nothing_is_deleted_that_nobody_deleted(way: Way, copies: tuple[Path, Path]) -> None:
    one, two = copies
    put(one, f"memories/{ID}.md", CARD)
    way.push(one)
    way.pull(two)
    (one / f"memories/{ID}.md").unlink()
    assert (way.sync(one).gone, way.pull(one, restore=True).received) == ([f"memories/{ID}.md"],) * 2
    (one / f"memories/{ID}.md").unlink()
    assert way.push(one, f"memories/{ID}.md").deleted == [f"memories/{ID}.md"]
    assert way.pull(two).deleted == [f"memories/{ID}.md"]


def test_bytes_that_are_no_text_come_back_as_they_were(way: Way, copies: tuple[Path, Path]) -> None:
    one, two = copies
    data = b"\xef\xbb\xbf" + CARD.replace("\n", "\r\n").encode() + b"\r\nlatin \xe9, nul \0 and \xf0\x9f\x98\x80"
    put(one, f"memories/{ID}.md", "")
    (one / f"memories/{ID}.md").write_bytes(data)
    way.push(one)
    way.pull(two)
    assert (two / f"memories/{ID}.md").read_bytes() == data


def test_the_memory_of_a_commit_is_published(way: Way, tmp_path: Path, cli: Cli) -> None:
    root = tmp_path / "project"
    put(root, LOG, FIRST)
    repository(root)
    commit("2026-01-02T00:00:00Z")
    assert cli("push", "--commit", "HEAD", "--as", way.name, "--json").json()["sent"] == [LOG]
    assert cli("push", "--commit", "HEAD", "--as", way.name, "--json").json()["sent"] == []


def test_credentials_do_not_go_to_the_hub(way: Way, copies: tuple[Path, Path], cli: Cli) -> None:
    put(copies[0], f"memories/{ID}.md", f"{CARD}\n{SECRET}\n")
    ran = cli("push", "--root", str(copies[0]), "--as", way.name)
    assert (ran.code, "credential" in ran.err, SECRET in ran.err) == (3, True, False)
    assert cli("push", "--root", str(copies[0]), "--as", way.name, "--allow-secret").code == 0


def test_who_may_not_write_is_told_so(
    hub: TestHub, way: Way, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(hub, "reader", "read", SHOP))
    put(tmp_path / "project", LOG, FIRST + ENTRY.format(9, "Mine", "Text."))
    ran = cli("push", way.address, "--as", SHOP)
    assert (ran.code, "reader may not write" in ran.err) == (3, True)
    assert cli("pull", "--as", "github.com/acme/billing", "--json").json()["received"] == []
    assert "Ann" in cli("pull", "--as", SHOP).out + (tmp_path / "project" / LOG).read_text()


def test_a_proposal_is_taken_by_somebody_else(
    hub: TestHub, way: Way, copies: tuple[Path, Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    way.push(copies[0])
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(hub, "admin", "admin"))
    client.ask(way.address, ProtectCall(project=way.name))
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(hub, "proposer"))
    append(copies[0], ENTRY.format(2, "Proposed", "Text."))
    assert "is protected; `memdown hub propose`" in cli("push", "--root", str(copies[0]), "--as", way.name).err
    [made] = cli("hub", "propose", "--root", str(copies[0]), "--as", way.name, "--json").json()
    assert [each["id"] for each in cli("hub", "proposals", "--json").json() if each["project"] == way.name] == [
        made["id"]
    ]
    shown = cli("hub", "proposals", made["id"][:8]).out
    assert ("\n+### 2026-01-02T10:00:00Z: Proposed\n" in shown, f"{LOG} by proposer" in shown) == (True, True)
    assert cli("hub", "proposals", "none").code in (1, 3)
    assert cli("hub", "take", made["id"]).code == 3
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(hub, "other"))
    assert client.ask(way.address, TakeCall(id=made["id"])).path == LOG


@pytest.mark.parametrize(
    "words",
    [
        ("search", "idempotent webhooks", "--json", "--hub"),
        ("search", "kafka kind:decision -rabbit", "--author", "Ann", "--type", "decision", "--json", "--hub"),
        ("search", "sessions project:shop", "--as-of", "2030-01-01", "--json", "--hub"),
        ("who", "kafka", "--json", "--hub"),
        ("context", "idempotent webhooks", "--json", "--hub"),
        ("health", "--json", "--hub"),
    ],
    ids=lambda words: words[0],
)
def test_questions_have_the_same_answers(
    hub: TestHub, first: HubServer, cli: Cli, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(hub, "asker", "read", "github.com/acme/*"))
    answers = []
    for address in (hub.login("door"), first.address):
        ran = cli(*words, address)
        assert ran.err == ""
        found = ran.json()
        if isinstance(found, dict):
            found.pop("took_ms", None)
        answers.append((ran.code, found))
    assert answers[0] == answers[1]
    assert answers[0][1]


def test_sizes_have_the_same_answers(hub: TestHub, first: HubServer, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(hub, "asker", "read", "github.com/acme/*"))
    door = hub.login("door")
    assert cli("stats", "--json", "--hub", door).json() == cli("stats", "--json", "--hub", first.address).json()
    assert cli("hub", "status", door, "--json").json() == cli("hub", "status", first.address, "--json").json()


def test_no_client_of_postgresql_is_needed(through: Way, tmp_path: Path) -> None:
    put(tmp_path, LOG, FIRST)
    hidden = "import sys; sys.modules['psycopg'] = None; from memdown.__main__ import main; sys.argv[1:] = {}; main()"
    for words, code in (
        (["push", "--as", through.name, "--json"], 0),
        (["search", "redis", "--json", "--hub"], 0),
        (["hub", "grants"], 2),
    ):
        done = forks.run([sys.executable, "-c", hidden.format(words)], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr.count("\n")) == (code, code // 2), done
        assert code or json.loads(done.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="the action runs bash")
def test_the_action_publishes_the_commit_of_a_shallow_clone(
    hub: TestHub, first: HubServer, token: str, tmp_path: Path
) -> None:
    action = yaml.safe_load((ACTION / "action.yml").read_text())
    steps = action["runs"]["steps"]
    assert action["runs"]["using"] == "composite"
    assert all("uses" in step or {"run", "shell"} <= set(step) for step in steps)
    assert all("${{" not in step.get("run", "") for step in steps)
    root = tmp_path / "origin"
    put(root, LOG, FIRST)
    git("init", "-q", "-b", "main", str(root))
    for day in (2, 3):
        append(root, ENTRY.format(day, f"Day {day}", "Text."))
        git("-C", str(root), "add", ".")
        git("-C", str(root), "commit", "-qm", f"Day {day}")
    git("clone", "-q", "--depth", "1", root.as_uri(), str(tmp_path / "clone"))
    given = {"hub": first.address, "token": token, "project": "example.com/action", "commit": "HEAD"}
    env = {name: given[value.split("inputs.")[1].split()[0]] for name, value in steps[-1]["env"].items()}
    env |= {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ACTION)}
    env["MEMDOWN"] = f"'{sys.executable}' -m memdown"
    for told in ("1 document sent", "up to date"):
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", steps[-1]["run"]],
            cwd=tmp_path / "clone", env=env, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, told in done.stdout) == (0, True), done
    [(known,)] = hub.query("select commit from memdown.projects where project = 'example.com/action'")
    assert (
        known
        == subprocess.run(
            ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
    )


# Who is let in


@pytest.mark.parametrize("given", ["", "wrong", "mdh_" + "x" * 43, "' or 1=1 --", "\x7f"])
def test_nobody_is_let_in_without_a_token(first: HubServer, given: str) -> None:
    for path in (f"{PATH}search", "/mcp"):
        status, told, headers = first.send(path, {"query": "kafka"}, given)
        assert (status, told["error"], headers["www-authenticate"][:6]) == (401, "Refused", "Bearer")
    assert first.send(f"{PATH}search", {"query": "kafka"})[0] == 401


def test_a_token_that_is_revoked_lets_nobody_in(hub: TestHub, first: HubServer) -> None:
    token = token_of(hub, "leaving", "read")
    assert first.send(f"{PATH}search", {"query": "kafka"}, token)[0] == 200
    assert [each.last_used_at is not None for each in access.tokens(hub.dsn) if each.principal == "leaving"] == [True]
    access.end_tokens(hub.dsn, "leaving")
    assert first.send(f"{PATH}search", {"query": "kafka"}, token)[0] == 401
    assert first.send("/mcp", {}, token)[0] == 401


def test_who_has_no_right_sees_nothing_though_the_server_may_see_all(hub: TestHub, first: HubServer) -> None:
    access.grant(hub.dsn, "stranger", "read", "github.com/none")
    token = access.issue(hub.dsn, "stranger", may="admin").token
    asked: dict[str, dict[str, object]] = {
        "heads": {"project": SHOP},
        "versions": {"project": SHOP, "digests": [""]},
        "search": {"query": "kafka"},
        "who": {"question": "kafka"},
        "contradictions": {},
        "proposals": {},
    }
    for name, value in asked.items():
        status, answer, _ = first.send(f"{PATH}{name}", value, token)
        assert status == 200
        assert "acme" not in json.dumps(answer)
    assert first.send(f"{PATH}document", {"project": SHOP, "path": LOG}, token)[0] == 404
    assert first.send(f"{PATH}info", {"project": SHOP}, token)[1]["revision"] == 0
    assert first.send(f"{PATH}stats", {}, token)[1]["projects"] == 0
    assert first.send(f"{PATH}publish", {"project": SHOP, "changes": []}, token)[0] == 403
    assert first.send(f"{PATH}protect", {"project": SHOP}, token)[0] == 404


def test_what_is_no_call_is_refused_in_a_sentence(first: HubServer, token: str) -> None:
    deep = b'{"query":' + b'{"type":"Not","of":' * 20000
    for name, body in itertools.product(CALLS, (b" ", b"[]", b'{"project": 1}', deep)):
        status, told, _ = first.send(f"{PATH}{name}", body, token)
        assert status == 400 or (status == 200 and not CALLS[name].writes), (name, body[:20], told)


def test_what_is_sent_is_looked_at(first: HubServer, token: str) -> None:
    def published(path: str, content: str, **more: object) -> tuple[int, str]:
        change = {"path": path, "canonical": path, "content": content, "over": None}
        asked = {"project": "example.com/raw", "changes": [change], **more}
        status, answer, _ = first.send(f"{PATH}publish", asked, token)
        return status, json.dumps(answer)

    from_secret = b64encode(f"# X\n\n{SECRET}\n".encode()).decode()
    assert published(".squad/x.md", from_secret)[0] == 403
    assert "credential" in published(".squad/x.md", from_secret)[1]
    for path in ("../x.md", "/etc/x.md", ".git/hooks/x.md", "a/../../x.md", ""):
        assert published(path, "")[0] == 403
    assert published(".squad/x.md", "", project="*")[0] == 400


def test_calls_are_sent_with_post_to_a_name_of_the_server(first: HubServer, token: str) -> None:
    assert first.send(f"{PATH}search", None, token)[0] == 405
    assert first.send(f"{PATH}none", {}, token)[0] == 404
    assert first.send("/else")[0] == 404
    assert first.send(f"{PATH}search", {"query": "x"}, token, Host="evil.example")[0] == 421
    assert first.send(f"{PATH}search", {"query": "x"}, token, Origin="http://evil.example")[0] == 403


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("http://hub.example", "https://hub.example"),
        ("https://user:x@hub.example", "not the address"),
        ("https://", "not the address"),
        ("https://hub.example?x=1", "not the address"),
    ],
)
def test_a_token_is_sent_to_no_other_address(address: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", "mdh_x")
    with pytest.raises(Invalid, match=told):
        served.Served(address)


def test_who_has_no_token_is_told_to_have_one(first: HubServer, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMDOWN_HUB_TOKEN", raising=False)
    ran = cli("search", "x", "--hub", first.address)
    assert (ran.code, "MEMDOWN_HUB_TOKEN" in ran.err) == (2, True)


# Limits, health, logs


def test_who_asks_too_much_is_told_when_to_come_again(hub: TestHub, second: HubServer) -> None:
    token, other = token_of(hub, "greedy", "read"), token_of(hub, "modest", "read")
    answers = [second.send(f"{PATH}proposals", {}, token) for _ in range(70)]
    refused = [headers for status, _, headers in answers if status == 429]
    assert refused
    assert all(1 <= int(headers["retry-after"]) <= 60 for headers in refused)
    assert second.send(f"{PATH}proposals", {}, other)[0] == 200


def test_a_minute_has_so_many_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("memdown.surfaces.serve.limits.time.monotonic", lambda: now)
    limit = RequestLimit(60)
    assert [limit.wait("ann") for _ in range(60)] == [0] * 60
    assert limit.wait("ann") == 2
    assert limit.wait("bob") == 0
    now = 1.5
    assert (limit.wait("ann"), limit.wait("ann")) == (0, 1)
    now = 1e6
    assert sum(limit.wait("ann") == 0 for _ in range(100)) == 60


def test_a_push_that_is_too_large_is_refused_whole(
    hub: TestHub, second: HubServer, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token)
    put(tmp_path, LOG, FIRST + "x" * (1 << 20))
    with pytest.raises(Refused, match="1 MB"):
        Way(second.address, "example.com/large").push(tmp_path)
    assert hub.query("select count(*) from memdown.projects where project = 'example.com/large'") == [(0,)]


@pytest.mark.parametrize("declared", [True, False])
def test_who_sends_too_much_is_answered_when_all_is_sent(declared: bool) -> None:
    def left(size: int, most: int) -> int:
        """How many of the pieces nobody has asked for when the answer is known."""
        pieces = [{"type": "http.request", "body": b"x", "more_body": number < size} for number in range(1, size + 1)]

        async def receive() -> dict[str, Any]:
            return pieces.pop(0)

        async def send(_: MutableMapping[str, Any]) -> None:
            raise AssertionError

        headers = [(b"content-length", str(size).encode())] if declared else []
        request = Exchange({"path": "/", "method": "POST", "headers": headers}, receive, send)
        body = asyncio.run(request.body(most))
        assert body == (b"x" * size if size <= most else None)
        return len(pieces)

    assert [left(size, 10) for size in (1, 10, 11, 40)] == [0, 0, 0, 0]
    assert left(1000, 10) > 900  # without end is not read


def test_every_request_is_a_line_of_json_without_a_token(hub: TestHub, first: HubServer) -> None:
    token = token_of(hub, "logged", "read")
    first.send(f"{PATH}who", {"question": "kafka"}, token)
    first.send(f"{PATH}none?token={token}", {"question": "kafka"}, f"{token}x")
    first.send("/end-of-log-test")
    wait_for(lambda: any("/end-of-log-test" in line for line in list(first.lines)))  # a line follows its response
    lines = [json.loads(line) for line in list(first.lines)]
    assert all(line.keys() == {"time", "principal", "method", "path", "call", "status", "ms"} for line in lines)
    [mine] = [line for line in lines if line["principal"] == "logged"]
    assert (mine["path"], mine["status"], mine["method"]) == (f"{PATH}who", 200, "POST")
    assert [line["status"] for line in lines if line["path"] == f"{PATH}none"][-1] == 401
    assert token not in "".join(first.lines)


# What is lost on the way


def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_is_there_twice(
    hub: TestHub, first: HubServer, through: Way, copies: tuple[Path, Path]
) -> None:
    lost: list[bytes] = []

    def is_lost(sent: bytes, _: bytes) -> bool:
        if b"publish" in sent and not lost:
            lost.append(sent)
            return True
        return False

    with balanced(first, is_lost=is_lost) as balancer:
        Way(balancer.address, through.name).push(copies[0])
    assert lost
    assert hub.query("select count(*) from memdown.history where project = %s", through.name) == [(1,)]
    assert through.sync(copies[0]).sent == []


def test_it_is_said_when_nobody_knows_whether_a_push_arrived(
    first: HubServer, through: Way, copies: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_PAUSE", 0.001)
    one, two = copies
    sent: list[bytes] = []

    def is_lost(asked: bytes, _: bytes) -> bool:
        sent.append(asked)
        return any(b"publish" in each for each in sent)

    with balanced(first, is_lost=is_lost) as balancer, pytest.raises(HubUncertain, match="unknown"):
        Way(balancer.address, through.name).push(one)
    with Memory.open(one) as memory:
        assert working.waiting(memory)
    through.pull(two)
    edit(two, "every request wrote a row", "every request wrote two rows")
    through.push(two)
    assert through.sync(one).conflicts == []
    assert (one / LOG).read_text() == (two / LOG).read_text()


def test_a_server_that_is_not_there_leaves_everything_here(through: Way, copies: tuple[Path, Path], cli: Cli) -> None:
    ran = cli("push", "http://127.0.0.1:1", "--root", str(copies[0]), "--as", through.name)
    assert (ran.code, "cannot be reached" in ran.err, "wait here" in ran.err) == (4, True, True)


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n<html", Unreadable),
        (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Unreadable),
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", HubDown),
        (b"HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\nContent-Length: 0\r\n\r\n", Refused),
        (b'HTTP/1.1 404 Not Found\r\nContent-Length: 44\r\n\r\n{"error": "NotFound", "message": "gone now"}', NotFound),
        (b"nonsense", HubDown),
        (b"", HubDown),
    ],
)
def test_what_is_no_hub_is_named(answer: bytes, raised: type[MemdownError], monkeypatch: pytest.MonkeyPatch) -> None:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.request.sendall(answer)

    monkeypatch.setattr(connection, "_PAUSE", 0.001)
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", "mdh_x")
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        with pytest.raises(raised) as told:
            client.ask(f"http://127.0.0.1:{server.server_address[1]}", SearchCall(query="x", now=NOW))
        server.shutdown()
    assert type(told.value) is raised


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (b'HTTP/1.1 413 Too Large\r\nContent-Length: 44\r\n\r\n{"error": "Refused", "message": "at most 1"}', Refused),
        (b"", HubDown),  # not HubUncertain: what came in part was not done
    ],
)
def test_an_answer_to_half_a_call_is_read(
    answer: bytes, raised: type[MemdownError], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(4096)
            self.request.sendall(answer)  # and closed, with most of the call unread

    monkeypatch.setattr(connection, "_PAUSE", 0.001)
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", "mdh_x")
    call = TakeCall(id="x" * (8 << 20))
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        with pytest.raises(raised) as told:
            client.ask(f"http://127.0.0.1:{server.server_address[1]}", call)
        server.shutdown()
    assert type(told.value) is raised


def faults(servers: int, kills: int, clients: int, projects: int) -> Counter[str]:
    """Servers and the database are killed at random while clients push through all of them."""
    chance = random.Random(kills)
    with primary() as database, ExitStack() as stack:
        dsn = database.dsn("hub")
        token = access.issue(dsn, "postgres", may="write").token
        started = [stack.enter_context(restarting(dsn)) for _ in range(servers)]
        balancer = stack.enter_context(balanced(*started, is_lost=lambda *_: chance.random() < 0.02))
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("MEMDOWN_HUB_TOKEN", token)
        with running(balancer.address, clients, projects) as made:
            for number in range(kills):
                before = acknowledged(made)
                wait_for(lambda before=before: acknowledged(made) > before + 5)  # type: ignore[misc]
                time.sleep(chance.random() * 0.05)
                if number % 3 == 2:
                    database.kill()
                    database.start()
                else:
                    chance.choice(started).process.kill()
        return judge(dsn, made) + Counter(kills=kills)


@contextmanager
def restarting(dsn: str) -> Iterator[HubServer]:
    """A server that begins anew on its port whenever it ends."""
    with ExitStack() as stack:
        server = stack.enter_context(serving(dsn, "--requests-per-minute", "1000000"))
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(0.05):
                if server.process.poll() is not None:
                    again = stack.enter_context(serving(dsn, "--requests-per-minute", "1000000", port=server.port))
                    server.process = again.process

        watching = threading.Thread(target=watch)
        watching.start()
        try:
            yield server
        finally:
            ended.set()
            watching.join()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_servers_and_the_database_are_killed_and_nothing_acknowledged_is_lost() -> None:
    check(faults(servers=2, kills=100, clients=4, projects=12))


# Assistants


@asynccontextmanager
async def connected(address: str, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode, read_timeout_seconds=60) as used,
    ):
        yield used


async def value(used: Client, name: str, **args: object) -> Any:
    done = await used.call_tool(name, args)
    assert not done.is_error, done.content
    return done.structured_content


async def refusal(used: Client, name: str, **args: object) -> str:
    done = await used.call_tool(name, args)
    assert done.is_error, done
    return str(done.content[0].text)  # type: ignore[union-attr]


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_an_assistant_asks_and_writes_without_a_checkout(
    hub: TestHub, first: HubServer, second: HubServer, token: str, mode: str
) -> None:
    project = f"example.com/agents-{mode}"
    publish(hub, project, log(PROJECTS[SHOP]))

    async def use() -> None:
        with balanced(first, second) as balancer:
            async with connected(balancer.address, token, mode) as used:
                assert [tool.name for tool in (await used.list_tools()).tools] == [
                    "search",
                    "context",
                    "who",
                    "get",
                    "add",
                    "write",
                ]
                found = await value(used, "search", words=f"webhooks project:{project}")
                assert [(hit["project"], hit["path"]) for hit in found["hits"]] == [(project, LOG)]
                assert "idempotent" in (await value(used, "context", task="idempotent webhooks"))["text"]
                assert (await value(used, "who", question=f"idempotent project:{project}"))["people"][0]["who"] == "Ann"
                added = await value(
                    used,
                    "add",
                    project=project,
                    kind="decision",
                    title="Retry webhooks thrice",
                    text="Then give up.",
                    author="robot",
                )
                assert (added["path"], added["revision"]) == (LOG, 2)
                read = await value(used, "get", project=project, path=LOG)
                assert "Retry webhooks thrice" in read["content"]
                assert "idempotent" in read["content"]
                changed = read["content"].replace("give up", "give in")
                told = await refusal(used, "write", project=project, path=LOG, content=changed)
                assert "expectedHash" in told
                await value(used, "write", project=project, path=LOG, content=changed, expectedHash=read["hash"])
                assert "changed since" in await refusal(
                    used, "write", project=project, path=LOG, content="x", expectedHash=read["hash"]
                )
                read = await value(used, "get", project=project, path=LOG)
                over = {"project": project, "path": LOG, "expectedHash": read["hash"]}
                assert "is empty" in await refusal(used, "write", content="\n", **over)
                told = await refusal(used, "write", content="# Decisions\n", **over)
                assert "append-only" in told
                assert "Retry webhooks thrice" in told
                assert "not a place for memory" in await refusal(
                    used, "write", project=project, path="src/x.md", content="x"
                )
                for name, args in (
                    ("add", {"kind": "decision", "title": "A key", "text": SECRET}),
                    ("write", {"path": ".squad/x.md", "content": SECRET}),
                ):
                    told = await refusal(used, name, project=project, **args)
                    assert "credential" in told
                    assert SECRET not in told
                uri = uri_of(project, LOG)
                assert "give in" in (await used.read_resource(uri)).contents[0].text  # type: ignore[union-attr]
                assert uri in [str(each.uri) for each in (await used.list_resources()).resources]

    asyncio.run(use())
    [(texts,)] = hub.query(
        "select count(*) from memdown.versions where project = %s and position(convert_to(%s, 'UTF8') in content) > 0",
        project,
        SECRET,
    )
    assert texts == 0
    assert hub.query("select count(*) from memdown.history where project = %s", project) == [(3,)]


def test_entries_of_a_log_are_dropped_by_force_only_and_the_audit_has_it(
    hub: TestHub, first: HubServer, token: str
) -> None:
    project = "example.com/forced"
    publish(hub, project, log(PROJECTS[SHOP]))

    async def use() -> None:
        async with connected(first.address, token) as used:
            read = await value(used, "get", project=project, path=LOG)
            over = {"project": project, "path": LOG, "content": "# Decisions\n", "expectedHash": read["hash"]}
            await refusal(used, "write", **over)
            await value(used, "write", **over, force=True)

    asyncio.run(use())
    noted = hub.query("select detail->>'note' from memdown.audit where project = %s and act = 'force'", project)
    assert noted == [(f"dropped 2 of 2 entries of {LOG}",)]


def test_an_assistant_proposes_where_a_project_is_protected_and_only_reads_with_a_right_to_read(
    hub: TestHub, first: HubServer, token: str
) -> None:
    project = "example.com/protected"
    publish(hub, project, log(PROJECTS[SHOP]))
    client.ask(hub.dsn, ProtectCall(project=project))

    async def use() -> None:
        async with connected(first.address, token) as used:
            done = await value(
                used, "add", project=project, kind="decision", title="Proposed", text="Text.", author="robot"
            )
            assert [each["path"] for each in done["proposed"]] == [LOG]
        async with connected(first.address, token_of(hub, "looking", "read", project)) as used:
            assert [tool.name for tool in (await used.list_tools()).tools] == ["search", "context", "who", "get"]
            assert "may not write" in await refusal(used, "write", project=project, path=".squad/x.md", content="x")
            assert "that you may see" in await refusal(used, "get", project=SHOP, path=LOG)
            assert (await value(used, "search", words="kafka project:billing"))["hits"] == []

    asyncio.run(use())
    assert hub.query("select count(*) from memdown.proposals where project = %s", project) == [(1,)]


def test_who_listens_at_one_server_hears_of_a_push_through_another(
    hub: TestHub, first: HubServer, second: HubServer, token: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project = "example.com/heard"
    publish(hub, project, log(PROJECTS[SHOP]))
    monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token)
    uri, hidden = uri_of(project, LOG), uri_of(SHOP, LOG)
    there = Way(second.address, project)
    there.pull(tmp_path)
    append(tmp_path, ENTRY.format(9, "News", "Text."))

    async def use() -> str:
        async with (
            connected(first.address, token_of(hub, "listener", "read", project)) as used,
            used.listen(resource_subscriptions=[hidden, uri]) as changes,
        ):
            await asyncio.to_thread(there.push, tmp_path)
            async for event in changes:
                assert isinstance(event, ResourceUpdated)
                return str(event.uri)
        raise AssertionError("the stream ended")

    assert asyncio.run(asyncio.wait_for(use(), 60)) == uri


# The end


def takes_connections(server: HubServer) -> bool:
    try:
        socket.create_connection(("127.0.0.1", server.port)).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals there")
def test_it_says_whether_it_is_ready_and_ends_when_what_is_under_way_is_answered(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with new_hub(postgres) as made, serving(made.dsn) as server:
        _closed_and_open_again(postgres, made, server)
        publish(made, SHOP, log(PROJECTS[SHOP]))
        monkeypatch.setenv("MEMDOWN_HUB_TOKEN", token_of(made, "writer"))
        there = Way(server.address, SHOP)
        there.pull(tmp_path)
        append(tmp_path, ENTRY.format(9, "Slow", "Text."))
        done: list[Exchanged] = []
        with psycopg.connect(made.dsn) as db:
            db.execute("select 1 from memdown.projects where project = %s for update", (SHOP,))
            pushing = threading.Thread(target=lambda: done.append(there.push(tmp_path)))
            pushing.start()
            waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = %s"
            while made.query(waiting, made.name) == [(0,)]:
                time.sleep(0.02)
            server.process.send_signal(signal.SIGTERM)
            while takes_connections(server):
                time.sleep(0.02)
            assert server.process.poll() is None
        pushing.join()
        assert [each.sent for each in done] == [[LOG]]
        assert server.process.wait(60) == 0
        assert server.process.stderr
        assert server.process.stderr.read() == ""
    wait_for(lambda: any("publish" in line for line in list(server.lines)))
    assert [json.loads(line)["status"] for line in server.lines if "publish" in line] == [200]


def _closed_and_open_again(postgres: Server, made: TestHub, server: HubServer) -> None:
    """A database that takes no connections makes a server not ready, and no more."""
    assert (server.send("/health")[0], server.send("/ready")[0]) == (200, 200)
    with psycopg.connect(postgres.dsn(), autocommit=True) as db:
        db.execute(f"alter database {made.name} allow_connections false".encode())
        db.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (made.name,))
        assert (server.send("/health")[0], server.send("/ready")[0]) == (200, 503)
        db.execute(f"alter database {made.name} allow_connections true".encode())
    until = time.monotonic() + 60
    while server.send("/ready")[0] != 200:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "--hub"),
        (("--hub", "https://hub.example"), "database itself"),
        (("--hub", "nonsense=1"), "not the address of a hub"),
        (("--hub", "host=127.0.0.1 port=1", "--host", "0.0.0.0"), "--allow-host"),
    ],
)
def test_what_cannot_be_served_is_said_in_a_sentence(cli: Cli, words: tuple[str, ...], told: str) -> None:
    ran = cli("serve", *words)
    assert (ran.code, told in ran.err) == (2, True)


def test_what_waiting_does_not_mend_is_not_served(postgres: Server, hub: TestHub, cli: Cli) -> None:
    for given, code, told in (("user=nobody_here", 3, "user and password"), ("dbname=postgres", 4, "hub init")):
        ran = cli("serve", "--hub", f"{hub.dsn} {given}", "--port", "0")
        assert (ran.code, told in ran.err) == (code, True)
    assert not_up(hub.dsn) is None
    assert "/ready says 503" in (not_up(f"{postgres.dsn()} port=1") or "")
