"""The write gate: no surface writes a credential unless somebody allows it, and a refusal leaves everything as it was."""

import contextlib
import io
import json
import shutil
import subprocess
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from conftest import Ran, some
from mcp_client import server
from memdown import secrets
from memdown.errors import MemdownError, Refused
from memdown.memory import Memory
from memdown.store.files import Files
from memdown.surfaces.cli import cli as program
from memdown.surfaces.cli import run
from memdown.surfaces.mcp.tools import TOOLS
from memdown.surfaces.memory_tool import MemoryTool
from samples import CARD, ID, put
from secrets_cases import TRUE, made

CREDENTIALS = {name: (f"Mind: {text.format(secret)}", secret) for name, (text, secret) in TRUE.items()}
TOKENS = [secret for text, secret in TRUE.values() if "\n" not in secret and secrets.find(secret)]
"""Those that are known without what stands around them."""
TOKEN = TRUE["GitHub classic"][1]


class Project:
    """The project of one dialect, and the command line in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *args: str, stdin: str = "") -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
            patch.setenv("MEMDOWN_NOW", "2026-02-01T12:00:00Z")
            patch.delenv("MEMDOWN_AUTHOR", raising=False)
            patch.chdir(self.root)
            code = run(list(args))
        return Ran(code, out.getvalue(), err.getvalue())

    def files(self) -> dict[str, bytes]:
        found = sorted(path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}

    def memory(self) -> dict[str, bytes]:
        """Every file that is not derived."""
        return {name: data for name, data in self.files().items() if not name.startswith(".memdown/")}

    def steps(self) -> list[str]:
        return [name for name in self.files() if name.startswith(".memdown/undo/")]

    def holds(self, secret: str) -> list[str]:
        """The files that have a credential in their text or their name; steps of undo as they are unpacked."""
        line = max(secret.split("\n"), key=len)
        part = line[len(line) // 3 :].encode()  # which is enough to know it by
        return [name for name, data in self.files().items() if part in name.encode() + data + _unpacked(name, data)]

    def back_to(self, files: dict[str, bytes]) -> None:
        shutil.rmtree(self.root)
        self.root.mkdir()
        for name, data in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(data)


def _unpacked(name: str, data: bytes) -> bytes:
    return zlib.decompress(data.partition(b"\n\n")[2]) if name.startswith(".memdown/undo/") else b""


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Project]:
    found = {dialect: Project(tmp_path_factory.mktemp(dialect)) for dialect in SETUP}
    put(found["cards"].root, f"memories/{ID}.md", CARD)
    for dialect, commands in SETUP.items():
        for words in commands:
            done = found[dialect].run(*words)
            assert done.code == 0, done
    return found


_BANK = (
    ("init",),
    ("bank", "add-item", "Paging"),
    ("bank", "add-question", "Which currencies?"),
    ("bank", "add-milestone", "Phase 1", "--status", "Planned"),
    ("bank", "add-decision", "Use SQLite"),
)
_JOURNAL = (
    ("init", "--dialect", "journal"),
    ("task", "add", "File viewer"),
    ("task", "add", "Second task"),
    ("task", "start", "T2"),
    ("task", "add", "Third task"),
    ("task", "start", "T3"),
    ("task", "pause", "T3"),
    ("session", "start"),
)
_SEM = (("init", "--dialect", "sem"), ("add", "decision", "Use SQLite", "--author", "Ann"))
SETUP = {
    "bank": _BANK,
    "cards": (),
    "sem": _SEM,
    "journal": _JOURNAL,
    "okf": (("init", "--dialect", "okf"), ("add", "decision", "Use SQLite")),
    "layers": (("layer", "create", "shared-project/shop/notes", "--content", "# Notes"),),
    "bare": (),
}
"""A project for each dialect, below one folder, and what is done in it first."""


class Base(NamedTuple):
    """A call of a command that would succeed, in the project of a dialect; `{}` in the input is the credential."""

    dialect: str
    arguments: Sequence[str] = ()
    options: Sequence[str] = ()
    stdin: str = ""


_LAYER = "shared-project/shop/notes"
_KINDS = ("decision", "directive", "memory", "note")
_ACTIVE = ("focus", "state", "add-change", "add-active-decision", "add-question", "add-blocker", "add-next-step")
_PROGRESS = ("note-issue", "note-debt", "add-item")
_CONTENT = "The pool has 10 connections."
BASES: dict[str, tuple[Base, ...]] = {
    "add card": (
        Base("cards", ["A subject"], ["-k", "word"], _CONTENT),
        Base("cards", ["A subject"], ["-k", "a"], "{}"),
    ),
    "add decision": tuple(Base(each, ["A title"], ["--author", "Ann"]) for each in ("sem", "bank", "okf")),
    **{f"add {kind}": (Base("sem", ["A title"], ["--author", "Ann"]),) for kind in _KINDS[1:]},
    "add text": (Base("sem", ["A title"], ["--author", "Ann"]),),
    "add edit": (Base("journal", ["What was done"]),),
    "add task": (Base("journal", ["Something to do"]), Base("bank", ["Something to do"])),
    **{f"bank {verb}": (Base("bank", ["Some text"]),) for verb in (*_ACTIVE, *_PROGRESS)},
    "bank add-milestone": (Base("bank", ["Phase 2"]),),
    "bank set-milestone": (Base("bank", ["Phase 1", "Complete"]),),
    "bank add-decision": (Base("bank", ["Cache for a day"]),),
    "bank supersede-decision": (Base("bank", ["Use SQLite", "Use PostgreSQL"]),),
    "bank replace-active": (Base("bank", stdin='{"focus": {}}'),),
    "edit": (
        Base("cards", [ID]),
        Base("sem", ["Use SQLite"], ["--force"]),
        Base("bank", ["Use SQLite"], ["--force"]),
        Base("bank", ["Paging"]),
        Base("okf", ["Use SQLite"]),
        Base("journal", ["T1"]),
        Base("layers", [_LAYER]),
        Base("layers", [_LAYER], ["--details", "-"], "{}"),
    ),
    "end": (
        Base("bank", options=["--summary", "S", "--decision", "A"]),
        Base("bank", options=["--from", "-"], stdin='{"focus": {}}'),
    ),
    "error add": (Base("journal", ["It fails"]),),
    "import": (
        Base("cards", ["-"], stdin='{"memdown": 1, "records": [], "files": [{"path": "memories/x.md", "text": {}}]}'),
    ),
    "init": (Base("bare"),),
    "layer create": (
        Base("layers", ["shared-project/shop/other"]),
        Base("layers", options=["--layer", "agent", "--agent", "zeus", "--type", "notes", "--content", "# Notes"]),
        Base(
            "layers",
            options=["--entry", "-"],
            stdin='{"layer": "agent", "agentName": "zeus", "fileType": "notes", "content": {}}',
        ),
        Base("layers", options=["--layer", "agent", "--agent", "zeus", "--type", "notes"], stdin="{}"),
    ),
    "layer append": (Base("layers", [_LAYER]), Base("layers", [_LAYER], stdin="{}")),
    "layer update": (Base("layers", [_LAYER]), Base("layers", [_LAYER], stdin="{}")),
    "session start": (Base("journal", options=["--period", "night"]),),
    "session note": (Base("journal", ["Parser works"]),),
    "session end": (Base("journal"),),
    "task add": (Base("journal", ["Something else to do"]),),
    **{f"task {verb}": (Base("journal", ["T1"]),) for verb in ("start", "cancel")},
    **{f"task {verb}": (Base("journal", ["T2"]),) for verb in ("pause", "done")},
    "task resume": (Base("journal", ["T3"]),),
    "task edit": (Base("journal", ["T1"]),),
    "task note": (Base("journal", ["T1", "Something"]),),
    "update": (Base("bank", options=["--decision", "A"]), Base("bank", options=["--from", "-"], stdin='{"focus": {}}')),
}
"""Every command that writes text which it is given."""
NO_TEXT = {
    "archive": "moves what is there",
    "slim": "moves what is there",
    "capture": "redacts, since the text is not a person's; see below",
    **{f"bank {verb}": "takes names only" for verb in ("close", "start-item", "complete", "resolve")},
    "card dedupe": "takes names only",
    "card prune": "takes a number only",
    "card repair": "takes names only",
    "check": "changes what is there",
    "convert": "changes what is there; see below for --out",
    "delete": "takes names only",
    "export": "writes what is there; see below",
    "inbox merge": "moves what is there; see below",
    "layer delete": "takes names only",
    "layer prune": "moves what is there",
    "install": "writes texts of memdown's own",
    "resolve": "merges what is there",
    "regenerate": "writes what is there; see below",
    "restore": "writes what a backup holds; see tests/test_backup.py",
    **dict.fromkeys(("push", "pull", "sync"), "exchanges what is there; see tests/test_hub.py"),
    "propose": "writes what is there elsewhere; see tests/test_first_steps.py",
    **{f"review {verb}": "takes names only" for verb in ("keep", "drop", "merge")},
    **{f"review {verb}": "needs a card that was captured; see tests/test_review.py" for verb in ("edit", "scope")},
    **{f"source {verb}": "takes names only" for verb in ("add", "remove", "update")},
    "start": "writes a line of memdown's own",
    "stats": "draws a chart of numbers",
    "skill": "writes texts of memdown's own",
    "verify": "takes names only",
    "web": "writes pages of what is there",
}
SHAPES = {
    "--milestone": ["{}", "Planned"],
    "--set": ["techContext.md", "Languages", "{}"],
    "--scope": ["agent:{}"],
    "--applies-to": ["area:{}"],
    "--related": ["issue: {}"],
    **{f"--{how}": ["src/x.py: {}"] for how in ("created", "modified", "updated", "deleted")},
    "-f": ["Modified:src/x.py:{}"],
}
"""Texts of a form."""


def writing_commands() -> dict[str, click.Command]:
    """Every command with the option that lets a credential through."""

    def below(command: click.Command, words: str) -> Iterator[tuple[str, click.Command]]:
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                yield from below(inner, f"{words} {name}".strip())
        elif any(each.name == "allow_secret" for each in command.params):
            yield words, command

    context = click.Context(program)
    return dict(below(program, ""))


def calls() -> Iterator[tuple[str, Base, list[str]]]:
    """A call for each text that a command takes, with `{}` in its place."""
    for words, command in writing_commands().items():
        arguments = [each for each in command.params if isinstance(each, click.Argument)]
        texts = [
            each.opts[0]
            for each in command.params
            if isinstance(each, click.Option) and isinstance(each.type, click.types.StringParamType)
        ]
        for base in BASES.get(words, ()):
            name, start = f"{words} in {base.dialect}", words.split()
            if "{}" in base.stdin:
                yield f"{name} <", base, [*start, *base.arguments, *base.options]
                continue
            for at, argument in enumerate(arguments):
                given = [*base.arguments[:at], "{}", *base.arguments[at + 1 :]]
                yield f"{name} {argument.name}", base, [*start, *given, *base.options]
            for option in texts:
                given = [*base.arguments, *base.options, option, *SHAPES.get(option, ["{}"])]
                yield f"{name} {option}", base, [*start, *given]


CALLS = {name: (base, args) for name, base, args in calls()}
ALL_OF_THEM = (
    *("add card in cards <", "add decision in sem --details", "add note in sem title", "bank focus in bank text"),
    *("layer append in layers <", "add edit in journal description", "session note in journal text"),
)
"""Calls that every credential goes through, also without `--slow`."""


def test_every_command_that_writes_is_here() -> None:
    assert sorted(writing_commands()) == sorted([*BASES, *NO_TEXT])


def test_there_are_many_kinds() -> None:
    assert len(CREDENTIALS) >= 60
    assert len(TOKENS) >= 30


def filled(base: Base, args: list[str], text: str) -> tuple[list[str], str]:
    given = json.dumps(text) if base.stdin.startswith('{"') else text
    return [each.replace("{}", text) for each in args], base.stdin.replace("{}", given)


def assert_refused(project: Project, call: str, text: str, secret: str) -> bool:
    """That a credential is not written, and if nothing but the gate stands in the way, what else a refusal is."""
    base, args = CALLS[call]
    given, stdin = filled(base, args, text)
    before = project.files()
    refused = project.run(*given, stdin=stdin)
    assert project.holds(secret) == [], refused
    after = project.files()
    project.back_to(before)
    allowed = project.run(*given, "--allow-secret", stdin=stdin)
    held = [name for name in project.holds(secret) if not name.startswith(".memdown/index")]
    steps = project.run("undo", "--list", "--json").json() if held else []
    project.back_to(before)
    if allowed.code == 0 and held:
        assert refused.code == 3, refused
        assert "would contain a credential" in refused.err
        assert "; remove it, or allow it with --allow-secret or, in memdown.toml, under `secrets.allow`." in refused.err
        assert refused.err.count("\n") == 1
        assert secret not in refused.err
        assert _lasting(after) == _lasting(before)
        assert any(secret in name for name in held) or not any(name.startswith(".memdown/") for name in held)
        assert "allowed a credential (" in steps[0]["forced"]
        return True
    return False


def _lasting(files: dict[str, bytes]) -> dict[str, bytes]:
    """Memory, and the steps of undo."""
    return {name: data for name, data in files.items() if not name.startswith(".memdown/") or name.endswith(".step")}


@pytest.mark.parametrize("words", BASES)
def test_no_command_writes_a_credential(projects: dict[str, Project], words: str) -> None:
    own = [call for call in CALLS if call.split(" in ")[0] == words]
    tokens = iter(TOKENS[len(words) % 20 :] * 10)
    written = [
        call for call in own if assert_refused(projects[CALLS[call][0].dialect], call, secret := next(tokens), secret)
    ]
    assert written, "no call of this command would have written its text"


@pytest.mark.parametrize("call", ALL_OF_THEM)
def test_no_kind_of_credential_is_written(projects: dict[str, Project], call: str) -> None:
    project, (base, args) = projects[CALLS[call][0].dialect], CALLS[call]
    before = project.memory()
    steps = project.steps()
    for name, (text, secret) in CREDENTIALS.items():
        given, stdin = filled(base, args, text)
        done = project.run(*given, stdin=stdin)
        assert done.code in (2, 3), (name, done)
        assert project.memory() == before, name
        assert project.steps() == steps
        assert project.holds(secret) == []
        assert done.code == 3 or "\n" in text or "it may have 120" in done.err, (name, done)


@pytest.mark.slow
@pytest.mark.parametrize("words", BASES)
def test_no_kind_of_credential_is_written_anywhere(projects: dict[str, Project], words: str) -> None:
    for call, (base, args) in CALLS.items():
        for text, secret in CREDENTIALS.values() if call.split(" in ")[0] == words else ():
            given, stdin = filled(base, args, text)
            done = projects[base.dialect].run(*given, stdin=stdin)
            assert projects[base.dialect].holds(secret) == [], (given, done)


# Other surfaces


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


_TOOLS: dict[str, list[dict[str, object]]] = {
    "initialize_memory_bank": [{"projectPath": "other", "brief": "{}"}],
    "memory_bank_write": [{"projectPath": ".", "fileName": "notes.md", "content": "# Notes\n\n{}\n"}],
    "memory_bank_update": [{"projectPath": ".", "fileName": "progress.md", "content": "# Progress\n\n{}\n"}],
    "end_session": [
        *(dict[str, object]({"summary": "S", name: "{}"}) for name in ("summary", "focus", "state")),
        *(dict[str, object]({"summary": "S", name: ["{}"]}) for name in ("next_steps", "blockers", "questions", "add")),
        {"summary": "S", "decisions": [{"title": "T", "rationale": "{}"}]},
    ],
    "add": [
        {"kind": "card", "title": "T", "text": "{}", "tags": ["a"]},
        {"kind": "card", "title": "{}", "text": "Ten characters.", "tags": ["a"]},
        {"kind": "decision", "title": "T", "rationale": "{}"},
        *(dict[str, object]({"kind": "decision", "title": "T", name: "{}"}) for name in ("context", "trade_offs")),
        {"kind": "decision", "title": "T", "options": ["{}"]},
        {"kind": "note", "title": "T", "author": "Ann", "related": ["issue: {}"]},
        {"kind": "error", "title": "T", "fix": "{}"},
        {"kind": "task", "title": "{}"},
    ],
    "log_edit": [{"title": "{}"}, {"title": "T", "files": ["Modified:src/a.py:{}"]}],
    "session": [{"do": "start", "text": "{}"}],
    "layer": [{"do": "create", "id": "agent/zeus/notes", "content": "{}"}],
    "update": [{"file": "techContext.md", "section": "Languages", "content": "{}", "expectedHash": "HASH"}],
    "delete": [],  # takes a name
    "set_task": [],  # takes names only
    "undo": [],  # takes a number
}
"""What each tool that writes is called with."""


def test_no_tool_of_the_server_writes_a_credential(tmp_path: Path) -> None:
    project = Project(tmp_path / "app")
    project.root.mkdir()
    put(project.root, f"memories/{ID}.md", CARD)
    put(project.root, ".squad/decisions.md", "# Decisions\n")
    put(project.root, "memory/projects/my-api/project_profile.md", "# My API\n\nA pool.\n")
    assert project.run("init").code == 0
    assert sorted(_TOOLS) == sorted(tool.name for tool in TOOLS if tool.writes)
    with server(project.root, banks=tmp_path / "banks") as client:
        client.initialize()
        path = str(project.root)
        hash = client.value("memory_bank_read", projectPath=path, fileName="techContext.md")["hash"]
        before, steps = project.memory(), project.steps()
        for number, (name, calls) in enumerate(_TOOLS.items()):
            for given in calls:
                every = some([*CREDENTIALS.values()][number % 6 :], 6)
                chosen = every if given == calls[0] else [CREDENTIALS["npm"], CREDENTIALS["RSA key"]]
                for text, secret in chosen:
                    shaped = json.dumps(given).replace("HASH", hash).replace("{}", json.dumps(text)[1:-1])
                    refusal = client.refusal(name, **{**json.loads(shaped), **_where(given, path, tmp_path)})
                    assert project.holds(secret) == [], (name, refusal)
                    assert secret not in refusal
                    if "\n" not in text.replace("\\n", "\n"):
                        assert "would contain a credential" in refusal
                        assert refusal.endswith(
                            "; leave it out, or ask the user to allow it under `secrets.allow` in memdown.toml"
                        )
        assert project.memory() == before
        assert project.steps() == steps
        assert not any((tmp_path / "banks").rglob("*.md"))


def _where(given: dict[str, object], path: str, banks: Path) -> dict[str, object]:
    if given.get("projectPath") == "other":
        return {"projectPath": str(banks / "banks" / "other")}
    return {"projectPath": path} if "projectPath" in given else {}


def test_an_assistant_may_write_a_file_anew_that_has_an_allowed_credential(tmp_path: Path) -> None:
    """What a person allowed stands in the file, and does not keep others from changing it."""
    project = Project(tmp_path / "app")
    project.root.mkdir()
    assert project.run("init").code == 0
    assert project.run("bank", "focus", f"Use {TOKEN}", "--allow-secret").code == 0
    with server(project.root, banks=tmp_path) as client:
        client.initialize()
        text = client.value("memory_bank_read", projectPath=str(project.root), fileName="activeContext.md")["content"]
        assert TOKEN in text
        text = text.replace("## Current State", "## Current State\nAll is well.\n")
        client.value("memory_bank_update", projectPath=str(project.root), fileName="activeContext.md", content=text)


def test_the_memory_tool_writes_none(project: Project) -> None:
    put(project.root, "memories/notes.txt", "one\ntwo\n")
    with Memory.open(project.root) as memory:
        tool = MemoryTool(memory)
        for text, secret in CREDENTIALS.values():
            for given in (
                {"command": "create", "path": "/memories/new.md", "file_text": text},
                {"command": "str_replace", "path": "/memories/notes.txt", "old_str": "two", "new_str": text},
                {"command": "insert", "path": "/memories/notes.txt", "insert_line": 1, "insert_text": text},
            ):
                answer = tool.run(given)
                assert answer.is_error
                assert "ask the user" in answer.text
                assert project.holds(secret) == []
        for command in (
            {"command": "create", "file_text": "x"},
            {"command": "rename", "old_path": "/memories/notes.txt"},
        ):
            path = f"/memories/{TOKEN}.md"
            answer = tool.run({**command, "path": path, "new_path": path})
            assert "the name of a file would contain a credential (GitHub token)" in answer.text
    assert project.memory() == {"memories/notes.txt": b"one\ntwo\n"}
    assert project.steps() == []


def test_the_library_writes_none(project: Project) -> None:
    with Memory.open(project.root) as memory:
        for text, secret in CREDENTIALS.values():
            with pytest.raises(Refused, match=r"in line \d+ \(.*\); remove it, or allow it under `secrets.allow`"):
                memory.cards.add("A subject", text, keywords=["a"])
            with pytest.raises(Refused):
                memory.files.save("memories/x.md", text, over=None)
            assert project.holds(secret) == []
    assert project.memory() == {}


def test_what_is_captured_is_redacted(project: Project) -> None:
    for text, secret in CREDENTIALS.values():
        done = project.run("capture", stdin=f"A finding of the review:\n{text}\n")
        assert done.code == 0, done
        assert project.holds(secret) == []
    assert all(b"[redacted: " in data for name, data in project.memory().items() if name.endswith(".md"))


# What stands in memory already


def _leaky(project: Project) -> None:
    put(project.root, f"memories/{ID}.md", CARD.replace("With 5", f"With {TOKEN}"))
    put(project.root, ".squad/decisions.md", f"# Decisions\n\n### 2026-01-05: Deploy\n**By:** Ann\n\nUse {TOKEN}\n")
    put(
        project.root,
        "memory-bank/edit_history.md",
        f"# Edit History\n\n## 2026-01-05\n\n### 10:00:00 UTC - Deploy with {TOKEN}\n\n- Modified `a.py` - x\n",
    )


@pytest.mark.parametrize(
    "args",
    [
        ("export", "--out", "bundle.json"),
        ("regenerate", "--out", "anew"),
        ("convert", ".squad/decisions.md", "--out", ".squad/new.md"),
    ],
)
def test_a_credential_is_not_copied_to_another_file(project: Project, args: tuple[str, ...]) -> None:
    _leaky(project)
    before = project.memory()
    done = project.run(*args)
    assert (done.code, project.memory()) == (3, before), done
    assert "would contain a credential in line" in done.err
    assert "--allow-secret" in done.err
    assert project.run(*args, "--allow-secret").code == 0
    assert len(project.memory()) > len(before)


def test_a_credential_may_move(project: Project) -> None:
    """What a person put into the drop box stood in the project before: merging it writes nothing new."""
    entry = f"### 2026-01-31T09:30:00Z: decision: Deploy\n\n- **author**: Ann\n- **summary**: Use {TOKEN}\n"
    put(project.root, ".squad/decisions.md", "# Decisions\n")
    put(project.root, ".squad/decisions/inbox/ann.md", entry)
    assert project.run("inbox", "merge", "--json").json()["merged"] == 1
    assert TOKEN.encode() in project.memory()[".squad/decisions.md"]
    assert project.run("convert", ".squad/decisions.md").code == 0
    assert not [name for name in project.holds(TOKEN) if name.startswith(".memdown/undo")]


# The gate itself


def test_a_value_that_the_settings_allow_is_written(project: Project) -> None:
    put(project.root, "memdown.toml", f'[secrets]\nallow = ["{TOKEN}", "Gr\u00fcn9!kq\u00e0Zx"]\n')
    for number, text in enumerate((f"Use {TOKEN}, please.", "The password is Gr\u00fcn9!kq\u00e0Zx today.")):
        done = project.run("add", "card", f"Subject {number}", "-k", "a", "--content", text)
        assert done.code == 0, done
    assert project.run("capture", "--content", f"Two lines\nwith {TOKEN}").code == 0
    assert "forced" not in project.run("undo", "--list", "--json").json()[0]


def test_a_credential_that_is_not_ascii_is_found_where_it_stands(project: Project) -> None:
    done = project.run(
        "add", "card", "Sch\u00f6n", "-k", "a", "--content", "\u00e4\u00e4\u00e4\npassword: Gr\u00fcn9!kq\u00e0Zx"
    )
    assert (done.code, project.memory()) == (3, {})
    assert "(password)" in done.err
    files = Files(project.root)
    files.begin_act("test", "write", allow_secrets=True)
    files.save("a.md", "\u00e4\u00e4 password: Gr\u00fcn9!kq\u00e0Zx \u00e4\n", over=None)
    files.save("a.md", "\u00e4\u00e4 \u00e4\n", over=files.read("a.md"))
    assert not any(b"Zx" in _unpacked(name, data) for name, data in project.files().items())


@pytest.mark.parametrize("cut", [3, 10, 20])
def test_the_other_half_of_a_credential_is_refused(project: Project, cut: int) -> None:
    put(project.root, "memory-bank/notes.md", f"Before {TOKEN[:cut]} after\n")
    files = Files(project.root)
    text = files.read("memory-bank/notes.md")
    for whole in (text.replace(TOKEN[:cut], TOKEN), text.replace(f"{TOKEN[:cut]} ", TOKEN)):
        with pytest.raises(Refused, match=r"line 1 \(GitHub token\)"):
            files.save("memory-bank/notes.md", whole, over=text)
    put(project.root, "memory-bank/url.md", "See db.internal:5432/app\n")
    with pytest.raises(Refused, match="would contain a credential"):
        files.save(
            "memory-bank/url.md",
            "See postgres://app:s3cr3tPw9@db.internal:5432/app\n",
            over=files.read("memory-bank/url.md"),
        )


def test_a_row_means_what_the_head_of_its_column_says(project: Project) -> None:
    password = "gR8!" + "vzQ2"
    table = "| Host | Password |\n|---|---|\n" + "| db | in the vault |\n" * 40
    put(project.root, "hosts.md", table)
    files = Files(project.root)
    with pytest.raises(Refused, match=r"line 43 \(password\)"):
        files.save("hosts.md", f"{table}| db9 | {password} |\n", over=table)
    files.save("hosts.md", f"{table}| {password} | in the vault |\n", over=table)
    put(project.root, "key.md", "The API key:\n")
    with pytest.raises(Refused, match=r"line 2 \(assigned secret\)"):
        files.save("key.md", f"The API key:\n{made(32)}\n", over="The API key:\n")


def test_a_small_change_of_a_large_file_is_not_all_looked_through(project: Project) -> None:
    """Only what is near the change is looked at, however many credentials stand elsewhere in the file."""
    line = "A token = " + made(40) + " and words that mean nothing at all here.\n"
    text = line * (5_000_000 // len(line))
    put(project.root, "large.md", text)
    files, looked = Files(project.root), []
    find = secrets.find

    def counted(given: str, allow: Sequence[str] = ()) -> list[secrets.Secret]:
        looked.append(len(given))
        return find(given, allow)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "find", counted)
        files.save("large.md", text + "One line more.\n", over=text)
    assert sum(looked) < 200_000


def test_many_credentials_that_stay_take_linear_time(project: Project) -> None:
    lines = [f"token = {made(40, seed=str(number))}\n" for number in range(4_000)]
    text = "# Head\n" + "".join(lines) + "x" * 3_000_000 + "\n"
    put(project.root, "large.md", text)
    files = Files(project.root)
    began = time.process_time()
    files.save("large.md", text.replace("# Head", "# Other") + "end\n", over=text)
    assert time.process_time() - began < 10  # searched for in all of the file, one by one, they would take minutes


def test_a_title_does_not_become_the_name_of_a_file(project: Project) -> None:
    for dialect in ("sem", "okf", "journal"):
        assert project.run("init", "--dialect", dialect).code == 0
    before = project.files()
    for title in (TOKEN, f"Use {TOKEN} for all"):
        for words in (
            ("add", "decision", title, "--author", "Ann", "--inbox"),
            ("add", "memory", "A title", "--author", TOKEN),
            ("task", "add", title),
            ("layer", "create", f"shared-project/{TOKEN}/notes", "--content", "x"),
        ):
            done = project.run(*words)
            assert done.code == 3, (words, done)
            assert TOKEN not in done.err
            assert TOKEN.lower() not in " ".join(project.files()).lower()
    assert _lasting(project.files()) == _lasting(before)


def test_a_commit_message_has_none(project: Project) -> None:
    assert project.run("init").code == 0
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=project.root, check=True)
    before = project.memory()
    done = project.run("end", "--summary", "Done", "--commit", "-m", f"With {TOKEN}")
    assert (done.code, project.memory()) == (3, before)
    assert "the commit message would contain a credential (GitHub token)" in done.err


LONG = f"{'x' * 50} {TOKEN}"
"""Has a credential that a message, which shows no more than 80 characters of a value, would cut."""


@pytest.mark.parametrize("given", [TOKEN, LONG])
@pytest.mark.parametrize(
    "words",
    [
        ["session", "start"],
        [],
        ["show"],
        ["read"],
        ["list", "--since"],
        ["sql"],
        ["open"],
        ["explain"],
        ["undo"],
        ["task"],
    ],
    ids=" ".join,
)
def test_no_message_of_a_command_shows_one(project: Project, words: list[str], given: str) -> None:
    done = project.run(*words, given)
    assert done.code
    assert TOKEN[:20] not in done.out + done.err


def test_no_message_of_the_server_or_the_library_shows_one(project: Project, tmp_path: Path) -> None:
    assert project.run("init").code == 0
    with server(project.root, banks=tmp_path / "banks") as client:
        client.initialize()
        answers = [
            client.ask("tools/call", name=TOKEN, arguments={}),
            client.ask("tools/call", name="memory_bank_read", arguments={"projectPath": TOKEN, "fileName": TOKEN}),
            client.ask("resources/read", uri=f"memory://{TOKEN}"),
            client.ask("prompts/get", name=TOKEN),
            client.ask(TOKEN),
        ]
        assert [each for each in map(json.dumps, answers) if TOKEN in each or "rror" not in each] == []
    with Memory.open(project.root) as memory, pytest.raises(MemdownError) as raised:
        memory.read(LONG)
    assert TOKEN[:20] not in str(raised.value)


def test_what_was_allowed_is_in_the_list_of_steps(project: Project) -> None:
    done = project.run("add", "card", "A subject", "-k", "a", "--content", f"Use {TOKEN} here.", "--allow-secret")
    assert done.code == 0
    assert "allowed a credential (GitHub token)" in project.run("undo", "--list").out
    assert not [name for name in project.holds(TOKEN) if name.startswith(".memdown/undo")]


def test_a_credential_is_taken_out_only_by_an_unsafe_fix(tmp_path: Path) -> None:
    put(
        tmp_path,
        "memory-bank/activeContext.md",
        f"# Active Context\n\n## Current Focus\n\nThe token is {TOKEN} here.\n",
    )
    project = Project(tmp_path)
    project.run("check", "--fix")
    assert TOKEN.encode() in project.files()["memory-bank/activeContext.md"]
    project.run("check", "--unsafe-fixes")
    assert b"The token is [redacted: GitHub token] here." in project.files()["memory-bank/activeContext.md"]
