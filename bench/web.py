"""Each page beside the same question on the command line, over 100,000 records.

    python bench/web.py [--records 100000] [--rounds 5]

Needs memdown[web]. The project has 5,000 cards, a memory bank, and decisions and histories of twenty people. A page is
asked of a server that runs, its command is a process of its own, and both take turns in one run. Printed are the least
times, their ratio, and what a page weighs on its way, compressed: alone, and with what the first one loads beside it.
"""

import argparse
import gzip
import http.client
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from index import vocabulary
from suite.corpora import WORDS, bank, notes
from suite.rows import environment
from suite.timing import interleaved

CARDS, PEOPLE, DECISIONS = 5_000, 20, 2_000
GOAL = 5
MEMDOWN = (sys.executable, "-m", "memdown")


class Page(NamedTuple):
    """An address, and the words that ask the same."""

    address: str
    words: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="how many there are")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is asked")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        make(root, given.records)
        run("index", root=root)
        run("check", root=root)  # findings are kept from here on
        print(run("index", root=root).strip())
        with serving(root) as server:
            tell(server, root, given.rounds)


def make(root: Path, records: int) -> None:
    """A project with so many records, about."""
    chance = random.Random(17)
    words = vocabulary(chance)
    cards = min(CARDS, records // 2)
    notes(bank(root), cards)
    left = records - cards
    write(root / ".squad/decisions.md", "decision", min(DECISIONS, left // 2), chance, words)
    each = max(1, (left - min(DECISIONS, left // 2)) // PEOPLE)
    for person in range(PEOPLE):
        write(root / f".squad/agents/person{person}/history.md", "memory", each, chance, words)


def write(path: Path, kind: str, number: int, chance: random.Random, words: list[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for each in range(number):
            day = f"20{20 + each // 336 % 6:02}-{each // 28 % 12 + 1:02}-{each % 28 + 1:02}"
            title, text = (" ".join(chance.choices(words, k=length)) for length in (5, 15))
            file.write(
                f"### {day}T10:00:00+0000: {kind}: {title} {each}\n\n**author:** {path.parent.name}\n\n"
                f"**summary:** {text}\n\n---\n\n"
            )


def pages(root: Path) -> dict[str, Page]:
    """The pages and their questions; a record and a file are the first ones that there are."""
    words = " ".join(WORDS)
    record = run("list", "kind:decision", "-n", "1", "--json", root=root)
    found = re.search(r'"id": *"([^"]+)"', record)
    assert found, record
    return {
        "overview": Page("/", ("start",)),
        "timeline": Page("/timeline", ("timeline",)),
        "search": Page(f"/search?q={words.replace(' ', '+')}", ("search", words)),
        "record": Page(f"/record?id={found[1]}", ("show", found[1])),
        "decisions": Page("/decisions", ("list", "kind:decision")),
        "tasks": Page("/tasks", ("list", "kind:task")),
        "findings": Page("/findings", ("check",)),
        "health": Page("/health", ("health",)),
        "review": Page("/review", ("review", "--json")),
        "files": Page("/files", ("status",)),
        "cost": Page("/cost", ("cost",)),
    }


class Server:
    """`memdown web` on a project, and its cookie."""

    def __init__(self, line: str) -> None:
        found = re.search(r"http://(127\.0\.0\.1:\d+)/\?token=(\w+)", line)
        assert found, line
        self._place = found[1]
        self._cookie = ""
        _, headers = self._ask(f"/?token={found[2]}")
        self._cookie = headers["set-cookie"].partition(";")[0]

    def page(self, address: str) -> bytes:
        return self._ask(address)[0]

    def _ask(self, address: str) -> tuple[bytes, dict[str, str]]:
        line = http.client.HTTPConnection(self._place, timeout=600)
        line.request("GET", address, headers={"Cookie": self._cookie, "Accept-Encoding": "gzip"})
        answer = line.getresponse()
        data = answer.read()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        line.close()
        if answer.status >= 400:
            sys.exit(f"bench/web.py: {address} was answered with {answer.status}")
        return data, headers


@contextmanager
def serving(root: Path) -> Iterator[Server]:
    command = [*MEMDOWN, "web", "--no-open", "--port", "0"]
    with subprocess.Popen(command, cwd=root, env=environment(), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield Server(process.stdout.readline())
        finally:
            process.terminate()


def run(*words: str, root: Path) -> str:
    """What a command prints; `check` has findings, which is no failure here."""
    done = subprocess.run([*MEMDOWN, *words], cwd=root, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode > 1:
        sys.exit(f"bench/web.py: memdown {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def weight(server: Server, address: str) -> tuple[int, int]:
    """The bytes of a page on their way, and of it with what it loads."""
    page = server.page(address)
    text = (gzip.decompress(page) if page.startswith(b"\x1f\x8b") else page).decode()
    loaded = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', text))
    return len(page), len(page) + sum(len(server.page(each)) for each in loaded)


def tell(server: Server, root: Path, rounds: int) -> None:
    print(f"{'page':10} {'page ms':>8} {'command ms':>10} {'ratio':>6} {'goal':>5} {'KB':>6} {'with files':>10}")
    for name, page in pages(root).items():
        started = time.perf_counter()
        server.page(page.address)
        first = time.perf_counter() - started
        subjects = {
            "page": lambda page=page: server.page(page.address),
            "command": lambda page=page: run(*page.words, root=root),
        }
        taken = interleaved(subjects, rounds)
        least = {each: taken[each].least * 1e3 for each in subjects}
        alone, together = weight(server, page.address)
        ratio = least["page"] / least["command"]
        print(
            f"{name:10} {least['page']:8.0f} {least['command']:10.0f} {ratio:5.2f}x {GOAL:4}x"
            f" {alone / 1e3:6.1f} {together / 1e3:10.1f}   memdown {' '.join(page.words)}; first {first * 1e3:.0f} ms",
            flush=True,
        )


if __name__ == "__main__":
    main()
