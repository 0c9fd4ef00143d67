"""What is nearly the same as something that is added is told with its id; nothing is kept from being written by it."""

import json
from pathlib import Path

import pytest

from conftest import Ran
from mcp_client import server
from memdown.memory import Memory
from samples import put
from test_cli import Cli

_AUTHOR = ("--author", "Ann")
_TEXT = ("-k", "pool", "--content", "With five of them the test timed out.")


def similar(done: Ran) -> list[str]:
    assert done.code == 0, done
    return [each["title"] for each in done.json()["similar"]]


@pytest.mark.parametrize(
    ("dialect", "kind", "options"),
    [
        ("sem", "decision", _AUTHOR),
        ("sem", "note", _AUTHOR),
        ("bank", "decision", ()),
        ("bank", "task", ()),
        ("journal", "task", ()),
        ("journal", "edit", ()),
        ("cards", "card", _TEXT),
        ("okf", "decision", ()),
    ],
)
def test_what_is_nearly_there_is_named(cli: Cli, dialect: str, kind: str, options: tuple[str, ...]) -> None:
    if dialect == "cards":
        put(Path.cwd(), "memories/README.md", "# Cards\n")
    else:
        assert cli("init", "--dialect", dialect).code == 0
    first = cli("add", kind, "Use connection pooling for PostgreSQL", *options, "--json")
    assert similar(first) == []
    others = (*options[:-1], "Text about sessions.") if kind == "card" else options
    assert similar(cli("add", kind, "Sessions live in Redis", *others, "--json")) == []
    assert cli("index").code == 0
    if kind == "card":  # the same content of the same time is the same card
        options = (*options[:-1], "Something else about it.")
    second = cli("add", kind, "PostgreSQL: use connection-pooling!", *options, "--json")
    assert similar(second) == ["Use connection pooling for PostgreSQL"]
    [near] = second.json()["similar"]
    assert near.keys() == {"id", "title", "path"}
    assert cli("show", near["id"]).code == 0
    if dialect not in ("okf", "cards") and (dialect, kind) != (
        "bank",
        "task",
    ):  # where the same title is the same thing
        note = cli("add", kind, "Use Connection Pooling for PostgreSQL.", *options)
        assert f"memdown: Similar: {near['id']} 'Use connection pooling for PostgreSQL' ({near['path']})" in note.err


def test_the_error_log_and_task_add_tell_too(cli: Cli) -> None:
    cli("init", "--dialect", "journal")
    for words in (("error", "add"), ("task", "add")):
        assert similar(cli(*words, "Viewer does not start on Windows", "--json")) == []
        assert similar(cli(*words, "The viewer does not start, on Windows", "--json"))


def test_other_dialects_are_asked_of_the_index(cli: Cli) -> None:
    cli("init", "--dialect", "sem")
    cli("add", "decision", "Use connection pooling for PostgreSQL", *_AUTHOR)
    assert similar(cli("add", "memory", "Connection pooling: use for PostgreSQL", *_AUTHOR, "--json")) == []
    cli("index")
    assert len(similar(cli("add", "card", "Use connection pooling for PostgreSQL", *_TEXT, "--json"))) == 2


def test_three_at_most_the_nearest_first(cli: Cli) -> None:
    cli("init", "--dialect", "sem")
    title = "Alpha bravo charlie delta echoes"
    for more in ("foxtrot golfs", "foxtrot", "hotels", "indigo", ""):
        cli("add", "note", f"{title} {more}".strip(), *_AUTHOR)
    found = similar(cli("add", "note", f"{title}.", *_AUTHOR, "--json"))
    assert len(found) == 3
    assert found[0] == title


def test_other_numbers_are_another_thing(cli: Cli) -> None:
    cli("init", "--dialect", "sem")
    cli("add", "note", "Benchmark run 12 of the migration toolkit", *_AUTHOR)
    assert similar(cli("add", "note", "Benchmark run 13 of the migration toolkit", *_AUTHOR, "--json")) == []
    assert len(similar(cli("add", "note", "Migration toolkit: benchmark run 12", *_AUTHOR, "--json"))) == 1


def test_what_is_over_does_not_count(cli: Cli) -> None:
    cli("init", "--dialect", "sem")
    old = cli("add", "decision", "Use connection pooling", *_AUTHOR, "--json").json()["id"]
    newer = cli("add", "decision", "Use connection pooling", *_AUTHOR, "--supersedes", old, "--json")
    assert similar(newer) == []
    assert len(similar(cli("add", "decision", "Use connection pooling", *_AUTHOR, "--why", "Load", "--json"))) == 1
    cli("init", "--dialect", "bank")
    cli("bank", "add-decision", "Cache all prices daily")
    cli("bank", "supersede-decision", "Cache all prices daily", "Ask for prices")
    cli("index")
    assert similar(cli("add", "note", "Cache all prices daily", *_AUTHOR, "--json")) == []


def test_the_first_line_counts_too_and_a_changed_file_does_not(cli: Cli) -> None:
    text = ("-k", "a", "--content", "The importer reads every sheet of a workbook.\nMore.")
    first = cli("add", "card", "About importing", *text, "--json").json()
    cli("index")
    again = ("-k", "a", "--content", "The importer reads every sheet of the workbook.\nOther.")
    assert similar(cli("add", "card", "About imports, importing", *again, "--json")) == ["About importing"]
    assert similar(cli("add", "card", "About importing", "-k", "b", "--content", "Something else.", "--json"))
    Path(first["path"]).unlink()
    assert "About importing" not in [
        each["title"]
        for each in cli("add", "card", "About importing!", "-k", "c", "--content", "Yet another.", "--json").json()[
            "similar"
        ]
        if each["id"] == first["id"]
    ]


def test_capture_by_hand_and_the_server_tell(cli: Cli, tmp_path: Path) -> None:
    message = "The importer reads every sheet of a workbook.\nMore of it."
    first = cli("capture", "--content", message, "--json").json()
    cli("index")
    second = cli("capture", "--content", message.replace("More", "Less"), "--json").json()
    assert [each["id"] for each in second["similar"]] == [first["id"]]
    with server(Path.cwd(), banks=tmp_path) as client:
        client.initialize()
        given = {
            "kind": "card",
            "title": "The importer reads every sheet of a workbook",
            "text": "Ten signs of it.",
            "tags": ["a"],
        }
        found = client.value("add", **given)
        assert len(found["similar"]) == 2, found


def test_a_damaged_index_keeps_nothing_from_being_written(cli: Cli) -> None:
    cli("init", "--dialect", "sem")
    cli("index")
    Path(".memdown/index.db").write_bytes(b"no database at all" * 500)
    assert cli("add", "note", "A title of words", *_AUTHOR).code == 0


def test_the_library_gives_them(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.begin("okf", write=True)
        memory.add("decision", "Use connection pooling", dialect="okf")
        added = memory.add("decision", "Connection pooling, use!", dialect="okf")
    assert json.dumps([each.title for each in added.similar]) == "[]"  # without an index, only the same file is known


def test_a_title_of_words_that_most_titles_have_is_found_still(tmp_path: Path) -> None:
    for number in range(1100):
        title = f"Nightly backup report {number}" if number else "Nightly backup report archive"
        put(tmp_path, f"memories/{number}.md", f"---\nsubject: {title}\n---\n\nText {number} says nothing more.\n")
    with Memory.open(tmp_path) as memory:
        memory.index()
        near = memory.add("card", "Archive: nightly backup report!", text="The rarest word is asked for.").similar
        assert [each.title for each in near][:1] == ["Nightly backup report archive"]
        near = memory.add("card", "Nightly backup report 7", text="No word of it is rare at all.").similar
        assert [each.title for each in near][:1] == ["Nightly backup report 7"]
