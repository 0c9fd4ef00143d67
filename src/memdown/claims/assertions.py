"""What a text says of a subject that has one value: a version, a constant, a port, a choice, an owner, a place.

Two records in force that give one subject two values contradict each other, whatever the code says.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from memdown.claims import words
from memdown.claims.find import find
from memdown.claims.model import CodeClaim
from memdown.claims.versions import folded
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Span

_NAME = r"[`*_\"]{0,3}(?P<value>[A-Z][\w.+#-]{1,30}(?: [A-Z][\w.+#-]{1,30})?|[a-z][\w.+#-]{1,30})[`*_\"]{0,3}"
_PORT = lazy(
    r"(?<![\w-])[`*_]{0,3}(?P<subject>[A-Za-z][\w.-]{2,30})[`*_]{0,3}"
    r"(?: (?:server|service|app|container|backend|frontend))? (?:is |are )?"
    r"(?:runs?|running|listens?|listening|served|exposed|starts?|available) (?:on|at)"
    r" (?:port |http://localhost:|localhost:|:)[`*]{0,3}(?P<value>\d{4,5})\b"
)
_CHOICE = lazy(
    rf"(?<![\w-])(?:[Uu]se|[Uu]ses|[Uu]sing|[Aa]dopt|[Cc]hose|[Cc]hoose) {_NAME} (?:as|for) (?:the |our |all )?"
    r"(?P<subject>[a-z][a-z-]{2,20}(?: [a-z][a-z-]{2,20}){0,2})"
    r"(?=[.,;:)\r\n]|$| (?:because|since|so|and|to|with|in|on)\b)",
    re.M,
)
_OWNER = lazy(
    r"(?<![\w-])(?:`(?P<code>[^`\n]{2,80})`|(?P<subject>[A-Z][\w-]{2,30}(?: [A-Za-z][\w-]{2,30})?))"
    r" (?:is|are) (?:owned|maintained) by [`*_@]{0,3}(?P<value>[A-Z][\w-]{1,30})"
)
_PLACE = lazy(
    r"`(?P<subject>[A-Za-z_][\w.]{2,60})(?:\(\))?`"
    r" (?:(?:is|are) (?:defined |found |implemented |located |stored )?|lives? )in"
    r" `(?P<value>[\w.@/-]{3,120}\.\w{1,6})`"
)
_LABEL = lazy(
    r"^[ \t]*(?:[-*+] |\| ?)?[*_]{0,2}(?P<subject>database|db|frontend framework|backend framework|web framework|orm"
    r"|runtime|package manager|styling|test runner|test framework|testing framework|bundler|build tool"
    r"|authentication|auth|cache|caching|message queue|state management|programming language|ui library"
    r"|component library)[*_]{0,2} ?[:|][*_]{0,2} ?(?P<value>[^\n|]{2,120})",
    re.M | re.I,
)
"""A line that names the choice for one of the questions that every project answers once."""
_PATTERNS = (
    ("port", _PORT, ("port ", "localhost:", " on :", " at :")),
    ("choice", _CHOICE, (" for ", " as ")),
    ("owner", _OWNER, ("owned by ", "maintained by ")),
    ("place", _PLACE, (" in `",)),
    (
        *("choice", _LABEL),
        (
            *("database", "db", "framework", "orm", "runtime", "package manager", "styling", "test runner", "bundler"),
            *("build tool", "auth", "cach", "message queue", "state management", "programming language", "library"),
        ),
    ),
)
"""What finds assertions, and signs of which one is in every text that has such an assertion, in small letters."""
_SHOULD = lazy(r"\b(?:should|must|needs? to|could|unless|except|or|etc|minimum|at least|errors?|issues?)\b", re.I)
"""Words of a sentence that wants something, or has an exception."""
_NO_SUBJECT = frozenset("now it this that example instance both here there them each everything".split())


class Assertion(Struct, frozen=True, gc=False):
    """That a subject has a value."""

    kind: str
    span: Span
    subject: str
    """Folded, for comparing."""
    value: str


def assertions(document: Document) -> list[Assertion]:
    """What a text asserts, in the order of places; what tells of the past, of plans or of a day is left out.

    Sentences that want something are still among them: `is_wish` tells those from the others.
    """
    found = [*_claimed(find(document)), *document.of(spelled)]
    return sorted(found, key=lambda each: each.span.start)


def is_wish(text: str, each: Assertion) -> bool:
    """Whether the sentence of an assertion wants something, or has an exception."""
    is_read = each.kind in ("version", "value")  # the others were looked at when they were found
    return is_read and bool(_SHOULD.search(words.around(text, each.span.start, each.span.end)))


def _claimed(claims: Iterable[CodeClaim]) -> Iterator[Assertion]:
    for claim in claims:
        if claim.kind == "version" and claim.value[0].isdigit() and claim.value != "0":
            yield Assertion("version", claim.span, folded(claim.target), claim.value)
        elif claim.kind == "literal" and not claim.absent:
            yield Assertion("value", claim.span, claim.target, claim.value.strip("\"'"))


def spelled(text: str) -> list[Assertion]:
    """Those that are no claims about the code: a port, a choice, an owner, a place."""
    return list(_spelled(text))


def _spelled(text: str) -> Iterator[Assertion]:
    small = text.lower()
    for kind, pattern, signs in _PATTERNS:
        for match in pattern.finditer(text) if any(sign in small for sign in signs) else ():
            subject = match["subject"] or match.groupdict().get("code") or ""
            around = words.around(text, *match.span())
            is_said = not words.tells_of_change(around, versions=True) and not _SHOULD.search(around)
            if is_said and subject.lower() not in _NO_SUBJECT and match["value"].lower() not in _NO_SUBJECT:
                yield Assertion(kind, Span(*match.span()), subject.casefold(), match["value"])
