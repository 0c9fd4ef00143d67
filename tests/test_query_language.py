"""The query language: what a text means, which mistakes are told, and that no text can break anything."""

import sqlite3
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import draws
from memdown.errors import Invalid, MemdownError
from memdown.index.query import FILTERS, LONGEST, All, Any, Filter, Node, Not, Query, Term, flag, parse
from memdown.index.schema import script
from memdown.index.search import search
from memdown.index.where import condition, prepare

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def told(query: Query) -> str:
    """A query as its tree: plain words, then what must be."""
    return " ".join([*(term.text for term in query.words), *("!" + _told(node) for node in query.must)])


def _told(node: Node) -> str:
    match node:
        case Term(text=text, form=form):
            return {"word": text, "phrase": f'"{text}"', "prefix": f"{text}*"}[form]
        case Filter(name=name, value=value):
            return f"{name}:{value}"
        case Not(of=inner):
            return f"not({_told(inner)})"
        case All(of=parts):
            return f"all({' '.join(map(_told, parts))})"
        case Any(of=parts):
            return f"any({' '.join(map(_told, parts))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("connection pool", "connection pool"),
        ("  pool,  (size)  ", "pool, !all(size)"),
        ('pool "load test"', 'pool !"load test"'),
        ('pool "load test', 'pool !"load test'.rstrip() + '"'),
        ("migrat* pool", "migrat pool"),
        ("pool -redis", "pool !not(redis)"),
        ("pool NOT redis", "pool !not(redis)"),
        ('-"load test"', '!not("load test")'),
        ("+pool size", "size !all(pool)"),
        ("redis OR postgres", "!any(redis postgres)"),
        ("a1 redis OR postgres OR sqlite", "a1 !any(redis postgres sqlite)"),
        ("redis AND postgres", "!all(redis postgres)"),
        ("(redis OR postgres) pool", "pool !all(any(redis postgres))"),
        ("-(redis OR tag:db)", "!not(all(any(redis tag:db)))"),
        ("kind:decision type:note", "!kind:decision !kind:note"),
        ('author:"Ann Lee" pool', "pool !author:Ann Lee"),
        ("KIND:Decision", "!kind:Decision"),
        ("since:7d", "!after:7d"),
        ("-is:superseded has:tag", "!not(is:superseded) !has:tag"),
        # A whole question has quotes around titles and names, and asks for no more than the rest of it.
        ('Who read "The Lean Startup"?', "Who read The Lean Startup"),
        # Not a filter: addresses, paths of Windows, C++ names, times, a colon at the end of a word.
        (
            r"see http://x.org/a C:\dir std::vector 12:30 note: b",
            r"see http://x.org/a C:\dir std::vector 12:30 note: b",
        ),
        ("getUserById user_by_id src/db.py", "getUserById user_by_id src/db.py"),
        ("don't", "don't"),
        ("kind: decision", "kind: decision"),
        ('CS:GO knd:decision note:"a b"', "CS:GO knd:decision note:a b"),
        ("", ""),
        ("!!! ... 🎉 -- - + *", ""),
        ("OR", ""),
        ("OR pool OR", "pool"),
        ("pool OR -redis", "!any(pool not(redis))"),
        (") pool (", "pool"),
        ("a\x00b\ud800c", "a b c"),
    ],
)
def test_what_a_text_means(text: str, tree: str) -> None:
    assert told(parse(text, NOW)) == tree


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('kind:""', "The filter kind: needs a value, as kind:decision."),
        ("dialect:latin", "'latin' is not a dialect; use one of"),
        ("is:old", "'old' is not a state of a record; use one of archived, expired, stale, superseded, undated."),
        ("has:wings", "'wings' is not a property of a record; use one of author, date"),
        ("after:soon", "'soon' is not a date; write it as 2026-02-01"),
        ("before:2026-13-01", "'2026-13-01' is not a date"),
        ("(" * 60 + "pool", "nests deeper than 50"),
        ("NOT " * 60 + "pool", "nests deeper than 50"),
        ("pool " * 1100, "more than 1,000 parts"),
        ("-a1 " * 40, "more than 32 conditions"),
        ('"a b" ' * 7, "more than 6 phrases"),
        ("pool* " * 7, "more than 6 phrases and beginnings"),
        ("po*", "'po*' begins too many words; give at least 3 letters before the star."),
        ("x" * (LONGEST + 1), "The query has 10,001 characters"),
    ],
)
def test_mistakes_are_told_with_the_right_form(text: str, sentence: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse(text, NOW)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_filter_takes_the_value_its_message_shows() -> None:
    for name, (example, _) in FILTERS.items():
        assert flag(name, example, NOW).value == example


def filled() -> sqlite3.Connection:
    """An index with two records in it."""
    db = sqlite3.connect(":memory:")
    db.executescript(script("tables.sql") + script("indexes.sql"))
    for rowid, (title, body) in enumerate([("Pool size", "Ten connections."), ("Redis", "We left it. user_by_id")], 1):
        db.execute(
            "insert into record (rowid, file, id, dialect, kind, path, line, end_line, start, end)"
            " values (?, 1, ?, 'cards', 'card', 'memories/a.md', 1, 2, 0, 9)",
            (rowid, f"id{rowid}"),
        )
        db.execute("insert into words (rowid, title, body) values (?, ?, ?)", (rowid, title, body))
    return db


DB = filled()
HOSTILE = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from([*(f"{name}:" for name in FILTERS), *"()\"'*-+:^{}[];%_\\", "OR", "AND", "NOT", "NEAR(", "--"]),
        st.sampled_from(
            [
                '"; drop table record; --',
                "words match",
                "title:pool",
                "* OR 1=1",
                "pool",
                "redis",
                "\x00",
                "getUs*",
                "東京*",
                "a.b*",
            ]
        ),
        st.sampled_from(
            ["is:stale", "has:summary", "after:2026-01-01", "id:id1", "path:memories", "author:ann", "tag:a"]
        ),
    ),
    max_size=12,
).flatmap(lambda parts: st.sampled_from(["", " "]).map(lambda joint: joint.join(parts)))


@given(HOSTILE)
@draws(400)
def test_any_text_gives_an_answer_or_one_sentence(text: str) -> None:
    prepare(DB)
    with suppress(MemdownError):
        query = parse(text, NOW)
        found = condition(query, NOW, words=True)
        DB.execute(f"select rowid from record r where {found.sql}", found.values).fetchall()
        assert len(search(DB, query, NOW).hits) <= 2
    assert DB.execute("select count(*) from record").fetchone() == (2,)


@given(st.text(max_size=20).filter(lambda text: text.strip()))
@draws(200)
def test_a_value_in_quotes_is_the_value(text: str) -> None:
    value = "".join(char for char in text if char.isprintable() and char != '"').strip()
    if value:
        assert parse(f'tag:"{value}"', NOW).must == (Filter("tag", value),)
