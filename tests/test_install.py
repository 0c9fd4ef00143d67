"""memdown in the settings of assistants and of git: put in beside what is there, and taken out to the byte."""

import errno
import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forks
from conftest import Ran
from memdown import Memory, homes
from memdown.acts.install import markers, parts
from memdown.acts.install.plan import Installer, InstallPlan
from memdown.acts.install.targets import EVENTS, TARGETS
from memdown.errors import Invalid, Refused, quote
from memdown.markdown import tokens
from memdown.markdown.jsonc import BrokenJson
from memdown.settings import config
from memdown.store import Files
from samples import CARD, ID, put
from test_hooks import said
from test_jsonc import jsonc_texts

Cli = Callable[..., Ran]
ABLE = frozenset(("mcp", "hook", "check", "merge-driver"))
POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no executable bit, and links need rights there")


def everything(root: Path) -> dict[str, bytes | None]:
    """Every file with its bytes, and every folder, but what memdown derives and what git counts."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(root.rglob("*"))
        if ".memdown" not in path.parts and "objects" not in path.parts
    }


def git(root: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *args], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    begin(root)
    return root


def begin(root: Path) -> None:
    git(root, "init", "--quiet", ".")
    git(root, "config", "user.name", "Ann")
    git(root, "config", "user.email", "ann@example.org")


class Installing(NamedTuple):
    """A project, and how memdown is called in it."""

    root: Path
    line: str | None = None

    def install(self, target: str, *, remove: bool = False) -> InstallPlan:
        return Memory.open(self.root).install(target, able=ABLE, line=self.line, remove=remove)


def wiring(root: Path, line: str | None = None) -> Installing:
    return Installing(root, line)


# What is written

CLAUDE = """\
{
  // Mine
  "permissions": { "allow": ["Bash(npm test)"] },
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // a sound
    ]
  }
}
"""


def test_hooks_join_those_of_others(project: Path) -> None:
    path = put(project, ".claude/settings.json", CLAUDE)
    plan = wiring(project).install("claude")
    assert plan.changed == [".claude/settings.json", ".mcp.json", ".claude/rules/memdown.md"]
    text = path.read_text()
    assert text.startswith(CLAUDE.partition(" // a sound")[0])
    plain = json.loads("".join(line.partition(" //")[0] for line in text.splitlines()))
    assert plain["permissions"] == {"allow": ["Bash(npm test)"]}
    assert list(plain["hooks"]) == ["Stop", *(event for event in EVENTS if event != "Stop")]
    assert plain["hooks"]["Stop"] == [
        {"hooks": [{"type": "command", "command": "say done"}]},
        {"hooks": [{"type": "command", "command": "memdown hook Stop"}]},
    ]
    for event in EVENTS:
        assert plain["hooks"][event][-1] == {"hooks": [{"type": "command", "command": f"memdown hook {event}"}]}


@pytest.mark.parametrize(
    ("target", "file", "under", "value"),
    [
        ("claude", ".mcp.json", "mcpServers", {"command": "memdown", "args": ["mcp"]}),
        ("cursor", ".cursor/mcp.json", "mcpServers", {"command": "memdown", "args": ["mcp"]}),
        ("roo", ".roo/mcp.json", "mcpServers", {"command": "memdown", "args": ["mcp"]}),
        ("kilo", ".kilocode/mcp.json", "mcpServers", {"command": "memdown", "args": ["mcp"]}),
        ("copilot", ".vscode/mcp.json", "servers", {"type": "stdio", "command": "memdown", "args": ["mcp"]}),
        ("vscode", ".vscode/mcp.json", "servers", {"type": "stdio", "command": "memdown", "args": ["mcp"]}),
    ],
)
def test_servers_are_listed_as_each_assistant_reads_them(
    project: Path, target: str, file: str, under: str, value: object
) -> None:
    wiring(project).install(target)
    assert json.loads((project / file).read_text()) == {under: {"memdown": value}}


def test_codex_gets_a_table(project: Path) -> None:
    before = 'model = "o4"\n\n[mcp_servers.other]\ncommand = "x"'
    path = put(project, ".codex/config.toml", before)
    wiring(project, "uvx memdown").install("codex")
    assert path.read_text().startswith(before + "\n\n# memdown install: begin\n")
    assert tomllib.loads(path.read_text())["mcp_servers"] == {
        "other": {"command": "x"},
        "memdown": {"command": "uvx", "args": ["memdown", "mcp"]},
    }
    wiring(project).install("codex", remove=True)
    assert path.read_text() == before


def test_rules_are_a_file_of_their_own_or_lines_in_the_one_that_is_there(project: Path) -> None:
    wiring(project).install("cline")
    page = (project / ".clinerules/memdown.md").read_text().rpartition("\n<!-- ")[0]
    wiring(project).install("cline", remove=True)
    assert not (project / ".clinerules").exists()
    put(project, ".clinerules", "- Mine.\n")
    plan = wiring(project).install("cline")
    assert ".clinerules" in plan.changed
    assert (project / ".clinerules").read_text() == (
        f"- Mine.\n\n<!-- memdown install: begin -->\n{page}<!-- memdown install: end -->\n"
    )


def test_the_command_is_what_a_person_says(project: Path) -> None:
    line = '"C:\\Program Files\\Python\\python.exe" -m memdown'
    wiring(project, line).install("claude")
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["memdown"]
    assert server == {"command": "C:\\Program Files\\Python\\python.exe", "args": ["-m", "memdown", "mcp"]}
    hooks = json.loads((project / ".claude/settings.json").read_text())["hooks"]
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": f"{line} hook Stop"}]}]


@pytest.mark.parametrize(
    "line", ["", "npx thing", "memdown --evil", "memdown; rm", "$(memdown)/memdown", "a\nb`/memdown"]
)
def test_a_command_that_is_not_memdown_is_refused(project: Path, line: str) -> None:
    with pytest.raises(Invalid):
        wiring(project, line).install("claude")
    assert "memdown" not in " ".join(everything(project))


def test_another_command_takes_the_place_of_the_one_before(project: Path) -> None:
    put(project, ".mcp.json", '{"mcpServers": {"a": {}}}')
    wiring(project).install("claude")
    once = everything(project)
    wiring(project, "uvx memdown").install("claude")
    assert '"args": ["memdown", "mcp"]' in (project / ".mcp.json").read_text()
    assert (project / ".claude/settings.json").read_text().count("memdown hook Stop") == 1
    wiring(project).install("claude")
    assert {name: (data or b"").split() for name, data in everything(project).items()} == {
        name: (data or b"").split() for name, data in once.items()
    }


def test_what_somebody_else_wrote_under_our_name_stays(project: Path) -> None:
    files = {
        ".mcp.json": '{"mcpServers": {"memdown": {"command": "memdown", "args": ["mcp"], "env": {"A": "1"}}}}',
        ".codex/config.toml": '[mcp_servers.memdown]\ncommand = "mine"\n',
        ".cursor/rules/memdown.mdc": "My rules.\n",
        ".git/hooks/pre-commit": "#!/usr/bin/env python3\nprint(1)\n",
    }
    for name, text in files.items():
        put(project, name, text)
    for remove in (False, True):
        for target in ("claude", "codex", "cursor", "git"):
            plan = wiring(project).install(target, remove=remove)
            assert len(plan.notes) == (0 if remove else 1), plan
        assert {name: (project / name).read_text() for name in files} == files


def test_a_hook_of_another_tool_is_not_ours(project: Path) -> None:
    text = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"bm hook Stop"}]},{"matcher":"x","hooks":[{"type":"command","command":"memdown hook Stop"}]}]}}'
    path = put(project, ".claude/settings.json", text)
    wiring(project).install("claude", remove=True)
    assert path.read_text() == text


def test_what_is_written_starts(project: Path) -> None:
    wiring(project, f'"{sys.executable}" -m memdown').install("claude")
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["memdown"]
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    done = run([server["command"], *server["args"]], project, json.dumps(asked) + "\n")
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "memdown"
    hooks = json.loads((project / ".claude/settings.json").read_text())["hooks"]
    for event in EVENTS:
        told = {
            "session_id": "s",
            "cwd": str(project),
            "hook_event_name": event,
            "source": "startup",
            "prompt": "hello",
        }
        done = run(hooks[event][0]["hooks"][0]["command"], project, json.dumps(told))
        assert done.returncode == 0, done


def run(command: str | list[str], root: Path, stdin: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=root,
        input=stdin,
        shell=isinstance(command, str),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_many_at_once_install_once(project: Path) -> None:
    running = [
        forks.Forked([sys.executable, "-m", "memdown", "install", "all", "-q", "--no-check"], cwd=project)
        for _ in range(4)
    ]
    assert [each.wait(60) for each in running] == [0] * 4
    assert (project / ".claude/settings.json").read_text().count("memdown hook Stop") == 1
    assert (project / ".git/hooks/pre-commit").read_text().count("memdown install: begin") == 1


# There and back


FOREIGN = {
    "nothing": {},
    "empty objects": {".mcp.json": "{}", ".claude/settings.json": "{}\n", ".vscode/mcp.json": "{\n}\n"},
    "empty containers": {
        ".claude/settings.json": '{"hooks": {"Stop": [], "SessionEnd": [\n]}}',
        ".mcp.json": '{"mcpServers": {\n  }\n}\n',
        ".roo/mcp.json": '{"mcpServers":{}}',
    },
    "comments": {
        ".claude/settings.json": CLAUDE,
        ".vscode/mcp.json": '// ours\n{\n\t"inputs": [], // none\n\t"servers": {\n\t\t"a": {"command": "b"}, /* c */\n\t},\n}\n// end',
    },
    "minified": {
        ".claude/settings.json": '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]},"env":{}}',
        ".cursor/mcp.json": '{"mcpServers":{"a":{"command":"b"}}}',
        ".cursor/hooks.json": '{"version":1,"hooks":{"stop":[{"command":"x"}]}}',
        ".codex/hooks.json": '{"hooks":{"SessionStart":[{"matcher":"startup","hooks":[]}]}}',
    },
    "windows": {
        ".cursor/hooks.json": '{\r\n  "version": 1\r\n}\r\n',
        "AGENTS.md": "# Ours\r\n\r\n- Mine.\r\n",
        ".mcp.json": '\ufeff{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
        ".codex/config.toml": 'model = "x"\r\n',
        ".clinerules": "- Mine.\r\n- Also.",
        ".gitattributes": "*.png binary\r\n",
        ".git/hooks/pre-commit": "#!/bin/sh\r\necho hi\r\n",
    },
    "texts": {
        "AGENTS.md": "",
        ".cursor/hooks.json": '{\n  "version": 1\n}\n',
        ".codex/config.toml": "",
        ".clinerules": "",
        ".gitattributes": "*.png binary",
        ".git/hooks/pre-commit": "#!/bin/sh\nexec make check",
    },
    "odd": {
        ".codex/config.toml": "\n\n# only a comment",
        ".clinerules": "\n",
        ".gitattributes": "\n\n\n",
        ".git/hooks/pre-commit": "echo no shebang\n",
        ".mcp.json": '{"mcpServers": {"b\\u00fc": {"env": {"KEY": "\udcff"}}}}',
        ".cursor/mcp.json": '{ "mcpServers" : { "a":{} ,\n "b":{}\n , }\n}',
    },
}


@pytest.mark.parametrize(
    ("case", "line", "rounds"),
    [*((case, None, 2) for case in FOREIGN), ("comments", None, 4), ("windows", "uvx memdown", 4)],
)
def test_rounds_leave_every_byte(project: Path, case: str, line: str | None, rounds: int) -> None:
    for name, text in FOREIGN[case].items():
        put(project, name, text)
    (project / ".cursor").mkdir(exist_ok=True)  # empty, and not ours
    before = everything(project)
    for _ in range(rounds):
        wiring(project, line).install("all")
        installed = everything(project)
        assert installed != before
        assert wiring(project, line).install("all").changed == []
        assert everything(project) == installed
        wiring(project, line).install("all", remove=True)
        assert everything(project) == before


def test_the_order_of_targets_does_not_matter(project: Path) -> None:
    for name, text in FOREIGN["comments"].items():
        put(project, name, text)
    before = everything(project)
    for target in TARGETS:
        wiring(project).install(target)
    for target in TARGETS:
        wiring(project).install(target, remove=True)
    assert everything(project) == before


@given(jsonc_texts(), st.sampled_from(["claude", "cursor", "vscode"]))
def test_any_settings_come_back(text: str, target: str) -> None:
    called = parts.Command()
    for file in (".claude/settings.json", ".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"):
        own = [part for part in TARGETS[target].parts if part.file == file]
        texts: list[str | None] = [text]
        try:
            for part in own:
                texts.append(part.put(texts[-1], called))
                assert parts.is_in(part, texts[-1], called)
        except BrokenJson:
            continue
        for part in reversed(own):
            now = texts.pop()
            assert now is not None
            assert part.take(now) == texts[-1]


ROWS = st.text(alphabet="ab#!\n\r \t\ufeff", max_size=12)


@given(ROWS, st.booleans())
def test_any_text_gives_its_lines_back(text: str, first: bool) -> None:
    script = parts.Script(file="x", needs="check", what="x", body="one\ntwo")
    lines = parts.MarkedLines(file="x", needs="check", what="x", body="one\ntwo")
    part = script if first else lines
    new = part.put(text, parts.Command())
    assert new is not None
    if new != text:
        assert part.put(new, parts.Command()) == new
        assert part.take(new) == text


def test_a_copy_of_the_project_can_be_cleaned_too(project: Path) -> None:
    put(project, ".cursor/mcp.json", "{}")
    wiring(project).install("all")
    (project / ".memdown/installed.json").unlink()
    wiring(project).install("all", remove=True)
    assert [name for name in everything(project) if not name.startswith(".git/")] == [
        ".cursor",
        ".cursor/mcp.json",
        ".git",
    ]


def test_what_people_add_in_between_stays(project: Path) -> None:
    wiring(project).install("all")
    path = project / ".mcp.json"
    path.write_text(path.read_text().replace("\n    }\n", '\n    },\n    "mine": {"command": "x"}\n'))
    with (project / ".codex/config.toml").open("a") as file:
        file.write('\n[mcp_servers.mine]\ncommand = "x"\n')
    put(project, ".cursor/rules/mine.mdc", "Mine.\n")
    wiring(project).install("all", remove=True)
    assert json.loads(path.read_text()) == {"mcpServers": {"mine": {"command": "x"}}}
    assert tomllib.loads((project / ".codex/config.toml").read_text()) == {"mcp_servers": {"mine": {"command": "x"}}}
    assert [path.name for path in (project / ".cursor/rules").iterdir()] == ["mine.mdc"]


# What is refused

BROKEN = {
    ".claude/settings.json": '{"hooks": {"Stop": [}',
    ".mcp.json": '{"mcpServers": []}',
    ".vscode/mcp.json": "",
    ".cursor/mcp.json": "{" * 200,
    ".codex/config.toml": "[mcp_servers\n",
    ".gitattributes": "# memdown install: begin\n*.md x\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_nothing_is_written_when_one_file_is_broken(project: Path, name: str) -> None:
    put(project, ".roo/mcp.json", "{}")
    put(project, name, BROKEN[name])
    before = everything(project)
    ran = cli_at(project, "install", "all") if name != ".gitattributes" else None
    if ran is not None:
        assert (ran.returncode, ran.stdout) == (4, "")
        assert ran.stderr.startswith(f"memdown: '{name}' cannot be edited: ")
        assert ran.stderr.count("\n") == 1
    else:
        with pytest.raises(Exception, match="are not a pair"):
            wiring(project).install("all")
    assert everything(project) == before


def cli_at(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return forks.run([sys.executable, "-m", "memdown", *args], cwd=root, capture_output=True, text=True, check=False)


def test_a_table_that_cannot_be_added_is_told(project: Path) -> None:
    put(project, ".codex/config.toml", 'mcp_servers = { a = { command = "x" } }\n')
    before = everything(project)
    ran = cli_at(project, "install", "codex")
    assert ran.returncode == 4
    assert ran.stderr.startswith("memdown: '.codex/config.toml' cannot be edited: ")
    assert everything(project) == before


def test_an_empty_folder_that_the_disk_keeps_is_told(monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    assert cli("install", "vscode").code == 0
    removed = os.rmdir

    def full(name: str, *, dir_fd: int | None = None) -> None:
        if name.endswith(".vscode"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
        removed(name, dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", full)
    ran = cli("install", "vscode", "--remove")
    assert ran.code == 0
    assert "'.vscode' is empty and could not be removed (no space left on device)" in ran.err
    assert not any(Path(".vscode").iterdir())


@POSIX
@pytest.mark.parametrize("name", [".mcp.json", ".claude", ".vscode/mcp.json", ".git/hooks/pre-commit", ".git/hooks"])
def test_links_that_lead_outside_are_refused(project: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    (outside / "rules").mkdir(parents=True)
    put(outside, "settings.json", "{}")
    put(outside, "pre-commit", "#!/bin/sh\n")
    link = project / name
    link.parent.mkdir(exist_ok=True)
    if name == ".git/hooks":
        for each in link.iterdir():
            each.unlink()
        link.rmdir()
    is_file = link.suffix or link.name == "pre-commit"
    link.symlink_to(outside / ("settings.json" if is_file else ""), target_is_directory=not is_file)
    before = everything(outside), everything(project)
    target = "git" if "hooks" in name else "vscode" if "vscode" in name else "claude"
    with pytest.raises(Refused):
        wiring(project).install(target)
    assert (everything(outside), everything(project)) == before


def test_hooks_that_lie_elsewhere_are_refused(project: Path, tmp_path: Path) -> None:
    (tmp_path / "hooks").mkdir()
    git(project, "config", "core.hooksPath", str(tmp_path / "hooks"))
    ran = cli_at(project, "install", "git")
    assert (ran.returncode, ran.stdout) == (3, "")
    assert "outside the project" in ran.stderr
    git(project, "config", "core.hooksPath", ".githooks")
    assert wiring(project).install("git").changed[1] == ".githooks/pre-commit"
    assert [*(tmp_path / "hooks").iterdir()] == []


@pytest.mark.parametrize(("name", "folder"), [(".mcp.json", True), (".claude", False), (".claude/settings.json", True)])
def test_a_folder_for_a_file_or_the_other_way_is_refused(project: Path, name: str, folder: bool) -> None:
    path = project / name
    if folder:
        path.mkdir(parents=True)
    else:
        path.write_text("")
    before = everything(project)
    ran = cli_at(project, "install", "claude")
    assert ran.returncode in (3, 4), ran
    assert ran.stderr.count("\n") == 1
    assert everything(project) == before


def test_only_the_files_of_the_table_may_be_written(tmp_path: Path) -> None:
    files = Files(tmp_path)
    known = {part.file for target in TARGETS.values() for part in target.parts}
    known |= {part.instead for target in TARGETS.values() for part in target.parts if isinstance(part, parts.Page)}
    assert known - {""} == homes.SETTINGS
    for name in homes.SETTINGS:
        files.path(name)
        if name.startswith("."):
            with pytest.raises(Refused):
                files.name_of(tmp_path / name)
    for name in (".vscode/settings.json", ".codex/x", ".claude/settings.local.json", ".VSCODE/mcp.json", ".npmrc"):
        with pytest.raises(Refused):
            files.path(name)


def test_a_mode_that_writes_nothing_installs_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDOWN_MODE", "ask")
    before = everything(project)
    for target in ("claude", "git"):
        with pytest.raises(Refused, match="The mode ask does not write"):
            wiring(project).install(target)
    assert everything(project) == before


def test_a_read_only_file_leaves_the_hook_as_it_was(project: Path) -> None:
    put(project, ".mcp.json", "{}").chmod(0o444)
    before = everything(project)
    with pytest.raises(Refused):
        wiring(project).install("all")
    assert everything(project) == before


# git


@POSIX
def test_a_commit_of_broken_memory_is_stopped(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    put(project, f"memories/{ID}.md", CARD)
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "one")
    wiring(project).install("git")
    hook = project / ".git/hooks/pre-commit"
    assert hook.stat().st_mode & stat.S_IXUSR
    put(project, "readme.md", "text\n")
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "two")
    put(project, f"memories/{ID}.md", CARD.replace("applies_to: 'file:src/db.py'\n", ""))
    git(project, "add", ".")
    with pytest.raises(subprocess.CalledProcessError) as failed:
        git(project, "commit", "--quiet", "-m", "three")
    assert "CRD" in failed.value.stderr + failed.value.stdout
    wiring(project).install("git", remove=True)
    git(project, "commit", "--quiet", "-m", "three")


@POSIX
def test_a_hook_that_is_there_keeps_its_rights_and_runs_after_ours(project: Path) -> None:
    hook = put(project, ".git/hooks/pre-commit", "#!/usr/bin/env bash\nexit 0\n")
    hook.chmod(0o750)
    wiring(project).install("git")
    assert stat.S_IMODE(hook.stat().st_mode) == 0o750
    assert hook.read_text().index("check --changed") < hook.read_text().index("exit 0")


def test_the_merge_driver_is_set_and_taken_back(project: Path) -> None:
    config = (project / ".git/config").read_bytes()
    plan = wiring(project, "uvx memdown").install("git")
    assert plan.changed == [".gitattributes", ".git/hooks/pre-commit", ".git/config"]
    assert git(project, "config", "merge.memdown.driver").startswith(
        "MEMDOWN_KEPT=3 uvx memdown merge-driver %O %A %B %L %P || {"
    )
    told = git(project, "check-attr", "merge", "memory-bank/a.md", "memory-bank/x/a.md", "memories/a.md", "a.md")
    assert told.count(": merge: memdown\n") == 3
    wiring(project).install("git", remove=True)
    assert (project / ".git/config").read_bytes() == config
    assert not (project / ".gitattributes").exists()


def test_what_this_memdown_cannot_do_is_left_out_and_said(project: Path) -> None:
    installer = Installer(Files(project), {"check"}, parts.Command())
    plan = installer.plan(["git"])
    assert plan.changed == [".git/hooks/pre-commit"]
    assert plan.notes == ["the merge driver for memory is left out: this memdown has no command merge-driver"]
    assert installer.plan(["claude"]).changed == []


def test_without_a_repository_git_is_refused_and_the_rest_installed(cli: Cli) -> None:
    ran = cli("install", "git")
    assert (ran.code, ran.out) == (3, "")
    ran = cli("install", "all")
    assert ran.code == 0
    assert "is not a git repository" in ran.err
    assert Path(".mcp.json").is_file()
    assert cli("install", "all", "--remove").code == 0
    assert [path.name for path in Path.cwd().iterdir()] == [".memdown"]


# The command line


def test_without_a_target_nothing_is_written(cli: Cli) -> None:
    Path(".cursor").mkdir()
    ran = cli("install")
    assert ran.code == 0
    assert ran.out.startswith("This project uses Cursor.\n--- /dev/null\n+++ b/.cursor/hooks.json\n")
    assert "3 files would change." in ran.out
    assert [path.name for path in Path.cwd().iterdir()] == [".cursor"]
    told = cli("install", "--json").json()
    assert (told["targets"], told["written"]) == (["cursor"], False)
    assert told["changed"] == [".cursor/hooks.json", ".cursor/mcp.json", ".cursor/rules/memdown.mdc"]
    assert cli("install", "--remove").out == "This project uses Cursor.\n0 files would change.\n"


def test_a_dry_run_is_a_diff(cli: Cli) -> None:
    put(Path.cwd(), ".mcp.json", '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n')
    before = everything(Path.cwd())
    ran = cli("install", "claude", "--dry-run")
    assert '   "mcpServers": {\n-    "a": {}\n+    "a": {},\n+    "memdown": {\n' in ran.out
    assert everything(Path.cwd()) == before
    assert not Path(".memdown").exists()


def test_the_answer_is_what_changed(cli: Cli) -> None:
    told = cli("install", "vscode", "--json").json()
    assert told["changed"] == [".vscode/mcp.json", ".github/instructions/memdown.instructions.md"]
    assert (told["unchanged"], told["written"]) == ([], True)
    told = cli("install", "vscode", "--json").json()
    assert (told["changed"], told["unchanged"]) == (
        [],
        [".vscode/mcp.json", ".github/instructions/memdown.instructions.md"],
    )


def test_the_list_says_what_is_there(cli: Cli) -> None:
    Path(".vscode").mkdir()
    cli("install", "claude")
    told = {each["target"]: each for each in cli("install", "--list", "--json").json()}
    assert list(told) == list(TARGETS)
    files = [".claude/settings.json", ".mcp.json", ".claude/rules/memdown.md"]
    assert told["claude"]["installed"] == told["claude"]["files"] == files
    assert told["vscode"]["detected"]
    assert not told["vscode"]["installed"]
    assert len(cli("install", "--list").out.splitlines()) == len(TARGETS)


def test_changed_memory_can_be_checked_alone(cli: Cli) -> None:
    project = Path.cwd()
    begin(project)
    put(project, f"memories/{ID}.md", CARD.replace("applies_to: 'file:src/db.py'\n", ""))
    git(project, "add", ".")
    git(project, "commit", "--quiet", "-m", "one")
    assert cli("check").code == 1
    assert cli("check", "--changed").out == "No memory changed since the last commit.\n"
    assert cli("check", "--changed", "--json").json() == []
    put(project, f"memories/{ID}.md", CARD)
    assert cli("check", "--changed").out == "All checks passed (1 file).\n"


# Marked lines


def test_marks_without_their_pair_are_told() -> None:
    for text in (
        "# memdown install: begin\n",
        "# memdown install: end\n",
        "# memdown install: end\n# memdown install: begin\n",
    ):
        with pytest.raises(markers.Unpaired):
            markers.find(text, markers.HASH)
    assert markers.find("x # memdown install: begin\n", markers.HASH) is None


# Rules: what assistants are told

BANK = {
    "memory-bank/projectbrief.md": "# Project Brief\n\nA shop.\n",
    "memory-bank/context.md": "# Active Context\n\n## Current Focus\n\nThe cart.\n",
    "memory-bank/progress.md": "# Progress\n\n## In Progress\n\n- [ ] Cart\n",
    "memory-bank/decisionLog.md": "# Decision Log\n\n## Prices are cents\n\n- **Date**: 2026-01-02\n- **Status**: Accepted\n",
}
JOURNAL = {
    "memory-bank/edit_history.md": "# Edit History\n\n### 2026-01-02\n\n#### 10:00:00 UTC - T1: Cart begun\n- Created `cart.py` - The cart\n",
    "memory-bank/tasks.md": "# Task Registry\n\n## Active Tasks\n| ID | Title | Status | Priority | Started | Dependencies |\n|--|--|--|--|--|--|\n| T1 | The cart | 🔄 | HIGH | 2026-01-02 | - |\n",
}
LOG = {
    ".squad/decisions.md": "# Decisions\n\n### 2026-02-15T14:32:15-0800: decision: Retries\n\n**summary:** Thrice.\n\n---\n"
}
STORE = {"memory/projects/shop/project_profile.md": "<!-- Last Updated: 2026-01-02 -->\n\n# Shop\n\nPython.\n"}
BUNDLE = {
    "knowledge/index.md": '---\nokf_version: "0.2"\n---\n\n# Notes\n',
    "knowledge/notes/a.md": "---\ntype: Note\ntitle: A cart\n---\n\nText.\n",
}
PROJECTS = {
    "bank": BANK,
    "journal": JOURNAL,
    "sem": LOG,
    "layers": STORE,
    "okf": BUNDLE,
    "cards": {f"memories/{ID}.md": CARD},
}
TITLES = ("Memory bank", "Journal", "Log", "Layered memory", "Knowledge", "Cards")


def filled(root: Path, *kinds: str) -> None:
    for kind in kinds:
        for name, text in PROJECTS[kind].items():
            put(root, name, text)


def rules_at(root: Path) -> str:
    wiring(root).install("claude")
    return (root / ".claude/rules/memdown.md").read_text("utf-8")


@pytest.mark.parametrize(("kind", "title"), [*zip(PROJECTS, TITLES, strict=True)])
def test_rules_are_those_of_the_dialect_that_is_there(project: Path, kind: str, title: str) -> None:
    filled(project, kind)
    page = rules_at(project)
    assert [line.partition(":")[0] for line in page.splitlines() if line.startswith("## ")] == [f"## {title}"]
    assert "{" not in page.replace("{by, at}", "")
    assert tokens.estimate(page) < 370


def test_rules_of_a_bank_name_its_files_as_they_are(project: Path) -> None:
    filled(project, "bank")
    page = " ".join(rules_at(project).split())
    assert "in this order: projectbrief.md, context.md, progress.md, decisionLog.md." in page
    assert "- context.md says what is true now: replace its sections" in page
    assert "decisionLog.md only grows" in page
    assert '"UMB": review every file, update what changed in the order progress.md, context.md, decisionLog.md' in page
    assert "End of session" in page
    assert "anew" not in page


def test_rules_and_the_hook_name_one_order_of_an_update(project: Path) -> None:
    filled(project, "bank", "journal")
    page = rules_at(project)
    named = next(line for line in page.splitlines() if '"UMB"' in line).partition(" in the order ")[2].rstrip(".")
    asked = said(project, "UserPromptSubmit", prompt="update memory bank").partition("only where it changed: ")[2]
    steps = [step.removeprefix("memory-bank/").partition(" ")[0] for step in asked.partition(". Never")[0].split(", ")]
    assert named.split(", ") == steps
    assert steps[:2] == ["tasks/ID.md", "tasks.md"]
    assert "decisionLog.md" in steps


def test_rules_for_all_dialects_stay_short(project: Path) -> None:
    filled(project, *PROJECTS)
    page = rules_at(project)
    assert page.count("\n## ") == len(PROJECTS)
    assert tokens.estimate(page) < 1170
    assert "activeContext.md" not in (page.partition("## Journal")[2])


def test_rules_follow_the_project_until_somebody_edits_them(project: Path) -> None:
    filled(project, "cards")
    path = project / ".claude/rules/memdown.md"
    before = rules_at(project)
    filled(project, "journal")
    assert wiring(project).install("claude").changed == [".claude/rules/memdown.md"]
    assert "## Journal" in path.read_text("utf-8")
    path.write_text(before + "- Mine.\n", "utf-8")
    plan = wiring(project).install("claude")
    assert plan.changed == []
    assert plan.notes == [
        ".claude/rules/memdown.md is left as it is: the rules for the assistant there differs from what memdown writes"
    ]
    wiring(project).install("claude", remove=True)
    assert path.read_text("utf-8") == before + "- Mine.\n"


def test_the_prompt_of_a_journal_names_no_files_that_are_not_there(cli: Cli) -> None:
    filled(Path.cwd(), "journal")
    text = cli("prompt").out
    assert "edit_history.md" in text
    assert "projectBrief" not in text
    assert "## Modes\nI work in ask mode" in cli("prompt", "--mode", "ask").out
    filled(Path.cwd(), "bank")
    text = cli("prompt").out
    assert "\n1. projectbrief.md — Project foundation\n" in text
    assert "\n5. context.md — " in text
    assert "\n## Journal: memory-bank/\n" in text


# What is done beside


def test_the_index_is_built(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMDOWN_REFRESH_MS")
    filled(project, "cards")
    plan = wiring(project).install("claude")
    assert plan.details[0] == "Built the index (files: 1, records: 1)."
    (project / "memdown.toml").write_text("[hooks]\nrefresh-ms = 0\ncapture = false\n")
    told = json.loads(hook(project, "UserPromptSubmit", prompt="Pool size is 10"))
    assert "Pool size is 10" in told["hookSpecificOutput"]["additionalContext"]
    assert any("save nothing" in each for each in wiring(project).install("claude").details)


def test_an_index_that_cannot_be_made_is_only_told(cli: Cli) -> None:
    filled(Path.cwd(), "cards")
    put(Path.cwd(), ".memdown/index.db/file", "")
    ran = cli("install", "claude", "--no-check")
    assert ran.code == 0
    assert f"the index of {quote(str(Path.cwd()))} is built in memory for this run, as it cannot be saved: " in ran.err
    assert "Built the index" not in ran.out
    assert Path(".mcp.json").is_file()


def test_what_will_be_written_is_said(cli: Cli) -> None:
    filled(Path.cwd(), "cards")
    out = cli("install", "all", "--no-check").out
    assert ".memdown/, which git ignores" in out
    assert "save what the assistant writes as cards in memories/" in out
    assert "type /hooks in Codex" in out


def test_capture_is_asked_for_and_taken_out_to_the_byte(cli: Cli) -> None:
    filled(Path.cwd(), "bank")
    assert "save nothing; with --capture" in cli("install", "claude", "--no-check").out
    out = cli("install", "claude", "--capture", "--no-check").out
    assert "save what the assistant writes in memories/inbox/, which git ignores" in out
    assert Memory(Path.cwd()).config.hooks.capture is True
    assert cli("install", "claude", "--remove").code == 0
    assert not Path("memdown.toml").exists()
    before = "[hooks]\ncapture = false\n"
    put(Path.cwd(), "memdown.toml", before)
    ran = cli("install", "claude", "--capture", "--no-check")
    assert ran.code != 0
    assert "write `capture = true` there yourself" in ran.err
    assert Path("memdown.toml").read_text("utf-8") == before


@pytest.mark.parametrize("folder", ["memory-bank", ""])
def test_a_project_without_memory_is_offered_one(cli: Cli, folder: str) -> None:
    Path(folder).mkdir(exist_ok=True)
    assert "No memory here yet; run `memdown init` to create one." in cli("install", "claude", "--no-check").out


# Trying it out

OWN = parts.Command((sys.executable, "-m", "memdown")).line


def hook(root: Path, event: str, **fields: str) -> str:
    given = {"session_id": "s", "cwd": str(root), "hook_event_name": event, **fields}
    return run(f"{OWN} hook {event}", root, json.dumps(given)).stdout


def test_a_hook_is_tried_with_a_long_title_where_there_is_no_other(project: Path) -> None:
    put(project, f"memories/{ID}.md", CARD.replace("is 10\n", f"is 10{' and never more' * 6}\n", 1))
    assert "found 1 record for 'Pool size is 10 and" in cli_at(project, "install", "codex", "--command", OWN).stdout


def test_what_was_installed_is_tried_and_leaves_no_trace(project: Path) -> None:
    filled(project, "cards")
    ran = cli_at(project, "install", "all", "--command", OWN)
    assert ran.returncode == 0, ran
    assert "hook SessionStart: gives the assistant" in ran.stdout
    assert re.search(r"\n  \| - \S+ Pool size is 10 ", ran.stdout)
    assert "found 1 record for 'Pool size is 10'." in ran.stdout
    assert "-m memdown mcp: memdown" in ran.stdout
    assert "Failed" not in ran.stdout
    assert cli_at(project, "cost").stdout == "Nothing was sent to an assistant yet.\n"
    with closing(sqlite3.connect(project / ".memdown/hooks.db")) as db:
        assert [db.execute(f"select count(*) from {table}").fetchone()[0] for table in ("session", "shown")] == [0, 0]
    assert [path.name for path in (project / "memories").iterdir()] == [f"{ID}.md"]


def test_a_command_that_does_not_run_is_one_sentence(cli: Cli) -> None:
    filled(Path.cwd(), "cards")
    ran = cli("install", "claude", "--command", "/nowhere/memdown")
    assert ran.code == 1
    assert ran.err == (
        "memdown: Wrote 3 files, but 6 of 6 tests failed; fix what the lines above report, and check again with "
        "`memdown install claude --status --command /nowhere/memdown`.\n"
    )
    assert "Failed: /nowhere/memdown hook SessionStart: the shell does not find it; put it on" in ran.out
    assert "Failed: /nowhere/memdown mcp: /nowhere/memdown was not found; put it on the PATH" in ran.out
    ran = cli("install", "claude", "--command", "/nowhere/memdown", "--json")
    assert ran.code == 1
    assert "All files are in place, but 6 of 6 tests failed" in ran.err
    trials = ran.json()["trials"]
    assert {(each["target"], each["ok"]) for each in trials} == {("claude", False)}
    assert [each["what"] for each in trials] == [*(f"{event} hook" for event in EVENTS), "MCP server"]


def environment_at(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A virtual environment with memdown, first on the PATH, on which there is no other."""
    put(place, "pyvenv.cfg", "home = /nowhere\n")
    put(place, "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")  # virtualenv and uv put it in each
    program = put(place, "bin/memdown", f'#!/bin/sh\nexec "{sys.executable}" -m memdown "$@"\n')
    program.chmod(0o755)
    others = [each for each in os.environ["PATH"].split(os.pathsep) if not Path(each, "memdown").exists()]
    monkeypatch.setenv("PATH", os.pathsep.join((str(program.parent), *others)))
    return place


@pytest.mark.skipif(os.name == "nt", reason="the program is a script for sh")
@pytest.mark.parametrize("target", ["claude", "cursor", "codex", "git"])
def test_a_temporary_environment_is_not_what_an_assistant_finds(
    cli: Cli, target: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of `uvx`, which is on the PATH while it runs only."""
    filled(Path.cwd(), "cards")
    git(Path.cwd(), "init", "--quiet")
    cache = tmp_path_factory.mktemp("cache")
    put(cache, "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
    environment_at(cache / "archive-v0" / "a1b2", monkeypatch)
    for words in (("install", target), ("install", target, "--status")):
        ran = cli(*words)
        assert ran.code == 1
        assert (
            "it is only in the temporary environment of this run, which assistants do not have; install it" in ran.out
        )
        assert "give --command 'uvx --from " in ran.out
        assert "OK:" not in ran.out
    assert "is not on the PATH" in cli("doctor").out
    ran = cli("install", target, "--command", OWN)
    assert ran.code == 0
    assert "Failed" not in ran.out


@pytest.mark.skipif(os.name == "nt", reason="the program is a script for sh")
def test_what_needs_an_active_environment_is_said(
    cli: Cli, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(Path.cwd(), "cards")
    place = environment_at(tmp_path_factory.mktemp("venv"), monkeypatch)
    assert "is active" not in cli("install", "claude").err  # on the PATH for good, as far as can be seen
    monkeypatch.setenv("VIRTUAL_ENV", str(place))
    told = f"memdown is found only where the virtual environment '{place}' is active; start the assistant there"
    ran = cli("install", "claude")
    assert ran.code == 0
    assert told in ran.err
    ran = cli("install", "claude", "--status")
    assert ran.code == 0
    assert f"installed\n  {told}" in ran.out
    assert "is active" not in cli("install", "claude", "--command", OWN).err


@pytest.mark.parametrize("target", ["claude", "cursor", "codex", "git"])
@pytest.mark.parametrize("line", [OWN, "/nowhere/memdown", "nowhere/memdown"])
def test_an_installation_and_its_status_agree(project: Path, target: str, line: str) -> None:
    filled(project, "cards")
    code = int(line != OWN)
    assert cli_at(project, "install", target, "--command", line).returncode == code
    assert cli_at(project, "install", target, "--command", line, "--quiet").returncode == code
    for asked in ("--status", "--check"):
        assert cli_at(project, "install", target, asked, "--command", line).returncode == code
        # Whether its program is there can be said of any command, without running it.
        ran = cli_at(project, "install", target, asked)
        assert target == "git" or ran.returncode == code, ran.stdout
    assert cli_at(project, "install", target, "--command", line, "--dry-run").returncode == 0
    assert cli_at(project, "install", target, "--remove").returncode == 0


def test_each_assistant_is_answered_in_its_own_form(project: Path) -> None:
    filled(project, "cards")
    for target in ("cursor", "codex"):
        wiring(project, OWN).install(target)
    cursor = json.loads((project / ".cursor/hooks.json").read_text())
    assert cursor == {"version": 1, "hooks": {"sessionStart": [{"command": f"{OWN} hook sessionStart"}]}}
    codex = json.loads((project / ".codex/hooks.json").read_text())["hooks"]
    assert list(codex) == ["SessionStart", "UserPromptSubmit"]
    event = {"conversation_id": "c", "session_id": "c", "hook_event_name": "sessionStart", "workspace_roots": ["x"]}
    told = json.loads(run(cursor["hooks"]["sessionStart"][0]["command"], project, json.dumps(event)).stdout)
    assert list(told) == ["additional_context"]
    assert "Pool size is 10" in told["additional_context"]


STALE = "<!-- Last Updated: 2020-01-02 -->\n\nIn /home/ann/x.py\n"


def hook_groups(project: Path) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = json.loads((project / ".claude/settings.json").read_text())["hooks"]
    return groups


def told_by(line: str, project: Path, tool: str, **given: str) -> str:
    """What a hook line says when a tool is used in a project."""
    event = {"session_id": "s", "cwd": str(project), "tool_name": tool, "tool_input": given}
    ran = run(line, project, json.dumps(event))
    assert (ran.returncode, ran.stderr) == (0, "")
    answer = json.loads(ran.stdout)["hookSpecificOutput"] if ran.stdout else {"additionalContext": ""}
    assert "permissionDecision" not in answer
    return str(answer["additionalContext"])


def test_a_layered_store_keeps_its_stamps(project: Path) -> None:
    filled(project, "cards")
    wiring(project, OWN).install("claude")
    assert not {"PreToolUse", "PostToolUse"} & {*hook_groups(project)}
    filled(project, "layers")
    path = put(project, "memory/projects/shop/notes.md", STALE)
    wiring(project, OWN).install("claude")
    [group] = hook_groups(project)["PostToolUse"]
    assert group["matcher"] == "Write|Edit|MultiEdit"
    told = partial(told_by, group["hooks"][0]["command"], project)
    before = path.read_text()
    assert told("Read", file_path=str(path)) == told("Edit", file_path=str(project / "memory/nothing.md")) == ""
    assert path.read_text() == before
    answer = told("Edit", file_path=str(path))
    assert "relative to the project (line 3)" in answer
    assert "memdown updated the date in line 1" in answer
    assert path.read_text().splitlines()[1:] == before.splitlines()[1:]
    assert path.read_text() != before
    assert "renewed" not in told("Write", file_path=str(path))
    assert cli_at(project, "undo").returncode == 0
    assert path.read_text() == before


def test_an_assistant_knows_how_old_a_memory_is_before_it_reads_it(project: Path) -> None:
    filled(project, "layers")
    path = put(project, "memory/projects/shop/notes.md", STALE)
    put(project, "memory/projects/shop/undated.md", "# Notes\n")
    put(project, "docs/notes.md", STALE)
    wiring(project, OWN).install("claude")
    group = next(each for each in hook_groups(project)["PreToolUse"] if each["matcher"] == "Read")
    told = partial(told_by, group["hooks"][0]["command"], project, "Read")
    assert re.fullmatch(
        r"memory/projects/shop/notes\.md: last updated \d+ days ago: potentially stale, verify it before use\.",
        told(file_path=str(path)),
    )
    assert "potentially stale" in told(file_path="memory/projects/shop/undated.md")
    assert told(file_path=str(project / "docs/notes.md")) == told(file_path="x.py") == told() == ""
    today = config.now().date()
    for days, word in ((30, ""), (31, "verify critical claims"), (90, "verify critical claims"), (91, "stale")):
        path.write_text(f"<!-- Last Updated: {today - timedelta(days=days)} -->\n\nText\n")
        answer = told(file_path=str(path))
        assert word in answer
        assert bool(answer) == bool(word)


def test_an_assistant_knows_what_is_wrong_with_the_memory_it_commits(project: Path) -> None:
    filled(project, "layers")
    wiring(project, OWN).install("claude")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message=start")
    group = next(each for each in hook_groups(project)["PreToolUse"] if each["matcher"] == "Bash")
    assert group["hooks"][0]["if"] == "Bash(git *)"
    told = partial(told_by, group["hooks"][0]["command"], project, "Bash")
    path = put(project, "memory/projects/shop/notes.md", STALE)
    put(project, "notes.md", "In /home/ann/x.py\n")
    wrong = "memory/projects/shop/notes.md: write paths relative to the project (line 3)."
    assert told(command="git commit -m x") == ""  # nothing is staged
    assert told(command="git add -A && git commit -m x") == wrong
    git(project, "add", "--all")
    assert told(command="git commit -m 'a note'") == wrong
    assert told(command='cd . ; git -C . -c user.name=A commit -m "x"') == wrong
    path.write_text("<!-- Last Updated: 2026-01-02 -->\n\nIn x.py\n")
    assert told(command="git commit -m x") == wrong  # as it is staged
    assert told(command="git commit -am x") == told(command="git add . && git commit") == ""
    assert told(command="git status") == told(command="git log --grep commit") == told(command="echo commit") == ""
    assert told() == ""
    git(project, "rm", "--quiet", "--cached", "--force", "memory/projects/shop/notes.md")
    assert told(command="git commit -m x") == ""


def test_hooks_for_tools_are_brought_up_to_date(project: Path) -> None:
    filled(project, "layers")
    wiring(project, OWN).install("claude")
    settings = project / ".claude/settings.json"
    as_it_is = settings.read_text()
    settings.write_text(as_it_is.replace('"Write|Edit|MultiEdit"', '"Read|Write|Edit|MultiEdit"'))
    assert settings.read_text() != as_it_is
    wiring(project, OWN).install("claude")
    assert settings.read_text() == as_it_is


# How it is installed


def test_use_does_not_make_the_rules_out_of_date(cli: Cli) -> None:
    cli("init")
    cli("install", "claude", "--command", OWN, "--no-check")
    assert cli("add", "task", "Export of orders").code == 0
    assert cli("install", "claude", "--status", "--command", OWN, "--json").json()[0]["state"] == "installed"


def test_the_status_says_what_is_wrong(cli: Cli) -> None:
    root = Path.cwd()
    filled(root, "cards")
    assert cli("install", "--status").code == 0
    assert cli("install", "claude", "--status").code == 1
    cli("install", "claude", "--command", OWN, "--no-check")

    def state() -> tuple[int, str]:
        ran = cli("install", "claude", "--status", "--command", OWN, "--json")
        return ran.code, ran.json()[0]["state"]

    assert state() == (0, "installed")
    filled(root, "journal")
    assert state() == (1, "out of date")
    assert "memdown.md: the rules for the assistant are out of date" in cli("install", "claude", "--status").out
    cli("install", "claude", "--command", OWN, "--no-check")
    page = root / ".claude/rules/memdown.md"
    page.write_text(page.read_text("utf-8") + "- Mine.\n", "utf-8")
    assert state() == (1, "changed by hand")
    page.unlink()
    assert state() == (1, "partly")
    nowhere = ("--command", "/nowhere/memdown")
    cli("install", "claude", *nowhere, "--no-check")
    assert cli("install", "claude", "--status", *nowhere, "--json").json()[0]["state"] == "broken"
    assert "Claude Code         broken\n" in cli("install", "--status", *nowhere).out


@pytest.mark.parametrize("text", ["# Pool\0\n", "{", '{"mcpServers": 3}', '{"hooks": {"Stop": 7}}'])
def test_the_status_names_a_file_of_settings_that_cannot_be_read(cli: Cli, text: str) -> None:
    put(Path(), ".cursor/mcp.json", text)
    put(Path(), ".claude/settings.json", text)
    ran = cli("install", "cursor", "--status")
    assert "Traceback" not in ran.err
    assert ran.code in (0, 1)
    if text in ("# Pool\0\n", "{"):
        assert ".cursor/mcp.json cannot be edited: line 1" in ran.out.replace("'", "")


def test_the_status_of_git_says_that_its_driver_is_not_found(cli: Cli) -> None:
    git(Path.cwd(), "init", "--quiet")
    for command, code, state in ((OWN, 0, "installed"), ("/nowhere/memdown", 1, "broken")):
        cli("install", "git", "--command", command, "--no-check")
        ran = cli("install", "git", "--check", "--command", command)
        assert ran.code == code
        assert f"git                 {state}\n" in ran.out
    assert "/nowhere/memdown was not found; put it on the PATH, or install with --command; until then" in ran.out


def test_only_a_command_that_a_person_gave_is_run(project: Path) -> None:
    """What a clone has in its settings may be anybody's."""
    for target in ("claude", "codex", "cursor"):
        wiring(project).install(target)
    for name in (".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json"):
        path = project / name
        path.write_text(path.read_text().replace("memdown hook", "touch ran; memdown hook"))
    ran = cli_at(project, "install", "claude", "--status")
    assert ran.returncode == 1
    assert "it calls 'touch \"ran;\" memdown', which was not run" in ran.stdout
    toml = project / ".codex/config.toml"
    toml.write_text(toml.read_text().replace('"memdown"\n', '"touch"\n').replace('["mcp"]', '["ran", "mcp"]'))
    for args in (("install", "--status"), ("install", "all"), ("install", "--status")):
        cli_at(project, *args)
        assert not (project / "ran").exists()


def test_rules_for_roo_go_where_the_project_keeps_them(project: Path) -> None:
    put(project, ".roorules", "- Mine.\n")
    wiring(project).install("roo")
    assert "memdown install: begin" in (project / ".roorules").read_text()
    put(project, ".roo/rules/own.md", "- Also mine.\n")
    wiring(project).install("roo", remove=True)
    assert (project / ".roorules").read_text() == "- Mine.\n"
    wiring(project).install("roo")
    assert (project / ".roorules").read_text() == "- Mine.\n"
    assert (project / ".roo/rules/memdown.md").is_file()
    wiring(project).install("roo", remove=True)
    assert everything(project / ".roo") == {"rules": None, "rules/own.md": b"- Also mine.\n"}


@POSIX
def test_a_folder_on_the_path_that_may_not_be_entered_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "shut/bin").mkdir(parents=True)
    (tmp_path / "shut").chmod(0)
    path = f"{tmp_path / 'shut/bin'}{os.pathsep}{os.environ['PATH']}"
    script = "import os; from memdown import programs; os.geteuid() or os.setuid(65534); print(programs.lasting_path())"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False)
    (tmp_path / "shut").chmod(0o700)
    assert done.stdout.startswith(str(tmp_path / "shut/bin")), done.stderr
