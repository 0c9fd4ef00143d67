"""The merge driver and resolve, through git itself: merge, rebase, cherry-pick, revert, stash, and a clone without memdown."""

import contextlib
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


def undecided(root: Path) -> None:
    """Two branches that changed one sentence, each in its way; `main` is to be merged."""
    write(root, text(root).replace("# Progress\n", "# Progress\n\nThe cache is in memory.\n"), "cache")
    git(root, "branch", "--force", "other")
    for branch, words in (("main", "on disk"), ("other", "gone")):
        git(root, "checkout", "--quiet", branch)
        write(root, text(root).replace("in memory", words), branch)


def test_nobody_at_the_terminal_is_asked_and_check_reports_what_was_kept(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    undecided(repository)
    said = git(repository, "merge", "--no-edit", "--no-verify", "main")
    assert "1 kept from both sides" in said
    assert git(repository, "status", "--short") == ""
    assert "<<<<" not in text(repository)
    assert "is gone." in text(repository)
    assert "is on disk." in text(repository)
    monkeypatch.chdir(repository)
    assert [each["code"] for each in cli("check", "--select", "MRG", "--json").json()] == ["MRG001"]
    ran = cli("resolve")
    assert (ran.code, "1 place of an earlier merge is left to choose" in ran.err) == (1, True)
    ran = cli("resolve", "--json")
    assert (ran.code, [each["code"] for each in ran.json()["open"]]) == (1, ["MRG001"])
    comment = "<!-- memdown merge: one value is kept; the other side had: **Focus**: cache the sessions of users -->"
    (repository / LOG).write_text(f"# Progress\n\n**Focus**: green\n{comment}\n\n## Done\n", "utf-8", newline="\n")
    ran = cli("resolve")
    assert (ran.code, "The newer side was taken in 1 place;" in ran.err) == (0, True)


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own")
def test_a_person_at_the_terminal_is_asked(repository: Path) -> None:
    undecided(repository)
    leader, follower = os.openpty()
    command = ["git", "-C", str(repository), "merge", "--no-edit", "--no-verify", "main"]
    done = subprocess.run(command, stderr=follower, stdout=subprocess.PIPE, stdin=follower, check=False)
    os.close(follower)
    os.close(leader)
    assert done.returncode == 1
    assert "<<<<" not in text(repository)
    assert git(repository, "status", "--short") == f"UU {LOG}\n"


def at_terminal(root: Path, keys: str, *arguments: str) -> tuple[int, str]:
    """What `memdown resolve` answers to somebody who types."""
    leader, follower = os.openpty()
    os.write(leader, keys.encode())
    command = [sys.executable, "-m", "memdown", "resolve", *arguments]
    env = {**os.environ, "NO_COLOR": "1", "TERM": "dumb"}
    with subprocess.Popen(command, cwd=root, stdin=follower, stdout=follower, stderr=follower, env=env) as process:
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # Linux tells the end of a terminal as an error
            while piece := os.read(leader, 65536):
                shown += piece
    os.close(leader)
    return process.returncode, shown.decode().replace("\r\n", "\n")


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own")
@pytest.mark.parametrize("driver", [True, False])
@pytest.mark.parametrize(("keys", "stays", "goes"), [("1\n", "gone", "on disk"), ("2\n", "on disk", "gone")])
def test_resolve_asks_which_side_stays(repository: Path, driver: bool, keys: str, stays: str, goes: str) -> None:
    undecided(repository)
    if driver:
        git(repository, "merge", "--no-edit", "--no-verify", "main")
    else:
        git(repository, "config", "--remove-section", "merge.memdown")
        git(repository, "merge", "--no-edit", "--no-verify", "main", fails=True)
    code, shown = at_terminal(repository, keys, "--interactive")
    assert code == 0, shown
    assert f"1/1 {LOG}:" in shown
    assert "  1 The cache is gone.\n  2 The cache is on disk.\n" in shown
    assert f"The cache is {stays}.\n\n## Done" in text(repository)
    assert f"is {goes}." not in text(repository)
    assert "<!--" not in text(repository)
    assert "U" not in git(repository, "status", "--short", "--", LOG)


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own")
@pytest.mark.parametrize(("keys", "stays"), [("1\n", "green"), ("2\n", "cache the sessions of users")])
def test_resolve_asks_also_where_the_newer_side_was_taken(repository: Path, keys: str, stays: str) -> None:
    comment = "<!-- memdown merge: one value is kept; the other side had: **Focus**: cache the sessions of users -->"
    (repository / LOG).write_text(f"# Progress\n\n**Focus**: green\n{comment}\n\n## Done\n", "utf-8", newline="\n")
    code, shown = at_terminal(repository, keys, "-i")
    assert code == 0, shown
    assert text(repository) == f"# Progress\n\n**Focus**: {stays}\n\n## Done\n"


@pytest.mark.skipif(os.name == "nt", reason="a terminal of its own")
def test_what_is_skipped_stays_open_and_a_script_is_not_asked(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    undecided(repository)
    git(repository, "merge", "--no-edit", "--no-verify", "main")
    before = text(repository)
    for keys in ("s\n", "q\n"):
        code, shown = at_terminal(repository, keys, "-i")
        assert (code, text(repository)) == (1, before), shown
    monkeypatch.chdir(repository)
    ran = cli("resolve", "--interactive")
    assert (ran.code, "-i needs a terminal" in ran.err) == (2, True)


def test_what_was_chosen_by_hand_is_not_merged_again(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    undecided(repository)
    git(repository, "config", "--remove-section", "merge.memdown")
    git(repository, "merge", "--no-edit", "--no-verify", "main", fails=True)
    by_hand = BASE.replace("# Progress\n", "# Progress\n\nThe cache is what I say.\n")
    (repository / LOG).write_text(by_hand, "utf-8", newline="\n")
    monkeypatch.chdir(repository)
    ran = cli("resolve")
    assert (ran.code, ran.out) == (0, f"{LOG}: edited since the merge, and left as it is\n")
    assert text(repository) == by_hand
    assert "U" not in git(repository, "status", "--short", "--", LOG)


def test_three_branches_at_once_lose_nothing(repository: Path) -> None:
    """git merges an octopus by line, without drivers; where it gives up, one after the other goes through the driver."""
    for number in range(2):
        git(repository, "checkout", "--quiet", "-b", f"file-{number}", "main~1")
        (repository / f"memory-bank/extra-{number}.md").write_text(f"# Extra {number}\n", "utf-8")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "-m", "extra")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--no-edit", "--no-verify", "file-0", "file-1")
    assert (repository / "memory-bank/extra-0.md").exists()
    assert (repository / "memory-bank/extra-1.md").exists()
    git(repository, "checkout", "--quiet", "-b", "third", "main")
    write(repository, entry(text(repository), "what the third did"), "third")
    git(repository, "checkout", "--quiet", "main")
    write(repository, entry(text(repository), "what main did since"), "since")
    before = text(repository)
    git(repository, "merge", "--no-edit", "--no-verify", "side", "third", fails=True)
    git(repository, "reset", "--quiet", "--hard")
    assert text(repository) == before
    for branch in ("side", "third"):
        git(repository, "merge", "--no-edit", "--no-verify", branch)
    for what in ("what main did", "what main did since", "what the side did", "what the third did"):
        assert text(repository).count(f"- [x] {what}\n") == 1


def numbered(root: Path) -> None:
    """Two branches that each gave T3 to a task of theirs, in a file of its own, and named it elsewhere."""
    bank = root / "memory-bank"
    write(root, text(root).replace("- the end of it\n", "- T1: Begin it\n- T2: End it\n"), "numbers")
    git(root, "branch", "--force", "other")
    for branch, title in (("main", "Paint the fence"), ("other", "Sand the floor")):
        git(root, "checkout", "--quiet", branch)
        name = f"T3-{title.partition(' ')[0].lower()}.md"
        (bank / "tasks").mkdir(exist_ok=True)
        (bank / "tasks" / name).write_text(f"# T3: {title}\n\n**Status**: open\n", "utf-8", newline="\n")
        notes = f"# Notes of {branch}\n\n- [ ] {title} before T2, see [T3](tasks/{name})\n"
        (bank / f"{branch}.md").write_text(notes, "utf-8", newline="\n")
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--no-verify", "-m", branch)
    git(root, "checkout", "--quiet", "main")


@pytest.mark.parametrize("committed", [True, False])
def test_a_number_that_two_branches_gave_in_different_files_is_given_once(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, committed: bool
) -> None:
    numbered(repository)
    git(repository, "merge", "--no-edit", "--no-verify", *([] if committed else ["--no-commit"]), "other")
    monkeypatch.chdir(repository)
    ran = cli("resolve")
    assert (ran.code, "both sides had T3: 'Sand the floor' is T4 now" in ran.out) == (0, True), ran.out
    bank = repository / "memory-bank"
    assert sorted(each.name for each in (bank / "tasks").iterdir()) == ["T3-paint.md", "T4-sand.md"]
    assert (bank / "tasks/T4-sand.md").read_text("utf-8").startswith("# T4: Sand the floor\n")
    assert "Sand the floor before T2, see [T4](tasks/T4-sand.md)\n" in (bank / "other.md").read_text("utf-8")
    assert "Paint the fence before T2, see [T3](tasks/T3-paint.md)\n" in (bank / "main.md").read_text("utf-8")
    staged = git(repository, "diff", "--cached", "--name-only", "HEAD").split()
    assert ("memory-bank/tasks/T4-sand.md" in staged) is not committed
    assert cli("resolve").out == "No memory file is in conflict.\n"
    assert cli("undo").code == 0
    assert (bank / "tasks/T3-sand.md").exists()


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
    staged = git(repository, "ls-files", "--stage")
    assert cli("undo").code == 0
    assert text(repository) == before
    assert git(repository, "status", "--short", "--", LOG) == f"UU {LOG}\n"
    assert cli("redo").code == 0
    assert git(repository, "ls-files", "--stage") == staged
    assert cli("undo").code == 0
    assert cli("resolve", "nothing.md").code != 0


def test_resolve_brings_nothing_back_that_a_side_took_out(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = repository / ".squad/decisions.md"
    notes.parent.mkdir()
    before = "# Notes\n\n- Sessions are in Redis\n- The pool has ten\n"
    for branch, start, content in (
        ("both", "main", before),
        ("there", "both", before.replace("has ten", "has twenty")),
        ("here", "both", before.replace("- Sessions are in Redis\n", "")),
    ):
        git(repository, "checkout", "--quiet", "-b", branch, start)
        notes.parent.mkdir(exist_ok=True)
        notes.write_text(content, "utf-8", newline="\n")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "-m", branch)
    git(repository, "config", "--remove-section", "merge.memdown")
    git(repository, "merge", "--no-edit", "--no-verify", "there", fails=True)
    monkeypatch.chdir(repository)
    assert cli("resolve").code == 0
    assert notes.read_text("utf-8") == "# Notes\n\n- The pool has twenty\n"


def test_undo_of_resolve_leaves_the_index_alone_once_the_merge_is_committed(repository: Path) -> None:
    conflict(repository)
    with Memory.open(repository) as memory:
        assert memory.resolve().resolved == [LOG]
        git(repository, "commit", "--quiet", "--no-verify", "--no-edit")
        staged = git(repository, "ls-files", "--stage")
        memory.add("decision", "Use PostgreSQL", author="Ann", text="It is there.")
        memory.undo()
        memory.undo()
        assert "<<<<<<<" in text(repository)
    assert git(repository, "ls-files", "--stage") == staged


def test_resolve_after_its_undo_merges_the_same_again(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where git takes lines of two new entries for one: the markers alone would not tell which field is whose."""

    def decided(title: str) -> str:
        at = "2026-11-02T10:00:00+0000"
        return f"### {at}: decision: {title}\n\n**type:** decision\n**timestamp:** {at}\n**author:** Ann\n\n{title}.\n\n---\n\n"

    log = repository / ".squad/decisions.md"
    log.parent.mkdir()
    for branch, title in (("side", "Use Redis"), ("main", "Use Flask")):
        git(repository, "checkout", "--quiet", branch)
        log.parent.mkdir(exist_ok=True)
        log.write_text("# Decisions\n\n" + decided(title), "utf-8", newline="\n")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "-m", title)
    conflict(repository)
    monkeypatch.chdir(repository)
    assert cli("resolve").code == 0
    merged = log.read_text("utf-8")
    assert merged.count("**timestamp:**") == merged.count("**type:**") == 2
    assert cli("undo").code == 0
    assert "<<<<<<<" in log.read_text("utf-8")
    assert cli("resolve").code == 0
    assert log.read_text("utf-8") == merged
    assert text(repository) == BOTH


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
@pytest.mark.parametrize("line", ["/nowhere/memdown", "false memdown", "sh -c 'exit 126' memdown"])
def test_without_memdown_or_with_one_that_fails_git_merges_by_line_and_says_so(repository: Path, line: str) -> None:
    with Memory(repository) as memory:
        memory.install("git", able=["merge-driver"], line=line, check=False)
    said = git(repository, "merge", "--no-edit", "--no-verify", "side", fails=True)
    assert "memdown is not on the PATH" in said
    assert "<<<<<<<" in text(repository)
    with Memory(repository) as memory:
        assert memory.resolve().resolved == [LOG]
    assert text(repository) == BOTH


def test_installing_a_driver_that_is_not_on_the_path_says_so(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    ran = cli("install", "git", "--command", "/nowhere/memdown")
    assert ran.code == 1
    assert "/nowhere/memdown was not found; put it on the PATH" in ran.out
    assert "until then, git merges memory by line" in ran.out


def test_the_driver_leaves_a_file_it_cannot_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "ours").write_text(BASE, "utf-8")
    missing = [str(tmp_path / "none"), str(tmp_path / "ours"), str(tmp_path / "none"), "7", LOG]
    done = subprocess.run([sys.executable, "-m", "memdown", "merge-driver", *missing], capture_output=True, check=False)
    assert done.returncode == 4
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


@pytest.mark.skipif(os.name == "nt", reason="git runs what compares files through its own shell")
def test_git_compares_memory_by_record(repository: Path) -> None:
    write(repository, text(repository).replace("the end of it", "the very end of it"), "end")
    shown = git(repository, "show", "--format=", "HEAD")
    assert "-    - the end of it\n+    - the very end of it\n" in shown
    card = "---\nid: {}\nsubject: Pool size\n---\n\n{}With five connections it fails.\n"
    name = "3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b"
    (repository / "memories").mkdir()
    for pad in ("", "More.\n\n" * 5):
        (repository / f"memories/{name}.md").write_text(card.format(name, pad), "utf-8", newline="\n")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "-m", "card")
    assert "card Pool size" in git(repository, "show", "--format=", "HEAD")
    raw = git(repository, "show", "--format=", "--no-textconv", "HEAD~2")
    assert "-- the end of it\n+- the very end of it\n" in raw


def test_committed_markers_are_merged_from_the_parents_of_that_merge(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the markers, what a side deleted stands again; the parents know better."""
    git(repository, "checkout", "--quiet", "side")
    write(repository, text(repository).replace("- [x] the beginning of it\n", ""), "deleted on the side")
    git(repository, "checkout", "--quiet", "main")
    conflict(repository)
    git(repository, "commit", "--quiet", "--no-verify", "-am", "committed with markers")
    write(repository, f"{text(repository)}- and what came later\n", "later")
    monkeypatch.chdir(repository)
    assert cli("resolve").code == 0
    done = "## Done\n\n- [x] what main did\n- [x] what the side did\n"
    assert text(repository) == f"# Progress\n\n{done}\n## Next\n\n- the end of it\n- and what came later\n"


SCRIPT = Path(__file__).parents[1] / "integrations/ci/resolve.sh"


def pull_request(root: Path, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A bare remote with both branches, and a clone of it as continuous integration has."""
    git(root, "config", "--remove-section", "merge.memdown")
    git(root, "clone", "--quiet", "--bare", str(root), str(tmp_path / "remote.git"))
    clone = tmp_path / "clone of CI"
    git(root, "clone", "--quiet", str(tmp_path / "remote.git"), str(clone))
    for key, value in (("user.name", "CI"), ("user.email", "ci@example.org")):
        git(clone, "config", key, value)
    return clone, {**os.environ, "MEMDOWN": CALL, "GIT_CONFIG_GLOBAL": os.devnull}


def in_ci(clone: Path, env: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        ["sh", str(SCRIPT), "main", "side"],
        cwd=clone,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(os.name == "nt", reason="a script for sh")
def test_a_pull_request_that_conflicts_in_memory_only_is_merged_and_pushed(repository: Path, tmp_path: Path) -> None:
    clone, env = pull_request(repository, tmp_path)
    code, said = in_ci(clone, env)
    assert code == 0, said
    assert f"Merged {LOG}\n" in said
    remote = tmp_path / "remote.git"
    assert git(remote, "show", f"side:{LOG}") == entry(entry(BASE, "what the side did"), "what main did")
    assert len(git(remote, "log", "-1", "--format=%P", "side").split()) == 2
    assert in_ci(clone, env) == (0, "Nothing conflicts with `main`.\n")


@pytest.mark.skipif(os.name == "nt", reason="a script for sh")
@pytest.mark.parametrize("call", ["{program}", "'{program}' --plain", "env COLUMNS=80 '{program}'"])
def test_the_script_calls_memdown_by_a_path_with_spaces_or_a_command_line(
    call: str, repository: Path, tmp_path: Path
) -> None:
    program = tmp_path / "my tools" / "mem döwn"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\ntest "$1" = --plain && shift\nexec {CALL} "$@"\n', "utf-8")
    program.chmod(0o755)
    clone, env = pull_request(repository, tmp_path)
    code, said = in_ci(clone, {**env, "MEMDOWN": call.format(program=program)})
    assert code == 0, said
    assert f"Merged {LOG}\n" in said


@pytest.mark.skipif(os.name == "nt", reason="a script for sh")
def test_a_pull_request_that_conflicts_elsewhere_too_is_left_alone(repository: Path, tmp_path: Path) -> None:
    for branch in ("side", "main"):
        git(repository, "checkout", "--quiet", branch)
        (repository / "code.py").write_text(f"branch = {branch!r}\n", "utf-8")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "-m", "code")
    clone, env = pull_request(repository, tmp_path)
    before = git(tmp_path / "remote.git", "rev-parse", "side")
    assert in_ci(clone, env) == (1, "Not merged with `main`: these need a person.\n\n- `code.py`\n")
    assert git(tmp_path / "remote.git", "rev-parse", "side") == before
    assert git(clone, "status", "--short") == ""


def test_a_file_that_one_side_renamed_is_merged_under_its_new_name(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "side")
    git(repository, "mv", LOG, "memory-bank/done.md")
    git(repository, "commit", "--quiet", "--no-verify", "-m", "renamed")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--no-edit", "--no-verify", "side")
    assert (repository / "memory-bank/done.md").read_bytes().decode() == BOTH
    assert not (repository / LOG).exists()


def test_a_merge_and_resolve_stage_no_deletion_of_what_is_new(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for branch in ("side", "main"):
        git(repository, "checkout", "--quiet", branch)
        for number in range(3):
            (repository / f"memory-bank/{branch}-{number}.md").write_text(f"# {branch} {number}\n", "utf-8")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "--no-verify", "-m", f"facts of {branch}")
    conflict(repository)
    monkeypatch.chdir(repository)
    assert cli("resolve").code == 0
    assert "D" not in {row[:1] for row in git(repository, "status", "--porcelain").splitlines()}
    git(repository, "commit", "--quiet", "--no-verify", "--no-edit")
    kept = git(repository, "ls-files", "memory-bank").split()
    assert kept == sorted([LOG, *(f"memory-bank/{branch}-{n}.md" for branch in ("main", "side") for n in range(3))])


@pytest.mark.slow
def test_a_rebase_of_two_hundred_commits_never_stops(repository: Path) -> None:
    git(repository, "checkout", "--quiet", "side")
    for number in range(200):
        write(repository, entry(text(repository), f"step number {number} of the side"), str(number))
    git(repository, "checkout", "--quiet", "main")
    for number in range(5):
        write(repository, entry(text(repository), f"what main did on day {number}"), str(number))
    git(repository, "checkout", "--quiet", "side")
    git(repository, "rebase", "--quiet", "main")
    found = [line for line in text(repository).split("\n") if "step number" in line]
    assert found == [f"- [x] step number {number} of the side" for number in range(200)]
    assert text(repository).count("what main did") == 6
    assert len(git(repository, "rev-list", "main..side").split()) == 201


def test_copies_that_a_union_left_are_found_and_taken_out(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = "\n## 2026-01-02: Sessions live in Redis\n\nIn the database, every request wrote a row.\n"
    (repository / LOG).write_text(f"{BASE}{added}\n## Later\n\n- more\n{added}", "utf-8", newline="\n")
    monkeypatch.chdir(repository)
    assert [each["code"] for each in cli("check", "--select", "MRG", "--json").json()] == ["MRG003"]
    assert cli("check", "--select", "MRG", "--unsafe-fixes").code == 0
    assert text(repository) == f"{BASE}{added}\n## Later\n\n- more\n"


MARKED = f"{BASE.partition('- [x]')[0]}<<<<<<< HEAD\n- [x] one\n=======\n- [x] the beginning of it\n- [x] two\n>>>>>>> side\n"


def test_markers_that_were_staged_are_resolved_with_what_the_merge_going_on_began_from(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The markers alone do not say that one side took out the beginning."""
    write(repository, BASE.replace("the beginning of it", "what main did"), "without the beginning")
    git(repository, "merge", "--no-commit", "--no-verify", "side")
    merged = text(repository)
    assert "the beginning of it" not in merged
    (repository / LOG).write_text(MARKED, "utf-8", newline="\n")
    git(repository, "add", "--all")
    monkeypatch.chdir(repository)
    assert cli("resolve").code == 0
    assert "the beginning of it" not in text(repository)


def test_markers_in_a_file_that_one_side_of_the_merge_going_on_deleted(
    repository: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "checkout", "--quiet", "side")
    git(repository, "rm", "--quiet", LOG)
    git(repository, "commit", "--quiet", "--no-verify", "-m", "gone")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--no-commit", "--no-verify", "side", fails=True)
    (repository / LOG).write_text(MARKED, "utf-8", newline="\n")
    git(repository, "add", "--all")
    monkeypatch.chdir(repository)
    assert cli("resolve").code == 0
    assert [f"- [x] {each}\n" in text(repository) for each in ("one", "two")] == [True, True]
    assert "<<<<<<<" not in text(repository)
