"""A hub by meaning: what pgvector finds that words do not, who makes vectors, and what is said where there are none."""

from collections.abc import Callable, Iterator

import pytest

from conftest import Ran
from hub_server import PARTITIONS, Server, TestHub, with_vectors
from memdown.hub import access, client, meanings, schema, store
from memdown.hub.calls import HeadsCall, PublishCall, SearchCall
from memdown.hub.search import HubHits
from memdown.index.search import MEANT
from test_hub import KEYS, LOG, TABLES, UNIQUE
from test_hub_search import NOW, log, publish
from test_semantic import needs_extra

Cli = Callable[..., Ran]
HOUSE = [
    (1, "Kitten", "We adopted a small cat from the shelter.", "Ann"),
    (2, "Holiday", "The flight to Lisbon leaves on Friday.", "Bob"),
    (3, "Car", "The brakes of the old van squeak.", "Bob"),
]


@pytest.fixture(scope="module")
def vectors() -> Iterator[Server]:
    with with_vectors() as made:
        yield made


@pytest.fixture(scope="module")
def house(vectors: Server) -> Iterator[TestHub]:
    """A hub of two projects that keeps vectors, in a server that has nothing else."""
    hub = TestHub(vectors, "postgres")
    made = schema.init(hub.dsn, partitions=PARTITIONS)
    assert made.applied[-2:] == ["meanings", "nearest"]
    publish(hub, "github.com/acme/house", log(HOUSE))
    publish(hub, "github.com/acme/shop", log([(4, "Database", "Postgres replaced the key-value store.", "Cem")]))
    yield hub
    hub.close()


def ask(hub: TestHub, text: str, *, role: str = "postgres") -> HubHits:
    dsn = hub.dsn if role == "postgres" else hub.login(role)
    return client.ask(dsn, SearchCall(query=text, now=NOW, semantic=True))


def titles(found: HubHits) -> list[str | None]:
    return [hit.mark.record.title for hit in found.hits]


def test_without_pgvector_words_answer_and_a_sentence_says_so(hub: TestHub, cli: Cli) -> None:
    publish(hub, "github.com/acme/house", log(HOUSE))
    ran = cli("search", "--hub", "shelter", "--semantic", "--json")
    assert (ran.code, ran.json()["mode"], [hit["title"] for hit in ran.json()["hits"]]) == (0, "words", ["Kitten"])
    assert ran.err == (
        "memdown: Searched by words only: this hub has no vectors;"
        " once its database has pgvector (`create extension vector`), `memdown hub upgrade DSN` creates them.\n"
    )
    ran = cli("search", "--hub", "shelter", "--semantic", "--as-of", "2026-01-10")
    assert (ran.code, "leave out --semantic" in ran.err) == (2, True)


def test_the_table_of_vectors_is_made_as_the_others_are(house: TestHub) -> None:
    assert schema.init(house.dsn).applied == []
    assert [each for each in house.query(KEYS) if each[2] != "project"] == []
    assert [each for each in house.query(UNIQUE) if each[1] != "project"] == []
    tables = {name: rest for name, *rest in house.query(TABLES)}
    assert tables["meanings"][1:] == [True, True, PARTITIONS, True]


def vector(*first: float) -> str:
    return str([*first, *([0.0] * (384 - len(first)))])


def test_records_that_are_written_anew_keep_the_vectors_of_their_texts(house: TestHub) -> None:
    project = "github.com/acme/attic"
    publish(house, project, log(HOUSE))
    house.query("delete from memdown.meanings where project = %s", project)
    house.query(
        "insert into memdown.meanings select project, path, number, 'tests', md5(" + MEANT + "), %s::public.vector"
        " from memdown.records r where project = %s and not hollow",
        vector(1.0),
        project,
    )
    kept = "select r.title, m.digest from memdown.meanings m join memdown.records r using (project, path, number)"
    kept += " where m.project = %s and m.model = 'tests' order by 1"
    before = house.query(kept, project)
    assert [title for title, _ in before] == ["Car", "Holiday", "Kitten"]
    head = client.ask(house.dsn, HeadsCall(project=project))[LOG]
    publish(house, project, log([(9, "Foal", "A young horse was born.", "Ann"), *HOUSE]), over=head.digest)
    assert house.query(kept, project) == before


def test_the_index_of_vectors_finds_the_nearest_and_a_filter_loses_none(house: TestHub) -> None:
    project = "github.com/acme/many"
    publish(house, project, log([(1, f"Entry {number}", "Text.", "Ann") for number in range(600)]))
    house.query("delete from memdown.meanings where model = 'near'")
    house.query(
        "insert into memdown.meanings select project, path, number, 'near', 'x',"
        " (array[1, number / 1000.0] || array_fill(0::real, array[382]))::public.vector"
        " from memdown.records where project = %s and kind <> 'prose' on conflict (project, path, number)"
        " do update set model = excluded.model, embedding = excluded.embedding",
        project,
    )
    nearest = "select number from memdown.nearest(%s, 'near', %s::jsonb, %s, %s)"
    everything = '{"is": "all", "of": []}'
    # The server must not compare all of them, as it does with few.
    house.query("alter database postgres set enable_seqscan = off")
    house.query("alter database postgres set enable_sort = off")
    house.close()
    try:
        asked = (vector(1.0, 0.3), everything, None, 5)
        assert {row[0] for row in house.query(nearest, *asked)} == {298, 299, 300, 301, 302}
        only = '{"is": "term", "value": "7", "form": "word"}'
        assert house.query(nearest, vector(1.0, 0.3), only, None, 5) == [(7,)]
        assert house.query(nearest, vector(1.0, 0.3), everything, project, 1) == [(300,)]
        assert house.query(nearest, *asked, dsn=house.login("eve")) == []
    finally:
        house.query("alter database postgres reset all")
        house.close()


@needs_extra
def test_meaning_finds_what_words_do_not(house: TestHub) -> None:
    found = ask(house, "pet")
    assert (titles(found)[0], found.hits.mode, found.note) == ("Kitten", "words+semantic", None)
    assert (found.hits.hits[0].meant, found.places[0].project) == (True, "github.com/acme/house")
    assert titles(ask(house, "vehicle needs repair"))[0] == "Car"
    assert titles(ask(house, "zxqv")) == []
    assert "Kitten" not in titles(ask(house, "pet -shelter"))
    assert titles(ask(house, "pet project:shop")) == []
    assert titles(ask(house, "store project:shop")) == ["Database"]
    assert titles(ask(house, "kitten pet author:Bob")) == []


@needs_extra
def test_a_server_makes_vectors_for_whoever_has_a_token(house: TestHub) -> None:
    serve = pytest.importorskip("memdown.surfaces.serve.database")
    access.grant(house.dsn, "ci", "write", "github.com/acme/served", kind="ci")
    token = access.issue(house.dsn, "ci", may="write").token
    database = serve.HubDatabase(house.login("server"), 1)
    database.open()
    try:
        change = store.DocumentChange(LOG, LOG, log(HOUSE), None)
        call = PublishCall(project="github.com/acme/served", changes=[change])
        assert database.ask(token, call, lambda _: None).sent == [LOG]
        found = database.ask(token, SearchCall(query="pet", now=NOW, semantic=True), lambda _: None)
    finally:
        database.close()
    assert (titles(found)[0], {place.project for place in found.places}) == ("Kitten", {"github.com/acme/served"})


@needs_extra
def test_nobody_finds_by_meaning_what_he_may_not_see(house: TestHub) -> None:
    house.login("eve")
    assert titles(ask(house, "pet", role="eve")) == []
    assert house.query("select count(*) from memdown.meanings", dsn=house.login("eve")) == [(0,)]
    with pytest.raises(Exception, match="permission denied"):
        house.query("select * from memdown.meanings_000", dsn=house.login("eve"))


@needs_extra
def test_a_text_is_worked_out_once_and_upgrade_makes_what_is_missing(
    house: TestHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = "github.com/acme/barn"
    kept = "select digest from memdown.meanings where project = %s order by 1"
    publish(house, project, log(HOUSE))
    before = house.query(kept, project)
    assert len(before) == 3
    head = client.ask(house.dsn, HeadsCall(project=project))[LOG]
    monkeypatch.setattr(meanings, "PATIENCE", 0.0)  # as whoever pushes without the extra
    publish(house, project, log([(9, "Foal", "A young horse was born.", "Ann"), *HOUSE]), over=head.digest)
    assert house.query(kept, project) == before
    found = ask(house, "young project:barn")
    assert titles(found)[0] == "Foal"
    assert found.note is not None
    assert "1 of 1 matching records have no vectors yet" in found.note
    assert schema.upgrade(house.dsn).vectors == 1
    assert len(house.query(kept, project)) == 4
    assert schema.upgrade(house.dsn).vectors == 0
    with client.opened(house.dsn, project) as remote:
        digest = remote.heads()[LOG].digest
        done = remote.publish([store.DocumentChange(LOG, LOG, None, digest)], store.ProjectFacts())
    assert done.sent == [LOG]
    assert house.query(kept, project) == []
