"""Where memory is verified: parts of monorepos, submodules, shallow clones, no commits, no git, no code."""

import sys
from pathlib import Path

import pytest

from samples import put
from test_verify import BANK, Cli, commit, git, repository, says, stated

__all__ = ["repository"]


def notes(cli: Cli, *args: str) -> dict[str, tuple[str, str | None]]:
    return {claim: (each["state"], each["note"]) for claim, each in stated(cli, *args).items()}


def test_without_git_the_reason_is_said(cli: Cli) -> None:
    put(Path.cwd(), "src/a.py", "POOL_SIZE = 20\n")
    put(Path.cwd(), "package.json", '{"dependencies": {"react": "18.2.0"}, "scripts": {"build": "x"}}')
    says("`src/b.py`, `other_name()`, `POOL_SIZE = 10`, React 17.0, `npm run lint`, `4f2a91c`")
    why = "not a git repository"
    assert notes(cli) == {
        "src/b.py": ("gone", why),
        "other_name()": ("unknown", f"not found, and {why}"),
        "POOL_SIZE = 10": ("changed", why),
        "17.0": ("changed", why),
        "npm run lint": ("gone", why),
        "4f2a91c": ("unknown", f"not found, and {why}"),
    }
    assert cli("verify").out.splitlines()[-1] == "2 unknown: not found, and not a git repository"


def test_without_a_commit_the_reason_is_said(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "x = 1\n")
    says("`src/b.py`, `other_name()`")
    assert notes(cli) == {
        "src/b.py": ("gone", "no commits yet"),
        "other_name()": ("unknown", "not found, and no commits yet"),
    }


def test_where_git_is_not_installed_the_reason_is_said(
    cli: Cli, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(repository, "src/a.py", "x = 1\n")
    says("`src/b.py`")
    commit("Begin")
    monkeypatch.setenv("PATH", str(repository))
    assert notes(cli) == {"src/b.py": ("gone", "git is not installed")}


def test_without_code_nothing_is_gone(cli: Cli) -> None:
    says("`src/b.py` and `POOL_SIZE = 10`")
    assert set(notes(cli).values()) == {("unknown", "there is no code here, only memory")}
    assert cli("verify").code == 0


def test_in_a_shallow_clone_every_kind_says_so(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "POOL_SIZE = 10\n\n\ndef old_name() -> None: ...\n")
    put(repository, "package.json", '{"dependencies": {"react": "17.0.0"}, "scripts": {"lint": "x"}}')
    commit("Begin")
    put(repository, "src/a.py", "POOL_SIZE = 20\n")
    put(repository, "package.json", '{"dependencies": {"react": "18.2.0"}, "scripts": {"build": "x"}}')
    says("`src/b.py`, `old_name()`, `POOL_SIZE = 10`, React 17.0, `npm run lint`, `4f2a91c`")
    commit("Change")
    git("clone", "--quiet", "--depth=1", repository.as_uri(), "../shallow")
    found = notes(cli, "--root", "../shallow")
    assert {state for state, _ in found.values()} == {"unknown"}
    assert len(found) == 6
    assert all("shallow clone; `git fetch --unshallow` gets the rest" in (note or "") for _, note in found.values())
    ran = cli("verify", "--root", "../shallow")
    assert (ran.code, "unknown: not found, and this is a shallow clone" in ran.out) == (0, True)


def test_a_change_of_case_alone_is_a_move(cli: Cli, repository: Path) -> None:
    put(repository, "src/userlist.tsx", "export const UserList = 1\n" * 9)
    says("`src/userlist.tsx` shows users.")
    commit("Begin")
    git("mv", "src/userlist.tsx", "src/other.tsx")
    git("mv", "src/other.tsx", "src/UserList.tsx")
    commit("Rename")
    found = stated(cli)["src/userlist.tsx"]
    assert (found["state"], found["now"]) == ("moved", "src/UserList.tsx")


def test_a_package_with_its_own_memory(cli: Cli, repository: Path) -> None:
    """Its root is a folder of the working tree, and people name files from either."""
    package = repository / "packages/web"
    for name in ("web/src/a.ts", "web/src/b.ts", "web/src/c.ts", "core/k.ts", "core/l.ts", "core/m.ts"):
        put(repository, f"packages/{name}", f"// {name}\n" * 9)
    named = ("src/a.ts", "packages/web/src/b.ts", "src/c.ts", "packages/core/k.ts", "packages/core/l.ts")
    put(package, BANK, "# Tech\n\n## Components\n" + "".join(f"- `{name}`\n" for name in (*named, "m.ts")))
    commit("Begin")
    assert [each["state"] for each in stated(cli, "--root", str(package)).values()] == ["fresh"] * 5 + ["unknown"]
    git("mv", "packages/web/src/a.ts", "packages/web/src/aa.ts")
    git("mv", "packages/web/src/b.ts", "packages/web/src/bb.ts")
    git("mv", "packages/web/src/c.ts", "packages/core/c.ts")
    git("mv", "packages/core/k.ts", "packages/core/kk.ts")
    git("rm", "-q", "packages/core/l.ts", "packages/core/m.ts")
    head = commit("Move")
    found = stated(cli, "--root", str(package))
    assert {claim: (each["state"], each["now"], each["commit"]) for claim, each in found.items()} == {
        "src/a.ts": ("moved", "src/aa.ts", head),
        "packages/web/src/b.ts": ("moved", "packages/web/src/bb.ts", head),
        "src/c.ts": ("moved", "packages/core/c.ts", head),
        "packages/core/k.ts": ("moved", "packages/core/kk.ts", head),
        "packages/core/l.ts": ("gone", None, head),
        "m.ts": ("unknown", None, None),  # of another package
    }


def test_a_submodule_has_its_own_history(cli: Cli, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("a.py", "b.py"):
        put(other, f"src/{name}", f"# {name}\n" * 9)
    git("init", "--quiet", cwd=str(other))
    git("add", "--all", cwd=str(other))
    git("commit", "--quiet", "--message=Begin", cwd=str(other))
    git("submodule", "--quiet", "add", other.as_uri(), "vendored")
    says("`vendored/src/a.py`, `vendored/src/b.py` and `vendored/src/never.py` help.")
    commit("Begin")
    inside = str(repository / "vendored")
    git("mv", "src/a.py", "src/c.py", cwd=inside)
    git("rm", "-q", "src/b.py", cwd=inside)
    git("commit", "--quiet", "--message=Move", cwd=inside)
    head = git("rev-parse", "HEAD", cwd=inside)
    commit("Follow")
    found = stated(cli)
    assert [(each["state"], each["now"], each["commit"]) for each in found.values()] == [
        ("moved", "vendored/src/c.py", head),
        ("gone", None, head),
        ("unknown", None, None),
    ]


TAKE = "export class Pool {\n  take(n: number) {\n    return n\n  }\n}\n"


def symbols(cli: Cli, *args: str) -> dict[str, tuple[str, str | None]]:
    return {each["target"]: (each["state"], each["now"]) for each in cli("verify", "--json", *args).json()}


def test_a_symbol_in_a_package_with_its_own_memory(cli: Cli, repository: Path) -> None:
    package = repository / "packages/web"
    put(package, "src/a.ts", TAKE)
    put(repository, "packages/core/b.ts", TAKE.replace("Pool", "Other"))
    put(package, BANK, "# Tech\n\n## Components\n- `src/a.ts::Pool.take` and `Pool.take` hand out.\n")
    commit("Begin")
    assert symbols(cli, "--root", str(package)) == {
        "src/a.ts::Pool.take": ("fresh", None),
        "Pool.take": ("fresh", None),
    }
    put(package, "src/a.ts", TAKE.replace("return n", "return n + 1"))
    head = commit("Change it", at="2026-01-02T00:00:00Z")
    found = {each["target"]: each for each in cli("verify", "--json", "--root", str(package)).json()}
    assert (found["src/a.ts::Pool.take"]["state"], found["src/a.ts::Pool.take"]["commit"]) == ("changed", head)
    put(package, "src/a.ts", TAKE.replace("take", "give"))
    commit("Rename it", at="2026-01-03T00:00:00Z")
    assert {state for state, _ in symbols(cli, "--root", str(package)).values()} == {"gone"}


def test_a_symbol_of_a_file_that_was_renamed_twice_and_in_case(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.ts", TAKE)
    put(repository, "src/listing.ts", TAKE.replace("Pool", "List") * 3)
    says("`src/a.ts::Pool.take` hands out, `src/listing.ts::List.take` lists.")
    commit("Begin")
    git("mv", "src/a.ts", "src/b.ts")
    git("mv", "src/listing.ts", "src/Listing.ts")
    commit("Rename")
    git("mv", "src/b.ts", "src/c.ts")
    commit("Rename again")
    assert symbols(cli) == {
        "src/a.ts::Pool.take": ("moved", "src/c.ts"),
        "src/listing.ts::List.take": ("moved", "src/Listing.ts"),
    }


def test_a_symbol_in_a_worktree(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.ts", TAKE)
    says("`src/a.ts::Pool.take` hands out.")
    commit("Begin")
    git("worktree", "add", "--quiet", "../tree", "-b", "side")
    put(repository.parent / "tree", "src/a.ts", TAKE.replace("return n", "return -n"))
    git("commit", "--quiet", "--all", "--message=Negate", cwd="../tree")
    assert symbols(cli, "--root", "../tree") == {"src/a.ts::Pool.take": ("changed", None)}
    assert symbols(cli) == {"src/a.ts::Pool.take": ("fresh", None)}


def test_a_symbol_in_a_shallow_clone(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.ts", TAKE)
    says("`src/a.ts::Pool.take`, `Pool.give` and `takeMany()` hand out.")
    commit("Begin")
    put(repository, "src/a.ts", TAKE.replace("return n", "return -n"))
    commit("Negate")
    git("clone", "--quiet", "--depth=1", repository.as_uri(), "../shallow")
    rows = cli("verify", "--json", "--root", "../shallow").json()
    assert [(each["target"], each["state"]) for each in rows] == [
        ("src/a.ts::Pool.take", "fresh"),
        ("Pool.give", "unknown"),
        ("takeMany", "unknown"),
    ]
    assert "shallow clone" in rows[2]["note"]


@pytest.mark.usefixtures("repository")
def test_a_symbol_in_a_submodule(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    put(other, "src/a.ts", TAKE)
    git("init", "--quiet", cwd=str(other))
    git("add", "--all", cwd=str(other))
    git("commit", "--quiet", "--message=Begin", cwd=str(other))
    git("submodule", "--quiet", "add", other.as_uri(), "vendored")
    says("`vendored/src/a.ts::Pool.take` hands out, `vendored/src/a.ts::Pool.give` takes back.")
    commit("Begin")
    assert symbols(cli) == {
        "vendored/src/a.ts::Pool.take": ("fresh", None),
        "vendored/src/a.ts::Pool.give": ("gone", None),
    }


def test_a_symbol_without_git(cli: Cli) -> None:
    put(Path.cwd(), "src/a.ts", TAKE)
    put(Path.cwd(), "src/b.ts", "export function giveBack() {}\n")
    says("`src/a.ts::Pool.take` hands out, `src/a.ts::giveBack` takes back, `src/a.ts::never` does not.")
    assert symbols(cli) == {
        "src/a.ts::Pool.take": ("fresh", None),
        "src/a.ts::giveBack": ("moved", "src/b.ts::giveBack"),
        "src/a.ts::never": ("gone", None),
    }


def test_what_git_ignores_is_looked_at_again(cli: Cli, repository: Path) -> None:
    put(repository, ".gitignore", "data/\n")
    put(repository, "data/seed.sql", "one\ntwo\nthree\n")
    says("`data/seed.sql:3` fills the database, and `data/later.sql` does not.")
    commit("Begin")
    cli("index")

    def found() -> list[tuple[str, str | None]]:
        return [(each["target"], each["state"]) for each in cli("verify", "--json").json()]

    assert found()[0] == ("data/seed.sql", "fresh")
    put(repository, "data/seed.sql", "one\n")
    assert found()[0] == ("data/seed.sql", "changed")
    (repository / "data/seed.sql").unlink()
    assert found()[0] == ("data/seed.sql", "unknown")
    put(repository, "data/seed.sql", "one\ntwo\nthree\n")
    put(repository, "data/later.sql", "one\n")
    assert [state for _, state in found()] == ["fresh", "fresh"]


def test_a_submodule_is_looked_at_again(cli: Cli, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("a.py", "b.py"):
        put(other, f"src/{name}", f"# {name}\n" * 9)
    git("init", "--quiet", cwd=str(other))
    git("add", "--all", cwd=str(other))
    git("commit", "--quiet", "--message=Begin", cwd=str(other))
    git("submodule", "--quiet", "add", other.as_uri(), "vendored")
    says("`vendored/src/a.py` helps, and `vendored/src/c.py` does.")
    commit("Begin")
    cli("index")
    assert [each["state"] for each in stated(cli).values()] == ["fresh", "unknown"]
    inside = str(repository / "vendored")
    git("mv", "src/a.py", "src/c.py", cwd=inside)
    git("commit", "--quiet", "--message=Move", cwd=inside)
    assert [(each["state"], each["now"]) for each in stated(cli).values()] == [
        ("moved", "vendored/src/c.py"),
        ("fresh", None),
    ]
    git("reset", "--quiet", "--hard", "HEAD^", cwd=inside)
    assert [each["state"] for each in stated(cli).values()] == ["fresh", "unknown"]


def test_another_package_is_looked_at_again(cli: Cli, repository: Path) -> None:
    """What git ignores in it changes neither the last commit nor git's list, by which answers are kept."""
    put(repository, ".gitignore", "*.json\n")
    put(repository, "packages/web/app.ts", "export const app = 1\n" * 9)
    put(repository, "packages/web/made.json", "{}\n")
    says_of_web = "# Tech\n\n## Parts\n- `../web/app.ts` calls it, with `../web/made.json`.\n"
    put(repository, "packages/api/memory-bank/techContext.md", says_of_web)
    commit("Begin")
    here = ("--root", "packages/api")
    cli("index", *here)

    def states() -> list[str]:
        return [each["state"] for each in stated(cli, *here).values()]

    assert states() == ["fresh", "fresh"]
    (repository / "packages/web/made.json").unlink()
    assert states() == ["fresh", "unknown"]
    put(repository, "packages/web/made.json", "{}\n")
    assert states() == ["fresh", "fresh"]
    git("mv", "packages/web/app.ts", "packages/web/main.ts")
    git("commit", "--quiet", "--message=Move")
    found = [(each["state"], each["now"]) for each in stated(cli, *here).values()]
    assert found == [("moved", "packages/web/main.ts"), ("fresh", None)]


def test_a_name_that_left_a_package_is_followed(cli: Cli, repository: Path) -> None:
    put(repository, "packages/web/src/a.py", "def take_one(): ...\n\n\ndef take_two(): ...\n")
    put(repository, "packages/core/b.py", "def take_two(): ...\n")
    put(repository, "packages/core/d.py", "def take_three(): ...\n")
    package = repository / "packages/web"
    put(package, BANK, "# Tech\n\n## Components\n- `take_one()`\n- `take_two()`\n- `take_three()`\n")
    put(package, "src/c.py", "def take_three(): ...\n")
    commit("Begin")
    git("rm", "-q", "packages/core/b.py")
    commit("Drop another of that name")
    git("mv", "packages/web/src/a.py", "packages/core/a.py")
    git("rm", "-q", "packages/web/src/c.py")
    commit("Move it out")
    found = stated(cli, "--root", str(package))
    assert {name: (each["state"], each["now"], each["subject"]) for name, each in found.items()} == {
        "take_one()": ("moved", "packages/core/a.py::take_one", "Move it out"),
        "take_two()": ("moved", "packages/core/a.py::take_two", "Move it out"),
        "take_three()": ("gone", None, "Move it out"),
    }


def test_what_a_sparse_checkout_leaves_out_is_read_from_git(cli: Cli, repository: Path) -> None:
    put(repository, "src/a/one.py", "def alpha() -> None: ...\n")
    put(repository, "src/b/two.py", "POOL_SIZE = 10\n\n\ndef beta() -> None: ...\n")
    put(repository, "src/b/__init__.py", "")
    says("`src/b/two.py`, `beta()`, `src/b/two.py::beta`, `src/b/two.py::gamma`, `POOL_SIZE = 10`, `src/b/two.py:4`")
    commit("Begin")
    git("sparse-checkout", "set", "--no-cone", "/memory-bank/*", "/src/a/*")
    assert not Path("src/b").exists()
    expected = {
        "src/b/two.py": ("fresh", None),
        "beta()": ("fresh", None),
        "src/b/two.py::beta": ("fresh", None),
        "src/b/two.py::gamma": ("unknown", "the file did not have it when this was written"),
        "POOL_SIZE = 10": ("fresh", None),
        "src/b/two.py:4": ("fresh", None),
    }
    assert notes(cli) == expected
    assert notes(cli) == expected  # as the index has it


def test_of_a_file_that_is_neither_checked_out_nor_fetched_nothing_is_said(cli: Cli, repository: Path) -> None:
    put(repository, "src/a/one.py", "def alpha() -> None: ...\n")
    put(repository, "src/b/two.py", "def beta() -> None: ...\n")
    says("`src/b/two.py::beta`")
    commit("Begin")
    git("sparse-checkout", "set", "--no-cone", "/memory-bank/*", "/src/a/*")
    name = git("rev-parse", "HEAD:src/b/two.py").strip()
    Path(".git/objects", name[:2], name[2:]).unlink()
    assert notes(cli) == {"src/b/two.py::beta": ("unknown", "the file is not checked out")}


def test_a_path_that_went_further_down_in_two_commits_is_moved(cli: Cli, repository: Path) -> None:
    """Git takes a file that is deleted now and added later for no rename; its whole path is there all the same."""
    put(repository, "core/pool.py", "POOL = 1\n" * 9)
    put(repository, "core/gone.py", "GONE = 1\n" * 9)
    put(repository, "vendor/core/gone.py", "OTHER = 1\n")
    says("`core/pool.py` and `core/gone.py`")
    commit("Begin")
    git("rm", "-q", "core/pool.py", "core/gone.py")
    commit("Take out")
    taken = git("rev-parse", "HEAD")
    put(repository, "src/core/pool.py", "POOL = 2\n" * 9)
    commit("Put in")
    found = stated(cli)
    assert [(each["state"], each["now"], each["commit"]) for each in found.values()] == [
        ("moved", "src/core/pool.py", taken),
        ("gone", None, taken),
    ]


def test_a_folder_of_which_only_compiled_modules_are_left_is_gone(cli: Cli, repository: Path) -> None:
    """Git takes out its own files, and leaves what it ignores."""
    put(repository, ".gitignore", "__pycache__/\nlogs/\n*.db\n")
    for folder in ("plugins", "stores", "moved"):
        put(repository, f"src/{folder}/inner/a.py", f"{folder} = 1\n" * 9)
    says("`src/plugins/`, `src/stores/`, `src/moved/`")
    commit("Begin")
    git("rm", "-qr", "src/plugins", "src/stores")
    git("mv", "src/moved", "src/other")
    commit("Take out")
    put(repository, "src/plugins/inner/__pycache__/a.cpython-311.pyc", "x")
    put(repository, "src/moved/inner/__pycache__/a.cpython-311.pyc", "x")
    put(repository, "src/stores/inner/users.db", "x")
    found = stated(cli)
    assert {claim: (each["state"], each["now"]) for claim, each in found.items()} == {
        "src/plugins/": ("gone", None),
        "src/stores/": ("fresh", None),
        "src/moved/": ("moved", "src/other"),
    }


def test_a_manifest_that_a_sparse_checkout_leaves_out_is_read_from_git(cli: Cli, repository: Path) -> None:
    manifest = '{"dependencies": {"react": "%s"}, "scripts": {"build": "vite", %s"dev": "vite"}}'
    put(repository, "src/a/one.py", "x = 1\n")
    put(repository, "web/package.json", manifest % ("18.2.0", '"lint": "eslint", '))
    says("React 18.2, `npm run build`, `npm run lint`")
    commit("Begin")
    put(repository, "web/package.json", manifest % ("19.0.0", ""))
    head = commit("Change")
    git("sparse-checkout", "set", "--no-cone", "/memory-bank/*", "/src/a/*")
    assert not Path("web").exists()
    assert {claim: (each["state"], each["now"], each["commit"]) for claim, each in stated(cli).items()} == {
        "18.2": ("changed", "19.0.0 (web/package.json)", head),
        "npm run build": ("fresh", None, None),
        "npm run lint": ("gone", None, head),
    }


def test_memory_in_a_package_is_about_the_package(cli: Cli, repository: Path) -> None:
    for name in ("api", "web"):
        put(repository, f"packages/{name}/src/app.ts", f"export const {name} = 1\n" * 9)
        put(repository, f"packages/{name}/src/main.ts", f"export const main_{name} = 1\n" * 9)
        put(
            repository,
            f"packages/{name}/package.json",
            '{"scripts": {"build": "x"}, "dependencies": {"zod": "3.20.0"}}',
        )
    said = "# Tech\n\n## Components\n- `src/app.ts` and `src/main.ts` are built with `npm run build` and Zod 3.20.\n"
    for name in ("api", "web"):
        put(repository, f"packages/{name}/{BANK}", said)
    commit("Begin")
    assert {each["state"] for each in cli("verify", "--json").json()} == {"fresh"}
    git("rm", "-q", "packages/api/src/app.ts")
    git("mv", "packages/api/src/main.ts", "packages/api/src/begin.ts")
    put(repository, "packages/api/package.json", '{"scripts": {"bundle": "x"}, "dependencies": {"zod": "4.0.0"}}')
    head = commit("Change the one")
    rows = [each for each in cli("verify", "--json").json() if each["state"] != "fresh"]
    assert [(each["path"], each["claim"], each["state"], each["commit"]) for each in rows] == [
        (f"packages/api/{BANK}", "src/app.ts", "gone", head),
        (f"packages/api/{BANK}", "src/main.ts", "moved", head),
        (f"packages/api/{BANK}", "npm run build", "gone", head),
        (f"packages/api/{BANK}", "3.20", "changed", head),
    ]
    assert "\n+- `src/app.ts` and `src/begin.ts` are" in cli("verify", "--draft").out


def test_memory_in_a_submodule_is_about_the_submodule(cli: Cli, repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("a.py", "b.py", "c.py"):
        put(other, f"src/{name}", f"# {name}\n" * 9)
    put(other, BANK, "# Tech\n\n## Components\n- `src/a.py`, `src/b.py` and `src/c.py`\n")
    git("init", "--quiet", cwd=str(other))
    git("add", "--all", cwd=str(other))
    git("commit", "--quiet", "--message=Begin", cwd=str(other))
    git("submodule", "--quiet", "add", other.as_uri(), "vendored")
    commit("Begin")
    inside = str(repository / "vendored")
    git("mv", "src/a.py", "src/d.py", cwd=inside)
    git("rm", "-q", "src/b.py", cwd=inside)
    git("commit", "--quiet", "--message=Move", cwd=inside)
    assert symbols(cli) == {
        "src/a.py": ("moved", "vendored/src/d.py"),
        "src/b.py": ("gone", None),
        "src/c.py": ("fresh", None),
    }


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_a_path_through_a_link_is_followed(cli: Cli, repository: Path) -> None:
    put(repository, "real/a.py", "# a\n" * 9)
    put(repository, "real/b.py", "# b\n" * 9)
    (repository / "link").symlink_to("real")
    says("`link/a.py`, `link/b.py`, `link/never.py`")
    commit("Begin")
    git("mv", "real/a.py", "real/c.py")
    git("rm", "-q", "real/b.py")
    commit("Change")
    assert symbols(cli) == {
        "link/a.py": ("moved", "real/c.py"),
        "link/b.py": ("gone", None),
        "link/never.py": ("unknown", None),
    }


BOOK = """{{
 "cells": [
  {{"cell_type": "markdown", "source": ["def never():\\n"]}},
  {{"cell_type": "code", "source": [
    "def {name}(x):\\n",
    "    return x\\n",
    "BATCH_SIZE = {size}\\n"
  ]}}
 ],
 "nbformat": 4
}}
"""


def test_code_in_notebooks_and_in_other_encodings_is_read(cli: Cli, repository: Path) -> None:
    def write(name: str, size: int) -> None:
        put(repository, "src/train.ipynb", BOOK.format(name=f"{name}_model", size=size))
        (repository / "src/marked.ts").write_text(f"\ufeffexport function {name}Marked() {{}}\n", "utf-8")
        (repository / "src/wide.cs").write_text(
            f"public class Wide {{\n  public void {name}Wide() {{}}\n}}\n", "utf-16"
        )
        data = f"# caf\xe9\ndef {name}_latin():\n    return {size}\n"
        (repository / "src/latin.py").write_text(data, "latin-1")

    write("take", 32)
    says(
        "`take_model()` with `BATCH_SIZE = 32` in `src/train.ipynb::take_model`.",
        "`takeMarked()`, `takeWide()` and `take_latin()` too.",
    )
    commit("Begin")
    assert {state for state, _ in symbols(cli).values()} == {"fresh"}
    assert len(symbols(cli)) == 6
    write("give", 64)
    commit("Change")
    assert symbols(cli) == {
        "take_model": ("gone", None),
        "BATCH_SIZE=32": ("changed", "64"),
        "src/train.ipynb::take_model": ("gone", None),
        "takeMarked": ("gone", None),
        "takeWide": ("gone", None),
        "take_latin": ("gone", None),
    }


def test_what_is_too_large_to_be_looked_at_is_unknown(cli: Cli, repository: Path) -> None:
    put(repository, "src/made.js", "var a = 1\n" * 110_000 + "function takeOne() {}\n")
    says("`src/made.js::takeOne` is made, `src/made.js` too.")
    commit("Begin")
    found = {each["target"]: (each["state"], each["note"]) for each in cli("verify", "--json").json()}
    assert found == {
        "src/made.js::takeOne": ("unknown", "the file is too large to be looked at"),
        "src/made.js": ("fresh", None),
    }


def test_numbers_in_any_spelling_are_compared_by_their_value(cli: Cli, repository: Path) -> None:
    put(repository, "src/a.py", "MAGIC = 0xCAFE\nRATE = 1e-4\nMASK = 0xff\nSTEP = 2.5e3\n")
    says("`MAGIC = 0xcafe`, `RATE = 1e-04`, `MASK = 0xF0`, `STEP = 2.5e3`")
    commit("Begin")
    assert [state for state, _ in symbols(cli).values()] == ["fresh", "fresh", "unknown", "fresh"]


def test_a_folder_that_tools_make_may_be_one_of_the_project(cli: Cli, repository: Path) -> None:
    for name in ("coverage/data.py", "coverage/files.py", "dist/app.js", "build/config.py"):
        put(repository, name, f"# {name}\n" * 9)
    says(
        "`coverage/data.py`, `coverage/files.py`, `build/config.py` and `dist/app.js` are read.",
        "Reports are in `coverage/index.html`, logs in `logs/app.log` and `logs/debug.json`.",
    )
    commit("Begin")
    assert set(symbols(cli)) == {"coverage/data.py", "coverage/files.py", "build/config.py", "dist/app.js"}
    git("rm", "-q", "coverage/data.py", "dist/app.js")
    git("mv", "build/config.py", "build/settings.py")
    put(repository, ".gitignore", "dist/\n")
    commit("Change")
    assert symbols(cli) == {
        "coverage/data.py": ("gone", None),
        "coverage/files.py": ("fresh", None),
        "build/config.py": ("moved", "build/settings.py"),
    }
    assert cli("check", "--select", "BNK060", "--json").json() == []


def test_addresses_of_this_repository_are_looked_up_in_it(cli: Cli, repository: Path) -> None:
    for name in ("a.py", "b.py", "c.py"):
        put(repository, f"src/{name}", f"# {name}\n" * 9)
    head = commit("Begin")
    git("tag", "v1.0")
    git("remote", "add", "origin", "git@github.com:Ann/Pool.git")
    page = "https://github.com/ann/pool"
    says(
        f"The pool is in {page}/blob/main/src/a.py#L3, [its keys]({page}/blob/main/src/b.py) and {page}/tree/main/src.",
        f"It began with {page}/commit/{head[:9]} as {page}/blob/v1.0/src/b.py and {page}/blob/{head}/src/b.py say.",
        f"See {page}/commit/{'f' * 12}, https://github.com/bob/other/blob/main/src/z.py, {page}/issues/12.",
    )
    commit("Say")
    git("mv", "src/a.py", "src/d.py")
    git("rm", "-q", "src/b.py")
    last = commit("Change")
    found = cli("verify", "--json").json()
    assert [(each["claim"].removeprefix(page), each["state"], each["now"]) for each in found] == [
        ("/blob/main/src/a.py#L3", "moved", "src/d.py"),
        ("/blob/main/src/b.py", "gone", None),
        ("/tree/main/src", "fresh", None),
        (f"/commit/{head[:9]}", "fresh", None),
        ("/blob/v1.0/src/b.py", "fresh", None),
        (f"/blob/{head}/src/b.py", "fresh", None),
        (f"/commit/{'f' * 12}", "unknown", None),
    ]
    assert {each["kind"] for each in found} == {"url"}
    assert {each["commit"] for each in found if each["state"] in ("moved", "gone")} == {last}


@pytest.mark.parametrize(
    "address",
    [
        *("https://github.com/ann/pool", "https://ann@github.com/ann/pool.git", "ssh://git@github.com:22/ann/pool"),
        *("git@github.com:ann/pool.git", "https://github.com/Ann/Pool/"),
    ],
)
def test_a_remote_is_known_however_it_is_spelled(cli: Cli, repository: Path, address: str) -> None:
    put(repository, "src/a.py", "x = 1\n")
    says("It is in https://github.com/ann/pool/blob/main/src/a.py today.")
    commit("Begin")
    assert cli("verify", "--json").json() == []
    git("remote", "add", "upstream", address)
    assert [each["state"] for each in cli("verify", "--json").json()] == ["fresh"]


@pytest.mark.parametrize("left_out", ["blob:none", "tree:0"])
def test_in_a_partial_clone_the_reason_is_said(cli: Cli, repository: Path, left_out: str) -> None:
    put(repository, "src/a.py", "POOL_SIZE = 10\n")
    put(repository, "src/b.py", "# b\n" * 9)
    put(repository, "package.json", '{"scripts": {"build": "x"}}')
    says("`src/a.py` has `POOL_SIZE = 10`, `src/b.py` more, and `npm run build` builds.")
    commit("Begin")
    put(repository, "src/a.py", "POOL_SIZE = 20\n")
    put(repository, "package.json", '{"scripts": {"bundle": "x"}}')
    git("mv", "src/b.py", "src/c.py")
    commit("Change")
    git("config", "uploadpack.allowFilter", "true")
    git("clone", "--quiet", f"--filter={left_out}", repository.as_uri(), "../part")
    git("remote", "set-url", "origin", (repository / "nowhere").as_uri(), cwd="../part")  # what is left out stays so
    found = stated(cli, "--root", "../part")
    states = {claim: each["state"] for claim, each in found.items()}
    moved = "moved" if left_out == "blob:none" else "unknown"
    assert states == {"src/a.py": "fresh", "POOL_SIZE = 10": "unknown", "src/b.py": moved, "npm run build": "unknown"}
    assert all("partial clone" in each["note"] for each in found.values() if each["state"] == "unknown")
