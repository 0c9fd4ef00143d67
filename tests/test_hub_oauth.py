"""Remote assistants let in by OAuth: the official client as judge, and what becomes of codes and tokens that leak."""

import asyncio
import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

pytest.importorskip("mcp", reason="the extra is not installed")

import httpx2
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from conftest import Ran
from hub_http import HubServer, serving
from hub_server import Server, TestHub, free_port, new_hub
from memdown.hub import access
from memdown.hub.served import PATH
from test_hub_search import PROJECTS, log, publish

Cli = Callable[..., Ran]
SHOP = "github.com/acme/shop"
BACK = "http://localhost:9999/callback"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


@pytest.fixture(scope="module")
def made(postgres: Server) -> Iterator[TestHub]:
    with new_hub(postgres) as hub:
        publish(hub, SHOP, log(PROJECTS[SHOP]))
        access.grant(hub.dsn, "ann", "write", SHOP)
        yield hub


@pytest.fixture(scope="module")
def server(made: TestHub) -> Iterator[HubServer]:
    port = free_port()
    with serving(made.dsn, "--url", f"http://127.0.0.1:{port}", port=port) as server:
        yield server


@pytest.fixture
def ann(made: TestHub, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MEMDOWN_HUB", made.dsn)
    return access.issue(made.dsn, "ann", may="write").token


class Web:
    """A browser, as far as it is needed."""

    def __init__(self, server: HubServer) -> None:
        self.http = httpx2.Client(base_url=server.address, timeout=60)

    def __enter__(self) -> "Web":
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def register(self, **more: object) -> Any:
        asked = {"client_name": "Helper <b>", "redirect_uris": [BACK], **more}
        return self.http.post("/register", json=asked)

    def asked(self, client: str, **more: str) -> str:
        """The page on which somebody agrees, by what a client asks for; its address."""
        given = {
            "client_id": client,
            "response_type": "code",
            "redirect_uri": BACK,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            "state": "s t&ate",
            **more,
        }
        return self.http.get(f"/authorize?{urlencode(given)}").headers["location"]

    def agree(self, page: str, token: str, may: str = "read", agree: str = "yes") -> httpx2.Response:
        shown = self.http.get(page)
        assert shown.status_code == 200, shown.text
        assert "Helper &lt;b&gt;" in shown.text
        assert "frame-ancestors 'none'" in shown.headers["content-security-policy"]
        fields = {
            name: unescape(value)
            for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', shown.text)
        }
        return self.http.post("/consent", data={**fields, "token": token, "may": may, "agree": agree})

    def code(self, client: str, token: str, may: str = "read") -> str:
        back = self.agree(self.asked(client), token, may)
        assert back.status_code == 303, back.text
        given = parse_qs(urlsplit(back.headers["location"]).query)
        assert given["state"] == ["s t&ate"]
        return given["code"][0]

    def redeem(self, client: str, code: str, **more: str) -> httpx2.Response:
        given = {
            "grant_type": "authorization_code",
            "client_id": client,
            "code": code,
            "redirect_uri": BACK,
            "code_verifier": VERIFIER,
            **more,
        }
        return self.http.post("/token", data=given)

    def refresh(self, client: str, token: str) -> httpx2.Response:
        given = {"grant_type": "refresh_token", "client_id": client, "refresh_token": token}
        return self.http.post("/token", data=given)


@pytest.fixture
def web(server: HubServer) -> Iterator[Web]:
    with Web(server) as web:
        yield web


def searches(server: HubServer, token: str) -> int:
    return server.send(f"{PATH}search", {"query": "kafka"}, token)[0]


class Storage:
    """What a client keeps."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def test_the_official_client_is_let_in_and_locked_out_again(server: HubServer, web: Web, ann: str, cli: Cli) -> None:
    storage = Storage()
    given: Mapping[str, list[str]] = {}

    async def redirect(url: str) -> None:
        nonlocal given
        page = web.http.get(url).headers["location"]
        given = parse_qs(urlsplit(web.agree(page, ann, "write").headers["location"]).query)

    async def callback() -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=given["code"][0], state=given["state"][0])

    metadata = OAuthClientMetadata(client_name="Helper <b>", redirect_uris=[AnyUrl(BACK)])

    async def use() -> list[str]:
        auth = OAuthClientProvider(f"{server.address}/mcp", metadata, storage, redirect, callback)
        async with (
            httpx2.AsyncClient(auth=auth, timeout=60) as http,
            Client(streamable_http_client(f"{server.address}/mcp", http_client=http)) as client,
        ):
            found = await client.call_tool("search", {"words": "kafka"})
            assert found.structured_content
            assert found.structured_content["hits"]
            return [tool.name for tool in (await client.list_tools()).tools]

    assert "write" in asyncio.run(use())
    assert storage.client
    assert storage.tokens
    assert storage.client.client_secret is None
    listed = [each for each in cli("hub", "clients", "--json").json() if each["client"] == storage.client.client_id]
    assert [(each["name"], each["principal"], each["may"]) for each in listed] == [("Helper <b>", "ann", "write")]
    assert listed[0]["last_used_at"]
    assert searches(server, storage.tokens.access_token) == 200
    assert cli("hub", "revoke", "--client", storage.client.client_id).code == 0
    assert searches(server, storage.tokens.access_token) == 401
    assert storage.tokens.refresh_token
    assert web.refresh(storage.client.client_id, storage.tokens.refresh_token).status_code == 400
    assert storage.client.client_id not in cli("hub", "clients").out
    assert cli("hub", "revoke", "--client", storage.client.client_id).code == 1
    assert cli("hub", "revoke").code == 2


def test_who_has_no_token_is_told_where_to_get_one(server: HubServer) -> None:
    status, _, headers = server.send("/mcp", {})
    assert status == 401
    found = re.search(r'resource_metadata="([^"]+)"', headers["www-authenticate"])
    assert found
    told = httpx2.get(found[1]).json()
    assert (told["resource"], told["authorization_servers"][0].rstrip("/")) == (f"{server.address}/mcp", server.address)
    known = httpx2.get(f"{server.address}/.well-known/oauth-authorization-server").json()
    assert known["code_challenge_methods_supported"] == ["S256"]
    assert known["registration_endpoint"] == f"{server.address}/register"


def test_a_client_may_do_what_was_agreed_to_and_no_more(made: TestHub, server: HubServer, web: Web, ann: str) -> None:
    client = web.register().json()["client_id"]
    token = web.redeem(client, web.code(client, ann)).json()
    assert (token["scope"], searches(server, token["access_token"])) == ("read", 200)
    publishing = {"project": SHOP, "changes": []}
    assert server.send(f"{PATH}publish", publishing, token["access_token"])[0] == 403
    reader = access.issue(made.dsn, "ann", may="read").token
    token = web.redeem(client, web.code(client, reader, "write")).json()
    assert token["scope"] == "read"
    narrow = web.agree(web.asked(client, scope="read"), ann, "write")
    code = parse_qs(urlsplit(narrow.headers["location"]).query)["code"][0]
    assert web.redeem(client, code).json()["scope"] == "read"


def test_a_client_lets_no_other_client_in(server: HubServer, web: Web, ann: str) -> None:
    client = web.register().json()["client_id"]
    token = web.redeem(client, web.code(client, ann)).json()["access_token"]
    refused = web.agree(web.asked(client), token)
    assert (refused.status_code, "token of your own" in refused.text) == (403, True)
    for wrong in ("", "wrong", "mdh_x"):
        refused = web.agree(web.asked(client), wrong)
        assert (refused.status_code, "location" in refused.headers) == (403, False)
    denied = web.agree(web.asked(client), "", agree="no")
    assert "error=access_denied" in denied.headers["location"]
    assert searches(server, web.code(client, ann)) == 401  # a code is no token


def test_a_code_is_good_once_for_its_client_with_its_proof(server: HubServer, web: Web, ann: str) -> None:
    client, other = web.register().json()["client_id"], web.register().json()["client_id"]
    code = web.code(client, ann)
    assert web.redeem(client, code, code_verifier="w" * 64).status_code == 400
    assert web.redeem(client, code, redirect_uri="http://localhost:1/other").status_code == 400
    assert web.redeem(other, code).status_code == 400
    token = web.redeem(client, code).json()
    assert searches(server, token["access_token"]) == 200
    assert web.redeem(client, code).status_code == 400
    assert searches(server, token["access_token"]) == 401  # whoever came second may be the right one


def test_a_token_to_refresh_with_is_good_once(server: HubServer, web: Web, ann: str) -> None:
    client = web.register().json()["client_id"]
    first = web.redeem(client, web.code(client, ann)).json()
    assert searches(server, first["refresh_token"]) == 401
    second = web.refresh(client, first["refresh_token"]).json()
    assert searches(server, second["access_token"]) == 200
    assert web.refresh(client, first["refresh_token"]).status_code == 400
    assert searches(server, second["access_token"]) == 401
    assert web.refresh(client, second["refresh_token"]).status_code == 400


@pytest.mark.parametrize("which", ["access_token", "refresh_token"])
def test_a_client_gives_its_tokens_back(server: HubServer, web: Web, ann: str, which: str) -> None:
    client = web.register().json()["client_id"]
    token = web.redeem(client, web.code(client, ann)).json()
    other = web.register().json()["client_id"]
    for who, status in ((other, 200), (client, 401)):
        done = web.http.post("/revoke", data={"token": token[which], "client_id": who, "client_secret": ""})
        assert done.status_code == 200, done.text
        assert searches(server, token["access_token"]) == status


@pytest.mark.parametrize(
    "uri", ["http://evil.example/x", "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd"]
)
def test_a_code_is_sent_to_no_such_place(web: Web, uri: str) -> None:
    assert web.register(redirect_uris=[uri]).status_code == 400


def test_what_is_asked_for_is_checked_again_where_somebody_agrees(web: Web, ann: str) -> None:
    client = web.register().json()["client_id"]
    page = web.asked(client)
    for wrong in (page.replace("callback", "elsewhere"), page.replace(client, "none"), "/consent"):
        assert web.http.get(wrong).status_code == 400
    assert web.http.post("/consent", data={"token": ann, "agree": "yes"}).status_code == 400
    assert "error=invalid_target" in web.asked(client, resource="https://other.example/mcp")
    assert web.register(client_name="x" * 30_000).status_code in (201, 400)
    assert web.register(contacts=["x" * 30_000]).status_code == 400


def test_nobody_agrees_to_what_has_no_challenge(web: Web, ann: str) -> None:
    client = web.register().json()["client_id"]
    given = {"client_id": client, "redirect_uri": BACK, "token": ann, "agree": "yes"}
    refused = web.http.post("/consent", data=given)
    assert (refused.status_code, "location" in refused.headers) == (400, False)


def test_tokens_are_kept_as_hashes_and_a_stranger_sees_no_client(made: TestHub, web: Web, ann: str) -> None:
    client = web.register().json()["client_id"]
    token = web.redeem(client, web.code(client, ann)).json()
    rows = str(
        made.query("select t::text from memdown.tokens t union all select a::text from memdown.authorizations a")
    )
    assert token["access_token"] not in rows
    assert token["refresh_token"] not in rows
    stranger = made.login("eve")
    for table in ("clients", "authorizations (kind)"):
        name, _, column = table.partition(" ")
        assert made.query(f"select {column.strip('()') or 'client'} from memdown.{name}", dsn=stranger) == []
    assert made.query("select count(*) from memdown.audit where act = 'authorize'")[0][0]
