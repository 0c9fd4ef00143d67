"""Somebody who means harm: names that reach outside while folders are swapped for links, text that steers a terminal,
clients that connect and say nothing, and credentials through every command that writes.

What is attacked comes from the tables of the tests, which fail when a command or a tool is in none of them.
"""

import contextlib
import io
import itertools
import json
import os
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import click

import test_steering
from mcp_client import Client, server
from mcp_http_client import TOKEN, Web, http_server
from memdown.surfaces.cli import cli, run
from proofs import hostile
from proofs.outcome import Outcome, Run
from samples import CARD, ID, put
from test_attacks import COMMANDS, REACHING, everything
from test_gate import CALLS, CREDENTIALS, SETUP, Project, filled
from test_mcp_tools import CALLS as TOOLS
from test_mcp_tools import FILES
from test_mcp_tools import REACHING as MCP_NAMES

SECRET = "the secret outside"
SWAP = """
import ctypes, os, sys
place, outside = sys.argv[1:]
link = place + "-link"
os.symlink(outside, link)
try: exchange = ctypes.CDLL(None).renameat2
except (AttributeError, OSError, TypeError): exchange = lambda *_: -1
print("ready", flush=True)
while True:
    if exchange(-100, place.encode(), -100, link.encode(), 2):  # where both cannot be done at once, one after the other
        try:
            os.rename(place, place + "-aside")
            os.rename(link, place)
            os.rename(place, link)
            os.rename(place + "-aside", place)
        except OSError: pass
"""
HOMES = ("memories", ".squad", "memory-bank", ".memdown")
STEERING = "\x1b[31mred\x1b]0;title\x07\x9b2J\u202eover\u2066in\u200bnothing\x08\x7f\x01\x1c\x1e\x1f\x85\u2028"
FORGED = "FORGED line"
ENDS = "".join(f"{end}{FORGED}" for end in ("", "\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028"))
"""Of a name, an author or a subject, which are one line."""
PROGRESS = "\x1b[K"
"""How memdown itself clears its line of what it is doing, which it draws where a machine is slow."""
RAW = (*"\x1b\x07\x9b\u202e\u2066\u200b\u2028\x08\x7f\u061c\U000e0041\x01\x0b\x0c\x1c\x1e\x1f\x85",)
ALONE = ("mcp", "serve", "web", "hook", "demo", "completion", "help")
"""Commands that serve, wait for a program, or show no text of a file."""


class Ended(NamedTuple):
    """What a command did."""

    code: int
    said: str


def call(args: Sequence[str], stdin: str = "") -> Ended:
    """A command in this process; an exception that gets out of it is a traceback for a user."""
    out = io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = run([*args])
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return Ended(-1, f"{out.getvalue()}{type(error).__name__}: {error}")
    finally:
        sys.stdin = before
    return Ended(code, out.getvalue())


# Names, and folders that become links meanwhile


def _project(folder: Path) -> Path:
    """A project beside a folder that has a secret under each of its names."""
    root = folder / "project"
    inside = {f"memories/{ID}.md": CARD, ".squad/decisions.md": "### 2026-02-01: Old\n**By:** Ann\n\ntext\n"}
    inside |= {f"memory-bank/{name}": text for name, text in FILES.items()}
    for name, text in inside.items():
        put(root, name, text)
        put(folder / "outside", name, f"{text}\n{SECRET}\n")
    put(folder / "outside", ".memdown/undo/1.step", SECRET)
    (root / ".memdown").mkdir()
    return root


@contextlib.contextmanager
def _swapping(root: Path, home: str) -> Iterator[None]:
    """A process that makes a folder a link and a folder again, all the time."""
    outside = root.parent / "outside" / home
    command = [sys.executable, "-c", SWAP, str(root / home), str(outside)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        try:
            yield
        finally:
            process.kill()
    for name in (f"{home}-link", f"{home}-aside"):
        if (root / home).is_symlink() and (root / name).is_dir() and not (root / name).is_symlink():
            (root / home).unlink()
            (root / name).rename(root / home)


def _outside(root: Path) -> dict[str, bytes]:
    folder = root.parent / "outside"
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def names(run: Run, dice: random.Random) -> Outcome:
    """Every command with every name that reaches outside: nothing is read there, nothing written."""
    root = _project(run.work / "names")
    (root / "link").symlink_to(root.parent, target_is_directory=True)
    put(root.parent, "secret.md", SECRET)
    put(root.parent, "project-2/secret.md", SECRET)
    (root / "secret-link.md").symlink_to(root.parent / "secret.md")
    os.chdir(root)
    tries = [*itertools.product(COMMANDS, REACHING)]
    tries = dice.sample(tries, round(run.share * len(tries)) or 250)
    failures = []
    before = everything(root.parent)
    kept = {name: text for name, text in before.items() if not name.startswith("project/")}
    for command, name in tries:
        args = COMMANDS[command](name)
        ended = call(args)
        after = {each: text for each, text in everything(root.parent).items() if not each.startswith("project/")}
        failures += _judged(f"memdown {args!r}", ended, after != kept)
    return Outcome("names that reach outside, in every command", len(tries), "calls", failures)


def _judged(what: str, ended: Ended, changed: bool) -> list[str]:
    found = []
    if SECRET in ended.said:
        found.append(f"{what} read outside the root")
    if changed:
        found.append(f"{what} wrote outside the root")
    if ended.code == -1:
        found.append(f"{what} ended with {ended.said.strip()[-200:]!r}")
    return found


def swapped(run: Run, dice: random.Random) -> Outcome:
    """Commands with names that are fine, while the folder they name becomes a link and back."""
    failures, tried = dict[str, None](), 0
    known = (ID, f"memories/{ID}.md", ".squad/decisions.md", "memory-bank/progress.md", "progress.md", "Search")
    more = [
        ("list",),
        ("search", "pool"),
        ("check", "--fix"),
        ("archive",),
        ("slim",),
        ("source",),
        ("undo",),
        ("export",),
        ("index",),
        ("read",),
    ]
    more += [("bank", "add-item", "x"), ("capture", "--content", "Two lines\nof a message."), ("status",), ("context",)]
    every = [COMMANDS[command](name) for command, name in itertools.product(COMMANDS, known)] + more * 6
    for number, home in enumerate(HOMES):
        root = _project(run.work / f"swap{number}")
        os.chdir(root)
        put(root, "memdown.toml", "lock-timeout = 1\n")
        before = _outside(root)
        with _swapping(root, home):
            until = time.monotonic() + (60 * run.share or 2)
            while time.monotonic() < until or tried % 40:
                args = dice.choice(every)
                tried += 1
                ended = call(args, "text\n")
                for each in _judged(f"memdown {args!r} with {home} swapped", ended, _outside(root) != before):
                    failures[each] = None
                if _outside(root) != before:
                    shutil.rmtree(root.parent / "outside")
                    for name, data in before.items():
                        put(Path("/"), name, data.decode())
    os.chdir(run.work)
    return Outcome("folders that become links meanwhile", tried, "calls", [*failures])


def tools(run: Run, dice: random.Random) -> Outcome:
    """The same through the server."""
    root = _project(run.work / "tools")
    failures, tried = dict[str, None](), 0
    before = _outside(root)
    with _served(root) as client, _swapping(root, "memory-bank"):
        until = time.monotonic() + (120 * run.share or 2.5)
        while time.monotonic() < until or tried < 30:
            name, given = dice.choice([*TOOLS.items()])
            given = dict(given)
            for key in ("fileName", "file"):
                if key in given:
                    given[key] = dice.choice(("progress.md", "activeContext.md", dice.choice(MCP_NAMES)))
            tried += 1
            answer = json.dumps(client.call(name, **given, projectPath=str(root)), ensure_ascii=False)
            for each in _judged(f"tools/call {name} {given!r}", Ended(0, answer), _outside(root) != before):
                failures[each] = None
    return Outcome("tools of the server, with links", tried, "calls", [*failures])


@contextlib.contextmanager
def _served(root: Path) -> Iterator[Client]:
    with server(root, banks=root.parent / "banks") as client:
        client.initialize()
        yield client


# Text that steers a terminal


def leaves(
    command: click.Command = cli, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command of the command line."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from leaves(inner, (*words, name))
    else:
        yield words, command


def showings() -> Iterator[tuple[str, ...]]:
    """Every command with what it may be asked for, in each of its formats."""
    for words, command in leaves():
        if words[0] in ALONE:
            continue
        wanted = [each for each in command.params if isinstance(each, click.Argument) and each.required]
        subjects = [("Pool",), (ID,), ("notes.md",)] if wanted else [(), ("Pool",)]
        formats = [(), ("--json",), ("--dry-run",), ("--help",)]
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.Choice):
                formats += [(option.opts[0], str(each)) for each in option.type.choices]
        known = {name for option in command.params for name in option.opts}
        for subject, form in itertools.product(subjects, formats):
            if not form or form[0] in known or form[0] == "--help":
                yield (*words, *subject * max(len(wanted), 1), *form)


def rows() -> Iterator[tuple[str, ...]]:
    """What the tests call each command with, so that it shows the texts of a project."""
    known = {" ".join(words): command for words, command in leaves()}
    for name, given in test_steering.ROWS.items():
        forms = ("", " --json") if any("--json" in each.opts for each in known[name].params) else ("",)
        for row, form in itertools.product(given, forms):
            if name.split()[0] not in ALONE and not row.startswith("!"):
                yield (*name.split(), *shlex.split(row + form))


def _steering(root: Path) -> None:
    """A project whose every text, many names, a commit, its author and a branch steer a terminal."""
    for name, text in test_steering.FILES.items():
        put(root, name, text)
    put(root, "notes.md", f"# Pool {STEERING}\n")
    put(root, f"memory/projects/my-api/{STEERING}.md", f"# Notes\n\n## Pool {STEERING}\n\nPool {STEERING}\n")
    for folder in ("src", "memory-bank", "memories", "memory/projects/shop", ".cursor/rules"):
        for kind in ("py", "md", "mdc"):
            put(root, f"{folder}/{ENDS}.{kind}", f"# Pool {STEERING}\n")
    who = ["-c", f"user.name=Ann {STEERING}{ENDS}", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    branch = "".join(char for char in STEERING + ENDS if char > " " and char not in "\x7f~^:?*[\\")
    for words in (
        ["init", "-q", "--template="],
        ["checkout", "-q", "-b", f"x{branch}"],
        ["add", "-A"],
        ["commit", "-qm", f"Pool {STEERING}{ENDS}"],
    ):
        subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True)
    put(root, "memory-bank/progress.md", test_steering.FILES["memory-bank/progress.md"].replace("Pool", "Pool two"))


SHOW = """
import json, os, sys, signal
from memdown.surfaces.cli import run
def stop(*_): raise TimeoutError
signal.signal(signal.SIGALRM, stop)
for number, args in enumerate(json.load(open(sys.argv[1]))):
    print("@@@", number, flush=True)
    signal.alarm(60)
    try: run(args)
    except BaseException as error: print("@@!", type(error).__name__, flush=True)
    sys.stdout.flush(); sys.stderr.flush()
signal.alarm(0)
"""


def terminal(run: Run, dice: random.Random) -> Outcome:
    """Every command on a terminal, in a project whose every text steers one."""
    if sys.platform == "win32":
        return Outcome("text that steers a terminal", 0, "showings", [], "no pseudo-terminal here")
    from test_terminal import on_terminal  # noqa: PLC0415 - cannot be imported where there are none

    root = run.work / "terminal"
    _steering(root)
    sure, others = [*rows()], [*showings()]
    tries = dice.sample(sure, round(run.share * len(sure)) or 40)
    tries += dice.sample(others, round(run.share * len(others)) or 30)
    put(run.work, "tries.json", json.dumps(tries))
    ends = b"\x04" * 1000  # the end of input, for each that asks for some
    shown = on_terminal(
        ["-c", SHOW, str(run.work / "tries.json")], root, ends, NO_COLOR="1", EDITOR="true", PAGER="cat"
    )
    failures = []
    pieces = shown.split("@@@ ")[1:]
    for args, piece in zip(tries, pieces, strict=False):
        piece = piece.replace(PROGRESS, "")
        raw = [ascii(char) for char in RAW if char in piece]
        if raw:
            failures.append(f"memdown {args!r} shows {', '.join(raw)} as they are")
        if re.search(rf"^{FORGED}", piece, re.M):
            failures.append(f"memdown {args!r} shows a line that a name or an author made up: {piece[-300:]!r}")
        if "@@! " in piece or "Traceback" in piece:
            failures.append(f"memdown {args!r} ended with {piece.strip()[-200:]!r}")
    if len(pieces) != len(tries):
        failures.append(f"memdown {tries[len(pieces) - 1]!r} ended the run: {shown[-300:]!r}")
    return Outcome("text that steers a terminal, in every command", len(tries), "showings", failures)


# Clients that say nothing, or little


def clients(run: Run, _: random.Random) -> Outcome:
    """Connections without a token that stay silent, send a header byte by byte, or stop in the middle of a body."""
    if find_spec("mcp") is None:
        return Outcome("slow and silent HTTP clients", 0, "connections", [], "the extra mcp is not installed")
    count = 900 if run.long else 420
    root = run.work / "web"
    put(root, "memory-bank/progress.md", FILES["progress.md"])
    failures, lines = [], list[socket.socket]()
    starts = (b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: ", b"\0" * 10)
    with http_server(root) as http:
        try:
            for number in range(count):
                with contextlib.suppress(OSError):
                    lines.append(socket.create_connection(("127.0.0.1", http.port), 5))
                    lines[-1].sendall(starts[number % len(starts)])
            head = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
            for _number in range(20):
                with contextlib.suppress(OSError):
                    lines.append(socket.create_connection(("127.0.0.1", http.port), 5))
                    lines[-1].sendall(f"{head}Content-Length: 99\r\n\r\n{{".encode())
            since = time.monotonic()
            told = _answered(lambda: Web(http).value("list_projects"), 25)
            took = time.monotonic() - since
            if told:
                failures.append(f"with {count} silent connections a client with the token got {told}")
        finally:
            for line in lines:
                line.close()
    return Outcome(
        "slow and silent HTTP clients", count, "connections", failures, f"a client is served in {took:.1f} s"
    )


def _answered(ask: Callable[[], object], seconds: float) -> str:
    """What kept a client from its answer; empty when it came in time."""
    until, told = time.monotonic() + seconds, ""
    while time.monotonic() < until:
        before = socket.getdefaulttimeout()
        try:
            ask()
        except (OSError, AssertionError) as error:
            told = f"{type(error).__name__}: {error}"
            time.sleep(0.2)
        else:
            return ""
        finally:
            socket.setdefaulttimeout(before)
    return told or "no answer"


# Credentials


def credentials(run: Run, dice: random.Random, *, only: str = "") -> Outcome:
    """Kinds of credentials through calls of every command that writes: none is in a file afterwards."""
    projects = {dialect: Project(run.work / "gate" / dialect) for dialect in SETUP}
    for dialect, project in projects.items():
        project.root.mkdir(parents=True)
        for words in SETUP[dialect]:
            project.run(*words)
    put(projects["cards"].root, f"memories/{ID}.md", CARD)
    tries = [*itertools.product([*CALLS, "capture"], [kind for kind in CREDENTIALS if only in kind])]
    tries = dice.sample(tries, round(run.share * len(tries)) or min(80, len(tries)))
    failures = []
    for name, kind in tries:
        text, secret = CREDENTIALS[kind]
        if name == "capture":
            project, given, stdin = projects["cards"], ["capture"], f"A finding of the review:\n{text}\n"
        else:
            base, args = CALLS[name]
            project, (given, stdin) = projects[base.dialect], filled(base, args, text)
        project.run(*given, stdin=stdin)
        if project.holds(secret):
            failures.append(f"{name}: {kind} is in {project.holds(secret)[0]}: memdown {given!r} < {stdin!r}")
    return Outcome("credentials, in every command that writes", len(tries), "calls", failures)


ATTACKS = (names, swapped, tools, terminal, clients, credentials, hostile.files)


def prove(run: Run) -> Iterator[Outcome]:
    here = Path.cwd()
    os.environ["MEMDOWN_NOW"] = "2026-02-01T12:00:00Z"
    for attack in ATTACKS:
        if sys.platform == "win32" and attack in (names, swapped, tools):
            continue  # links there need rights that nobody has
        yield attack(run, random.Random(f"{run.seed} {attack.__name__}"))
        os.chdir(here)
