"""Questions to a hub, over many projects: the same language, the same hits, the same ranking as in a working copy."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import Ran
from hub_server import NO_CLIENT, Server, TestHub, new_hub
from memdown import Memory
from memdown.hub import client, schema, search, store
from memdown.hub.calls import SearchCall
from memdown.hub.questions import positions
from memdown.hub.rows import language, words
from memdown.hub.store import DocumentChange, ProjectFacts
from samples import put
from test_hub import ENTRY, LOG

if TYPE_CHECKING:
    import psycopg
else:
    psycopg = pytest.importorskip("psycopg", reason=NO_CLIENT)

Cli = Callable[..., Ran]
NOW = datetime.fromisoformat("2026-02-01T12:00:00+00:00")
PROJECTS = {
    "github.com/acme/shop": [
        (1, "Use Kafka for events", "Webhooks are idempotent: each delivery has a key in `webhook_deliveries`.", "Ann"),
        (2, "Sessions live in Redis", "In the database, every request wrote a row.", "Ann"),
    ],
    "github.com/acme/billing": [
        (3, "Use RabbitMQ for events", "Kafka was too heavy for four messages a minute.", "Bob"),
        (4, "Money is kept in cents", "Floats lost a cent in every thousandth invoice, getUserById did too.", "Bob"),
    ],
    "gitlab.example.com/other/site": [
        (
            5,
            "Die Sitzungen liegen in der Datenbank",
            "Wir haben keinen Redis und wollen auch keinen für die Zählungen.",
            "Cem",
        ),
    ],
}


def log(entries: Sequence[tuple[int, str, str, str]]) -> bytes:
    texts = (ENTRY.format(day, title, text).replace("Ann", who) for day, title, text, who in entries)
    return ("# Decisions\n\n" + "".join(texts)).encode()


def publish(hub: TestHub, project: str, content: bytes, *, over: bytes | None = None, at: str | None = None) -> None:
    commit = "c" * 40 if at is None else at.encode().hex()[:40].ljust(40, "0")
    moment = None if at is None else datetime.fromisoformat(at)
    facts = ProjectFacts(f"https://{project}", "main", commit, moment)
    with client.opened(hub.dsn, project) as remote:
        done = remote.publish([DocumentChange(LOG, LOG, content, over)], facts)
    assert done.moved == []


@pytest.fixture(scope="module")
def filled(postgres: Server) -> Iterator[TestHub]:
    """A hub of three projects, which no test changes."""
    with new_hub(postgres) as hub:
        for project, entries in PROJECTS.items():
            publish(hub, project, log(entries))
        yield hub


@pytest.fixture
def full(filled: TestHub, monkeypatch: pytest.MonkeyPatch) -> TestHub:
    """The same; `MEMDOWN_HUB` names it."""
    monkeypatch.setenv("MEMDOWN_HUB", filled.dsn)
    monkeypatch.delenv("MEMDOWN_HUB_TOKEN", raising=False)
    return filled


def titles(hub: TestHub, text: str, limit: int = 10) -> list[str | None]:
    found = client.ask(hub.dsn, SearchCall(query=text, limit=limit, now=NOW))
    return [hit.mark.record.title for hit in found.hits]


@pytest.mark.parametrize(
    ("asked", "first"),
    [
        ("idempotent webhooks", "Use Kafka for events"),
        ("idempotente webhook", "Use Kafka for events"),
        ("deliveries", "Use Kafka for events"),
        ("webhook_deliveries", "Use Kafka for events"),
        ('"every request wrote"', "Sessions live in Redis"),
        ("invoic*", "Money is kept in cents"),
        ("user by id", "Money is kept in cents"),
        ("Zaehlung OR Zählung", "Die Sitzungen liegen in der Datenbank"),
        ("zahlungen", "Die Sitzungen liegen in der Datenbank"),
        ("rabbitmk", "Use RabbitMQ for events"),
        ("rabbit", "Use RabbitMQ for events"),
        ("redis project:shop", "Sessions live in Redis"),
        ("redis project:other/site", "Die Sitzungen liegen in der Datenbank"),
        ("events author:bob", "Use RabbitMQ for events"),
        ("kind:decision before:2026-01-01", "Use Kafka for events"),
    ],
)
def test_what_is_asked_is_found_first(full: TestHub, asked: str, first: str) -> None:
    assert titles(full, asked)[:1] == [first]


def test_filters_hold_for_every_hit(full: TestHub) -> None:
    assert titles(full, "kafka -heavy") == ["Use Kafka for events"]
    assert titles(full, "kind:decision after:2026-01-03 before:2026-01-04") == [
        "Money is kept in cents",
        "Use RabbitMQ for events",
    ]
    assert titles(full, "kind:card") == []
    assert titles(full, "redis path:memories") == []
    assert titles(full, "is:superseded") == []
    assert len(titles(full, "has:author -is:expired")) == 5
    assert titles(full, "nothingofthekind") == []
    assert len(titles(full, "kind:decision", limit=2)) == 2


@pytest.mark.parametrize(
    "hostile", ["' or true --", "kind:\"x' or '1'='1\"", 'id:"\\"', "project:%", "tag:')) or true", "zz\\'zz"]
)
def test_no_part_of_a_query_becomes_sql(full: TestHub, hostile: str) -> None:
    assert titles(full, hostile) == []


def test_the_order_is_that_of_a_working_copy(full: TestHub, tmp_path: Path) -> None:
    put(tmp_path, LOG, log([entry for entries in PROJECTS.values() for entry in entries]).decode())
    with Memory.open(tmp_path) as memory:
        for asked in ("events kafka", "redis sessions", "database row"):
            here = [hit.mark.record.title for hit in memory.search(asked)]
            assert titles(full, asked)[:1] == here[:1]


def test_the_best_of_very_many_are_found(hub: TestHub) -> None:
    hub.query("create or replace function memdown.most_ranked() returns integer language sql immutable return 3")
    many = [(day, f"Day {day}", "Some events.", "Ann") for day in range(1, 9)]
    best = [(9, "A broker", "The rabbit carries all events, and more.", "Ann"), (10, "Events", "As they come.", "Ann")]
    publish(hub, "a/many", log(many + best))
    assert titles(hub, "rabbit events")[0] == "A broker"
    assert titles(hub, "events")[0] == "Events"
    # Beginnings of words, phrases and words with an apostrophe are looked for in titles as they are.
    assert titles(hub, "event*")[0] == "Events"
    assert titles(hub, '"some events" or "a broker"')[0] == "A broker"
    assert titles(hub, "'events'")[0] == "Events"


def test_a_project_is_the_one_that_is_called_so_else_by_its_last_parts(hub: TestHub) -> None:
    for name in ("acme/shop", "x/acme/shop", "y/ACME/bill_ing", "y/acme/billxing"):
        publish(hub, name, log([(1, f"Of {name}", "Text.", "Ann")]))
    assert titles(hub, "text project:acme/shop") == ["Of acme/shop"]
    assert titles(hub, "text project:acme/bill_ing") == ["Of y/ACME/bill_ing"]
    assert sorted(map(str, titles(hub, "text project:shop"))) == ["Of acme/shop", "Of x/acme/shop"]
    assert hub.query("select memdown.named('shop')", dsn=hub.login("eve")) == []
    assert hub.query("select memdown.named('acme/shop')", dsn=hub.login("eve")) == []


def test_answers_carry_project_commit_and_a_link(full: TestHub, cli: Cli) -> None:
    [hit, *_] = cli("search", "--hub", "idempotent", "webhooks", "--json").json()["hits"]
    assert (hit["project"], hit["path"], hit["commit"]) == ("github.com/acme/shop", LOG, "c" * 40)
    assert hit["link"] == f"https://github.com/acme/shop/blob/{'c' * 40}/{LOG}#L{hit['line']}"
    shown = cli("search", "idempotent webhooks", "--hub", full.dsn).out
    assert "github.com/acme/shop .squad/decisions.md:3" in shown
    assert "https://github.com/acme/shop/blob" in shown
    assert "-/blob" in str(search.link_to("gitlab.com/a/b/sub", "https://gitlab.com/a/b", "main", "x.md", 3))
    assert search.link_to("gitlab.com/a/b/sub", "https://gitlab.com/a/b", "main", "x.md", 3).endswith("/sub/x.md#L3")  # type: ignore[union-attr]


@pytest.mark.usefixtures("full")
def test_asked_wrongly(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli("search", "--hub").code == 2
    for args in (("search", "--hub", "x", "postgresql://a:b@c/d"), ("who", "knows", "host=c dbname=d")):
        ran = cli(*args)
        assert (ran.code, ran.out) == (2, "")
        assert "write it right after --hub, as in --hub DSN WORD" in ran.err
    assert cli("search", "x", "--hub", "-i").code == 2
    monkeypatch.delenv("MEMDOWN_HUB")
    ran = cli("search", "x", "--hub")
    assert (ran.code, "MEMDOWN_HUB" in ran.err) == (2, True)


def test_memory_as_it_was(hub: TestHub) -> None:
    first, second = log([(1, "Use Redis", "Sessions.", "Ann")]), log([(1, "Use Postgres", "Sessions.", "Ann")])
    publish(hub, "github.com/acme/shop", first, at="2026-01-10T12:00:00+00:00")
    publish(hub, "github.com/acme/shop", second, over=store.digest_of(first), at="2026-01-20T12:00:00+00:00")

    def then(as_of: str) -> list[str | None]:
        found = client.ask(hub.dsn, SearchCall(query="sessions project:shop", now=NOW, as_of=as_of))
        return [hit.mark.record.title for hit in found.hits]

    assert then("2026-01-10") == ["Use Redis"]
    assert then("2026-01-25") == ["Use Postgres"]
    with pytest.raises(Exception, match="has nothing from before"):
        then("2026-01-01")


@pytest.mark.usefixtures("full")
def test_who_knows(cli: Cli) -> None:
    found = cli("who", "kafka", "events", "--json").json()
    assert {each["who"] for each in found} == {"Ann", "Bob"}
    assert found[0]["projects"]
    assert "Bob" in cli("who", "money", "cents").out
    assert cli("who", "zzzzzz").code == 1


def test_words_that_any_record_may_have_do_not_tell_who_knows(hub: TestHub, cli: Cli) -> None:
    about = [(6, "Decided against Oracle", "We decided against it, as everybody knows.", "Dan")]
    publish(hub, "github.com/acme/till", log(about))
    asked = {
        words: [each["who"] for each in cli("who", "--hub", hub.dsn, *words.split(), "--json").json()]
        for words in ("decided against Kafka", "decided against Oracle", "decided against")
    }
    assert asked == {"decided against Kafka": [], "decided against Oracle": ["Dan"], "decided against": ["Dan"]}


def test_what_to_read(full: TestHub, cli: Cli) -> None:
    found = cli("context", "--hub", full.dsn, "idempotent webhooks", "--json").json()
    assert found["items"][0]["path"] == f"github.com/acme/shop/{LOG}"
    assert "webhook_deliveries" in found["text"]
    assert found["text"].startswith("Memory of the projects on the hub, recalled as data")
    assert found["text"].count("Use Kafka for events") == 1
    assert cli("context", "--hub", full.dsn, "webhooks", "--budget", "5", "--json").json()["items"] == []
    assert cli("context", "--hub").code == 2


@pytest.mark.usefixtures("full")
def test_how_much_there_is(cli: Cli) -> None:
    found = cli("stats", "--hub", "--json").json()
    assert (found["projects"], found["records"], found["kinds"]["decision"]) == (3, 5, 5)
    assert "3 projects" in cli("stats", "--hub").out


@pytest.mark.usefixtures("full")
def test_decisions_that_contradict_each_other(cli: Cli) -> None:
    ran = cli("health", "--hub", "--json")
    [found] = ran.json()
    assert (ran.code, found["subject"]) == (1, "events")
    assert {each["choice"] for each in found["choices"]} == {"kafka", "rabbitmq"}
    assert "Use RabbitMQ for events" in cli("health", "--hub").out


@pytest.mark.parametrize(
    ("title", "taken"),
    [
        ("Use Kafka for events", [("whether kafka", "yes"), ("events", "kafka")]),
        ("No Kafka", [("whether kafka", "no")]),
        ("We do not use Kafka", [("whether kafka", "no")]),
        ("Money is kept in cents", []),
        ("", []),
    ],
)
def test_the_position_a_title_takes(title: str, taken: list[tuple[str, str]]) -> None:
    assert list(positions(title)) == taken


def test_languages_and_words() -> None:
    assert language("The pool is of size ten, and that is not enough for the tests.") == "english"
    assert language("Wir haben den Pool nicht vergrößert, und das ist gut für die Tests.") == "german"
    assert language("Le pool est trop petit pour les tests et nous avons une solution dans le plan.") == "french"
    assert words("user_by_id café 3.11") == "user by id cafe 3 11"
    assert (words("USER_By Id"), words("Решение ÄRGER İnci")) == ("user by id", "решение arger inci")


def test_the_locale_of_the_database_changes_no_answer(postgres: Server) -> None:
    with psycopg.connect(postgres.dsn(), autocommit=True) as db:
        db.execute("create database plain_locale template template0 encoding utf8 locale 'C'")
    dsn = postgres.dsn("plain_locale")
    schema.init(dsn, partitions=1)
    with client.opened(dsn, "shop") as remote:
        content = log([(1, "Решение о Ärger", "Механизм", "Ann")])
        remote.publish([DocumentChange(LOG, LOG, content, None)], ProjectFacts())
    for asked in ("решение", "РЕШЕНИЕ", "ärger", "ÄRGER", "arger", "механизм"):
        assert len(client.ask(dsn, SearchCall(query=asked, now=NOW)).hits) == 1, asked


def test_a_hub_is_counted_one_way_and_people_by_name_in_any_case(
    postgres: Server, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [(1, "Use Kafka", "Replay.", "Ann"), (2, "Use Go", "Fast.", "Ann"), (3, "Use Redis", "Small.", "ann")]
    with new_hub(postgres) as hub:
        publish(hub, "github.com/acme/shop", log(entries) + b"\n## Empty heading\n\n## [Placeholder]\n\n[To do]\n")
        monkeypatch.setenv("MEMDOWN_HUB", hub.dsn)
        found, status = cli("stats", "--hub", "--json").json(), cli("hub", "status", "--json").json()
    assert (found["records"], found["documents"]) == (status["records"], status["documents"])
    assert found["records"] == sum(found["kinds"].values()) == found["by_project"][0]["records"]
    assert found["by_project"][0]["decisions"] == found["kinds"]["decision"]
    assert found["authors"] == [{"author": "Ann", "records": 3, "projects": 1}]
