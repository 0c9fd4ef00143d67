"""The page on a hub, in a real browser: what it holds, what contradicts, who knows, and what is found in all projects."""

import sys
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest

from browser import Reader, chromium
from conftest import Ran
from hub_server import NO_CLIENT, Server, TestHub, new_hub
from memdown.hub import client
from memdown.hub.calls import ProtectCall
from memdown.hub.store import DocumentChange, digest_of
from test_hub import LOG
from test_hub_search import PROJECTS, log, publish
from test_web import EVIL, reading, serving
from test_web import Server as WebServer

pytest.importorskip("psycopg", reason=NO_CLIENT)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests of the page need a POSIX system")

Cli = Callable[..., Ran]
HOSTILE = "example.com/hostile"
SITE = "gitlab.example.com/other/site"
PAGES = (
    *("/", "/search?q=webhooks", "/who?q=webhooks"),
    f"/document?{urlencode({'project': HOSTILE, 'path': LOG})}",
)


@pytest.fixture(scope="module")
def hub(postgres: Server) -> Iterator[TestHub]:
    with new_hub(postgres) as made:
        for project, entries in PROJECTS.items():
            publish(made, project, log(entries))
        publish(made, HOSTILE, log([(6, f"{EVIL} [x](javascript:alert(1))", f"{EVIL} \x1b[31m", "<b>Mallory</b>")]))
        client.ask(made.dsn, ProtectCall(project=SITE))
        with client.opened(made.dsn, SITE) as remote:
            before = log(PROJECTS[SITE])
            remote.propose([DocumentChange(LOG, LOG, before + b"More.\n", digest_of(before))])
        yield made


@pytest.fixture(scope="module")
def server(hub: TestHub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    with serving(tmp_path_factory.mktemp("nothing"), "--hub", hub.dsn) as found:
        yield found


@pytest.fixture(scope="module")
def reader(server: WebServer) -> Iterator[Reader]:
    with chromium() as browser, reading(browser, server) as found:
        yield found


def test_the_overview_names_projects_contradictions_and_proposals(reader: Reader) -> None:
    page = reader.open("/")
    text = page.inner_text("main")
    assert "6 records in 4 files of 4 projects" in text
    assert [name in text for name in (*PROJECTS, "kafka", "rabbitmq", "memdown hub take")] == [True] * 6
    page.get_by_role("link", name="github.com/acme/shop", exact=True).first.click()
    page.wait_for_url("**/search?q=project*")
    assert page.locator(".entry-title").all_inner_texts() == ["Sessions live in Redis", "Use Kafka for events"]


def test_a_search_finds_in_all_projects_and_opens_the_file(reader: Reader) -> None:
    page = reader.open("/search")
    page.fill("#q", "webhooks")
    page.locator(".entry-title").first.wait_for()
    assert page.locator(".entry-title").all_inner_texts() == ["Use Kafka for events"]
    assert page.get_by_role("link", name="in its repository").get_attribute("href") == (
        f"https://github.com/acme/shop/blob/{'c' * 40}/{LOG}#L3"
    )
    page.locator(".entry-title").first.click()
    page.wait_for_url("**/document?*")
    assert "each delivery has a key" in page.inner_text(".prose")
    assert "revision 1" in page.inner_text(".lead")


def test_somebody_is_named_who_knows(reader: Reader) -> None:
    page = reader.open("/who?q=" + "too heavy")
    assert page.locator("main h2").all_inner_texts() == ["Bob"]
    assert "Nobody on the hub" in reader.open("/who?q=nobodyknows").inner_text("main")


def test_no_page_has_a_violation_is_too_wide_or_does_what_a_file_says(reader: Reader) -> None:
    for path in PAGES:
        page = reader.open(path)
        assert reader.violations() == [], path
        assert "broken" not in page.title()
        assert page.locator("main script, main [onerror], a[href^='javascript']").count() == 0
        page.set_viewport_size({"width": 360, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        page.set_viewport_size({"width": 1280, "height": 800})


def test_what_a_hub_has_no_page_for_is_not_there(server: WebServer) -> None:
    cookie = server.cookie()
    for path in ("/tasks", "/files?path=x", "/events", "/document?project=x&path=y"):
        assert server.ask(path, Cookie=cookie)[0] == 404
    status = server.ask("/do/undo", "POST", Cookie=cookie, Origin=server.home, Content_Length="0")[0]
    assert status == 404
    assert server.ask("/")[0] == 401


def test_a_hub_that_does_not_answer_is_named_before_anything_is_served(cli: Cli) -> None:
    ran = cli("web", "--no-open", "--port", "0", "--hub", "host=127.0.0.1 port=1 user=x dbname=x")
    assert (ran.code, ran.out) == (4, "")
    assert cli("web", "--hub", "--export", "site").code == 2
