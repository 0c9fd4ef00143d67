"""What is measured: each row is one piece of work, by memdown, by whoever else can do it, and by the limit."""

import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from suite import corpora, limits
from suite.client import Client
from suite.rivals import Rival
from suite.timing import US, Act, Row, Taken, interleaved, spent

LIMITS = str(Path(__file__).with_name("limits.py"))
BARE = "python -c pass"
STARTS = {
    "--version": (("--version",), 1.7),
    "--help": (("--help",), 4.5),
    "search": (("search", "pool"), 4.5),
    "list": (("list",), 7.0),
    "show": (("show", "Pool"), 7.0),
    "status": (("status",), 7.0),
    "check": (("check",), None),
    "index, nothing changed": (("index",), None),
    "add card": (("add", "card"), 7.0),
}


HELPFUL = {"qmd": "@tobilu/qmd", "basic-memory": "basic-memory", "memsearch": "memsearch"}
"""Rivals with a command line."""
_INDEX_AGAIN = 5_000
"""Notes from which on a full index is made once only."""


class Bench(NamedTuple):
    """How to measure."""

    script: str
    python: str
    work: Path
    rivals: dict[str, Rival]
    rounds: int
    env: Mapping[str, str]
    clock: Callable[[], float] = time.perf_counter

    def turns(
        self, subjects: Mapping[str, Act], rounds: int, *, warm: int = 1, before: Act = lambda: None
    ) -> dict[str, Taken]:
        return interleaved(subjects, rounds, warm=warm, before=before, clock=self.clock)

    def process(self, *command: str, folder: Path, given: str = "") -> Act:
        """A process from its start to its end."""

        def act() -> None:
            done = subprocess.run(
                command, cwd=folder, env=self.env, input=given.encode(), stdout=subprocess.DEVNULL, check=False,
                stderr=subprocess.PIPE,
            )  # fmt: skip
            if done.returncode > 1:
                raise RuntimeError(f"{' '.join(command)}: {done.stderr.decode()[:300]}")

        return act

    def us(self, *words: str, folder: Path, given: str = "") -> Act:
        return self.process(self.script, *words, folder=folder, given=given)

    def limit(self, *words: str, folder: Path) -> Act:
        # Without the site module, as a program that needs nothing installed would start.
        return self.process(self.python, "-I", LIMITS, *words, folder=folder)


def starts(bench: Bench) -> Iterator[Row]:
    """Cold starts in a small project, beside bare Python."""
    folder = bench.work / "small"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    add = ("add", "card", "Pool size is 10", "-k", "pool", "--content", "With 5 connections it timed out.")
    bench.us(*add, folder=folder)()
    bench.us("index", folder=folder)()
    bare = bench.process(bench.python, "-c", "pass", folder=folder)
    for name, (words, goal) in STARTS.items():
        if name == "add card":
            taking = {BARE: bare, US: _added(bench, folder)}
            taken = bench.turns(taking, bench.rounds, before=bench.us("index", folder=folder))
            yield Row(f"cold: {name}", 0, taken, BARE, goal)
            continue
        taking = {BARE: bare, US: bench.us(*words, folder=folder)}
        if name == "--help":
            taking |= {
                title: bench.process(found, "--help", folder=folder)
                for title, package in HELPFUL.items()
                if (found := bench.rivals[package].command)
            }
        yield Row(f"cold: {name}", 0, bench.turns(taking, bench.rounds), BARE, goal)
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        act = bench.us("hook", event, folder=folder, given=_event(folder, event))
        yield Row(f"hook: {event}", 0, bench.turns({BARE: bare, US: act}, bench.rounds), BARE, 3.0)
    servers = {US: [bench.script, "mcp"], **_servers(bench)}
    subjects: dict[str, Act] = {BARE: bare}
    for name, command in servers.items():
        subjects[name] = _started(command, folder, _environment(bench, name))
    started = bench.turns(subjects, bench.rounds)
    yield Row("MCP: start to initialize", 0, started, BARE, 1.8)
    running = [name for name in servers if name in started]
    sizes = {name: _memory(servers[name], folder, _environment(bench, name)) for name in running}
    yield Row("MCP: memory after initialize", 0, sizes, None, unit="MB")


def grown(bench: Bench, notes: int) -> Iterator[Row]:
    """What grows with the number of notes."""
    root = corpora.notes(bench.work / f"notes-{notes}", notes)
    folder, plain = str(root / "memories"), str(bench.work / f"limit-{notes}.db")
    rounds = max(3, bench.rounds // (1 + notes // 5_000))
    full: dict[str, Act] = {
        "read + split + insert": bench.limit("full", folder, plain, folder=root),
        US: bench.us("index", "--rebuild", folder=root),
    }
    full |= _indexing(bench, root)
    times = 1 if notes >= _INDEX_AGAIN else min(rounds, 3)
    yield Row("full index", notes, bench.turns(full, times, warm=0), "read + split + insert", 2.0)
    yield _peaks(bench, root, notes)
    yield _sizes(root, plain, notes)
    words, stat, recall = corpora.WORDS, "stat scan", "stat scan + query"
    searching: dict[str, Act] = {recall: bench.limit("recall", folder, plain, *words, folder=root)}
    searching[US] = bench.us("search", *words, folder=root)
    if command := bench.rivals["ripgrep"].command:
        searching["ripgrep"] = bench.process(command, "-il", "|".join(words), folder, folder=root)
    if command := bench.rivals["@tobilu/qmd"].command:
        searching["qmd"] = bench.process(command, "search", " ".join(words), folder=root)
    yield Row("cold search", notes, bench.turns(searching, rounds), recall)
    looking = bench.limit("stat", folder, folder=root)
    given = _event(root, "UserPromptSubmit")
    asked: dict[str, Act] = {
        recall: searching[recall],
        US: bench.us("hook", "UserPromptSubmit", folder=root, given=given),
    }
    yield Row("hook: UserPromptSubmit", notes, bench.turns(asked, rounds), recall, 1.5)
    updating = {"qmd": bench.process(command, "update", folder=root)} if command else {}
    for name, goal in (("index", None), ("status", 4.0), ("check", 4.0), ("list", None), ("list -n 20", None)):
        own = bench.us(*name.split(), folder=root)
        own()  # what is not known yet is found now
        taken = bench.turns({stat: looking, US: own, **(updating if name == "index" else {})}, rounds)
        yield Row(f"{name}, nothing changed", notes, taken, stat, goal)
    changing: dict[str, Act] = {stat: looking, US: bench.us("index", folder=root), **updating}
    yield Row("index, ten files changed", notes, _after_changes(bench, changing, root, rounds), stat)
    yield Row(
        "context",
        notes,
        bench.turns({recall: searching[recall], US: bench.us("context", *words, folder=root)}, rounds),
        recall,
    )
    yield from _served(bench, root, plain, notes)


def _served(bench: Bench, root: Path, plain: str, notes: int) -> Iterator[Row]:
    """A server that is asked again and again."""
    ours = Client([bench.script, "mcp"], root, bench.env)
    connection = sqlite3.connect(plain)
    subjects: dict[str, Act] = {
        "bare query": lambda: limits.query(connection, list(corpora.WORDS)),
        US: lambda: ours.call("search", words=" ".join(corpora.WORDS)),
    }
    others: list[Client] = []
    if qmd := bench.rivals["@tobilu/qmd"].command:
        others.append(Client([qmd, "mcp"], root, bench.env))
        subjects["qmd"] = _ask_qmd(others[0])

    def clock() -> float:
        asked = sum(each.processor() for each in (ours, *others)) if bench.clock is spent else 0.0
        return bench.clock() + asked

    yield Row("MCP: search, warm", notes, interleaved(subjects, 30, warm=5, clock=clock), "bare query", 2.0)
    number = 0

    def added() -> None:
        nonlocal number
        number += 1
        text = f"What was measured {number} at {time.time_ns()}."
        ours.call("add", kind="card", title=f"Measured {number}", text=text, tags=["bench"])

    scratch = root / "limit"
    scratch.mkdir(exist_ok=True)
    writing: dict[str, Act] = {"fsync + rename + fsync": lambda: limits.write(str(scratch)), US: added}
    for name, (command, tool) in _writers(bench).items():
        writer = Client(command, root, _environment(bench, name))
        others.append(writer)
        writing[name] = _called(writer, tool)
    yield Row("MCP: add a memory", notes, interleaved(writing, 20, warm=3), "fsync + rename + fsync", 3.0)
    for each in (ours, *others):
        each.close()
    shutil.rmtree(scratch)


def merging(bench: Bench) -> Iterator[Row]:
    """Two branches that append to a log, beside `git merge-file`."""
    root = corpora.log(bench.work / "log-1", 1)
    base = (root / ".squad" / "decisions.md").read_text("utf-8")
    folder = bench.work / "merge"
    folder.mkdir(exist_ok=True)
    entry = "### 2027-01-0{0}T10:00:00+0000: decision: Side {0}\n\n**author:** Ann\n\n**summary:** x\n\n---\n"
    for name, text in {"base": base, "ours": base + entry.format(1), "theirs": base + entry.format(2)}.items():
        (folder / f"{name}.md").write_text(text, "utf-8")

    def with_copy(act: Act) -> Act:
        def both() -> None:
            shutil.copy(folder / "ours.md", folder / "now.md")
            act()

        return both

    files = [str(folder / f"{name}.md") for name in ("base", "now", "theirs")]
    git = bench.process("git", "merge-file", "-q", "--union", files[1], files[0], files[2], folder=folder)
    own = bench.us("merge-driver", *files, "7", ".squad/decisions.md", folder=folder)
    taken = bench.turns({"git merge-file": with_copy(git), US: with_copy(own)}, bench.rounds)
    yield Row("merge of a 1 MB log", 0, taken, "git merge-file")


def logs(bench: Bench, megabytes: tuple[int, ...]) -> Iterator[Row]:
    """Large files: read and checked, converted."""
    for size in megabytes:
        root = corpora.log(bench.work / f"log-{size}", size)
        path = str(root / ".squad" / "decisions.md")
        cat = bench.process(bench.python, "-I", "-c", f"open({path!r}, 'rb').read()", folder=root)
        rounds = max(1, min(3, bench.rounds // 5))
        for name, words in {"check": ("check", path), "convert": ("convert", path, "--to", "sem", "--dry-run")}.items():
            taken = bench.turns({"read": cat, US: bench.us(*words, folder=root)}, rounds, warm=0)
            yield Row(f"{name} of a log of {size} MB", 0, taken, "read")


def install_sizes(bench: Bench, package: Path) -> Row:
    """What an installation takes on the disk, with all it depends on."""
    own = sum(each.stat().st_size for each in package.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    sizes = {US: Taken((own / 1e6,))}
    sizes |= {each.name: Taken((each.megabytes,)) for each in bench.rivals.values() if each.command and each.megabytes}
    return Row("install size", 0, sizes, None, unit="MB")


def _sizes(root: Path, plain: str, notes: int) -> Row:
    index = root / ".memdown" / "index.db"
    sizes = {"bare table": Taken((Path(plain).stat().st_size / 1e6,)), US: Taken((index.stat().st_size / 1e6,))}
    return Row("index size", notes, sizes, "bare table", unit="MB")


def _added(bench: Bench, folder: Path) -> Act:
    numbers = itertools.count()

    def act() -> None:
        text = f"What was learnt of thing {next(numbers)}."
        bench.us("add", "card", text, "-k", "other", "--content", text, folder=folder)()

    return act


def _event(folder: Path, event: str) -> str:
    given = {
        "session_id": "bench",
        "cwd": str(folder),
        "hook_event_name": event,
        "prompt": f"what about {' and '.join(corpora.WORDS)}?",
    }
    return json.dumps(given)


def _started(command: list[str], folder: Path, env: Mapping[str, str]) -> Act:
    return lambda: Client(command, folder, env).close()


def _memory(command: list[str], folder: Path, env: Mapping[str, str]) -> Taken:
    client = Client(command, folder, env)
    client.close()
    return Taken((client.kilobytes / 1024,))


def _ask_qmd(client: Client) -> Act:
    asked = [{"type": "lex", "query": " ".join(corpora.WORDS)}]
    return lambda: client.call("query", searches=asked, rerank=False)


def _servers(bench: Bench) -> dict[str, list[str]]:
    wanted = {
        "memory-bank-mcp": ("@allpepper/memory-bank-mcp",),
        "server-memory": ("@modelcontextprotocol/server-memory",),
        "qmd": ("@tobilu/qmd", "mcp"),
        "basic-memory": ("basic-memory", "mcp"),
    }
    return {
        name: [command, *words]
        for name, (package, *words) in wanted.items()
        if (command := bench.rivals[package].command)
    }


def _environment(bench: Bench, name: str) -> Mapping[str, str]:
    place = bench.work / "rivals" / name
    place.mkdir(parents=True, exist_ok=True)
    places = {"MEMORY_BANK_ROOT": str(place), "MEMORY_FILE_PATH": str(place / "memory.json")}
    homes = dict.fromkeys(("HOME", "BASIC_MEMORY_HOME", "BASIC_MEMORY_CONFIG_DIR"), str(place))
    return {**bench.env, **places, **(homes if name == "basic-memory" else {})}


def _writers(bench: Bench) -> dict[str, tuple[list[str], str]]:
    tools = {"memory-bank-mcp": "memory_bank_write", "server-memory": "create_entities"}
    return {name: (command, tools[name]) for name, command in _servers(bench).items() if name in tools}


def _called(client: Client, tool: str) -> Act:
    def act() -> None:
        text = f"What was measured at {time.time_ns()}."
        if tool == "memory_bank_write":
            client.call(tool, projectName="bench", fileName=f"{time.time_ns()}.md", content=text)
        else:
            client.call(tool, entities=[{"name": text, "entityType": "note", "observations": [text]}])

    return act


def _indexing(bench: Bench, root: Path) -> dict[str, Act]:
    qmd = bench.rivals["@tobilu/qmd"].command
    if qmd is None:
        return {}
    add = bench.process(qmd, "collection", "add", str(root / "memories"), "--name", root.name, folder=root)

    def anew() -> None:
        shutil.rmtree(bench.work / "qmd", ignore_errors=True)
        add()

    return {"qmd": anew}


def _peaks(bench: Bench, root: Path, notes: int) -> Row:
    """The most memory that a full index and a first check hold."""
    taken = {}
    for name, words in {US: ("index", "--rebuild"), f"{US} check, first": ("check",)}.items():
        with subprocess.Popen(
            (bench.script, *words), cwd=root, env=bench.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        taken[name] = Taken((used.ru_maxrss / 1024,))
    return Row("peak memory: full index", notes, taken, None, unit="MB")


def _after_changes(bench: Bench, subjects: Mapping[str, Act], root: Path, rounds: int) -> dict[str, Taken]:
    """The same, with ten files changed before each turn."""
    files = sorted((root / "memories").glob("*.md"))[:10]

    def change() -> None:
        for path in files:
            with path.open("a", encoding="utf-8") as file:
                file.write("\nOne more line.\n")

    return bench.turns(subjects, rounds, warm=0, before=change)


def environment() -> dict[str, str]:
    """Without what would make a start slower or slant an answer."""
    dropped = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "MEMDOWN_NOW")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONHASHSEED": "0"}


def interpreter_of(script: str) -> str:
    """The Python that a console script runs on."""
    first = Path(script).read_text("utf-8", "replace").partition("\n")[0]
    return first.removeprefix("#!").strip() if first.startswith("#!/") else sys.executable
