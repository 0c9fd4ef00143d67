"""Rows and cells of a table block, found again in its text when somebody asks for them."""

from collections.abc import Iterator
from itertools import pairwise

from memdown.blocks.model import Block
from memdown.patterns import lazy
from memdown.text import Span

_LINE = lazy(r"[^\r\n]*")
_EOL = lazy(r"\r\n?|\n")
# A row can begin neither with `>` (that opens a quote) nor lazily, so all this belongs to containers.
_PREFIX = lazy(r"[ \t>]*")
_PIPE = lazy(r"(?<!\\)\|")


def rows(text: str, table: Block) -> Iterator[Span]:
    """The rows of a table block, header first, without the delimiter row."""
    at, number = table.span.start, 0
    while at < table.span.end:
        line = _LINE.match(text, at, table.span.end)
        end = line.end() if line else at
        if number != 1:
            yield Span(at, end)
        eol = _EOL.match(text, end)
        prefix = _PREFIX.match(text, eol.end()) if eol else None
        at, number = prefix.end() if prefix else table.span.end, number + 1


def cells(text: str, row: Span) -> list[Span]:
    """The cells of a table row, trimmed. A pipe after a backslash is text, also inside a code span."""
    start, end = _trimmed(text, row.start, row.end)
    if start < end and text[start] == "|":
        start += 1
    edges = [start - 1, *(pipe.start() for pipe in _PIPE.finditer(text, start, end))]
    # What follows the last pipe is a cell only when there is something in it.
    if edges[-1] < end - 1 or len(edges) == 1:
        edges.append(end)
    return [Span(*_trimmed(text, left + 1, right)) for left, right in pairwise(edges)]


def width(text: str, start: int, end: int) -> int:
    """How many cells a row has, counted without building them."""
    start, end = _trimmed(text, start, end)
    if start < end and text[start] == "|":
        start += 1
        if start == end:
            return 0
    pipes = text.count("|", start, end) - text.count("\\|", start, end)
    closed = pipes > 0 and text[end - 1] == "|" and text[end - 2] != "\\"
    return pipes + (not closed)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start] in " \t":
        start += 1
    while end > start and text[end - 1] in " \t":
        end -= 1
    return start, end
