"""The merge driver and resolve, through git itself: merge, rebase, cherry-pick, revert, stash, and a clone without memdown."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Ran
from memdown.memory import Memory

Cli = Callable[..., Ran]
LOG = "memory-bank/progress.md"
BASE = "# Progress\n\n## Done\n\n- [x] the beginning of it\n\n## Next\n\n- the end of it\n"
CALL = f"{shlex.quote(sys.executable)} -m memdown"


def git(root: Path, *args: str, fails: bool = False, path: str | None = None) -> str:
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-C", str(root), "-c", "user.name=Ann", "-c", "user.email=ann@example.org", *args],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **alone, **({"PATH": path} if path else {})},
        check=False,
    )
    assert bool(done.returncode) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


def write(root: Path, text: str, message: str) -> None:
    (root / LOG).write_text(text, "utf-8", newline="\n")
    git(root, "commit", "--quiet", "--no-verify", "-am", message)


def entry(text: str, line: str) -> str:
    return text.replace("\n\n## Next", f"\n- [x] {line}\n\n## Next")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project whose two branches both finished something."""
    root = tmp_path / "repository"
    (root / "memory-bank").mkdir(parents=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / LOG).write_text(BASE, "utf-8", newline="\n")
    with Memory(root) as memory:
        memory.install("git", able=["merge-driver"], line=CALL, check=False)
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--no-verify", "-m", "base")
    git(root, "checkout", "--quiet", "-b", "side")
    write(root, entry(BASE, "what the side did"), "side")
    git(root, "checkout", "--quiet", "main")
    write(root, entry(BASE, "what main did"), "mine")
    return root


BOTH = entry(entry(BASE, "what main did"), "what the side did")


def text(root: Path) -> str:
    return (root / LOG).read_bytes().decode()


def test_a_merge_keeps_both(repository: Path) -> None:
    git(repository, "merge", "--no-edit", "--no-verify", "side")
    assert text(repository) == BOTH


def test_a_worktree_merges_too(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    git(tmp_path / "tree", "merge", "--no-edit", "--no-verify", "side")
    assert text(tmp_path / "tree") == BOTH


def test_cherry_pick_revert_and_stash_go_through_it(repository: Path) -> None:
    git(repository, "cherry-pick", "side")
    assert text(repository) == BOTH
    git(repository, "revert", "--no-edit", "HEAD~1")
    assert text(repository) == entry(BASE, "what the side did")
    (repository / LOG).write_text(entry(text(repository), "what nobody committed"), "utf-8", newline="\n")
    git(repository, "stash")
    write(repository, entry(text(repository), "what came between"), "between")
    git(repository, "stash", "pop")
    assert "what nobody committed" in text(repository)
    assert "what came between" in text(repository)


def test_a_rebase_of_many_commits_never_stops(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "side")
    for number in range(12):
        write(repository, entry(text(repository), f"step number {number} of the side"), str(number))
    git(repository, "rebase", "--quiet", "main")
    steps = [f"- [x] step number {number} of the side" for number in range(12)]
    found = [line for line in text(repository).split("\n") if "step number" in line]
    assert found == steps
    assert "- [x] what main did\n" in text(repository)


def test_what_cannot_be_decided_stops_without_markers_and_check_reports_it(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, text(repository).replace("# Progress\n", "# Progress\n\nThe cache is in memory.\n"), "cache")
    git(repository, "branch", "--force", "other")
    for branch, words in (("main", "on disk"), ("other", "gone")):
        git(repository, "checkout", "--quiet", branch)
        write(repository, text(repository).replace("in memory", words), branch)
    said = git(repository, "merge", "--no-edit", "--no-verify", "main", fails=True)
    assert "1 kept from both sides" in said
    assert "<<<<" not in text(repository)
    assert "is gone." in text(repository)
    assert "is on disk." in text(repository)
    monkeypatch.chdir(repository)
    assert [each["code"] for each in cli("check", "--select", "MRG", "--json").json()] == ["MRG001"]
    ran = cli("resolve", "--json")
    assert (ran.code, [each["code"] for each in ran.json()["open"]]) == (1, ["MRG001"])


def conflict(root: Path) -> None:
    """A merge where no driver ran."""
    git(root, "config", "--remove-section", "merge.memdown")
    git(root, "merge", "--no-edit", "--no-verify", "side", fails=True)
    assert "<<<<<<<" in text(root)


def test_resolve_merges_what_a_merge_without_the_driver_left(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    conflict(repository)
    monkeypatch.chdir(repository)
    before = text(repository)
    ran = cli("resolve", "--dry-run", "--diff")
    assert ran.code == 0
    assert "+- [x] what the side did" not in ran.out  # it is there already, between markers
    assert text(repository) == before
    assert cli("resolve", "--json").json()["resolved"] == [LOG]
    assert text(repository) == BOTH
    assert "U" not in git(repository, "status", "--short", "--", LOG)
    assert cli("undo").code == 0
    assert text(repository) == before
    assert cli("resolve", "nothing.md").code != 0


def test_resolve_mends_markers_that_were_committed(repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    conflict(repository)
    git(repository, "commit", "--quiet", "--no-verify", "-am", "committed with markers")
    monkeypatch.chdir(repository)
    assert "1 file merged.\n" in cli("resolve").out
    assert text(repository) == BOTH
    assert cli("resolve").out == "No memory file is in conflict.\n"


def test_a_file_that_one_side_deleted_is_left_to_people(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "checkout", "--quiet", "side")
    git(repository, "rm", "--quiet", LOG)
    git(repository, "commit", "--quiet", "--no-verify", "-m", "deleted")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--no-edit", "--no-verify", "side", fails=True)
    monkeypatch.chdir(repository)
    ran = cli("resolve", "--json")
    assert (ran.code, ran.json()["skipped"]) == (1, [LOG])
    assert text(repository) == entry(BASE, "what main did")


@pytest.mark.skipif(os.name == "nt", reason="git for Windows brings its own path")
def test_without_memdown_git_merges_by_line_and_says_so(repository: Path) -> None:
    with Memory(repository) as memory:
        memory.install("git", able=["merge-driver"], line="/nowhere/memdown", check=False)
    said = git(repository, "merge", "--no-edit", "--no-verify", "side", fails=True)
    assert "memdown is not on the PATH" in said
    assert "<<<<<<<" in text(repository)
    with Memory(repository) as memory:
        assert memory.resolve().resolved == [LOG]
    assert text(repository) == BOTH


def test_the_driver_leaves_a_file_it_cannot_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text(BASE, "utf-8")
    missing = [str(tmp_path / "none"), str(tmp_path / "ours"), str(tmp_path / "none"), "7", LOG]
    done = subprocess.run([sys.executable, "-m", "memdown", "merge-driver", *missing], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"was not merged" in done.stderr
    assert (tmp_path / "ours").read_text("utf-8") == BASE
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_the_driver_loads_next_to_nothing(tmp_path: Path) -> None:
    for name, line in (("base", "- a\n"), ("ours", "- a\n- b\n"), ("theirs", "- a\n- c\n")):
        (tmp_path / name).write_text(line, "utf-8")
    script = (
        "import atexit, sys; atexit.register(lambda: print(*sorted(sys.modules)));"
        f"sys.argv = ['memdown', 'merge-driver', 'base', 'ours', 'theirs', '7', {LOG!r}];"
        "from memdown.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (tmp_path / "ours").read_text("utf-8") == "- a\n- b\n- c\n"
    assert not {"msgspec", "pathlib", "typing", "click", "difflib", "subprocess"} & set(done.stdout.split())
