"""The doctor: each check is seen well and unwell, what can be repaired is, and memory is never touched."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import Ran
from memdown import VERSION, programs
from memdown.acts.doctor import CHECKS
from memdown.errors import MemdownError
from memdown.store import disk, locks
from memdown.store.files import Files
from samples import CARD, ID, memdown, put
from test_undo import differing, state

if sys.platform == "win32":
    pytest.skip("permissions, pipes and scripts are those of POSIX systems", allow_module_level=True)

Cli = Callable[..., Ran]
Rows = dict[str, list[dict[str, Any]]]


@pytest.fixture
def healthy(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """A project with memory, an index, a step of undo, a repository, hooks, and `memdown` on the PATH."""
    quick = f"[ $1 = --version ] && echo memdown {VERSION} && exit"
    program = put(tmp_path, "bin/memdown", f'#!/bin/sh\n{quick}\nexec "{sys.executable}" -m memdown "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("MEMDOWN_MODE", raising=False)
    subprocess.run(["git", "init", "--quiet"], check=True)
    put(Path.cwd(), f"memories/{ID}.md", CARD)
    assert cli("edit", ID, "--title", "Another").code == 0
    assert cli("index").code == 0
    return cli


def rows(ran: Ran) -> Rows:
    found: Rows = {}
    for each in ran.json():
        assert set(each) == {"check", "state", "what", "do", "fixable", "fixed"}
        assert (each["do"] == "") == (each["state"] == "ok")
        found.setdefault(each["check"], []).append(each)
    return found


def unwell(cli: Cli, check: str, state_: str, word: str, *, others: tuple[str, ...] = ()) -> None:
    """The check, and it alone, finds this; memory stays as it is, also when it is repaired as far as it can be."""
    before = state(Path.cwd())
    ran = cli("doctor", "--json")
    found = rows(ran)
    assert set(found) == set(CHECKS), "every check answers, whatever is broken"
    assert [(each["state"], word in each["what"]) for each in found[check]] == [(state_, True)], found[check]
    bad = {name for name, all_ in found.items() if any(each["state"] != "ok" for each in all_)}
    assert bad - set(others) == {check}, found
    assert ran.code == int(any(each["state"] == "fail" for all_ in found.values() for each in all_))
    assert differing(state(Path.cwd()), before) == []


def repaired(cli: Cli, check: str) -> None:
    before = state(Path.cwd())
    told = rows(cli("doctor", "--fix", "--json"))[check]
    assert any(each["fixed"] for each in told), told
    assert [each["state"] for each in rows(cli("doctor", "--json"))[check]] == ["ok"]
    assert differing(state(Path.cwd()), before) == []


# Well


def test_everything_is_in_order(healthy: Cli) -> None:
    assert healthy("install", "claude").code == 0
    before = state(Path.cwd(), with_git=True)
    kept = {path.name for path in Path(".memdown").iterdir()}
    ran = healthy("doctor")
    assert (ran.code, ran.out.splitlines()[-1], ran.err) == (0, "No problems found.", ""), ran
    assert "commands of assistants that run: 6" in ran.out
    assert list(rows(healthy("doctor", "--json"))) == list(CHECKS)
    assert differing(state(Path.cwd(), with_git=True), before) == []
    assert {path.name for path in Path(".memdown").iterdir()} == kept, "what was probed is gone"


def test_a_folder_without_memory_is_in_order_and_stays_empty(cli: Cli) -> None:
    ran = cli("doctor")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "No problems found.")
    assert list(Path.cwd().iterdir()) == []


def test_a_fresh_demo_project_is_in_order(tmp_path: Path) -> None:
    told = memdown(tmp_path, "demo", "--keep")
    root = Path(told.stdout.partition("The sample project is in ")[2].partition(".\n")[0])
    try:
        ran = memdown(root, "doctor")
        assert (ran.returncode, ran.stdout.splitlines()[-1]) == (0, "No problems found."), ran
    finally:
        for path in sorted(root.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        root.rmdir()


# Unwell


def test_people_read_what_was_found_and_what_to_do(healthy: Cli) -> None:
    put(Path.cwd(), "memdown.toml", "[bank\n")
    Path(".memdown/.gitignore").unlink()
    lines = healthy("doctor").out.splitlines()
    assert lines[1].startswith("problem  configuration ")
    assert lines[2] == f"{'':22} → fix the file; docs/configuration.md lists the keys"
    assert lines[-3].startswith("warning  git           git does not ignore .memdown")
    assert lines[-1] == "1 problem, 1 warning. 1 fixable with --fix."
    assert "fixed    git           git does not ignore .memdown" in healthy("doctor", "--fix").out.splitlines()


def test_another_version_on_the_path(healthy: Cli, tmp_path: Path) -> None:
    put(tmp_path, "bin/memdown", "#!/bin/sh\necho memdown 0.0.1\n")
    unwell(healthy, "installation", "warn", "memdown 0.0.1")
    put(tmp_path, "bin/memdown", "#!/bin/sh\nexit 3\n")
    unwell(healthy, "installation", "warn", "exit code 3")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[bank\n", "cannot be read"),
        ("[bank]\nfolders = 'x'\n", "unknown field `folders`"),
        ("lock-timeout = 'x'\n", "lock-timeout"),
        ("\udcff", "cannot be read"),
    ],
)
def test_settings_that_cannot_be_read(healthy: Cli, text: str, word: str) -> None:
    put(Path.cwd(), "memdown.toml", text)
    unwell(healthy, "configuration", "fail", word)


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may read anything")
def test_settings_and_folders_that_only_others_may_read(healthy: Cli) -> None:
    path = put(Path.cwd(), "pyproject.toml", "[tool.memdown]\n")
    path.chmod(0o000)
    found = rows(healthy("doctor", "--json"))["configuration"]
    assert [(each["state"], "pyproject.toml cannot be read" in each["what"]) for each in found] == [("fail", True)]
    fails = healthy("status")
    assert (fails.code, fails.err.count("\n")) == (4, 1)
    path.unlink()
    put(Path.cwd(), ".squad/decisions.md", "# Decisions\n")
    Path(".squad").chmod(0o000)
    try:
        told = rows(healthy("doctor", "--json"))
        assert [(each["state"], ".squad" in each["what"]) for each in told["permissions"]] == [("fail", True)]
        assert [each["state"] for each in told["clock"]] == ["ok"]
    finally:
        Path(".squad").chmod(0o755)


@pytest.mark.parametrize("kind", ["folder", "fifo", "link"])
def test_settings_that_are_no_file(healthy: Cli, kind: str) -> None:
    path = Path("memdown.toml")
    path.mkdir() if kind == "folder" else os.mkfifo(path) if kind == "fifo" else path.symlink_to("none")
    ran = healthy("doctor", "--json")
    assert [(each["state"], "ordinary file" in each["what"]) for each in rows(ran)["configuration"]] == [("fail", True)]
    assert ran.code == 1


def test_settings_that_do_not_count_or_name_nothing(healthy: Cli) -> None:
    put(Path.cwd(), "memdown.toml", "")
    put(Path.cwd(), "pyproject.toml", "[tool.memdown]\nlock-timeout = 3.0\n")
    unwell(healthy, "configuration", "warn", "only memdown.toml counts")
    Path("pyproject.toml").unlink()
    put(Path.cwd(), "memdown.toml", "[cards]\nfolder = 'deck'\n")
    unwell(healthy, "configuration", "warn", "the folder deck")


def test_files_that_may_not_be_read_or_written(healthy: Cli) -> None:
    path = Path(f"memories/{ID}.md")
    path.chmod(0o444)
    unwell(healthy, "permissions", "warn", "read-only, so changes are refused")
    path.chmod(0o000)
    try:
        found = rows(healthy("doctor", "--json"))["permissions"]
        assert [(each["state"], ID in each["what"]) for each in found] == [("fail", True)]
    finally:
        path.chmod(0o644)


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_folder_of_state_that_is_none(healthy: Cli, tmp_path: Path, kind: str) -> None:
    state_ = Path(".memdown")
    state_.rename(tmp_path / "elsewhere")
    state_.write_text("x") if kind == "file" else state_.symlink_to(tmp_path / "elsewhere")
    found = rows(healthy("doctor", "--json"))
    assert set(found) == set(CHECKS)
    assert [(each["state"], "memdown cannot write" in each["what"]) for each in found["permissions"]] == [
        ("fail", True)
    ]
    assert healthy("doctor", "--fix").code == 1


def test_folders_that_may_not_be_written(healthy: Cli) -> None:
    Path(".memdown").chmod(0o555)
    try:
        found = rows(healthy("doctor", "--json"))["permissions"]
        assert [(each["state"], "read-only" in each["what"]) for each in found] == [("fail", True)]
    finally:
        Path(".memdown").chmod(0o755)


def test_a_link_that_leads_out_is_named(healthy: Cli, tmp_path: Path) -> None:
    Path("memories/out.md").symlink_to(put(tmp_path, "out.md", "# Out\n"))
    found = rows(healthy("doctor", "--json"))["permissions"]
    assert [(each["state"], "leads out of the root" in each["what"]) for each in found] == [("warn", True)]


def test_a_file_system_without_locks(healthy: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """No such disk is at hand, so the one call that asks the system for a lock answers as one would."""

    def none(_: int) -> bool:
        raise MemdownError("this file system cannot lock files (no locks available)")

    original = locks._try_lock
    monkeypatch.setattr(locks, "_try_lock", none)
    found = rows(healthy("doctor", "--json"))
    assert [(each["state"], "no locks" in each["what"]) for each in found["file system"]] == [("fail", True)]
    monkeypatch.setattr(locks, "_try_lock", lambda file: original(file) or True)
    unwell(healthy, "file system", "fail", "lets two hold one lock")


def test_times_of_the_future(healthy: Cli) -> None:
    path = Path(f"memories/{ID}.md")
    ahead = time.time() + 3600
    os.utime(path, (ahead, ahead))
    unwell(healthy, "clock", "warn", "changed in the future")
    os.utime(path)
    path.write_text(path.read_text().replace("2026-01-15", "2036-01-15"))
    unwell(healthy, "clock", "warn", f"dated in the future: memories/{ID}.md:1")


@pytest.fixture
def writer() -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom memdown.store import Files\n"
        "with Files(Path.cwd()).lock():\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_lock_that_is_held(healthy: Cli, writer: "subprocess.Popen[str]") -> None:
    put(Path.cwd(), f"memories/{disk.TEMPORARY}1.tmp", "its own")
    unwell(healthy, "locks", "warn", f"held by process {writer.pid} on ")
    assert healthy("doctor", "--fix").code == 0
    assert Path(f"memories/{disk.TEMPORARY}1.tmp").exists(), "of a writer that lives"


def test_a_lock_that_is_no_file(healthy: Cli) -> None:
    Path(".memdown/lock").unlink()
    Path(".memdown/lock").mkdir()
    unwell(healthy, "locks", "fail", "not an ordinary file", others=("leftovers",))


def test_what_a_crash_left_is_settled(healthy: Cli) -> None:
    """A process that dies in the middle of a group, once before it was decided and once after."""
    for module, dying, word in (("disk", "Disk.replace", "dropped"), ("wal", "Wal._carry_out", "completed")):
        script = (
            "import os\nfrom pathlib import Path\nfrom memdown.memory import Memory\n"
            f"from memdown.store import {module}\n{module}.{dying} = lambda *_: os._exit(9)\n"
            "with Memory.open(Path.cwd()).files.group() as group:\n"
            "    for name in 'ab':\n"
            f"        group.save(f'memories/{word}-{{name}}.md', '# New', over=None)\n"
        )
        assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
        found = rows(healthy("doctor", "--json"))["leftovers"]
        assert [each["state"] for each in found] == ["warn", "warn"], "the group, and its step of undo"
        assert word in found[0]["what"]
        told = rows(healthy("doctor", "--fix", "--json"))["leftovers"]
        assert [each["fixed"] for each in told] == [True, True, False]
        assert len(list(Path("memories").glob(f"{word}-*.md"))) == (2 if word == "completed" else 0)


def test_temporary_files_of_the_dead_and_texts_that_were_kept(healthy: Cli) -> None:
    for folder in (".", ".memdown", "memories", "memories/deep"):
        put(Path.cwd(), f"{folder}/{disk.TEMPORARY}0a.tmp", "half")
    mine = put(Path.cwd(), "memories/deep/mine.tmp", "mine")
    found = rows(healthy("doctor", "--json"))["leftovers"]
    assert [(each["state"], each["fixable"]) for each in found] == [("warn", True)]
    assert healthy("doctor", "--fix").out.count("\nfixed    leftovers") == 1
    assert list(Path.cwd().rglob("*.tmp")) == [mine.resolve()]
    put(Path.cwd(), ".memdown/recovered/group-1-0.md", "# Text\n")
    unwell(healthy, "leftovers", "warn", ".memdown/recovered/group-1-0.md")


def test_an_undo_log_that_is_damaged_or_too_large(healthy: Cli) -> None:
    step = next(Path(".memdown/undo").glob("*.step"))
    whole = step.read_bytes()
    step.write_bytes(whole[:-3])
    unwell(healthy, "undo", "warn", "1 of 1 steps cannot be read")
    step.write_bytes(whole)
    with step.with_name("000000009.step").open("wb") as file:
        file.truncate(2 << 20)
    put(Path.cwd(), "memdown.toml", "[undo]\nmegabytes = 1\n")
    found = rows(healthy("doctor", "--json"))["undo"]
    assert [each["what"].partition(" ")[0] for each in found] == ["1", "the"]
    for path in Path(".memdown/undo").iterdir():
        path.unlink()
    Path(".memdown/undo").rmdir()
    put(Path.cwd(), ".memdown/undo", "kept")
    found = rows(healthy("doctor", "--fix", "--json"))["undo"]
    assert [(each["state"], "not a folder" in each["what"]) for each in found] == [("fail", True)]
    assert found[0]["do"] == "move it elsewhere, or remove it; memdown recreates the folder"
    assert Path(".memdown/undo").read_text() == "kept"


def test_what_holds_nothing_in_the_place_of_the_undo_log_is_removed(healthy: Cli, tmp_path: Path) -> None:
    put(tmp_path, "kept.md", "Theirs.")
    folder = Path(".memdown/undo")
    shutil.rmtree(folder)
    folder.touch()
    repaired(healthy, "undo")
    if os.name != "nt":
        folder.symlink_to(tmp_path / "kept.md")
        repaired(healthy, "undo")
    assert healthy("add", "card", "Pool size", "--keyword", "pool", "--content", "Ten of them.").code == 0
    assert (tmp_path / "kept.md").read_text() == "Theirs."


@pytest.mark.parametrize("name", ["memdown.toml", "pyproject.toml"])
def test_settings_that_are_nested_too_deeply(healthy: Cli, name: str) -> None:
    put(Path.cwd(), name, f"[tool.memdown]\na = {'[' * 5000}")
    told = healthy("list")
    assert (told.code, told.err.count("\n")) == (4, 1)
    assert told.err.endswith(f"{name} cannot be read: it is nested too deeply; make it flatter.\n")


@pytest.mark.parametrize("damage", ["header", "page", "leaf", "foreign", "version"])
def test_an_index_that_cannot_be_used_is_made_anew(healthy: Cli, damage: str) -> None:
    path = Path(".memdown/index.db")
    data = bytearray(path.read_bytes())
    if damage == "header":
        data[:16] = b"\xff" * 16
    elif damage == "page":
        data[4096:12288] = b"\xff" * 8192
    elif damage == "leaf":
        data[-4096:] = b"\xff" * 4096
    elif damage == "version":
        data[60:64] = b"\0\0\0\1"
    path.write_bytes(b"SQLite format 3\0 but no index" if damage == "foreign" else bytes(data))
    word = "another version" if damage == "version" else "index"
    unwell(healthy, "index", "warn", word)
    repaired(healthy, "index")
    assert len(healthy("search", "another", "--json").json()["hits"]) == 1


def test_an_index_that_is_no_file(healthy: Cli) -> None:
    Path(".memdown/index.db").unlink()
    Path(".memdown/index.db").mkdir()
    unwell(healthy, "index", "fail", "not an ordinary file")


def wire(command: str, file: str = ".claude/settings.json") -> None:
    hook = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    put(Path.cwd(), file, json.dumps(hook))


@pytest.mark.parametrize(
    ("command", "word"),
    [
        ("/nowhere/memdown hook Stop", "/nowhere/memdown is not there"),
        ("nosuchpython -m memdown hook Stop", None),
        ("python3.99 -m memdown hook Stop", "python3.99 is not on the PATH"),
        ("memdown hook Stopped", "there is no hook 'Stopped'"),
        ("memdown remember Stop", "no command remember"),
    ],
)
def test_hooks_that_do_not_run(healthy: Cli, command: str, word: str | None) -> None:
    for file in (".claude/settings.json", ".claude/settings.local.json"):
        wire(command, file)
        if word is None:
            assert f"not tested, as it is not what `memdown install` writes: `{command}`" in healthy("doctor").out
        else:
            unwell(healthy, "hooks", "fail", word)
        Path(file).unlink()


def test_a_program_that_fails_is_named_with_what_it_says(healthy: Cli, tmp_path: Path) -> None:
    put(tmp_path, "old/memdown", "#!/bin/sh\necho no module named memdown >&2\nexit 1\n").chmod(0o755)
    put(
        Path.cwd(),
        ".mcp.json",
        json.dumps({"mcpServers": {"m": {"command": f"{tmp_path}/old/memdown", "args": ["mcp"]}}}),
    )
    unwell(healthy, "hooks", "fail", "ends with exit code 1: no module named memdown")
    Path(".mcp.json").unlink()
    put(
        Path.cwd(), ".codex/config.toml", f"[mcp_servers.memdown]\ncommand = '{tmp_path}/old/memdown'\nargs = ['mcp']\n"
    )
    unwell(healthy, "hooks", "fail", ".codex/config.toml")
    put(Path.cwd(), ".codex/config.toml", "[mcp_servers\n")
    unwell(healthy, "hooks", "warn", ".codex/config.toml cannot be read")


def test_a_hostile_repository_runs_nothing(healthy: Cli, tmp_path: Path) -> None:
    """Settings come with a clone: only memdown itself is called, from outside the project, where it can change nothing."""
    trap = put(Path.cwd(), "tools/memdown", f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    trap.chmod(0o755)
    put(Path.cwd(), "memdown.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    before = state(Path.cwd())
    for command in (
        "tools/memdown hook Stop",
        f"{trap.resolve()} hook Stop",
        f"memdown hook Stop; touch {tmp_path}/ran",
        f"memdown hook $(touch {tmp_path}/ran)",
        "memdown hook Stop>/dev/null",
        f"sh -c 'touch {tmp_path}/ran' memdown hook Stop",
        f"env touch {tmp_path}/ran memdown",
        f"memdown delete {ID} --root {Path.cwd()}",
        f"memdown hook Stop --root {Path.cwd()}",
        f"python3 -m memdown delete {ID} --force --root {Path.cwd()}",
    ):
        wire(command)
        ran = healthy("doctor", "--fix")
        assert (ran.code, "not tested" in ran.out) == (0, True), (command, ran)
        Path(".claude/settings.json").unlink()
    wire("python3 -m memdown hook Stop")
    healthy("doctor")
    assert not (tmp_path / "ran").exists()
    Path(".claude/settings.json").unlink()
    assert [name for name in differing(state(Path.cwd()), before) if name != ".claude"] == []


def git(*args: str) -> str:
    return subprocess.run(["git", *args], capture_output=True, text=True, check=True).stdout


def test_attributes_without_a_driver(healthy: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    put(Path.cwd(), ".gitattributes", "memories/**/*.md merge=memdown\n")
    with monkeypatch.context() as patch:
        patch.setattr(programs, "find", lambda _: None)
        ran = healthy("doctor", "--fix")
        assert (ran.code, "install memdown for this user" in ran.out) == (0, True)
    unwell(healthy, "git", "warn", "which is not configured")
    repaired(healthy, "git")
    assert git("config", "merge.memdown.driver").startswith("MEMDOWN_KEPT=3 memdown merge-driver %O %A %B %L %P || ")
    git("config", "merge.memdown.driver", "/nowhere/memdown merge-driver %O")
    unwell(healthy, "git", "fail", "/nowhere/memdown is not on the PATH")


@pytest.mark.parametrize("how", ["gone", "other"])
def test_a_folder_of_state_that_git_sees(healthy: Cli, how: str) -> None:
    ignore = Path(".memdown/.gitignore")
    ignore.unlink()
    if how == "other":
        ignore.write_text("# nothing\n")
    assert "git does not ignore .memdown" in healthy("doctor").out
    repaired(healthy, "git")
    assert git("status", "--porcelain", "--", ".memdown") == ""
    git("add", "--force", ".memdown/lock")
    unwell(healthy, "git", "warn", "git tracks .memdown/lock")


def test_a_hook_of_git_that_git_passes_over(healthy: Cli) -> None:
    assert healthy("install", "git").code == 0
    assert [each["state"] for each in rows(healthy("doctor", "--json"))["git"]] == ["ok"]
    Path(".git/hooks/pre-commit").chmod(0o644)
    unwell(healthy, "git", "warn", "pre-commit hook is not executable")


def test_memory_that_a_forced_push_replaced_is_noticed_and_stays_here(healthy: Cli, tmp_path: Path) -> None:
    for name, value in (("user.name", "Ann"), ("user.email", "ann@example.org"), ("core.hooksPath", "/nowhere")):
        git("config", name, value)
    for number in range(78):
        put(Path.cwd(), f"memories/{number}.md", f"# Note {number}\n")
    git("add", "memories")
    git("commit", "--quiet", "--message", "79 files")
    git("init", "--quiet", "--bare", f"{tmp_path}/there.git")
    git("remote", "add", "origin", f"{tmp_path}/there.git")
    git("push", "--quiet", "--set-upstream", "origin", "HEAD:main")
    assert [each["state"] for each in rows(healthy("doctor", "--json"))["git"]] == ["ok"]
    commit, branch = git("rev-parse", "HEAD"), git("branch", "--show-current").strip()
    git("checkout", "--quiet", "--orphan", "other")
    git("rm", "--quiet", "--cached", *(f"memories/{number}.md" for number in range(71)))
    git("commit", "--quiet", "--message", "8 files")
    git("push", "--quiet", "--force", "origin", "HEAD:main")
    git("checkout", "--quiet", "--force", branch)
    assert git("rev-parse", "HEAD") == commit
    git("fetch", "--quiet")
    found = rows(healthy("doctor", "--json"))["git"]
    assert "origin/main has lost 71 of 79 memory files, which are still here" in found[0]["what"]
    assert found[0]["state"] == "warn"
    assert "memdown diff" in found[0]["do"]
    assert len([*Path("memories").glob("*.md")]) == 79


# Everything at once


def test_all_that_can_be_broken_is_told_and_nothing_crashes(cli: Cli, tmp_path: Path) -> None:
    root = Path.cwd()
    put(root, ".memdown", "a file")
    put(root, ".git", "a file")
    put(root, "memdown.toml", "\0")
    put(root, "pyproject.toml", "\udcff[tool.memdown")
    put(root, ".claude/settings.json", "{")
    put(root, ".mcp.json", "[" * 5000)
    (root / "memories").symlink_to(tmp_path)
    (root / "memory-bank").symlink_to("memory-bank")
    os.mkfifo(root / "memory_bank")
    for option in ("--json", "--fix"):
        ran = cli("doctor", option)
        assert (ran.code, "Traceback" in ran.err) == (1, False)
    assert set(rows(cli("doctor", "--json"))) == set(CHECKS)
    assert Files(root).path("memory_bank").exists()
