"""What entries point at by timestamp: `supersedes`, and `related` with the type of an entry."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from memdown.dialects.finder import Finder, plain_target
from memdown.dialects.sem import KINDS, grammar
from memdown.dialects.sem.read import RELATED
from memdown.dialects.sem.rules.common import LogEntry, fields, line_at
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Span

Place = tuple[str, int]
"""Where an entry stands: its file, and where in it."""

_ITEM = lazy(r"[^,\r\n]+")
_RELATED_PART = lazy(r"(?:[^\r\n,]|,(?!\s*[A-Za-z]+\s*:))+")


class Reference(Struct, frozen=True):
    """One entry pointing at another, and what that may be."""

    doc: Document
    source: Place
    legacy: bool
    """Whether the entry is in an older form; what it says in free words is only good to know."""
    type: str
    """supersedes, or the type of entry that `related` names."""
    target: str
    span: Span
    found: tuple[Record, ...]
    """The entries it may mean; copies of one entry count once."""


def references(docs: Sequence[Document]) -> Iterator[Reference]:
    """Every reference of an entry to an entry, resolved by instant, then type, then title."""
    pointers = [(doc, *each) for doc in docs for each in _pointers(doc)]
    known = [record for doc in docs for record in doc.records] if pointers else []
    numbers = {(record.path, record.span.start): number for number, record in reversed(list(enumerate(known)))}
    finder = Finder(known)
    for doc, start, type, target, span in pointers:
        source = numbers[doc.path, start]
        found = [known[each] for each in finder.distinct(finder.follow(source, type, target))]
        if type != "supersedes":  # a link that names a type means that type
            found = [record for record in found if record.kind == type]
        yield Reference(doc, (doc.path, start), known[source].form != "sem", type, target, span, tuple(found))


def related(doc: Document) -> Iterator[tuple[LogEntry, Span, re.Match[str] | None]]:
    """Each link that `related` should hold, and how it reads."""
    for entry, field in fields(doc, "related"):
        for piece in _RELATED_PART.finditer(doc.text, field.value_span.start, field.span.end):
            text = piece.group().strip(", \t")
            if text:
                start = piece.start() + piece.group().index(text)
                yield entry, Span(start, start + len(text)), RELATED.fullmatch(text)


def _pointers(doc: Document) -> Iterator[tuple[int, str, str, Span]]:
    """Where each entry that points at another begins, how they relate, what it names, and where that stands."""
    for entry, field in fields(doc, "supersedes"):
        for item in _ITEM.finditer(doc.text, field.value_span.start, field.value_span.end):
            target = item.group().strip()
            if plain_target(target):
                start = item.start() + item.group().index(target)
                yield entry.part.start, "supersedes", target, Span(start, start + len(target))
    for entry, span, match in related(doc):
        if match and match[1].lower() in KINDS and grammar.STAMP.match(match[2]):
            place = Span(span.start + match.start(2), span.start + match.end(2))
            yield entry.part.start, match[1].lower(), place.of(doc.text), place
    for record in doc.records:
        for link in record.links if record.form != "sem" else ():
            if link.type == "supersedes" and (target := plain_target(link.target)):
                yield record.span.start, "supersedes", target, line_at(doc, record.span.start)
