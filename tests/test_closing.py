"""Whoever opens something closes it, on every way out.

On Python 3.13 a database that is left to the garbage collector is a warning; before that it is silent. So connections
are counted here: one is closed when `close` was called on it, and not when the collector, or the net below `Memory` for
those who forget, came to its help.
"""

import ast
import gc
import io
import itertools
import json
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conftest import Ran
from mcp_client import WHO
from memdown import Memory
from memdown.errors import Invalid
from memdown.index import sync
from memdown.store.tree import Tree
from memdown.surfaces import hooks, listening, quick
from memdown.surfaces.cli import COMMANDS
from memdown.surfaces.mcp import loop, session
from memdown.surfaces.mcp.wire import Pipes
from samples import CARD, ID, put
from test_as_of import commit, git
from test_sem_archive import canonical, legacy

pytestmark = pytest.mark.usefixtures("impatient")
Cli = Callable[..., Ran]
SOURCE = Path(__file__).parents[1] / "src" / "memdown"
SAID = {"type": "assistant", "message": {"id": "m", "content": "The pool is\nof size 10, as five were too few."}}
EVENT = {"prompt": "the pool size", "session_id": "s", "transcript_path": "talk.jsonl"}

NO_HUB = "host=127.0.0.1 port=1 user=x dbname=x connect_timeout=2"
"""Where no PostgreSQL is."""
CALLS: dict[str, list[tuple[str, ...]]] = {
    "add": [("add", "card", "New", "-k", "new", "--content", "A new memory, long enough.")],
    "archive": [("archive", "--keep", "0", "--older-than", "30")],
    "backup": [("backup", "../copy.zip")],
    "bank": [("bank", "focus", "Another")],
    "blame": [("blame", ID), ("blame", "none")],
    "budget": [("budget",)],
    "capture": [("capture", "We keep the pool at ten,\nsince five were too few.")],
    "card": [("card", "verify"), ("card", "dedupe")],
    "changes": [("changes",), ("changes", "HEAD..HEAD")],
    "check": [("check",), ("check", "--diff")],
    "completion": [("completion", "bash")],
    "context": [("context", "the pool"), ("context", "the pool", "--json")],
    "convert": [("convert", ".squad/decisions.md", "--diff")],
    "cost": [("cost",)],
    "delete": [("delete", ID)],
    "demo": [("demo",)],
    "diff": [("diff",), ("diff", "HEAD", "HEAD"), ("diff", "none")],
    "diff-driver": [("diff-driver", "memories/a.md")],
    "doctor": [("doctor",), ("doctor", "--fix")],
    "edit": [("edit", ID, "--title", "Another")],
    "end": [("end", "--summary", "Done")],
    "error": [("error", "Timeout", "--cause", "A full pool", "--fix", "A larger one")],
    "explain": [("explain", "CRD034")],
    "export": [("export",)],
    "for": [("for", "src/db.py"), ("for", "../elsewhere")],
    "graph": [("graph",), ("graph", "--around", ID)],
    "health": [("health",)],
    "help": [("help",), ("help", "all")],
    "hook": [("hook", event) for event in hooks.EVENTS],
    "hub": [("hub", "status", NO_HUB)],
    "import": [("import", "bundle.json")],
    "inbox": [("inbox", "merge")],
    "index": [("index",), ("index", "--rebuild")],
    "init": [("init",)],
    "install": [("install",), ("install", "claude", "--dry-run")],
    "layer": [("layer", "list")],
    "list": [("list",), ("list", "pool", "--as-of", "HEAD"), ("list", "colour:red")],
    "log": [("log",), ("log", ID), ("log", "none")],
    "mcp": [("mcp", "--auto-approve", "read")],
    "merge-driver": [("merge-driver", "a.md", "b.md", "c.md", "7", "memories/a.md")],
    "mode": [("mode", "fix the login")],
    "open": [("open", ID)],
    "projects": [("projects",)],
    "prompt": [("prompt",)],
    "pull": [("pull", NO_HUB)],
    "push": [("push", NO_HUB)],
    "read": [("read", "memories")],
    "regenerate": [("regenerate", "--diff")],
    "review": [("review",), ("review", "--json")],
    "resolve": [("resolve",)],
    "restore": [("restore", "backup.zip"), ("restore", "bundle.json")],
    "rules": [("rules",)],
    "search": [("search", "pool"), ("search", "pool", "--as-of", "HEAD"), ("search", "pool", "--semantic")],
    "session": [("session", "start", "--focus", "The pool")],
    "show": [("show", ID), ("show", ID, "--as-of", "HEAD"), ("show", "none", "--as-of", "HEAD")],
    "skill": [("skill",)],
    "sql": [("sql", "select count(*) from record"), ("sql", "--tables"), ("sql", "select nothing"), ("sql", "drop")],
    "propose": [("propose", ID, "--to", "none")],
    "source": [("source",)],
    "slim": [("slim", "--to", "0")],
    "start": [("start",)],
    "stats": [("stats",)],
    "status": [("status",)],
    "switch": [("switch", "none")],
    "sync": [("sync", NO_HUB)],
    "task": [("task", "list")],
    "timeline": [("timeline",), ("timeline", "--as-of", "2030-01-01")],
    "redo": [("redo",)],
    "stale": [("stale",)],
    "undo": [("undo",), ("undo", "--list")],
    "undocumented": [("undocumented",)],
    "update": [("update",)],
    "validate": [("validate",)],
    "verify": [("verify",), ("verify", "--since", "HEAD"), ("verify", "none")],
    "serve": [("serve", "--hub", "nonsense=1")],
    "web": [("web", "--export", "../page")],
    "who": [("who", "pool", "--hub", NO_HUB)],
}
"""Every command, some in several ways, and some that fail."""
ASKING = [
    call
    for name in ("search", "list", "show", "sql", "context", "for", "graph", "index", "timeline", "hook")
    for call in CALLS[name]
]
"""Those that a database answers."""


class Watched(sqlite3.Connection):
    """A connection that knows whether it was closed, and that can fail."""

    watch: "Watch"

    def __init__(self, *args: Any, **how: Any) -> None:
        super().__init__(*args, **how)
        self.place = str(args[0])
        self.is_open = True
        self.watch.made.append(self)

    def close(self) -> None:
        super().close()
        self.is_open = False

    def execute(self, *args: Any) -> sqlite3.Cursor:
        self.watch.count()
        return super().execute(*args)

    def executemany(self, *args: Any) -> sqlite3.Cursor:
        self.watch.count()
        return super().executemany(*args)


class Watch:
    """Every connection made while it watches."""

    def __init__(self) -> None:
        self.made: list[Watched] = []
        self.statements = 0
        self.failing: tuple[int, Exception] | None = None
        """The statement that fails, and how."""

    def count(self) -> None:
        number = self.statements
        self.statements += 1
        if self.failing is not None and number == self.failing[0]:
            raise self.failing[1]

    def left_open(self) -> list[str]:
        """What nobody closed; it is closed then, for the next to start over."""
        found = [each for each in self.made if each.is_open]
        for each in found:
            each.close()
        self.made.clear()
        self.statements = 0
        return [each.place for each in found]


class Called:
    """In place of the net below `Memory`: closes when it is told to, and never by itself."""

    def __init__(self, _: object, close: Callable[[], None]) -> None:
        self._close = close

    def __call__(self) -> None:
        self._close()


@pytest.fixture(scope="module", autouse=True)
def unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    watched = Watch()
    monkeypatch.setattr(Watched, "watch", watched, raising=False)
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))
    monkeypatch.setattr(import_module("memdown.index.handle"), "finalize", Called)
    gc.collect()
    gc.freeze()  # what is here already is not looked through again at each collection
    yield watched
    watched.left_open()


def open_files() -> list[str]:
    """What this process has open, but for the listing itself, and for what earlier tests only forgot."""
    gc.collect()
    found = []
    for number in Path("/proc/self/fd").iterdir() if sys.platform == "linux" else ():
        with suppress(OSError):  # the listing itself
            found.append(str(number.readlink()))
    return sorted(found)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the first test leaves a copy of the project for those that follow."""
    return tmp_path_factory.mktemp("template") / "project"


@pytest.fixture
def project(cli: Cli, monkeypatch: pytest.MonkeyPatch, template: Path) -> Cli:
    """Some of every dialect, in a repository with a commit."""
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setenv("VISUAL", "true")
    monkeypatch.setenv("MEMORY_BANK_ROOT", str(Path.cwd().parent / "banks"))
    root = Path.cwd()
    if template.is_dir():
        shutil.copytree(template, root, dirs_exist_ok=True, symlinks=True)
        return cli
    put(root, "memdown.toml", "[hooks]\nprompt-tokens = 500\n")
    put(root, f"memories/{ID}.md", CARD)
    put(root, "memory-bank/activeContext.md", "# Active Context\n\n## Current Focus\n\nThe pool.\n")
    put(root, "memory-bank/progress.md", "# Progress\n\n## Completed\n\n- [x] The pool\n")
    put(root, ".squad/decisions.md", "# Decisions\n\n" + canonical("Old", "2025-01-01") + legacy("Older", "2025-01-02"))
    put(root, ".squad/decisions/inbox/ann-new.md", canonical("New", "2026-01-20"))
    put(root, "memory/projects/my-api/project_profile.md", "# My API\n\nA pool.\n")
    put(root, "talk.jsonl", json.dumps(SAID) + "\n")
    git("init", "--quiet")
    commit("2026-01-10T12:00:00Z")
    exported = cli("export", "--out", "bundle.json")
    assert exported.code == 0, exported
    assert cli("backup", "backup.zip").code == 0
    shutil.copytree(root, template, symlinks=True)
    return cli


def given(call: tuple[str, ...]) -> str:
    return json.dumps(EVENT | {"cwd": str(Path.cwd())}) if call[0] == "hook" else ""


# The command line, hooks, and the quick search


def test_every_command_is_called_here() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("name", CALLS)
def test_a_command_closes_what_it_opened(project: Cli, watch: Watch, name: str) -> None:
    for call in CALLS[name]:
        for _ in ("without an index", "with one")[: 1 if name == "demo" else 2]:  # it has a project of its own
            before = open_files()
            ran = project(*call, stdin=given(call))
            assert not ran.err.startswith(("memdown: Missing", "memdown: No such option", "Usage")), ran
            assert (watch.left_open(), open_files()) == ([], before), call


@pytest.mark.parametrize("call", ASKING, ids=" ".join)
def test_whichever_statement_fails_all_is_closed(project: Cli, watch: Watch, call: tuple[str, ...]) -> None:
    project(*call, stdin=given(call))  # makes the index
    watch.left_open()
    project(*call, stdin=given(call))
    total = watch.statements
    watch.left_open()
    for number, error in zip(spread(total, 6), itertools.cycle((sqlite3.DatabaseError, RuntimeError)), strict=False):
        before = open_files()
        watch.failing = (number, error("it fails here"))
        with suppress(sqlite3.Error, RuntimeError):  # how it is told is tested elsewhere
            project(*call, stdin=given(call))
        watch.failing = None
        assert (watch.left_open(), open_files()) == ([], before), f"statement {number} of {total}"


@pytest.mark.parametrize("error", [sqlite3.DatabaseError, RuntimeError, KeyboardInterrupt], ids=lambda it: it.__name__)
def test_whichever_statement_fails_while_the_index_is_made(project: Cli, watch: Watch, error: type[Exception]) -> None:
    def made() -> None:
        for path in Path(".memdown").glob("index.db*"):
            path.unlink()
        project("index")

    made()
    total = watch.statements
    watch.left_open()
    for number in spread(total, 16):
        watch.failing = (number, error("it fails here"))
        with suppress(sqlite3.Error, RuntimeError, KeyboardInterrupt):
            made()
        watch.failing = None
        assert watch.left_open() == [], f"statement {number} of {total}"


def spread(total: int, most: int) -> Iterable[int]:
    """Numbers below a total: all, or as many as there is time for, the first and the last among them."""
    return sorted({*range(min(total, most // 2)), *range(0, total, max(1, total // most)), max(total - 1, 0)})


@pytest.mark.parametrize("failing", [None, 0, 2, 5, 9])
def test_the_quick_search_closes_the_index(
    project: Cli, watch: Watch, monkeypatch: pytest.MonkeyPatch, failing: int | None
) -> None:
    monkeypatch.delenv("MEMDOWN_NOW")
    project("index")
    watch.left_open()
    for words in (["pool"], ["after:never"]):
        watch.failing = None if failing is None else (failing, sqlite3.OperationalError("it fails here"))
        done = quick.search_at_once(words)
        gc.enable()
        watch.failing = None
        assert done is (words == ["pool"]) or failing is not None
        assert watch.made
        assert watch.left_open() == []


@pytest.mark.parametrize("text", [b"no database\n" * 500, b""])
@pytest.mark.parametrize("name", ["index.db", "hooks.db"])
def test_a_file_that_is_no_database_is_closed_and_replaced(project: Cli, watch: Watch, name: str, text: bytes) -> None:
    for call in (("search", "pool"), ("sql", "--tables"), ("hook", "UserPromptSubmit")):
        Path(".memdown", name).write_bytes(text)
        before = open_files()
        assert project(*call, stdin=given(call)).code == 0
        assert (watch.left_open(), open_files()) == ([], before), call


# The Model Context Protocol


def asked(id: int, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def conversation() -> list[dict[str, object]]:
    """A client that comes, asks and goes."""
    others = str(Path.cwd().parent / "other")
    calls: list[tuple[str, dict[str, object]]] = [
        ("search", {"words": "pool"}),
        ("search", {"words": "pool", "projectPath": others}),
        ("context", {"task": "the pool"}),
        ("search", {"words": "colour:red"}),
        ("none", {}),
    ]
    return [
        asked(1, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=WHO),
        *(
            asked(number, "tools/call", name=name, arguments=arguments)
            for number, (name, arguments) in enumerate(calls, 2)
        ),
        asked(20, "resources/list"),
    ]


def spoken(messages: Iterable[object]) -> list[Any]:
    """What the server answers, in this process."""
    said = "".join(f"{json.dumps(message)}\n" for message in messages)
    written = io.BytesIO()
    loop.Loop(Pipes(io.BufferedReader(io.BytesIO(said.encode())), io.BufferedWriter(written)), str(Path.cwd())).run()
    return [json.loads(line) for line in written.getvalue().splitlines()]


@pytest.mark.parametrize("kept", [1, 8])
def test_a_server_closes_what_it_kept_open(
    project: Cli, watch: Watch, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    del project
    monkeypatch.setattr(session, "_KEPT", kept)
    put(Path.cwd().parent / "other", f"memories/{ID}.md", CARD)
    before = open_files()
    answers = {answer["id"]: answer for answer in spoken(conversation())}
    assert "10 connections" in json.dumps(answers[2])
    assert watch.made
    assert (watch.left_open(), open_files()) == ([], before)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_met_a_fault_closes_what_it_had(
    project: Cli, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    project("index")
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    for number in range(0, 60, 7):
        watch.left_open()
        watch.failing = (number, RuntimeError("it fails here"))
        spoken(conversation())
        assert watch.left_open() == [], f"statement {number}"


def test_a_changed_configuration_closes_the_memory_that_had_the_old_one(project: Cli, watch: Watch) -> None:
    del project
    served = session.McpSession(str(Path.cwd()), None)
    served.memory().find(["pool"])
    put(Path.cwd(), "memdown.toml", "[context]\nbudget = 100\n")
    served.memory().find(["pool"])
    assert [each.is_open for each in watch.made].count(True) == 1
    served.close()
    assert watch.left_open() == []


def test_a_port_that_is_taken_leaves_no_socket() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        before = open_files()
        with pytest.raises(Invalid):
            listening.listen(*taken.getsockname())
        gc.collect()
        assert open_files() == before


# As processes of their own, with every warning an error


@pytest.mark.parametrize(
    "call",
    [("search", "pool"), ("search", "pool", "-q"), ("sql", "--tables"), ("hook", "UserPromptSubmit"), ("mcp",)],
    ids=" ".join,
)
def test_python_has_nothing_to_warn_of(project: Cli, call: tuple[str, ...]) -> None:
    project("index")
    said = "".join(f"{json.dumps(message)}\n" for message in conversation()) if call == ("mcp",) else given(call)
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-m", "memdown", *call]
    done = subprocess.run(command, input=said, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert (done.returncode, "ResourceWarning" in done.stderr) == (0, False), done.stderr


# The library


def test_a_memory_is_closed_at_the_end_of_its_block(project: Cli, watch: Watch) -> None:
    del project
    with Memory.open(Path.cwd()) as memory:
        assert memory.search("pool").hits
        assert [each.is_open for each in watch.made].count(True) == 1
        with memory.as_of("HEAD") as then:
            assert then.get(ID).title == "Pool size is 10"
            assert [each.is_open for each in watch.made].count(True) == 2
        assert [each.is_open for each in watch.made].count(True) == 1
    assert watch.left_open() == []


def test_a_closed_memory_answers_again(project: Cli, watch: Watch) -> None:
    del project
    memory = Memory.open(Path.cwd())
    memory.close()
    assert memory.find(["pool"])
    memory.close()
    memory.close()
    assert memory.find(["pool"])
    memory.close()
    assert watch.left_open() == []


def test_an_index_made_anew_closes_the_one_before(project: Cli, watch: Watch) -> None:
    del project
    with Memory.open(Path.cwd()) as memory:
        for _ in range(3):
            assert memory.find(["pool"])
            for path in Path(".memdown").glob("index.db*"):
                path.unlink()
        assert [each.is_open for each in watch.made].count(True) == 1


def test_what_fails_on_the_way_closes_the_index_and_the_next_question_is_answered(project: Cli, watch: Watch) -> None:
    del project

    def stops(names: Iterable[str], _: str) -> Iterator[str]:
        yield from list(names)[:1]
        raise InterruptedError

    with Memory.open(Path.cwd()) as memory:
        memory.index()
        ordinary, memory.progress = memory.progress, stops
        for ask in (lambda: memory.index(rebuild=True), lambda: memory.search("pool", as_of="HEAD")):
            with pytest.raises(InterruptedError):
                ask()
        assert not any(each.is_open for each in watch.made if each.place == ":memory:")
        memory.progress = ordinary
        assert memory.search("pool").hits
        assert memory.search("pool", as_of="HEAD").hits
    assert watch.left_open() == []


FORGETFUL = """
import gc
from memdown import Memory

memory = Memory.open()
assert memory.search("pool").hits and memory.as_of("HEAD").get({id!r})
del memory
around = Memory.open()
around.itself = around
assert around.find(["pool"])
del around
gc.collect()
last = Memory.open()  # until the end of the process
then = last.as_of("HEAD")
assert last.find(["pool"]) and then.get({id!r})
"""


def test_who_forgets_to_close_is_not_warned(project: Cli) -> None:
    del project
    command = [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", FORGETFUL.format(id=ID)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what is open")
def test_a_forgotten_memory_lets_go_of_its_file(project: Cli) -> None:
    del project
    memory = Memory.open(Path.cwd())
    assert memory.find(["pool"])
    assert any(".memdown" in name for name in open_files())
    del memory
    gc.collect()
    assert not any(".memdown" in name for name in open_files())


def test_an_index_that_cannot_be_brought_up_to_date_is_closed(project: Cli, watch: Watch) -> None:
    project("index")
    put(Path.cwd(), "memdown.toml", "[[[\n")
    watch.left_open()
    with pytest.raises(Exception, match="memdown"):
        sync.refresh(str(Path.cwd()))
    assert watch.made
    assert watch.left_open() == []


# Files


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc what is open")
def test_a_folder_where_a_file_is_expected_is_not_left_open(tmp_path: Path) -> None:
    put(tmp_path, "AGENTS.md/inner", "")
    before = open_files()
    assert Tree(tmp_path, ()).text("AGENTS.md") is None
    assert open_files() == before


HANDED_OVER = {
    *("surfaces/mcp/wire.py of_process", "index/sqlite.py in_memory", "store/disk.py open", "store/locks.py _opened"),
    *("store/handles.py _entered", "store/handles.py open_folder", "store/state.py __enter__"),
    *("__main__.py _open_what_is_closed", "git/__init__.py conversation", "evidence/symbols/worker.py _started"),
    "evidence/shares.py __init__",
}
"""Functions that give what they open to the object or the caller that closes it."""
BY_WITH = ("open", "os.fdopen", "os.scandir", "subprocess.Popen", "tempfile.TemporaryFile")
BY_TRY = ("sqlite3.connect", "socket.socket", "os.open")
OPENING = re.compile("|".join(rf"(?<![\w.]){re.escape(each)}\(" for each in (*BY_WITH, *BY_TRY)))


def test_what_is_opened_is_closed_where_it_is_opened() -> None:
    """In a `with` statement, or in a function that closes in a `finally`, an `except` or `on_failure`."""
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        for function in ast.walk(ast.parse(text)) if OPENING.search(text) else ():
            if isinstance(function, ast.FunctionDef) and opens_loosely(function):
                found.add(f"{path.relative_to(SOURCE).as_posix()} {function.name}")
    assert found == HANDED_OVER


def opens_loosely(function: ast.FunctionDef) -> bool:
    nodes = list(ast.walk(function))
    inside = {
        inner
        for node in nodes
        if isinstance(node, ast.With)
        for item in node.items
        for inner in ast.walk(item.context_expr)
    }
    called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call) and node not in inside}
    closes = any(
        "close(" in ast.unparse(part)
        for node in nodes
        if isinstance(node, ast.Try)
        for part in (*node.handlers, *node.finalbody)
    ) or any("on_failure" in text and "close" in text for text in (ast.unparse(node) for node in inside))
    return bool(called.intersection(BY_WITH)) or (bool(called.intersection(BY_TRY)) and not closes)
