"""The tables of a hub: numbered migrations in plain SQL, each in a transaction, one process at a time.

A migration expands (what is new stands beside what was, and a server of the version before goes on working) or
contracts (what nobody needs any more goes). Those that contract have it in their name and run when that is asked for.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from memdown import VERSION
from memdown.errors import Invalid, Refused, Unreadable, quote, way
from memdown.hub import meanings
from memdown.hub.connection import asked
from memdown.lazy import LazyModule, beside

if TYPE_CHECKING:
    import psycopg

    from memdown.hub.connection import Connection
else:
    psycopg = LazyModule("psycopg")

OLDEST = 14
"""The oldest PostgreSQL that takes the functions of a hub."""
PARTITIONS = 32
_MOST_PARTITIONS = 256
_LOCK = 0x6D656D64
"""The advisory lock of migrations: "memd"."""
_CONTRACT = "contract"
_MIGRATIONS = """
create schema if not exists memdown;
create table if not exists memdown.migrations (
    project text not null default '*',
    number integer not null,
    name text not null,
    contracts boolean not null,
    version text not null,
    applied_at timestamptz not null default now(),
    primary key (project, number)
);
"""
_IS_THERE = "select to_regclass('memdown.migrations') is not null"
_CAN_MEAN = f"""
select not {meanings.THERE} and exists (select 1 from pg_available_extensions where name = 'vector')
"""
_CAN_INDEX = f"""
select {meanings.THERE} and to_regclass('memdown.meanings_nearest') is null and exists (
    select 1 from pg_extension where extname = 'vector' and string_to_array(extversion, '.')::integer[] >= '{{0,8}}'
)
"""
_DONE = "select number, contracts from memdown.migrations where project = '*'"
REAL = "kind <> 'prose' and not hollow"
"""What of `records` is memory: neither text between records, nor a heading or a template without any."""
_COUNTS = f"""
select (select count(*) from memdown.projects), (select count(*) from memdown.documents where digest is not null),
    (select count(*) from memdown.records where {REAL}),
    (select coalesce(sum(length(content)), 0) from memdown.versions)
"""


class Migration(Struct, frozen=True):
    """One step of the schema."""

    number: int
    name: str
    sql: str

    @property
    def contracts(self) -> bool:
        return _CONTRACT in self.name.split(".")


class HubChanged(Struct, frozen=True):
    """What `init` or `upgrade` did."""

    applied: list[str]
    waiting: list[str]
    """Migrations that take away what older servers need, and were not asked for."""
    schema: int
    vectors: int = 0
    """Records that an upgrade gave a vector, for questions by meaning."""


class HubStatus(Struct, frozen=True):
    """What a hub holds, and who is asking."""

    id: str
    schema: int
    newest: int
    waiting: list[str]
    partitions: int
    server: str
    standby: bool
    lag_seconds: float | None
    principal: str
    projects: int
    documents: int
    records: int
    bytes: int


def migrations() -> list[Migration]:
    """All that this version knows, in their order."""
    folder = resources.files("memdown.hub") / "migrations"
    files = sorted((each for each in folder.iterdir() if each.name.endswith(".sql")), key=lambda each: each.name)
    return [
        Migration(int(file.name[:4]), file.name.removesuffix(".sql"), file.read_text(encoding="utf-8"))
        for file in files
    ]


def init(dsn: str, *, partitions: int = PARTITIONS) -> HubChanged:
    """Make the tables of a hub in a database; one that has them is brought up to date."""
    if not 1 <= partitions <= _MOST_PARTITIONS:
        raise Invalid(f"A hub has 1 to {_MOST_PARTITIONS} partitions, not {partitions}.")
    return _migrate(dsn, partitions, contract=False, make=True)


def upgrade(dsn: str, *, contract: bool = False) -> HubChanged:
    """Bring a hub up to date, and its vectors; with `contract` also take away what only older versions need."""
    done = _migrate(dsn, PARTITIONS, contract=contract, make=False)
    with asked(dsn, token="") as db:
        return structs.replace(done, vectors=meanings.fill(db))


def _migrate(dsn: str, partitions: int, *, contract: bool, make: bool) -> HubChanged:
    with asked(dsn, token="") as db, _as_owner(), db.transaction():
        _check_server(db.info)
        db.execute("select pg_advisory_xact_lock(%s)", (_LOCK,))
        if not make and not _one(db, _IS_THERE):
            raise Unreadable(f"this database is not a hub; create one with {way('hub init', 'DSN')}")
        if make and not _one(db, _IS_THERE):
            db.execute(_MIGRATIONS.encode())
        db.execute("select set_config('memdown.partitions', %s, true)", (str(partitions),))
        db.execute("set local client_min_messages = warning")
        done = {number for number, _ in db.execute(_DONE)}
        applied = [each for each in _due(done) if contract or not each.contracts]
        for each in applied:
            db.execute(each.sql.encode())
            db.execute(
                "insert into memdown.migrations (number, name, contracts, version) values (%s, %s, %s, %s)",
                (each.number, each.name, each.contracts, VERSION),
            )
        done |= {each.number for each in applied}
        names = [each.name for each in applied]
        names += _add_meanings(db)
    return HubChanged(names, [each.name for each in _due(done)], max(done))


def _check_server(server: "psycopg.ConnectionInfo") -> None:
    """Refuse a server that is too old for the functions of a hub, and an encoding that lacks letters of its texts."""
    if server.server_version < OLDEST * 10_000:
        version = server.parameter_status("server_version")
        raise Refused(f"a hub needs PostgreSQL {OLDEST} or newer; this server is {version}")
    if (encoding := server.parameter_status("server_encoding")) != "UTF8":
        raise Refused(
            f"the database {quote(server.dbname)} is encoded as {encoding}, and a hub needs UTF8; create another with"
            " `createdb -E UTF8 -T template0 NAME`"
        )


@contextmanager
def _as_owner() -> Iterator[None]:
    """Whoever may not make tables is told who may."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        why = str(error).partition("\n")[0]
        raise Refused(
            f"this role may not create or upgrade a hub: {why}; use the owner of the database, with CREATEROLE"
        ) from error


def _add_meanings(db: "Connection") -> list[str]:
    """The table of vectors, where the server has pgvector and this role may use it, and their index, where it can."""
    added = []
    for name, is_due in (("meanings", _CAN_MEAN), ("nearest", _CAN_INDEX)):
        try:
            with db.transaction():
                if _one(db, is_due):
                    db.execute(beside(__file__, f"{name}.sql").encode())
                    added.append(name)
        except psycopg.errors.InsufficientPrivilege:
            break
    return added


def _due(done: set[int]) -> Iterator[Migration]:
    return (each for each in migrations() if each.number not in done)


def _one(db: "Connection", sql: str) -> object:
    row = db.execute(sql.encode()).fetchone()
    return row[0] if row else None


def check(db: "Connection") -> str:
    """Refuse a hub that this version cannot use; its id."""
    if not _one(db, _IS_THERE):
        raise Unreadable(f"this database is not a hub; create one with {way('hub init', 'DSN')}")
    done: dict[int, bool] = dict(db.execute(_DONE).fetchall())
    known = migrations()
    if missing := [each for each in known if each.number not in done and not each.contracts]:
        raise Refused(
            f"the hub is older than this memdown (it lacks {missing[0].name}); run {way('hub upgrade', 'DSN')}"
        )
    if any(contracts and number > known[-1].number for number, contracts in done.items()):
        raise Refused("the hub is newer than this memdown, and has dropped what it needs; update memdown")
    return _itself(db)[0]


def _itself(db: "Connection") -> tuple[str, int]:
    """The id of a hub, and in how many parts its tables are."""
    row = db.execute("select id::text, partitions from memdown.hubs").fetchone()
    if row is None:
        raise Unreadable("required rows of this hub are missing, as after an incomplete restore; restore it again")
    return row[0], row[1]


def status(db: "Connection") -> HubStatus:
    """What a hub holds of what may be seen."""
    with db.transaction():
        if not _one(db, _IS_THERE):
            raise Unreadable(f"this database is not a hub; create one with {way('hub init', 'DSN')}")
        done = {number for number, _ in db.execute(_DONE)}
        id, partitions = _itself(db)
        facts = db.execute(
            "select current_setting('server_version'), pg_is_in_recovery(), memdown.principal(),"
            " extract(epoch from now() - pg_last_xact_replay_timestamp())::float8"
        ).fetchone()
        counts = db.execute(_COUNTS).fetchone()
    assert facts
    assert counts
    return HubStatus(
        *(id, max(done), migrations()[-1].number, [each.name for each in _due(done)], partitions),
        *(facts[0], facts[1], facts[3] if facts[1] else None, facts[2] or "nobody"),
        *(int(each) for each in counts),
    )
