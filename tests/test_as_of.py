"""Memory as it was: which commit is meant, what it held, and names that want to be more than names."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import Memory
from memdown.errors import NotFound
from samples import put

Cli = Callable[..., Ran]
ID = "3f2b8c1e-0000-4000-8000-000000000001"
OTHER = "3f2b8c1e-0000-4000-8000-000000000002"


def git(*args: str, at: str = "2026-01-01T00:00:00Z") -> str:
    name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main")
    around = os.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    return subprocess.run(["git", *name, *args], check=True, capture_output=True, text=True, env=around).stdout.strip()


def commit(at: str) -> str:
    git("add", "--all")
    git("commit", "--quiet", "--message=memory", at=at)
    return git("rev-parse", "HEAD")


def card(id: str, subject: str, content: str, *, folder: str = "memories") -> None:
    head = f"---\nid: {id}\nsubject: {subject}\nkeywords:\n  - cache\napplies_to: global\n"
    put(Path.cwd(), f"{folder}/{id}.md", f"{head}occurred_at: '2026-01-01T10:00:00Z'\n---\n\n{content}\n")


@pytest.fixture
def history(cli: Cli) -> tuple[str, str]:  # noqa: ARG001 - we are in its project
    """Two commits: Redis, then Postgres; and what nobody committed."""
    git("init", "--quiet")
    card(ID, "Cache", "Redis holds the sessions.")
    first = commit("2026-01-10T12:00:00Z")
    card(ID, "Cache", "Postgres holds the sessions.")
    card(OTHER, "Queue", "Jobs wait in Postgres.")
    second = commit("2026-01-20T12:00:00Z")
    card(ID, "Cache", "Sessions are in a cookie.")
    return first, second


def found(cli: Cli, as_of: str, *words: str) -> list[str]:
    ran = cli("search", "--json", f"--as-of={as_of}", *words)
    assert ran.code == 0, ran
    return [hit["body"] for hit in ran.json()["hits"]]


# What is found


def test_search_finds_what_a_commit_held(cli: Cli, history: tuple[str, str]) -> None:
    first, second = history
    assert found(cli, first, "sessions") == ["Redis holds the sessions."]
    assert found(cli, first, "postgres") == []
    assert found(cli, second, "sessions")[0] == "Postgres holds the sessions."
    assert [hit["body"] for hit in cli("search", "--json", "sessions").json()["hits"]] == ["Sessions are in a cookie."]


def test_a_commit_has_every_name_that_git_gives_it(cli: Cli, history: tuple[str, str]) -> None:
    first, _ = history
    git("tag", "before-postgres", first)
    git("tag", "--annotate", "--message=x", "release", first)
    for name in (first[:8], "HEAD~1", "HEAD^", "main~1", "before-postgres", "release", "refs/tags/release", "@~1"):
        assert found(cli, name, "sessions") == ["Redis holds the sessions."], name


@pytest.mark.parametrize(
    ("date", "body"),
    [
        ("2026-01-10", "Redis"),
        ("2026-01-19", "Redis"),
        ("2026-01-20", "Postgres"),
        ("2026-01-20T11:59:59Z", "Redis"),
        ("2026-01-20T12:00:00Z", "Postgres"),
        ("2026-01-20T12:30:00+01:00", "Redis"),
        ("14d", "Redis"),
        ("2w", "Redis"),
        ("1d", "Postgres"),
        ("2098-01-01", "Postgres"),
        ("9999-12-31", "Postgres"),
    ],
)
@pytest.mark.usefixtures("history")
def test_a_date_is_the_last_commit_up_to_its_end(cli: Cli, date: str, body: str) -> None:
    assert found(cli, date, "sessions", "kind:card")[0].startswith(body)


def test_the_answer_says_which_state_it_is_of(cli: Cli, history: tuple[str, str]) -> None:
    first, _ = history
    ran = cli("search", "--json", "--as-of", "2026-01-15", "sessions").json()
    assert ran["as_of"] == {"commit": first, "date": "2026-01-10T12:00:00Z"}
    assert cli("search", "--json", "sessions").json()["as_of"] is None
    assert f"As of 2026-01-10T12:00:00Z, commit {first[:12]}.\n" in cli("search", "--as-of", first, "sessions").out


def test_list_timeline_and_show_travel_too(cli: Cli, history: tuple[str, str]) -> None:
    first, second = history
    assert [each["id"] for each in cli("list", "--json", "--as-of", first).json()] == [ID]
    assert {each["id"] for each in cli("list", "--json", "--as-of", second).json()} == {ID, OTHER}
    assert [each["body"] for each in cli("timeline", "--json", "--as-of", first).json()] == [
        "Redis holds the sessions."
    ]
    assert cli("show", "--json", "--as-of", first, "3f2b").json()["body"] == "Redis holds the sessions."
    assert cli("show", "--as-of", second, "3f2b").code == 1  # two begin so
    assert cli("show", "--as-of", first, OTHER).code == 1


def test_paths_are_those_of_then_and_deleted_memory_is_there(cli: Cli) -> None:
    git("init", "--quiet")
    card(ID, "Cache", "Redis holds the sessions.", folder="memories/old")
    first = commit("2026-01-10T12:00:00Z")
    git("rm", "--quiet", "-r", "memories")
    commit("2026-01-11T12:00:00Z")
    assert [each["path"] for each in cli("list", "--json", "--as-of", first).json()] == [f"memories/old/{ID}.md"]
    assert cli("list", "--json", "--as-of", "HEAD").json() == []


def test_the_clock_says_what_it_said_then(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "--quiet")
    card(ID, "Cache", "Redis holds the sessions.")
    first = commit("2026-01-10T12:00:00Z")
    monkeypatch.setenv("MEMDOWN_NOW", "2027-01-01")
    assert cli("list", "--json", "is:stale").json() != []
    assert cli("list", "--json", "is:stale", "--as-of", first).json() == []
    assert cli("list", "--json", "--since", "14d", "--as-of", first).json() != []


def test_a_project_below_the_top_of_its_repository(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "--quiet")
    card(ID, "Cache", "The other project.")
    put(Path.cwd(), "inner/memdown.toml", "")
    card(OTHER, "Cache", "The inner project.", folder="inner/memories")
    first = commit("2026-01-10T12:00:00Z")
    monkeypatch.chdir("inner")
    assert [each["path"] for each in cli("list", "--json", "--as-of", first).json()] == [f"memories/{OTHER}.md"]


def test_links_and_odd_bytes_in_a_commit(cli: Cli) -> None:
    git("init", "--quiet")
    card(ID, "Cache", "Redis \udcff holds\r\nthe \0 sessions.")
    Path("memories/link.md").symlink_to("/etc/passwd")
    put(Path.cwd(), "memories/empty.md", "")
    put(Path.cwd(), "memories/ends-with-newlines.md", "\n\nwords at the end\n\n")
    first = commit("2026-01-10T12:00:00Z")
    [hit] = cli("search", "--json", "--as-of", first, "redis").json()["hits"]
    assert hit["body"] == "Redis \ufffd holds\nthe \0 sessions."
    assert {each["path"] for each in cli("search", "--json", "--as-of", first, "words").json()["hits"]} == {
        "memories/ends-with-newlines.md"
    }
    assert cli("search", "--json", "--as-of", first, "root").json()["hits"] == []


def test_nothing_is_written(cli: Cli, history: tuple[str, str]) -> None:
    before = sorted(path for path in Path.cwd().rglob("*"))
    assert found(cli, history[0], "sessions")
    assert sorted(path for path in Path.cwd().rglob("*")) == before


def test_the_library_travels(history: tuple[str, str]) -> None:
    hits = Memory.open(Path.cwd()).search("sessions", as_of="HEAD~1")
    assert [hit.mark.record.body for hit in hits.hits] == ["Redis holds the sessions."]
    assert hits.as_of is not None
    assert hits.as_of.commit == history[0]


# What cannot be answered


def test_without_git_there_is_no_past(cli: Cli) -> None:
    ran = cli("search", "x", "--as-of", "HEAD")
    assert ran.code == 4
    assert ran.err == "memdown: Not a git repository, so there is no history; leave out --as-of.\n"


def test_without_a_commit_there_is_no_past(cli: Cli) -> None:
    git("init", "--quiet")
    for said in ("HEAD", "2026-01-01"):
        assert cli("search", "x", "--as-of", said).code == 1


@pytest.mark.parametrize("date", ["2026-01-09", "2026-01-10T11:59:59Z", "1969-12-31", "0001-01-01", "60d"])
@pytest.mark.usefixtures("history")
def test_before_the_first_commit(cli: Cli, date: str) -> None:
    ran = cli("search", "sessions", "--as-of", date)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"memdown: There is no commit up to '{date}'; `git log --reverse` shows the first one.\n"


HOSTILE = [
    *("--upload-pack=touch pwned", "-x", "--all", "--git-dir=/tmp", "--output=pwned", "-", "--", "-h", "--help"),
    *("a..b", "HEAD..HEAD~1", "HEAD...HEAD~1", "^HEAD", "HEAD^@", "HEAD^!", "HEAD HEAD~1", "@{", "@{99999}", "@{u}"),
    *("", " ", "HEAD\n--all", "HEAD:memories", "HEAD^{tree}", ":/nothing", "$(touch pwned)", "`touch pwned`"),
    *("; touch pwned", "| touch pwned", "../../etc/passwd", "x" * 100_000, "\udcff", "é" * 300, "9" * 40, "99999999d"),
    *("2026-02-30", "2026-13-01", "HEAD\0", "refs/heads/*", "*", "%s", "~1", "^", "HEAD~99999999999999999999"),
]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.usefixtures("history")
def test_a_name_is_never_an_option_nor_a_command(cli: Cli, name: str) -> None:
    before = sorted(Path.cwd().rglob("*"))
    ran = cli("search", "sessions", f"--as-of={name}")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("memdown: ")
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 400
    assert sorted(Path.cwd().rglob("*")) == before
    with pytest.raises(NotFound):
        Memory.open(Path.cwd()).as_of(name)
