"""The account of a file: each line is blank, part of a record, prose under a name, or unread with a diagnostic."""

from bisect import bisect_right
from collections.abc import Iterable

from msgspec import Struct

from memdown import blocks, frontmatter
from memdown.record import Document
from memdown.text import Span

_PROSE, _RECORD, _DIAGNOSTIC, _BLANK = range(4)
_NAMES = ("prose", "record", "diagnostic", "blank")


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


def counts(doc: Document, unread: Iterable[Span]) -> Counts:
    marks = _marks(doc, unread)
    return Counts(len(marks), *(marks.count(mark) for mark in (_BLANK, _RECORD, _PROSE, _DIAGNOSTIC)))


def runs(doc: Document, unread: Iterable[Span]) -> list[Run]:
    """The whole account, with neighbours of one kind and owner put together."""
    marks = _marks(doc, unread)
    owners = {_RECORD: _records(doc), _PROSE: _headings(doc)}
    found: list[Run] = []
    start = 0
    for line in range(1, len(marks) + 1):
        if line == len(marks) or marks[line] != marks[start] or line in owners.get(marks[line], {}):
            found.append(Run(start + 1, line, _NAMES[marks[start]], None))
            start = line
    return _named(found, owners)


def _named(found: list[Run], owners: dict[int, dict[int, str]]) -> list[Run]:
    """The runs, each with the owner that begins last before it ends."""
    named = []
    starts = {_NAMES[mark]: sorted(lines) for mark, lines in owners.items()}
    for run in found:
        before = starts.get(run.kind, [])
        place = bisect_right(before, run.line - 1)
        of = owners[_NAMES.index(run.kind)][before[place - 1]] if place else None
        named.append(Run(run.line, run.end_line, run.kind, of))
    return named


def _records(doc: Document) -> dict[int, str]:
    return {doc.lines.at(record.span.start): record.id for record in doc.records}


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


def _marks(doc: Document, unread: Iterable[Span]) -> bytearray:
    """One byte a line: a large file has many."""
    lines = doc.lines
    marks = bytearray(len(lines))
    for spans, mark in (([record.span for record in doc.records], _RECORD), (unread, _DIAGNOSTIC)):
        for span in spans:
            if span.end > span.start:
                first, last = lines.at(span.start), lines.at(span.end - 1)
                marks[first : last + 1] = bytes((mark,)) * (last + 1 - first)
    text = doc.text
    start = 0
    for line in range(len(marks)):
        end = lines.start(line + 1)
        if text[start:end].isspace():
            marks[line] = _BLANK
        start = end
    return marks
