"""Search against the bare full-text query on the same seeded notes, and the slowest of many hostile queries.

    python bench/search.py [--notes 10000] [--questions 60] [--fuzz 200] [--seed 1]

The limit is one query with `OR` between the words, the best ten by rank, on a table with the same texts. Prints the
median of both for common and for rarer words, and the queries of a fuzzer that took longest: at most 2 s each.
"""

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from index import generate, vocabulary

from memdown.errors import MemdownError
from memdown.index import sync
from memdown.index.query import parse
from memdown.index.search import search

NOW = datetime(2026, 11, 1, tzinfo=UTC)
BARE = "select rowid, bm25(text) from text where text match ? order by rank limit 10"


def rare(chance: random.Random, words: list[str]) -> str:
    return words[int(chance.random() ** 2 * 3000)]


def common(chance: random.Random, words: list[str]) -> str:
    return words[min(int(chance.paretovariate(0.7)), len(words)) - 1]


def bare_table(db: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    limit = sqlite3.connect(path)
    limit.execute("create virtual table text using fts5 (title, body, tokenize = 'porter unicode61')")
    limit.executemany("insert into text values (?, ?)", db.execute("select title, body from words"))
    limit.commit()
    return limit


def asked_of(limit: sqlite3.Connection, match: str) -> list[object]:
    return limit.execute(BARE, (match,)).fetchall()


def found_by(db: sqlite3.Connection, query: str) -> object:
    return search(db, parse(query, NOW), NOW)


def clock(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return time.perf_counter() - started


def compare(db: sqlite3.Connection, limit: sqlite3.Connection, questions: list[list[str]]) -> tuple[float, float]:
    """The medians of both sides, asked in turn."""
    bare, own = [], []
    for words in questions:
        match = " OR ".join(f'"{word}"' for word in words)
        bare.append(clock(partial(asked_of, limit, match)))
        own.append(clock(partial(found_by, db, " ".join(words))))
    return statistics.median(bare), statistics.median(own)


def hostile(words: list[str]) -> list[str]:
    """Queries that are made to be slow."""
    top = words[:12]
    return [
        " ".join(top),
        " ".join(words[:32]),
        " ".join(words[:300]),
        f'"{top[0]} {top[1]}"',
        f'"{top[0]} {top[1]}" "{top[1]} {top[0]}" "{top[0]} {top[0]}"',
        f'"{top[0]} {top[0]}" {top[1]}',
        " ".join(f'"{one} {two}"' for one, two in zip(top[:6], top[6:], strict=True)),
        f'what is "{top[0]} {top[1]}" and "{top[1]} {top[0]}"?',
        f"what {top[0]} before the {top[1]} {top[2]} of {top[3]}",
        "bab* kak* lal* mam* nan* rar*",
        " OR ".join(f"{word[:3]}*" for word in top[:6]),
        " ".join(f"-{word}" for word in words[:30]),
        " OR ".join(words[:30]),
        " OR ".join(f"tag:{word}" for word in words[:30]),
        "is:stale",
        "-is:stale has:tag",
        f"has:title has:summary {top[0]}",
        f"path:memories {top[0]}",
        f"kind:card {' '.join(top[:5])}",
        f"NOT (has:link OR is:superseded) {top[0]}",
        "getUserById loadIndex " * 10,
        "status:é scope:é kind:é",
    ]


def fuzzed(chance: random.Random, words: list[str]) -> str:
    top = words[:12]
    makers: list[Callable[[], str]] = [
        lambda: chance.choice(top),
        lambda: chance.choice(words),
        lambda: f'"{chance.choice(top)} {chance.choice(top)}"',
        lambda: chance.choice(words)[: chance.randint(1, 3)] + "*",
        lambda: "-" + chance.choice(top),
        lambda: "tag:" + chance.choice(words),
        lambda: chance.choice(["OR", "(", ")", "is:stale", "after:2024-01-01", "getUserById", '"', "+", "AND NOT"]),
    ]
    return " ".join(chance.choice(makers)() for _ in range(chance.randint(1, 14)))


def fuzz(db: sqlite3.Connection, queries: list[str]) -> list[tuple[float, str]]:
    """How long each took, the longest first. A one-line error is an answer too."""
    taken = []
    for query in queries:
        started = time.perf_counter()
        try:
            found_by(db, query)
        except MemdownError as error:
            if "\n" in str(error):
                raise SystemExit(f"more than one line for {query!r}") from error
        taken.append((time.perf_counter() - started, query))
    return sorted(taken, reverse=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--fuzz", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", type=Path, help="notes that `bench/index.py` would make, which are kept")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = asked.root or Path(folder, "notes")
        if not root.exists():
            root.mkdir()
            generate(root, asked.notes)
        index, counts = sync.refresh(str(root))
        print(f"{counts['records']:,} records; SQLite {sqlite3.sqlite_version}")
        report(index.connection, bare_table(index.connection, Path(folder, "limit.db")), asked)
        index.close()


def report(db: sqlite3.Connection, limit: sqlite3.Connection, asked: argparse.Namespace) -> None:
    words = vocabulary(random.Random(7))
    chance = random.Random(asked.seed)
    for name, pick in (("common words", common), ("rarer words", rare)):
        questions = [[pick(chance, words) for _ in range(chance.randint(2, 5))] for _ in range(asked.questions)]
        bare, own = compare(db, limit, questions)
        shown = f"bare {bare * 1e3:7.2f} ms   memdown {own * 1e3:7.2f} ms"
        print(f"{name:14} p50 {shown}   {own / bare:5.2f}x (at most 3)")
    taken = fuzz(db, hostile(words) + [fuzzed(chance, words) for _ in range(asked.fuzz)])
    print(f"{len(taken)} hostile queries; the slowest (at most 2 s):")
    for seconds, query in taken[:5]:
        print(f"  {seconds:6.2f} s  {query[:90]}")


if __name__ == "__main__":
    main()
