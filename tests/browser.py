"""A real browser for the page: Debian's chromium, installed where root may, and axe-core as its judge."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from packages import apt

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --force-prefers-reduced-motion"
).split()
expect.set_options(timeout=120_000)  # catches a hang, on the slowest machine
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@cache
def program() -> str:
    """Where chromium is; the test is skipped where it is not, and cannot be installed."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    apt("chromium")
    if found := shutil.which("chromium"):
        return found
    pytest.skip("chromium is not here, and only root can install it with apt")


@cache
def axe() -> str:
    """The script of axe-core (MPL-2.0), which is no part of this project."""
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser, for as long as the block."""
    place = program()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=place, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Reader:
    """Somebody at the page, who notices every error that the browser reports."""

    def __init__(self, context: BrowserContext, home: str = "") -> None:
        context.set_default_timeout(120_000)  # catches a hang, on the slowest machine
        self.page: Page = context.new_page()
        self.home = home
        self.known: set[str] = set()
        """The servers whose cookie the browser has."""
        self.troubles: list[str] = []
        self.page.on("console", lambda said: self._note(said.type, said.text))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("request", lambda asked: self._stays(asked.url))

    def _note(self, kind: str, text: str) -> None:
        # htmx reports what a page that is left still waited for, perhaps when the next one is there.
        if kind in ("error", "warning") and not text.startswith(("htmx:afterRequest,", "htmx:sendAbort,")):
            self.troubles.append(text)

    def _stays(self, url: str) -> None:
        if not url.startswith((self.home, "data:", "file:")):
            self.troubles.append(f"left the machine: {url}")

    @contextmanager
    def at(self, home: str, token: str) -> Iterator["Reader"]:
        """At the pages of a server; at the end the browser must not have reported anything."""
        self.home = home
        if home not in self.known:
            self.open(f"/?token={token}")
            self.known.add(home)
        yield self
        self.page.unroute_all()
        troubles, self.troubles = self.troubles, []
        assert troubles == [], troubles

    def open(self, path: str = "/") -> Page:
        answer = self.page.goto(self.home + path)
        assert answer is not None
        assert answer.status == 200, (path, answer.status)
        return self.page

    def violations(self, rule: str = "") -> list[str]:
        """What axe finds wrong with the page that is open, by one rule or by all."""
        if not self.page.evaluate("'axe' in window"):
            # As its debugger, which needs no leave of the page's policy.
            debugger = self.page.context.new_cdp_session(self.page)
            debugger.send("Runtime.evaluate", {"expression": axe()})
            debugger.detach()
        found: dict[str, Any] = self.page.evaluate(
            "chosen => axe.run(document, {resultTypes: ['violations'], runOnly: chosen, preload: false})",
            {"type": "rule", "values": [rule]} if rule else {"type": "tag", "values": _TAGS},
        )
        return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found["violations"]]
