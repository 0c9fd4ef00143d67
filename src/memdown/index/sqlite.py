"""Opening the index: one SQLite file in `.memdown/`, read by many processes while one of them writes.

A hook or a search that starts cold comes through here, so this module imports next to nothing.

SQLite opens files by their paths, and a link may take the place of `.memdown/` meanwhile. So the file is made by a
handle of its folder, nothing is asked before what SQLite opened is found to be that file, and SQLite makes no files
beside it: no write-ahead log, and its journal is in memory. What a journal on disk is for, a mark in the file does:
it says that it is being written, and a file that still says so when nobody writes is made anew.
"""

import errno
import os
import sqlite3
import time
from _thread import allocate_lock

from memdown import VERSION as RELEASE
from memdown.errors import on_failure
from memdown.index.schema import APPLICATION_ID, VERSION, script
from memdown.store.state import entry

NAME = "index.db"
PARTIAL = b"partial"
"""What stands for the state of all files when only some were looked at."""
COMPANIONS = ("-wal", "-shm", "-journal")
BUSY_SECONDS = 10.0
"""How long to wait for another process that writes; readers never wait."""

BUSY = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED))
BARRED = frozenset(
    (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL, sqlite3.SQLITE_AUTH)
)
"""The disk does not let us write, which is not a fault of the index."""

UNWRITTEN = frozenset(
    (
        *(sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC),
        *(sqlite3.SQLITE_IOERR_TRUNCATE, sqlite3.SQLITE_IOERR_DELETE),
    )
)
"""Likewise: what it has not taken says nothing of what it holds."""

DAMAGE = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR))

FOREIGN = "is not an index of memdown"
DAMAGED = "is damaged"
EARLIER = "was made by another version of memdown"

_UNFINISHED = APPLICATION_ID ^ 1
"""The application id while a change is made."""
_STEPS = (0, 0.01, 0.05, 0.2)
"""Seconds for one who lives to get from saying that it changes the file to doing so, or from the end to saying that."""
_GLANCE = 25
"""Milliseconds in which others have looked whether somebody died."""
_PAUSES = (0.0, 0.01, 0.02, 0.05, 0.1)
"""Before each try to open a file, should another thread or a link have come between."""
_REFUSED = frozenset((errno.EACCES, errno.EPERM, errno.EROFS))
"""That will not be another try's answer."""
_opening = allocate_lock()

# Eight megabytes of pages, as much read through the memory map, and temporary tables in memory.
_FILLING = {
    "pragma cache_size = {}": (-65536, -8192),
    "insert into words (words, rank) values ('hashsize', {})": (16 << 20, 1 << 20),
}
"""While the tables are filled: more memory for fewer, larger steps. And what it is again after that."""
_PRAGMAS = (
    *("journal_mode = memory", "cache_spill = off", "synchronous = normal", "cache_size = -8192"),
    "temp_store = memory",
)


def deriving_code(module: str) -> str:
    """The code that a module is of: the release, and in a checkout, which is used between two releases, its commit.

    The log of HEAD grows with each commit that is made or pulled, and to ask for its state is all that this costs.
    """
    package, _, _ = module.replace(os.sep, "/").rpartition("/index/")
    checkout, is_checkout, _ = package.partition("/src/memdown")
    if not is_checkout:
        return RELEASE
    try:
        state = os.stat(f"{checkout}/.git/logs/HEAD")  # noqa: PTH116 - a hook cannot afford pathlib
    except OSError:
        return RELEASE
    return f"{RELEASE} {state.st_size} {state.st_mtime_ns}"


MEMDOWN = deriving_code(__file__)
"""What an index has to be derived by; one of another is made anew."""


class Unusable(Exception):
    """A file stands where the index belongs and cannot be used; the message ends the sentence "the index …"."""


class Index:
    """An open index, closed by whoever opened it. `connection` answers questions; it commits nothing by itself."""

    def __init__(self, connection: sqlite3.Connection, path: str | None, *, outdated: bool) -> None:
        self.connection = connection
        self.path = path
        """None when it is only in memory."""
        self.outdated = outdated
        """Whether it is empty, or another version made it: then its tables are made anew before they are used."""
        self.state = _identity(path) if path else None
        self._closed = False

    @classmethod
    def in_memory(cls) -> "Index":
        """An empty index that no file keeps."""
        return cls(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False), None, outdated=True)

    @classmethod
    def open(cls, path: str, *, make: bool = False) -> "Index | None":
        """The index in a file; None when there is no file, unless it is to be made in its folder.

        Raises `Unusable`, or sqlite3.Error when the disk is the reason.
        """
        before = _identity(path)
        if before is None and not make:
            return None
        # A file that is deleted meanwhile must not be made again as an empty one by somebody who only asks.
        connection = connect(path, "rwc" if make else "rw")
        with on_failure(connection.close):
            try:
                for pragma in _PRAGMAS:
                    connection.execute(f"pragma {pragma}").fetchone()
                index = cls(connection, path, outdated=_is_outdated(connection))
            except sqlite3.DatabaseError as error:
                raise fault(error) from error
        if before is None or index.state == before:
            return index
        # Deleted, or put there anew, while we opened it: then its companions may belong to the other one.
        connection.close()
        return cls.open(path, make=make)

    def clear(self) -> None:
        """Empty tables and no indexes, inside a transaction; whoever reads meanwhile still sees what was."""
        tables = """
select type, name from sqlite_master where type in ('view', 'table') order by type desc, sql like 'create virtual%' desc
"""
        for kind, name in self.connection.execute(tables).fetchall():
            if not name.startswith("sqlite_"):
                quoted = name.replace('"', '""')
                # What belongs to a virtual table went with it.
                self.connection.execute(f'drop {kind} if exists "{quoted}"')
        _run(self.connection, "tables.sql")
        self.connection.execute(f"pragma user_version = {VERSION}")
        self.remember(version=MEMDOWN)
        for setting, value in _FILLING.items():
            self.connection.execute(setting.format(value[0]))

    def add_indexes(self) -> None:
        """Once the tables are filled: that is faster than keeping indexes up row by row."""
        _run(self.connection, "indexes.sql")
        for setting, value in _FILLING.items():
            self.connection.execute(setting.format(value[1]))

    def is_current(self) -> bool:
        """Whether it is open, whole, and still the file that others would open."""
        return not self._closed and self.is_in_place() and not _is_left_unfinished(self.connection)

    def is_in_place(self) -> bool:
        """Whether its file is still the one that others would open."""
        return self.path is None or _identity(self.path) == self.state

    def commits(self) -> int:
        """Another number whenever somebody else has changed the index."""
        return int(self.connection.execute("pragma data_version").fetchone()[0])

    def meta(self) -> dict[str, str | int | bytes]:
        """What the index was made from."""
        return dict(self.connection.execute("select key, value from meta"))

    def noted(self, key: str) -> str | int | bytes | None:
        """One of these."""
        row = self.connection.execute("select value from meta where key = ?", (key,)).fetchone()
        return row[0] if row else None

    def has_scan(self) -> bool:
        """Whether it knows the state of all files, which is long: looked at here without reading it."""
        row = self.connection.execute("select length(value) from meta where key = 'scan'").fetchone()
        return bool(row and row[0])

    def whole_scan(self) -> bytes:
        """The state of all files of memory as it was brought up to date; empty where that does not tell all."""
        scan = self.noted("scan")
        return scan if isinstance(scan, bytes) and scan != PARTIAL and not self.noted("racy") else b""

    def remember(self, **values: str | int | bytes) -> None:
        self.connection.executemany("insert or replace into meta values (?, ?)", values.items())

    def writing(self) -> "Change":
        """All or nothing; others may read what was there before, and cannot write."""
        return Change(self.connection)

    def alone(self) -> "Transaction":
        """Nobody else writes meanwhile, and nothing is written here."""
        return _Turn(self.connection)

    def reading(self) -> "Transaction":
        """Several questions about one state, whatever others write meanwhile."""
        return Transaction(self.connection)

    def close(self) -> None:
        """Close it; again does nothing."""
        self._closed = True
        self.connection.close()

    def discard(self) -> None:
        """Close it and delete its file, unless another has taken its place."""
        self.close()
        if self.path is not None and self.is_in_place():
            remove(self.path)


class Transaction:
    """What is asked in its block is of one state."""

    begin, end = "begin", "rollback"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self._connection.execute(self.begin)
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.execute(self.end)
        if self._connection.in_transaction:  # a full disk ends it by itself
            self._connection.execute("rollback")


class _Turn(Transaction):
    """What is asked in its block is asked while nobody writes."""

    begin = "begin immediate"


class Change(_Turn):
    """What happens in its block happens together; an error takes it back, and who dies in it leaves a mark."""

    end = "commit"

    def __enter__(self) -> sqlite3.Connection:
        while True:
            self._mark(_UNFINISHED)
            super().__enter__()
            if _application(self._connection) == _UNFINISHED:
                return self._connection
            self._connection.execute("rollback")  # another was done just then, and took the mark away

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        super().__exit__(kind, *rest)
        try:
            with _Unwaiting(self._connection, _GLANCE):
                self._mark(APPLICATION_ID)
        except sqlite3.OperationalError:
            pass  # another that writes already takes the mark away; else the next who comes makes the file anew

    def _mark(self, application: int) -> None:
        self._connection.execute(f"pragma application_id = {application}")


class _Unwaiting:
    """In its block, another process that writes is an error at once, or after so many milliseconds."""

    def __init__(self, connection: sqlite3.Connection, patience: int = 0) -> None:
        self._connection = connection
        self._short = patience
        self._patience = connection.execute("pragma busy_timeout").fetchone()[0]

    def __enter__(self) -> None:
        self._connection.execute(f"pragma busy_timeout = {self._short}").fetchone()

    def __exit__(self, *_: object) -> None:
        self._connection.execute(f"pragma busy_timeout = {self._patience}").fetchone()


def connect(path: str, mode: str, *, timeout: float = BUSY_SECONDS) -> sqlite3.Connection:
    """The database in a file of `.memdown/`, which is made with the mode `rwc`; it commits nothing by itself.

    Raises sqlite3.OperationalError when a link is in the way, and `Unusable` when SQLite would make files beside it.
    """
    for pause in _PAUSES:
        if pause:  # to sleep for no time gives the processor away all the same
            time.sleep(pause)
        try:
            with _opening, entry(path) as (name, handle):
                connection = _connected(path, name, handle, mode, timeout)
        except OSError as error:
            reason = error.strerror or str(error)
            if error.errno in _REFUSED and os.name != "nt":  # Windows says the same of a file that another has open
                break
            continue
        if connection is not None:
            return connection
        reason = "a symbolic link took the place of its folder"
    refused = sqlite3.OperationalError(reason.lower())
    refused.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
    raise refused


def _connected(path: str, name: str, handle: int | None, mode: str, timeout: float) -> sqlite3.Connection | None:
    """The database, unless SQLite opened another file than the one that the folder has."""
    if mode == "rwc":
        _make(name, handle)
    seen = os.stat(name, dir_fd=handle, follow_symlinks=False)
    number = -1
    if handle is not None:
        number = os.dup(handle)
        os.close(number)  # the lowest that is free, so what is opened next gets it
    connection = sqlite3.connect(
        uri(path, mode.removesuffix("c")), uri=True, isolation_level=None, timeout=timeout, check_same_thread=False
    )
    with on_failure(connection.close):
        if handle is None:
            return connection
        try:
            opened = os.fstat(number)
        except OSError:
            opened = None
        if opened is not None and (opened.st_dev, opened.st_ino) == (seen.st_dev, seen.st_ino):
            if 2 in os.pread(number, 2, 18):  # by SQLite's descriptor: closing one of our own would free its locks
                raise Unusable(EARLIER)
            return connection
    connection.close()
    return None


def _make(name: str, handle: int | None) -> None:
    try:
        with open(name, "xb", opener=lambda each, flags: os.open(each, flags, 0o666, dir_fd=handle)):
            return
    except FileExistsError:
        return


def remove(path: str) -> None:
    """Delete the file of a database. Its companions go first, should an earlier version have left any."""
    with entry(path) as (name, handle):
        for each in (*(name + ending for ending in COMPANIONS), name):
            try:
                os.unlink(each, dir_fd=handle)
            except FileNotFoundError:
                continue


def _run(connection: sqlite3.Connection, name: str) -> None:
    # Not executescript, which would commit the transaction.
    for statement in script(name).split(";\n"):
        connection.execute(statement)


def _is_outdated(connection: sqlite3.Connection) -> bool:
    if _is_left_unfinished(connection):
        raise Unusable(DAMAGED)
    application = _application(connection)
    version = connection.execute("pragma user_version").fetchone()[0]
    if application not in (APPLICATION_ID, _UNFINISHED):
        if application or version or connection.execute("select count(*) from sqlite_master").fetchone()[0]:
            raise Unusable(FOREIGN)
        return True
    if version != VERSION:
        return True
    made = connection.execute("select value from meta where key = 'version'").fetchone()
    return bool(made != (MEMDOWN,))


def _application(connection: sqlite3.Connection) -> int:
    return int(connection.execute("pragma application_id").fetchone()[0])


def _is_left_unfinished(connection: sqlite3.Connection) -> bool:
    """Whether whoever was changing the file died: it goes on to say so, and nobody writes or keeps us from writing.

    One look is not enough, since who lives says so in a step of its own before it begins and after it ended.
    """
    before = None
    for pause in _STEPS:
        if pause:
            time.sleep(pause)
        if _application(connection) != _UNFINISHED:
            return False
        try:
            with _Unwaiting(connection), _Turn(connection):
                commits = connection.execute("pragma data_version").fetchone()
                if _application(connection) != _UNFINISHED or before not in (None, commits):
                    return False
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                raise
            return False
        before = commits
    return True


def is_busy(error: Exception) -> bool:
    """Whether another process kept us waiting for too long."""
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in BUSY


def is_barred(error: Exception) -> bool:
    """Whether the disk does not let us write."""
    code = getattr(error, "sqlite_errorcode", 0) if isinstance(error, sqlite3.Error) else 0
    return code & 0xFF in BARRED or code in UNWRITTEN


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is the reason: its pages are not what they should be, or cannot be read."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGE and not is_barred(error)


def fault(error: sqlite3.DatabaseError) -> Exception:
    """The error as it is when the disk is the reason, else what it says of the file."""
    if is_busy(error) or is_barred(error):
        return error
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    return Unusable(FOREIGN if code == sqlite3.SQLITE_NOTADB else DAMAGED)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        with entry(path) as (name, handle):
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
    except OSError:  # none that we can get at
        return None
    return found.st_dev, found.st_ino


def uri(path: str, mode: str) -> str:
    """The address of a file for SQLite."""
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    if os.name == "nt":
        escaped = "/" + escaped.replace("\\", "/")
    return f"file:{escaped}?mode={mode}"
