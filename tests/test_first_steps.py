"""The way from a fresh install: what a stranger meets in the first ten minutes."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from samples import put

Cli = Callable[..., Ran]


@pytest.fixture
def shop(cli: Cli) -> Cli:
    """A small code base in git, and `memdown init` in it."""
    put(Path(), "pyproject.toml", '[project]\nname = "shop"\nversion = "1.0"\ndependencies = ["redis>=5"]\n')
    subprocess.run(["git", "init", "-q"], check=True)
    assert cli("init").code == 0
    return cli


# A template is no memory


def test_placeholders_are_neither_listed_nor_counted_nor_found(shop: Cli) -> None:
    listed = shop("list", "--json").json()
    assert listed
    assert not [each for each in listed if "[" in (each["title"] or "")]
    assert shop("list", "kind:task", "--json").json() == []
    status = shop("status", "--json").json()
    assert status["dialects"]["bank"]["records"] == len(listed) == sum(status["staleness"].values())
    assert shop("stats", "--json").json()["records"] == len(listed)
    assert shop("index", "--json").json()["records"] == len(listed)
    assert shop("search", "planned task", "--json").json()["hits"] == []
    assert "[" not in shop("start").out.partition("Warnings")[0]
    assert shop("check", "--all", "--json").json()  # which knows them


def test_the_first_entry_takes_the_place_of_the_template_without_a_word(shop: Cli) -> None:
    ran = shop("add", "decision", "Use Redis for carts", "--why", "Sessions survive restarts", "--author", "Ann")
    assert "Removed" not in ran.out + ran.err
    assert "[Decision Title]" not in Path("memory-bank/decisionLog.md").read_text("utf-8")
    assert shop("add", "decision", "Use Redis", "--author", "Ann", "--json").json().get("removed", []) == []


def test_what_a_person_wrote_is_still_reported_when_it_goes(shop: Cli) -> None:
    log = Path("memory-bank/decisionLog.md")
    log.write_text(
        "# Decision Log\n\n## Decision: Use SQLite\n- **Date**: 2026-01-02\n- **Rationale**: Small\n", "utf-8"
    )
    ran = shop("restore", "memory-bank/progress.md", "--from", "HEAD")
    assert ran.code != 0  # nothing is committed
    removed = shop("delete", "Databases", "--json").json()["removed"]
    assert [each["lines"] for each in removed] == [2]


# What to do next


def test_without_memory_it_says_what_is_here_and_what_to_do(cli: Cli) -> None:
    put(Path(), "AGENTS.md", "Use tabs.\n")
    ran = cli()
    assert ran.code == 0
    assert "none yet" in ran.out
    assert "AGENTS.md" in ran.out
    steps = [line.split("  ")[1] for line in ran.out.partition("Next:\n")[2].split("\n\n")[0].splitlines()]
    assert [each.strip() for each in steps] == ["memdown init", 'memdown add "..."', "memdown demo"]


def test_without_memory_of_its_own_it_names_that_of_its_packages(cli: Cli) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    put(Path(), "packages/api/memory-bank/progress.md", "# Progress\n\n## In Progress\n- [ ] Ship\n")
    assert "packages/api/memory-bank" in cli().out


def test_init_and_readme_name_one_option_for_the_reason(shop: Cli) -> None:
    Path("memory-bank/progress.md").unlink()
    said = shop("init").out + shop("add", "decision", "Use Redis", "--author", "Ann").err
    assert "--why" in said
    assert "--rationale" not in said
    assert shop("bank", "add-decision", "Use SQLite", "--why", "Small").code == 0
    assert shop("update", "--decision", "Use Rust", "--rationale", "Fast").code == 0  # the older word still works


def test_fix_says_that_there_is_nothing_to_fix(cli: Cli) -> None:
    put(Path(), "memories/a.md", "---\ntitle: [\n---\n\nThe pool has ten connections.\n")
    assert cli("check").code == 1
    assert "Nothing to fix" in cli("check", "--fix").out
    assert "Nothing to fix" not in cli("check").out


def test_settings_of_git_are_changed_not_created(shop: Cli) -> None:
    assert "Changed .git/config" in shop("install", "git").out
    assert "Changed .git/config" in shop("install", "git", "--remove").out
