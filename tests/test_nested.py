"""Memory of packages below a project: read from its root, by the name of its folder, and never written from there."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown import homes
from samples import memdown, put

Cli = Callable[..., Ran]
FOCUS = "# Active Context\n\n## Current Focus\nThe paging of invoices.\n"
API = "packages/api/memory-bank/activeContext.md"


def test_a_package_is_searched_listed_and_checked_from_the_root(cli: Cli) -> None:
    put(Path(), API, FOCUS)
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    assert [hit["path"] for hit in cli("search", "paging", "--json").json()["hits"]] == [API]
    assert API in cli("list").out
    assert cli("status", "--json").json()["nested"] == ["packages/api/memory-bank"]
    assert "packages/api/memory-bank" in cli("status").out
    assert {each["path"] for each in cli("check", "--json").json()} >= {API}
    assert API in cli("context", "paging").out


def test_it_is_noticed_when_it_comes_and_goes(cli: Cli) -> None:
    put(Path(), ".squad/decisions.md", "# Decisions\n")
    assert cli("search", "paging", "--json").json()["hits"] == []
    put(Path(), API, FOCUS)
    assert cli("search", "paging", "--json").json()["total"] == 1
    Path(API).unlink()
    Path(API).parent.rmdir()
    assert cli("search", "paging", "--json").json()["total"] == 0


def test_what_is_added_at_the_root_stays_there(cli: Cli) -> None:
    put(Path(), "packages/api/.squad/decisions.md", "# Decisions\n")
    put(Path(), ".ai-team/decisions.md", "# Decisions\n")
    assert cli("add", "decision", "Use SQLite", "--author", "Ann", "--json").json()["path"] == ".ai-team/decisions.md"


def test_a_root_without_memory_of_its_own_is_one(tmp_path: Path) -> None:
    put(tmp_path, API, FOCUS)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    put(tmp_path, "packages/web/index.js", "")
    event = json.dumps({"prompt": "How does the paging of invoices work?", "session_id": "s", "cwd": str(tmp_path)})
    said = memdown(tmp_path, "hook", "UserPromptSubmit", stdin=event)
    assert API in said.stdout
    assert API in memdown(tmp_path / "packages/web", "search", "paging").stdout
    own = memdown(tmp_path / "packages/api", "search", "paging").stdout
    assert " memory-bank/activeContext.md" in own


def test_few_folders_are_looked_at(tmp_path: Path) -> None:
    for name in ("node_modules/a/memory-bank", "a/b/c/memory-bank", ".hidden/memory-bank", "memory-bank"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("apps/web/memory_bank", "services/.squad", "libs/x/Memory-Bank"):
        (tmp_path / name).mkdir(parents=True)
    assert homes.nested(str(tmp_path)) == ["apps/web/memory_bank", "libs/x/Memory-Bank", "services/.squad"]


def test_a_team_that_decided_nothing_yet_is_briefed_by_its_files(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    put(tmp_path, "examples/a/.squad/team.md", "# Squad Team\n\n| Name | Role |\n|---|---|\n| Lisa | Lead |\n")
    put(tmp_path, "examples/a/.squad/decisions.md", "# Squad Decisions\n\n## Active Decisions\n")
    memdown(tmp_path, "index")
    said = memdown(tmp_path, "hook", "SessionStart", stdin=json.dumps({"session_id": "s", "cwd": str(tmp_path)}))
    assert "No entries yet; kept here (2 files): " in said.stdout
    assert "examples/a/.squad/team.md" in said.stdout


def test_memory_too_deep_to_be_found_by_itself_is_named(cli: Cli) -> None:
    put(Path.cwd(), "examples/one/two/three/.squad/decisions.md", "# Decisions\n")
    out = cli("search", "anything").out
    assert "there is 'examples/one/two/three/.squad' below it. Use --root" in out


@pytest.mark.parametrize("git", [True, False])
@pytest.mark.parametrize(
    "begun", ["# Decisions\n", "# Decisions\n\n### 2026-01-01: Gulls\n**By:** Ann\n**What:** Chips\n"]
)
@pytest.mark.parametrize("place", ["a/.squad", "src/a/.squad", "src/a/b/.squad", "one/two/three/four/.squad"])
def test_all_commands_agree_on_whether_there_is_memory_below(cli: Cli, place: str, begun: str, git: bool) -> None:
    if git:
        subprocess.run(["git", "init", "-q"], check=True)
    put(Path(), f"{place}/decisions.md", begun)
    for command in (("install", "claude", "--no-check"), ("status",), ("start",), ("prompt",)):
        said = cli(*command).out
        assert "No memory here yet" not in said, command
    assert place in cli("status").out
    found = "No memory found" not in cli("status").out
    assert ("Built the index" in cli("install", "cursor", "--no-check").out) == found
    assert (place in cli("install", "codex", "--no-check").out) == (not found)
