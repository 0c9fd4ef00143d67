"""What changed by record: in the working tree, between commits, on a branch; and who wrote which field."""

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError

import pytest

from conftest import Ran
from memdown import Memory
from repos import Repo
from test_log import FILE, ID, LOG, card, entry

Cli = Callable[..., Ran]
QUEUE = "memories/queue.md"
OTHER = f"{ID[:-1]}2"


@pytest.fixture
def repo(cli: Cli) -> Repo:  # noqa: ARG001 - we are in its project
    repo = Repo(Path.cwd())
    repo.put(FILE, card("Cache", "Redis holds the sessions."))
    repo.put(LOG, f"# Decisions\n\n{entry('Use uv for packages', 'pip is slow')}{entry('Use Redis', 'fast')}")
    repo.commit("Begin")
    return repo


def told(cli: Cli, *args: str) -> list[tuple[str, str, str]]:
    ran = cli("diff", "--json", *args)
    assert ran.code == 0, ran
    return [(each["change"], each["title"], each["path"]) for each in ran.json()]


def test_the_working_tree_is_compared_with_the_last_commit(cli: Cli, repo: Repo) -> None:
    assert (told(cli), cli("diff").out) == ([], "No changes.\n")
    repo.put(FILE, card("Cache", "Postgres holds the sessions."))
    repo.put(QUEUE, card("Queue", "Jobs wait.", id=OTHER))
    archive = ".squad/decisions-archive.md"
    repo.put(LOG, f"# Decisions\n\n{entry('Use Redis', 'fast')}")
    repo.put(archive, f"# Archive\n\n{entry('Use uv for packages', 'pip is slow')}")
    everything = [
        ("moved", "Use uv for packages", archive),
        ("changed", "Cache", FILE),
        ("added", "Queue", QUEUE),
    ]
    assert told(cli) == everything
    assert told(cli, "memories") == everything[1:]
    assert told(cli, LOG) == everything[:1]
    assert told(cli, "HEAD", QUEUE) == everything[2:]
    shown = cli("diff").out
    assert "1 added, 1 changed, 1 moved." in shown
    assert "body: " in shown
    assert "+Postgres holds the sessions." in cli("diff", "--diff").out


def test_what_a_template_has_in_the_place_of_an_entry_is_no_memory(cli: Cli, repo: Repo) -> None:
    progress = "# Progress\n\n## Completed\n\n- [x] Search\n\n## Next Steps\n\n{}\n"
    repo.put("memory-bank/progress.md", progress.format("- [ ] **[Next task]** - [Description]"))
    repo.commit("Set up")
    packed = cli("export", "--json").out
    assert "**[Next task]**" not in str(json.loads(packed)["records"])
    repo.put("memory-bank/progress.md", progress.format("- [ ] Export of orders"))
    assert told(cli) == [("added", "Export of orders", "memory-bank/progress.md")]
    assert "[Next task]" not in cli("log").out


def test_a_file_in_conflict_is_compared_as_it_is(cli: Cli, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "side")
    repo.put(FILE, card("Cache", "Postgres holds the sessions."))
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.put(FILE, card("Cache", "A cookie holds the sessions."))
    repo.commit()
    with pytest.raises(CalledProcessError):
        repo.git("merge", "-q", "side")
    assert told(cli) == [("changed", "Cache", FILE)]
    assert cli("log", ID, "-n", "1", "--json").json()[0]["commit"] is None


def test_two_commits_are_compared_in_every_spelling(cli: Cli, repo: Repo) -> None:
    repo.git("tag", "v1")
    (repo.root / FILE).unlink()
    repo.commit()
    repo.put(QUEUE, card("Queue", "Jobs wait.", id=OTHER))
    repo.commit()
    gone, new = ("removed", "Cache", FILE), ("added", "Queue", QUEUE)
    for args in (("v1", "HEAD"), ("v1..HEAD",), ("v1..",), ("v1",), ("2026-01-02",), ("v1...main",)):
        assert told(cli, *args) == [gone, new]
    assert told(cli, "HEAD", "v1") == [("added", "Cache", FILE), ("removed", "Queue", QUEUE)]
    assert told(cli, "HEAD~1", "HEAD", FILE) == []


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (("--", "--all"), 1, "'--all' is neither a commit that git knows nor a date"),
        (("nothing..HEAD",), 1, "'nothing' is not a commit that git knows; give a hash, a branch or a tag."),
        (("HEAD", "HEAD", "HEAD", "x"), 1, "'HEAD' is neither a commit that git knows nor a file"),
        (("HEAD", "../elsewhere.md"), 3, "outside"),
        (("--json", "--markdown"), 2, "Give --markdown or --json, not both."),
    ],
)
@pytest.mark.usefixtures("repo")
def test_a_name_that_is_none_gets_one_clear_answer(cli: Cli, args: tuple[str, ...], code: int, message: str) -> None:
    ran = cli("diff", *args)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_markdown_for_a_pull_request_makes_no_markup_and_calls_nobody(cli: Cli, repo: Repo) -> None:
    repo.put(FILE, card("'Cache of @ann <b>'", "Redis holds the sessions."))
    out = cli("diff", "--markdown").out
    assert "### Changed" in out
    assert "@ann" not in out
    assert "\\<b\\>" in out


def test_changes_tells_what_a_branch_learned(cli: Cli, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    repo.put(FILE, card("Cache", "Postgres holds the sessions."))
    repo.commit("Try it")
    repo.put(FILE, card("Cache", "Postgres holds all sessions."))
    second = repo.commit("Mean it\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    repo.git("checkout", "-q", "main")
    repo.put(QUEUE, card("Queue", "Jobs wait.", id=OTHER))  # which the branch does not have
    repo.commit()
    [change] = cli("changes", "main..feature", "--json").json()
    assert (change["commit"], change["assistant"], change["title"]) == (second, "Claude", "Cache")
    assert change["fields"] == {"body": ["Redis holds the sessions.", "Postgres holds all sessions."]}
    repo.git("checkout", "-q", "feature")
    assert cli("changes").out == (
        "## Memory\n\n1 changed in 2 commits.\n\n### Changed\n\n"
        f"- **Cache** (card, `{FILE}:1`, with Claude)\n"
        "  - body: Redis holds the sessions. → Postgres holds all sessions.\n"
    )
    repo.git("checkout", "-q", "main")
    assert cli("changes").out == "## Memory\n\nNothing in memory changed.\n"


def test_changes_gives_the_reason_of_a_decision_and_not_its_date(cli: Cli, repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "feature")
    log = "# Decision Log\n\n## Use SQLite\n\n- **Date**: 2026-01-02\n- **Status**: Accepted\n- **Rationale**: It is one file\n"
    repo.put("memory-bank/decisionLog.md", log)
    repo.put("memory-bank/systemPatterns.md", "# System Patterns\n\n## Layers\n\n- **Rule**: imports go down\n")
    repo.commit()
    out = cli("changes").out
    assert "**Use SQLite** (decision, `memory-bank/decisionLog.md:3`)\n  It is one file\n" in out
    assert "\n  Rule: imports go down\n" in out
    assert "Date" not in out


def test_blame_names_the_commit_of_each_field(cli: Cli, repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.put(FILE, card("Cache", "Redis holds the sessions.", "cache, db"))
    second = repo.commit("Tag", by=("copilot-swe-agent[bot]", "1+Copilot@users.noreply.github.com"))
    repo.git("mv", FILE, "memories/cache.md")
    third = repo.commit()
    repo.put("memories/cache.md", card("The cache", "Redis holds the sessions.", "cache, db"))
    found = {each["field"]: each for each in cli("blame", ID, "--json").json()}
    assert {name: each["commit"] for name, each in found.items()} == {
        **{"title": None, "tags": second, "path": third},
        **dict.fromkeys(("kind", "at", "scope", "body"), first),
    }
    assert (found["tags"]["assistant"], found["body"]["author"]) == ("Copilot", "Ann")
    shown = cli("blame", ID).out
    assert "not committed yet  The cache" in shown
    assert "with Copilot  cache, db" in shown
    assert len({each.id for each in Memory.open(repo.root).blame(LOG)}) == 2
    assert cli("blame", "nothing").code == 1
