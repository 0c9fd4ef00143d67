"""Files that are not what their names say: pipes, sockets, links to nowhere and folders in every place that is read,
and contents that nobody writes by hand.

Each command must end soon, with a sentence where it cannot go on, and without a traceback.
"""

import contextlib
import importlib
import io
import os
import pkgutil
import random
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import memdown
import test_steering
from memdown.surfaces.cli import run as run_command
from proofs.outcome import Outcome, Run
from samples import put

SECONDS = 120
"""After which a command passes for one that hangs: it is one that waits, not one on a slow machine."""
SETTINGS = """
memdown.toml .memdownignore .gitignore .gitattributes .git/config .git/HEAD .claude/settings.json .mcp.json AGENTS.md
.memdown/index.db .memdown/lock .memdown/undo .memdown/undo/1.step .memdown/layers.draft .memdown/sources package.json
pyproject.toml .cursor/mcp.json .vscode/settings.json memory-bank/.gitignore .squad/decisions/inbox
""".split()
"""What is read beside memory."""
COMMANDS = [
    tuple(each.split())
    for each in """
list; status; check; check --fix; search pool; read; context pool; start; doctor; doctor --fix; index;
index --rebuild; health; stats; export --out x.json; backup ../b.zip --force; undo; undo --list; redo; verify; log;
blame notes.md; diff; changes; slim; archive; validate; layer list; layer staleness; layer search pool; inbox list;
inbox merge; card verify; card dedupe; session list; task list; task add Pool; bank add-item Pool; bank focus Pool;
add decision Pool; add card Pool --keyword x; add note Pool; capture --content Two lines; install claude;
install git; install --check; install cursor; regenerate; graph; timeline; rules; skill; prompt; source list;
source update; resolve; init; for src/db.py; undocumented; budget; cost; convert old.md --to sem; import bundle.json;
show pool; delete pool; end --summary Done; update --focus Pool; explain; restore bundle.json; web --export site;
projects; hub status; merge-driver old.md old.md old.md 7 old.md
""".split(";")
]


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # addresses are short
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.bind(path.name[-90:])
    finally:
        os.chdir(here)


def _text(data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(data)

    return write


def _link(target: str) -> Callable[[Path], None]:
    def link(path: Path) -> None:
        path.symlink_to(target)

    return link


KINDS: dict[str, Callable[[Path], None]] = {
    "a pipe": _pipe,
    "a socket": _socket,
    "a folder": Path.mkdir,
    "a link to nowhere": _link("nowhere/at/all"),
    "a link to itself": _link("."),
    "a link to a device": _link("/dev/zero"),
    "a link to a folder of the system": _link("/proc/self"),
    "an empty file": _text(b""),
    "bytes that are no text": _text(b"\xff\xfe\x00\x80# Pool\n" * 50),
    "NUL": _text(b"# Pool\0\n\n## \0\n- [ ] \0\n" * 20),
    "halves of a character": _text(b"# Pool \xed\xa0\x80\n\n- \xf0\x9f\x98\n"),
    "deep nesting": _text(b"[" * 20_000 + b"\n" + b"> " * 5_000 + b"\n" + b"- " * 5_000 + b"\n" + b"{" * 20_000),
    "deep JSON": _text(b'{"a":' * 20_000),
    "aliases": _text(
        b"---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (each, each, b",".join([b"*%c" % (each - 1)] * 9)) for each in b"bcdefghij")
        + b"title: *j\n---\n\n# Pool\n"
    ),
    "a huge number": _text(b"---\nid: " + b"9" * 6_000 + b"\ndate: " + b"9" * 6_000 + b"\n---\n\n# Pool\n"),
    "a long line": _text(b"# Pool\n\n- [ ] " + b"pool -- " * 60_000 + b"\n"),
    "headings": _text(b"## Pool\n" * 8_000),
    "half of itself": _text(b""),
}


def places() -> list[str]:
    """Every place that something is read from."""
    names = [name for name in test_steering.FILES if name.isascii() and name.isprintable()]
    homes = {"/".join(name.split("/")[:deep]) for name in names for deep in range(1, name.count("/") + 1)}
    return sorted({*names, *homes, *SETTINGS})


def lay(root: Path) -> None:
    for name, text in test_steering.FILES.items():
        if name.isascii() and name.isprintable():
            put(root, name, "".join(char for char in text if char.isprintable() or char == "\n"))


def ended(args: Sequence[str], root: Path) -> str:
    """What is wrong with how a command ended in a fork of this process; empty when nothing is."""
    said = root.parent / "said"
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            signal.alarm(SECONDS)
            os.chdir(root)
            os.environ |= {"HOME": str(root.parent), "GIT_CEILING_DIRECTORIES": str(root.parent), "EDITOR": "true"}
            with said.open("w", encoding="utf-8", errors="backslashreplace") as out:
                sys.stdin = io.TextIOWrapper(io.BytesIO(b""))
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                    try:
                        code = run_command([*args])
                    except BaseException as error:  # noqa: BLE001 - that is what is looked for
                        print(f"Traceback {type(error).__name__}: {error}")
                        code = 98
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    text = said.read_text("utf-8", "replace") if said.exists() else ""
    if code == -signal.SIGALRM:
        return f"did not end in {SECONDS} s"
    if code < 0 or code > 90 or "Traceback" in text:
        return f"ended with {code}: {text.strip()[-300:]!r}"
    if code and not text.strip():
        return f"ended with {code} and without a word"
    return ""


def files(run: Run, dice: random.Random) -> Outcome:
    """Commands in a project where one place has something else than it should."""
    what = "pipes, links, devices and hostile bytes where files are read"
    if sys.platform == "win32":
        return Outcome(what, 0, "calls", [], "no pipes in folders here")
    for module in pkgutil.walk_packages(memdown.__path__, "memdown."):  # forks have it loaded then
        with contextlib.suppress(ImportError):
            importlib.import_module(module.name)
    above = run.work / "hostile"
    template = above / "template"
    lay(template)
    run_in = above / "shop"
    failures, tried = [], 0
    tries = [(place, kind) for place in places() for kind in KINDS]
    for place, kind in dice.sample(tries, round(run.share * len(tries)) or 10):
        shutil.rmtree(run_in, ignore_errors=True)
        shutil.copytree(template, run_in)
        path = run_in / place
        half = path.read_bytes()[: path.stat().st_size // 2] if path.is_file() else b""
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        (_text(half) if kind == "half of itself" else KINDS[kind])(path)
        for args in dice.sample(COMMANDS, 4):
            tried += 1
            if wrong := ended(args, run_in):
                failures.append(f"memdown {args!r} with {kind} at {place}: {wrong}")
    shutil.rmtree(above)
    return Outcome(what, tried, "calls", failures)
