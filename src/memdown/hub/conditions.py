"""A query as data that the database reads: the tree of conditions, and the words to rank by.

No part of a query becomes SQL here. The database quotes each value itself (`memdown.condition`), since the function
that asks its index of words sees the rows of everybody.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any as Anything

from memdown.hub.rows import words
from memdown.index.query import All, Any, Filter, Node, Not, Query, Term
from memdown.index.terms import search_terms
from memdown.index.where import micros
from memdown.index.words import spellings
from memdown.limits.settings import DEFAULTS

Tree = dict[str, Anything]


def tree(query: Query, now: datetime) -> Tree:
    """What a record must fulfil."""
    return {"is": "all", "of": [_node(each, now) for each in query.must]}


def terms(query: Query) -> list[Tree]:
    """What to rank by: each spelling of each word that tells something, with the number of the word."""
    found: dict[tuple[str, str], Tree] = {}
    for number, term in enumerate(search_terms(query.ranking())):
        for spelling in term.spellings:
            for each in _spelled(spelling):
                found.setdefault((each["value"], each["form"]), each | {"of": number})
    return list(found.values())


def _spelled(spelling: str) -> Iterator[Tree]:
    """The texts that a spelling for SQLite's index stands for."""
    for each in spelling.split(" OR "):
        begins = each.endswith("*")
        text = words(each.rstrip("*").strip('"').replace('""', '"'))
        if text:
            yield {"value": text, "form": "prefix" if begins else "word"}


def _node(node: Node, now: datetime) -> Tree:
    match node:
        case Term():
            return {"is": "any", "of": list(_texts(node))}
        case Filter():
            return _filter(node, now)
        case Not(of=inner):
            return {"is": "not", "of": _node(inner, now)}
        case All(of=parts):
            return {"is": "all", "of": [_node(each, now) for each in parts]}
        case Any(of=parts):
            return {"is": "any", "of": [_node(each, now) for each in parts]}


def _texts(term: Term) -> Iterator[Tree]:
    for each in spellings(term.text):
        form = "prefix" if term.form == "prefix" or each.endswith("*") else "word"
        yield {"is": "term", "value": words(each.rstrip("*")), "form": form}


def _filter(wanted: Filter, now: datetime) -> Tree:
    value = wanted.value
    match wanted.name:
        case "tag":
            value = value.casefold().lstrip("#")
        case "author":
            value = value.casefold().lstrip("@")
        case "path":
            value = value.removeprefix("./").strip("/")
            if value in ("", "."):
                return {"is": "all", "of": []}
        case "has":
            value = value.casefold()
        case "is":
            then = now - timedelta(days=DEFAULTS.layers.aging_days) if value.casefold() == "stale" else now
            return {"is": value.casefold(), "instant": micros(then)}
        case "after" | "before":
            assert wanted.moment is not None
            whole = wanted.moment.precision == "day"
            day = wanted.moment.local.date().isoformat()
            return {"is": wanted.name, "value": day, "instant": None if whole else micros(wanted.moment.instant())}
    return {"is": wanted.name, "value": value}
