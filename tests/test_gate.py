"""The write gate: no surface writes a credential unless somebody allows it, and a refusal leaves everything as it was."""

import contextlib
import io
import json
import os
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from conftest import Ran
from mcp_client import server
from memdown.errors import Refused
from memdown.memory import Memory
from memdown.store import secrets
from memdown.store.files import Files
from memdown.surfaces.cli import cli as program
from memdown.surfaces.cli import run
from memdown.surfaces.mcp.tools import TOOLS
from memdown.surfaces.memory_tool import MemoryTool
from samples import CARD, ID, put
from secrets_cases import TRUE, made

CREDENTIALS = {name: (text.format(secret), secret) for name, (text, secret) in TRUE.items()}
TOKENS = [secret for text, secret in TRUE.values() if "\n" not in secret and secrets.find(secret)]
"""Those that are known without what stands around them."""
TOKEN = TRUE["GitHub classic"][1]


class Project:
    """A project with something of every dialect, and the command line in it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, dialect: str, *args: str, stdin: str = "") -> Ran:
        out, err, before = io.StringIO(), io.StringIO(), os.sys.stdin  # type: ignore[attr-defined]
        os.sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()))  # type: ignore[attr-defined]
        try:
            with contextlib.chdir(self.root / dialect), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run(list(args))
        finally:
            os.sys.stdin = before  # type: ignore[attr-defined]
        return Ran(code, out.getvalue(), err.getvalue())

    def files(self) -> dict[str, bytes]:
        """Every file that is not derived."""
        return {name: data for name, data in self._all().items() if ".memdown/" not in f"{name}/"}

    def derived(self) -> bytes:
        """Every byte of `.memdown/`, with the steps of undo as they are when they are unpacked; and all names."""
        pieces = []
        for name, data in self._all().items():
            pieces += name.encode(), data if ".memdown/" in name else b""
            if name.endswith(".step"):
                pieces.append(zlib.decompress(data.partition(b"\n\n")[2]))
        return b"\n".join(pieces)

    def steps(self) -> list[str]:
        return [name for name in self._all() if name.endswith((".step", "pending"))]

    def _all(self) -> dict[str, bytes]:
        found = sorted(path for path in self.root.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}


def trace(secret: str) -> bytes:
    """A part of a credential that nothing else has."""
    line = max(secret.split("\n"), key=len)
    return line[len(line) // 3 :].encode()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    root = tmp_path_factory.mktemp("gate") / "project"
    root.mkdir()
    made = Project(root)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMDOWN_NOW", "2026-02-01T12:00:00Z")
        patch.delenv("MEMDOWN_AUTHOR", raising=False)
        put(root, f"cards/memories/{ID}.md", CARD)
        for dialect, commands in SETUP.items():
            (root / dialect).mkdir(exist_ok=True)
            for words in commands:
                done = made.run(dialect, *words)
                assert done.code == 0, done
        yield made


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
_PROGRESS = ("close", "start-item", "complete", "note-issue", "note-debt", "resolve", "add-item")
_CONTENT = "The pool has 10 connections."
BASES: dict[str, tuple[Base, ...]] = {
    "add card": (Base("cards", ["A subject"], ["-k", "word"], _CONTENT), Base("cards", ["A subject"], ["-k", "a"], "{}")),
    "add decision": tuple(Base(each, ["A title"], ["--author", "Ann"]) for each in ("sem", "bank", "okf")),
    **{f"add {kind}": (Base("sem", ["A title"], ["--author", "Ann"]),) for kind in _KINDS[1:]},
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
        Base("cards", [ID], ["--details", "-"], "{}"),
    ),
    "end": (Base("bank", options=["--decision", "A"]), Base("bank", options=["--from", "-"], stdin='{"focus": {}}')),
    "error add": (Base("journal", ["It fails"]),),
    "import": (Base("cards", ["-"], stdin='{"memdown": 1, "records": [], "files": {"memories/x.md": {}}}'),),
    "init": (Base("bare"),),
    "layer create": (
        Base("layers", ["shared-project/shop/other"], ["--content", "# Other"]),
        Base("layers", options=["--entry", "-"], stdin='{"layer": "agent", "agentName": "zeus", "fileType": "notes", "content": {}}'),
        Base("layers", options=["--layer", "agent", "--agent", "zeus", "--type", "notes"], stdin="{}"),
    ),
    "layer append": (Base("layers", [_LAYER], ["--content", "More."]), Base("layers", [_LAYER], stdin="{}")),
    "layer update": (Base("layers", [_LAYER], ["--content", "# Notes"]), Base("layers", [_LAYER], stdin="{}")),
    "session start": (Base("journal", options=["--period", "night"]),),
    "session note": (Base("journal", ["Parser works"]),),
    "session end": (Base("journal"),),
    "task add": (Base("journal", ["Something else to do"]),),
    **{f"task {verb}": (Base("journal", ["T1"]),) for verb in ("start", "cancel")},
    **{f"task {verb}": (Base("journal", ["T2"]),) for verb in ("pause", "done")},
    "task resume": (Base("journal", ["T3"]),),
    "update": (Base("bank", options=["--decision", "A"]), Base("bank", options=["--from", "-"], stdin='{"focus": {}}')),
}
"""Every command that writes text which it is given."""
NO_TEXT = {
    "archive": "moves what is there",
    "capture": "redacts, since the text is not a person's; see below",
    "card dedupe": "takes names only",
    "card repair": "takes names only",
    "check": "changes what is there",
    "convert": "changes what is there; see below for --out",
    "delete": "takes names only",
    "export": "writes what is there; see below",
    "inbox merge": "moves what is there; see below",
    "layer delete": "takes names only",
    "layer prune": "moves what is there",
    "regenerate": "writes what is there; see below",
    "skill": "writes texts of memdown's own",
}
SHAPES = {
    "--milestone": ["{}", "Planned"],
    "--set": ["techContext.md", "Overview", "{}"],
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


def test_every_command_that_writes_is_here() -> None:
    assert sorted(writing_commands()) == sorted([*BASES, *NO_TEXT])


def put_in(base: Base, args: list[str], text: str) -> tuple[list[str], str]:
    stdin = base.stdin.replace("{}", json.dumps(text) if base.stdin.startswith("{\"") else text)
    return [each.replace("{}", text) for each in args], stdin


@pytest.mark.parametrize("call", CALLS)
def test_x(project: Project, call: str) -> None:
    base, args = CALLS[call]
    before, steps = project.files(), project.steps()
    filled, stdin = put_in(base, args, TOKEN)
    done = project.run(base.dialect, *filled, stdin=stdin)
    assert trace(TOKEN) not in project.derived()
    assert trace(TOKEN) not in b"".join(project.files().values())
    if done.code == 0 and "no field" in done.err: return
    assert (done.code == 3 and "would get a cred" in done.err), f"{call}: {done}"
    assert project.files() == before
    assert project.steps() == steps
    assert TOKEN not in done.err
