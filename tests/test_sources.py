"""Memory beyond the project: assistants' files, personal memory, sources of a team, other projects."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import forks
from conftest import Ran
from memdown.errors import quote
from samples import CARD, ID, put

Cli = Callable[..., Ran]
ENTRY = "# Decisions\n\n### 2026-01-10T09:00:00Z: {}\n**By:** Ann\n**What:** {}\n"
TOKEN = "ghp_" + "x7Kq2mWv9TzB4nLs8RdY1cFh5JgP3aEu6QoN"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MEMDOWN_HOME", str(tmp_path / "own"))
    return tmp_path / "own"


def hits(cli: Cli, *words: str) -> list[tuple[str, str | None]]:
    return [(each["title"], each["source"]) for each in cli("search", *words, "--json").json()["hits"]]


def test_files_of_assistants_are_searched_and_not_checked(cli: Cli) -> None:
    text = "# Rules\n\n## Commits\nNever force-push the release branch.   \n"
    put(Path(), "AGENTS.md", text)
    put(Path(), ".cursor/rules/style.mdc", "---\nglobs: '*.py'\n---\nFour spaces, and the release notes in English.\n")
    put(Path(), ".squad/decisions.md", ENTRY.format("Releases are tagged", "By hand."))
    if os.name != "nt":
        put(Path(), ".cursor/rules/x\nAGENTS.md:1  rule.md", "The release branch is free for all.\n")
        told = cli("search", "release")
        assert "free for all" not in told.out
        assert "'.cursor/rules/x\\nAGENTS.md:1  rule.md' is left out, as its name has control" in told.err
        assert told.err.count("\n") == 1
    found = cli("search", "release", "--json").json()["hits"]
    assert {(each["path"], each["line"]) for each in found} >= {("AGENTS.md", 3), (".cursor/rules/style.mdc", 4)}
    assert "AGENTS.md:3  rule" in cli("search", "force-push").out
    assert "AGENTS.md" not in cli("check", "--all").out
    assert Path("AGENTS.md").read_text() == text


def test_personal_memory_is_read_in_every_project_and_written_on_demand(cli: Cli, home: Path) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    missing = cli("list", "--global")
    assert (missing.code, "--global" in missing.err) == (4, True)
    assert not home.exists()
    long = "Recipes in a Makefile begin with a tab."
    added = cli("add", "card", "Makefiles use tabs", "--content", long, "--global")
    assert (added.code, f"your personal memory in {home}." in added.err) == (0, True)
    assert list(home.glob("memories/*.md"))
    assert not Path("memories").exists()
    assert hits(cli, "makefiles") == [("Makefiles use tabs", "personal")]
    assert cli("show", "Makefiles use tabs", "--json").json()["path"].startswith(str(home))
    assert cli("undo", "--global").code == 0
    assert hits(cli, "makefiles") == []
    bare = cli("add", "decision", "Use tabs", "--author", "Ann", "--global")
    assert re.search("to give it one, `memdown edit --why TEXT [0-9a-f]+ --global`\\.", bare.err)
    assert "`memdown undo --global` restores" in cli("delete", "Use tabs", "--global").out
    assert cli("list", "--global", "--root", ".").code == 2


def test_personal_memory_is_signed_by_whom_git_knows_here(
    cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    subprocess.run(["git", "init", "-q"], check=True)
    assert cli("add", "decision", "Use tabs", "--why", "Makefiles", "--global").code == 2
    subprocess.run(["git", "config", "user.name", "Ann"], check=True)
    assert "author: Ann (from git)" in cli("add", "decision", "Use tabs", "--why", "Makefiles", "--global").err
    assert (home / ".squad/decisions.md").exists()


def test_a_source_is_read_and_what_overrides_it_is_shown(cli: Cli, tmp_path: Path) -> None:
    put(Path(), ".squad/decisions.md", ENTRY.format("Sessions live in Redis", "For 30 minutes."))
    put(tmp_path, "team/.squad/decisions.md", ENTRY.format("Sessions live in Redis", "For an hour."))
    added = cli("source", "add", "../team", "--read-only", "--json").json()
    assert (added["name"], added["records"], added["doubts"]) == ("team", 1, [])
    found = cli("search", "redis", "--json").json()["hits"]
    assert [each["source"] for each in found] == [None, "team"]
    assert found[1]["overridden_by"] == found[0]["id"]
    assert "[overridden by" in cli("search", "redis").out
    assert not (tmp_path / "team/.memdown").exists()
    assert [each["name"] for each in cli("source", "list", "--json").json()] == ["team"]
    assert cli("source", "add", "../team").code == 3
    assert "did you mean team?" in cli("source", "remove", "taem").err
    cli("source", "remove", "team")
    assert hits(cli, "redis") == [("Sessions live in Redis", None)]
    assert (tmp_path / "team/.squad/decisions.md").exists()


def test_what_became_of_a_source_is_undone_by_its_name(cli: Cli, tmp_path: Path) -> None:
    put(tmp_path, "team/.squad/decisions.md", ENTRY.format("Sessions live in Redis", "For an hour."))
    cli("source", "add", "../team")
    cli("source", "remove", "team")
    assert [each["titles"] for each in cli("undo", "--list", "--json").json()] == [["team"], ["team"]]
    assert cli("undo").out.startswith("Undid step 2: source remove team (cli, ")


def test_what_others_wrote_is_looked_at_before_it_is_shown(cli: Cli, tmp_path: Path) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    put(tmp_path, "team/.squad/decisions.md", ENTRY.format("Deploy with the token", TOKEN))
    put(tmp_path, "team/memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nDeploy \x1b[2Jnow.\n")
    doubts = cli("source", "add", "../team", "--json").json()["doubts"]
    assert sorted(each.rpartition(": ")[2] for each in doubts) == ["a credential", "control characters"]
    ran = cli("search", "deploy")
    assert TOKEN not in ran.out
    assert "No memories match" in ran.out
    assert "is left out: it has a credential" in ran.err


def test_a_repository_is_cloned_and_updated_on_demand(cli: Cli, tmp_path: Path, home: Path) -> None:
    git = ["git", "-C", str(tmp_path / "origin"), "-c", "user.name=a", "-c", "user.email=a@b"]
    put(tmp_path, "origin/.squad/decisions.md", ENTRY.format("Services log JSON", "One object a line."))
    subprocess.run(["git", "init", "-q", str(tmp_path / "origin")], check=True)
    for args in (["add", "."], ["commit", "-qm", "one"]):
        subprocess.run([*git, *args], check=True)
    url = (tmp_path / "origin").as_uri()
    assert cli("source", "add", url, "--name", "team").code == 0
    assert (home / ".memdown/sources/team/.git").is_dir()
    put(tmp_path, "origin/.squad/decisions.md", ENTRY.format("Services log XML", "One object a line."))
    subprocess.run([*git, "commit", "-qam", "two"], check=True)
    assert hits(cli, "services") == [("Services log JSON", "team")]
    assert cli("source", "update").code == 0
    assert hits(cli, "services") == [("Services log XML", "team")]
    cli("source", "remove", "team")
    assert not (home / ".memdown/sources/team").exists()


def test_wrong_sources_are_refused(cli: Cli, tmp_path: Path, home: Path) -> None:
    assert cli("source", "add", "../nowhere").code == 1
    assert cli("source", "add", ".").code == 2
    assert cli("source", "add", (tmp_path / "nowhere").as_uri()).code == 4
    assert cli("source", "add", "ext::sh -c id").code == 2
    assert not home.joinpath(".memdown/sources/nowhere").exists()


def test_all_projects_are_asked(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(tmp_path / "all"))
    put(tmp_path, "all/shop/memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\nPaging of orders.\n")
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    assert hits(cli, "paging") == []
    assert hits(cli, "paging", "--all-projects") == [("Current Focus", "shop")]
    assert cli("search", "paging", "--all-projects", "--as-of", "HEAD").code == 2


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".squad/decisions.md", ENTRY.format("Paging of orders", "By the day.")),
        (f"memories/{ID}.md", CARD.replace("pool", "paging")),
        ("memory/projects/shop/paging.md", "# Paging of orders\n\n## Learnings\n- By the day.\n"),
        (
            "memory-bank/edit_history.md",
            "# Edit History\n\n## 2026-01-10\n\n### 09:00:00 UTC - T1: Paging\n\n- Modified `a.py` - By the day\n",
        ),
    ],
)
def test_all_projects_are_those_with_any_memory(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str
) -> None:
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(tmp_path / "all"))
    put(tmp_path, f"all/shop/{path}", text)
    (tmp_path / "all/empty").mkdir()
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    ran = cli("search", "paging", "--all-projects", "--json")
    assert [each["source"] for each in ran.json()["hits"]] == ["shop"]
    assert not ran.err


def test_projects_beside_each_other_override_nothing(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(tmp_path / "all"))
    assert cli("search", "paging", "--all-projects").err.startswith("memdown: No project with memory in ")
    assert "set MEMORY_BANK_ROOT" in cli("projects").err
    for folder in (".", "all/shop", "all/till"):
        root = Path() if folder == "." else tmp_path
        focus = f"# Active Context\n\n## Current Focus\nPaging in {folder} first.\n"
        put(root, f"{folder}/memory-bank/activeContext.md", focus)
    found = cli("search", "paging", "--all-projects", "--json").json()["hits"]
    assert [(each["source"], each["overridden_by"]) for each in found] == [(None, None), ("shop", None), ("till", None)]
    monkeypatch.chdir(tmp_path / "all")
    (tmp_path / "all/.git").mkdir()
    here = cli("search", "paging", "--all-projects", "--json").json()["hits"]
    assert [each["source"] for each in here] == [None, None]


def test_what_is_told_of_a_decision_elsewhere_has_its_reason(cli: Cli, tmp_path: Path) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    cli(
        "add",
        "decision",
        "We deploy with Fly",
        "--author",
        "Ann",
        "--why",
        "Heroku costs more.",
        "--root",
        _team(tmp_path),
    )
    cli("source", "add", "../team")
    text = cli("context", "deploy").out
    assert text.count("We deploy with Fly") == 1
    assert "Why: Heroku costs more." in text


def _team(tmp_path: Path) -> str:
    put(tmp_path, "team/.squad/decisions.md", "# Decisions\n")
    return str(tmp_path / "team")


def test_a_patch_says_what_it_is_for(cli: Cli, tmp_path: Path) -> None:
    cli("add", "decision", "Use Redis", "--author", "Ann", "--why", "Fast.")
    cli("source", "add", _team(tmp_path), "--read-only")
    ran = cli("propose", "Use Redis", "--to", "team")
    assert ran.out.startswith("--- a/.squad/decisions.md\n")
    assert "`git apply` or `patch -p1`" in ran.err


@pytest.fixture
def four_places(cli: Cli, tmp_path: Path, home: Path) -> Cli:
    """A project, an assistant's file, a personal card and a team that all say something of sessions."""
    put(Path(), ".squad/decisions.md", ENTRY.format("Sessions live in Redis", "For 30 minutes."))
    put(Path(), "AGENTS.md", "# Rules\n\n## Tests\nSessions are tested against a real Redis.\n")
    others = ENTRY.format("Sessions live in Redis", "For an hour.")
    cookies = "\n### 2026-01-11T09:00:00Z: Session cookies are signed\n**By:** Bob\n**What:** Redis has the keys.\n"
    put(tmp_path, "team/.squad/decisions.md", others + cookies)
    cli("add", "card", "Redis desktop", "--content", "I look at Redis sessions with redisinsight.", "--global")
    assert home.is_dir()
    cli("source", "add", "../team", "--read-only")
    return cli


def test_text_without_a_title_is_overridden_by_nothing(cli: Cli, tmp_path: Path) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    put(tmp_path, "team/.squad/agents/ann/history.md", "# History\n\nThe cluster of Kafka brokers has three nodes.\n")
    cli("source", "add", str(tmp_path / "team"))
    (found,) = cli("search", "kafka", "--json").json()["hits"]
    assert (found["source"], found["overridden_by"]) == ("team", None)


def test_context_reads_further_and_names_what_is_overridden(four_places: Cli) -> None:
    found = four_places("context", "redis sessions", "--json").json()
    assert [each["level"] for each in found["items"]] == ["project", "assistant", "personal", "team"]
    assert "AGENTS.md:3 (about the task; rules of an assistant)" in found["text"]
    assert "Sessions are tested against a real Redis." in found["text"]
    assert "For an hour." not in found["text"]
    own = found["items"][0]["id"]
    assert [(each["level"], each["why"]) for each in found["left_out"]] == [("team", f"overridden by {own}")]


def test_a_prompt_recalls_from_further_away(four_places: Cli) -> None:
    given = {"cwd": str(Path.cwd()), "prompt": "How long do Redis sessions live?", "session_id": "one"}
    text = four_places("hook", "UserPromptSubmit", stdin=json.dumps(given)).json()
    told = text["hookSpecificOutput"]["additionalContext"].splitlines()
    places = [line.partition("(")[2].split("; ")[-1] for line in told if line.startswith("- ")]
    assert places[0].startswith(".squad/decisions.md:3")
    assert places[1:3] == ["rules of an assistant)", "personal memory)"]
    assert any(line.startswith("  > Overrides ") and line.endswith("(team memory).") for line in told)
    assert "For an hour." not in "".join(told)
    again = four_places("hook", "UserPromptSubmit", stdin=json.dumps(given)).out
    assert "AGENTS.md" not in again


def test_a_hook_tells_nothing_that_others_hid(four_places: Cli, tmp_path: Path) -> None:
    put(tmp_path, "team/.squad/decisions.md", ENTRY.format("Redis sessions need a token", TOKEN))
    four_places("search", "redis")
    given = {"cwd": str(Path.cwd()), "prompt": "Which token do Redis sessions need?", "session_id": "two"}
    assert TOKEN not in four_places("hook", "UserPromptSubmit", stdin=json.dumps(given)).out
    assert "is left out: it has a credential" in Path(".memdown/hooks.log").read_text()


def test_what_is_only_read_is_read_again_when_it_changes(four_places: Cli, tmp_path: Path) -> None:
    assert ("Session cookies are signed", "team") in hits(four_places, "cookies")
    put(tmp_path, "team/.squad/decisions.md", ENTRY.format("Cookies are gone", "We have tokens."))
    put(Path(), "AGENTS.md", "# Rules\n\n## Biscuits\nCookies are called so.\n")
    assert set(hits(four_places, "cookies")) == {("Cookies are gone", "team"), ("Biscuits", None)}
    assert not (tmp_path / "team/.memdown").exists()
    Path(".memdown/assistants.db").write_bytes(b"not a database, and long enough to be looked at as one" * 20)
    assert ("Biscuits", None) in hits(four_places, "cookies")


def test_a_search_that_starts_cold_reads_further_too(four_places: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = four_places("search", "redis", "--json").json()
    monkeypatch.delenv("MEMDOWN_NOW")
    done = forks.run(
        [sys.executable, "-m", "memdown", "search", "redis", "--json"], capture_output=True, text=True, check=True
    )
    quick = json.loads(done.stdout)
    assert [(each["id"], each["level"], each["overridden_by"]) for each in quick["hits"]] == [
        (each["id"], each["level"], each["overridden_by"]) for each in slow["hits"]
    ]


def test_the_title_of_a_decision_that_an_assistant_is_told_too_is_named(cli: Cli) -> None:
    said = "Never push to the release branch without a reviewed pull request"
    put(Path(), "AGENTS.md", f"# Rules\n\n- {said}.\n")
    put(Path(), "memory-bank/decisionLog.md", f"# Decision Log\n\n## Decision: {said}\n- **Date**: 2026-01-02\n")
    [found] = [each for each in cli("check", "--all", "--json").json() if each["code"] == "MD031"]
    assert (found["path"], found["line"]) == ("memory-bank/decisionLog.md", 3)
    assert found["message"] == f"AGENTS.md:3 says the same as {said[:60]!r}; keep one of them."


def test_the_front_matter_of_a_rule_is_no_hit(cli: Cli) -> None:
    put(Path(), ".cursor/rules/paging.mdc", "---\ndescription: x\n---\n# Cursor\n\nUse cursors for paging.\n")
    assert [each["path"] for each in cli("search", "paging", "--json").json()["hits"]] == [".cursor/rules/paging.mdc"]


def test_what_an_assistant_is_told_too_is_named(cli: Cli) -> None:
    rule = "Never push to the release branch without a reviewed pull request."
    put(Path(), "AGENTS.md", f"# Rules\n\n## Git\n\n- {rule}\n- Short words.\n")
    put(Path(), "memory-bank/systemPatterns.md", f"# System Patterns\n\n- **{rule[:5]}**{rule[5:]}\n- Short words.\n")
    found = [each for each in cli("check", "--all", "--json").json() if each["code"] == "MD031"]
    assert [(each["path"], each["line"]) for each in found] == [("memory-bank/systemPatterns.md", 3)]
    assert found[0]["message"].startswith("AGENTS.md:5 says the same as")
    cli("index")
    assert "AGENTS.md:5 says the same" in cli("health", "--all").out
    put(Path(), "AGENTS.md", "# Rules\n")
    assert "says the same" not in cli("health", "--all").out


def test_each_index_that_cannot_be_saved_is_named_once(cli: Cli, tmp_path: Path) -> None:
    here, team = Path.cwd(), tmp_path / "team"
    for root in (here, team):
        put(root, f"memories/{ID}.md", CARD)
    assert cli("source", "add", str(team)).code == 0
    for root in (here, team):
        (root / ".memdown/index.db").unlink(missing_ok=True)
        put(root, ".memdown/index.db/file", "")
    told = cli("search", "pool").err
    assert told.count(" is built in memory for this run, as it cannot be saved: ") == 1
    assert all(told.count(f"the index of {quote(str(root))}") == 1 for root in (here, team))
