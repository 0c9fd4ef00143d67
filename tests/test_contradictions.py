"""Two records in force that say different things of one subject."""

from pathlib import Path

import pytest

from samples import put
from test_verify import Cli

TECH, PATTERNS = "memory-bank/techContext.md", "memory-bank/systemPatterns.md"


def write(one: str, other: str) -> None:
    put(Path.cwd(), TECH, f"# Tech Context\n\n## Stack\n- {one}\n")
    put(Path.cwd(), PATTERNS, f"# System Patterns\n\n## Components\n- {other}\n")


def denied(cli: Cli) -> list[tuple[str, int, str]]:
    rows = [each for each in cli("verify", "--json").json() if each["kind"] == "contradiction"]
    return [(each["path"], each["line"], each["note"]) for each in rows]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("React 18.2 renders the pages.", "All pages use React 17.0."),
        ("`POOL_SIZE = 10`", "`POOL_SIZE = 20`"),
        ("The gateway listens on port 8080.", "The gateway listens on port 9090."),
        ("Use PostgreSQL for persistent storage.", "Use MySQL for persistent storage."),
        ("**Database**: PostgreSQL 15", "**Database**: MySQL"),
        ("Billing is owned by Ann.", "Billing is owned by Bob."),
        ("`src/api/` is maintained by Ann.", "`src/api/` is maintained by Bob."),
        ("`connect_pool()` is defined in `src/db.py`.", "`connect_pool()` lives in `src/pool.py`."),
    ],
)
def test_two_values_of_one_subject(cli: Cli, one: str, other: str) -> None:
    write(one, other)
    [(path, line, note)] = denied(cli)
    places = {TECH: one, PATTERNS: other}
    theirs = next(each for each in places if each != path)
    assert (line, note) == (4, f"{theirs}:4 says: - {places[theirs]}")
    ran = cli("verify")
    assert ran.out.splitlines()[-1].startswith("1 contradiction inside memory.") or "1 contradiction" in ran.out
    [found] = cli("check", "--select", "VER006", "--json").json()
    assert (found["path"], found["line"]) == (path, 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("React 18.2 renders the pages.", "All pages use React 18."),
        ("React 18.2 renders the pages.", "Upgraded from React 17.0."),
        ("React 18.2 renders the pages.", "It should be React 19.0."),
        ("Every 30 minutes.", "Every 20 minutes."),
        ("**Database**: PostgreSQL 15", "**Database**: Postgres with two replicas"),
        ("**Database**: PostgreSQL 15", "**Database**: what is fast"),
        ("**Database**: PostgreSQL; MySQL is for the tests", "**Database**: MySQL"),
        ("`connect_pool()` is defined in `src/db.py`.", "`connect_pool()` is in `db.py`."),
        ("`POOL_SIZE = 10` and `POOL_SIZE = 20` in tests", "`POOL_SIZE = 20`"),
    ],
)
def test_what_goes_together_is_no_contradiction(cli: Cli, one: str, other: str) -> None:
    write(one, other)
    assert denied(cli) == []


def test_records_of_two_dialects_contradict_each_other(cli: Cli) -> None:
    put(Path.cwd(), TECH, "# Tech Context\n\n## Stack\n- React 18.2 renders the pages.\n")
    said = "**By:** Ann\n**What:** All pages use React 17.0.\n"
    put(Path.cwd(), ".squad/decisions.md", f"# Decisions\n\n### 2026-01-02T10:00:00Z: Pages\n{said}")
    assert [path for path, *_ in denied(cli)] == [".squad/decisions.md"]


def test_a_superseded_decision_contradicts_nothing(cli: Cli) -> None:
    text = "# Decision Log\n\n## Decision 1: Use PostgreSQL for storage\n**Status**: {}\n\n## Decision 2: Use MySQL for storage\n**Status**: Accepted\n"
    put(Path.cwd(), "memory-bank/decisionLog.md", text.format("Accepted"))
    assert len(denied(cli)) == 1
    put(Path.cwd(), "memory-bank/decisionLog.md", text.format("Superseded by Decision 2"))
    assert denied(cli) == []


def test_versions_of_which_the_project_has_several_may_differ(cli: Cli) -> None:
    write("React 18.2 renders the pages.", "The admin pages use React 17.0.")
    put(Path.cwd(), "web/package.json", '{"dependencies": {"react": "18.2.0"}}')
    assert len(denied(cli)) == 1
    put(Path.cwd(), "admin/package.json", '{"dependencies": {"react": "17.0.0"}}')
    assert denied(cli) == []
