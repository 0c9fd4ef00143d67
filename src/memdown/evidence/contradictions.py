"""Records in force that say different things of one subject."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from memdown.claims import force
from memdown.claims.assertions import Assertion, assertions, is_wish
from memdown.claims.versions import agrees, folded
from memdown.record import Document, Record
from memdown.scan.catalog import DATABASES, FRAMEWORKS, IMAGES, LIBRARIES, TOOLS

_LANGUAGES = "python node go rust java ruby php typescript javascript".split()
_KNOWN = frozenset(folded(name) for name in (*FRAMEWORKS, *DATABASES, *LIBRARIES, *TOOLS, *IMAGES, *_LANGUAGES))
"""Names that are libraries or languages wherever they stand."""
_EVERYWHERE = frozenset(("global", "project", "team"))
_MOST = 3
"""Values of one subject; what has more of them is no subject, but a word that is used often."""


class Asserted(Struct, frozen=True):
    """An assertion, and the record that makes it."""

    assertion: Assertion
    document: Document
    record: Record

    @property
    def line(self) -> int:
        return self.document.lines.at(self.assertion.span.start) + 1


def contradictions(
    documents: Iterable[Document],
    records_of: Callable[[Document], Iterable[Record]],
    versions: Callable[[], Mapping[str, Mapping[str, str]]],
) -> Iterator[tuple[Asserted, Asserted]]:
    """Pairs of assertions that cannot both hold, the earlier place second.

    `records_of` gives the records of a document that are in force; `versions` those that manifests have: of a library
    that has several there, memory may well say several.
    """
    subjects: dict[tuple[str, str], list[Asserted]] = {}
    for document, found in _of_several_values(documents):
        for each in _asserted(document, list(records_of(document)), found):
            key = (each.assertion.kind, each.assertion.subject)
            subjects.setdefault(key, []).append(each)
    for (kind, subject), asserted in subjects.items():
        for one, other in _opposed(asserted):
            if kind != "version" or len(versions().get(subject, ())) <= 1:
                yield one, other


def _of_several_values(documents: Iterable[Document]) -> Iterator[tuple[Document, list[Assertion]]]:
    """The assertions about subjects that have more than one value anywhere, by document: nearly all have one."""
    values: dict[tuple[str, str], set[str]] = {}
    said: list[tuple[Document, list[Assertion]]] = []
    for document in documents:
        said_here = assertions(document) if not force.is_aside(document) else ()
        found = [each for each in said_here if _is_subject(each)]
        for each in found:
            values.setdefault((each.kind, each.subject), set()).add(each.value)
        if found:
            said.append((document, found))
    for document, found in said:
        several = [each for each in found if len(values[each.kind, each.subject]) > 1]
        kept = [each for each in several if not is_wish(document.text, each)]
        if kept:
            yield document, kept


def _asserted(document: Document, records: list[Record], found: list[Assertion]) -> Iterator[Asserted]:
    """What the innermost records say; a record that gives a subject two values says neither."""
    said: dict[tuple[str, str, str], list[Asserted]] = {}
    for each, record in force.innermost(found if records else (), records):
        if record:
            said.setdefault((record.id, each.kind, each.subject), []).append(Asserted(each, document, record))
    for same in said.values():
        if len({each.assertion.value for each in same}) == 1:
            yield same[0]


def _is_subject(each: Assertion) -> bool:
    if each.kind == "choice":
        return bool(_names(each.value))
    return each.kind != "version" or each.subject in _KNOWN


def _names(value: str) -> frozenset[str]:
    """The libraries, databases, tools and languages that a text names."""
    words = [folded(word.rstrip(".")) for word in re.findall(r"[A-Za-z][\w.+#-]*", value)]
    pairs = (f"{one}{mark}{two}" for one, two in pairwise(words) for mark in ("-", " "))
    return _KNOWN.intersection((*words, *pairs))


def _opposed(found: list[Asserted]) -> Iterator[tuple[Asserted, Asserted]]:
    values: dict[str, Asserted] = {}
    for each in found:
        values.setdefault(each.assertion.value.casefold(), each)
    first, *others = values.values()
    if len(values) <= _MOST:
        yield from ((each, first) for each in others if _differ(each, first))


def _reach(record: Record) -> str:
    """For what a record holds; empty when for all of the project, however its dialect says so."""
    scope = (record.scope or "").casefold()
    return "" if scope in _EVERYWHERE else scope


def _differ(one: Asserted, other: Asserted) -> bool:
    if _reach(one.record) != _reach(other.record):
        return False
    mine, theirs = one.assertion.value, other.assertion.value
    if one.assertion.kind == "version":
        return not agrees(mine, theirs) and not agrees(theirs, mine)
    if one.assertion.kind == "choice":
        return not _names(mine) & _names(other.record.span.of(other.document.text)) and not _names(theirs) & _names(
            one.record.span.of(one.document.text)
        )
    if one.assertion.kind == "place":
        return not f"/{mine}".endswith(f"/{theirs}") and not f"/{theirs}".endswith(f"/{mine}")
    # Who names the other's value knows of it.
    return theirs not in one.record.span.of(one.document.text) and mine not in other.record.span.of(other.document.text)
