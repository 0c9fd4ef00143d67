"""Branches and worktrees: what is checked out is recalled; others are asked, and never written to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from mcp_client import server
from memdown import Memory
from repos import Repo
from samples import memdown
from test_log import FILE, ID, LOG, card, entry

Cli = Callable[..., Ran]


@pytest.fixture
def repo(cli: Cli) -> Repo:  # noqa: ARG001 - we are in its project
    """On main sessions are in Redis; on two branches in Postgres; on a third as on main."""
    repo = Repo(Path.cwd())
    repo.put(FILE, card("Cache", "Redis holds the sessions."))
    repo.put(LOG, f"# Decisions\n\n{entry('Use uv', 'sessions of pip are slow')}")
    repo.commit()
    repo.git("branch", "same")
    for name in ("feature", "other"):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.put(FILE, card("Cache", "Postgres holds the sessions."))
        repo.commit()
    repo.git("checkout", "-q", "main")
    return repo


def test_other_branches_are_asked_without_checking_them_out(cli: Cli, repo: Repo) -> None:
    plain = cli("search", "sessions", "--json").json()
    assert {hit["body"] for hit in plain["hits"] if hit["id"] == ID} == {"Redis holds the sessions."}
    found = cli("search", "sessions", "--branches", "--json").json()
    told = [(hit["body"], sorted(hit["branches"])) for hit in found["hits"] if hit["id"] == ID]
    assert told == [("Redis holds the sessions.", []), ("Postgres holds the sessions.", ["feature", "other"])]
    assert found["total"] == plain["total"] + 1
    assert "Cache  [on other, feature]" in cli("search", "postgres", "--branches").out
    assert repo.git("symbolic-ref", "--short", "HEAD") == "main"
    assert (repo.root / FILE).read_text() == card("Cache", "Redis holds the sessions.")
    repo.git("checkout", "-q", "feature")
    assert "Postgres" in cli("search", "sessions").out
    assert "Redis" not in cli("search", "sessions").out


def test_branches_need_git_and_the_present(cli: Cli, repo: Repo, tmp_path: Path) -> None:
    assert cli("search", "sessions", "--branches", "--as-of", "main").code == 2
    bare = tmp_path / "bare" / "memories"
    bare.mkdir(parents=True)
    (bare / "a.md").write_text(card("Cache", "Redis."))
    ran = cli("search", "redis", "--branches", "--root", str(bare.parent))
    assert (ran.code, "Only git has branches" in ran.err) == (4, True)
    assert repo.git("status", "--porcelain").replace("?? .memdown/", "") == ""


@pytest.mark.parametrize("place", ["inside", "beside"])
def test_what_is_started_in_a_worktree_stays_in_it(repo: Repo, tmp_path: Path, place: str) -> None:
    """Also where the worktree lies in the main checkout, and its branch has no memory at all."""
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-rfq", ".")
    repo.put("README.md", "# Empty\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    folder = repo.root / ".worktrees" / "x" if place == "inside" else tmp_path / "x"
    repo.git("worktree", "add", "-q", str(folder), "empty")
    before = repo.git("status", "--porcelain")
    added = memdown(folder, "add", "card", "From the worktree", "-k", "one", "--content", "A text of its own.")
    assert added.returncode == 0, added.stderr
    with server(folder, banks=tmp_path / "banks") as client:
        client.initialize()
        client.value("add", kind="card", title="From the server", text="Another text of its own.", tags=["one"])
        shown = client.value("show", id="From the server", history=True)
        assert [(each["commit"], each["change"]) for each in shown["history"]] == [(None, "added")]
    assert repo.git("status", "--porcelain") == before
    with Memory.open(start=folder) as memory:
        assert memory.root == folder.resolve()
        assert {each.title for each in memory.records()} == {"From the worktree", "From the server"}
        assert [each.commit for each in memory.log()] == [None, None]
    with Memory.open(start=repo.root) as memory:
        assert {each.title for each in memory.records()} == {"Cache", "Use uv"}


def test_a_history_that_was_replaced_is_noticed_and_nothing_here_is_dropped(cli: Cli, repo: Repo) -> None:
    """As after a force-push: a branch that lost most of its files says so by record, and the files here stay."""
    repo.git("checkout", "-q", "--orphan", "replaced")
    (repo.root / LOG).unlink()
    repo.commit()
    repo.git("checkout", "-q", "main")
    removed = [
        each["title"] for each in cli("diff", "main", "replaced", "--json").json() if each["change"] == "removed"
    ]
    assert removed == ["Use uv"]
    assert (repo.root / LOG).exists()
    ran = cli("changes", "main..replaced")
    assert (ran.code, "have no commit in common" in ran.err) == (1, True)


def test_a_branch_that_is_even_with_its_own_upstream_is_not_taken_for_the_main_one(cli: Cli, repo: Repo) -> None:
    """Neither ahead nor behind says nothing of main: what a branch knows alone is told, and what only main knows."""
    repo.git("init", "-q", "--bare", str(repo.root / ".git" / "remote"))
    repo.git("remote", "add", "origin", str(repo.root / ".git" / "remote"))
    repo.put(LOG, f"# Decisions\n\n{entry('Use ruff', 'one tool for all of it')}")
    repo.commit()
    repo.git("checkout", "-q", "feature")
    repo.git("push", "-q", "--set-upstream", "origin", "feature")
    assert repo.git("rev-list", "--count", "--left-right", "@{upstream}...HEAD").split() == ["0", "0"]
    assert "Redis holds the sessions. → Postgres holds the sessions." in cli("changes").out
    assert cli("search", "ruff", "--json").json()["total"] == 0
    [hit] = cli("search", "ruff", "--branches", "--json").json()["hits"]
    assert (hit["title"], hit["branches"]) == ("Use ruff", ["main"])
