"""Whatever memdown writes, `undo` takes back: every command, every tool, every dialect, to the byte and as one step.

The commands and tools are found, not listed: one that writes and has no row here fails.
"""

import itertools
import json
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from conftest import CORPUS, Ran
from mcp_client import server
from memdown import Memory, secrets
from memdown.acts.edit import hash_of
from memdown.memory.bank.updates import Decided, Ending
from memdown.surfaces.cli import cli as program
from memdown.surfaces.mcp.tools import TOOLS
from memdown.surfaces.memory_tool import MemoryTool
from samples import CARD, ID, OTHER_ID, copy_of, put
from secrets_cases import made
from test_closing import CALLS, NO_HUB
from test_hooks import hook, message, write
from test_sem_archive import canonical, legacy
from test_sessions import PROGRESS, fill, git, git_init

pytestmark = pytest.mark.usefixtures("impatient")
Cli = Callable[..., Ran]
Row = tuple[str, ...]
State = dict[str, tuple[int, bytes] | None]

REVIEWS = "skill-specific/code-review/my-api/review_history"
PROFILE = "shared-project/my-api/project_profile"
ISSUES = """
## Technical Debt
- The parser is slow

## Known Issues
- It fails on Mondays

## Milestones
### Phase 1
**Status**: In Progress
- [ ] One
"""
TASKS = """\
# Task Registry
*Last Updated: 2026-01-01 12:00:00 UTC*

## Active Tasks
| ID | Title | Status | Priority | Started | Dependencies | Details |
|----|-------|--------|----------|---------|--------------|---------|
| T1 | Viewer | 🔄 | MEDIUM | 2026-01-01 | - | [Details](tasks/T1.md) |
| T2 | Docs | ⬜ | LOW | - | T1 | - |
| T3 | Tests | ⏸️ | LOW | 2026-01-01 | T1 | - |

## Completed Tasks
| ID | Title | Completed | Related Tasks | Archive |
|----|-------|-----------|---------------|---------|
"""
TASK = "# T1: Viewer\n*Last Updated: 2026-01-01 12:00:00 UTC*\n\n**Status**: 🔄 In Progress\n**Started**: 2026-01-01\n"
SESSION = """\
# Session 2026-02-01 - Afternoon
*Last Updated: 2026-02-01 11:00:00 UTC*

**Started**: 2026-02-01 11:00:00 UTC
**Focus Task**: T1: Viewer
**Status**: 🔄 In Progress

## Work Done
"""
CACHE = """\
# Session Cache
*Last Updated: 2026-02-01 11:00:00 UTC*

## Current Session
**Started**: 2026-02-01 11:00:00 UTC
**Focus Task**: T1: Viewer
**Session File**: `sessions/2026-02-01-afternoon.md`
**Status**: 🔄 In Progress
"""
EDITS = """\
# Edit History
*Last Updated: 2026-01-01 12:00:00 UTC*

### 2026-01-01

#### 12:00:00 UTC - T1: Viewer begun
- Created `src/a.py` - Viewer begun
"""
CONCEPT = "---\ntype: Metric\ntitle: Revenue\ndescription: Of a year.\ntags: [money]\n---\n\n# Revenue\n\nSee [orders](orders.md).\n"
SAID = "We keep the pool at ten,\nsince five were too few for the test."


WAITING = ("11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222")
"""Cards in the inbox."""


def rich(root: Path) -> Path:
    """Something of every dialect for every command to change."""
    fill(root)
    (root / "memory-bank/techContext.md").unlink()
    put(root, "memory-bank/progress.md", PROGRESS + ISSUES)
    put(root, "memory-bank/notes.md", "# Notes   \n\nText.")
    put(root, "memory-bank/tasks.md", TASKS)
    put(root, "memory-bank/tasks/T1.md", TASK)
    put(root, "memory-bank/sessions/2026-02-01-afternoon.md", SESSION)
    put(root, "memory-bank/session_cache.md", CACHE)
    put(root, "memory-bank/edit_history.md", EDITS)
    put(root, "memory-bank/errorLog.md", "# Error Log\n\n## 2026-01-01 12:00:00 UTC: Timeout\n**Cause:** The pool\n")
    put(root, f"memories/{ID}.md", CARD.replace("d12bf02111536bbd", "0000000000000000"))
    put(root, f"memories/{OTHER_ID}.md", CARD.replace(ID, OTHER_ID))
    for number, id in enumerate(WAITING):
        text = CARD.replace(ID, id).replace("Pool size is 10", f"Captured {number}").replace("timed out", "was slow")
        put(root, f"memories/inbox/{id}.md", text)
    put(root, ".squad/decisions.md", "# Decisions\n\n" + canonical("Old", "2025-01-01") + legacy("Older", "2025-01-02"))
    put(root, ".squad/decisions/inbox/ann-new.md", canonical("New", "2026-01-20"))
    put(root, ".squad/agents/ann/history.md", "# History\n\n" + canonical("Learned", "2025-01-01", kind="memory"))
    put(root, "memory/projects/my-api/project_profile.md", "<!-- Last Updated: 2026-01-01 -->\n# My API\n\nA pool.\n")
    reviews = "".join(f"\n## Review #{number}\n\nOne.\n" for number in range(1, 13))
    put(root, "memory/skills/code-review/my-api/review_history.md", f"# Reviews\n{reviews}")
    put(
        root,
        "knowledge/index.md",
        '---\nokf_version: "0.2"\n---\n\n# Metrics\n\n* [Revenue](revenue.md) - Of a year.\n',
    )
    put(root, "knowledge/log.md", "# Log\n\n## 2026-01-01\n* **Creation**: Revenue.\n")
    put(root, "knowledge/revenue.md", CONCEPT)
    put(root, "memory-bank/both.md", "# Both\n\n<<<<<<< ours\n- One thing\n=======\n- Another\n>>>>>>> theirs\n")
    (root / "memory-bank/empty").mkdir()
    return root


def windows(data: bytes) -> bytes:
    """With a byte order mark and its line endings."""
    return b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")


def by_hand(data: bytes) -> bytes:
    """Headings closed and with spaces, no end of the last line, and where it is allowed a line that is no UTF-8."""
    is_layer = b"Review" in data or b"My API" in data
    lines = data.rstrip(b"\n").split(b"\n")
    for number, line in enumerate(lines):
        if line.startswith(b"## ") and not is_layer:
            lines[number] = line.replace(b"## ", b"##  ") + b" ##"
    return b"\n".join(lines) + (b"" if is_layer else b"\n\nGr\xfc\xdfe")


SHAPES: dict[str, Callable[[bytes], bytes]] = {"plain": bytes, "windows": windows, "by hand": by_hand}


def shaped(root: Path, shape: str) -> Path:
    for path in root.rglob("*.md"):
        path.write_bytes(SHAPES[shape](path.read_bytes()))
        path.chmod(0o640)
    return root


def state(root: Path, *, with_git: bool = False) -> State:
    """Every file with its bytes and permissions, and every folder."""
    left_out = {".memdown"} if with_git else {".memdown", ".git"}
    found: State = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [each for each in folders if each not in left_out]
        below = os.path.relpath(folder, root)
        found.update({os.path.normpath(f"{below}/{name}"): None for name in folders})
        for name in files:
            if name not in left_out:
                path = f"{folder}/{name}"
                found[os.path.normpath(f"{below}/{name}")] = (stat.S_IMODE(os.lstat(path).st_mode), read(path))
    return found


def read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - as text, thousands of times
        return file.read()


def without_credentials(found: State) -> State:
    """Files as they are when no credential of theirs is kept."""
    return {
        name: each
        and (each[0], secrets.redact(each[1].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape"))
        for name, each in found.items()
    }


def differing(one: State, other: State) -> list[str]:
    return sorted(name for name in {*one, *other} if name not in one or name not in other or one[name] != other[name])


# The table of commands

ACTIVE = json.dumps({"focus": "Another", "state": "Good", "next_steps": ["One"]})
GIVEN = json.dumps({"focus": "Another", "complete": ["Feature X"], "decisions": [{"title": "One", "rationale": "x"}]})
LONG = "A new memory that is long enough to be kept."
ROWS: dict[str, list[Row]] = {
    "add card": [("New", "-k", "new", "--content", LONG)],
    "add decision": [("New", "--author", "Ann"), ("New", "--author", "Ann", "--inbox")],
    "add directive": [("Never so", "--author", "Ann")],
    "add edit": [("Viewer drawn", "--task", "T1", "--created", "src/a.py: The form")],
    "add memory": [("New", "--author", "Ann"), ("New", "--author", "Bob")],
    "add note": [("New", "--author", "Ann")],
    "add task": [("Another",)],
    "add text": [
        ("Trailers are lazy", "--why", "Body first", "--author", "Ann"),
        ("The pool has 10 connections", "--kind", "card"),
    ],
    "archive": [("--keep", "0", "--older-than", "30"), ("--keep", "0", "--older-than", "0", "--size", "0")],
    "bank add-active-decision": [("One",)],
    "bank add-blocker": [("One",)],
    "bank add-change": [("One",)],
    "bank add-decision": [("One", "--rationale", "x")],
    "bank add-item": [("One",), ("One", "--to", "upcoming")],
    "bank add-milestone": [("Phase 2",)],
    "bank add-next-step": [("One",)],
    "bank add-question": [("One",)],
    "bank close": [("Which currencies?",)],
    "bank complete": [("Feature X",)],
    "bank focus": [("Another",), ("Another", "--replace")],
    "bank note-debt": [("One",)],
    "bank note-issue": [("One",)],
    "bank replace-active": [("<", ACTIVE)],
    "bank resolve": [("It fails on Mondays",)],
    "bank set-milestone": [("Phase 1", "Complete")],
    "bank start-item": [("Export",)],
    "bank state": [("Another",)],
    "bank supersede-decision": [("Use SQLite", "Use files")],
    "start": [(), ("--record",)],
    "capture": [("<", SAID), ("--content", SAID)],
    "card dedupe": [("--delete",), ("--delete", "--near")],
    "card prune": [("--older-than", "1")],
    "card repair": [()],
    "check": [("--all", "--fix", "--ignore", "MD022"), ("--all", "--unsafe-fixes", "--ignore", "MD022")],
    "convert": [(".squad/decisions.md",), (".", "--no-backup"), (".squad/decisions.md", "--out", ".squad/new.md")],
    "delete": [
        (ID,),
        ("Old", "--force"),
        ("Use SQLite", "--force"),
        ("Viewer begun", "--force"),
        ("Revenue", "--force"),
        ("Feature X",),
    ],
    "edit": [
        (ID, "--title", "Another"),
        (ID, "--applies-to", "area:db", "--add-tag", "more"),
        ("Old", "--title", "Another", "--force"),
        ("Use SQLite", "--title", "Another", "--force"),
        ("Revenue", "--title", "Another"),
        ("Feature X", "--title", "Another"),
    ],
    "end": [
        ("--summary", "Done", "--complete", "Feature X", "--decision", "One", "--next", "More", "--clear", "blockers"),
        ("--summary", "Done", "--replace"),
    ],
    "error add": [("It breaks", "--cause", "x", "--fix", "y")],
    "export": [("--out", "out/bundle.json")],
    "import": [("bundle.json",), ("changed.json", "--merge"), ("changed.json", "--force")],
    "inbox merge": [()],
    "resolve": [()],
    "init": [("--brief", "A shop."), ("--dialect", "sem", "--convert")],
    "install": [("cursor", "--no-check"), ("all", "--no-check"), ("claude", "--remove")],
    "layer append": [(REVIEWS, "--content", "## Review #99\n\nOne.\n")],
    "layer create": [("agent/zeus/notes", "--content", "# Notes\n"), ("command/my-api/x", "--content", "# X\n")],
    "layer delete": [(REVIEWS,), (PROFILE,)],
    "layer prune": [()],
    "layer update": [
        (PROFILE, "--content", "# My API\n\nAnother.\n"),
        ("agent/z/notes", "--create", "--content", "# N"),
    ],
    "regenerate": [("--out", "from-records")],
    "restore": [("../backup.zip",), ("../backup.zip", "--exact")],
    "slim": [("--to", "0", "--all")],
    "review drop": [WAITING],
    "review edit": [(WAITING[0], "--title", "Another", "--content", LONG)],
    "review keep": [WAITING],
    "review merge": [WAITING, (WAITING[0], ID)],
    "review scope": [(WAITING[0], "area:db")],
    "session end": [("--summary", "Done")],
    "session note": [("One",)],
    "session start": [("--focus", "T2")],
    "skill": [("squad-memory-format", "--install")],
    "stats": [("--svg", "pictures/chart.svg")],
    "task add": [("Another", "--depends", "T1")],
    "task cancel": [("T2",)],
    "task done": [("T1",)],
    "task edit": [("T1", "--title", "Another", "--priority", "high")],
    "task note": [("T1", "One more")],
    "task pause": [("T1",)],
    "task resume": [("T3",)],
    "task start": [("T2",)],
    "update": [
        ("--complete", "Feature X", "--focus", "Another", "--decision", "One"),
        ("--set", "systemPatterns.md", "Architecture Overview", "One."),
        ("--from", "-", "<", GIVEN),
    ],
    "verify": [("--confirm", ID), ("--confirm", ID, "Revenue", "Feature X")],
}
"""What every command that writes is called with; after `<` stands what is on standard input."""
BEFORE: dict[str, Row] = {
    "import": ("export", "--out", "bundle.json"),
    "install": ("install", "claude", "--no-check"),
    "restore": ("backup", "../backup.zip"),
}
"""The command that comes before one of these."""
ELSEWHERE = {"": "the status", "help": "reads no memory"} | {
    "demo": "writes in a folder of its own",
    "undo": "the judge",
    "redo": "the judge",
    "hook": "tested below",
    "web": "every act of the page is tested in a browser",
    **dict.fromkeys(("push", "pull", "sync"), "taken back in test_hub, as they need a server"),
    **{f"source {verb}": "taken back in test_first_steps, as no file changes" for verb in ("add", "remove", "update")},
    "propose": "taken back in test_first_steps, as a source is written",
}


def rearrange(root: Path, name: str) -> None:
    """What changes between the two."""
    if name in ("import", "restore"):
        (root / "memory-bank/tasks/T1.md").unlink()
    if name == "import":
        put(root, "changed.json", (root / "bundle.json").read_text().replace("No server", "No servers"))
    if name == "restore":
        put(root, "memory-bank/more.md", "# More\n")
        put(root, ".squad/decisions.md", "# Decisions\n")


def leaves(command: click.Command = program, *above: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that is no group, by all its words; a group that does something itself too."""
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(above), command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from leaves(found, *above, name)


COMMANDS = dict(leaves())
WRITING = {name for name, each in COMMANDS.items() if any(option.name == "allow_secret" for option in each.params)}


def words_of(call: Row) -> str:
    """The command that a call is of."""
    return next((" ".join(call[:deep]) for deep in (2, 1) if " ".join(call[:deep]) in COMMANDS), call[0])


READING = [
    *(call for name, calls in CALLS.items() for call in calls if name not in ELSEWHERE),
    ("inbox", "list"),
    *(("layer", *rest) for rest in (("read", PROFILE), ("profile", "my-api"), ("project", "my-api"), ("staleness",))),
    *(("layer", *rest) for rest in (("skill", "code-review", "my-api"), ("command", "my-api"), ("agent", "zeus"))),
    *(("layer", *rest) for rest in (("search", "pool"), ("validate", PROFILE), ("list",))),
    ("projects", "show", "project"),
    ("session", "list"),
    ("source", "list"),
    *(("task", *rest) for rest in (("show", "T1"), ("graph",))),
    *(("hub", *rest, NO_HUB) for rest in (("init",), ("upgrade",), ("status",))),
    *(("hub", word, "--dsn", NO_HUB) for word in ("audit", "clients", "grants", "proposals", "propose", "tokens")),
    *(("hub", word, "x", "--dsn", NO_HUB) for word in ("protect", "redact", "revoke", "take", "token")),
    ("hub", "grant", "x", "read", "--dsn", NO_HUB),
    ("undo", "--list"),
    ("undo", "--dry-run", "--diff"),
]
READING = [call for call in READING if words_of(call) not in WRITING]
"""How every other command is called."""


def test_every_command_that_writes_has_a_row_and_every_other_one_is_called() -> None:
    assert set(ROWS) == WRITING - set(ELSEWHERE)
    assert {words_of(call) for call in READING} >= set(COMMANDS) - WRITING - set(ELSEWHERE)


def called(cli: Cli, *call: str) -> Ran:
    args, _, stdin = (call, "", "") if "<" not in call else (call[: call.index("<")], "<", call[-1])
    return cli(*args, stdin=stdin)


def judged(cli: Cli, name: str, *call: str, again: bool = True) -> bool:
    """Whether a call wrote; then it is taken back and, with `again`, brought back and taken back once more."""
    root = Path.cwd()
    before, known = state(root), len(Memory(root).steps())
    ran = called(cli, *name.split(), *call)
    after, steps = state(root), Memory(root).steps()
    assert len(steps) == known + (before != after), (ran, differing(before, after), "one command is one step")
    if before == after:
        return False
    act = re.sub(r"^add .*", "add text", steps[0].act) if name == "add text" else steps[0].act  # its kind was guessed
    assert (act.removesuffix(" --remove"), steps[0].by, steps[0].undone) == (name, "cli", False)
    lost = False
    for verb, wanted in (("undo", before), ("redo", after), ("undo", before))[: 3 if again else 1]:
        told = cli(verb)
        now = state(root)
        lost = lost or "stayed out" in told.out
        if lost:  # it said before that credentials would be
            assert "memdown does not keep them" in ran.out
            now, wanted = without_credentials(now), without_credentials(wanted)
        assert (told.code, differing(now, wanted)) == (0, []), (name, call, verb, told)
    return True


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(tmp_path))
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.delenv("VISUAL", raising=False)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        pytest.param(name, shape, marks=() if shape in ("plain", each) else pytest.mark.slow)
        for name, each in zip(ROWS, itertools.cycle(SHAPES), strict=False)
        for shape in SHAPES
    ],
)
def test_a_command_is_taken_back(cli: Cli, name: str, shape: str) -> None:
    root = shaped(rich(Path.cwd()), shape)
    if name in BEFORE:
        assert cli(*BEFORE[name]).code == 0
    rearrange(root, name)
    for row in ROWS[name]:
        assert judged(cli, name, *row, again=shape == "plain"), "a row that writes nothing says nothing"


@pytest.mark.parametrize("call", READING, ids=" ".join)
def test_a_command_that_reads_changes_nothing(cli: Cli, call: Row) -> None:
    rich(Path.cwd())
    before = state(Path.cwd())
    cli(*call)
    assert differing(state(Path.cwd()), before) == []


def test_each_dialect_begins_and_is_gone_again(cli: Cli) -> None:
    for dialect in ("bank", "sem", "okf", "journal"):
        assert judged(cli, "init", "--dialect", dialect)
        assert state(Path.cwd()) == {}


def test_git_s_own_settings_come_back_too(cli: Cli) -> None:
    git_init(Path.cwd())
    for target in ("git", "all"):
        before = state(Path.cwd(), with_git=True)
        assert cli("install", target).code == 0
        installed = state(Path.cwd(), with_git=True)
        assert ".git/hooks/pre-commit" in differing(before, installed)
        for command, wanted in (("undo", before), ("redo", installed), ("undo", before)):
            assert cli(command).code == 0
            assert differing(state(Path.cwd(), with_git=True), wanted) == []
        assert cli("install", target).code == 0
        assert cli("install", target, "--remove").code == 0
        assert cli("undo").code == 0
        assert differing(state(Path.cwd(), with_git=True), installed) == []
        hook = Path(".git/hooks/pre-commit")
        hook.write_text(hook.read_text() + "echo mine\n")
        told = cli("undo")
        assert (told.code, "pre-commit was changed since" in told.err) == (3, True)
        assert hook.read_text().endswith("echo mine\n")
        hook.write_text(hook.read_text().removesuffix("echo mine\n"))
        assert cli("undo").code == 0


def test_a_line_behind_what_goes_stays_a_line(cli: Cli) -> None:
    path = put(Path.cwd(), "memory-bank/activeContext.md", "# Active Context\n\n## Recent Changes\n- last")
    assert cli("bank", "add-next-step", "Ship it").code == 0
    path.write_text(path.read_text() + "- by hand\n")
    assert cli("undo").code == 0
    assert path.read_text() == "# Active Context\n\n## Recent Changes\n- last\n- by hand\n"


# Tools of the Model Context Protocol

TOOL_ROWS: dict[str, list[dict[str, Any]]] = {
    "initialize_memory_bank": [{"brief": "A shop."}],
    "memory_bank_write": [{"fileName": "new.md", "content": "# New\n"}, {"fileName": "a/b.md", "content": "# B\n"}],
    "memory_bank_update": [{"fileName": "decisionLog.md", "content": "# Decision Log\n", "force": True}],
    "end_session": [{"summary": "Done", "complete": ["Feature X"], "decisions": [{"title": "One"}], "focus": "More"}],
    "add": [
        {"kind": "card", "title": "New", "text": LONG, "tags": ["new"]},
        {"kind": "decision", "title": "New", "author": "Ann"},
        {"kind": "task", "title": "New"},
        {"kind": "error", "title": "New", "fix": "Done"},
    ],
    "delete": [{"id": ID}, {"id": REVIEWS}],
    "log_edit": [{"title": "New", "files": ["Created:src/a.py:new"]}],
    "session": [{"do": "start", "text": "New"}],
    "layer": [
        {"do": "create", "id": "agent/zeus/notes", "content": "# New"},
        {"do": "update", "id": REVIEWS, "content": "# New", "force": True},
        {"do": "append", "id": REVIEWS, "content": "## Review #99\n\nOne."},
    ],
    "update": [
        {"file": "activeContext.md", "section": "Current Focus", "content": "Another"},
        {"id": ID, "field": "title", "content": "Another"},
    ],
    "set_task": [{"task": "Feature X", "state": "done"}, {"task": "T1", "state": "paused"}],
}


def test_every_tool_that_writes_has_a_row() -> None:
    assert set(TOOL_ROWS) == {tool.name for tool in TOOLS if tool.writes} - {"undo"}


@pytest.mark.parametrize("shape", ["plain", "windows"])
def test_a_tool_is_taken_back(tmp_path: Path, shape: str) -> None:
    root = shaped(rich(tmp_path / "banks/shop"), shape)
    hashes = {"file": root / "memory-bank/activeContext.md", "id": root / f"memories/{ID}.md"}
    with server(tmp_path, banks=tmp_path / "banks") as client:
        client.initialize()
        for name, given in ((name, given) for name, rows in TOOL_ROWS.items() for given in rows):
            for key in {*given} & {*hashes} if name == "update" else ():
                given |= {"expectedHash": hash_of(hashes[key].read_bytes().decode())}
            before = state(root)
            done = client.value(name, projectPath="shop", **given)
            after = state(root)
            listed = client.value("undo", projectPath="shop", do="list")["steps"]
            assert (listed[0]["act"], listed[0]["by"], listed[0]["step"]) == (name, "mcp test", done["undo"])
            assert [each["undone"] for each in listed] == [False] + [True] * (len(listed) - 1), "one call is one step"
            for do, wanted in (("undo", before), ("redo", after), ("undo", before)):
                told = client.value("undo", projectPath="shop", do=do)
                assert (told["step"], told["undone"]) == (done["undo"], do == "undo")
                assert differing(state(root), wanted) == [], (name, given, do)


# Programs, the memory tool, and hooks

ACTS: dict[str, Callable[[Memory], object]] = {
    "add": lambda memory: memory.add("card", "New", text=LONG, tags=["new"]),
    "archive": lambda memory: memory.archive(older_than=0, size=0, keep=0),
    "begin": lambda memory: memory.logs.begin(dialect="sem", convert_legacy=True),
    "convert": lambda memory: memory.logs.convert(str(memory.root / ".squad/decisions.md")),
    "delete": lambda memory: memory.delete(ID),
    "end": lambda memory: memory.bank.end(
        Ending(summary="Done", complete=("Feature X",), decisions=(Decided(title="One"),))
    ),
    "fix": lambda memory: memory.fix(chosen=memory.selection()),
    "install": lambda memory: memory.install("all", able=["mcp", "hook"]),
    "layers": lambda memory: memory.layers.append(REVIEWS, "## Review #99\n\nOne.\n"),
    "merge": lambda memory: memory.logs.merge_inbox(),
    "repair": lambda memory: memory.cards.repair(),
    "tasks": lambda memory: memory.journal.tasks.add("Another"),
}
TOOL_CALLS: list[dict[str, object]] = [
    {"command": "create", "path": "/memories/a/b/new.md", "file_text": "# New\n"},
    {"command": "str_replace", "path": f"/memories/{ID}.md", "old_str": "Pool size is 10", "new_str": "Ten"},
    {"command": "insert", "path": f"/memories/{ID}.md", "insert_line": 11, "insert_text": "x"},
    {"command": "rename", "old_path": f"/memories/{ID}.md", "new_path": "/memories/deep/er.md"},
    {"command": "delete", "path": f"/memories/{ID}.md"},
]


@pytest.mark.parametrize("name", ACTS)
def test_what_a_program_does_is_one_step(tmp_path: Path, name: str) -> None:
    root = shaped(rich(tmp_path), "plain")
    before = state(root)
    with Memory.open(root) as memory:
        ACTS[name](memory)
        after = state(root)
        assert differing(before, after)
        assert [each.by for each in memory.steps()] == ["library"]
        for act, wanted in ((memory.undo, before), (memory.redo, after), (memory.undo, before)):
            act()
            assert differing(state(root), wanted) == []


def test_the_memory_tool_is_named_in_the_list_and_taken_back(tmp_path: Path) -> None:
    root = shaped(rich(tmp_path), "plain")
    before = state(root)
    with Memory.open(root) as memory:
        tool = MemoryTool(memory)
        for call in TOOL_CALLS:
            answer = tool.run(call)
            assert not answer.is_error, answer
            after = state(root)
            assert (memory.steps()[0].by, memory.steps()[0].act) == ("memory tool", call["command"])
            for act, wanted in ((memory.undo, before), (memory.redo, after), (memory.undo, before)):
                act()
                assert differing(state(root), wanted) == [], call
        memory.bank.focus("Another")
        memory.bank.focus("And another")
        assert [(each.by, each.undone) for each in memory.steps()[:2]] == [("library", False)] * 2


def test_what_a_hook_keeps_is_taken_back(cli: Cli, tmp_path: Path) -> None:
    root = Path.cwd()
    put(root, "memory-bank/progress.md", PROGRESS)
    put(root, "memdown.toml", '[cards]\nfolder = "memories"\n')
    before = state(root)
    transcript = write(tmp_path / "t.jsonl", message("Two lines\nare kept.", "m1"), message("Two more\nlines.", "m2"))
    hook(root, "Stop", transcript_path=str(transcript))
    after = state(root)
    assert len(differing(before, after)) == 3, "a folder and two cards"
    [listed] = cli("undo", "--list", "--json").json()
    assert (listed["by"], listed["act"], len(listed["files"])) == ("hook", "capture", 2)
    for verb, wanted in (("undo", before), ("redo", after), ("undo", before)):
        assert cli(verb).code == 0
        assert differing(state(root), wanted) == []


# What changed since

ACTIVE_NAME = "memory-bank/activeContext.md"


def test_a_step_before_others_is_taken_back_around_them(cli: Cli) -> None:
    rich(Path.cwd())
    before = Path(ACTIVE_NAME).read_text()
    cli("bank", "focus", "Another")
    cli("bank", "add-next-step", "A third")
    assert cli("undo", "1").out.startswith(f"Restored {ACTIVE_NAME}, keeping what changed since")
    assert Path(ACTIVE_NAME).read_text() == f"{before}3. A third\n"
    cli("redo", "1")
    cli("bank", "focus", "Yet another")
    now = state(Path.cwd())
    told = cli("undo", "1")
    assert (told.code, state(Path.cwd())) == (3, now)
    assert "step 5 (bank focus) changed the same lines" in told.err
    assert [cli("undo", step).code for step in ("5", "1", "2")] == [0, 0, 0]
    assert Path(ACTIVE_NAME).read_text() == before


def test_an_edit_by_hand_stays(cli: Cli) -> None:
    rich(Path.cwd())
    before = Path(ACTIVE_NAME).read_text()
    cli("bank", "focus", "Another")
    put(Path.cwd(), ACTIVE_NAME, Path(ACTIVE_NAME).read_text() + "\nBy hand.\n")
    assert cli("undo").code == 0
    assert Path(ACTIVE_NAME).read_text() == before + "\nBy hand.\n"
    cli("bank", "focus", "Another")
    put(Path.cwd(), ACTIVE_NAME, Path(ACTIVE_NAME).read_text().replace("Another", "Mine"))
    now = state(Path.cwd())
    for more in ((), ("--dry-run", "--diff")):
        told = cli("undo", *more)
        assert (told.code, state(Path.cwd())) == (3, now)
        assert f"'{ACTIVE_NAME}' was changed by hand since" in told.err


@pytest.mark.parametrize(
    ("id", "more"), [("3f2b8c1e-5a4d-4e6f-9b7a-0c1d2e3f4a5b", ", with the text it had there"), ("", "")]
)
def test_a_rename_is_taken_back_in_a_line(cli: Cli, id: str, more: str) -> None:
    command: tuple[str, ...]
    if id:  # a card gets its hash, too
        old, new, command = "memories/x.md", f"memories/{id}.md", ("card", "repair")
        head = f"---\nid: {id}\nsubject: Pool size\nkeywords:\n  - pool\napplies_to: global\n"
        put(Path(), old, f"{head}occurred_at: '2026-01-15T10:00:00Z'\n---\n\nTen connections.\n")
    else:
        old, new = "memory-bank/tech_context.md", "memory-bank/techContext.md"
        command = ("init", "--adopt", "--rename")
        put(Path(), old, "# Tech Context\n\n## Technologies Used\n- Python\n")
    assert cli(*command).code == 0
    assert cli("undo", "--dry-run").out.splitlines()[0] == f"Would rename {new} to {old}{more}"
    assert f"Renamed {new} to {old}{more}\n" in cli("undo").out
    assert f"Renamed {old} to {new}{more}\n" in cli("redo").out


def test_a_dry_run_shows_and_writes_nothing(cli: Cli) -> None:
    rich(Path.cwd())
    cli("bank", "focus", "Another")
    now, log = state(Path.cwd()), sorted(Path(".memdown/undo").iterdir())
    told = cli("undo", "--dry-run", "--diff")
    assert (told.code, state(Path.cwd()), sorted(Path(".memdown/undo").iterdir())) == (0, now, log)
    assert "-Another" in told.out
    assert "+The import of invoices." in told.out
    assert "Would undo step 1: bank focus" in told.out
    assert cli("undo", "--list", "--json").json() == [
        {
            "step": 1,
            "act": "bank focus",
            "at": "2026-02-01T12:00:00Z",
            "by": "cli",
            "titles": ["Current Focus"],
            "files": [ACTIVE_NAME],
            "undone": False,
        }
    ]


# What is kept


def in_the_log() -> bytes:
    """All that the steps have, unpacked."""
    found = b""
    for path in sorted(Path(".memdown/undo").iterdir()):
        header, _, packed = path.read_bytes().partition(b"\n\n")
        found += header + zlib.decompress(packed)
    return found


@pytest.mark.parametrize("committed", [True, False])
def test_a_credential_that_was_removed_is_not_kept(cli: Cli, committed: bool) -> None:
    root = Path.cwd()
    secret = "ghp_" + made(36)
    put(root, "memory-bank/notes.md", f"# Notes\n\nThe token is {secret}, for a while.\n\nMore.\n")
    put(root, "memory-bank/activeContext.md", f"# Active Context\n\n## Current Focus\nUse {secret} here.\n")
    before = state(root)
    if committed:
        git_init(root)
        git(root, "add", "-A")
        git(root, "commit", "-qm", "x")
    ran = cli("bank", "focus", "Another", "--json").json()
    assert ran["removed"] == [{"what": "credential", "path": "memory-bank/activeContext.md", "lines": 1, "kept": False}]
    with Memory.open(root) as memory:
        memory.files.delete("memory-bank/notes.md", over=memory.files.read("memory-bank/notes.md"))
    assert secret.encode() not in in_the_log()
    told = [cli("undo"), cli("undo")]
    assert [each.code for each in told] == [0, 0]
    assert secret.encode() not in in_the_log()
    if committed:
        assert differing(state(root), before) == []
    else:
        assert [each.out.count("1 credential stayed out") for each in told] == [1, 1]
        assert "[redacted: " in Path("memory-bank/notes.md").read_text()
        assert (
            Path("memory-bank/activeContext.md").read_text().startswith("# Active Context\n\n## Current Focus\nUse [")
        )


def test_the_log_stays_small(cli: Cli) -> None:
    rich(Path.cwd())
    put(Path.cwd(), "memdown.toml", "[undo]\nsteps = 5\n")
    with Memory.open(Path.cwd()) as memory:
        for number in range(12):
            memory.bank.focus(f"Focus {number}")
    assert [each["step"] for each in cli("undo", "--list", "--json").json()] == [12, 11, 10, 9, 8]
    assert cli("undo", "3").code == 1
    put(Path.cwd(), "memdown.toml", "[undo]\nmegabytes = 1\n")
    with Memory.open(Path.cwd()) as memory:
        text = None
        for number in range(6):  # what does not compress
            wanted = made(400_000, seed=str(number))
            memory.files.save("memory-bank/large.md", wanted, over=text)
            text = wanted
    size = sum(path.stat().st_size for path in Path(".memdown/undo").iterdir())
    assert 0 < size <= 1 << 20
    assert cli("undo").code == 0


@pytest.mark.parametrize("damage", [b"", b"nothing\n", b"memdown undo 1\n", b"half"])
def test_a_damaged_step_is_passed_over(cli: Cli, damage: bytes) -> None:
    rich(Path.cwd())
    cli("bank", "focus", "Another")
    cli("bank", "add-blocker", "One")
    path = Path(".memdown/undo/000000002.step")
    path.write_bytes(path.read_bytes()[:-5] if damage == b"half" else damage)
    assert [each["step"] for each in cli("undo", "--list", "--json").json()] == [1]
    assert cli("undo", "2").code == 1
    assert cli("undo").code == 0
    assert "The import of invoices." in Path(ACTIVE_NAME).read_text()
    assert "- One" in Path(ACTIVE_NAME).read_text()


# Real projects

EVERY_PROJECT: list[Row] = [
    ("bank focus", "Another"),
    ("bank replace-active", "<", ACTIVE),
    ("end", "--summary", "Done", "--next", "More", "--clear", "blockers"),
    ("end", "--summary", "Done", "--replace"),
    ("update", "--set", "activeContext.md", "Current Focus", "One.", "--replace"),
    ("archive", "--keep", "0", "--older-than", "0", "--size", "0"),
    ("convert", ".", "--min-confidence", "low"),
    ("check", "--unsafe-fixes"),
    ("inbox merge",),
    ("card repair",),
    ("card dedupe", "--delete"),
    ("layer prune",),
    ("session start", "--focus", "Another"),
    ("session note", "One"),
    ("session end", "--summary", "Done"),
    ("task add", "Another"),
    ("add edit", "Something"),
]


def rows_of(root: Path) -> Iterator[Row]:
    """What to do with a real project: what fits all, and some of its own records, tasks and layers."""
    yield from EVERY_PROJECT
    with Memory.open(root) as memory:
        records = list(memory.records())
        kinds = {(record.dialect, record.kind): record for record in reversed(records)}.values()
        for record in kinds:
            yield ("delete", record.id, "--force")
            yield ("edit", record.id, "--title", "Another", "--force")
        for record in kinds:
            if record.kind == "task":
                yield from ((f"task {verb}", record.id) for verb in ("start", "pause", "resume", "done", "cancel"))
                yield ("update", "--complete", record.title or "")
            if record.dialect == "layers":
                yield ("layer append", record.id, "--content", "## New\n\nOne.\n")
                yield ("layer update", record.id, "--content", "# New\n", "--force")
                yield ("layer delete", record.id)


PROJECTS = sorted(
    each for name in ("bank", "sem", "cards", "journal", "layers", "okf") for each in (CORPUS / name).glob("*")
)
SOME = ("DanieleBortolas", "Arthur742Ramos__copex", "ts-quantum", "littlemex", "acme_retail")


@pytest.mark.corpus
@pytest.mark.parametrize(
    "project",
    [pytest.param(each, marks=() if any(map(each.name.count, SOME)) else pytest.mark.slow) for each in PROJECTS],
    ids=lambda each: each.name,
)
def test_a_real_project_comes_back_to_the_byte(cli: Cli, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = copy_of(project, Path.cwd() / "copy")
    monkeypatch.chdir(root)
    wrote = {row[0] for row in rows_of(root) if judged(cli, *row)}
    assert wrote & {"archive", "check", "bank focus", "delete", "edit"}


def test_undo_of_an_end_that_committed_names_the_commit_that_stays(cli: Cli) -> None:
    root = Path.cwd()
    git(root, "init", "-q")
    cli("init")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Start")
    done = cli("end", "--summary", "Import works", "--commit", "-m", "Memory: import works", "--json").json()
    ran = cli("undo")
    assert (ran.code, done["commit"] is not None) == (0, True)
    assert f"The commit {done['commit'][:12]} (Memory: import works) stays, with what was undone" in ran.err
    cli("end", "--summary", "Export works")
    assert "stays" not in cli("undo").err


def test_a_step_that_the_files_do_not_have_is_not_used_up(cli: Cli) -> None:
    log = Path("memory-bank/decisionLog.md")
    assert cli("init").code == 0
    assert cli("add", "Use SQLite", "--why", "one file").code == 0
    before = log.read_bytes()
    assert cli("add", "Use pytest", "--why", "plain functions").code == 0
    after, (step, older) = log.read_bytes(), [each["step"] for each in cli("undo", "--list", "--json").json()][:2]
    log.write_bytes(before)  # as when another branch is checked out
    now = state(Path.cwd())
    for more in ((), (str(step),), ("--dry-run",)):
        told = cli("undo", *more)
        assert (told.code, told.out, state(Path.cwd())) == (3, "", now)
        assert f"Step {step} (add decision) is not in these files" in told.err
        assert f"`memdown undo {older}` undoes the one before" in told.err
    log.write_bytes(after)
    assert cli("undo", str(step)).code == 0
    assert log.read_bytes() == before
    log.write_bytes(after)  # as git restores it
    said = cli("redo", "--dry-run").out
    assert said.startswith(f"The files have step {step} already, so it would count as done: add decision (")
    assert cli("redo").out == said.replace("would count", "counts")
    assert log.read_bytes() == after
    assert cli("undo").code == cli("redo").code == 0
    assert log.read_bytes() == after
