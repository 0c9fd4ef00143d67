"""The query language: what a person, a program or an assistant types to find records, as a tree.

    sqlite "connection pool" migrat* -redis kind:decision (tag:db OR tag:storage) since:7d

Reading is linear in the text. Nothing of the text ever becomes SQL: `where` gives every value as a parameter.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import TypeVar

from msgspec import Struct

from memdown import times
from memdown.errors import Invalid, nearest, quote
from memdown.homes import HOMES
from memdown.patterns import lazy
from memdown.text import legible
from memdown.times import Moment

T = TypeVar("T")
LONGEST = 10_000
"""Characters of a query; a longer one is refused."""
_DEEPEST = 50
_MOST = 1000
_MUST = 32
_SLOW = 6
SHORTEST = 3
"""Characters of the beginning of a word; half of all words begin with a shorter one."""

HAS = ("author", "date", "expiry", "link", "scope", "session", "status", "summary", "tag", "title")
IS = ("archived", "expired", "stale", "superseded", "undated")

_AGE = lazy(r"(\d{1,5})\s*([hdw])", re.ASCII | re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}
_TOKEN = lazy(
    r"""\s*(?:
      (?P<open>[(])
    | (?P<close>[)])
    | (?P<not>-(?=[^\s)-]))
    | (?P<must>[+](?=[^\s)+]))
    | (?P<name>[A-Za-z]+):(?!//|[:\\\s]|$)(?:"(?P<quoted>[^"]*)"?|(?P<value>[^\s()"]*))
    | "(?P<phrase>[^"]*)"?
    | (?P<word>[^\s()"]+)
    | $)""",
    re.VERBOSE,
)


class Term(Struct, frozen=True, tag=True):
    """Text to find."""

    text: str
    form: str = "word"
    """word, phrase (the words in this order) or prefix (how a word begins)."""

    def is_slow(self) -> bool:
        """Whether the index has to look at more than the records that have a word."""
        return self.form == "prefix" or not self.text.isalnum()


class Filter(Struct, frozen=True, tag=True):
    """A fact a record must have."""

    name: str
    value: str
    moment: Moment | None = None
    """What the value means, when it is a time."""


class Not(Struct, frozen=True, tag=True):
    """What must not be."""

    of: "Node"


class All(Struct, frozen=True, tag=True):
    """All of these."""

    of: tuple["Node", ...]


class Any(Struct, frozen=True, tag=True):
    """At least one of these."""

    of: tuple["Node", ...]


Node = Term | Filter | Not | All | Any


class Query(Struct, frozen=True, kw_only=True):
    """A question, understood."""

    text: str = ""
    """As it was asked."""
    words: tuple[Term, ...] = ()
    """Plain words: a search ranks by them, a list wants all of them."""
    must: tuple[Node, ...] = ()
    """What has to hold of every record."""
    limit: int | None = None
    unknown: tuple[str, ...] = ()
    """What stood before a colon as a filter does and is none, so that it counts as text."""

    def terms(self) -> Iterator[Term]:
        """Every text that must be there, or must not."""
        return (leaf for node in self.must for leaf in _leaves(node) if isinstance(leaf, Term))

    def ranking(self) -> tuple[Term, ...]:
        """Every text asked for, except what must not be there."""
        sought = (leaf for node in self.must for leaf in _leaves(node, negated=False))
        return (*self.words, *(leaf for leaf in sought if isinstance(leaf, Term)))

    def names(self, filter: str) -> bool:
        """Whether a filter of this name is anywhere in it."""
        leaves = (leaf for node in self.must for leaf in _leaves(node))
        return any(isinstance(leaf, Filter) and leaf.name == filter for leaf in leaves)

    def values(self, filter: str) -> tuple[str, ...]:
        """What filters of this name ask for, except what must not be."""
        leaves = (leaf for node in self.must for leaf in _leaves(node, negated=False))
        return tuple(leaf.value for leaf in leaves if isinstance(leaf, Filter) and leaf.name == filter)


def near_filter(name: str) -> list[str]:
    """The filter that a name before a colon most likely was to be, if any."""
    return [f"{each}:" for each in nearest(name.casefold(), FILTERS, 1) if len(name) > 2]


def mistaken(asked: Query) -> list[str]:
    """What is said of names before a colon that are most likely meant for filters."""
    return [
        f"There is no filter {quote(f'{name}:')}; did you mean {near}?"
        for name in asked.unknown
        for near in near_filter(name)
    ]


def parse(text: str, now: datetime, *, limit: int | None = None) -> Query:
    """The query a text asks; else `Invalid`, with the right form."""
    if len(text) > LONGEST:
        raise Invalid(f"The query has {len(text):,} characters; {LONGEST:,} are read, so ask in fewer words.")
    parser = _Parser(_clean(text), now)
    words: list[Term] = []
    must: list[Node] = []
    # Inside a whole question, quotes are about a title or a name; they do not ask for what must be there.
    is_question = text.rstrip(' "').endswith("?")
    for node in parser.alternatives():
        if isinstance(node, Term) and (node.form != "phrase" or is_question):
            words.append(node)
        else:
            must.append(node)
    if sum(1 for node in must for _ in _leaves(node)) > _MUST:
        raise Invalid(f"The query has more than {_MUST} conditions; ask for less at once.")
    query = Query(text=text, words=tuple(words), must=tuple(must), limit=limit, unknown=tuple(parser.unknown))
    if sum(term.is_slow() for term in (*query.terms(), *(word for word in words if word.form == "prefix"))) > _SLOW:
        raise Invalid(f"The query has more than {_SLOW} phrases and beginnings of words; ask for less at once.")
    return query


def flag(name: str, value: str, now: datetime) -> Filter:
    """A filter, when it exists and can have this value."""
    known, value = name.casefold(), legible(value.strip())
    if known not in FILTERS:
        raise Invalid(
            f"There is no filter {quote(name + ':')}; use one of {', '.join(FILTERS)}. Put text with a colon in quotes."
        )
    if not value and FILTERS[known][1] is not moment:
        raise Invalid(f"The filter {known}: needs a value, as {known}:{FILTERS[known][0]}.")
    time = FILTERS[known][1](value, now)
    return Filter({"type": "kind", "since": "after"}.get(known, known), value, time)


def moment(text: str, now: datetime) -> Moment:
    """A date, a time, or an age such as 7d; else `Invalid` with the right form."""
    age = _AGE.fullmatch(text.strip())
    if age:
        try:
            then = now - timedelta(hours=int(age[1]) * _HOURS[age[2].lower()])
        except OverflowError:
            raise Invalid(f"{quote(text)} is before the calendar begins; give a date as 2026-02-01.") from None
        spelled = times.stamp(then) if age[2] in "hH" else then.date().isoformat()
    else:
        spelled = text
    found = times.read(spelled)
    if found is None:
        raise Invalid(
            f"{quote(text)} is not a date; write it as 2026-02-01, as 2026-02-01T09:30:00Z, or as an age: 12h, 7d, 2w."
        )
    return found


def _anything(_: str, __: datetime) -> None:
    return None


def _one_of(values: Sequence[str], what: str) -> Callable[[str, datetime], None]:
    def check(value: str, _: datetime) -> None:
        if value.casefold() not in values:
            raise Invalid(f"{quote(value)} is not {what}; use one of {', '.join(values)}.")

    return check


FILTERS: dict[str, tuple[str, Callable[[str, datetime], Moment | None]]] = {
    "kind": ("decision", _anything),
    "type": ("decision", _anything),
    "tag": ("storage", _anything),
    "author": ("ann", _anything),
    "scope": ("team", _anything),
    "status": ("accepted", _anything),
    "path": ("memories", _anything),
    "dialect": ("sem", _one_of(tuple(HOMES), "a dialect")),
    "project": ("shop", _anything),
    "id": ("3f2b", _anything),
    "before": ("2026-02-01", moment),
    "after": ("2026-02-01", moment),
    "since": ("7d", moment),
    "has": ("tag", _one_of(HAS, "a property of a record")),
    "is": ("expired", _one_of(IS, "a state of a record")),
}
"""By name: a value that shows how it is written, and what reads or refuses one."""


def _clean(text: str) -> str:
    """Without characters that no index holds: controls, and bytes that were not UTF-8."""
    return "".join(char if char.isprintable() else " " for char in text)


class _Parser:
    """Reads a query from left to right."""

    def __init__(self, text: str, now: datetime) -> None:
        self._tokens = _tokens(text)
        self._now = now
        self._depth = 0
        self._read = 0
        self._next = next(self._tokens, None)
        self.unknown: list[str] = []
        """What stood before a colon as a filter does, and is none."""

    def alternatives(self) -> tuple[Node, ...]:
        """Parts that must all hold; those with OR between them as one. A bracket too many is passed over."""
        parts: list[Node] = []
        joined = ""
        while self._next is not None and (self._next.lastgroup != "close" or not self._depth):
            token = self._take()
            word = token["word"]
            if word in ("OR", "AND"):
                joined = word if parts else ""
                continue
            if token.lastgroup == "close":
                continue
            node = self._node(token)
            if node is None:
                continue
            if joined:
                node = _join(joined, parts.pop(), node)
            parts.append(node)
            joined = ""
        return tuple(parts)

    def _take(self) -> re.Match[str]:
        token = self._next
        assert token is not None
        self._read += 1
        if self._read > _MOST:
            raise Invalid(f"The query has more than {_MOST:,} parts; ask in fewer words.")
        self._next = next(self._tokens, None)
        return token

    def _node(self, token: re.Match[str]) -> Node | None:
        if token["not"] or token["word"] == "NOT" or token["must"]:
            if self._next is None or self._next.lastgroup == "close":
                return None
            node = self._deeper(lambda: self._node(self._take()))
            return node and (All((node,)) if token["must"] else Not(node))
        if token["open"]:
            inside = self._deeper(self.alternatives)
            if self._next is not None:  # the bracket that closes; at the end of the text it may be missing
                self._take()
            return All(inside) if inside else None
        if token["name"]:
            value = token["value"] if token["quoted"] is None else token["quoted"]
            if token["name"].casefold() in FILTERS:
                return flag(token["name"], value, self._now)
            self.unknown.append(token["name"])
            return Term(f"{token['name']}:{value}")  # as in CS:GO
        return _term(token)

    def _deeper(self, read: Callable[[], T]) -> T:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Invalid(f"The query nests deeper than {_DEEPEST} brackets; ask in a simpler way.")
        found = read()
        self._depth -= 1
        return found


def _tokens(text: str) -> Iterator[re.Match[str]]:
    return (match for match in _TOKEN.finditer(text) if match.lastgroup)


def _term(token: re.Match[str]) -> Term | None:
    """A word, a phrase or a beginning; None when there is no letter or digit in it."""
    text = token["phrase"] if token["phrase"] is not None else token["word"]
    if not any(char.isalnum() for char in text):
        return None
    if token["phrase"] is not None:
        return Term(text, "phrase")
    bare = text.rstrip("*")
    if bare == text or not bare[-1:].isalnum():
        return Term(text)
    if len(bare) < SHORTEST and bare.isascii():
        raise Invalid(f"{quote(text)} begins too many words; give at least {SHORTEST} letters before the star.")
    return Term(bare, "prefix")


def _join(word: str, left: Node, right: Node) -> Node:
    kind = Any if word == "OR" else All
    return kind((*left.of, right)) if isinstance(left, kind) else kind((left, right))


def _leaves(node: Node, *, negated: bool = True) -> Iterator[Term | Filter]:
    """All that a part of a query is made of, with or without what must not be."""
    if isinstance(node, (All, Any)):
        for each in node.of:
            yield from _leaves(each, negated=negated)
    elif isinstance(node, Not):
        yield from _leaves(node.of) if negated else ()
    else:
        yield node
