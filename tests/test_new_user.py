"""What a person meets who tries one command after the other: nothing is silent, and every answer says what to do next."""

from collections.abc import Callable
from pathlib import Path

from conftest import Ran
from samples import put

Cli = Callable[..., Ran]


# check --fix


def test_everything_that_a_fix_changed_is_counted_and_named(cli: Cli) -> None:
    put(
        Path(),
        "memories/77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d.md",
        "---\nid: 77c1a5d2-0b3e-4f6a-8d9c-1e2f3a4b5c6d\nsubject: Sessions live in Redis\n"
        "keywords: [redis, sessions, Redis]\napplies_to: area:auth\noccurred_at: 2026-01-16T14:20:00Z\n---\n\n"
        "Sessions are kept in Redis for 30 minutes.\n",
    )
    found = {each["code"] for each in cli("check", "--json").json() if each["fix"]}
    assert "2 notes hidden (2 fixable)" in cli("check").out
    told = cli("check", "--fix").out
    assert told.startswith("Fixed 3 findings in 1 of 1 file:\n")
    assert {line.split()[1] for line in told.splitlines() if line.startswith("  1 ")} == found
    assert len(found) == 3
