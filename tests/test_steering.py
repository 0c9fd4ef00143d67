"""No text of a file, a path or a commit steers the terminal it is shown on, whichever command shows it in which format.

The commands come from the command line's own table: a new one, or a new format of one, needs a row in `ROWS`.
"""

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from memdown.surfaces import hooks
from memdown.surfaces.cli import cli, common, run
from memdown.surfaces.mcp import wire
from memdown.surfaces.quick import search_at_once
from memdown.surfaces.show import render, svg
from samples import CARD, ID, put

pytestmark = pytest.mark.usefixtures("impatient")
BAD = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202eover\u2066in\u200bno\u2028thing\x7f\u061c\U000e0041\x01\x1c\x1e\x1f\x85"
CARRIED = [*"\x1b\x07\x08\x9b\u202e\u2066\u200b\u2028\x7f\u061c\U000e0041\r\x01\x1c\x1e\x1f\x85"]
ONE = re.sub("[\u2028\x1c\x1e\x85]", "", BAD)
"""The same on one line."""
SQL = "select w.title, r.author from record r join words w on w.rowid = r.rowid"
TASKS = f"""\
# Task Registry
*Last Updated: 2026-01-05 10:00:00 UTC*

## Active Tasks

| ID | Title | Status | Priority | Started | Dependencies | Owner |
|----|-------|--------|----------|---------|--------------|-------|
| T1 | Pool {BAD} | 🔄 | HIGH | 2026-01-01 | - | Ann |
| T2 | Cart {BAD} | ⬜ | LOW | 2026-01-01 | T1 | Ann |

## Completed Tasks
| ID | Title | Completed | Related Tasks |
|----|-------|-----------|---------------|
"""
HISTORY = f"""\
# Edit History
*Created: 2026-01-01*

### 2026-01-05

#### 10:00:00 UTC - T1: Pool {BAD}
- Modified `src/db.py` - Pool {BAD}
"""
LOG = f"""\
# Decisions

### 2026-02-01T10:00:00Z: Pool {BAD}
**Type:** decision
**Timestamp:** 2026-02-01T10:00:00Z
**Author:** Ann {BAD}
**Summary:** Pool {BAD}
**Scope:** team
**Tags:** pool{BAD}

One pool is enough {BAD}.

### 2026-01-01: Old {BAD}
**By:** Ann {BAD}

Pool.
"""
FILES = {
    f"memories/{ID}.md": CARD.replace("Pool size is 10", json.dumps(f"Pool {BAD}")) + f"\nPool {BAD}\n",
    f"memories/{BAD.replace('/', '')}.md": CARD + f"\nPool {BAD}\n",
    ".squad/decisions.md": LOG,
    ".squad/decisions/inbox/ann-pool.md": LOG,
    f".squad/agents/x{BAD}/history.md": f"# History\n\n### 2026-01-01: Pool {BAD}\n\nText {BAD}\n",
    ".squad/skills/pool/SKILL.md": f"---\nname: pool\ndescription: Pool {BAD}\n---\n\n# Pool {BAD}\n",
    "memory-bank/projectBrief.md": f"# Brief\n\n## Mission Statement\nA pool {BAD}\n",
    "memory-bank/activeContext.md": f"# Active Context\n\n## Current Focus\nPool {BAD}\n\n## Blockers\n- Pool {BAD}\n",
    "memory-bank/progress.md": f"# Progress\n\n## Completed\n\n## In Progress\n- [ ] Pool {BAD}\n\n## Milestones\n- M1 {BAD}\n",
    "memory-bank/decisionLog.md": f"# Decision Log\n\n## [2026-01-01] Pool {BAD}\n**Status:** Accepted\n\nPool {BAD}\n",
    "memory-bank/tasks.md": TASKS,
    "memory-bank/edit_history.md": HISTORY,
    "memory-bank/errorLog.md": f"# Error Log\n\n## 2026-01-05 10:00 UTC: T1 - Pool {BAD}\n**File:** `a.py`\n**Error:** {BAD}\n",
    "memory-bank/session_cache.md": f"# Session Cache\n\n**Focus Task**: T1 Pool {BAD}\n",
    "memory/projects/shop/overview.md": f"<!-- Last Updated: 2026-01-05 -->\n\n# Pool {BAD}\n\nPool {BAD}\n",
    "memory/skills/review/shop/review_history.md": f"<!-- Last Updated: 2026-01-05 -->\n\n# Pool {BAD}\n",
    "memory/commands/shop/command_history.md": f"<!-- Last Updated: 2026-01-05 -->\n\n# Pool {BAD}\n",
    "memory/agents/helper/notes.md": f"<!-- Last Updated: 2026-01-05 -->\n\n# Pool {BAD}\n",
    "knowledge/index.md": f"---\nokf_version: '0.1'\n---\n\n# Index\n\n* [Pool](pool.md) - Pool {BAD}\n",
    "knowledge/pool.md": f"---\ntype: decision\ntitle: {json.dumps(BAD)}\n---\n\n# Pool {BAD}\n\n[Gone {BAD}](gone.md)\n",
    ".cursor/rules/pool.mdc": f"---\ndescription: Pool {BAD}\nglobs: '*.py'\n---\n\nPool {BAD}\n",
    "CLAUDE.md": f"# Pool {BAD}\n",
    "bundle.json": json.dumps({"memdown": 1, "records": [], "files": {f"memories/{BAD}.md": BAD}, "skills": {}}),
    "old.md": f"# Old\n\n## 2026-01-01 Pool {BAD}\n\nWe decided {BAD}\n",
}
ROWS = {
    "add card": [f"'Pool {ONE}' --keyword pool", f"'{BAD}' --keyword '{BAD}'"],
    "add decision": [f"'Pool {ONE}' --author '{ONE}'", f"'Pool {BAD}'"],
    "add directive": [f"'Pool {ONE}' --author '{ONE}'"],
    "add edit": [f"'Pool {BAD}' --task T1"],
    "add memory": [f"'Pool {ONE}' --author '{ONE}'"],
    "add note": [f"'Pool {ONE}' --author '{ONE}'"],
    "add task": [f"'Pool {ONE}'", f"'Pool {BAD}'"],
    "add text": [f"'Pool {ONE}' --why '{ONE}' --author '{ONE}'", f"'{BAD}' --kind '{BAD}'"],
    "archive": ["", "--dry-run"],
    "backup": ["../all.zip --force", f"'{BAD}/x'"],
    "bank add-active-decision": [f"'{BAD}'"],
    "bank add-blocker": [f"'{BAD}'"],
    "bank add-change": [f"'{BAD}'"],
    "bank add-decision": [f"'Title {BAD}'"],
    "bank add-item": [f"'{BAD}'"],
    "bank add-milestone": [f"'{BAD}'"],
    "bank add-next-step": [f"'{BAD}'"],
    "bank add-question": [f"'{BAD}'"],
    "bank close": ["Pool", f"'{BAD}'"],
    "bank complete": ["Pool", f"'{BAD}'"],
    "bank focus": [f"'{BAD}'"],
    "bank note-debt": [f"'{BAD}'"],
    "bank note-issue": [f"'{BAD}'"],
    "bank replace-active": [""],
    "bank resolve": ["Pool", f"'{BAD}'"],
    "bank set-milestone": [f"M1 '{BAD}'", f"'{BAD}' done"],
    "bank start-item": [f"'{BAD}'"],
    "bank state": [f"'{BAD}'"],
    "bank supersede-decision": [f"Pool 'Other {BAD}'", f"'{BAD}' Other"],
    "blame": [ID, "memory-bank/progress.md", f"'{BAD}'"],
    "budget": [""],
    "capture": [""],
    "card dedupe": [""],
    "card prune": ["--older-than 9999 --dry-run"],
    "card repair": ["", f"'{BAD}'"],
    "card verify": ["", f"'{BAD}'"],
    "changes": ["", "HEAD..HEAD", f"'{BAD}'"],
    "check": ["", "--format text", "--format json", "--format github", "--format sarif", "--diff", f"'{BAD}'", "--fix"],
    "completion": ["bash", "zsh", "fish", f"'{BAD}'"],
    "context": ["pool", "pool --list", "--for src/db.py", f"--for '{BAD}'"],
    "convert": ["old.md --to sem", "old.md --to sem --dry-run", f"'{BAD}' --to sem"],
    "cost": ["!hook SessionStart", ""],
    "delete": [ID, f"'{BAD}'", "pool"],
    "demo": [""],
    "diff": ["", "HEAD", "--diff", "--markdown", f"'{BAD}'"],
    "diff-driver": ["old.md", f"'{BAD}'"],
    "doctor": ["", "--fix"],
    "edit": [f"{ID} --title 'Pool {BAD}'", f"'{BAD}' --title x", "pool --title x"],
    "end": [f"--summary '{ONE}' --close Pool", ""],
    "error add": [f"'{BAD}' --task T1 --file a.py"],
    "explain": ["", "MD020", f"'{BAD}'"],
    "export": ["", "--format memdown", "--format squad", "--skills", "--out out.json", f"--out '{BAD}.json'"],
    "for": ["src/db.py", "a.py --limit 1", f"'{BAD}'"],
    "graph": ["", "--format text", "--format json", "--format mermaid", "--format svg", f"--around '{BAD}'"],
    "health": [""],
    "help": ["", "all", f"'{BAD}'"],
    "hook": ["SessionStart", "UserPromptSubmit", "Stop", f"'{BAD}'"],
    "hub audit": [" --dsn 'host=127.0.0.1 port=1'", f"--dsn '{BAD}'"],
    "hub clients": [" --dsn 'host=127.0.0.1 port=1'", f"--dsn '{BAD}'"],
    "hub grant": ["x read --dsn 'host=127.0.0.1 port=1'", f"'{BAD}' read --dsn '{BAD}'"],
    "hub grants": [" --dsn 'host=127.0.0.1 port=1'", f"--dsn '{BAD}'"],
    "hub proposals": [" --dsn 'host=127.0.0.1 port=1'", f"--dsn '{BAD}'"],
    "hub propose": [" --dsn 'host=127.0.0.1 port=1'", f"--dsn '{BAD}'"],
    "hub protect": ["shop --dsn 'host=127.0.0.1 port=1'", f"shop --dsn '{BAD}'"],
    "hub redact": ["shop --dsn 'host=127.0.0.1 port=1'", f"shop --dsn '{BAD}'"],
    "hub revoke": ["x --dsn 'host=127.0.0.1 port=1'", f"x --dsn '{BAD}'"],
    "hub take": ["1 --dsn 'host=127.0.0.1 port=1'", f"1 --dsn '{BAD}'"],
    "hub token": ["x --dsn 'host=127.0.0.1 port=1'", f"x --dsn '{BAD}'"],
    "hub tokens": [" --dsn 'host=127.0.0.1 port=1'", f"--dsn '{BAD}'"],
    "hub init": ["'host=127.0.0.1 port=1'", f"'{BAD}'"],
    "hub status": ["'host=127.0.0.1 port=1'", f"'{BAD}'"],
    "hub upgrade": ["'host=127.0.0.1 port=1'", f"'{BAD}'"],
    "import": ["bundle.json", "bundle.json --dry-run", f"'{BAD}'"],
    "inbox list": [""],
    "inbox merge": ["--dry-run", ""],
    "index": ["", "--rebuild"],
    "init": ["--dry-run", f"--brief 'Pool {BAD}'", f"--brief '@{BAD}'"],
    "install": ["", "--dry-run", f"'{BAD}'", "git"],
    "layer agent": ["helper", f"'{BAD}'"],
    "layer append": ["projects/shop/overview 'x'", f"'{BAD}' x"],
    "layer command": ["shop", f"'{BAD}'"],
    "layer create": [f"projects/shop/new 'Pool {BAD}'", f"'{BAD}' x"],
    "layer delete": ["projects/shop/overview", f"'{BAD}'"],
    "layer profile": ["shop", f"'{BAD}'"],
    "layer project": ["shop", f"'{BAD}'"],
    "layer prune": ["", "--dry-run"],
    "layer read": ["projects/shop/overview", f"'{BAD}'"],
    "layer list": ["", f"'{BAD}'"],
    "layer search": ["Pool", f"'{BAD}'", "'('"],
    "layer skill": ["review shop", f"'{BAD}' '{BAD}'"],
    "layer staleness": [""],
    "layer update": [f"projects/shop/overview '# Pool {BAD}'", f"'{BAD}' x"],
    "layer validate": ["projects/shop/overview", f"'{BAD}'"],
    "list": ["", "pool", f"'{BAD}'", "'kind:('"],
    "log": ["", ID, "memory-bank/progress.md --diff", f"'{BAD}'"],
    "mcp": ["--auto-approve all"],
    "merge-driver": [f"old.md old.md old.md 7 '{BAD}'", f"'{BAD}' old.md old.md 7 a.md"],
    "mode": ["fix the pool", f"'{BAD}'"],
    "open": [ID, f"'{BAD}'"],
    "projects show": [f"'{BAD}'"],
    "prompt": ["", "--mode ask"],
    "propose": [f"'{BAD}' --to '{BAD}'"],
    "pull": ["'host=127.0.0.1 port=1'", f"'{BAD}'"],
    "push": ["'host=127.0.0.1 port=1'", f"'{BAD}' --as '{BAD}'"],
    "read": ["memory-bank/progress.md", "memory-bank/tasks.md .squad/decisions.md", f"'{BAD}'"],
    "redo": ["!task cancel T1", "!undo", ""],
    "regenerate": ["", "--diff", f"--out '{BAD}'"],
    "resolve": ["", "--dry-run --diff", f"'{BAD}'"],
    "restore": ["!backup ../all.zip", "../all.zip --dry-run", "../all.zip", "old.md", f"'{BAD}'"],
    "review drop": [f"'{BAD}'"],
    "review edit": [f"'{BAD}' --title 'x{BAD}'"],
    "review keep": [f"'{BAD}'"],
    "review merge": [f"'{BAD}' '{BAD}'"],
    "review scope": [f"'{BAD}' 'file:{BAD}'", f"1 'area:{BAD}'"],
    "source add": [f"'{BAD}'", f". --name '{BAD}'"],
    "source list": [""],
    "source remove": [f"'{BAD}'"],
    "source update": ["", f"'{BAD}'"],
    "slim": ["", "--to 0 --diff", "--to 0 --all", f"--take '{BAD}'"],
    "rules": ["", "src/db.py", f"'{BAD}'"],
    "search": ["pool", "pool --explain", f"'{BAD}'", "'kind:('"],
    "session end": [f"!session start --focus '{ONE}'", ""],
    "session list": [f"!session start --focus '{ONE}'", ""],
    "session note": [f"!session start --focus '{ONE}'", f"'{ONE}'", f"'{BAD}'"],
    "session start": [f"--focus '{ONE}'", "", f"--focus '{BAD}'"],
    "show": [ID, "pool", ".squad/decisions.md:3", f"'{BAD}'"],
    "skill": ["", f"'{BAD}'"],
    "sql": [f"\"{SQL}\"", f"\"{SQL}\" --csv", f"\"select '{BAD}'\"", f"'{BAD}'", "--tables"],
    "start": [""],
    "stats": ["", "--plot", "--svg out.svg", f"--svg '{BAD}'"],
    "status": [""],
    "sync": ["'host=127.0.0.1 port=1'", f"'{BAD}'"],
    "switch": [f"'{BAD}'"],
    "task add": [f"'Pool {ONE}'"],
    "task cancel": ["T1", f"'{BAD}'"],
    "task done": ["T1", f"'{BAD}'"],
    "task graph": ["", "--format text", "--format json", "--format mermaid", "--format svg"],
    "task list": [""],
    "task pause": ["T1", f"'{BAD}'"],
    "task resume": ["T1", f"'{BAD}'"],
    "task show": ["T1", f"'{BAD}'"],
    "task edit": [f"T2 --title 'Pool {BAD}'", f"'{BAD}' --title x"],
    "task note": [f"T2 'Pool {BAD}'", f"'{BAD}' x"],
    "task start": ["T2", f"'{BAD}'"],
    "timeline": ["", "--by week"],
    "undo": ["!task cancel T1", "--list", "", f"'{BAD}'"],
    "who": ["pool --hub 'host=127.0.0.1 port=1'", f"'{BAD}'"],
    "update": [f"--set activeContext.md 'Current Focus' '{ONE}'", "--close Pool", ""],
    "validate": [""],
    "stale": ["", "--limit 1"],
    "undocumented": ["", "--limit 1"],
    "verify": ["", "--all", "--format text", "--format github", "--format json", "src/db.py", f"'{BAD}'", f"--since '{BAD}'"],
    "serve": ["--hub 'nonsense=1'", f"--hub '{BAD}'"],
    "web": ["--export .", f"--host '{BAD}' --export site"],
}  # fmt: skip
"""What each command is called with, once as it is and once with --json; a row with `!` calls another one before."""


MISCALLED = re.compile(r"Unknown option|is missing, as in|[Uu]nexpected argument|no file or folder called")
"""What a row says that calls its command wrongly, and so shows nothing."""


def leaves(command: click.Command = cli, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            inner = command.get_command(click.Context(command), name)
            assert inner
            yield from leaves(inner, (*words, name))
    else:
        yield " ".join(words), command


LEAVES = dict(leaves())


class Screen(io.TextIOWrapper):
    """A terminal, as far as a command can see."""

    def __init__(self) -> None:
        self.raw_bytes = io.BytesIO()
        super().__init__(self.raw_bytes, "utf-8", errors="surrogateescape", write_through=True)

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        return self.raw_bytes.getvalue().decode("utf-8", "surrogateescape")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("steering") / "shop"
    for name, text in FILES.items():
        try:
            put(root, name, text)
        except OSError:
            continue  # no such name here
    for words in (["init", "-q", "--template="], ["add", "-A"], ["commit", "-qm", f"Pool {BAD}"]):
        who = ["-c", "user.name=Ann", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)
    return root


@pytest.fixture
def shop(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "shop"
    shutil.copytree(template, root)
    monkeypatch.chdir(root)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(common, "_PROGRESS_SECONDS", 1e6)  # which a slow machine would show
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" -c ""')
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(tmp_path))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    return root


def shown(words: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command shows on a terminal, on both streams."""
    prompt = json.dumps({"prompt": "pool", "session_id": BAD, "cwd": str(Path.cwd()), "transcript_path": BAD})
    out = Screen()
    with monkeypatch.context() as patch:
        for name in ("stdout", "stderr"):
            patch.setattr(sys, name, out)
        given = prompt if words[0] == "hook" else f"Pool {BAD}\nis ten {BAD}\n"
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()), "utf-8"))
        if words[0] == "hook":
            hooks.run(words[1])
        elif words[0] != "search" or not search_at_once(words[1:]):
            run(words)
    return out.text()


def test_every_command_and_every_format_has_a_row() -> None:
    assert sorted(LEAVES) == sorted(ROWS)
    for name, command in LEAVES.items():
        for option in command.params:
            if "--format" in option.opts and isinstance(option.type, click.Choice):
                assert [each for each in option.type.choices if f"--format {each}" not in ROWS[name]] == [], name


@pytest.mark.parametrize("command", ROWS)
def test_no_text_of_a_file_steers_a_terminal(shop: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    takes_json = any("--json" in option.opts for option in LEAVES[command].params)
    for row in ROWS[command]:
        for extra in ["", " --json"] if takes_json and not row.startswith("!") else [""]:
            before = [] if row.startswith("!") else command.split()
            text = shown([*before, *shlex.split(row.removeprefix("!") + extra)], monkeypatch)
            assert [char for char in CARRIED if char in text] == [], (row, text)
            assert not MISCALLED.search(text), (row, text)
    for written in shop.glob("out.*"):  # pictures and bundles, which are read on terminals too
        assert [char for char in CARRIED if char in written.read_text("utf-8")] == []


@pytest.mark.parametrize("value", [BAD, f"{BAD}\x7f", "\x7f", "\ud800" + BAD])
def test_json_is_the_same_value_without_what_steers(value: str) -> None:
    text = render.dumps({"a": value})
    assert json.loads(text) == {"a": value}
    assert [char for char in CARRIED if char in text] == []
    assert [char for char in CARRIED if char in wire.encode({"a": value}).decode()] == []


def test_a_picture_shows_what_steers_as_an_escape() -> None:
    drawn = svg.text(0, 0, f"Pool {BAD} <b>\x00\ud800")
    assert [char for char in CARRIED if char in drawn] == []
    assert "\\x1b[31mred" in drawn
    assert "\\u202eover" in drawn
    assert "&lt;b&gt;" in drawn
