"""A hub against PostgreSQL itself, side by side on a server that this starts: pushes against COPY, searches against the
bare query, and how a search in one project grows with the number of projects.

    .venv/bin/python bench/hub.py                     # 100 projects with 10,000 records
    .venv/bin/python bench/hub.py --projects 1000 --records 100000 --searched 1000000
"""

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE / "src"), str(HERE / "tests")]

from hub_server import Server, server  # noqa: E402
from memdown.hub import schema, search, store  # noqa: E402
from memdown.hub.rows import words  # noqa: E402
from memdown.hub.store import DocumentChange, ProjectFacts  # noqa: E402
from memdown.index import query  # noqa: E402

TABLES = ("projects", "versions", "documents", "history", "records", "links", "findings")
NOW = datetime.now(UTC)
_RANDOM = random.Random(21)
_VOCABULARY = [
    f"{one}{two}"
    for one in "ba ke li mo nu ra se ti vo wu xa zo".split()
    for two in "bel cor dan fen gil hop jin kal lum mar nor pel qua ros sil tan ur vin wex yor".split()
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


def push(dsn: str, projects: int, records: int) -> float:
    texts = {f"github.com/acme/p{number}": text(records // projects) for number in range(projects)}
    with psycopg.connect(dsn, autocommit=True) as db:
        started = time.perf_counter()
        for project, content in texts.items():
            path = ".squad/decisions.md"
            store.publish(db, project, [DocumentChange(path, path, content, None)], ProjectFacts())
        return time.perf_counter() - started


def copy(source: str, target: str) -> float:
    """The same rows into the same tables, from memory."""
    taken = 0.0
    with psycopg.connect(source) as one, psycopg.connect(target) as two:
        for table in TABLES:
            with one.cursor().copy(f"copy (select * from memdown.{table}) to stdout".encode()) as out:
                data = [bytes(block) for block in out]
            started = time.perf_counter()
            with two.cursor().copy(f"copy memdown.{table} from stdin".encode()) as into:
                for block in data:
                    into.write(block)
            taken += time.perf_counter() - started
        started = time.perf_counter()
        two.commit()
        return taken + time.perf_counter() - started


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


def in_one_project(dsn: str, times: int) -> float:
    with psycopg.connect(dsn, autocommit=True) as db:
        parsed = [query.parse(f"{next(questions())} project:github.com/acme/p1", NOW) for _ in range(times)]
        return statistics.median(timed(lambda: search.find(db, parsed[0], NOW), times))


def database(made: Server, name: str) -> str:
    with psycopg.connect(made.dsn(), autocommit=True) as db:
        db.execute(f"create database {name}".encode())
    schema.init(made.dsn(name))
    return made.dsn(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--searched", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=40)
    given = parser.parse_args()
    with server() as made:
        one, two = database(made, "one"), database(made, "two")
        ours = push(one, given.projects, given.records)
        theirs = copy(one, two)
        print(
            f"push {given.projects:,} projects, {given.records:,} records: {ours:.1f} s;"
            f" COPY {theirs:.1f} s; {theirs / ours:.2f} as fast"
        )
        small = in_one_project(one, given.times)
        multiply(one, given.searched)
        large = in_one_project(one, given.times)
        grown = given.searched / given.records
        exponent = math.log(large / small) / math.log(grown) if grown > 1 else 0.0
        print(
            f"search in one of {given.projects:,} projects: {small:.1f} ms;"
            f" of {given.projects * grown:,.0f}: {large:.1f} ms; exponent {exponent:.2f}"
        )
        found, bare = searches(one, given.times)
        print(
            f"search over {given.searched:,} records, p95: {found:.1f} ms;"
            f" bare tsvector query {bare:.1f} ms; {found / bare:.2f} times"
        )


if __name__ == "__main__":
    main()
