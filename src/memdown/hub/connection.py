"""Connections to PostgreSQL: which server is asked, as whom, and what is said when it does not answer."""

import logging
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from memdown.errors import Invalid, MemdownError, Refused, Unreadable, installing, on_failure, quote, way
from memdown.lazy import LazyModule
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy

if TYPE_CHECKING:
    import psycopg
    from psycopg import conninfo

    Connection = psycopg.Connection[tuple[Any, ...]]
else:
    psycopg, conninfo = LazyModule("psycopg"), LazyModule("psycopg.conninfo")

T = TypeVar("T")
DSN, TOKEN = "MEMDOWN_HUB", "MEMDOWN_HUB_TOKEN"
ATTEMPTS = 4
_PAUSE = 0.05
_SECONDS = 10
_STATEMENT_MS = 120_000
_PATIENCE = 15.0
"""Seconds to wait for a server that says when to come again."""
_WAIT = 1.0
"""Seconds to wait for a standby that is behind, before the primary is asked."""
_STALE = 60.0
"""Seconds that a standby may be behind."""
_CONNECTION = lazy(r"^connection (?:failed|is bad): ")
"""What psycopg puts before the words of PostgreSQL's client."""
_NOT_LET_IN = lazy(r"authentication failed|no password supplied|role .* does not exist|not permitted to log in|pg_hba")
_NO_CLIENT = ("for schema memdown", 'set role "memdown_client"')
"""How PostgreSQL ends what it says to a role that is not in `memdown_client`."""
_NO_DATABASE = lazy(r"database .* does not exist")
_KNOWN = """
select case when current_setting('transaction_read_only') = 'on' then memdown.principal() else memdown.use_token() end
    is not null
"""
"""Whether a token is good; notes that it was used, where that can be written."""
_BEHIND = """
select not pg_is_in_recovery() or (
    coalesce(pg_last_wal_replay_lsn() >= %(after)s::pg_lsn, true) and (
        pg_last_wal_receive_lsn() is not distinct from pg_last_wal_replay_lsn()
        or coalesce(now() - pg_last_xact_replay_timestamp() <= make_interval(secs => %(bound)s), false)
    )
)
"""


class HubDown(Unreadable):
    """The hub cannot be reached, or others are in the way; what was asked may be asked again."""

    after = 0.0
    """Seconds before which asking again is in vain."""


class HubUncertain(HubDown):
    """No answer came to a change that was sent, so that nobody here knows whether it was made."""


def dsn_of(given: str | None) -> str:
    """The address of the hub: as given, else that of the environment."""
    found = given or os.environ.get(DSN, "")
    if not found:
        raise Invalid(f"No hub is set; give its address, such as postgresql://hub.example/memory, or set {DSN}.")
    return found


def is_served(address: str) -> bool:
    """Whether an address is one of a server of ours, and not of PostgreSQL."""
    return address.lower().startswith(("https://", "http://"))


def _require() -> None:
    try:
        psycopg.connect  # noqa: B018 - this loads it
    except ImportError:
        raise Invalid(f"A hub needs PostgreSQL's client; install it with {installing('hub')}.") from None
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # a lost connection is told in our words


def connect(dsn: str, *, write: bool = True, token: str | None = None) -> "Connection":
    """A connection as `dsn` says; for writing, of several hosts to the one that takes writes.

    `token` says who asks, else `MEMDOWN_HUB_TOKEN`, else the role that logs in.
    """
    known = os.environ.get(TOKEN, "") if token is None else token
    settings = settings_of(dsn, write=write)
    try:
        connection: Connection = psycopg.connect(**settings, autocommit=True)
    except psycopg.OperationalError as error:
        raise _unreached(error) from None
    with on_failure(connection.close), in_our_words():
        identify(connection, known)
    return connection


def _unreached(error: Exception) -> MemdownError:
    """Why there is no connection. Who asks again is let in no more than before, unless the server is not up."""
    why = _CONNECTION.sub("", _reason(error))
    if _NOT_LET_IN.search(why):
        return Refused(f"the hub refused the login: {why}; check the user and password of its address, or PGPASSWORD")
    if _NO_DATABASE.search(why):
        return Unreadable(f"{why}; check the address of the hub, or create its database with `createdb`")
    return HubDown(f"the hub cannot be reached: {why}; check its address, or try again when it is up")


def settings_of(dsn: str, *, write: bool) -> dict[str, Any]:
    """What to connect with."""
    if is_served(dsn):
        raise Invalid("This needs the database itself; give its address, such as postgresql://hub.example/memory.")
    _require()
    try:
        given = conninfo.conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        shown = "This" if "@" in dsn or "password" in dsn else quote(dsn)
        raise Invalid(
            f"{shown} is not the address of a hub; write it like postgresql://hub.example/memory, with"
            " special characters in a password escaped (%40 for @, %25 for %)."
        ) from None
    settings: dict[str, Any] = {"connect_timeout": _SECONDS, "application_name": "memdown", **given}
    if write or "target_session_attrs" not in given:
        settings["target_session_attrs"] = "read-write" if write else "any"
    return settings


def identify(connection: "Connection", token: str) -> None:
    """Say who asks from here on; the database looks the token up by its hash.

    Whoever gives one is what its owner is and no more, whatever role logged in: the one that made the hub sees all.
    """
    connection.execute(
        "select set_config('memdown.token', %s, false), set_config('statement_timeout', %s, false)",
        (token, str(_STATEMENT_MS)),
    )
    if token and _is_true(connection, "select to_regprocedure('memdown.use_token()') is not null"):
        connection.execute("select set_config('role', 'memdown_client', false)")
        if not _is_true(connection, _KNOWN):
            raise Refused(f"the token in {TOKEN} is invalid or expired; ask an admin of the hub for a new one")


def _is_true(connection: "Connection", question: str) -> bool:
    row = connection.execute(question.encode()).fetchone()
    return row is not None and row[0] is True


@contextmanager
def asked(dsn: str, *, write: bool = True, token: str | None = None) -> Iterator["Connection"]:
    """A connection for one call. What PostgreSQL refuses is told in our words."""
    connection = connect(dsn, write=write, token=token)
    try:
        with in_our_words():
            yield connection
    finally:
        connection.close()


@contextmanager
def reading(dsn: str, *, after: str | None = None, token: str | None = None) -> Iterator["Connection"]:
    """A connection for questions, which may be one of a standby, unless that is too far behind.

    `after` is where the log of the server was when the asker last wrote: that is always seen.
    """
    connection = connect(dsn, write=False, token=token)
    try:
        with in_our_words():
            is_behind = not caught_up(connection, after)
        if is_behind:
            connection.close()
            connection = connect(dsn, write=True, token=token)
        with in_our_words():
            yield connection
    finally:
        connection.close()


def position(connection: "Connection") -> str | None:
    """Where the log of the server is; None where it does not answer, as what was asked for before that is done."""
    try:
        row = connection.execute("select pg_current_wal_insert_lsn()::text").fetchone()
    except psycopg.OperationalError:
        return None
    return row[0] if row else None


def caught_up(connection: "Connection", after: str | None) -> bool:
    """Whether a server has what was written up to a place of the log; a standby is waited for, for a moment."""
    until = time.monotonic() + _WAIT
    while True:
        row = connection.execute(_BEHIND, {"after": after, "bound": _STALE}).fetchone()
        if row is None or row[0]:
            return True
        if time.monotonic() > until:
            return False
        time.sleep(_PAUSE)


@contextmanager
def in_our_words() -> Iterator[None]:
    """What PostgreSQL says, as one sentence with what to do."""
    try:
        yield
    except psycopg.Error as error:
        raise _translated(error) from error


def _translated(error: "psycopg.Error") -> MemdownError:
    why = _reason(error)
    match error:
        case psycopg.errors.UndefinedTable() | psycopg.errors.InvalidSchemaName() | psycopg.errors.UndefinedFunction():
            return Unreadable(f"this database is not a hub, or it is outdated ({why}); run {way('hub upgrade', 'DSN')}")
        case psycopg.errors.InsufficientPrivilege() if why.endswith(_NO_CLIENT):
            return Refused(
                "this role may not use the hub; ask its owner for `grant memdown_client to ROLE` in the database"
            )
        case psycopg.errors.InsufficientPrivilege() if why.endswith("is protected"):
            return Refused(f"{why}; {way('hub propose')} proposes what changed here, for someone else to take")
        case psycopg.errors.InsufficientPrivilege() if "row-level security" in why:
            return Refused(
                f"you may not do that on this hub; {way('hub grants')} lists your rights, and an admin can grant more"
            )
        case psycopg.errors.InsufficientPrivilege():
            return Refused(f"the hub does not allow that: {why}; ask an admin of the project for the right")
        case psycopg.errors.FeatureNotSupported() if why.startswith("extension"):
            return Unreadable(f"{why}; install PostgreSQL's contrib package on its server, such as postgresql-contrib")
        case psycopg.errors.ReadOnlySqlTransaction():
            return HubDown(f"this server of the hub is read-only ({why}); name the primary too, or try again")
        case psycopg.errors.SerializationFailure() | psycopg.errors.DeadlockDetected():
            return HubDown(f"others changed the same data on the hub at the same time ({why}); try again")
        case psycopg.errors.DiskFull():
            return _full(why)
        case psycopg.OperationalError():
            return HubDown(f"the connection to the hub was lost: {why}; try again when it is up")
    return Unreadable(f"PostgreSQL refused something: {why}")


def _full(why: str) -> HubDown:
    found = HubDown(f"the hub's server has no room left ({why}); nothing was changed there, try again when it has some")
    found.after = math.inf
    return found


def _reason(error: Exception) -> str:
    """The first line of what it says, which may name a password nowhere."""
    return (split_lines(str(error).strip()) or [type(error).__name__])[0].rstrip(".")


def retried(work: Callable[[], T]) -> T:
    """Do again what met a conflict of transactions or lost its connection.

    Every change of a hub may be repeated, as it says what it changes by its hash.
    """
    is_uncertain = False
    for attempt in range(ATTEMPTS):
        try:
            return work()
        except HubDown as error:
            is_uncertain = is_uncertain or isinstance(error, HubUncertain)
            wait = max(_PAUSE * 4**attempt, error.after)
            if attempt == ATTEMPTS - 1 or wait > _PATIENCE:
                if is_uncertain and not isinstance(error, HubUncertain):
                    raise HubUncertain(str(error)) from error
                raise
        time.sleep(wait)
    raise AssertionError("the last attempt returns or raises")
