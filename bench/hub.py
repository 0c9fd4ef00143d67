"""A hub against PostgreSQL itself, side by side on a server that this starts, on disk and as durable as it comes:
pushes beside COPY, searches beside the bare query, how a search in one project grows with the number of projects,
and many clients at once beside pgbench.

    .venv/bin/python bench/hub.py                     # 100 projects with 10,000 records
    .venv/bin/python bench/hub.py --projects 1000 --records 100000 --searched 1000000

Seconds are those of the clock; of pushes and COPY there is also what the client and the server have worked, which
other work on the machine changes less.
"""

import argparse
import math
import multiprocessing
import random
import re
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE / "src"), str(HERE / "tests")]

from hub_server import Server, server  # noqa: E402
from memdown.hub import schema, search, store  # noqa: E402
from memdown.hub.rows import words  # noqa: E402
from memdown.hub.store import DocumentChange, ProjectFacts  # noqa: E402
from memdown.index import query  # noqa: E402

NAMES = ("one", "two", "three", "four", "five")
PATH = ".squad/decisions.md"
_TURNS = 10
TABLES = ("projects", "versions", "documents", "history", "records", "links", "findings")
PUSHED = {
    "one": "push, one client",
    "several": "push, a client for each processor",
    "copy": "COPY, a transaction for each project",
    "copies": "the same, a client for each processor",
    "at once": "COPY, a tenth of all projects in each",
}
NOW = datetime.now(UTC)
_RANDOM = random.Random(21)
_VOCABULARY = [
    f"{one}{two}{three}"
    for one in ("", *"ba ke li mo nu ra se ti vo wu xa zo".split())
    for two in "bel cor dan fen gil hop jin kal lum mar nor pel qua ros sil tan ur vin wex yor".split()
    for three in ("", *"ak ed im on up ash ell ist orm uck".split())
]
_WEIGHTS = [1 / (rank + 1) for rank in range(len(_VOCABULARY))]


def text(records: int) -> bytes:
    """A log of decisions with words as frequent as in any language."""
    parts = ["# Decisions\n"]
    for number in range(records):
        body = " ".join(_RANDOM.choices(_VOCABULARY, _WEIGHTS, k=40))
        title = " ".join(_RANDOM.choices(_VOCABULARY, _WEIGHTS, k=4))
        parts.append(f"\n### 2026-01-{number % 28 + 1:02}T{number % 24:02}:00:00Z: {title}\n**By:** Ann\n\n{body}.\n")
    return "".join(parts).encode()


def worked(pid: int) -> float:
    """Seconds that a process of the server has worked so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return math.nan
    return (int(fields[11]) + int(fields[12])) / 100


def push(dsn: str, texts: dict[str, bytes]) -> tuple[float, float]:
    """The time that it takes, and the work of client and server."""
    with psycopg.connect(dsn, autocommit=True) as db:
        started, work = time.perf_counter(), time.process_time()
        before = worked(db.info.backend_pid)
        for project, content in texts.items():
            store.publish(db, project, [DocumentChange(PATH, PATH, content, None)], ProjectFacts())
        taken = time.perf_counter() - started
        return taken, time.process_time() - work + worked(db.info.backend_pid) - before


def push_at_once(pool: Any, dsn: str, texts: dict[str, bytes], clients: int) -> tuple[float, float]:
    """The same by several clients, each in a process of its own."""
    parts = [(dsn, dict(list(texts.items())[number::clients])) for number in range(clients)]
    started = time.perf_counter()
    found = pool.starmap(push, parts, chunksize=1)
    return time.perf_counter() - started, sum(work for _, work in found)


def rows_of(source: str, projects: Iterable[str]) -> dict[str, dict[str, bytes]]:
    """The rows of projects, of each by table, as COPY takes them."""
    names = ", ".join(f"'{name}'" for name in projects)
    found: dict[str, dict[str, list[bytes]]] = {}
    with psycopg.connect(source) as db:
        for table in TABLES:
            rows = f"select * from memdown.{table} where project in ({names})"
            with db.cursor().copy(f"copy ({rows}) to stdout".encode()) as out:
                for row in b"".join(out).splitlines(keepends=True):
                    project = row.partition(b"\t")[0].decode()
                    found.setdefault(project, {}).setdefault(table, []).append(row)
    return {name: {table: b"".join(rows) for table, rows in tables.items()} for name, tables in found.items()}


def copy(target: str, given: dict[str, dict[str, bytes]]) -> tuple[float, float]:
    """Rows from memory into the same tables, a project in each transaction, as pushes have it: the time that it takes,
    and the work of client and server."""
    with psycopg.connect(target) as db:
        before = worked(db.info.backend_pid)
        started, work = time.perf_counter(), time.process_time()
        for tables in given.values():
            for table, rows in tables.items():
                with db.cursor().copy(f"copy memdown.{table} from stdin".encode()) as into:
                    into.write(rows)
            db.commit()
        taken = time.perf_counter() - started
        return taken, time.process_time() - work + worked(db.info.backend_pid) - before


def copy_at_once(pool: Any, target: str, given: dict[str, dict[str, bytes]], clients: int) -> tuple[float, float]:
    """The same by several clients; the time of the slowest, without handing the rows to its process."""
    parts = [(target, dict(list(given.items())[number::clients])) for number in range(clients)]
    found = pool.starmap(copy, parts, chunksize=1)
    return max(taken for taken, _ in found), sum(work for _, work in found)


def all_at_once(given: dict[str, dict[str, bytes]]) -> dict[str, dict[str, bytes]]:
    """The same rows as one transaction has them."""
    tables = {table: b"".join(each.get(table, b"") for each in given.values()) for table in TABLES}
    return {"": {table: rows for table, rows in tables.items() if rows}}


def pushes(dsns: Sequence[str], texts: dict[str, bytes], cores: int) -> dict[str, tuple[float, float]]:
    """Seconds and work of pushes by one client and by several, and of COPY by project and at once, that take turns."""
    one, two, three, four, five = dsns
    whole: dict[str, tuple[float, float]] = {}
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        pool.map(words, ["warm"] * cores, chunksize=1)
        for number in range(_TURNS):
            part = dict(list(texts.items())[number::_TURNS])
            taken = {"one": push(one, part), "several": push_at_once(pool, three, part, cores)}
            given = rows_of(one, part)
            taken |= {"copy": copy(two, given), "copies": copy_at_once(pool, five, given, cores)}
            taken["at once"] = copy(four, all_at_once(given))
            for name, (seconds, work) in taken.items():
                before = whole.get(name, (0.0, 0.0))
                whole[name] = (before[0] + seconds, before[1] + work)
    return whole


def multiply(dsn: str, records: int) -> None:
    """As many records as asked for: copies of the projects, by the database itself."""
    with psycopg.connect(dsn, autocommit=True) as db:
        [(there,)] = db.execute("select count(*) from memdown.records").fetchall()
        columns = {
            table: ", ".join(
                row[0]
                for row in db.execute(
                    "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped"
                    " order by attnum",
                    (f"memdown.{table}",),
                )
            )
            for table in TABLES
        }
        for number in range(1, math.ceil(records / there)):
            for table, names in columns.items():
                renamed = names.replace("project", f"project || '-{number}'", 1)
                where = "project not like '%-%'"
                db.execute(
                    f"insert into memdown.{table} ({names})"
                    f" select {renamed} from memdown.{table} where {where}".encode()
                )
    settle(dsn)


def settle(dsn: str) -> None:
    """What PostgreSQL does by itself, at its own time."""
    with psycopg.connect(dsn, autocommit=True) as db:
        db.execute("vacuum analyze")


def timed(work: Callable[[], object], times: int) -> list[float]:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append((time.perf_counter() - started) * 1000)
    return found


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


def questions() -> Iterator[str]:
    while True:
        yield " ".join(_RANDOM.sample(_VOCABULARY[20:], 2))


def searches(dsn: str, times: int) -> tuple[float, float]:
    """The 95th percentile of ours, and of the bare query for the same words."""
    asked = [next(questions()) for _ in range(times)]
    bare = (
        "select project, path, number from memdown.records where words @@ %s::tsquery"
        " order by ts_rank(words, %s::tsquery) desc limit 10"
    )
    ours, theirs = [], []
    with psycopg.connect(dsn, autocommit=True) as db:
        for each in asked:
            parsed = query.parse(each, NOW)
            terms = " | ".join(f"'{word}'" for word in words(each).split())
            theirs += timed(lambda terms=terms: db.execute(bare, (terms, terms)).fetchall(), 1)  # type: ignore[misc]
            ours += timed(lambda parsed=parsed: search.find(db, parsed, NOW), 1)  # type: ignore[misc]
    return p95(ours), p95(theirs)


def in_one_project(dsns: Sequence[str], times: int) -> list[float]:
    """What the same questions about one project take in each of the databases, which take turns."""
    found: list[list[float]] = [[] for _ in dsns]
    with ExitStack() as stack:
        databases = [stack.enter_context(psycopg.connect(dsn, autocommit=True)) for dsn in dsns]
        for _ in range(times):
            parsed = query.parse(f"{next(questions())} project:github.com/acme/p1", NOW)
            for times_taken, db in zip(found, databases, strict=True):
                times_taken += timed(lambda db=db, parsed=parsed: search.find(db, parsed, NOW), 1)  # type: ignore[misc]
    return [statistics.median(each) for each in found]


# Many at once

_TRIPS: Counter[int] = Counter()
_WAIT = psycopg.Connection.wait


def _counted(self: Any, *given: Any, **more: Any) -> Any:
    _TRIPS[threading.get_ident()] += 1
    return _WAIT(self, *given, **more)


def _client(dsn: str, own: list[str], seconds: float, seed: int, done: Counter[str]) -> None:
    chance = random.Random(seed)
    with psycopg.connect(dsn, autocommit=True) as db:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            project, act = chance.choice(own), chance.choices(("push", "pull", "search"), (2, 3, 5))[0]
            if act == "search":
                asked = " ".join(chance.sample(_VOCABULARY[20:], 2))
                search.find(db, query.parse(f"{asked} project:{project}", NOW), NOW)
            else:
                digest = store.heads(db, project)[PATH].digest
                assert digest
                content = store.contents(db, project, [digest])[digest]
                if act == "push":
                    new = (
                        content
                        + f"\n### 2026-02-01T10:00:00Z: Another {chance.random()}\n**By:** Ann\n\nMore.\n".encode()
                    )
                    store.publish(db, project, [DocumentChange(PATH, PATH, new, digest)], ProjectFacts())
            done[act] += 1


def _clients(dsn: str, own: list[list[str]], seconds: float, seed: int) -> tuple[Counter[str], int]:
    psycopg.Connection.wait = _counted  # type: ignore[method-assign]
    counts: list[Counter[str]] = [Counter() for _ in own]
    threads = [
        threading.Thread(target=_client, args=(dsn, names, seconds, seed + number, counts[number]))
        for number, names in enumerate(own)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return sum(counts, Counter()), _TRIPS.total()


def mixed(dsn: str, projects: int, clients: int, seconds: float) -> tuple[Counter[str], float]:
    """What clients did, who push, pull and search in projects of their own; and how often each act asks the server."""
    names = [f"github.com/acme/p{number}" for number in range(projects)]
    own = [names[number::clients] or names[:1] for number in range(clients)]
    processes = multiprocessing.cpu_count()
    parts = [(dsn, own[number::processes], seconds, 1000 * number) for number in range(processes)]
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        found = pool.starmap(_clients, parts, chunksize=1)
    done = sum((counts for counts, _ in found), Counter[str]())
    return done, sum(trips for _, trips in found) / done.total()


def pgbench(made: Server, name: str, clients: int, seconds: float, trips: int) -> float:
    """Transactions in a second of as many statements: rows by their keys, and in two of ten a row is written."""
    find = "select revision from memdown.projects where project = 'github.com/acme/p' || :project;\n"
    write = "update memdown.projects set changed_at = now() where project = 'github.com/acme/p' || :project;\n"
    begin = "\\set project random(0, 99)\n"
    scripts = {"reading@8": begin + find * trips, "writing@2": f"{begin}begin;\n{find * (trips - 3)}{write}commit;\n"}
    words = []
    for script, text in scripts.items():
        path = made.folder / script.partition("@")[0]
        path.write_text(text)
        words += ["-f", f"{path}@{script.partition('@')[2]}"]
    options = ("-n", "-c", str(clients), "-j", str(multiprocessing.cpu_count()), "-T", str(int(seconds)))
    told = made.run("pgbench", "-h", "127.0.0.1", "-p", str(made.port), "-U", "postgres", *options, *words, name)
    rate = re.search(r"tps = ([\d.]+)", told)
    assert rate, told
    return float(rate[1])


def database(made: Server, name: str) -> str:
    with psycopg.connect(made.dsn(), autocommit=True) as db:
        db.execute(f"create database {name}".encode())
    schema.init(made.dsn(name))
    return made.dsn(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--searched", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=40)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    texts = {f"github.com/acme/p{number}": text(given.records // given.projects) for number in range(given.projects)}
    with server(fsync=True, on_disk=True) as made:
        one, two, three, four, five = (database(made, name) for name in NAMES)
        cores = multiprocessing.cpu_count()
        pushed = pushes((one, two, three, four, five), texts, cores)
        say(f"push {given.projects:,} projects, {given.records:,} records: seconds, work, and speed to each COPY")
        for name, called in PUSHED.items():
            seconds, work = pushed[name]
            speeds = (pushed[copied][0] / seconds for copied in ("copy", "copies", "at once"))
            say(f"  {called:40} {seconds:6.1f} {work:6.1f}  {' '.join(f'{speed:.2f}' for speed in speeds)}")
        settle(one)
        settle(two)
        settle(three)
        done, trips = mixed(two, given.projects, given.clients, given.seconds)
        bare = pgbench(made, "two", given.clients, given.seconds, round(trips))
        rate = done.total() / given.seconds
        say(
            f"{given.clients} clients, {given.seconds:g} s: {rate:.0f} a second ({dict(sorted(done.items()))}),"
            f" {trips:.1f} round trips each; pgbench with {round(trips)} {bare:.0f} a second; {rate / bare:.2f} as many"
        )
        multiply(one, given.searched)
        small, large = in_one_project((three, one), given.times)
        grown = given.searched / given.records
        exponent = math.log(large / small) / math.log(grown) if grown > 1 else 0.0
        say(
            f"search in one of {given.projects:,} projects: {small:.1f} ms;"
            f" of {given.projects * grown:,.0f}: {large:.1f} ms; exponent {exponent:.2f}"
        )
        found, bare = searches(one, given.times)
        say(
            f"search over {given.searched:,} records, p95: {found:.1f} ms;"
            f" bare tsvector query {bare:.1f} ms; {found / bare:.2f} times"
        )


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
