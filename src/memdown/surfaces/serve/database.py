"""The database behind a server: connections that everybody shares, each transaction as whoever has the token.

The server logs in as one role and may do nothing by it: a transaction takes the role of clients and the token of who
asks, both of which end with it, and row-level security does the rest.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec
import psycopg
from psycopg_pool import ConnectionPool

from memdown.errors import MemdownError
from memdown.hub import connection, schema
from memdown.hub.calls import HubCall
from memdown.hub.connection import HubDown, HubUncertain
from memdown.hub.store import CHANNEL, mark_of

if TYPE_CHECKING:
    from memdown.hub.connection import Connection

R = TypeVar("R")
_SECONDS = 10.0
"""How long a request waits for a connection."""
_RETRY = 2.0
"""How long a connection is tried again before the next request does."""
_STATEMENT_MS = 120_000
_AGAIN = 1.0
"""Seconds between attempts to hear of changes."""
_NOBODY = "nobody"
"""What is no token; with none at all, the role that logged in would count."""
_AS = """
select set_config('role', 'memdown_client', true), set_config('memdown.token', %s, true),
    set_config('statement_timeout', %s, true)
"""

Heard = Callable[[str | None], None]
"""Is told the name of a project that changed; None when any may have."""


class UnknownToken(MemdownError):
    """Nobody has this token, or not any more."""

    exit_code = 3


class HubDatabase:
    """PostgreSQL, for many at once."""

    def __init__(self, dsn: str, connections: int) -> None:
        self._dsn = dsn
        self._primary = _pool(dsn, connections, write=True)
        reading = connection.settings_of(dsn, write=False)
        has_standby = "," in str(reading.get("host", "")) or reading["target_session_attrs"] != "any"
        self._reading = _pool(dsn, connections, write=False) if has_standby else self._primary
        self._ended = threading.Event()

    def open(self) -> None:
        for pool in {self._primary, self._reading}:
            pool.open(wait=False)

    def close(self) -> None:
        self._ended.set()
        for pool in {self._primary, self._reading}:
            pool.close()

    def ready(self) -> None:
        """Refuse where the database does not answer, or is not the hub that this version knows."""
        with connection.in_our_words(), self._primary.connection(_RETRY) as db:
            schema.check(db)

    def principal(self, token: str) -> str:
        """Who has a token; notes that it was used."""
        with self.session(token, write=True) as (_, principal):
            return principal

    @contextmanager
    def session(self, token: str, *, write: bool, after: str | None = None) -> Iterator[tuple["Connection", str]]:
        """A transaction as whoever has a token, and who that is."""
        with connection.in_our_words(), self._connected(write=write, after=after) as db, db.transaction():
            yield db, self._identify(db, token, write=write)

    @contextmanager
    def nobody(self) -> Iterator["Connection"]:
        """A transaction of nobody, which may do only what functions of the hub do for everybody."""
        with connection.in_our_words(), self._primary.connection() as db, db.transaction():
            db.execute(_AS, (_NOBODY, str(_STATEMENT_MS)))
            yield db

    def ask(self, token: str, call: HubCall[R], identified: Callable[[str], None]) -> R:
        """The answer to a call; who asks is told as soon as that is known."""
        primary = call.writes or call.primary
        db: Connection | None = None
        try:
            with connection.in_our_words(), self._connected(write=primary, after=call.after) as db:
                with db.transaction():
                    identified(self._identify(db, token, write=primary))
                    answer = call.answer(db)
                answer = call.committed(db, answer)
                if call.settles(answer):
                    with suppress(psycopg.OperationalError), db.transaction():
                        self._identify(db, token, write=primary)
                        call.settle(db, answer)
                return answer
        except HubDown as error:
            if call.writes and db is not None and db.closed:
                raise HubUncertain(str(error)) from error
            raise

    @contextmanager
    def _connected(self, *, write: bool, after: str | None) -> Iterator["Connection"]:
        with ExitStack() as stack:
            db = stack.enter_context((self._primary if write else self._reading).connection())
            if not write and self._reading is not self._primary and not connection.caught_up(db, after):
                stack.pop_all().close()
                db = stack.enter_context(self._primary.connection())
            yield db

    def _identify(self, db: "Connection", token: str, *, write: bool) -> str:
        if not token:
            raise UnknownToken("no token was sent")  # the database would take the role that logged in
        db.execute(_AS, (token, str(_STATEMENT_MS)))
        can_note = write or self._reading is self._primary  # a standby cannot note that a token was used
        row = db.execute("select memdown.use_token()" if can_note else "select memdown.principal()").fetchone()
        if row is None or row[0] is None:
            raise UnknownToken("this token is invalid or expired; ask an admin of the hub for a new one")
        return str(row[0])

    def listen(self, heard: Heard) -> None:
        """Tell of every project that changes, until the end; after a lost connection, that any may have."""
        while not self._ended.is_set():
            try:
                with connection.connect(self._dsn, token="") as db, connection.in_our_words():
                    db.execute(f"listen {CHANNEL}".encode())
                    heard(None)
                    while not self._ended.is_set():
                        for each in db.notifies(timeout=_AGAIN):
                            heard(_mark(each.payload))
            except MemdownError:
                self._ended.wait(_AGAIN)


def _pool(dsn: str, connections: int, *, write: bool) -> "ConnectionPool[Connection]":
    settings = connection.settings_of(dsn, write=write)
    return ConnectionPool(
        kwargs={**settings, "autocommit": True},
        min_size=1,
        max_size=connections,
        timeout=_SECONDS,
        reconnect_timeout=_RETRY,
        check=ConnectionPool.check_connection,
        open=False,
    )


def _mark(payload: str) -> str | None:
    """Which project changed; a memdown before this one says its name."""
    if not payload.startswith("["):
        return payload or None
    try:
        return mark_of(msgspec.json.decode(payload, type=tuple[str, int])[0])
    except msgspec.DecodeError:
        return None
