"""What nobody has touched for long: records by their date, files whose records have none by their last commit."""

from pathlib import Path

import pytest

from samples import put
from test_verify import Cli, commit, repository

__all__ = ["repository"]
NOW = "2026-06-01T00:00:00Z"
ENTRY = "### {0}T10:00:00Z: {1}\n\n**Author:** Ann\n**Summary:** {1}.\n\n---\n\n"


@pytest.fixture
def memory(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMDOWN_NOW", NOW)
    put(repository, "memory-bank/techContext.md", "# Tech Context\n\n## Stack\n- Redis\n- Python\n")
    put(repository, "memory-bank/archive/techContext.md", "# Tech Context\n\n## Stack\n- Perl\n")
    commit("Begin", at="2025-10-01T00:00:00Z")
    put(repository, "memory-bank/progress.md", "# Progress\n\n## What Works\n- [x] Login\n")
    text = ENTRY.format("2025-01-05", "Use Redis") + ENTRY.format("2026-05-20", "Use Kafka")
    put(repository, ".squad/decisions.md", f"# Decisions\n\n{text}")
    old = ENTRY.format("2024-01-05", "Use Memcached")
    for name in (".squad/decisions-archive.md", ".squad/decisions/archive/decisions-2024.md"):
        put(repository, name, f"# Decisions\n\n{old}")
    commit("Go on", at="2026-05-25T00:00:00Z")
    return repository


@pytest.mark.usefixtures("memory")
def test_the_oldest_comes_first(cli: Cli) -> None:
    found = [(each["path"], each["at"], each["days"], each["records"]) for each in cli("stale", "--json").json()]
    assert found == [
        (".squad/decisions.md", "2025-01-05T10:00:00Z", 512, 1),
        ("memory-bank/techContext.md", "2025-10-01T00:00:00Z", 243, 1),
    ]
    lines = cli("stale").out.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["512 days", "243 days"]
    assert "Use Redis" in lines[0]
    assert lines[1].endswith("memory-bank/techContext.md  1 record without a date, last changed 2025-10-01")


def test_a_file_that_is_being_changed_is_not_stale(cli: Cli, memory: Path) -> None:
    put(memory, "memory-bank/techContext.md", "# Tech Context\n\n## Stack\n- Valkey\n")
    assert [each["kind"] for each in cli("stale", "--json").json()] == ["decision"]


def test_where_nothing_is_stale(cli: Cli, repository: Path) -> None:
    put(repository, "memories/a.md", "---\nsubject: A\n---\nText of a card.\n")
    ran = cli("stale")
    assert (ran.code, ran.out, ran.err) == (0, "", "memdown: Nothing is stale.\n")


def test_prune_is_another_word_for_archive(cli: Cli) -> None:
    assert cli("prune", "--help").out.replace("memdown prune", "memdown archive") == cli("archive", "--help").out


@pytest.mark.usefixtures("memory")
def test_what_is_archived_can_be_asked_for(cli: Cli) -> None:
    found = [each["path"] for each in cli("list", "is:archived", "kind:decision", "--json").json()]
    assert found == [".squad/decisions-archive.md", ".squad/decisions/archive/decisions-2024.md"]
    assert not [each for each in cli("list", "--json", "--", "-is:archived").json() if "archive" in each["path"]]


@pytest.mark.usefixtures("memory")
def test_no_more_than_asked_for(cli: Cli) -> None:
    ran = cli("stale", "-n", "1")
    assert len(ran.out.splitlines()) == 1
    assert ran.err == "memdown: 1 more is stale; use --limit 2 to see all.\n"
