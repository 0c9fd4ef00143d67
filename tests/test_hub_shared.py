"""Several people write to one project while the server is killed, connections are cut and answers are lost, as `memdown sync` does it.

Each has a working copy of every project. They append entries to its log, correct those of their neighbour, and sync
until that is acknowledged. Afterwards each acknowledged entry and correction is on the hub once and in every copy,
nothing that was there once went away, and nobody was asked about a conflict, since there was none.
"""

import random
import re
import socket
import socketserver
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hub_server import NO_CLIENT, Server, Worker, at_work
from memdown import Memory
from memdown.errors import Stale
from memdown.hub import exchange
from memdown.hub.connection import HubDown
from memdown.hub.rows import HubText
from samples import put
from test_hub_faults import attack, primary, records_of

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = pytest.importorskip("psycopg", reason=NO_CLIENT)

LOG = ".squad/decisions.md"
ENTRY = "\n### 2026-01-01T10:00:00Z: Entry {number} of client {who}\n**By:** Ann\n\nBody {number} of client {who}, seen by {by}.\n"
BODY = re.compile(r"Body (\d+) of client (\d+), seen by (\w+)\.")
_PATIENCE = 120.0


class Person(Worker):
    """Writes to its copies, again and again, until it is told to stop."""

    def __init__(self, dsn: str, who: int, of: int, projects: list[str], folder: Path) -> None:
        super().__init__()
        self.dsn = dsn
        self.who = who
        self.neighbour = (who + 1) % of
        self.roots = {project: folder / str(who) / project for project in projects}
        self.acknowledged: list[tuple[str, int]] = []
        self.corrected: list[tuple[str, int]] = []
        self.conflicts = 0
        self._random = random.Random(who)

    def begin(self) -> None:
        for root in self.roots.values():
            put(root, LOG, "# Decisions\n")
            self.sync(root.name)

    def turn(self, number: int) -> None:
        self._turn(self._random.choice([*self.roots]), number)

    def _turn(self, project: str, number: int) -> None:
        path = self.roots[project] / LOG
        text = path.read_text()
        new = [int(found) for found, who, by in BODY.findall(text) if (int(who), by) == (self.neighbour, "nobody")]
        for each in new:
            body = f"Body {each} of client {self.neighbour}, seen by "
            text = text.replace(f"{body}nobody.", f"{body}neighbour.")
        path.write_text(text + ENTRY.format(number=number, who=self.who, by="nobody"))
        self.sync(project)
        self.acknowledged.append((project, number))
        self.corrected += [(project, each) for each in new]

    def sync(self, project: str) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                with Memory.open(self.roots[project]) as memory:
                    done = exchange.sync(memory, self.dsn, name=project)
            except (HubDown, Stale):
                assert time.monotonic() < until, "the hub did not come back"
            else:
                self.conflicts += len(done.conflicts)
                return


class _Wire(socketserver.BaseRequestHandler):
    """One connection to the server, which now and then is lost before an answer comes back: that to a commit most."""

    server: "LossyWire"

    def handle(self) -> None:
        try:
            with socket.create_connection(("127.0.0.1", self.server.target)) as other:
                back = threading.Thread(target=self._carry, args=(other, self.request, self._is_lost), daemon=True)
                back.start()
                self._carry(self.request, other, lambda _: False)
                back.join()
        except OSError:
            pass

    def _is_lost(self, answer: bytes) -> bool:
        return self.server.chance.random() < (1 / 5 if b"COMMIT\0" in answer else 1 / 200)

    def _carry(self, source: socket.socket, to: socket.socket, is_lost: Callable[[bytes], bool]) -> None:
        try:
            while (data := source.recv(65536)) and not is_lost(data):
                to.sendall(data)
            if data:
                self.server.lost += 1
                time.sleep(self.server.chance.random())  # others go on meanwhile
        except OSError:
            pass
        for each in (source, to):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class LossyWire(socketserver.ThreadingTCPServer):
    """Stands between clients and a server."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, target: int) -> None:
        super().__init__(("127.0.0.1", 0), _Wire)
        self.target = target
        self.lost = 0
        self.chance = random.Random(target)


@contextmanager
def lossy(server: Server) -> Iterator[LossyWire]:
    with LossyWire(server.port) as wire:
        threading.Thread(target=wire.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield wire
        wire.shutdown()


@contextmanager
def writing(dsn: str, people: int, projects: int) -> Iterator[list[Person]]:
    names = [f"shared{number}" for number in range(projects)]
    with tempfile.TemporaryDirectory() as folder:
        made = [Person(dsn, who, people, names, Path(folder)) for who in range(people)]
        with at_work(made, _PATIENCE):
            yield made
        for name in names:
            for each in (*made, *made):
                each.sync(name)
            assert len({(each.roots[name] / LOG).read_bytes() for each in made}) == 1


def judge(dsn: str, people: list[Person]) -> Counter[str]:
    counts: Counter[str] = Counter(conflicts=sum(each.conflicts for each in people))
    there: dict[tuple[str, int, int], str] = {}
    with psycopg.connect(dsn) as db:
        for (project,) in db.execute("select project from memdown.projects").fetchall():
            texts = db.execute(
                "select h.revision, v.content, sha256(v.content) = v.digest from memdown.history h"
                " join memdown.versions v using (project, digest) where project = %s order by 1",
                (project,),
            ).fetchall()
            counts["pushes"] += len(texts)
            counts["torn"] += [number for number, _, _ in texts] != [*range(1, len(texts) + 1)]
            counts["torn"] += sum(not right for _, _, right in texts)
            before: set[tuple[str, str]] = set()
            for _, content, _ in texts:
                found = {(number, who) for number, who, _ in BODY.findall(content.decode())}
                counts["lost"] += len(before - found)
                before = found
            last: bytes = texts[-1][1]
            entries = Counter((int(number), int(who)) for number, who, _ in BODY.findall(last.decode()))
            counts["twice"] += sum(times > 1 for times in entries.values())
            there |= {(project, int(number), int(who)): by for number, who, by in BODY.findall(last.decode())}
            rows = db.execute("select body from memdown.records where project = %s order by number", (project,))
            counts["torn"] += [body for (body,) in rows] != [row["body"] for row in records_of(HubText(LOG, LOG, last))]
    for each in people:
        counts["acknowledged"] += len(each.acknowledged)
        counts["lost"] += sum((project, number, each.who) not in there for project, number in each.acknowledged)
        counts["corrected"] += len(each.corrected)
        counts["lost"] += sum(
            there.get((project, number, each.neighbour)) != "neighbour" for project, number in each.corrected
        )
    return counts


def attacked(*, kills: int, cuts: int, people: int, projects: int, seconds: float = 3600) -> Counter[str]:
    with primary() as server, lossy(server) as wire:
        through = f"host=127.0.0.1 port={wire.server_address[1]} user=postgres dbname=hub"
        with writing(through, people, projects) as made:
            done = attack(server, kills, cuts, lambda: sum(len(each.acknowledged) for each in made), seconds=seconds)
        return judge(server.dsn("hub"), made) + done + Counter(answers=wire.lost)


def check(counts: Counter[str]) -> None:
    names = ("kills", "cuts", "answers", "acknowledged", "corrected", "pushes", "lost", "twice", "torn", "conflicts")
    print({name: counts[name] for name in names})
    assert counts["acknowledged"] > 0
    assert (counts["lost"], counts["twice"], counts["torn"], counts["conflicts"]) == (0, 0, 0, 0)


def test_people_who_share_a_project_lose_nothing_and_have_nothing_twice() -> None:
    check(attacked(kills=1, cuts=2, people=3, projects=1))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_five_hundred_kills_of_a_hub_that_is_shared() -> None:
    check(attacked(kills=500, cuts=500, people=6, projects=10))
