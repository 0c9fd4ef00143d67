"""The way from a fresh install: what a stranger meets in the first ten minutes."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from mcp_client import server
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
    assert "No automatic fix" in cli("check", "--fix").out
    assert "No automatic fix" not in cli("check").out


def test_settings_of_git_are_changed_not_created(shop: Cli) -> None:
    assert "Changed .git/config" in shop("install", "git").out
    assert "Changed .git/config" in shop("install", "git", "--remove").out


# What a search shows


def test_a_question_for_the_reason_finds_the_decision_before_the_dependency(shop: Cli) -> None:
    shop("add", "decision", "Keep sessions outside the web process", "--why", "Redis survives restarts")
    hits = shop("search", "why redis", "--json").json()["hits"]
    assert [hit["kind"] for hit in hits] == ["decision", "section"]
    assert "dependencies" not in hits[0]["snippet"]


@pytest.mark.parametrize("home", ["memory-bank/decisionLog.md", ".squad/decisions.md"])
def test_a_snippet_is_the_claim_with_its_reason(cli: Cli, home: str) -> None:
    put(Path(), home, "# Decisions\n")
    cli("add", "decision", "Use Redis for carts", "--why", "Sessions survive restarts", "--author", "Ann")
    for words in ("redis", "accepted", "kind:decision carts"):
        for hit in cli("search", words, "--json").json()["hits"]:
            assert "Sessions survive restarts" in hit["snippet"]
            assert "Date" not in hit["snippet"]
            assert "Status" not in hit["snippet"]


def test_a_record_of_fields_alone_shows_them_once(cli: Cli) -> None:
    put(Path(), "memory-bank/decisionLog.md", "# Log\n\n## Decision: Use Redis\n- **Date**: 2026-01-02\n")
    assert cli("search", "redis", "--json").json()["hits"][0]["at"].startswith("2026-01-02")
    assert cli("search", "redis").out.count("2026-01-02") == 1


# The same thing twice


@pytest.mark.parametrize("home", ["memory-bank/decisionLog.md", ".squad/decisions.md"])
def test_what_is_there_word_for_word_is_not_written_again(cli: Cli, home: str) -> None:
    put(Path(), home, "# Decisions\n")
    said = ("add", "decision", "Use Redis", "--why", "Sessions survive restarts", "--author", "Ann", "--json")
    first = cli(*said).json()
    texts = {path: path.read_bytes() for path in Path().rglob("*.md")}
    cli("index")
    ran = cli(*said)
    assert (ran.code, ran.json()["created"], ran.json()["id"]) == (0, False, first["id"])
    assert {path: path.read_bytes() for path in Path().rglob("*.md")} == texts
    assert cli(*said[:-1]).out.startswith("Already exists: ")


def test_a_card_without_a_time_of_its_own_is_not_written_again(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(Path(), "memories/README.md", "# Memories\n")
    first = cli("add", "The pool has 10 connections", "--json").json()
    monkeypatch.setenv("MEMDOWN_NOW", "2026-03-01T12:00:00Z")
    assert cli("add", "The pool has 10 connections", "--json").json()["id"] == first["id"]


@pytest.mark.parametrize("home", ["memory-bank/decisionLog.md", ".squad/decisions.md"])
def test_the_same_title_with_another_text_is_written_with_a_warning(cli: Cli, home: str) -> None:
    put(Path(), home, "# Decisions\n")
    first = cli("add", "decision", "Use Redis", "--why", "Sessions survive", "--author", "Ann", "--json").json()
    ran = cli("add", "decision", "Use Redis", "--why", "It is fast", "--author", "Ann")
    assert ran.code == 0
    assert f"another decision with this title ({first['id']})" in ran.err
    assert "Similar" not in ran.err
    assert len(cli("list", "kind:decision", "--json").json()) == 2


def test_what_is_done_is_not_written_again_in_the_same_words(cli: Cli) -> None:
    """An item in Completed and In Progress contradicts itself (BNK023)."""
    put(Path(), "memory-bank/progress.md", "# Progress\n\n## Completed\n- [x] Write docs\n\n## In Progress\n")
    ran = cli("add", "task", "Write docs")
    assert (ran.code, "on line 4 in Completed" in ran.err) == (3, True)
    assert cli("add", "task", "Write docs of the API", "--json").json()["created"]


def test_a_format_that_begins_is_said(shop: Cli) -> None:
    ran = shop("add", "card", "Pool", "--content", "The pool has 10 connections")
    assert "begins a folder of cards in memories/ beside this project's memory bank" in ran.err
    assert "begins" not in shop("add", "card", "Queue", "--content", "The queue has 20 workers").err


def test_the_first_memory_of_a_project_begins_nothing_beside(cli: Cli) -> None:
    assert "begins" not in cli("add", "The pool has 10 connections").err


# Sources


def commit(root: Path, name: str, text: str) -> None:
    put(root, name, text)
    git = ("git", "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=a@example.com")
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "Remember"], check=True)


def known(cli: Cli) -> list[str]:
    return [each["name"] for each in cli("source", "--json").json()]


@pytest.fixture
def home(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("MEMDOWN_HOME", str(tmp_path / "home"))
    config = put(tmp_path, "config", "[user]\n\tname = Ann Lee\n\temail = ann@example.com\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    return cli


def test_undo_takes_back_a_source_and_not_what_was_done_before(home: Cli, tmp_path: Path) -> None:
    put(tmp_path, "handbook/memories/README.md", "# Memories\n")
    home("add", "The pool has 10 connections")
    assert home("source", "add", str(tmp_path / "handbook")).code == 0
    assert home("undo", "--list").out.splitlines()[0].endswith(" source add  handbook")
    assert home("undo").out == "Undid step 2: source add handbook (cli, 2026-02-01T12:00:00Z)\n"
    assert known(home) == []
    assert home("list", "--json").json() != []
    home("redo")
    assert known(home) == ["handbook"]
    home("source", "remove", "handbook")
    home("undo")
    assert known(home) == ["handbook"]


def test_undo_takes_back_the_clone_of_a_source_and_what_was_fetched(home: Cli, tmp_path: Path) -> None:
    remote = tmp_path / "remote"
    commit(
        remote,
        ".squad/decisions.md",
        "# Decisions\n\n### 2026-01-10T09:00:00Z: Log JSON\n**By:** Ann\n**What:** All.\n",
    )
    url = remote.as_uri()
    assert home("source", "add", url, "--name", "team").code == 0
    home("undo")
    assert known(home) == []
    home("redo")
    assert home("search", "json", "--json").json()["hits"][0]["source"] == "team"
    commit(remote, ".squad/decisions.md", "# Decisions\n")
    home("source", "update")
    assert home("search", "json", "--json").json()["hits"] == []
    home("undo")
    assert home("search", "json", "--json").json()["hits"][0]["source"] == "team"
    home("source", "remove", "team")
    home("undo")
    assert home("search", "json", "--json").json()["hits"][0]["source"] == "team"


def test_an_update_that_brings_nothing_is_no_step(home: Cli, tmp_path: Path) -> None:
    commit(tmp_path / "remote", ".squad/decisions.md", "# Decisions\n")
    home("source", "add", (tmp_path / "remote").as_uri())
    home("source", "update")
    assert len(home("undo", "--list", "--json").json()) == 1


def test_a_folder_without_memory_is_said(home: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no memory found in" in home("source", "add", str(tmp_path / "empty")).out


# What a session is told


def test_the_focus_of_init_does_not_grow_old(cli: Cli) -> None:
    commit(Path(), "src/a.py", "print(1)\n")
    cli("init")
    said = cli("start", "--no-record").out
    assert "Focus: The last commit is “Remember” of " in said
    assert "older" not in said
    put(Path(), "src/a.py", "print(2)\n")
    git = ("git", "-c", "user.name=Ann", "-c", "user.email=a@example.com")
    subprocess.run([*git, "commit", "-qam", "Count to two"], check=True)
    hook = cli("hook", "SessionStart", stdin='{"session_id": "s", "cwd": ".", "source": "startup"}').out
    for told in (cli("start", "--no-record").out, hook):
        assert "The last commit is “Count to two” of 20" in told
        assert "“Remember”" not in told


def test_the_focus_of_init_is_none_for_everybody(cli: Cli) -> None:
    commit(Path(), "src/a.py", "print(1)\n")
    cli("init")
    hook = cli("hook", "SessionStart", stdin='{"session_id": "s", "cwd": ".", "source": "startup"}').out
    for told in (cli("start", "--no-record").out, cli("context").out, hook):
        assert "; no focus is set" in told
    for task in ("count", "the last commit"):
        assert "The last commit is" not in cli("context", task).out
    cli("bank", "focus", "The last mile", "--replace")
    assert "The last mile" in cli("context", "count").out


def test_a_focus_that_a_person_set_stays(cli: Cli) -> None:
    commit(Path(), "src/a.py", "print(1)\n")
    cli("init")
    cli("bank", "focus", "The last mile", "--replace")
    assert "Focus: The last mile\n" in cli("start", "--no-record").out


OVER = {
    "bank superseded": (
        "memory-bank/decisionLog.md",
        "## Decision: Sessions live in Redis\n- **Date**: 2026-01-02\n- **Status**: Superseded by Sessions in Postgres\n"
        "- **Rationale**: Sessions live in Redis, as sessions live long.\n\n"
        "## Decision: Sessions in Postgres\n- **Date**: 2026-01-01\n- **Status**: Accepted\n- **Rationale**: One.\n",
    ),
    "bank deprecated": (
        "memory-bank/decisionLog.md",
        "## Decision: Sessions live in Redis\n- **Date**: 2026-01-02\n- **Status**: Deprecated\n"
        "- **Rationale**: Sessions live in Redis, as sessions live long.\n\n"
        "## Decision: Sessions in Postgres\n- **Date**: 2026-01-01\n- **Status**: Accepted\n- **Rationale**: One.\n",
    ),
    "sem expired": (
        ".squad/decisions.md",
        "### 2026-01-02T09:00:00Z: decision: Sessions live in Redis\n**type:** decision\n**author:** Ann\n"
        "**timestamp:** 2026-01-02T09:00:00Z\n**summary:** Sessions live in Redis, as sessions live long.\n"
        "**expires:** 2026-01-20\n\n"
        "### 2026-01-01T09:00:00Z: decision: Sessions in Postgres\n**type:** decision\n**author:** Ann\n"
        "**timestamp:** 2026-01-01T09:00:00Z\n**summary:** One server.\n",
    ),
    "sem superseded": (
        ".squad/decisions.md",
        "### 2026-01-02T09:00:00Z: decision: Sessions live in Redis\n**type:** decision\n**author:** Ann\n"
        "**timestamp:** 2026-01-02T09:00:00Z\n**summary:** Sessions live in Redis, as sessions live long.\n\n"
        "### 2026-01-03T09:00:00Z: decision: Sessions in Postgres\n**type:** decision\n**author:** Ann\n"
        "**timestamp:** 2026-01-03T09:00:00Z\n**summary:** One server.\n**supersedes:** 2026-01-02T09:00:00Z\n",
    ),
    "okf deprecated": (
        "knowledge/decisions/redis.md",
        "---\ntype: Decision\ntitle: Sessions live in Redis\nstatus: deprecated\n---\n\nSessions live in Redis; live long.\n",
    ),
    "cards expired": (
        "memories/3f2b0000-0000-4000-8000-000000000001.md",
        "---\nid: 3f2b0000-0000-4000-8000-000000000001\nsubject: Sessions live in Redis\nkeywords: [sessions, live]\n"
        "applies_to: global\noccurred_at: 2026-01-02T00:00:00Z\nexpires: 2026-01-20\n---\n\nSessions live in Redis.\n",
    ),
}
HOLDS = {
    "okf": (
        "knowledge/decisions/postgres.md",
        "---\ntype: Decision\ntitle: Sessions in Postgres\n---\n\nOne server.\n",
    ),
    "cards": (
        "memories/3f2b0000-0000-4000-8000-000000000002.md",
        "---\nid: 3f2b0000-0000-4000-8000-000000000002\nsubject: Sessions in Postgres\nkeywords: [sessions]\n"
        "applies_to: global\noccurred_at: 2026-01-01T00:00:00Z\n---\n\nThere sessions live now.\n",
    ),
}
"""What holds, where each record is a file."""


@pytest.mark.parametrize("case", OVER)
def test_what_is_over_is_never_first(cli: Cli, case: str, tmp_path: Path) -> None:
    name, text = OVER[case]
    put(Path(), name, text if text.startswith("---") else f"# Decisions\n\n{text}")
    if case.split()[0] in HOLDS:
        put(Path(), *HOLDS[case.split()[0]])
    if "okf" in case:
        put(Path(), "knowledge/index.md", "---\nokf_version: 0.2\n---\n# Knowledge\n")
    asked = "Where do sessions live?"
    prompt = cli("hook", "UserPromptSubmit", stdin=json.dumps({"session_id": "s", "cwd": ".", "prompt": asked})).out
    assert "Sessions in Postgres" in prompt
    assert "Redis" not in prompt.partition("Sessions in Postgres")[0]
    context = cli("context", asked, "--json").json()["text"]
    assert "Redis" not in context.partition("Sessions in Postgres")[0]
    with server(Path(), banks=tmp_path) as client:
        client.initialize()
        hits = client.value("search", words="sessions live")["hits"]
    assert hits[0]["title"] == "Sessions in Postgres"
    assert cli("search", "sessions live", "--json").json()["hits"][0]["title"] == "Sessions in Postgres"
    put(Path(), "AGENTS.md", "# Rules\n\nUse tabs.\n")  # from where hits come, too
    assert cli("search", "sessions live", "--json").json()["hits"][0]["title"] == "Sessions in Postgres"


# A bundle of knowledge that is the project


def test_a_bundle_that_is_the_root_is_written_where_it_is(cli: Cli) -> None:
    put(Path(), "index.md", "---\nokf_version: 0.2\n---\n# Knowledge\n\n* [tables](tables/index.md)\n")
    put(Path(), "log.md", "# Log\n\n## 2026-01-01\n\n* **Creation**: Added [Orders](/tables/orders.md).\n")
    put(Path(), "tables/index.md", "# Tables\n\n* [Orders](orders.md)\n")
    put(Path(), "tables/orders.md", "---\ntype: Table\ntitle: Orders\n---\n\nOne row each.\n")
    Path(".git").mkdir()
    before = {path: path.read_bytes() for path in Path().rglob("*.md")}
    assert cli("edit", "Orders", "--status", "deprecated").code == 0
    assert "**Deprecation**" in Path("log.md").read_text("utf-8")
    assert (
        cli("add", "note", "Pool", "--details", "Ten.", "--author", "Ann", "--json").json()["path"] == "notes/pool.md"
    )
    assert cli("add", "The queue has 20 workers", "--json").json()["path"].startswith("notes/")
    assert "(notes/index.md)" in Path("index.md").read_text("utf-8")
    assert {each["title"] for each in cli("list", "kind:note", "--json").json()} >= {"Orders", "Pool"}
    assert not Path("tables/log.md").exists()
    assert not Path(".squad").exists()
    for _ in range(3):
        assert cli("undo").code == 0
    assert {path: path.read_bytes() for path in Path().rglob("*.md")} == before


# Proposing


def proposed(cli: Cli, *more: str) -> Ran:
    put(Path(), "memory-bank/decisionLog.md", "# Decision Log\n")
    cli("add", "decision", "Services log JSON", "--why", "So that a search of logs understands it")
    return cli("propose", "Services log JSON", "--to", "team", *more)


def test_a_proposal_is_a_branch_that_somebody_else_takes(home: Cli, tmp_path: Path) -> None:
    team = tmp_path / "team"
    commit(team, ".squad/decisions.md", "# Decisions\n")
    home("source", "add", str(team), "--name", "team")
    done = proposed(home, "--json").json()
    assert (team / ".squad/decisions.md").read_text("utf-8") == "# Decisions\n"  # nothing is checked out
    shown = subprocess.run(
        ["git", "-C", str(team), "show", f"{done['branch']}:.squad/decisions.md"], capture_output=True, check=True
    )
    assert b"Services log JSON" in shown.stdout
    assert b"So that a search of logs understands it" in shown.stdout
    assert "+" in done["diff"]
    assert done["patch"] is None
    assert home("propose", "Services log JSON", "--to", "team").code == 3  # the branch is there already
    assert home("undo").code == 0
    left = subprocess.run(
        ["git", "-C", str(team), "branch", "--format=%(refname:short)"], capture_output=True, check=True
    )
    assert left.stdout == b"main\n"
    home("redo")
    subprocess.run(["git", "-C", str(team), "merge", "-q", done["branch"]], check=True)
    (hit,) = (each for each in home("search", "json", "--json").json()["hits"] if each["source"] == "team")
    assert hit["title"] == "Services log JSON"
    assert "already" in home("propose", "Services log JSON", "--to", "team").err


def test_the_reason_of_a_card_is_proposed_with_it(home: Cli, tmp_path: Path) -> None:
    commit(tmp_path / "team", ".squad/decisions.md", "# Decisions\n")
    home("source", "add", str(tmp_path / "team"), "--name", "team")
    put(Path(), "memories/README.md", "# Memories\n")
    home("add", "Sessions live in Redis", "--kind", "card", "--why", "Every request wrote a row.")
    diff = home("propose", "Sessions live in Redis", "--to", "team", "--dry-run").out
    assert "+**type:** decision" in diff
    assert "+**rationale:** Every request wrote a row." in diff
    assert diff.count("Sessions live in Redis") == 2  # its heading and its summary
    home("add", "Ports", "--kind", "card", "--content", "Status: open\nDate: any")
    assert "+Status: open" in home("propose", "Ports", "--to", "team", "--dry-run").out


@pytest.mark.parametrize("options", [(), ("--read-only",)])
def test_a_proposal_to_what_is_not_in_git_or_only_read_is_a_patch(
    home: Cli, tmp_path: Path, options: tuple[str, ...]
) -> None:
    team = tmp_path / "team"
    put(team, "memories/README.md", "# Memories\n")
    if options:
        commit(team, "memories/README.md", "# Memories\n")
    home("source", "add", str(team), "--name", "team", *options)
    before = {path: path.stat().st_mtime_ns for path in team.rglob("*")}
    ran = proposed(home)
    assert ran.code == 0
    assert {path: path.stat().st_mtime_ns for path in team.rglob("*")} == before
    done = subprocess.run(["git", "apply", "-"], cwd=team, input=ran.out.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done
    assert [path.name for path in team.glob("memories/*.md")] != ["README.md"]


def test_a_proposal_that_is_only_looked_at_leaves_no_branch(home: Cli, tmp_path: Path) -> None:
    team = tmp_path / "team"
    commit(team, "knowledge/index.md", "---\nokf_version: 0.2\n---\n# Knowledge\n")
    home("source", "add", str(team), "--name", "team")
    assert "+title: Services log JSON" in proposed(home, "--dry-run").out
    refs = subprocess.run(["git", "-C", str(team), "branch", "--list", "memdown/*"], capture_output=True, check=True)
    assert refs.stdout == b""


def test_a_credential_is_not_proposed(home: Cli, tmp_path: Path) -> None:
    commit(tmp_path / "team", ".squad/decisions.md", "# Decisions\n")
    home("source", "add", str(tmp_path / "team"), "--name", "team")
    put(Path(), "memory-bank/decisionLog.md", "# Decision Log\n")
    key = "AKIA" + "Z7QX4N2LMWRT5KVB"
    home("add", "decision", "Use the key", "--why", f"aws_access_key_id = {key}", "--allow-secret")
    ran = home("propose", "Use the key", "--to", "team")
    assert ran.code == 3
    assert key not in ran.out + ran.err
