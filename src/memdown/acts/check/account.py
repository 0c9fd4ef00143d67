"""The account of a file: each line is blank, part of a record, prose under a name, or unread with a diagnostic."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from msgspec import Struct

from memdown.markdown import blocks, frontmatter
from memdown.record import Document
from memdown.text import Span

PROSE, RECORD, DIAGNOSTIC, BLANK = "prd-"
"""What a line is, as one letter."""

_NAMES = {PROSE: "prose", RECORD: "record", DIAGNOSTIC: "diagnostic", BLANK: "blank"}


class Counts(Struct, frozen=True):
    """How many lines are what; `total` is the sum of the others."""

    total: int
    blank: int
    record: int
    prose: int
    diagnostic: int


class Run(Struct, frozen=True):
    """Lines in a row that are the same, counted from 1."""

    line: int
    end_line: int
    kind: str
    """blank, record, prose or diagnostic."""
    of: str | None
    """The record's id, or the name of the prose: the heading above it."""


def kinds(doc: Document, unread: Iterable[Span], wrong: Iterable[Span] = ()) -> str:
    """What each line is, a letter a line: a large file has millions of them. What is wrong is no prose."""
    lines = doc.lines
    marks = bytearray(PROSE.encode() * len(lines))
    for span in wrong:
        if span.end > span.start:
            marks[lines.at(span.start)] = ord(DIAGNOSTIC)
    for spans, mark in (([record.span for record in doc.records], RECORD), (unread, DIAGNOSTIC)):
        for span in spans:
            if span.end > span.start:
                first, last = lines.at(span.start), lines.at(span.end - 1)
                marks[first : last + 1] = mark.encode() * (last + 1 - first)
    for line in lines.blank():
        marks[line] = ord(BLANK)
    return marks.decode("ascii")


def counts(kinds: str) -> Counts:
    return Counts(len(kinds), *(kinds.count(kind) for kind in (BLANK, RECORD, PROSE, DIAGNOSTIC)))


def runs(doc: Document, kinds: str) -> Iterator[Run]:
    """The whole account, with neighbours of one kind and owner put together."""
    owners = {RECORD: _records(doc), PROSE: _headings(doc)}
    starts = {kind: sorted(lines) for kind, lines in owners.items()}
    start = 0
    for line in range(1, len(kinds) + 1):
        kind = kinds[start]
        if line < len(kinds) and kinds[line] == kind and line not in owners.get(kind, ()):
            continue
        before = bisect_right(starts.get(kind, ()), start)
        yield Run(start + 1, line, _NAMES[kind], owners[kind][starts[kind][before - 1]] if before else None)
        start = line


def _records(doc: Document) -> dict[int, str]:
    """At which line which record begins."""
    return {record.line - 1: record.id for record in doc.records}


def _headings(doc: Document) -> dict[int, str]:
    """At which line prose gets another name."""
    front = doc.of(frontmatter.read)
    body = front.body if front else 0
    names = {0: "front matter"} if front else {}
    names[doc.lines.at(body)] = "before the first heading"
    for block in blocks.scan(doc.text, body):
        if block.kind == "heading" and block.depth == 0:
            names[doc.lines.at(block.span.start)] = block.content.of(doc.text)
    return names
