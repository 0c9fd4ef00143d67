"""Restoring a record, a file or a folder from a commit; and memory as it was, for every question."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from repos import Repo
from test_log import FILE, ID, LOG, card, entry

Cli = Callable[..., Ran]
REDIS, UV, RUFF = (
    entry(title, text, "2026-01-01")
    for title, text in (("Use Redis", "fast"), ("Use uv", "quick"), ("Use ruff", "lint"))
)


def log(*entries: str) -> str:
    return f"# Decisions\n\n{''.join(entries)}"


@pytest.fixture
def repo(cli: Cli) -> Repo:  # noqa: ARG001 - we are in its project
    repo = Repo(Path.cwd())
    repo.put(FILE, card("Cache", "Redis holds the sessions."))
    repo.put(LOG, log(REDIS, UV, RUFF))
    repo.commit()
    repo.git("tag", "v1")
    return repo


def read(repo: Repo, name: str) -> str:
    return (repo.root / name).read_bytes().decode()


@pytest.mark.parametrize(
    "now",
    [
        log(REDIS, entry("Use uv", "slow"), RUFF),  # changed
        log(REDIS, entry("Use uv always", "quick"), RUFF),  # another title
        log(REDIS, RUFF),
        log(RUFF),
        log(REDIS),
    ],
)
def test_a_record_becomes_what_it_was_and_nothing_else_changes(cli: Cli, repo: Repo, now: str) -> None:
    repo.put(LOG, now)
    name = "Use uv always" if "always" in now else "Use uv"
    would = cli("restore", name, "--from", "v1", "--dry-run", "--json")
    assert (would.json()["changed"], read(repo, LOG)) == ([LOG], now)
    ran = cli("restore", name, "--from", "v1")
    assert (ran.code, f"Restored {LOG}\n" in ran.out) == (0, True)
    others = [each for each in (REDIS, RUFF) if each in now]
    expected = log(*([REDIS] if REDIS in now else []), UV, *([RUFF] if RUFF in now else []))
    assert read(repo, LOG).split() == expected.split()
    assert all(each.strip() in read(repo, LOG) for each in others)
    assert cli("restore", "Use uv", "--from", "v1").out.startswith("0 files changed")
    assert cli("undo").code == 0
    assert read(repo, LOG) == now


def test_files_and_folders_become_what_they_were(cli: Cli, repo: Repo) -> None:
    (repo.root / FILE).unlink()
    repo.put(LOG, log(REDIS).replace("\n", "\r\n"))
    repo.put("memories/new.md", card("Queue", "Jobs.", id=ID[:-1] + "2"))
    assert cli("restore", "memories", "--from", "v1", "--json").json()["created"] == [FILE]
    assert (repo.root / "memories/new.md").exists()
    assert cli("restore", LOG, "--from", "2026-01-31", "--json").json()["changed"] == [LOG]
    assert read(repo, LOG) == log(REDIS, UV, RUFF).replace("\n", "\r\n")
    (repo.root / FILE).unlink()
    assert cli("restore", "Cache", "--from", "v1").code == 0  # a record that was a file
    assert read(repo, FILE) == card("Cache", "Redis holds the sessions.")


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("nothing", "--from", "v1"), 1, "No memory has the id or title 'nothing'"),
        (("memories/none.md", "--from", "v1"), 1, "is not a memory file in that commit"),
        (("Cache", "--from", "--all"), 1, "'--all' is neither a commit that git knows nor a date"),
        (("Queue", "--from", "v1"), 1, "'Queue' did not exist in that commit"),
        (("Cache", "--from", "v1", "--exact"), 2, "--exact and --with-undo are for backups"),
        (("README.md", "--from", "v1"), 1, "is not a memory file in that commit"),
    ],
)
def test_what_cannot_be_restored_is_refused(
    cli: Cli, repo: Repo, args: tuple[str, ...], code: int, message: str
) -> None:
    repo.put("memories/new.md", card("Queue", "Jobs.", id=ID[:-1] + "2"))
    ran = cli("restore", *args)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_a_restore_is_held_to_the_mode_and_the_gate(cli: Cli, repo: Repo) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    repo.put(FILE, card("Cache", f"The token is {token}."))
    repo.commit()
    repo.put(FILE, card("Cache", "No token."))
    ran = cli("restore", "Cache", "--from", "HEAD")
    assert (ran.code, read(repo, FILE)) == (3, card("Cache", "No token."))
    assert token not in ran.err
    assert cli("--mode", "ask", "restore", "Cache", "--from", "v1").code == 3


# Memory as it was


@pytest.mark.parametrize("command", ["context sessions", "start", "graph", "stats", "health", "list", "show Cache"])
def test_every_question_can_be_asked_of_the_past(cli: Cli, repo: Repo, command: str) -> None:
    before = {name: cli(*name.split(), "--json").json() for name in (command,)}[command]
    repo.put(FILE, card("Cache", "Postgres, as [src/gone.py] says."))
    repo.put(".squad/directives.md", entry("Never push on Fridays", "x"))
    repo.put(LOG, log(RUFF, entry("Use it", "supersedes nothing")))
    repo.commit()
    (repo.root / FILE).unlink()
    after = cli(*command.split(), "--as-of", "v1", "--json").json()
    for each in (before, after):
        if isinstance(each, dict):
            for key in ("staleness", "since_last_update", "impact", "warnings"):  # which the clock and git tell
                each.pop(key, None)
    assert after == before


def test_the_past_is_asked_beside_the_checkout(repo: Repo) -> None:
    repo.put("services/shop/memories/a.md", card("Shop", "One.", id=ID[:-1] + "3"))
    repo.commit()
    (repo.root / "services/shop/memories/a.md").unlink()
    repo.put("services/shop/memdown.toml", "")
    with Memory.open(repo.root / "services/shop") as memory, memory.at("HEAD") as past:
        assert [each.title for each in past.records()] == ["Shop"]
        assert past.root != memory.root
        folder = past.root
    assert not folder.exists()
    assert repo.git("status", "--porcelain").split() == [
        "D",
        "services/shop/memories/a.md",
        "??",
        "services/shop/memdown.toml",
    ]
