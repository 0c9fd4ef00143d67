"""Questions in SQL, which SQLite itself keeps from changing anything, from other files, and from going on for ever."""

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import islice

from msgspec import Struct

from memdown.errors import Invalid
from memdown.index import Index, journal
from memdown.index.sqlite import connect

SECONDS = 10.0
ROWS = 1000
MEGABYTE = 1 << 20
MOST_BYTES = 64 * MEGABYTE
"""Of an answer, and of one value."""

_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: MOST_BYTES,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: MEGABYTE,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_STEPS = 10_000
"""How many instructions SQLite takes between two looks at the clock."""
_READING = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)  # all else changes something
)
_TELLING = frozenset(("table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list"))
_PLAIN = frozenset(("data_version", "user_version", "application_id", "schema_version", "table_list", "database_list"))
"""Pragmas that tell something when they are given no value; full text needs the first itself."""
_DECLARED = (
    *("words", "json_each", "json_tree", "pragma_table_info", "pragma_table_xinfo"),
    *("pragma_index_list", "pragma_index_info", "pragma_foreign_key_list"),
)
"""Tables that declare their columns when they are first used, which looks the same as making a table."""
_BARRED = frozenset(("load_extension", "fts3_tokenizer"))

_LISTED = """
select name, type from {} where type in ('table', 'view') and name not like 'sqlite@_%' escape '@'
    and name not like 'words@_%' escape '@' order by name
"""


class SqlAnswer(Struct, frozen=True):
    """The rows that a statement gives."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]
    more: bool
    """Whether there are further rows."""


class SqlTable(Struct, frozen=True):
    """A table or view that can be asked."""

    name: str
    type: str
    columns: tuple[str, ...]


def ask(
    index: Index, statement: str, given: Mapping[str, str], *, seconds: float = SECONDS, rows: int = ROWS
) -> SqlAnswer:
    """What one statement answers, with `given` for its named parameters; 0 `rows` stands for all of them."""
    with _opened(index) as connection:
        try:
            _bar(connection)
            until = time.monotonic() + seconds
            connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
            found = connection.execute(statement, dict(given))
            if found.description is None:
                raise Invalid("This is not a query; start with SELECT, and see `memdown sql --tables`.")
            fetched = _fetched(found, rows)
            more = bool(rows) and len(fetched) > rows
            columns = _apart([column[0] for column in found.description])
            return SqlAnswer(columns, fetched[:rows] if more else fetched, more)
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            raise Invalid(_why(error, seconds)) from error
        except MemoryError as error:
            raise Invalid("The answer does not fit in memory; ask for less.") from error


def tables(index: Index) -> list[SqlTable]:
    """Everything that can be asked, those of a journal too where there is none yet."""
    with _opened(index) as connection:
        found = [
            row
            for master in ("sqlite_master", "sqlite_temp_master")
            for row in connection.execute(_LISTED.format(master))
        ]
        return [SqlTable(name, type, _columns(connection, name)) for name, type in sorted(found)]


def _columns(connection: sqlite3.Connection, name: str) -> tuple[str, ...]:
    return tuple(column for (column,) in connection.execute("select name from pragma_table_info(?)", (name,)))


@contextmanager
def _opened(index: Index) -> Iterator[sqlite3.Connection]:
    """A connection of its own that cannot write, with empty tables where there is no journal."""
    with closing(Index.in_memory().connection if index.path is None else connect(index.path, "ro")) as connection:
        if index.path is None:
            index.connection.backup(connection)
        if not journal.is_there(connection):
            for statement in journal.statements():
                connection.execute(statement.replace("create ", "create temp ", 1))
        yield connection


def _bar(connection: sqlite3.Connection) -> None:
    for name in _DECLARED:
        connection.execute(f"select 1 from {name} limit 0")
    connection.execute("pragma query_only = on")
    connection.execute("pragma trusted_schema = off")
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_authorizer(_allow)


def _allow(action: int, first: str | None, second: str | None, _place: str | None, _within: str | None) -> int:
    if action in _READING:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _BARRED:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").lower()
        if name in _TELLING or (name in _PLAIN and second is None):
            return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _fetched(found: Iterable[tuple[object, ...]], rows: int) -> list[tuple[object, ...]]:
    """The rows, and one more than asked for; never more than memory should hold."""
    fetched, size = [], 0
    for row in islice(found, rows + 1 if rows else None):
        size += sum(len(value) if isinstance(value, (str, bytes)) else 8 for value in row)
        if size > MOST_BYTES:
            raise Invalid(f"The answer is larger than {MOST_BYTES // MEGABYTE} MB; ask for fewer rows or columns.")
        fetched.append(row)
    return fetched


def _apart(names: Sequence[str]) -> tuple[str, ...]:
    """Names of columns, numbered where several are the same."""
    made: dict[str, None] = {}
    for name in names:
        number, own = 2, name
        while own in made:
            own, number = f"{name}_{number}", number + 1
        made[own] = None
    return tuple(made)


def _why(error: Exception, seconds: float) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_INTERRUPT:
        return f"The query took longer than {seconds:g} seconds; narrow it, or raise --timeout."
    if code == sqlite3.SQLITE_AUTH:
        return "Only reading is allowed here: SELECT, and no other statement that changes or opens something."
    if code == sqlite3.SQLITE_TOOBIG:
        return f"A value, or the statement, is too long; values may have {MOST_BYTES // MEGABYTE} MB."
    if isinstance(error, UnicodeError):
        return "The statement has characters that are not UTF-8; write them as parameters of SQL, or leave them out."
    if "one statement" in str(error):
        return "Only one statement at a time can be asked; give one SELECT."
    return f"SQLite does not understand it: {str(error).rstrip('.')}; `memdown sql --tables` lists tables and columns."
