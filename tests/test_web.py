"""The page in a real browser, on a real server: what people see, press and read, and who is not let in."""

import asyncio
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect
from starlette.requests import Request
from starlette.responses import StreamingResponse

import forks
import web_sample
from browser import Reader, chromium
from memdown.memory import Memory
from memdown.surfaces.listening import listen
from memdown.surfaces.show import rails
from memdown.surfaces.web import markup
from memdown.surfaces.web import server as web_server
from memdown.surfaces.web.app import Pages, Workers
from memdown.surfaces.web.export import export
from memdown.surfaces.web.live import Live
from memdown.surfaces.web.sites import ProjectSite
from memdown.surfaces.web.views import SHOWS
from memdown.surfaces.web.views.model import PageRequest, View
from samples import put

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests of the page need a POSIX system")

NOON = datetime.fromisoformat(web_sample.NOW)
EVIL = "<script>document.title='broken'</script>"
LONG = "Unbreakable" * 30
HOSTILE = f"""# Decisions

### 2026-01-31T11:00:00Z: decision: {LONG}

**type:** decision
**timestamp:** 2026-01-31T11:00:00Z
**author:** {LONG}

**summary:** {LONG}

---

### 2026-01-31T10:00:00Z: decision: {EVIL} <img src=x onerror="document.title='broken'">

**type:** decision
**timestamp:** 2026-01-31T10:00:00Z
**author:** Mallory <b onmouseover=alert(1)>

**summary:** [click](javascript:document.title='broken') \x1b[31mred\x1b[0m \u202egnorw

**details:**

{EVIL} <style>body{{display:none}}</style> <iframe src="https://example.com"></iframe>
![pixel](https://example.com/pixel.png) [data](data:text/html,{EVIL}) <a href="javascript:alert(1)">link</a>
<form action="https://example.com"><input name=q></form> <svg onload=alert(1)></svg>

---
"""


class Server:
    """`memdown web` on a project, as a person starts it."""

    def __init__(self, root: Path, *options: str) -> None:
        environment = {**os.environ, "MEMDOWN_NOW": web_sample.NOW, "EDITOR": "code"}
        command = [sys.executable, "-m", "memdown", "web", "--no-open", "--port", "0", *options]
        self.root = root
        self.process = forks.Forked(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:\d+)/\?token=(\w+)", line)
        assert found, line
        self.home, self.token = found[1], found[2]

    def ask(self, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
        """One request without a browser."""
        asking = http.client.HTTPConnection(urlsplit(self.home).netloc, timeout=120)
        asking.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            asking.putheader(name.replace("_", "-"), value)
        asking.endheaders()
        answer = asking.getresponse()
        text = answer.read().decode()
        asking.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text

    def cookie(self) -> str:
        return self.ask(f"/?token={self.token}")[1]["set-cookie"].partition(";")[0]

    def end(self) -> int:
        self.process.terminate()
        self.process.communicate(timeout=120)
        return self.process.returncode


@contextmanager
def serving(root: Path, *options: str) -> Iterator[Server]:
    server = Server(root, *options)
    try:
        yield server
    finally:
        server.end()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("shop with a space") / "harbor"
    root.mkdir()
    web_sample.make(root)
    return root


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    with serving(project) as found:
        yield found


def test_silent_connections_keep_nobody_out(server: Server) -> None:
    netloc = urlsplit(server.home)
    said = (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"\0" * 10)
    with ExitStack() as stack:
        for number in range(300):
            line = stack.enter_context(socket.create_connection((str(netloc.hostname), netloc.port or 0), 60))
            with suppress(OSError):  # it may have been ended by then
                line.sendall(said[number % len(said)])
        assert server.ask("/", Cookie=server.cookie())[0] == 200


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def seat(browser: Browser) -> Iterator[Reader]:
    """One page of the browser for all tests: a new one costs as much as many visits."""
    context = browser.new_context()
    yield Reader(context)
    context.close()


@pytest.fixture
def reader(server: Server, seat: Reader) -> Iterator[Reader]:
    with seat.at(server.home, server.token) as found:
        yield found


@contextmanager
def reading(browser: Browser, server: Server, *, script: bool = True) -> Iterator[Reader]:
    """A browser of its own, which the token lets in."""
    context = browser.new_context(java_script_enabled=script)
    with Reader(context).at(server.home, server.token) as found:
        yield found
    context.close()


# Who is let in


def test_the_token_lets_in_once_and_then_a_cookie(server: Server) -> None:
    status, headers, _ = server.ask(f"/search?q=redis&token={server.token}")
    assert (status, headers["location"]) == (303, "/search?q=redis")
    assert headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert server.token not in headers["set-cookie"]
    assert server.ask("/", Cookie=server.cookie())[0] == 200


@pytest.mark.parametrize("path", ["/", "/search?q=redis", "/static/app.js", "/events", "/?token=wrong", "/?token="])
def test_nobody_else_is_let_in(server: Server, path: str) -> None:
    status, headers, text = server.ask(path)
    assert (status, "set-cookie" in headers) == (401, False)
    assert "harbor" not in text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "example.com"}, 421),
        ({"Host": "127.0.0.1.example.com:80"}, 421),
        ({"Origin": "https://example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}, 403),
    ],
)
def test_other_names_and_origins_are_refused(server: Server, headers: dict[str, str], status: int) -> None:
    given = {name.replace("-", "_"): value for name, value in headers.items()}
    assert server.ask("/", Cookie=server.cookie(), **given)[0] == status


def test_a_write_without_an_origin_is_refused(server: Server) -> None:
    assert server.ask("/do/undo", "POST", Cookie=server.cookie(), Content_Length="0")[0] == 403


def test_every_answer_has_the_policy(server: Server) -> None:
    for path in ("/", "/nowhere", "/static/app.css"):
        headers = server.ask(path, Cookie=server.cookie())[1]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]


def test_only_files_of_memory_are_shown(server: Server) -> None:
    (server.root / "secret.txt").write_text("hidden words")
    for path in ("secret.txt", "../secret", "/etc/passwd", "memory-bank/../secret.txt", ".git/config"):
        status, _, text = server.ask(f"/files?path={quote(path)}", Cookie=server.cookie())
        assert (status, "hidden words" in text) == (404, False)


def test_a_first_page_is_small(server: Server) -> None:
    """Everything that the first page loads, compressed."""
    cookie, size = server.cookie(), 0
    page = server.ask("/", Cookie=cookie)[2]
    for path in ("/", *re.findall(r'(?:src|href)="(/static/[^"]+)"', page)):
        asked = http.client.HTTPConnection(urlsplit(server.home).netloc, timeout=120)
        asked.request("GET", path, headers={"Cookie": cookie, "Accept-Encoding": "gzip"})
        size += len(asked.getresponse().read())
        asked.close()
    assert size < 100_000


# What people see


def test_what_was_decided_and_what_is_stale(reader: Reader) -> None:
    page = reader.open()
    decided = page.get_by_role("region", name="Decided in the last 7 days")
    expect(decided).to_contain_text("Backups are restored every Monday")
    expect(decided.locator(".who").first).to_have_text("Chen")
    expect(page.get_by_role("region", name="Focus")).to_contain_text("Checkout in one page")
    expect(page.get_by_role("region", name="Blockers")).to_contain_text("no sandbox")
    page.get_by_role("link", name=re.compile("stale record")).click()
    expect(page.locator(".entry-title").last).to_have_text("Prices are integers in cents")
    expect(page.locator(".entry .kind", has_text="task")).to_have_count(0)


def test_all_costs_on_the_page_what_status_says(reader: Reader, server: Server) -> None:
    with Memory.open(server.root) as memory:
        tokens = memory.status().tokens
    expect(reader.open("/").locator(".lead")).to_contain_text(f", about {tokens:,} tokens in all.")


def test_a_finding_has_its_code_as_code() -> None:
    shown = markup.coded("Write `- [ ] <b>` for '**done** `' and *all*")
    assert shown == "Write <code>- [ ] &lt;b&gt;</code> for &#x27;**done** `&#x27; and *all*"


def test_the_end_does_not_wait_for_a_page_that_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked, go_on = threading.Event(), threading.Event()

    class SlowSite(ProjectSite):
        def facts(self, memory: Memory) -> dict[str, Any]:
            asked.set()
            go_on.wait(60)
            return super().facts(memory)

    async def until_asked(_: uvicorn.Server) -> None:
        while not asked.is_set():
            await asyncio.sleep(0.01)

    monkeypatch.setattr(web_server, "_GRACE_SECONDS", 0.05)
    monkeypatch.setattr(uvicorn.Server, "main_loop", until_asked)
    monkeypatch.setattr(
        signal, "signal", lambda *_: None
    )  # which only the first thread may, where the browser has a loop
    listening = listen("127.0.0.1", 0)
    site = SlowSite(str(tmp_path), None)
    serving = threading.Thread(target=web_server.serve, args=(listening, site, "t", ["127.0.0.1"]))
    serving.start()
    asking = http.client.HTTPConnection("127.0.0.1", listening.getsockname()[1], timeout=60)
    try:
        asking.request("GET", "/?token=t")
        with asking.getresponse() as welcome:
            cookie = (welcome.getheader("set-cookie") or "").partition(";")[0]
            welcome.read()
        asking.request("GET", "/nowhere", headers={"Cookie": cookie})
        status = asking.getresponse().status
    finally:
        asking.close()
        go_on.set()
        serving.join()
        listening.close()
    assert (status, capfd.readouterr().err) == (503, "")


def test_no_page_waits_for_checks(tmp_path: Path) -> None:
    """Each open page asks for them, and they may take long."""
    go_on = threading.Event()

    def slow(memory: Memory, request: PageRequest) -> View:
        go_on.wait(60)
        return SHOWS["cost"](memory, request)

    class CheckedSite(ProjectSite):
        shows = SHOWS | {"health": slow}

    site = CheckedSite(str(tmp_path), None)
    workers = Workers(site)
    pages = Pages(site, workers, Live(None))

    async def ask(path: str) -> int:
        said: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b""}

        async def send(message: Any) -> None:
            said.append(message)

        scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
        await pages.app(scope, receive, send)
        return int(said[0]["status"])

    async def all_of_them() -> None:
        waiting = [asyncio.create_task(ask("/health")) for _ in range(3)]
        assert await asyncio.wait_for(ask("/tasks"), 30) == 200
        go_on.set()
        assert await asyncio.gather(*waiting) == [200] * 3

    try:
        with ThreadPoolExecutor(1) as other:  # the browser has a loop in the first thread
            other.submit(asyncio.run, all_of_them()).result()
    finally:
        go_on.set()
        workers.close()


def test_search_as_you_type_by_keys_alone(reader: Reader) -> None:
    page = reader.open()
    page.keyboard.press("/")
    page.keyboard.type("redis")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/search\?q=redis"))
    page.locator("#q").fill("sessions kind:decision")
    expect(page.locator(".entry-title")).to_have_count(2)
    expect(page.locator("#live")).to_have_text("2 records")  # for who hears the page
    expect(page).to_have_url(re.compile(r"q=sessions\+kind%3Adecision|q=sessions%20kind"))
    expect(page.locator("mark").first).to_have_text(re.compile("sessions", re.IGNORECASE))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_contain_text("Sessions live in")


def test_a_letter_after_g_opens_a_page_that_the_help_names(reader: Reader) -> None:
    page = reader.open("/files")
    page.keyboard.press("?")
    expect(page.locator(".letters")).to_contain_text("d Decisions")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("d")
    expect(page.locator("h1")).to_have_text("Decisions")


def test_the_query_language_is_completed(reader: Reader) -> None:
    page = reader.open("/search")
    page.locator("#q").press_sequentially("cents author:b")
    offered = page.locator("#completions option")
    expect(offered).to_have_count(1)
    expect(offered).to_have_attribute("value", "cents author:bo")


def test_a_query_that_cannot_be_read_is_told(reader: Reader) -> None:
    page = reader.open("/search?q=is:purple")
    expect(page.locator(".notice")).to_contain_text("is not a state of a record")
    page.locator("#q").fill("sesions")
    expect(page.locator("#results")).to_contain_text("No records match")
    page.get_by_role("link", name="sessions").click()
    expect(page.locator(".entry-title")).to_have_count(3)


def test_a_record_names_what_replaced_it(reader: Reader) -> None:
    page = reader.open("/search?q=sessions+is:superseded")
    page.locator(".entry-title").first.click()
    expect(page.locator(".over-notice")).to_contain_text("Superseded by Sessions live in Redis")
    page.get_by_role("link", name="Sessions live in Redis").first.click()
    expect(page.locator("h1")).to_have_text("Sessions live in Redis")
    expect(page.locator("aside")).to_contain_text("Sessions live in the database")
    expect(page.get_by_role("link", name="Edit")).to_have_attribute("href", re.compile(r"^vscode://file/.*md:\d+$"))


def test_a_file_shows_what_each_line_was_read_as(reader: Reader) -> None:
    page = reader.open("/files")
    page.get_by_role("link", name="memory-bank/progress.md").click()
    expect(page.locator("tr.line-record code").first).to_have_text("# Progress")
    ruled = (
        "[...document.querySelectorAll('.source td')].filter(each => getComputedStyle(each).borderBottomWidth != '0px')"
    )
    assert page.evaluate(f"{ruled}.length") == 0, "a line that is prose is no table in somebody's text"
    page.locator("tr", has_text="Photos in three sizes").get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("Photos in three sizes")


def test_decisions_are_drawn_with_what_they_replaced(reader: Reader) -> None:
    page = reader.open("/decisions")
    expect(page.locator(".rails path.supersedes")).to_have_count(3)
    expect(page.locator(".rails li:not(.month)")).to_have_count(13)
    page.get_by_label("linked only").check()
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".rails li:not(.month)")).to_have_count(6)
    expect(page.locator(".rails li.over")).to_have_count(3)
    page.locator("#dq").fill("author:bo")
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text("No matching decisions")


def test_the_timeline_zooms_filters_and_tells_of_a_day(reader: Reader) -> None:
    page = reader.open("/timeline")
    expect(page.locator("#chart canvas")).to_be_visible()
    page.get_by_role("img", name=re.compile("^Records over time, from")).focus()
    zoomed = page.locator("#chart.zoomed")
    for key, closer in (("+", 1), ("ArrowLeft", 1), ("ArrowRight", 1), ("-", 0), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        expect(zoomed).to_have_count(closer)
    page.get_by_label("Kind").select_option("decision")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".stream .entry")).to_have_count(13)
    box = page.locator("#chart .u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 4)
    expect(page.locator("#day")).to_contain_text("Backups are restored every Monday")


def test_cost_by_session_hook_and_tool(reader: Reader) -> None:
    page = reader.open("/cost")
    expect(page.locator("tbody tr")).to_have_count(8)
    expect(page.locator("main")).to_contain_text("search_memory")


# What people change


def taken_back(page: Page) -> None:
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".notice").first).to_contain_text("Undid")
    expect(page.locator(".acted button")).to_have_text("Redo")


def test_a_task_is_moved_by_key_by_dragging_and_back(reader: Reader, server: Server) -> None:
    file = server.root / "memory-bank/progress.md"
    before = file.read_text("utf-8")
    page = reader.open("/tasks")
    page.locator(".card", has_text="Saved searches").focus()
    page.keyboard.press("]")
    expect(page.locator("[data-column=doing]")).to_contain_text("Saved searches")
    expect(page.locator(".card", has_text="Saved searches")).to_be_focused()
    assert file.read_text("utf-8") == before.replace("- [ ] Saved searches\n", "").replace(
        "- [ ] Photos in three sizes\n", "- [ ] Photos in three sizes\n- [ ] Saved searches\n"
    )
    taken_back(page)
    assert file.read_text("utf-8") == before
    said = page.locator(".notice", has_text="Moved “Offers between users” to Done")
    for _ in range(9):  # a page that is renewed between two moves of the mouse has the card elsewhere
        page.locator(".card", has_text="Offers between users").drag_to(page.locator("[data-column=done]"))
        with suppress(AssertionError):
            expect(said.first).to_be_visible(timeout=10_000)
            break
    expect(said.first).to_be_visible()
    assert "- [x] Offers between users — 2026-02-01" in file.read_text("utf-8")
    page.locator(".card", has_text="Offers between users").get_by_role("button", name="to To do").click()
    expect(page.locator(".notice").first).to_contain_text("to To do")
    page.set_viewport_size({"width": 1280, "height": 300})
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.locator(".acted").get_by_role("button", name="Undo")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 720})
    assert file.read_text("utf-8") == before.replace("- [ ] Offers between users\n", "").replace(
        "- [ ] Saved searches\n", "- [ ] Saved searches\n- [ ] Offers between users\n"
    )
    file.write_text(before, "utf-8")


# What changes meanwhile

LISTENED = """
    window.asked = window.read = window.told = 0;
    const ask = window.fetch;
    window.fetch = async (...given) => {
        window.asked += 1;
        const answer = await ask(...given), text = answer.text.bind(answer);
        answer.text = async () => { const found = await text(); setTimeout(() => { window.read += 1; }); return found; };
        return answer;
    };
    const Stream = window.EventSource;
    window.EventSource = class extends Stream {
        constructor(...given) {
            super(...given);
            queueMicrotask(() => this.addEventListener("changed", () => setTimeout(() => { window.told += 1; }, 250)));
        }
    };
"""
"""Counts what a page asked, what it read of answers and did with them, and changes that it heard of and acted upon."""


class LivePage:
    """A page that shows a file, and whose questions are held until they are let through."""

    def __init__(self, reader: Reader, path: str, file: Path) -> None:
        self.reader = reader
        page = self.page = reader.page
        self.file = file
        self.text = file.read_text("utf-8")
        self.held: list[Route] = []
        page.add_init_script(LISTENED)
        page.goto(urlsplit(page.url)._replace(path=path).geturl())
        self.holds = True
        page.route(f"**{path}", lambda route: self.held.append(route) if self.holds else route.continue_())

    def write(self, old: str, new: str) -> None:
        """Change the file, and let the page hear of it."""
        before = self.page.evaluate("window.told")
        self.file.write_text(self.text.replace(old, new), "utf-8")
        self.page.wait_for_function("before => window.told > before", arg=before)

    def asked(self) -> Route:
        """The question that waits for its answer."""
        for _ in range(12_000):  # ends a hang
            if self.held:
                break
            self.page.wait_for_timeout(10)
        return self.held.pop(0)

    def free(self) -> None:
        """Hold no further question."""
        self.holds = False
        for each in self.held:
            each.continue_()


@pytest.fixture
def board(browser: Browser, server: Server) -> Iterator[LivePage]:
    """The tasks of a bank, in a browser of its own."""
    with reading(browser, server) as found:
        live = LivePage(found, "/tasks", server.root / "memory-bank/progress.md")
        yield live
        live.file.write_text(live.text, "utf-8")


def test_what_somebody_holds_is_not_replaced_by_a_page_that_was_on_its_way(board: LivePage) -> None:
    page = board.page
    board.write("Saved searches", "Searches that are saved")
    asked = board.asked()
    card = page.locator(".card", has_text="Offers between users")
    card.hover()
    page.mouse.down()
    held = card.element_handle()
    read = page.evaluate("window.read")
    asked.continue_()
    page.wait_for_function("read => window.read > read", arg=read)
    assert held.evaluate("card => card.isConnected")
    board.free()
    page.mouse.up()
    expect(page.locator("main")).to_contain_text("Searches that are saved")


def test_a_page_never_goes_back_to_an_older_answer(board: LivePage) -> None:
    page = board.page
    board.write("Saved searches", "Searches that are saved")
    asked = board.asked()
    older = asked.fetch()
    number = page.evaluate("window.asked")
    board.write("Saved searches", "Searches that are kept")
    assert page.evaluate("window.asked") == number  # while that answer is on its way, which could come last
    board.free()
    asked.fulfill(response=older)
    expect(page.locator("main")).to_contain_text("Searches that are kept")


def test_an_answer_that_fails_is_asked_for_again(board: LivePage) -> None:
    board.write("Saved searches", "Searches that are saved")
    board.asked().abort()
    board.asked().fulfill(status=503, body="The server ended.")
    board.free()
    expect(board.page.locator("main")).to_contain_text("Searches that are saved")
    board.reader.troubles.clear()  # the browser reports both itself


def test_what_changes_before_a_page_listens_is_shown(reader: Reader, server: Server) -> None:
    file = server.root / "memory-bank/progress.md"
    before = file.read_text("utf-8")
    page = reader.page
    page.goto("about:blank")
    page.route("**/events*", lambda _: None)
    listening = http.client.HTTPConnection(urlsplit(server.home).netloc, timeout=120)
    listening.request("GET", "/events?since=-1", headers={"Cookie": server.cookie()})
    with listening.getresponse() as events:
        told = (line.split()[1].decode() for line in events if line.startswith(b"id: "))
        next(told)
        with page.expect_request("**/events*"):
            reader.open("/tasks")
        file.write_text(before.replace("Saved searches", "Searches that are saved"), "utf-8")
        made = page.locator("body").get_attribute("data-live")
        while next(told) == made or "that are saved" not in server.ask("/tasks", Cookie=server.cookie())[2]:
            pass
    listening.close()
    page.unroute_all()  # which drops them on
    expect(page.locator("main")).to_contain_text("Searches that are saved")
    file.write_text(before, "utf-8")
    expect(page.locator("main")).not_to_contain_text("Searches that are saved")


def test_pages_are_told_again_after_settings_that_could_not_be_read(tmp_path: Path) -> None:
    settings = tmp_path / "memdown.toml"
    put(tmp_path, ".squad/decisions.md", "# Decisions\n")
    live = Live(str(tmp_path))

    async def watch() -> None:
        asked = {"type": "http", "method": "GET", "path": "/events", "headers": [], "query_string": b"since=0"}
        answer = await live.stream(Request(asked))
        assert isinstance(answer, StreamingResponse)
        said = aiter(answer.body_iterator)

        async def told() -> None:
            while "event: changed" not in str(await asyncio.wait_for(anext(said), 120)):
                pass

        await told()  # that it is watched now
        for text in ("x = [\n", ""):
            settings.write_text(text, "utf-8")
            await told()
        put(tmp_path, ".squad/decisions.md", "# Decisions\n\nNone yet.\n")
        await told()
        live.end()
        live.join()

    with ThreadPoolExecutor(1) as other:  # the browser has a loop in the first thread
        other.submit(asyncio.run, watch()).result()


def test_more_pages_than_a_browser_has_connections_stay_up_to_date(browser: Browser, server: Server) -> None:
    """It has six to a server, and a page that listens keeps one."""
    file = server.root / "memory-bank/progress.md"
    before = file.read_text("utf-8")
    with reading(browser, server) as found:
        pages = [found.page, *(found.page.context.new_page() for _ in range(6))]
        for page in pages:
            page.goto(f"{server.home}/tasks")
        file.write_text(before.replace("Saved searches", "Searches that are saved"), "utf-8")
        for page in pages:
            expect(page.locator("main")).to_contain_text("Searches that are saved")
        file.write_text(before, "utf-8")


def test_a_page_that_could_not_be_made_is_asked_for_again(reader: Reader, server: Server) -> None:
    """Settings that are being written are wrong for less time than anybody watches them."""
    settings = server.root / "memdown.toml"
    settings.write_text("x = [", "utf-8")
    page = reader.page
    page.route("**/events*", lambda route: route.fulfill(content_type="text/event-stream"))  # nobody tells of a change
    page.goto(f"{server.home}/tasks")
    expect(page.locator("main")).to_contain_text("memdown.toml")
    settings.unlink()
    expect(page.locator("main")).to_contain_text("Saved searches")
    page.goto("about:blank")  # which asks for nothing when it is told of changes again
    reader.troubles.clear()  # the browser reports the status 500 itself


def test_pages_are_made_by_the_settings_of_now(tmp_path: Path) -> None:
    site = ProjectSite(str(tmp_path), None)
    held = site.open()
    assert site.open(held) is held
    put(tmp_path, "memdown.toml", '[bank]\nfolder = "docs/memory-bank"\n')
    with site.open(held) as memory:
        assert memory.config.bank.folder == "docs/memory-bank"


def test_a_press_that_never_ended_does_not_hold_the_page(board: LivePage) -> None:
    """Where a press opens a menu of the system, the page is not told of its end."""
    page = board.page
    board.free()
    page.evaluate("document.body.dispatchEvent(new PointerEvent('pointerdown', {buttons: 2, bubbles: true}))")
    page.mouse.move(200, 200)
    board.write("Saved searches", "Searches that are saved")
    expect(page.locator("main")).to_contain_text("Searches that are saved")


def test_a_page_that_changes_by_itself_keeps_the_focus_and_what_is_open(board: LivePage) -> None:
    page = board.page
    board.free()
    button = page.locator(".card", has_text="Offers between users").get_by_role("button", name="to Done")
    button.focus()
    board.write("Saved searches", "Searches that are saved")
    expect(page.locator("main")).to_contain_text("Searches that are saved")
    expect(button).to_be_focused()
    page.locator("h1").select_text()
    board.write("Saved searches", "Searches that are kept")
    expect(page.locator("#live")).to_contain_text("Memory changed")
    expect(page.locator("main")).to_contain_text("Searches that are saved")
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.locator("main")).to_contain_text("Searches that are kept")


def test_a_timeline_is_drawn_again_when_memory_changes(reader: Reader, server: Server) -> None:
    page = reader.open("/timeline?kind=decision")
    expect(page.locator(".stream .entry")).to_have_count(13)
    with Memory.open(server.root) as memory:
        memory.add("decision", "Masts are measured in metres", dialect="sem", author="Bo")
        expect(page.locator(".stream .entry")).to_have_count(14)
        expect(page.locator("#chart canvas")).to_have_count(1)
        memory.undo()


def test_a_record_that_goes_while_it_is_shown(reader: Reader, server: Server) -> None:
    with Memory.open(server.root) as memory:
        card = memory.cards.add("The lighthouse is a logo", "It is drawn on every listing.", keywords=["logo"]).record
    page = reader.open(f"/record?id={card.id}")
    expect(page.locator("h1")).to_have_text("The lighthouse is a logo")
    with Memory.open(server.root) as memory:
        memory.undo()
    expect(page.locator("main")).not_to_contain_text("It is drawn on every listing.")
    while not reader.troubles:  # the browser reports the status 404 itself, a little later
        page.wait_for_timeout(100)
    page.goto("about:blank")  # it may have asked twice, and report the second answer to the test that comes next
    reader.troubles.clear()


def test_a_fix_is_shown_before_it_is_made(reader: Reader, server: Server) -> None:
    page = reader.open("/findings")
    expect(page.locator(".findings")).to_contain_text("'database' is listed twice")
    page.get_by_role("link", name="Fix CRD034").click()
    expect(page.locator(".diff .removed")).to_have_text("-  - database")
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("main")).not_to_contain_text("listed twice")
    taken_back(page)
    page.goto(server.home + "/findings")
    page.get_by_role("link", name="Silence CRD034").click()
    page.get_by_role("button", name="Silence").click()
    expect(page.locator(".notice")).to_contain_text("CRD034 is silenced")
    expect(page.locator("main .findings")).not_to_contain_text("listed twice")
    taken_back(page)


def test_a_page_that_is_older_than_the_file_is_refused(reader: Reader, server: Server) -> None:
    file = server.root / "memory-bank/progress.md"
    before = file.read_text("utf-8")
    reader.page.route("**/events*", lambda route: route.fulfill(content_type="text/event-stream"))  # it stays old
    page = reader.open("/tasks")
    file.write_text(before.replace("three sizes", "four sizes"), "utf-8")
    page.locator(".card", has_text="Saved searches").get_by_role("button", name="to Done").click()
    expect(page.locator("main")).to_contain_text("changed since it was shown")
    expect(page.locator(".diff .added")).to_have_text("+- [ ] Photos in four sizes")
    assert page.evaluate("document.body.dataset.live") == "-1"  # the answer to a form cannot be asked for again
    assert "Saved searches — " not in file.read_text("utf-8")
    page.get_by_role("link", name="Look at it again").click()
    expect(page.locator("main")).to_contain_text("Photos in four sizes")
    file.write_text(before, "utf-8")
    reader.troubles.clear()  # the browser reports the status 409 itself


def test_a_captured_card_is_edited_and_kept(reader: Reader, server: Server) -> None:
    page = reader.open("/review")
    page.get_by_text("Edit", exact=True).click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".acted")).to_have_text("Nothing changed")
    page.get_by_text("Edit", exact=True).click()
    page.get_by_label("Title").fill("The sale starts at midnight, UTC")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Keep The sale starts at midnight, UTC").click()
    expect(page.locator("main")).to_contain_text("Nothing to review.")
    assert (server.root / "memories/5d0c1b7e-3f2a-4c8e-9d6b-7a1e2f3c4b5d.md").exists()
    taken_back(page)
    page.get_by_role("button", name="Drop The sale starts").click()
    expect(page.locator(".notice").first).to_contain_text("Dropped")
    taken_back(page)


def test_a_draft_of_an_update_is_applied_and_taken_back(reader: Reader, server: Server) -> None:
    file = server.root / "memory-bank/activeContext.md"
    before = file.read_text("utf-8")
    put(server.root, "pay.py", "PARTS = 3\n")

    def git(*args: str) -> None:
        command = ["git", "-c", "user.name=Bo", "-c", "user.email=bo@example.com", *args]
        forks.run(command, cwd=server.root, check=True)

    git("add", "pay.py")
    git("commit", "-q", "-m", "Pay in three parts", "--", "pay.py")
    try:
        page = reader.open("/review")
        expect(page.locator(".diff .added").last).to_contain_text("Pay in three parts")
        page.get_by_role("button", name="Apply").click()
        expect(page.locator(".notice").first).to_contain_text("Wrote memory-bank/activeContext.md")
        assert "Pay in three parts" in file.read_text("utf-8")
        taken_back(page)
        assert file.read_text("utf-8") == before
        page.goto("about:blank")
    finally:
        git("reset", "-q", "--soft", "HEAD~1")
        git("rm", "-q", "-f", "pay.py")


def test_what_somebody_wrote_is_not_lost_to_another_who_was_quicker(reader: Reader, server: Server) -> None:
    card = server.root / "memories/inbox/5d0c1b7e-3f2a-4c8e-9d6b-7a1e2f3c4b5d.md"
    before = card.read_text("utf-8")
    page = reader.open("/review")
    page.get_by_text("Edit", exact=True).click()  # which keeps the page as it is
    page.get_by_label("Text").fill("The banner is right.")
    card.unlink()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("main")).to_contain_text("changed since it was shown")
    expect(page.locator("main")).to_contain_text("The banner is right.")
    expect(page.locator(".diff .removed").first).to_be_visible()
    expect(page.locator("nav [aria-current]")).to_have_count(0)
    card.write_text(before, "utf-8")
    reader.troubles.clear()  # the browser reports the status 409 itself


def test_the_last_change_of_a_record_is_undone(reader: Reader, server: Server) -> None:
    with Memory.open(server.root) as memory:
        card = next(each for each in memory.query("kind:card redis").records)
        memory.edit(card.id, title="Redis evicts sessions at 8 GB")
    page = reader.open(f"/record?id={card.id}")
    page.get_by_role("link", name="Show and undo").click()
    expect(page.locator(".diff .added")).to_contain_text("at 4 GB")
    # What the page asks because memory changed is given up before the form is sent: what it shows is gone after that.
    held: list[Route] = []
    for asked in (page.url, "**/do/undo"):
        page.route(asked, lambda route: held.append(route))
    file = server.root / "memory-bank/progress.md"
    with page.expect_request(page.url):
        file.write_text(file.read_text("utf-8") + "\n", "utf-8")
    with page.expect_event("requestfailed") as given_up:
        page.get_by_role("button", name="Undo").click(no_wait_after=True)
    assert given_up.value == held[0].request
    while len(held) < 2:
        page.wait_for_timeout(10)
    with page.expect_navigation():
        held[1].continue_()
    page.unroute_all()
    expect(page.locator("h1")).to_have_text("Redis evicts sessions at 4 GB")
    page.get_by_role("button", name="Redo").click()
    expect(page.locator("h1")).to_have_text("Redis evicts sessions at 8 GB")
    taken_back(page)
    expect(page.locator("h1")).to_have_text("Redis evicts sessions at 4 GB")


def test_the_history_of_a_record_and_what_it_claims(reader: Reader, server: Server) -> None:
    with Memory.open(server.root) as memory:
        record = memory.query("kind:decision cents").records[0]
    page = reader.open(f"/record?id={record.id}")
    expect(page.locator(".became .versions li")).to_have_count(1)
    expect(page.locator(".became")).to_contain_text("Ann")
    expect(page).to_have_title("Prices are integers in cents · harbor")


def test_a_change_on_disk_appears_by_itself(reader: Reader, server: Server) -> None:
    page = reader.open("/search?q=lighthouse")
    expect(page.locator("#q")).to_be_focused()
    expect(page.locator(".results .entry")).to_have_count(0)
    with Memory.open(server.root) as memory:
        memory.cards.add("The lighthouse is a logo", "It is drawn in the corner of every listing.", keywords=["logo"])
        expect(page.locator(".results .entry")).to_have_count(1)
        memory.undo()


# For everyone


NARROW, USUAL, HUGE = (ViewportSize(width=wide, height=high) for wide, high in ((360, 300), (1280, 900), (3840, 300)))
ACTIVE = (
    "main script, main iframe, main style, main img, main [onerror], main form:not(.ask, .filters, .card form),"
    " a[href^='javascript'], a[href^='data']"
)
PAGES = [
    "/",
    "/timeline",
    "/search?q=redis",
    "/decisions",
    "/tasks",
    "/findings",
    "/findings?code=CRD034",
    "/review",
    "/files",
    "/files?path=memory-bank/progress.md",
    "/cost",
    "/record?id={id}",
]


@cache
def path_of(page: str, root: Path) -> str:
    with Memory.open(root) as memory:
        return page.format(id=memory.query("kind:decision").records[0].id)


def test_every_page_is_for_everyone(server: Server, reader: Reader) -> None:
    """One visit each: as wide as the window, all that axe knows by day, and by night what is drawn otherwise."""
    wrong = {}
    page = reader.page
    for each in PAGES:
        page.set_viewport_size(NARROW)
        reader.open(path_of(each, server.root))
        wide = []
        for size in (NARROW, HUGE, USUAL):
            page.set_viewport_size(size)
            wide += [size["width"]] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []
        by_day = reader.violations()
        page.emulate_media(color_scheme="dark")
        by_night = reader.violations("color-contrast")
        page.emulate_media(color_scheme="light")
        if wide or by_day or by_night:
            wrong[each] = (wide, by_day, by_night)
    assert wrong == {}


def test_every_page_prints_as_by_day(server: Server, reader: Reader) -> None:
    """On paper as wide as A4, from a screen that is dark."""
    wrong = {}
    page = reader.page
    page.set_viewport_size(ViewportSize(width=718, height=900))
    page.emulate_media(media="print", color_scheme="dark")
    for each in PAGES:
        reader.open(path_of(each, server.root))
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        pale = reader.violations("color-contrast")
        if wide or pale:
            wrong[each] = (wide, pale)
    reader.open("/decisions")  # a picture is not cut between pages where its rows are
    expect(page.locator(".rails svg")).to_be_hidden()
    expect(page.get_by_text("superseded by Sessions live in Redis")).to_be_in_viewport()
    reader.open("/timeline")
    expect(page.locator("#chart > svg")).to_be_visible()
    expect(page.locator("#chart canvas")).to_be_hidden()
    page.emulate_media(media="screen", color_scheme="light")
    expect(page.locator("#chart canvas")).to_be_visible()
    page.set_viewport_size(USUAL)
    assert wrong == {}


def test_rows_of_decisions_hold_their_lines_where_it_is_narrow(reader: Reader) -> None:
    page = reader.page
    page.set_viewport_size(NARROW)
    reader.open("/decisions")
    over = page.evaluate(
        "[...document.querySelectorAll('.rails li')].filter(row => [...row.children].some("
        "part => part.getBoundingClientRect().bottom > row.getBoundingClientRect().bottom + 1)).length"
    )
    page.set_viewport_size(USUAL)
    assert over == 0


def test_every_page_can_be_read_without_scripts(server: Server, browser: Browser) -> None:
    cookie = server.cookie()
    for path in PAGES:
        main = server.ask(path_of(path, server.root), Cookie=cookie)[2].partition("<main")[2]
        assert len(re.sub(r"<[^>]*>|\s", "", main)) > 100, path
    with reading(browser, server, script=False) as found:
        page = found.page
        expect(page.get_by_role("region", name="Decided in the last 7 days")).to_contain_text("Chen")
        page.get_by_role("link", name="Timeline").click()
        expect(page.locator("#chart > svg")).to_be_visible()
        page.get_by_label("Search memory").fill("sessions kind:decision")
        page.keyboard.press("Enter")
        expect(page.locator(".entry-title")).to_have_count(2)


@pytest.mark.parametrize("words", [60_000, pytest.param(2_000_000, marks=pytest.mark.slow)])
def test_hostile_content_does_nothing(tmp_path: Path, seat: Reader, words: int) -> None:
    put(tmp_path, ".squad/decisions.md", HOSTILE)
    put(tmp_path, "memory-bank/progress.md", f"# Progress\n\n## In Progress\n\n- [ ] {EVIL}\n\n" + "wide " * words)
    with serving(tmp_path) as server, seat.at(server.home, server.token) as found:
        with Memory.open(tmp_path) as memory:
            ids = [each.id for each in memory.query("").records]
            evil = memory.query("kind:decision broken").records[0].id
        for path in ("/", "/timeline", "/decisions", "/tasks", f"/search?q={quote(EVIL)}", f"/record?id={quote(evil)}"):
            page = found.open(path)
            assert "broken" not in page.title().replace("document.title='broken'", "")
            assert page.locator(ACTIVE).count() == 0, path
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            assert "\x1b" not in page.content()
        cookie = server.cookie()
        for path in (
            "/findings",
            "/search?q=wide",
            "/files?path=memory-bank/progress.md",
            *(f"/record?id={quote(id)}" for id in ids),
        ):
            status, _, text = server.ask(path, Cookie=cookie)
            assert (status, len(text) < 1_000_000) == (200, True), path
            assert EVIL not in text
        page.goto("about:blank")


@pytest.mark.parametrize("nested", ["- ", "> ", "<ul><li>", "<div>", "<b>", "*a "])
def test_what_is_nested_beyond_reason_is_shown_as_its_source(nested: str) -> None:
    """A tree of it takes quadratic time to clean, and more."""
    text = nested * 20_000 + "<script>x</script>"
    for shown in (markup.rich(text), markup.line(text)):
        assert "<script" not in shown
        assert not re.search(r"<(?!/?(?:pre|p|em)\b)", shown)
    assert markup.rich("- a\n  - b\n    > c").count("<ul ") == 2


@pytest.fixture(scope="module")
def site(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An export that took the place of an earlier one."""
    folder = tmp_path_factory.mktemp("out") / "a site"
    put(folder, ".memdown-export.json", '["old.html"]')
    put(folder, "old.html", "old")
    environment = {**os.environ, "MEMDOWN_NOW": web_sample.NOW}
    command = [sys.executable, "-m", "memdown", "web", "--export", str(folder)]
    forks.run(command, cwd=project, env=environment, check=True, capture_output=True)
    return folder


def test_an_export_is_the_same_pages_as_files(site: Path, browser: Browser) -> None:
    names = {each.name for each in site.iterdir()}
    for file in site.glob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"#]*)', file.read_text("utf-8")):
            assert not target or target.startswith(("http", "mailto:")) or (site / unquote(target)).exists(), target
    assert "old.html" not in names
    assert {"index.html", "timeline.html", "decisions.html", "tasks.html", "findings.html", "files.html"} <= names
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    expect(page.get_by_role("region", name="Decided in the last 7 days")).to_contain_text("Chen")
    expect(page.get_by_role("region", name="Health")).to_contain_text("keyword")
    page.get_by_role("link", name="Timeline").click()
    expect(page.locator("#chart > svg")).to_be_visible()
    page.get_by_role("link", name="Search", exact=True).click()
    expect(page.locator(".entry")).to_have_count(38)
    expect(page.locator("form:visible, button:visible")).to_have_count(0)
    context.close()


def test_an_export_is_searched_from_a_disk(site: Path, browser: Browser) -> None:
    context = browser.new_context()
    found = Reader(context, site.as_uri())
    page = found.page
    page.goto((site / "timeline.html").as_uri())
    expect(page.locator("#chart canvas")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("sessions kind:decision")
    page.keyboard.press("Enter")
    expect(page.locator(".results .entry-title")).to_have_text(
        [f"Sessions live in {a}" for a in ("Redis", "the database")]
    )
    expect(page.locator("mark").first).to_have_text("Sessions")
    expect(page.locator(".entry.over")).to_have_count(1)
    page.locator("aside").get_by_role("link", name="sem").click()  # it narrows down, and again widens
    expect(page.locator("#q")).to_have_value("sessions kind:decision dialect:sem")
    page.locator("#q").fill("author:bo -invoices after:2025-07-01")
    expect(page.locator(".results .entry-title")).to_have_text(["Prices are integers in cents"])
    page.locator("#q").fill("path:x")
    expect(page.locator(".notice")).to_contain_text("cannot be asked in a report")
    page.locator("#q").fill("lighthouse monday")
    expect(page.locator(".notice")).to_contain_text("No record has all of these words")
    page.locator("#q").fill("backups mond")
    expect(page.locator(".results .entry")).to_have_count(1)
    assert found.violations() == []
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Backups are restored every Monday")
    page.go_back()
    expect(page.locator("#q")).to_have_value("backups mond")
    page.locator("#q").fill("")
    expect(page.locator(".entry")).to_have_count(38)
    context.close()
    assert found.troubles == []


def test_an_export_of_many_records_is_bounded(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older records are lines of their file, and the newest can be searched for."""
    monkeypatch.setattr("memdown.surfaces.web.export._OWN_PAGE", 5)
    monkeypatch.setattr("memdown.surfaces.web.offline.MOST", 10)
    monkeypatch.setattr("memdown.surfaces.web.offline.ROWS", 4)
    monkeypatch.setattr("memdown.surfaces.web.offline._SHARD", 200)
    with Memory.open(project) as memory:
        export(memory, tmp_path / "site")
    pages = list((tmp_path / "site").glob("record-*.html"))
    assert len(pages) < 20
    listed = (tmp_path / "site" / "search.html").read_text("utf-8")
    assert len(re.findall(r'class="entry-title" data-row href="record-', listed)) == 5
    assert len(re.findall(r'class="entry-title" data-row href="files-[^"]*#L\d+"', listed)) == 33
    names = {each.name for each in (tmp_path / "site" / "search").iterdir()}
    assert {"index.js", "rows-2.js", "words-2.js"} <= names
    assert "rows-3.js" not in names


def test_an_export_leaves_other_files_alone(project: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.html").write_text("mine")
    command = [sys.executable, "-m", "memdown", "web", "--export", str(tmp_path)]
    ran = forks.run(command, cwd=project, check=False, capture_output=True, text=True)
    assert (ran.returncode, "has other files in it" in ran.stderr) == (3, True)
    assert [each.name for each in tmp_path.iterdir()] == ["mine.html"]


def test_thousands_of_rails_stay_in_their_lanes() -> None:
    rows = [str(number) for number in range(2000)]
    edges = [rails.Rail("supersedes", str(at), str(at + 1 + at % 37)) for at in range(0, 1960, 2)]
    drawn = rails.lay_out(rows, edges)
    points = drawn.linked.count("h0") + drawn.alone.count("h0")
    assert (len(drawn.rails), points) == (len(edges), 2000)
    assert drawn.width <= 2 * rails.EDGE + rails.LANES * rails.GAP
    assert rails.lay_out(["a", "b", "c"], [rails.Rail("x", "a", "b"), rails.Rail("x", "b", "c")]).width == 37


def test_it_ends_when_it_is_asked_to(project: Path) -> None:
    assert Server(project).end() in (0, -15)


ENTRY = "### {0}T10:00:00Z: decision: {1}\n\n**type:** decision\n**timestamp:** {0}T10:00:00Z\n**author:** Ann\n\n"
ENTRY += "**summary:** {1}\n\n---\n\n"


def test_an_entry_that_two_files_have_is_shown_once(tmp_path: Path) -> None:
    for folder in (".squad", ".ai-team"):
        old = "".join(ENTRY.format(f"2025-01-{day:02}", f"Old {day}") for day in range(10, 20))
        put(tmp_path, f"{folder}/decisions.md", "# Decisions\n\n" + old + ENTRY.format("2026-01-30", "New one"))
    with Memory(tmp_path, now=lambda: NOON) as memory:
        look = memory.overview()
    assert [each.record.title for each in look.decided] == ["New one"]
    assert [each.record.title for each in look.earlier] == [f"Old {day}" for day in range(19, 13, -1)]
    assert [each.record.title for each in look.oldest] == [f"Old {day}" for day in range(10, 16)]
    assert look.stale == 20


def test_notes_are_shown_where_nothing_is_worse(tmp_path: Path) -> None:
    put(tmp_path, ".squad/decisions.md", "# Decisions\n\n### Use SQLite\n\n**By:** Ann\n\n**What:** SQLite.\n")
    with Memory(tmp_path, now=lambda: NOON) as memory:
        found = SHOWS["findings"](memory, PageRequest({})).values["found"]
    assert found
    assert {each.diagnostic.severity for each in found} == {"info"}
