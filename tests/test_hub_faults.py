"""What is acknowledged is there: servers that are killed, connections that are cut, a standby that takes over.

Clients push documents of several projects in a loop and note every push that was acknowledged. Afterwards each of these is
in the history once, every push is there whole or not at all, and the records are those of the documents.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hub_server import NO_CLIENT, Server, Worker, at_work, folder, free_port, server
from memdown.hub import access, client, connection, store
from memdown.hub.calls import SearchCall
from memdown.hub.connection import HubDown
from memdown.hub.rows import DerivedRows, HubText, Rows
from memdown.hub.store import DocumentChange, ProjectFacts, Published
from memdown.index import query

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = pytest.importorskip("psycopg", reason=NO_CLIENT)

PATHS = ("memories/one.md", "memories/two.md")
CARD = "---\nid: {id}\nsubject: Push {number} of {who}\nkeywords:\n  - push\napplies_to: global\noccurred_at: '2026-01-01T10:00:00Z'\n---\n\nPush {number} of {who} in {path}.\n"
_PATIENCE = 60.0
THEIRS = "project like 'github.com/acme/p%'"


def content(who: str, number: int, path: str) -> bytes:
    return CARD.format(id=path[9:12] * 12, number=number, who=who, path=path).encode()


class Client(Worker):
    """Pushes both documents of a project, again and again, until it is told to stop."""

    def __init__(self, dsn: str, who: str, projects: list[str], seed: int) -> None:
        super().__init__()
        self.dsn = dsn
        self.who = who
        self.projects = projects
        self.acknowledged: list[tuple[str, bytes]] = []
        self._random = random.Random(seed)

    def turn(self, number: int) -> None:
        self._push(self._random.choice(self.projects), number)

    def _push(self, project: str, number: int) -> None:
        until = time.monotonic() + _PATIENCE
        while True:
            with suppress(HubDown):
                done = connection.retried(lambda: self._once(project, number))
                if not done.moved:
                    self.acknowledged.append((project, store.digest_of(content(self.who, number, PATHS[0]))))
                    return
            if time.monotonic() > until or (self.stopping.is_set() and number > 1):
                return

    def _once(self, project: str, number: int) -> Published:
        with client.opened(self.dsn, project) as remote:
            heads = remote.heads()
            changes = [
                DocumentChange(
                    path, path, content(self.who, number, path), heads[path].digest if path in heads else None
                )
                for path in PATHS
            ]
            return remote.publish(changes, ProjectFacts())


def judge(dsn: str, clients: list[Client]) -> Counter[str]:
    """Everything acknowledged is there, nothing twice, nothing torn."""
    counts: Counter[str] = Counter()
    with psycopg.connect(dsn) as db:
        history = db.execute(
            f"select project, path, revision, digest from memdown.history where {THEIRS} order by 1, 2, 3"
        ).fetchall()
        seen = Counter((project, digest) for project, path, _, digest in history if path == PATHS[0])
        for each in clients:
            for key in each.acknowledged:
                counts["acknowledged"] += 1
                counts["lost"] += seen[key] == 0
        counts["pushes"] = sum(seen.values())
        counts["twice"] = sum(number > 1 for number in seen.values())
        by_push: dict[tuple[str, int], set[str]] = {}
        for project, path, revision, _ in history:
            by_push.setdefault((project, revision), set()).add(path)
        counts["torn"] = sum(paths != set(PATHS) for paths in by_push.values())
        revisions: dict[str, int] = dict(db.execute("select project, revision from memdown.projects").fetchall())
        last = {project: max(revision for name, revision in by_push if name == project) for project, _ in by_push}
        counts["torn"] += sum(revisions[project] != revision for project, revision in last.items())
        documents = db.execute(
            "select project, d.path, d.canonical, v.content from memdown.documents d"
            f" join memdown.versions v using (project, digest) where {THEIRS}".encode()
        ).fetchall()
        cards = f"select project, path, body from memdown.records where kind = 'card' and {THEIRS}"
        records = Counter(db.execute(cards.encode()).fetchall())
    for project, path, canonical, data in documents:
        [expected] = [row["body"] for row in records_of(HubText(path, canonical, data)) if row["kind"] == "card"]
        counts["torn"] += records[project, path, expected] != 1
    counts["torn"] += sum(records.values()) != len(documents)
    return counts


def records_of(text: HubText) -> Rows:
    return [row for part in DerivedRows([text]).parts() for row in part.records]


@contextmanager
def running(dsn: str, clients: int, projects: int) -> Iterator[list[Client]]:
    names = [f"github.com/acme/p{number}" for number in range(projects)]
    made = [Client(dsn, f"client{number}", names[number::clients], number) for number in range(clients)]
    with at_work(made, _PATIENCE):
        yield made


def wait_for(enough: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE
    while not enough():
        assert time.monotonic() < until, "nothing moved"
        time.sleep(0.02)


def acknowledged(clients: list[Client]) -> int:
    return sum(len(each.acknowledged) for each in clients)


@contextmanager
def primary() -> Iterator[Server]:
    """A server that keeps what it acknowledged, with a hub."""
    with server(fsync=True) as made:
        with psycopg.connect(made.dsn(), autocommit=True) as db:
            db.execute("alter database template_hub rename to hub")
        yield made


@contextmanager
def standby(of: Server, port: int = 0) -> Iterator[Server]:
    with folder() as place:
        made = Server(place, port or free_port())
        made.run(
            "pg_basebackup",
            "-h",
            "127.0.0.1",
            "-p",
            str(of.port),
            "-U",
            "postgres",
            "-D",
            str(place / "data"),
            "-R",
            "-X",
            "stream",
            "-c",
            "fast",
        )
        with (place / "data" / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(f"port = {made.port}\n")
        made.start()
        try:
            yield made
        finally:
            made.stop()


def attack(server: Server, kills: int, cuts: int, moved: Callable[[], int], *, seconds: float = 7200) -> Counter[str]:
    """End connections, and kill the server, at any moment; what was done, as long as there was time."""
    done: Counter[str] = Counter()
    chance = random.Random(kills)
    turns = ["kills"] * kills + ["cuts"] * cuts
    chance.shuffle(turns)
    until = time.monotonic() + seconds
    for each in turns:
        if time.monotonic() > until:
            break
        before = moved()
        wait_for(lambda before=before: moved() > before)  # type: ignore[misc]
        time.sleep(chance.random() * 0.05)
        done[each] += 1
        if each == "cuts":
            _cut(server)
        else:
            server.kill()
            server.start()
    return done


def attacked(kills: int, cuts: int, clients: int, projects: int) -> Counter[str]:
    with primary() as server:
        dsn = server.dsn("hub")
        with running(dsn, clients, projects) as made:
            done = attack(server, kills, cuts, lambda: acknowledged(made))
        return judge(dsn, made) + done


def _cut(server: Server) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as db:
        db.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'memdown'")


def check(counts: Counter[str]) -> None:
    print({name: counts[name] for name in ("kills", "cuts", "acknowledged", "pushes", "lost", "twice", "torn")})
    assert counts["acknowledged"] > 0
    assert (counts["lost"], counts["twice"], counts["torn"]) == (0, 0, 0)


def test_a_server_that_is_killed_and_connections_that_are_cut_lose_nothing() -> None:
    check(attacked(kills=1, cuts=2, clients=3, projects=3))


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_five_hundred_kills() -> None:
    check(attacked(kills=500, cuts=500, clients=8, projects=50))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_sixty_four_clients_over_a_thousand_projects() -> None:
    check(attacked(kills=2, cuts=50, clients=64, projects=1000))


def test_a_standby_takes_over_and_questions_see_what_was_just_written() -> None:
    with primary() as server, standby(server) as second:
        follow(server)
        both = f"host=127.0.0.1,127.0.0.1 port={second.port},{server.port} user=postgres dbname=hub"
        with running(both, 3, 3) as made:
            wait_for(lambda: acknowledged(made) > 10)
            _sees_own_writes(both, second)
            take_over(server, second)
            before = acknowledged(made)
            wait_for(lambda: acknowledged(made) > before + 5)
        check(judge(second.dsn("hub"), made))


@pytest.mark.slow
def test_one_standby_after_the_other_takes_over() -> None:
    """The server is lost, its standby takes its place, and a new standby that of the standby, again and again."""
    chance = random.Random(21)
    with primary() as server, ExitStack() as stack:
        ports = [server.port, free_port()]
        both = f"host=127.0.0.1,127.0.0.1 port={ports[0]},{ports[1]} user=postgres dbname=hub"
        with running(both, 4, 12) as made:
            for _ in range(20):
                ports.reverse()
                second = stack.enter_context(standby(server, ports[0]))
                follow(server)
                before = acknowledged(made)
                wait_for(lambda before=before: acknowledged(made) > before + 5)  # type: ignore[misc]
                time.sleep(chance.random() * 0.05)
                take_over(server, second)
                server = second
        check(judge(server.dsn("hub"), made) + Counter(kills=20))


def follow(server: Server) -> None:
    """From now on, what is acknowledged is at the standby too."""
    with psycopg.connect(server.dsn(), autocommit=True) as db:
        db.execute("alter system set synchronous_standby_names = '*'")
        db.execute("alter system set synchronous_commit = 'on'")
        db.execute("select pg_reload_conf()")
        wait_for(
            lambda: db.execute("select 1 from pg_stat_replication where sync_state = 'sync'").fetchone() is not None
        )


def take_over(server: Server, second: Server) -> None:
    server.kill()
    second.run("pg_ctl", "-D", str(second.folder / "data"), "-w", "promote")
    with psycopg.connect(second.dsn(), autocommit=True) as db:
        db.execute("alter system set synchronous_standby_names = ''")
        db.execute("select pg_reload_conf()")


def _served_as_well(both: str, token: str, last_push: str | None) -> None:
    """The connections of a server go to the standby too, unless somebody has to see what is not there yet."""
    served = import_module("memdown.surfaces.serve.database").HubDatabase(both, 2)
    served.open()
    try:
        for after, found in ((last_push, 1), (None, 0)):
            call = SearchCall(query="push project:github.com/acme/own", after=after)
            assert len(served.ask(token, call, lambda _: None).hits) == found
    finally:
        served.close()


def _sees_own_writes(both: str, second: Server) -> None:
    """While the standby stands still, whoever just wrote is answered by the primary, and others by the standby."""
    now = datetime.now(UTC)
    token = access.issue(both, "postgres").token
    with psycopg.connect(second.dsn("hub"), autocommit=True) as db:
        wait_for(lambda: db.execute("select count(*) from memdown.tokens").fetchone() == (1,))
        db.execute("select pg_wal_replay_pause()")
        try:
            with client.opened(both, "github.com/acme/own") as remote:
                done = remote.publish(
                    [DocumentChange(PATHS[0], PATHS[0], content("me", 1, PATHS[0]), None)], ProjectFacts()
                )
            asked = query.parse("push project:github.com/acme/own", now)
            assert len(client.ask(both, SearchCall(query=asked, now=now, after=done.lsn)).hits) == 1
            _served_as_well(f"{both} target_session_attrs=prefer-standby", token, done.lsn)
            with connection.reading(f"{second.dsn('hub')} target_session_attrs=standby") as reader:
                assert reader.execute("select count(*) from memdown.projects where project like '%own'").fetchone() == (
                    0,
                )
        finally:
            db.execute("select pg_wal_replay_resume()")
        wait_for(
            lambda: db.execute("select count(*) from memdown.projects where project like '%own'").fetchone() == (1,)
        )
    assert Path(second.folder).is_dir()
