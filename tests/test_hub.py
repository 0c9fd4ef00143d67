"""A hub on PostgreSQL: its tables, and what goes to and fro between working copies. On a real server."""

import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conftest import Ran
from hub_server import LOCKED, NO_CLIENT, PARTITIONS, Server, TestHub
from memdown import Memory
from memdown.acts.merge import merge
from memdown.errors import MemdownError, Refused
from memdown.hub import client, connection, exchange, rows, schema, working
from memdown.hub.calls import StatusCall
from memdown.hub.connection import HubDown
from memdown.hub.exchange import Exchanged, WorkingCopy
from memdown.hub.store import DocumentChange, ProjectFacts, Published, digest_of
from samples import CARD, ID, put
from test_as_of import commit, git

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = pytest.importorskip("psycopg", reason=NO_CLIENT)

Cli = Callable[..., Ran]
LOG = ".squad/decisions.md"
ENTRY = "### 2026-01-{:02}T10:00:00Z: {}\n**By:** Ann\n\n{}\n\n"
FIRST = "# Decisions\n\n" + ENTRY.format(1, "Sessions live in Redis", "In the database, every request wrote a row.")


@pytest.fixture
def copies(tmp_path: Path) -> tuple[Path, Path]:
    """Two working copies of one project; the first has a log."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    put(tmp_path / "one", LOG, FIRST)
    return tmp_path / "one", tmp_path / "two"


def push(root: Path, hub: TestHub, *delete: str) -> Exchanged:
    with Memory.open(root) as memory:
        return exchange.push(memory, hub.dsn, name="shop", delete=delete)


def pull(root: Path, hub: TestHub) -> Exchanged:
    with Memory.open(root) as memory:
        return exchange.pull(memory, hub.dsn, name="shop")


def sync(root: Path, hub: TestHub) -> Exchanged:
    with Memory.open(root) as memory:
        return exchange.sync(memory, hub.dsn, name="shop")


def append(root: Path, text: str) -> None:
    path = root / LOG
    path.write_text(path.read_text() + text)


# Tables

KEYS = """
select c.conrelid::regclass::text, c.conname, (select a.attname from pg_attribute a where a.attrelid = c.conrelid and a.attnum = c.conkey[1])
from pg_constraint c join pg_class t on t.oid = c.conrelid
where t.relnamespace = 'memdown'::regnamespace and c.contype in ('p', 'u', 'f')
"""
UNIQUE = """
select i.indexrelid::regclass::text, (select a.attname from pg_attribute a where a.attrelid = i.indrelid and a.attnum = i.indkey[0])
from pg_index i join pg_class t on t.oid = i.indrelid where t.relnamespace = 'memdown'::regnamespace and i.indisunique
"""
TABLES = """
select c.relname, c.relkind, c.relrowsecurity, c.relforcerowsecurity,
    (select count(*) from pg_inherits h where h.inhparent = c.oid),
    exists (select 1 from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')
from pg_class c where c.relnamespace = 'memdown'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
"""
LARGE = {"versions", "documents", "history", "records", "links", "findings", "audit", "proposals"}


def test_every_key_begins_with_the_project(hub: TestHub) -> None:
    keys = hub.query(KEYS)
    assert len(keys) > 30
    assert [each for each in keys if each[2] != "project"] == []
    assert [each for each in hub.query(UNIQUE) if each[1] != "project"] == []


def test_a_key_without_the_project_would_be_seen(hub: TestHub) -> None:
    hub.query("create table memdown.careless (id integer primary key, project text)")
    assert [each[2] for each in hub.query(KEYS) if each[2] != "project"] == ["id"]


def test_large_tables_are_partitioned_and_every_row_is_guarded(hub: TestHub) -> None:
    tables = {name: rest for name, *rest in hub.query(TABLES)}
    assert {name for name, (kind, *_) in tables.items() if kind in ("p", b"p")} == LARGE
    assert all(parts == PARTITIONS for name, (_, _, _, parts, _) in tables.items() if name in LARGE)
    assert all(on and forced for _, on, forced, _, _ in tables.values())
    assert all(has_key for *_, has_key in tables.values())


def test_init_twice_at_once_and_again(postgres: Server) -> None:
    with psycopg.connect(postgres.dsn(), autocommit=True) as db:
        db.execute("create database fresh_hub")
    dsn = postgres.dsn("fresh_hub")
    done: list[schema.HubChanged] = []
    threads = [threading.Thread(target=lambda: done.append(schema.init(dsn, partitions=2))) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(len(each.applied) for each in done) == [0, 0, len(schema.migrations())]
    assert schema.upgrade(dsn).applied == []
    assert client.ask(dsn, StatusCall()).partitions == 2


def test_the_command_makes_a_hub_and_says_what_it_is(postgres: Server, cli: Cli) -> None:
    with psycopg.connect(postgres.dsn(), autocommit=True) as db:
        db.execute("create database plain_database")
    dsn = postgres.dsn("plain_database")
    ran = cli("hub", "status", dsn)
    assert (ran.code, "this database is not a hub" in ran.err) == (4, True)
    ran = cli("push", dsn)
    assert (ran.code, "this database is not a hub; create one with `memdown hub init DSN`" in ran.err) == (4, True)
    assert cli("hub", "upgrade", dsn).code == 4
    assert cli("hub", "init", dsn, "--partitions", "0").code == 2
    assert cli("hub", "init", dsn, "--partitions", "2", "--json").json()["applied"][0] == "0001_tables"
    shown = cli("hub", "status", dsn, "--json").json()
    assert (shown["partitions"], shown["principal"], shown["records"]) == (2, "postgres", 0)
    assert "Nothing to do" in cli("hub", "upgrade", dsn).out


def test_an_older_hub_is_named_and_a_newer_one_is_used_until_it_drops_something(
    hub: TestHub, copies: tuple[Path, Path], cli: Cli
) -> None:
    hub.query("update memdown.migrations set number = 900 where number = 3")
    with pytest.raises(Refused, match="hub upgrade"):
        push(copies[0], hub)
    assert "hub upgrade" in cli("hub", "status").out
    hub.query("update memdown.migrations set number = 3 where number = 900")
    hub.query("insert into memdown.migrations (number, name, contracts, version) values (901, 'more', false, '9')")
    assert push(copies[0], hub).sent == [LOG]
    hub.query("update memdown.migrations set contracts = true where number = 901")
    with pytest.raises(Refused, match="update memdown"):
        push(copies[0], hub)


# Push, pull, sync


def test_only_what_changed_travels(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    put(one, f"memories/{ID}.md", CARD)
    assert sorted(push(one, hub).sent) == [LOG, f"memories/{ID}.md"]
    assert push(one, hub).sent == []
    assert hub.query("select count(*) from memdown.history") == [(2,)]
    assert sorted(pull(two, hub).received) == [LOG, f"memories/{ID}.md"]
    assert (two / LOG).read_bytes() == (one / LOG).read_bytes()
    assert pull(two, hub).received == []
    assert push(two, hub).sent == []
    append(two, ENTRY.format(2, "Use Kafka", "Events need an order."))
    assert push(two, hub).sent == [LOG]
    assert pull(one, hub).received == [LOG]
    assert hub.query("select count(*) from memdown.versions") == [(3,)]


def test_rows_are_those_of_the_index_of_a_working_copy(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, _ = copies
    append(
        one, ENTRY.format(2, "Sessions live in the database", "**Supersedes:** 2026-01-01T10:00:00Z\n\nRedis is gone.")
    )
    put(one, f"memories/{ID}.md", CARD)
    push(one, hub)
    columns = (
        "path, id, kind, line, start, at, instant, day, author, session, ordinal, title, summary, body, about, parts"
    )
    with Memory.open(one) as memory:
        local = memory.indexed().connection.execute(
            f"select {columns.replace('path', 'r.path').replace(' start', ' r.start')}, r.superseded, r.hollow"
            " from record r join words w on w.rowid = r.rowid order by r.path, r.rowid"
        )
        expected = [(*row[:-2], bool(row[-2]), bool(row[-1])) for row in local]
    found = hub.query(f"select {columns}, superseded, hollow from memdown.records order by path, number")
    assert [tuple(row) for row in found] == expected
    assert any(row[-2] for row in found)


def test_of_a_document_only_the_records_that_changed_are_written(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, _ = copies
    append(one, ENTRY.format(2, "Metrics go to Prometheus", "Scraped."))
    push(one, hub)
    rows = "select number, title, xmin::text from memdown.records where kind <> 'prose' order by number"
    before = hub.query(rows)
    append(one, ENTRY.format(3, "Mails go out by a queue", "Retried."))
    push(one, hub)
    after = hub.query(rows)
    assert after[:-1] == before
    assert after[-1][1] == "Mails go out by a queue"
    put(one, LOG, (one / LOG).read_text().replace("Scraped.", "Grouped."))
    push(one, hub)
    assert [row[0] for row in set(hub.query(rows)) - set(after)] == [1]
    put(one, LOG, FIRST)
    push(one, hub)
    assert [row[1] for row in hub.query(rows)] == ["Sessions live in Redis"]


def test_what_nothing_replaces_any_more_is_in_force_again(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, _ = copies
    inbox = ".squad/decisions/inbox/ann-database.md"
    put(
        one,
        inbox,
        ENTRY.format(2, "Sessions live in the database", "**Supersedes:** 2026-01-01T10:00:00Z\n\nFor good."),
    )
    push(one, hub)
    replaced = "select title from memdown.records where superseded"
    assert hub.query(replaced) == [("Sessions live in Redis",)]
    put(one, inbox, ENTRY.format(2, "Sessions live in the database", "For good."))
    push(one, hub)
    assert hub.query(replaced) == []


def test_both_sides_changed(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    append(one, ENTRY.format(2, "From one", "Text of one."))
    append(two, ENTRY.format(3, "From two", "Text of two."))
    assert sync(one, hub).sent == [LOG]
    done = sync(two, hub)
    assert (done.sent, done.received, done.merged, done.conflicts) == ([LOG], [LOG], [LOG], [])
    assert sync(one, hub).received == [LOG]
    assert (one / LOG).read_text() == (two / LOG).read_text()
    assert all(text in (one / LOG).read_text() for text in ("Text of one.", "Text of two.", "wrote a row"))
    with Memory.open(two) as memory:
        assert [each.name for each in memory.undo().files] == [LOG]


def test_what_cannot_be_merged_is_kept_twice_and_check_reports_it(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    for root, text in ((one, "Every login wrote three rows there."), (two, "A night of outages taught us that.")):
        path = root / LOG
        path.write_text(path.read_text().replace("In the database, every request wrote a row.", text))
    push(one, hub)
    done = push(two, hub)
    assert (done.merged, [each.path for each in done.conflicts]) == ([LOG], [LOG])
    both = (two / LOG).read_text()
    assert "three rows" in both
    assert "night of outages" in both
    with Memory.open(two) as memory:
        assert any(each.code.startswith("MRG") or "merge" in each.message for each in memory.check().diagnostics)
    assert hub.query("select count(*) > 0 from memdown.findings where path = %s", LOG) == [(True,)]


def test_what_a_merge_decided_is_named(hub: TestHub, copies: tuple[Path, Path], cli: Cli) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    there = FIRST.replace("wrote a row.", "wrote a row. Nobody needed it.")
    (two / LOG).write_text(there)
    push(two, hub)
    (one / LOG).write_text("# Decisions\n")
    decided = merge(FIRST, "# Decisions\n", there).notes
    assert decided
    ran = cli("sync", hub.dsn, "--as", "shop", "--root", str(one))
    assert (ran.code, "Merged" in ran.out) == (0, True)
    assert ran.err.splitlines() == [f"memdown: {LOG}: {each}" for each in decided]
    assert "Nobody needed it." in (one / LOG).read_text()


def test_nothing_is_deleted_that_nobody_deleted(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    put(one, f"memories/{ID}.md", CARD)
    push(one, hub)
    pull(two, hub)
    (one / f"memories/{ID}.md").unlink()
    (one / LOG).unlink()
    done = sync(one, hub)
    assert (sorted(done.gone), done.deleted, done.received) == ([LOG, f"memories/{ID}.md"], [], [])
    assert hub.query("select count(*) from memdown.documents where digest is null") == [(0,)]
    with Memory.open(one) as memory:
        done = exchange.pull(memory, hub.dsn, name="shop", restore=True)
        assert sorted(done.received) == [LOG, f"memories/{ID}.md"]
        memory.undo()
    done = push(one, hub, f"memories/{ID}.md")
    assert (done.deleted, done.gone) == ([f"memories/{ID}.md"], [LOG])
    assert pull(two, hub).deleted == [f"memories/{ID}.md"]
    assert not (two / f"memories/{ID}.md").exists()
    assert (two / LOG).exists()
    assert hub.query("select count(*) from memdown.records where path = %s", f"memories/{ID}.md") == [(0,)]
    with Memory.open(two) as memory:
        memory.undo()
    assert (two / f"memories/{ID}.md").read_text() == CARD


def test_a_deletion_does_not_take_what_somebody_changed_meanwhile(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    append(two, ENTRY.format(2, "Still needed", "Text."))
    push(two, hub)
    (one / LOG).unlink()
    done = push(one, hub, LOG)
    assert (done.deleted, [each.path for each in done.conflicts]) == ([], [LOG])
    assert hub.query("select digest is null from memdown.documents") == [(False,)]


def test_a_file_that_is_there_or_unknown_is_not_deleted_on_the_hub(
    hub: TestHub, copies: tuple[Path, Path], cli: Cli
) -> None:
    push(copies[0], hub)
    ran = cli("push", "--delete", LOG, "--root", str(copies[0]), "--as", "shop")
    assert (ran.code, "still here" in ran.err) == (3, True)
    assert cli("push", "--delete", "memories/none.md", "--root", str(copies[0]), "--as", "shop").code == 1


def test_bytes_that_are_no_text_come_back_as_they_were(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    data = b"\xef\xbb\xbf" + CARD.replace("\n", "\r\n").encode() + b"\r\nlatin \xe9, nul \0 and \xf0\x9f\x98\x80"
    (one / "memories").mkdir()
    (one / f"memories/{ID}.md").write_bytes(data)
    push(one, hub)
    pull(two, hub)
    assert (two / f"memories/{ID}.md").read_bytes() == data


def test_credentials_do_not_go_to_the_hub(hub: TestHub, copies: tuple[Path, Path], cli: Cli) -> None:
    put(copies[0], f"memories/{ID}.md", CARD + "\npassword = 'hV8#kQ2!mZ5&xW1p'\n")
    ran = cli("push", "--root", str(copies[0]), "--as", "shop")
    assert (ran.code, "credential" in ran.err, "kQ2" in ran.err) == (3, True, False)
    assert hub.query("select count(*) from memdown.versions") == [(0,)]
    assert cli("push", "--root", str(copies[0]), "--as", "shop", "--allow-secret").code == 0


@pytest.mark.parametrize(
    "path", ["../outside.md", "/etc/x.md", ".git/hooks/x.md", "src/main.md", "memories/../../x.md"]
)
def test_what_is_pulled_is_not_believed(hub: TestHub, copies: tuple[Path, Path], path: str) -> None:
    one, two = copies
    push(one, hub)
    hub.query("set session_replication_role = replica; update memdown.documents set path = '" + path + "'")
    done = pull(two, hub)
    assert done.received == []
    assert list(two.rglob("*.md")) == []


def test_a_version_that_is_not_what_its_hash_says_is_refused(hub: TestHub, copies: tuple[Path, Path]) -> None:
    push(copies[0], hub)
    hub.query("update memdown.versions set content = content || 'x'")
    with pytest.raises(MemdownError, match="hash"):
        pull(copies[1], hub)
    assert not (copies[1] / LOG).exists()


def test_a_hub_that_is_down_leaves_everything_here_and_the_push_waits(copies: tuple[Path, Path], cli: Cli) -> None:
    dead = "host=127.0.0.1 port=1 user=x dbname=x connect_timeout=2"
    ran = cli("push", dead, "--root", str(copies[0]))
    assert (ran.code, "cannot be reached" in ran.err, "wait here" in ran.err) == (4, True, True)
    with Memory.open(copies[0]) as memory:
        assert working.waiting(memory) is not None
    assert cli("search", "redis", "--root", str(copies[0])).code == 0
    assert "a push has been waiting since" in cli("status", "--root", str(copies[0])).out


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        (f"user={LOCKED} password=wrong", 3, "user and password"),
        (f"user={LOCKED}", 3, "user and password"),
        ("user=nobody_here", 3, "user and password"),
        ("user=postgres dbname=not_there", 4, "createdb"),
    ],
)
def test_who_is_not_let_in_is_told_what_to_look_at(
    hub: TestHub, copies: tuple[Path, Path], cli: Cli, given: str, code: int, told: str
) -> None:
    hub.query(f"do $$ begin create role {LOCKED} login password 'right'; exception when duplicate_object then end $$")
    for words in (("push", "--root", str(copies[0])), ("hub", "status"), ("hub", "init")):
        ran = cli(*words, f"{hub.dsn} {given}")
        assert (ran.code, told in ran.err) == (code, True), ran.err
        assert not any(word in ran.err for word in ("when it is up", "wait here", "connection failed", "wrong")), (
            ran.err
        )


@pytest.mark.parametrize("address", ["foo", "mysql://ann:geheim@hub/memory", "postgresql://ann:gehe%im@hub/memory"])
def test_what_is_no_address_is_told_so_without_its_password(cli: Cli, address: str) -> None:
    ran = cli("hub", "status", address)
    assert (ran.code, "write it like postgresql://" in ran.err, "gehe" in ran.err) == (2, True, False)


@pytest.mark.usefixtures("hub")
def test_where_there_is_no_memory_a_push_does_not_send_whoever_pushes_to_push(cli: Cli) -> None:
    for words in (("push",), ("sync",)):
        ran = cli(*words)
        assert (ran.code, "No memory found" in ran.out, "memdown push" in ran.out) == (0, True, False)
    assert "`memdown push` sends" in cli("pull").out


def test_a_server_that_is_too_old_is_named(hub: TestHub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "OLDEST", 99)
    ran = cli("hub", "upgrade", hub.dsn)
    assert (ran.code, "PostgreSQL 99 or newer" in ran.err) == (3, True)


def test_a_hub_that_was_restored_half_way_is_told_so(hub: TestHub, copies: tuple[Path, Path], cli: Cli) -> None:
    hub.query("delete from memdown.hubs")
    for words in (("hub", "status"), ("push", "--root", str(copies[0]))):
        ran = cli(*words)
        assert (ran.code, "restore it again" in ran.err) == (4, True)


def test_a_hub_is_restored_from_its_dump(postgres: Server, hub: TestHub, copies: tuple[Path, Path]) -> None:
    push(copies[0], hub)
    name, dump = f"{hub.name}_restored", str(postgres.folder / f"{hub.name}.dump")
    to = ("-h", "127.0.0.1", "-p", str(postgres.port), "-U", "postgres")
    postgres.run("pg_dump", *to, "-Fc", "-f", dump, hub.name)
    postgres.run("createdb", *to, name)
    postgres.run("pg_restore", *to, "-d", name, dump)
    with Memory.open(copies[0]) as memory:
        assert exchange.sync(memory, postgres.dsn(name), name="shop").revision == 1
    append(copies[0], ENTRY.format(2, "Restored", "It goes on."))
    with Memory.open(copies[0]) as memory:
        assert exchange.push(memory, postgres.dsn(name), name="shop").sent == [LOG]


def test_a_database_of_another_encoding_is_refused(postgres: Server, cli: Cli) -> None:
    with psycopg.connect(postgres.dsn(), autocommit=True) as db:
        db.execute("create database ascii_database template template0 encoding sql_ascii locale 'C'")
    ran = cli("hub", "init", postgres.dsn("ascii_database"))
    assert (ran.code, "createdb -E UTF8 -T template0" in ran.err) == (3, True)


def test_an_extension_that_is_not_there_is_named_with_its_package(hub: TestHub) -> None:
    with pytest.raises(MemdownError, match="contrib"), connection.asked(hub.dsn) as db:
        db.execute("create extension of_nobody")


def test_a_role_that_may_not_make_a_hub_is_told_who_may(postgres: Server, hub: TestHub, cli: Cli) -> None:
    hub.login("visitor")
    with psycopg.connect(postgres.dsn(), autocommit=True) as db:
        db.execute("create database foreign_database")
    ran = cli("hub", "init", postgres.dsn("foreign_database", "visitor"))
    assert (ran.code, "owner of the database" in ran.err) == (3, True)


def test_a_connection_that_is_lost_within_a_push_is_told_in_one_sentence(
    hub: TestHub, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with client.opened(hub.dsn, "shop") as remote:

        def lost(value: object) -> str:
            hub.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'memdown'")
            return str(value)

        monkeypatch.setattr("memdown.hub.store.as_json", lost)
        with pytest.raises(HubDown):
            remote.publish([DocumentChange(LOG, LOG, b"# Decisions", None)], ProjectFacts())
    assert caplog.messages == []


def test_a_push_of_nothing_new_does_not_wait(hub: TestHub, copies: tuple[Path, Path], cli: Cli) -> None:
    one = copies[0]
    push(one, hub)
    dead = ("push", "host=127.0.0.1 port=1 user=x dbname=x connect_timeout=2", "--root", str(one))
    ran = cli(*dead)
    assert (ran.code, "cannot be reached" in ran.err, "wait here" in ran.err) == (4, True, False)
    with Memory.open(one) as memory:
        assert working.waiting(memory) is None
    append(one, ENTRY.format(9, "New", "Something."))
    assert "wait here" in cli(*dead).err
    with Memory.open(one) as memory:
        assert working.waiting(memory) is not None


def test_rows_are_derived_before_the_project_is_locked(hub: TestHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the many of a first push: the database writes some of them while others are made."""
    free = "select project from memdown.projects for update skip locked"
    made = rows._records
    seen: list[object] = []

    def watched(tables: rows.Tables, languages: Mapping[str, str], numbers: rows.Numbers) -> rows.Rows:
        seen.append(len(hub.query(free)))
        return made(tables, languages, numbers)

    log = "# Decisions\n" + "".join(ENTRY.format(day, f"Title {day}", "Text.") for day in range(1, 29)) * 3
    with client.opened(hub.dsn, "shop") as remote:
        monkeypatch.setattr(rows, "_records", watched)
        remote.publish([DocumentChange("memories/x.md", "memories/x.md", b"# x", None)], ProjectFacts())
        assert seen == [0]  # the project is not there yet
        remote.publish([DocumentChange("memories/y.md", "memories/y.md", b"# y", None)], ProjectFacts())
        assert seen == [0, 1]
        remote.publish([DocumentChange(LOG, LOG, log.encode(), None)], ProjectFacts())
        assert (seen[:2], set(seen[2:])) == ([0, 1], {0})
        assert len(seen) > 4
        del seen[:]
        changed = log.replace("Text.", "Other.", 50) + ENTRY.format(1, "New", "Text.")
        remote.publish([DocumentChange(LOG, LOG, changed.encode(), digest_of(log.encode()))], ProjectFacts())
        assert set(seen) == {1}
    written = hub.query(f"select id, line, body from memdown.records where path = '{LOG}' order by number")
    expected = [
        (row["id"], row["line"], row["body"])
        for part in rows.DerivedRows([rows.HubText(LOG, LOG, changed.encode())]).parts()
        for row in part.records
    ]
    assert written == expected


def test_a_document_that_is_there_keeps_its_records_beside_one_that_is_new(hub: TestHub) -> None:
    log = ("# Decisions\n" + ENTRY.format(1, "Kept", "Text.")).encode()
    with client.opened(hub.dsn, "shop") as remote:
        first = DocumentChange(LOG, LOG, log, None)
        remote.publish([first], ProjectFacts())
        done = remote.publish([first, DocumentChange("memories/x.md", "memories/x.md", b"# x", None)], ProjectFacts())
    assert done.sent == ["memories/x.md"]
    assert hub.query(f"select count(*) from memdown.records where path = '{LOG}' and title = 'Kept'") == [(1,)]


def test_a_push_that_waited_is_sent(hub: TestHub, copies: tuple[Path, Path]) -> None:
    with Memory.open(copies[0]) as memory:
        working.wait(memory, "shop")
    assert push(copies[0], hub).sent == [LOG]
    with Memory.open(copies[0]) as memory:
        assert working.waiting(memory) is None


def test_a_lost_state_loses_nothing(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    (two / ".memdown/hub.json").unlink()
    assert sync(two, hub).merged == []
    (two / ".memdown/hub.json").write_text("{broken")
    append(one, ENTRY.format(2, "New", "Text of one."))
    push(one, hub)
    append(two, ENTRY.format(3, "Other", "Text of two."))
    sync(two, hub)
    assert all(text in (two / LOG).read_text() for text in ("Text of one.", "Text of two."))


class _Mute(client.DirectProject):
    """Takes what is published, and the connection is lost before it can say so."""

    def publish(self, changes: Sequence[DocumentChange], facts: ProjectFacts) -> Published:
        super().publish(changes, facts)
        raise HubDown("the hub went away")


def push_unanswered(root: Path, hub: TestHub) -> None:
    with Memory.open(root) as memory, connection.asked(hub.dsn) as db, pytest.raises(HubDown):
        WorkingCopy(memory, _Mute(db, "shop"), "shop").exchange(send=True, receive=True)


def edit(root: Path, old: str, new: str) -> None:
    path = root / LOG
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize("first", ["one", "two"])
def test_what_arrived_without_an_answer_is_not_sent_again_over_what_others_made_of_it(
    hub: TestHub, copies: tuple[Path, Path], first: str
) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    append(one, ENTRY.format(2, "From one", "Text of one."))
    if first == "two":  # what one sends is merged then
        append(two, ENTRY.format(3, "From two", "Text of two."))
        push(two, hub)
    push_unanswered(one, hub)
    pull(two, hub)
    edit(two, "Text of one.", "Text of one, corrected by two.")
    push(two, hub)
    done = sync(one, hub)
    assert (done.sent, done.conflicts) == ([], [])
    text = (one / LOG).read_text()
    assert text == (two / LOG).read_text()
    assert (text.count("Text of one, corrected by two."), text.count("Text of one.")) == (1, 0)


def test_what_arrived_without_an_answer_is_the_base_of_what_is_changed_next(
    hub: TestHub, copies: tuple[Path, Path]
) -> None:
    one, two = copies
    push_unanswered(one, hub)
    pull(two, hub)
    edit(two, "every request wrote a row", "every request wrote two rows")
    push(two, hub)
    append(one, ENTRY.format(2, "From one", "Text of one."))
    assert sync(one, hub).conflicts == []
    text = (one / LOG).read_text()
    assert (text.count("two rows"), text.count("wrote a row"), text.count("Text of one.")) == (1, 0, 1)


def test_what_did_not_arrive_is_sent_again(hub: TestHub, copies: tuple[Path, Path]) -> None:
    one, two = copies
    push(one, hub)
    pull(two, hub)
    append(one, ENTRY.format(2, "From one", "Text of one."))
    with Memory.open(one) as memory:
        [(id, state)] = working.states(memory).items()
        state.sending = {LOG: [("00" * 32, "11" * 32)]}
        working.remember(memory, id, state)
    append(two, ENTRY.format(3, "From two", "Text of two."))
    push(two, hub)
    assert sync(one, hub).sent == [LOG]
    with Memory.open(one) as memory:
        assert working.states(memory)[id].sending == {}


def test_pushes_at_once_lose_nothing(hub: TestHub, tmp_path: Path) -> None:
    roots = [tmp_path / f"copy{number}" for number in range(4)]
    for number, root in enumerate(roots):
        put(root, LOG, FIRST + ENTRY.format(number + 2, f"From {number}", f"Text of {number}."))
    failed: list[BaseException] = []

    def work(root: Path) -> None:
        try:
            sync(root, hub)
        except MemdownError as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(root,)) for root in roots]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failed == []
    for root in roots:
        sync(root, hub)
    texts = {(root / LOG).read_text() for root in roots}
    assert len(texts) == 1
    assert all(texts.copy().pop().count(f"Text of {number}.") == 1 for number in range(4))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)
@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(["append", "edit", "sync", "push", "pull"])), max_size=8))
def test_any_order_of_changes_ends_with_the_same_files(
    hub: TestHub, tmp_path: Path, steps: list[tuple[int, str]]
) -> None:
    hub.query("truncate memdown.projects cascade")
    place = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
    roots = (place / "one", place / "two")
    written: list[str] = []
    for root in roots:
        put(root, LOG, FIRST)
    for number, (which, act) in enumerate(steps):
        root = roots[which]
        if act in ("append", "edit"):
            written.append(f"Text {number} of {which}.")
            append(root, ENTRY.format(number + 2, f"Entry {number} of {which}", written[-1]))
        else:
            {"sync": sync, "push": push, "pull": pull}[act](root, hub)
    for root in (*roots, *roots):
        sync(root, hub)
    texts = {(root / LOG).read_text() for root in roots}
    assert len(texts) == 1
    assert all(text in texts.copy().pop() for text in written)


# Commits


def repository(root: Path) -> None:
    git("-C", str(root), "init", "-q", "-b", "main")
    git("-C", str(root), "remote", "add", "origin", "https://user:secret@github.com/acme/shop.git")


def test_the_memory_of_a_commit_is_published(hub: TestHub, tmp_path: Path, cli: Cli) -> None:
    root = tmp_path / "project"
    put(root, LOG, FIRST)
    put(root, f"memories/{ID}.md", CARD)
    repository(root)
    commit("2026-01-02T00:00:00Z")
    append(root, ENTRY.format(2, "Not committed", "Text."))
    done = cli("push", "--commit", "HEAD", "--json").json()
    assert (sorted(done["sent"]), done["project"]) == ([LOG, f"memories/{ID}.md"], "github.com/acme/shop")
    assert cli("push", "--commit", "HEAD", "--json").json()["sent"] == []
    [(url, first)] = hub.query("select url, commit from memdown.projects")
    assert (url, len(str(first))) == ("https://github.com/acme/shop", 40)
    (root / f"memories/{ID}.md").unlink()
    commit("2026-01-03T00:00:00Z")
    done = cli("push", "--commit", "HEAD", "--json").json()
    assert (done["sent"], done["deleted"]) == ([LOG], [f"memories/{ID}.md"])
    assert "newer commit" in cli("push", "--commit", str(first)).err
    assert hub.query("select count(*) from memdown.history where at < '2026-01-03T00:00:00Z'") == [(2,)]


def test_what_was_written_on_the_hub_stays_when_a_commit_comes(hub: TestHub, tmp_path: Path, cli: Cli) -> None:
    root = tmp_path / "project"
    put(root, LOG, FIRST)
    repository(root)
    commit("2026-01-02T00:00:00Z")
    assert cli("push", "--commit", "HEAD").code == 0
    other = tmp_path / "agent"
    other.mkdir()
    with Memory.open(other) as memory:
        exchange.pull(memory, hub.dsn, name="github.com/acme/shop")
    append(other, ENTRY.format(5, "From an agent", "Text of the agent."))
    with Memory.open(other) as memory:
        exchange.push(memory, hub.dsn, name="github.com/acme/shop")
    append(root, ENTRY.format(6, "From git", "Text of git."))
    commit("2026-01-04T00:00:00Z")
    assert cli("push", "--commit", "HEAD", "--json").json()["merged"] == [LOG]
    assert cli("push", "--commit", "HEAD", "--json").json()["sent"] == []
    [(content,)] = hub.query(
        "select v.content from memdown.documents d join memdown.versions v using (project, digest)"
    )
    assert b"Text of the agent." in bytes(content)  # type: ignore[call-overload]
    assert b"Text of git." in bytes(content)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("git@github.com:acme/shop.git", "github.com/acme/shop"),
        ("https://token:x@gitlab.example.com:8443/group/sub/shop", "gitlab.example.com/group/sub/shop"),
        ("ssh://git@host.example:22/acme/shop.git/", "host.example/acme/shop"),
        ("/srv/git/shop.git", None),
        ("../elsewhere", None),
    ],
)
def test_a_project_is_called_as_its_origin(tmp_path: Path, url: str, name: str | None) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    git("-C", str(tmp_path), "remote", "add", "origin", url)
    assert working.origin(tmp_path) == name


def test_a_server_without_room_is_told_at_once(hub: TestHub) -> None:
    asked = []

    def full() -> None:
        asked.append(1)
        with connection.asked(hub.dsn) as db:
            db.execute(
                "do $$ begin raise 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$"
            )

    with pytest.raises(connection.HubDown, match=r"no room left \(could not extend file: No space left on device\)"):
        connection.retried(full)
    assert asked == [1]
