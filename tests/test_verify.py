"""Memory against the code, in real repositories: what moved, changed or is gone, and which commit did it."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import forks
from conftest import Ran
from memdown import dialects
from memdown.evidence import codefiles
from memdown.memory import Memory
from memdown.project import Project
from memdown.surfaces.cli import common
from samples import put

Cli = Callable[..., Ran]
BANK = "memory-bank/techContext.md"


def git(*args: str, at: str = "2026-01-01T00:00:00Z", cwd: str | None = None) -> str:
    name = ("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main")
    allowed = ("-c", "protocol.file.allow=always", "-c", "core.autocrlf=false")
    around = os.environ | {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    done = subprocess.run(
        ["git", *name, *allowed, *args], check=True, capture_output=True, text=True, env=around, cwd=cwd
    )
    return done.stdout.strip()


def commit(message: str, at: str = "2026-01-01T00:00:00Z") -> str:
    git("add", "--all")
    git("commit", "--quiet", f"--message={message}", at=at)
    return git("rev-parse", "HEAD")


def says(*lines: str) -> None:
    put(Path.cwd(), BANK, "\n".join(("# Tech Context", "", "## Key Components", *(f"- {line}" for line in lines), "")))


def stated(cli: Cli, *args: str) -> dict[str, dict[str, Any]]:
    return {each["claim"]: each for each in cli("verify", "--json", *args).json()}


@pytest.fixture
def repository(cli: Cli) -> Path:  # noqa: ARG001 - we are in its project
    git("init", "--quiet")
    return Path.cwd()


def test_a_chain_of_renames_is_followed(cli: Cli, repository: Path) -> None:
    put(repository, "src/db.py", "def connect() -> None: ...\n" * 5)
    says("`src/db.py` holds the pool.")
    commit("Begin")
    for old, new in (("src/db.py", "src/pool.py"), ("src/pool.py", "lib/pool.py"), ("lib/pool.py", "lib/pools.py")):
        (repository / new).parent.mkdir(exist_ok=True)
        git("mv", old, new)
        commit(f"Move to {new}", at="2026-01-02T00:00:00Z")
    first = git("log", "--reverse", "--format=%H", "--skip=0").split()[1]
    found = stated(cli)["src/db.py"]
    assert found | {"sure": 0} == {
        "id": found["id"],
        "path": BANK,
        "line": 4,
        "claim": "src/db.py",
        "kind": "path",
        "target": "src/db.py",
        "state": "moved",
        "now": "lib/pools.py",
        "commit": first,
        "since": "2026-01-02T00:00:00Z",
        "author": "Ann",
        "subject": "Move to src/pool.py",
        "note": None,
        "sure": 0,
        "title": found["title"],
        "evidence": "files",
    }
    ran = cli("verify")
    assert ran.code == 1
    assert f"src/db.py is now lib/pools.py, by {first[:8]} Move to src/pool.py (Ann, 2026-01-02)" in ran.out
    assert "> - `src/db.py` holds the pool." in ran.out


def test_a_folder_that_moved_and_one_that_is_gone(cli: Cli, repository: Path) -> None:
    for name in ("src/api/users.py", "src/api/orders.py", "old/a.py"):
        put(repository, name, f"# {name}\n" * 9)
    says("Handlers are in `src/api/`, scripts in `old/`.")
    commit("Begin")
    git("mv", "src/api", "src/handlers")
    git("rm", "-q", "old/a.py")
    head = commit("Tidy up")
    found = stated(cli)
    assert (found["src/api/"]["state"], found["src/api/"]["now"]) == ("moved", "src/handlers")
    assert (found["old/"]["state"], found["old/"]["commit"]) == ("gone", head)


def test_what_never_was_there_is_no_alarm(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n")
    says("`src/never.py` and `never_defined()` and `NEVER_SET`, `make never`, and `deadbee` too.")
    commit("Begin")
    ran = cli("verify", "--all")
    assert ran.code == 0
    assert {each["state"] for each in stated(cli).values()} == {"unknown"}
    assert "never_defined()" not in stated(cli)  # it may be of a library
    assert stated(cli)["src/never.py"]["note"] == "not found, and git never had it"


def test_case_alone(cli: Cli, repository: Path) -> None:
    put(repository, "src/UserList.tsx", "export const UserList = 1\n")
    says("`src/userList.tsx` shows users.")
    commit("Begin")
    found = stated(cli)["src/userList.tsx"]
    assert (found["state"], found["now"], found["note"]) == ("moved", "src/UserList.tsx", "only the case differs")
    assert found["commit"] is None  # it never was spelled so
    git("mv", "src/UserList.tsx", "src/Userlist.tsx")
    says("`src/UserList.tsx` shows users.")
    renamed = commit("Rename")
    found = stated(cli)["src/UserList.tsx"]
    assert (found["now"], found["commit"]) == ("src/Userlist.tsx", renamed)


def test_case_alone_of_a_short_path_has_its_commit(cli: Cli, repository: Path) -> None:
    put(repository, "packages/web/src/App.tsx", "export const shown = 1\n")
    says("`src/App.tsx` shows users.")
    commit("Begin")
    git("mv", "packages/web/src/App.tsx", "packages/web/src/app.tsx")
    renamed = commit("Rename")
    found = stated(cli)["src/App.tsx"]
    assert (found["state"], found["now"], found["commit"]) == ("moved", "packages/web/src/app.tsx", renamed)


def test_a_package_of_a_monorepo_names_its_own_files(cli: Cli, repository: Path) -> None:
    put(repository, "packages/web/src/app.ts", "export {}\n")
    says("`src/app.ts` starts it, and `web/src/` has the rest.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}


def test_a_path_that_leads_from_one_package_to_another(cli: Cli, repository: Path) -> None:
    put(repository, "packages/web/src/app.ts", "export const app = 1\n" * 5)
    put(repository, "packages/web/src/kept.ts", "export const kept = 1\n" * 5)
    put(
        repository, "packages/api/memory-bank/techContext.md", "# Tech\n\n- `../web/src/app.ts`, `../web/src/kept.ts`\n"
    )
    commit("Begin")
    git("mv", "packages/web/src/app.ts", "packages/web/src/main.ts")
    commit("Move")
    found = stated(cli, "--root", "packages/api")
    assert (found["../web/src/app.ts"]["state"], found["../web/src/app.ts"]["now"]) == (
        "moved",
        "packages/web/src/main.ts",
    )
    assert found["../web/src/kept.ts"]["state"] == "fresh"


def test_symbols_constants_and_variables(cli: Cli, repository: Path) -> None:
    put(
        repository,
        "src/a.py",
        "POOL_SIZE = 10\n\n\ndef old_name() -> None: ...\n\n\nclass Pool:\n    def take(self): ...\n",
    )
    put(repository, "src/b.ts", "export function listUsers() {}\nconst url = process.env.DATABASE_URL\n")
    says(
        "`old_name()` opens `Pool.take`, listed by `listUsers`.",
        "`POOL_SIZE = 10`, at `DATABASE_URL`.",
    )
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    put(
        repository,
        "src/a.py",
        "POOL_SIZE = 20\n\n\ndef new_name() -> None: ...\n\n\nclass Pool:\n    def take(self): ...\n",
    )
    one = commit("Rename")
    put(repository, "src/b.ts", "export function everyUser() {}\nconst url = process.env.DB_URL\n")
    two = commit("Shorten")
    commit_of = {claim: (each["state"], each["commit"]) for claim, each in stated(cli).items()}
    assert commit_of == {
        "old_name()": ("gone", one),
        "Pool.take": ("fresh", None),
        "listUsers": ("gone", two),
        "POOL_SIZE = 10": ("changed", one),
        "DATABASE_URL": ("gone", two),
    }


def test_versions_and_commands(cli: Cli, repository: Path) -> None:
    put(repository, "package.json", '{"scripts": {"build": "x", "e2e": "y"}, "dependencies": {"react": "^18.2.0"}}')
    put(repository, "Makefile", "lint: src\n\ttrue\n")
    says("React 18.2, Phase 2", "`npm run e2e`, `npm run build`, `make lint`, `npm install`")
    commit("Begin")
    assert {claim: each["state"] for claim, each in stated(cli).items()} == {
        "18.2": "fresh",
        "npm run e2e": "fresh",
        "npm run build": "fresh",
        "make lint": "fresh",
    }
    put(repository, "package.json", '{"scripts": {"build": "x", "e2e": "y"}, "dependencies": {"react": "^19.0.0"}}')
    one = commit("Take React 19")
    put(repository, "package.json", '{"scripts": {"build": "x"}, "dependencies": {"react": "^19.0.0"}}')
    put(repository, "Makefile", "check: src\n\ttrue\n")
    two = commit("Drop scripts")
    put(repository, "src/later.py", "")
    commit("Something else")
    found = stated(cli)
    assert [found["18.2"][key] for key in ("state", "now", "commit")] == ["changed", "^19.0.0 (package.json)", one]
    assert [found["npm run e2e"][key] for key in ("state", "commit")] == ["gone", two]
    assert [found["make lint"][key] for key in ("state", "commit")] == ["gone", two]
    assert found["npm run build"]["state"] == "fresh"


def test_cited_and_quoted_lines(cli: Cli, repository: Path) -> None:
    code = [f"line_{number} = {number}\n" for number in range(20)]
    put(repository, "src/a.py", "".join(code))
    quoted = "".join(code[4:8])
    put(
        repository,
        BANK,
        f"# Tech\n\nSee `src/a.py:3` and `src/a.py:16`.\n\nAs in `src/a.py`:\n\n```python\n{quoted}```\n",
    )
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    put(
        repository,
        "src/a.py",
        "".join(["import os\n"] * 9 + code[:2] + ["other = 2\n", *code[3:6], "new = 6\n", *code[7:]]),
    )
    head = commit("Rewrite")
    found = stated(cli)
    assert (found["src/a.py:3"]["state"], found["src/a.py:3"]["commit"]) == ("changed", head)
    assert (found["src/a.py:16"]["state"], found["src/a.py:16"]["now"]) == ("moved", "src/a.py:25")
    quotes = [each for each in found.values() if each["kind"] == "quote"]
    assert [(each["state"], each["commit"]) for each in quotes] == [("changed", head)]


@pytest.mark.parametrize(
    "line",
    [
        "`src/a.py` was moved to `src/b.py`.",
        "Deleted `src/a.py` in favour of the other.",
        "We will create `src/a.py`.",
        "For instance `src/a.py` or some such.",
        "~~`src/a.py` holds it.~~",
        "2026-01-03: touched `src/a.py`.",
        "[ ] `src/a.py` holds it.",
    ],
)
def test_the_past_and_plans_are_no_statement(cli: Cli, repository: Path, line: str) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(repository, "src/b.py", "y = 1\n" * 9)
    says(line)
    commit("Begin")
    git("rm", "-q", "src/a.py")
    commit("Drop it")
    assert [each for each in cli("verify", "--json").json() if each["state"] != "fresh"] == []


def test_records_that_are_over_are_no_statement(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(
        repository,
        "memory-bank/edit_history.md",
        "# Edit History\n\n### 2026-01-02\n\n#### 10:00 UTC - T1: Move\n- Deleted `src/a.py` - gone\n- Modified `src/a.py` - x\n",
    )
    put(repository, "memory-bank/archive/old.md", "# Old\n\n`src/a.py` holds it.\n")
    put(
        repository,
        "memory-bank/progress.md",
        "# Progress\n\n## What Works\n- [x] `src/a.py`\n\n## Recent Changes\n- `src/a.py` is there\n",
    )
    commit("Begin")
    git("rm", "-q", "src/a.py")
    commit("Drop it")
    assert cli("verify", "--json").json() == []


def test_what_a_branch_makes_untrue(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(repository, "src/b.py", "y = 2\n" * 9)
    says("`src/a.py` and `src/b.py` hold it.")
    commit("Begin")
    git("rm", "-q", "src/a.py")
    base = commit("Drop a")
    assert cli("verify", "--since", base).out == f"0 statements in memory became untrue since {base}.\n"
    git("rm", "-q", "src/b.py")
    assert [each["claim"] for each in cli("verify", "--changed", "--json").json()] == ["src/b.py"]
    commit("Drop b")
    ran = cli("verify", "--since", base, "--format", "github")
    assert ran.code == 1
    annotation, summary = ran.out.splitlines()
    assert annotation.startswith(f"::error file={BANK},line=4,title=memory gone::src/b.py is gone, by ")
    assert annotation.endswith("Memory says: - `src/a.py` and `src/b.py` hold it.")
    assert summary.endswith("::This pull request makes 1 statement in memory untrue")
    assert cli("verify", "--fail-on", "moved").code == 0
    assert cli("verify", "--since", "none").err.startswith("memdown: Git knows no revision 'none' here")


def test_uncommitted_moves(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(repository, "src/b.py", "y = 1\n" * 9)
    says("`src/a.py` and `src/b.py` hold it.")
    commit("Begin")
    git("mv", "src/a.py", "src/c.py")
    (repository / "lib").mkdir()
    (repository / "src/b.py").rename(repository / "lib/b.py")
    found = stated(cli)
    assert [(each["state"], each["now"], each["commit"]) for each in found.values()] == [
        ("moved", "src/c.py", None),
        ("moved", "lib/b.py", None),
    ]


def test_a_file_that_was_renamed_without_git_is_found_by_its_lines(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "".join(f"a_{each} = 1\n" for each in range(9)))
    put(repository, "src/b.py", "".join(f"b_{each} = 1\n" for each in range(9)))
    put(repository, "src/c.py", "c = 1\n")
    says("`src/a.py`, `src/b.py` and `src/c.py` hold it.")
    commit("Begin")
    (repository / "src/a.py").rename(repository / "src/x.py")
    (repository / "src/b.py").unlink()
    put(repository, "src/y.py", "import os\r\n" + "".join(f"b_{each} = 1\r\n" for each in range(8)))
    (repository / "src/c.py").unlink()
    put(repository, "src/z.py", "d = 1\n")
    found = stated(cli)
    assert [(each["state"], each["now"], each["note"]) for each in found.values()] == [
        ("moved", "src/x.py", "not committed"),
        ("moved", "src/y.py", "not committed"),
        ("gone", None, "not committed"),
    ]


def test_a_shallow_clone_says_that_it_cannot_know(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    says("`src/a.py` holds it.")
    commit("Begin")
    git("rm", "-q", "src/a.py")
    commit("Drop it")
    put(repository, "src/c.py", "")
    commit("Something else")
    git("clone", "--quiet", "--depth=1", repository.as_uri(), "../shallow")
    found = cli("verify", "--root", "../shallow", "--json").json()
    assert [each["state"] for each in found] == ["unknown"]
    assert "this is a shallow clone" in found[0]["note"]


def test_worktrees_and_submodules(cli: Cli, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    put(other, "src/inner.py", "z = 1\n")
    git("init", "--quiet", cwd=str(other))
    git("add", "--all", cwd=str(other))
    git("commit", "--quiet", "--message=x", cwd=str(other))
    git("submodule", "--quiet", "add", other.as_uri(), "vendored")
    put(repository, "src/a.py", "x = 1\n" * 9)
    says("`src/a.py` holds it, `vendored/src/inner.py` helps.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    git("worktree", "add", "--quiet", "../tree", "-b", "side")
    git("rm", "-q", "src/a.py", cwd="../tree")
    git("commit", "--quiet", "--message=Drop", cwd="../tree")
    found = {each["claim"]: each for each in cli("verify", "--root", "../tree", "--json").json()}
    assert found["src/a.py"]["state"] == "gone"
    assert found["vendored/src/inner.py"]["note"] == "it is in the submodule vendored, which is not checked out"


def test_without_git(cli: Cli) -> None:
    put(Path.cwd(), "src/a.py", "POOL_SIZE = 20\n")
    says("`src/a.py` and `src/b.py` hold it.", "`POOL_SIZE = 10`, `other_name()`")
    found = stated(cli)
    assert {claim: (each["state"], each["commit"]) for claim, each in found.items()} == {
        "src/a.py": ("fresh", None),
        "src/b.py": ("gone", None),
        "POOL_SIZE = 10": ("changed", None),
        "other_name()": ("unknown", None),
    }
    assert cli("verify", "--changed").code == 2


def test_one_record_or_one_file(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n")
    put(repository, "src/b.py", "x = 1\n")
    says("`src/a.py` holds it.")
    put(repository, ".squad/decisions.md", "# Decisions\n\n`src/b.py` is the other.\n")
    commit("Begin")
    assert [*stated(cli, "src/a.py")] == ["src/a.py"]
    assert [*stated(cli, ".squad")] == ["src/b.py"]
    assert [*stated(cli, f"{BANK}:4")] == ["src/a.py"]
    assert cli("verify", "no such thing").code == 1


def test_declared_claims(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "POOL = 10\n\n\ndef take() -> None: ...\n")
    put(
        repository,
        BANK,
        "# Tech\n\nThe pool.\n<!-- memdown: claims src/a.py, src/a.py::take, src/a.py::POOL=10, !src/old.py -->\n",
    )
    commit("Begin")
    assert [(each["target"], each["state"]) for each in cli("verify", "--json").json()] == [
        ("src/a.py", "fresh"),
        ("src/a.py::take", "fresh"),
        ("src/a.py::POOL=10", "fresh"),
        ("!src/old.py", "fresh"),
    ]
    put(repository, "src/a.py", "POOL = 11\n")
    put(repository, "src/old.py", "def take() -> None: ...\n")
    head = commit("Change")
    assert [(each["state"], each["now"], each["commit"]) for each in cli("verify", "--json").json()] == [
        ("fresh", None, None),
        ("moved", "src/old.py::take", head),
        ("changed", "11", head),
        ("changed", "it is there", None),
    ]


def test_no_memory_and_no_statement(cli: Cli) -> None:
    assert cli("verify").out.startswith("No memory found in ")
    says("Nothing that could be looked up.")
    assert cli("verify").out == "Memory says nothing about the code that can be verified.\n"


def test_a_draft_says_what_is_there_now(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "POOL_SIZE = 10\n" + "x = 1\n" * 9)
    put(repository, "package.json", '{"dependencies": {"react": "^18.2.0"}}')
    says("`src/a.py` sets `POOL_SIZE = 10` ([it](../src/a.py)).", "React 18.2", "`src/a.py:2` too.")
    commit("Begin")
    git("mv", "src/a.py", "src/b.py")
    put(repository, "package.json", '{"dependencies": {"react": "^19.1.2"}}')
    commit("Move")
    put(repository, "src/b.py", "POOL_SIZE = 20\n" + "x = 1\n" * 9)
    commit("Enlarge")
    before = (repository / BANK).read_text("utf-8")
    ran = cli("verify", "--draft")
    assert "+- `src/b.py` sets `POOL_SIZE = 20` ([it](../src/b.py))." in ran.out
    assert (ran.code, cli("verify").code, cli("verify", "--draft", "--fail-on", "none").code) == (1, 1, 0)
    assert (repository / BANK).read_text("utf-8") == before
    assert cli("verify", "--draft", "--apply").code == 0
    after = before.replace("src/a.py", "src/b.py").replace("= 10", "= 20").replace("18.2", "19.1")
    assert (repository / BANK).read_text("utf-8") == after
    assert cli("verify").code == 0
    assert cli("undo").code == 0
    assert (repository / BANK).read_text("utf-8") == before


def test_a_card_is_left_to_its_writer(cli: Cli, repository: Path) -> None:
    """Its content is its identity, and has a hash."""
    put(repository, "src/a.py", "x = 1\n" * 9)
    cli("add", "card", "Where it is", "-k", "pool", "--content", "`src/a.py` holds the pool of connections.")
    commit("Begin")
    git("mv", "src/a.py", "src/b.py")
    commit("Move")
    applied = cli("verify", "--draft", "--apply", "--json")
    ran = applied.json()
    assert (applied.code, ran["files"], len(ran["left"])) == (1, [], 1)
    [card] = repository.glob("memories/*.md")
    told = cli("verify", "--draft").out
    assert f"moved    {card.relative_to(repository)}:" in told
    assert told.endswith("0 statements fixable, 1 left for you to decide: edit, or --confirm what is still valid.\n")


def test_a_person_confirms_a_record(cli: Cli, repository: Path) -> None:
    git("config", "user.name", "Ann")
    put(repository, "src/a.py", "x = 1\n" * 9)
    says("`src/a.py` holds it.")
    cli("add", "card", "Where it is", "-k", "pool", "--content", "`src/a.py` holds the pool of connections.")
    commit("Begin")
    git("rm", "-q", "src/a.py")
    commit("Drop", at="2026-01-20T00:00:00Z")
    ids = [each["id"] for each in cli("verify", "--json").json()]
    assert len(ids) == 2
    ran = cli("verify", "--confirm", *ids)
    assert ran.out.count(" by Ann on 2026-02-01") == 2
    assert cli("verify").code == 0
    assert {each["note"] for each in cli("verify", "--json").json()} == {"confirmed by Ann on 2026-02-01"}
    assert cli("check", "--select", "CRD").out == "All checks passed (2 files).\n"
    assert "<!-- memdown: verified 2026-02-01 by Ann -->" in (repository / BANK).read_text("utf-8")
    cli("verify", "--confirm", *ids)
    assert (repository / BANK).read_text("utf-8").count("verified") == 1
    assert cli("verify", "--confirm").code == 2
    assert cli("verify", "--apply").code == 2


def test_answers_are_kept_until_something_changes(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    says("`src/a.py` holds it.")
    commit("Begin")
    cli("index")
    first = cli("verify", "--json").json()
    assert cli("verify", "--json").json() == first
    (repository / "src/a.py").unlink()
    assert [each["state"] for each in cli("verify", "--json").json()] == ["gone"]
    told = cli("verify").out.splitlines()  # names no draft, which would be empty
    assert told[-1] == "Edit it, or run `memdown verify --confirm PATH:LINE` for what is still valid."
    says("Nothing is said of it.")
    assert cli("verify", "--json").json() == []


def test_a_run_with_nothing_changed_looks_at_each_file_of_memory_once(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    says("`src/a.py` holds it.")
    commit("Begin")
    with Memory.open(repository) as memory:
        with memory.indexed().writing() as db:  # as if written long ago, so that no change could have gone unseen
            db.execute("update meta set value = 0 where key = 'racy'")
        first = memory.verify()
        monkeypatch.setattr(Project, "names", lambda _: pytest.fail("the index knows what is there"))
        assert memory.verify() == first
    assert [each.state for each in first] == ["fresh"]


def test_what_memory_says_of_a_file_is_said_with_what_no_longer_holds(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    put(repository, "src/b.py", "POOL_SIZE = 10\n")
    says("`src/b.py` sets `POOL_SIZE = 10` for `src/a.py`.")
    commit("Begin")
    assert [each["states"] for each in cli("for", "src/b.py", "--json").json()] == [[]]
    git("mv", "src/a.py", "src/c.py")
    put(repository, "src/b.py", "POOL_SIZE = 20\n")
    commit("Change")
    found = cli("for", "src/b.py", "--json").json()
    assert [each["states"] for each in found] == [
        ["POOL_SIZE = 10 is changed, now 20", "src/a.py is moved, now src/c.py"]
    ]
    assert "  no longer true: src/a.py is moved, now src/c.py\n" in cli("for", "src/b.py").out


def test_what_a_record_says_twice_is_marked_once(cli: Cli, repository: Path) -> None:
    put(repository, "src/db.py", "def connect() -> None: ...\n" * 5)
    put(repository, "src/old.py", "one = 1\ntwo = 2\nthree = 3\n")
    says("`src/old.py` bills for `src/db.py`, and `src/old.py` pays:\n\n```python\none = 1\ntwo = 2\nthree = 3\n```")
    commit("Begin")
    cli("index")
    put(repository, "src/old.py", "one = 1\ntwo = 3\nthree = 3\n")
    commit("Change")
    assert [each["states"] for each in cli("for", "src/db.py", "--json").json()] == [
        ["the quotation of src/old.py is changed"]
    ]
    git("rm", "-q", "src/old.py")
    commit("Remove")
    assert [hit["untrue"] for hit in cli("search", "bills", "--json").json()["hits"]] == [
        [f"src/old.py is gone since {git('rev-parse', '--short=7', 'HEAD')}"]
    ]
    assert prompted(repository, "who bills").count("[gone]") == 1


def prompted(repository: Path, prompt: str) -> str:
    given = json.dumps({"cwd": str(repository), "prompt": prompt, "session_id": prompt})
    ran = forks.run(
        [sys.executable, "-m", "memdown", "hook", "UserPromptSubmit"],
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(ran.stdout)["hookSpecificOutput"]["additionalContext"]) if ran.stdout else ""


def test_what_is_gone_is_marked_wherever_memory_is_recalled(cli: Cli, repository: Path) -> None:
    put(repository, "src/db.py", "def connect() -> None: ...\n" * 5)
    put(repository, "src/old.py", "x = 1\n" * 9)
    text = "# Tech Context\n\n## Connection pooling\n- `src/db.py` holds the pool.\n\n## Legacy billing\n- `src/old.py` bills.\n"
    put(repository, BANK, text)
    focus = "# Active Context\n\n## Current Focus\nThe billing of `src/old.py` is slow.\n"
    put(repository, "memory-bank/activeContext.md", focus)
    commit("Begin")
    assert all(hit["untrue"] == [] for hit in cli("search", "billing", "--json").json()["hits"])
    git("rm", "-q", "src/old.py")
    assert "src/old.py is gone" in cli("search", "billing").out  # before it is committed
    git("mv", "src/db.py", "src/pool.py")
    head = commit("Tidy up")[:7]
    found = {hit["title"]: hit["untrue"] for hit in cli("search", "billing OR pooling", "--json").json()["hits"]}
    assert found["Legacy billing"] == [f"src/old.py is gone since {head}"]
    assert found["Connection pooling"] == [f"src/db.py is now src/pool.py since {head}"]
    assert f"[src/old.py is gone since {head}]" in cli("start").out
    assert f"stale: src/old.py is gone since {head}" in cli("context", "legacy billing").out
    told = prompted(repository, "How does the legacy billing work?")
    assert f"stale: Legacy billing (memory-bank/techContext.md:6; src/old.py is gone since {head})" in told
    assert "`src/old.py` [gone] bills." in told
    put(repository, "src/old.py", "x = 1\n")
    assert "gone" not in cli("search", "legacy billing").out  # it is there again


def test_what_is_untrue_comes_after_what_holds(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n")
    put(repository, "src/b.py", "x = 1\n")
    put(
        repository,
        BANK,
        "# Tech\n\n## Retry policy of orders\n- `src/a.py` retries.\n\n## Retry policy of users\n- `src/b.py` retries.\n",
    )
    commit("Begin")
    for gone, first in (("src/a.py", "Retry policy of users"), ("src/b.py", "Retry policy of orders")):
        (repository / gone).unlink()
        hits = cli("search", "retry policy", "--json", "--explain").json()["hits"]
        assert hits[0]["title"] == first
        assert "times untrue" in next(hit["why"] for hit in hits if hit["untrue"])
        git("checkout", "--", gone)


def test_verify_notes_versions_for_recall_and_confirming_clears_them(cli: Cli, repository: Path) -> None:
    put(repository, "package.json", '{"dependencies": {"react": "18.2.0"}}')
    put(repository, BANK, "# Tech Context\n\n## Frontend stack\n- React 18.2 renders the pages.\n")
    commit("Begin")
    put(repository, "package.json", '{"dependencies": {"react": "19.0.0"}}')
    head = commit("Upgrade")[:7]
    assert cli("search", "frontend", "--json").json()["hits"][0]["untrue"] == []
    assert cli("verify").code == 1
    [hit] = cli("search", "frontend stack", "--json").json()["hits"][:1]
    assert hit["untrue"] == [f"react 18.2 is now 19.0.0 (package.json) since {head}"] or "19.0.0" in hit["untrue"][0]
    cli("verify", "--confirm", hit["id"])
    assert cli("search", "frontend stack", "--json").json()["hits"][0]["untrue"] == []


def test_a_cited_function_is_changed_when_its_own_body_is(cli: Cli, repository: Path) -> None:
    git("config", "user.name", "Ann")
    body = "def take(n: int) -> int:\n    return n\n"
    put(repository, "src/a.py", f"{body}\n\ndef other() -> None: ...\n")
    says("`src/a.py::take` hands out connections.")
    commit("Begin")
    docstring = body.replace("    return", '    """Take one."""\n    # as it is\n    return')
    put(repository, "src/a.py", f"X = 1\n\n\n{docstring}\n\ndef other() -> int:\n    return 2\n")
    commit("Change what is around it")
    assert [each["state"] for each in stated(cli).values()] == ["fresh"]
    put(repository, "src/a.py", body.replace("return n", "return n + 1"))
    head = commit("Change it", at="2026-01-02T00:00:00Z")
    [found] = stated(cli).values()
    assert (found["state"], found["commit"], found["note"]) == ("changed", head, "its body changed")
    assert [each["code"] for each in cli("check", "--select", "VER", "--json").json()] == ["VER005"]
    assert cli("verify", "--confirm", found["id"]).code == 0
    commit("Confirm", at="2026-01-03T00:00:00Z")
    assert cli("verify").code == 0
    put(repository, "src/a.py", body.replace("return n", "return n + 2"))
    again = commit("Change it again", at="2026-02-03T00:00:00Z")
    assert [(each["state"], each["commit"]) for each in stated(cli).values()] == [("changed", again)]


def test_check_reports_what_verify_finds_where_it_is_asked_to(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "POOL_SIZE = 10\n" + "x = 1\n" * 9)
    put(repository, "src/b.py", "y = 1\n" * 9)
    put(repository, "src/c.py", "".join(f"z = {number}\n" for number in range(9)))
    put(repository, "package.json", '{"dependencies": {"react": "18.2.0"}}')
    says("`src/a.py` sets `POOL_SIZE = 10`.", "React 18.2 renders.", "`src/b.py` bills.", "`src/c.py:9` ends.")
    put(repository, ".squad/decisions.md", "# Decisions\n\n### 2026-01-02: Keep it in `src/a.py`\n**By:** Ann\n")
    commit("Begin")
    assert cli("check", "--select", "VER").out == "All checks passed (2 files).\n"
    git("mv", "src/a.py", "src/d.py")
    git("rm", "-q", "src/b.py")
    put(repository, "package.json", '{"dependencies": {"react": "19.1.0"}}')
    put(repository, "src/c.py", "z = 1\n" * 3)
    commit("Tidy up")
    put(repository, "src/d.py", "POOL_SIZE = 20\n" + "x = 1\n" * 9)
    head = commit("Enlarge")
    assert "VER" not in cli("check").out
    found = cli("check", "--select", "VER", "--json").json()
    assert [(each["code"], each["line"], (each["fix"] or {}).get("applicability")) for each in found] == [
        ("VER001", 4, "safe"),
        ("VER004", 4, "unsafe"),
        ("VER003", 5, "unsafe"),
        ("VER002", 6, None),
        ("VER005", 7, None),
        ("VER001", 3, "safe"),
    ]
    assert found[1]["message"] == f"'POOL_SIZE = 10' is now 20 since {head[:7]} (Ann, 2026-01-01); correct it."
    before = (repository / BANK).read_text("utf-8")
    assert cli("check", "--select", "VER", "--fix").code == 0
    assert (repository / BANK).read_text("utf-8") == before.replace("src/a.py", "src/d.py")
    cli("check", "--select", "VER003,VER004", "--fix", "--unsafe-fixes")
    after = before.replace("src/a.py", "src/d.py").replace("= 10", "= 20").replace("18.2", "19.1")
    assert (repository / BANK).read_text("utf-8") == after
    cli("index")
    assert [each["code"] for each in cli("check", "--select", "VER", "--json").json()] == ["VER002", "VER005"]


def test_constants_and_names_that_are_gone_are_found_in_few_questions(
    cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"LIMIT_{letter}" for letter in "ABCDEFGH"]
    put(repository, "src/conf.py", "".join(f"{name} = 1\n" for name in names) + "def take_one(): ...\n")
    says(*(f"`{name} = 1` holds." for name in names), "`take_one()` takes one.", "`take_two()` takes two.")
    begun = commit("Begin")
    put(repository, "src/conf.py", "".join(f"{name} = 2\n" for name in names))
    changed = commit("Change")
    asked: list[tuple[str, ...]] = []
    real = subprocess.Popen

    class Counted(real):  # type: ignore[misc, valid-type]
        def __init__(self, args: list[str], *rest: object, **more: object) -> None:
            asked.append(tuple(args))
            super().__init__(args, *rest, **more)

    monkeypatch.setattr("memdown.git.subprocess.Popen", Counted)
    monkeypatch.setattr("memdown.git.process.subprocess.Popen", Counted)
    found = stated(cli)
    assert {found[f"{name} = 1"]["commit"] for name in names} == {changed}
    assert (found["take_one()"]["state"], "take_two()" in found) == ("gone", False)
    logs = [each for each in asked if "log" in each and "-p" in each]
    assert len(logs) <= 2, logs
    assert begun


def test_a_long_run_says_so_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for quiet in (False, True):
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setattr(common, "_PROGRESS_SECONDS", 0.01)
        with common.Invocation(None, json=False, quiet=quiet).waiting("comparing"):
            for _ in range(200):
                if "comparing" in screen.getvalue() or quiet:
                    break
                time.sleep(0.01)
        assert ("comparing (0 s)" in screen.getvalue()) == (not quiet)


def test_a_file_that_changed_costs_only_itself(cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for each in "abc":
        put(repository, f"src/{each}.py", f"LIMIT_{each.upper()} = 1\n\n\ndef take_{each}(): ...\n")
    says("`src/a.py` has `take_a()` and `LIMIT_A = 1`.", "Sessions run on port 5001.")
    put(
        repository,
        "memory-bank/systemPatterns.md",
        "# System Patterns\n\n## Parts\n\n`take_b()` and `take_c()` take.\n",
    )
    commit("Begin")
    cli("index")
    read: list[Any] = []
    parse, wanted_in = dialects.parse, codefiles.wanted_in

    def noted(path: str, *args: Any, **more: Any) -> Any:
        read.append(path)
        return parse(path, *args, **more)

    def looked(data: bytes, *args: Any, **more: Any) -> Any:
        read.append(data)
        return wanted_in(data, *args, **more)

    monkeypatch.setattr(dialects, "parse", noted)
    monkeypatch.setattr(codefiles, "wanted_in", looked)
    first = stated(cli)
    assert len(read) == 2 + 3  # of memory and of code
    put(repository, "src/b.py", "def take_x(): ...\n")
    (repository / BANK).write_text((repository / BANK).read_text("utf-8") + "- `take_c()` too.\n", "utf-8")
    read.clear()
    again = stated(cli)
    assert {BANK} == {each for each in read if isinstance(each, str)}
    assert [each for each in read if isinstance(each, bytes) and b"take_x" in each] == [b"def take_x(): ...\n"]
    assert not any(b"take_a" in each or b"take_c" in each for each in read if isinstance(each, bytes))
    (repository / ".memdown/index.db").unlink()
    fresh = stated(cli)
    assert again == fresh
    assert again["take_b()"]["state"] == "gone" != first["take_b()"]["state"]


def test_a_name_that_memory_did_not_have_before_is_looked_for_in_all_code(cli: Cli, repository: Path) -> None:
    for each in "abc":
        put(repository, f"src/{each}.py", f"def take_{each}(): ...\n")
    says("`take_a()` takes.", "`take_b()` takes.")
    commit("Begin")
    cli("index")
    assert {target: each["state"] for target, each in stated(cli).items()} == {"take_a()": "fresh", "take_b()": "fresh"}
    for texts in (["`take_b()` takes.", "`take_c()` takes."], ["`take_c()` takes."], ["`take_a()` takes."]):
        says(*texts)
        kept = stated(cli)
        assert {each["state"] for each in kept.values()} == {"fresh"}
        assert len(kept) == len(texts)


def test_requirements_are_read_however_deep_their_folder_is(cli: Cli, repository: Path) -> None:
    put(repository, "requirements/extras/azure.txt", "azure-storage==0.36.0\n")
    says("Blobs are kept with azure-storage 0.36.")
    commit("Begin")
    assert [each["state"] for each in stated(cli).values()] == ["fresh"]
    put(repository, "requirements/extras/azure.txt", "azure-storage-blob>=12.15.0\n")
    commit("Change blobs")
    found = stated(cli)
    assert [(each["state"], each["subject"]) for each in found.values()] == [("gone", "Change blobs")]


def test_a_constant_with_an_annotation_in_quotes_has_the_value_behind_it(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "LINE_END = 'x'\n")
    says("`LINE_END = 'x'` ends lines.")
    commit("Begin")
    put(repository, "src/a.py", "LINE_END: \"te.Literal['x', 'y']\" = 'x'\n")
    commit("Annotate")
    assert [each["state"] for each in stated(cli).values()] == ["fresh"]


def test_a_class_that_a_module_exports_is_defined(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.js", "module.exports = class TrackingSet {\n  take() {}\n};\n")
    says("`TrackingSet` keeps them.")
    commit("Begin")
    assert [each["state"] for each in stated(cli).values()] == ["fresh"]
    put(repository, "src/a.js", "module.exports = class Other {\n  take() {}\n};\n")
    commit("Rename it")
    assert [(each["state"], each["subject"]) for each in stated(cli).values()] == [("gone", "Rename it")]


def test_what_setup_py_spells_out_is_a_manifest(cli: Cli, repository: Path) -> None:
    setup = "setup(\n    python_requires='>=3.5',\n    install_requires=['attrs==19.1', 'six'],\n)\n"
    put(repository, "setup.py", setup)
    says("Needs Python >= 3.5.", "Uses attrs 19.1.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    put(repository, "setup.py", setup.replace("3.5", "3.8").replace("19.1", "23.1"))
    commit("Raise")
    ran = cli("verify")
    assert ran.code == 1
    assert "Python >=3.5 is now >=3.8 (setup.py)" in ran.out
    assert "attrs 19.1 is now ==23.1 (setup.py)" in ran.out or "attrs 19.1 is now 23.1 (setup.py)" in ran.out


def test_no_uncommitted_change_is_said_as_such(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n")
    says("`src/a.py` holds it.")
    commit("Begin")
    assert cli("verify", "--changed").out == "0 statements in memory became untrue since the last commit.\n"


def test_what_only_the_working_tree_changed_is_untrue_and_not_committed(cli: Cli, repository: Path) -> None:
    put(repository, "package.json", '{"dependencies": {"express": "^4.19.2"}, "scripts": {"lint": "x"}}')
    put(repository, "src/a.py", "MAX_POOL = 10\n\n\ndef take_one(): ...\n")
    says("express: ^4.19.2", "`npm run lint` checks it.", "`MAX_POOL = 10` and `take_one()` are there.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    put(repository, "package.json", '{"dependencies": {"express": "5.0.0"}}')
    put(repository, "src/a.py", "MAX_POOL = 20\n")
    for args in ((), ("--changed",)):
        found = {each["kind"]: (each["state"], each["note"]) for each in stated(cli, *args).values()}
        assert found == {
            "version": ("changed", "not committed"),
            "command": ("gone", "not committed"),
            "literal": ("changed", "not committed"),
            "symbol": ("gone", "not committed"),
        }
    ran = cli("verify", "--changed")
    assert ran.code == 1
    assert "express ^4.19.2 is now 5.0.0 (package.json) (not committed)" in ran.out


def test_what_is_staged_changes_the_answer_that_is_remembered(cli: Cli, repository: Path) -> None:
    put(repository, "src/server.js", "export const port = 1;\n" * 9)
    put(repository, ".gitignore", ".memdown/\n")
    says("`src/server.js` starts it.")
    commit("Begin")
    cli("index")
    (repository / "src/server.js").rename(repository / "src/main.mjs")  # which only git takes for the same
    assert stated(cli)["src/server.js"]["state"] == "gone"
    git("add", "--all")
    kept = stated(cli)["src/server.js"]
    (repository / ".memdown/index.db").unlink()
    assert kept == stated(cli)["src/server.js"]
    assert (kept["state"], kept["now"]) == ("moved", "src/main.mjs")


def test_paths_with_letters_of_any_language_and_with_spaces_are_looked_up(cli: Cli, repository: Path) -> None:
    names = ("src/größe.js", "src/zä hler/app.py", "läden/kasse.ts", "docs/设计.md", "src/пул.py")
    for name in names:
        put(repository, name, "x = 1\n" * 5)
    code = (f"`{name}` is there." for name in names if not name.startswith("l"))
    says(*code, "The till in läden/kasse.ts counts.", "`python src/zä hler/none.py` and `cat src/größe.js` run.")
    commit("Begin")
    found = stated(cli)
    assert {each: found[each]["state"] for each in found} == dict.fromkeys(names, "fresh")
    git("rm", "--quiet", *names)
    assert {name: each["state"] for name, each in stated(cli).items()} == dict.fromkeys(names, "gone")
    last = commit("Remove")
    assert {name: each["commit"] for name, each in stated(cli).items()} == dict.fromkeys(names, last)


def test_a_note_that_was_added_to_a_bank_holds_since_its_date(cli: Cli, repository: Path) -> None:
    put(repository, "src/db/pool.js", "export const size = 10;\n")
    says("2026-01-01: looked at `src/db/pool.js`.")
    assert cli("add", "note", "The pool in src/db/pool.js has 10 connections").code == 0
    commit("Begin")
    git("rm", "--quiet", "src/db/pool.js")
    commit("Remove")
    (found,) = cli("verify", "--json").json()
    assert (found["path"], found["state"]) == ("memory-bank/notes.md", "gone")


@pytest.mark.parametrize("python", [True, False])
def test_looking_for_some_names_finds_what_looking_for_all_does(python: bool) -> None:
    lines = [
        b"def connect_pool(size):\n",
        b"class Pool(Base):\n",
        b"    self.size = 3\n",
        b"LIMIT: int = 10\n",
        b"from db import connect, close\n",
        b"export PATH_A=$PATH_B\n",
        b"const $el = make()\n",
        b"func (p *Pool) Acquire() error {\n",
        b"    acquire()\n",
        b"port: 8080\r\n",
        "größe_x = 'Größe_y'\n".encode(),
        b"public static void run(String name) {",
    ]
    for chosen in (lines, lines[::2], lines[1::2], lines[::-1]):
        data = b"".join(chosen)
        every = codefiles.spelled_in(data, python=python)
        wanted = frozenset((*every, b"nowhere", b"size", b"acquire", b"e_x"))
        some = frozenset(list(wanted)[:6])
        for needles in (wanted, some):
            assert codefiles.wanted_in(data, needles, python=python) == every & needles


def test_a_file_that_went_into_a_folder_has_moved_though_its_new_path_ends_with_the_old_one(
    cli: Cli, repository: Path
) -> None:
    """`pkg/api.py` is found below `src/` as well, which is what a record means that was written after the move."""
    put(repository, "pkg/api.py", "def get() -> None: ...\n" * 5)
    put(repository, "pkg/__init__.py", "")
    put(repository, "README.md", "# The package\n" * 5)
    put(repository, "examples/README.md", "# An example\n" * 5)
    says("`pkg/api.py`, `pkg/api.py:2`, `pkg/api.py::get`, `pkg/__init__.py`, `pkg/` and `README.md` matter.")
    commit("Begin")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    (repository / "src").mkdir()
    git("mv", "pkg", "src/pkg")
    moved = commit("Use the src layout", at="2026-01-02T00:00:00Z")
    git("rm", "-q", "README.md")
    gone = commit("Drop the readme", at="2026-01-03T00:00:00Z")
    assert {claim: (each["state"], each["now"], each["commit"]) for claim, each in stated(cli).items()} == {
        "pkg/api.py": ("moved", "src/pkg/api.py", moved),
        "pkg/api.py:2": ("moved", "src/pkg/api.py", moved),
        "pkg/api.py::get": ("moved", "src/pkg/api.py", moved),
        "pkg/__init__.py": ("moved", "src/pkg/__init__.py", moved),
        "pkg/": ("moved", "src/pkg", moved),
        "README.md": ("gone", None, gone),
    }
    assert "is now src/pkg/__init__.py since" in cli("search", "matter").out
    says("Both of `pkg/api.py` and `README.md` are named from where they are now.")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}
    commit("Write it down", at="2026-01-04T00:00:00Z")
    assert {each["state"] for each in stated(cli).values()} == {"fresh"}


def test_a_line_that_moved_names_the_commit(cli: Cli, repository: Path) -> None:
    text = "".join(f"row_{number} = {number}\n" for number in range(20))
    put(repository, "src/a.py", text)
    says("`src/a.py:12` decides.")
    commit("Begin")
    put(repository, "src/a.py", f"{text}last = 1\n")
    commit("Add to the end", at="2026-01-02T00:00:00Z")
    put(repository, "src/a.py", "# more\n" * 9 + text)
    shifted = commit("Add to the beginning", at="2026-01-03T00:00:00Z")
    put(repository, "src/a.py", "# more\n" * 9 + text + "end = 1\n")
    commit("Add to the end again", at="2026-01-04T00:00:00Z")
    found = stated(cli)["src/a.py:12"]
    assert (found["state"], found["now"], found["commit"]) == ("moved", "src/a.py:21", shifted)


def test_versions_of_a_folder_of_requirements_and_of_setup_py(cli: Cli, repository: Path) -> None:
    setup = (
        "requires = ['urllib3>=1.21.1,<1.27']\nsetup(install_requires=requires, extras_require={'x': ['idna>=2.5']})\n"
    )
    put(repository, "requirements/docs.txt", "sphinx==6.1.0\nhttpbin==0.7.0\n")
    put(repository, "setup.py", setup)
    put(repository, "package.json", '{"dependencies": {"on-finished": "~2.3.0", "cookie": "^0.4.0"}}')
    says(
        "Built with sphinx 6.1.0.",
        "Uses urllib3 >=1.21.1.",
        "Uses idna >=2.5.",
        "Uses on-finished ~2.3.0.",
        "httpbin 0.7.0 runs.",
    )
    commit("Begin")
    assert [each["state"] for each in cli("verify", "--json").json()] == ["fresh"] * 5
    put(repository, "requirements/docs.txt", "sphinx==7.0.0\nhttpbin==0.10.0\n")
    put(repository, "setup.py", setup.replace("1.21.1", "2.0.0").replace("2.5", "3.4"))
    put(repository, "package.json", '{"dependencies": {"on-finished": "2.4.1", "cookie": "0.6.0"}}')
    head = commit("Bump", at="2026-01-02T00:00:00Z")
    found = cli("verify", "--json").json()
    assert [(each["state"], each["commit"]) for each in found] == [("changed", head)] * 5


def test_a_quotation_needs_no_language(cli: Cli, repository: Path) -> None:
    code = "def first(a):\n    b = a + 1\n    return b\n"
    put(repository, "src/a.py", code)
    put(repository, BANK, f"# Tech\n\n## Components\n\nAs in `src/a.py`:\n\n```\n{code}```\n")
    commit("Begin")
    put(repository, "src/a.py", code.replace("+ 1", "+ 2"))
    head = commit("Count by two", at="2026-01-02T00:00:00Z")
    found = next(each for each in cli("verify", "--json").json() if each["kind"] == "quote")
    assert (found["state"], found["commit"]) == ("changed", head)


def test_an_annotation_says_what_is_there_now(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n" * 9)
    says("`src/a.py` matters.")
    base = commit("Begin")
    git("mv", "src/a.py", "src/c.py")
    commit("Move", at="2026-01-02T00:00:00Z")
    annotation = cli("verify", "--since", base, "--format", "github").out.splitlines()[0]
    assert "::src/a.py is now src/c.py, by " in annotation


def test_a_method_of_a_file_is_followed_with_its_class_and_names_the_commit(cli: Cli, repository: Path) -> None:
    body = "    def close(self) -> None:\n        print(1)\n"
    put(repository, "src/a.py", f"class Pool:\n{body}\n\nclass Cache:\n{body}\n\ndef take() -> None:\n    print(2)\n")
    put(repository, "src/b.py", f"class Other:\n{body}")
    says("`src/a.py::Pool.close`, `src/a.py::Cache.close`, `src/a.py::take` and `src/a.py::planned_one`")
    commit("Begin")
    put(
        repository,
        "src/a.py",
        f"class Pool:\n    pass\n\n\nclass Cache:\n{body}\n\ndef take() -> None:\n    print(2)\n",
    )
    commit("Take out")
    first = git("rev-parse", "HEAD")
    put(repository, "src/a.py", "class Pool:\n    pass\n")
    put(repository, "src/c.py", f"class Cache:\n{body}\n\ndef take() -> None:\n    print(2)\n")
    commit("Move")
    second = git("rev-parse", "HEAD")
    assert {claim: (each["state"], each["now"], each["commit"]) for claim, each in stated(cli).items()} == {
        "src/a.py::Pool.close": ("gone", None, first),
        "src/a.py::Cache.close": ("moved", "src/c.py::Cache.close", second),
        "src/a.py::take": ("moved", "src/c.py::take", second),
        "src/a.py::planned_one": ("unknown", None, None),
    }


def test_a_method_that_another_object_has_is_none_of_the_class(cli: Cli, repository: Path) -> None:
    put(
        repository,
        "src/a.py",
        "class Lock:\n    def take(self): ...\n    def release(self): ...\n    def size(self): ...\n",
    )
    put(repository, "src/b.py", "class Other:\n    def release(self): ...\n    def take(self): ...\n    size = 1\n")
    says("`Lock.release()`, `Lock.take()` and `Lock.size()`")
    commit("Begin")
    put(
        repository,
        "src/a.py",
        "class Lock:\n    def __init__(self, inner):\n        self.inner = inner\n        self.size = inner.release()\n        self.take = inner\n",
    )
    head = commit("Take out")
    assert {claim: (each["state"], each["commit"]) for claim, each in stated(cli).items()} == {
        "Lock.release()": ("gone", head),
        "Lock.take()": ("fresh", None),
        "Lock.size()": ("fresh", None),
    }


def test_the_commit_is_the_one_that_removed_the_definition_and_not_a_later_call(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "def to_origin(url):\n    return url\n")
    put(repository, "src/b.py", "pool = Pool(\n    to_origin(url),\n)\nto_origin(url)\nassert to_origin(url) == url\n")
    says("`to_origin()` makes it.")
    commit("Begin")
    put(repository, "src/a.py", "x = 1\n")
    head = commit("Take out")
    put(repository, "src/b.py", "pool = Pool()\n")
    commit("Call it no more")
    assert [(each["state"], each["commit"]) for each in stated(cli).values()] == [("gone", head)]


def test_a_version_that_a_manifest_asked_for_has_changed_though_the_lock_file_had_a_later_one(
    cli: Cli, repository: Path
) -> None:
    def asks(version: str, locked: str) -> None:
        put(repository, "package.json", f'{{"dependencies": {{"mime": "{version}"}}}}')
        there = f'{{"node_modules/mime": {{"version": "{locked}"}}}}'
        put(repository, "package-lock.json", f'{{"lockfileVersion": 3, "packages": {there}}}')

    asks("^1.4.1", "1.6.0")
    says("Types are told by mime 1.4.")
    commit("Begin")
    assert stated(cli)["1.4"]["state"] == "unknown"  # the lock file has 1.6, and nothing changed
    asks("2.6.0", "2.6.0")
    changed = commit("Update")
    found = stated(cli)["1.4"]
    assert (found["state"], found["now"], found["commit"]) == ("changed", "2.6.0 (package-lock.json)", changed)


def test_requirements_may_be_called_after_what_they_are_for(cli: Cli, repository: Path) -> None:
    put(repository, "dev-requirements.txt", "coverage==4.5.1\n")
    says("Lines are counted by coverage 4.5.")
    commit("Begin")
    assert stated(cli)["4.5"]["state"] == "fresh"
    put(repository, "dev-requirements.txt", "coverage==7.4.0\n")
    changed = commit("Update")
    assert (stated(cli)["4.5"]["state"], stated(cli)["4.5"]["commit"]) == ("changed", changed)
