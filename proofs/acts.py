"""Everything that memdown can be asked to write, from the tables of the tests, and a process for each try.

A try is a fork of a process that has loaded what it needs: a template of a project is copied, and the command line or
the server runs in it as it does for a user.
"""

import io
import json
import os
import shlex
import shutil
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import test_hooks
import test_undo
from mcp_client import WHO
from memdown.__main__ import main
from memdown.acts.edit import hash_of
from memdown.surfaces.cli import run as run_command
from memdown.surfaces.mcp.loop import Loop
from memdown.surfaces.mcp.tools import TOOLS
from memdown.surfaces.mcp.wire import Pipes
from samples import ID

PROJECT = "shop"
KILLED = -9
BANK_FILE = "memory-bank/activeContext.md"
SAID = [test_hooks.message("Two lines\nare kept.", "m1"), test_hooks.message("Two more\nlines.", "m2")]
COMMANDS = {*test_undo.WRITING, *test_undo.ELSEWHERE, *(tool.name for tool in TOOLS if tool.writes)}
_NOW = "2026-02-01T12:00:00Z"


class Doing(NamedTuple):
    """Something that writes, and how it is called."""

    name: str
    words: tuple[str, ...]
    stdin: str
    before: tuple[tuple[str, ...], ...] = ()
    """The commands that come before it."""

    def __str__(self) -> str:
        if self.is_tool:
            return f"tool {self.stdin.splitlines()[-1]}"
        return f"memdown {shlex.join(self.words)}{f' < {self.stdin!r}' if self.stdin else ''}".replace("\n", "\\n")

    @property
    def kind(self) -> tuple[str, ...]:
        """The command, the event of a hook, or the tool."""
        return self.words[:2] if self.name == "hook" else (self.name, *self.words[: int(self.is_tool)])

    @property
    def is_tool(self) -> bool:
        return self.words == ("mcp",)


class Tried(NamedTuple):
    """How a try ended."""

    code: int
    """The exit code; KILLED when it was. For a tool, 1 when it answers that it failed."""
    out: str
    err: str
    """What it reported as an error, on standard error or as the answer of a tool."""


def missing() -> list[str]:
    """Commands and tools that write and are not in the tables."""
    known = {*test_undo.ROWS, *test_undo.ELSEWHERE}
    tools = {tool.name for tool in TOOLS if tool.writes}
    return [
        *(f"the command {name} is in no table" for name in sorted(test_undo.WRITING - known)),
        *(f"the tool {name} is in no table" for name in sorted(tools - {*test_undo.TOOL_ROWS, "undo"})),
    ]


def all_of_them() -> Iterator[Doing]:
    """Every row of the tables."""
    for name, rows in test_undo.ROWS.items():
        before = (test_undo.BEFORE[name],) if name in test_undo.BEFORE else ()
        for row in rows:
            args, stdin = (row[: row.index("<")], row[-1]) if "<" in row else (row, "")
            yield Doing(name, (*name.split(), *args), stdin, before)
    one = ("update", "--complete", "Feature X", "--focus", "Another", "--decision", "One")
    yield Doing("undo", ("undo",), "", (one,))
    yield Doing("redo", ("redo",), "", (one, ("undo",)))
    for event in ("Stop", "SubagentStop", "PreCompact", "SessionEnd"):
        given = {"session_id": "s", "cwd": ".", "hook_event_name": event, "transcript_path": "../talk.jsonl"}
        yield Doing("hook", ("hook", event), json.dumps(given))
    for name, given in ((name, given) for name, rows in test_undo.TOOL_ROWS.items() for given in rows):
        yield Doing(name, ("mcp",), calling(name, given))
    yield Doing("undo", ("mcp",), calling("undo", {"do": "undo", "step": 1}), (one,))
    yield Doing("undo", ("mcp",), calling("undo", {"do": "redo", "step": 1}), (one, ("undo",)))


def calling(name: str, given: dict[str, Any]) -> str:
    arguments = {**given, "projectPath": PROJECT}
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": WHO}
    return "".join(
        f"{json.dumps({'jsonrpc': '2.0', **message})}\n"
        for message in (
            {"id": 1, "method": "initialize", "params": about},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}},
        )
    )


def lay_base(folder: Path, *, index: bool = False) -> Path:
    """Something of every dialect; with an index an act has something derived to look after."""
    test_undo.shaped(test_undo.rich(folder / PROJECT), "plain")
    test_hooks.write(folder / "talk.jsonl", *SAID)
    if index:
        assert tried(folder, Doing("", ("index",), "")).code == 0
    return folder


def lay(base: Path, folder: Path, doing: Doing) -> Doing:
    """The project that it is done in, made from the base; what has to be known of the files is filled in."""
    root = copied(base, folder) / PROJECT
    for command in doing.before:
        done = tried(folder, Doing("", command, ""))
        assert done.code == 0, (command, done)
    test_undo.rearrange(root, doing.name)
    if not (doing.is_tool and doing.name == "update"):
        return doing
    *first, call = map(json.loads, doing.stdin.splitlines())
    arguments = call["params"]["arguments"]
    path = root / (BANK_FILE if "file" in arguments else f"memories/{ID}.md")
    arguments["expectedHash"] = hash_of(path.read_bytes().decode())
    return doing._replace(stdin="".join(f"{json.dumps(each)}\n" for each in (*first, call)))


@contextmanager
def surroundings() -> Iterator[None]:
    """Keep what `environment` and a change of folder do in this process from whoever comes next."""
    kept = dict(os.environ)
    with chdir(Path.cwd()):
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(kept)


def environment(folder: Path) -> None:
    """Where this process, and those that it starts, find a project."""
    for name in [name for name in os.environ if name.startswith("MEMDOWN_")]:
        del os.environ[name]
    more = {"MEMDOWN_NOW": _NOW, "MEMORY_BANK_ROOT": str(folder), "EDITOR": "true", "HOME": str(folder)}
    os.environ.update(more)
    os.environ.pop("VISUAL", None)


def copied(template: Path, target: Path) -> Path:
    shutil.copytree(template, target, symlinks=True)
    return target


def warm(folder: Path, doing: Doing) -> None:
    """Do it in this process, so that its forks have everything loaded."""
    environment(folder)
    os.chdir(folder / PROJECT)
    streams = sys.stdin, sys.stdout, sys.stderr
    try:
        if doing.is_tool:
            reading = io.BufferedReader(io.BytesIO(doing.stdin.encode()))
            Loop(Pipes(reading, io.BufferedWriter(io.BytesIO())), None).run()  # type: ignore[arg-type]
        elif doing.name != "hook":
            sys.stdin, sys.stdout, sys.stderr = (
                io.TextIOWrapper(io.BytesIO(data)) for data in (doing.stdin.encode(), b"", b"")
            )
            run_command([*doing.words])
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
        os.chdir(folder)


def tried(folder: Path, doing: Doing, arm: Callable[[str], None] | None = None) -> Tried:
    """Do it in a fork of this process; `arm` is called there with the root before it begins."""
    paths = [folder / f"{stream}.txt" for stream in ("stdin", "stdout", "stderr")]
    paths[0].write_text(doing.stdin)
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            code = _in_child(folder, doing, paths, arm)
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    out, err = (path.read_text("utf-8", "replace") for path in paths[1:])
    for path in paths:
        path.unlink()
    return _answered(code, out, err) if doing.is_tool and code != KILLED else Tried(code, out, err)


def _in_child(folder: Path, doing: Doing, paths: list[Path], arm: Callable[[str], None] | None) -> int:
    environment(folder)
    os.chdir(folder / PROJECT)
    for number, path in enumerate(paths):
        file = os.open(path, os.O_RDONLY if not number else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - as the interpreter does
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    sys.argv = ["memdown", *doing.words]
    plain, numbers = os.urandom, count(len([*Path("memories").rglob("00000000-*")]))
    os.urandom = lambda size: next(numbers).to_bytes(16) if size == 16 else plain(size)  # ids are the same in every try
    if arm is not None:
        arm(str(folder / PROJECT))
    code: object = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        code = 1
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return code if isinstance(code, int) else int(code is not None)


def _answered(code: int, out: str, err: str) -> Tried:
    """What the server answered to the call."""
    for line in out.splitlines():
        answer = json.loads(line)
        if answer.get("id") == 2:
            result = answer.get("result", {})
            if "error" in answer or result.get("isError"):
                return Tried(1, out, f"{err}{answer.get('error') or result['content'][0]['text']}")
            return Tried(code, out, err)
    return Tried(code or 70, out, err)
