"""Who may see and change what on a hub: tried as strangers, as readers, and with SQL that somebody smuggled in."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import Ran
from hub_server import NO_CLIENT, Server, TestHub, new_hub
from memdown import Memory
from memdown.errors import MemdownError, Refused
from memdown.hub import access, client, exchange
from memdown.hub.calls import ProposalsCall, ProtectCall, SearchCall, TakeCall
from memdown.hub.connection import TOKEN
from samples import put
from test_hub import ENTRY, FIRST, LOG, append
from test_hub_search import NOW, PROJECTS, log, publish

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = pytest.importorskip("psycopg", reason=NO_CLIENT)

Cli = Callable[..., Ran]
TABLES = (
    "hubs languages migrations principals grants tokens projects versions documents history records links findings audit"
    " proposals clients authorizations"
).split()
OPEN = {"hubs": 1, "languages": None, "migrations": None}
"""What everybody who may use a hub sees, as it is nobody's."""
SECRET = "hunter2-in-production"


@pytest.fixture(scope="module")
def shared(postgres: Server) -> Iterator[TestHub]:
    """A hub with three projects: ann reads and writes one, bob reads it, eve may log in and has no right."""
    with new_hub(postgres) as hub:
        for project, entries in PROJECTS.items():
            publish(hub, project, log(entries))
        for name, right in (("ann", "write"), ("bob", "read"), ("cem", "admin")):
            hub.login(name)
            access.grant(hub.dsn, name, right, "github.com/acme/shop")
        hub.login("eve")
        hub.login("dee")
        access.grant(hub.dsn, "dee", "read", "github.com/acme/*")
        yield hub


def rows(hub: TestHub, role: str, table: str) -> int:
    [(number,)] = hub.query(f"select count(*) from memdown.{table}", dsn=hub.login(role))
    assert isinstance(number, int)
    return number


@pytest.mark.parametrize("table", TABLES)
def test_a_stranger_sees_no_row_of_any_table(shared: TestHub, table: str) -> None:
    if table in OPEN:
        return
    assert rows(shared, "eve", table) == 0


def test_every_table_is_tried(shared: TestHub) -> None:
    known = shared.query(
        "select relname from pg_class where relnamespace = 'memdown'::regnamespace and relkind in ('r', 'p')"
        " and not relispartition"
    )
    assert sorted(str(name) for (name,) in known) == sorted(TABLES)


def test_a_partition_is_no_way_around(shared: TestHub) -> None:
    parts = shared.query(
        "select relname from pg_class where relnamespace = 'memdown'::regnamespace and relispartition and relkind = 'r'"
    )
    assert parts
    with psycopg.connect(shared.login("eve"), autocommit=True) as db:
        for (name,) in parts:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute(f"select * from memdown.{name}".encode())


WRITES = {
    "insert": "insert into memdown.{table} select * from memdown.{table}",
    "insert a project": "insert into memdown.projects (project) values ('github.com/acme/stolen')",
    "insert a version": "insert into memdown.versions (project, digest, content, created_by) values ('github.com/acme/shop', sha256('x'), 'x', 'eve')",
    "insert a grant": "insert into memdown.grants (project, principal, may, granted_by) values ('*', 'eve', 'admin', 'eve')",
    "insert a token": "insert into memdown.tokens (digest, principal, may, expires_at) values (sha256('x'), 'postgres', 'admin', now() + '1 day')",
    "update a revision": "update memdown.projects set revision = 99",
    "update a record": "update memdown.records set superseded = true",
    "update a grant": "update memdown.grants set may = 'admin', granted_by = 'eve'",
    "delete records": "delete from memdown.records",
    "delete findings": "delete from memdown.findings",
    "delete grants": "delete from memdown.grants",
    "truncate": "truncate memdown.{table} cascade",
    "drop a policy": "drop policy reading on memdown.{table}",
    "turn it off": "alter table memdown.{table} disable row level security",
    "become the owner": "set role postgres",
    "become the definer": "set role memdown_definer",
    "redact": "select memdown.redact('github.com/acme/shop', 'Redis', 'x')",
    "protect": "select memdown.protect('github.com/acme/shop', true)",
    "note a language": "insert into memdown.languages (language) values ('norwegian')",
    "note what is no language": "insert into memdown.languages (language) values ('zzz')",
    "read hashes": "select digest from memdown.tokens",
    "who am I": "select memdown.token()",
}


def counted(hub: TestHub) -> list[object]:
    return [
        hub.query(
            f"select count(*), md5(coalesce(string_agg(t::text, ',' order by t::text), '')) from memdown.{table} t"
        )
        for table in TABLES
    ]


@pytest.mark.parametrize("who", ["eve", "bob"])
def test_nothing_changes_by_any_statement_of_who_may_not_write(shared: TestHub, who: str) -> None:
    before = counted(shared)
    with psycopg.connect(shared.login(who), autocommit=True) as db:
        for table, statement in itertools.product(TABLES, WRITES.values()):
            try:
                done = db.execute(statement.format(table=table).encode())
            except psycopg.Error:
                continue
            assert done.rowcount in (0, -1), statement
            db.execute("reset role")
    assert counted(shared) == before


def test_a_language_that_is_none_ends_no_question(hub: TestHub) -> None:
    publish(hub, "github.com/acme/shop", log(PROJECTS["github.com/acme/shop"]))
    hub.login("ann")
    access.grant(hub.dsn, "ann", "write", "github.com/acme/shop")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        hub.query("insert into memdown.languages (language) values ('zzz')", dsn=hub.login("ann"))
    hub.query("insert into memdown.languages (language) values ('zzz')")  # as before, by whom nothing hinders
    assert hub.query("select memdown.asked('kafka', 'word')::text") != []


def test_who_only_listens_is_told_no_name_of_a_project(hub: TestHub) -> None:
    with psycopg.connect(hub.login("eve"), autocommit=True) as db:
        db.execute("listen memdown")
        publish(hub, "github.com/acme/hidden", log(PROJECTS["github.com/acme/shop"]))
        [told] = db.notifies(timeout=60, stop_after=1)
        assert "hidden" not in told.payload


def test_functions_that_see_all_rows_tell_only_those_that_may_be_seen(shared: TestHub) -> None:
    everything = 'select * from memdown.candidates(\'[]\', \'{"is": "all", "of": []}\', null, 1000)'
    like = 'select * from memdown.spelled_like(\'use\', \'{"is": "all", "of": []}\', null, 1000)'
    for statement in (everything, like):
        assert shared.query(statement, dsn=shared.login("eve")) == []
        assert {row[0] for row in shared.query(statement, dsn=shared.login("bob"))} == {"github.com/acme/shop"}
        seen = {row[0] for row in shared.query(statement, dsn=shared.login("dee"))}
        assert seen == {"github.com/acme/shop", "github.com/acme/billing"}
    other = everything.replace("null", "'github.com/acme/billing'")
    assert shared.query(other, dsn=shared.login("bob")) == []


INJECTED = [
    '{"is": "kind", "value": "x\') or true or (\'\' = \'"}',
    '{"is": "id", "value": "\' or true --"}',
    '{"is": "project", "value": "%"}',
    '{"is": "after", "value": "\' or true --", "instant": null}',
    '{"is": "path", "value": "\\\\\' or true --"}',
    '{"is": "has", "value": "x"}',
    '{"is": "all", "of": [{"is": "any", "of": []}]}',
    '{"is": "true) or (true", "value": ""}',
    '{"is": "stale", "instant": "1) or (true"}',
    '{"is": "term", "value": "\') or true --", "form": "prefix"}',
    '{"is": "kind"}',
    "{}",
    "[]",
    "null",
]


@pytest.mark.parametrize("tree", INJECTED)
def test_a_condition_that_was_made_up_shows_nothing_more(shared: TestHub, tree: str) -> None:
    for who, allowed in (("eve", set()), ("bob", {"github.com/acme/shop"})):
        try:
            found = shared.query(
                "select project from memdown.candidates('[]', %s::jsonb, null, 1000)", tree, dsn=shared.login(who)
            )
        except psycopg.Error:
            continue
        assert {row[0] for row in found} <= allowed


CARELESS = [
    "select set_config('memdown.token', '', false)",
    "reset memdown.token",
    "reset all",
    "select set_config('memdown.token', 'postgres', false)",
    "select set_config('memdown.principal', 'postgres', false)",
    "set session authorization postgres",
    "set role postgres",
    "set row_security = off",
    "create function pg_temp.principal() returns text language sql return 'postgres'; set search_path = pg_temp, memdown",
    "create temp table grants as select '*'::text as project, session_user::text as principal, 'admin'::text as may",
]


@pytest.mark.parametrize("smuggled", CARELESS)
def test_a_server_that_runs_what_somebody_smuggled_in_shows_only_what_they_may_see(
    shared: TestHub, smuggled: str
) -> None:
    """A role of a server, which has no right of its own, with the token of somebody who may read one project."""
    server = shared.login("front")
    token = access.issue(shared.dsn, "bob", may="read").token
    with psycopg.connect(server, autocommit=True) as db:
        db.execute("select set_config('memdown.token', %s, false)", (token,))
        assert {row[0] for row in db.execute("select project from memdown.records")} == {"github.com/acme/shop"}
        with suppress(psycopg.Error):
            db.execute(smuggled.encode())
        try:
            seen = {row[0] for row in db.execute("select project from memdown.records")}
            told = {
                row[0]
                for row in db.execute(
                    'select project from memdown.candidates(\'[]\', \'{"is": "all", "of": []}\', null, 99)'
                )
            }
        except psycopg.Error:
            return
        assert seen | told <= {"github.com/acme/shop"}


def test_a_reader_reads_and_a_writer_writes(shared: TestHub, tmp_path: Path) -> None:
    put(tmp_path, LOG, FIRST + ENTRY.format(9, "Trailers are lazy", "The body comes first."))
    with Memory.open(tmp_path) as memory, pytest.raises(Refused):
        exchange.push(memory, shared.login("bob"), name="github.com/acme/shop")
    with Memory.open(tmp_path) as memory, pytest.raises(Refused):
        exchange.push(memory, shared.login("ann"), name="github.com/acme/other")
    with Memory.open(tmp_path) as memory:
        assert exchange.sync(memory, shared.login("ann"), name="github.com/acme/shop").merged == [LOG]
    for who, expected in (("eve", 0), ("bob", 1)):
        found = client.ask(shared.login(who), SearchCall(query="kafka events", now=NOW))
        assert len({place.project for place in found.places}) == expected
    with pytest.raises(Refused):
        access.grant(shared.login("ann"), "eve", "read", "github.com/acme/shop")


def test_who_has_no_right_is_told_so(
    shared: TestHub, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMDOWN_HUB", shared.login("eve"))
    for words in (("grants",), ("tokens",), ("clients",), ("audit",), ("proposals",)):
        ran = cli("hub", *words)
        assert (ran.code, ran.out.count("\n"), ran.out.endswith(".\n")) == (0, 1, True), words
    assert "You have no right to read anything on this hub" in cli("search", "--hub", "kafka").err
    assert cli("search", "--hub", shared.login("bob"), "nothinglikeit").err == ""
    ran = cli("hub", "grant", "dee", "read")
    assert (ran.code, "row-level" in ran.err, "hub grants" in ran.err) == (3, False, True)
    assert "No memories on the hub about" in cli("context", "--hub", "kafka").err
    assert cli("stats", "--hub").out == "0 projects, 0 documents, 0 records, 0 findings\n"
    assert "nothing of it that you may see" in cli("pull", "--as", "github.com/acme/shop").out
    shared.query("do $$ begin create role outsider login; exception when duplicate_object then null; end $$")
    ran = cli("push", shared.server.dsn(shared.name, "outsider"), "--root", str(tmp_path))
    assert (ran.code, "grant memdown_client to" in ran.err) == (3, True)


def test_rights_are_given_by_admins_of_the_project_alone(shared: TestHub) -> None:
    cem = shared.login("cem")
    access.grant(cem, "bob", "read", "github.com/acme/shop")
    for project in ("*", "github.com/acme/*", "github.com/acme/billing"):
        with pytest.raises(Refused):
            access.grant(cem, "bob", "read", project)
    assert {each.project for each in access.grants(cem)} == {"github.com/acme/shop"}
    assert [each.project for each in access.grants(shared.login("eve"))] == []
    assert all(each.project == "github.com/acme/shop" for each in access.audit(cem))
    assert access.audit(shared.login("bob")) == []


def test_tokens_are_hashed_expire_and_end(hub: TestHub) -> None:
    publish(hub, "github.com/acme/shop", log(PROJECTS["github.com/acme/shop"]))
    access.grant(hub.dsn, "robot", "write", "github.com/acme/shop", kind="agent")
    made = access.issue(hub.dsn, "robot", may="read", name="night", days=1)
    front = hub.login("front")
    assert hub.query("select count(*) from memdown.tokens t where position(%s in t::text) > 0", made.token) == [(0,)]

    def seen() -> tuple[int, str | None]:
        with psycopg.connect(front, autocommit=True) as db:
            db.execute("select set_config('memdown.token', %s, false)", (made.token,))
            [(number,)] = db.execute("select count(*) from memdown.records").fetchall()
            [(who,)] = db.execute("select memdown.use_token()").fetchall()
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                db.execute("insert into memdown.findings values ('github.com/acme/shop', 'x', 0, 'X', 'error', 1, 'x')")
            return number, who

    assert seen()[0] > 0
    assert access.tokens(hub.dsn)[0].last_used_at is not None
    hub.query("update memdown.tokens set expires_at = now() - interval '1 second'")
    assert seen() == (0, None)
    hub.query("update memdown.tokens set expires_at = now() + interval '1 day'")
    assert seen()[0] > 0
    assert access.end_tokens(hub.dsn, "robot", "night") == 1
    assert seen() == (0, None)


def test_a_token_says_who_asks_whatever_role_logs_in(hub: TestHub, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for project in ("github.com/acme/shop", "github.com/other/secret"):
        publish(hub, project, log(PROJECTS["github.com/acme/shop"]))
    access.grant(hub.dsn, "robot", "read", "github.com/acme/shop")
    monkeypatch.setenv(TOKEN, access.issue(hub.dsn, "robot", may="read").token)  # the role that logs in may see all
    assert cli("stats", "--hub", "--json").json()["projects"] == 1
    assert cli("hub", "status", "--json").json()["principal"] == "robot"
    monkeypatch.setenv(TOKEN, "")
    assert access.tokens(hub.dsn)[0].last_used_at is not None
    monkeypatch.setenv(TOKEN, "mdh_none")
    for words in (("search", "--hub", "kafka"), ("stats", "--hub"), ("pull",), ("push",), ("hub", "status")):
        ran = cli(*words)
        assert (ran.code, ran.out, "token in MEMDOWN_HUB_TOKEN is invalid" in ran.err) == (3, "", True), words
    assert cli("hub", "upgrade").code == 0  # is done by whoever owns the tables


def test_a_secret_is_taken_out_of_a_protected_project_and_nothing_else_changes(hub: TestHub, tmp_path: Path) -> None:
    put(tmp_path, LOG, FIRST + ENTRY.format(2, "The password", f"It is {SECRET}."))
    with Memory.open(tmp_path) as memory:
        exchange.push(memory, hub.dsn, name="shop")
        hub.query("select memdown.protect('shop', true)")
        assert access.redact(hub.dsn, "shop", SECRET).documents == [LOG]
        assert exchange.pull(memory, hub.dsn, name="shop").received == [LOG]
        assert SECRET not in (tmp_path / LOG).read_text()
        append(tmp_path, ENTRY.format(3, "More", "Of it."))
        with pytest.raises(Refused, match="protected"):
            exchange.push(memory, hub.dsn, name="shop")


def test_a_secret_is_taken_out_of_every_version(hub: TestHub, tmp_path: Path, cli: Cli) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    two.mkdir()
    put(one, LOG, FIRST + ENTRY.format(2, "The password", f"It is {SECRET}."))
    with Memory.open(one) as memory:
        exchange.push(memory, hub.dsn, name="shop")
    append(one, ENTRY.format(3, "More", f"Still {SECRET}, twice {SECRET}."))
    for root in (one, two):
        with Memory.open(root) as memory:
            exchange.sync(memory, hub.dsn, name="shop")
    ran = cli("hub", "redact", "shop", "--json", stdin=f"{SECRET}\n")
    assert (ran.code, ran.json()) == (0, {"versions": 2, "documents": [LOG]})
    dumped = "".join(str(hub.query(f"select t::text, '' from memdown.{table} t")) for table in TABLES)
    assert SECRET not in dumped
    assert SECRET.encode().hex() not in dumped
    assert "redact" in dumped
    with Memory.open(two) as memory:
        assert exchange.pull(memory, hub.dsn, name="shop").received == [LOG]
    assert SECRET not in (two / LOG).read_text()
    assert (two / LOG).read_text().count("[redacted]") == 3
    (one / ".memdown/hub.json").unlink()
    hub.login("ann")
    access.grant(hub.dsn, "ann", "write", "shop")
    with pytest.raises(Refused):
        access.redact(hub.login("ann"), "shop", "Redis")
    put(tmp_path / "three", LOG, FIRST + ENTRY.format(2, "The password", f"It is {SECRET}."))
    hub.query("truncate memdown.documents cascade")
    with Memory.open(tmp_path / "three") as memory, pytest.raises(Refused, match="removed from"):
        exchange.push(memory, hub.dsn, name="shop")


def test_a_protected_project_takes_what_somebody_else_has_taken(hub: TestHub, tmp_path: Path) -> None:
    put(tmp_path, LOG, FIRST)
    for name in ("ann", "bob"):
        hub.login(name)
        access.grant(hub.dsn, name, "write", "shop")
    ann, bob = hub.login("ann"), hub.login("bob")
    with Memory.open(tmp_path) as memory:
        exchange.push(memory, hub.dsn, name="shop")
        client.ask(hub.dsn, ProtectCall(project="shop", protected=True))
        with pytest.raises(Refused):
            client.ask(ann, ProtectCall(project="shop", protected=False))
        append(tmp_path, ENTRY.format(2, "Proposed", "Text."))
        with pytest.raises(Refused, match="protected"):
            exchange.push(memory, ann, name="shop")
        [first] = client.propose(memory, ann, name="shop")
        assert [each.id for each in client.propose(memory, ann, name="shop")] == [first.id]
        with pytest.raises(Refused, match="yourself"):
            client.ask(ann, TakeCall(id=first.id))
        append(tmp_path, ENTRY.format(3, "Changed", "Text."))
        [second] = client.propose(memory, ann, name="shop")
        with pytest.raises(MemdownError, match="no open proposal"):
            client.ask(bob, TakeCall(id=first.id))
        with pytest.raises(Refused, match="protected"):
            exchange.push(memory, ann, name="shop")
        assert client.ask(bob, TakeCall(id=second.id[:8])).path == LOG
        assert exchange.sync(memory, ann, name="shop").sent == []
    assert client.ask(hub.dsn, ProposalsCall()) == []
    forged = "insert into memdown.proposals (project, path, canonical, digest, proposed_by) select project, path, canonical, digest, 'bob' from memdown.documents"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        hub.query(forged, dsn=ann)


@pytest.mark.usefixtures("hub")
def test_the_commands_of_admins(cli: Cli) -> None:
    assert (
        cli("hub", "grant", "ann", "write", "--project", "github.com/acme/*").out == "ann may write github.com/acme/*\n"
    )
    assert cli("hub", "grants", "--json").json()[-1]["principal"] == "ann"
    token = cli("hub", "token", "ann", "--name", "laptop").out.strip()
    assert token.startswith("mdh_")
    assert token not in cli("hub", "tokens").out
    assert "laptop" in cli("hub", "tokens").out
    assert cli("hub", "token", "ann", "--end").out == "Revoked 1 token of ann\n"
    assert cli("hub", "token", "ann", "--end").code == 1
    assert cli("hub", "token", "ann", "--days", "0").code == 2
    assert cli("hub", "revoke", "ann", "--project", "github.com/acme/*").code == 0
    assert cli("hub", "revoke", "ann", "--project", "github.com/acme/*").code == 1
    assert [each["act"] for each in cli("hub", "audit", "--json").json()] == ["revoke", "end-token", "token", "grant"]
    assert cli("hub", "protect", "none").code == 1
    assert cli("hub", "proposals").code == 0
    assert cli("hub", "take", "none").code == 1
