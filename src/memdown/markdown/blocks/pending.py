"""Blocks that cannot be yielded yet: a container comes before what it holds, but ends after it.

A block waits as three to six numbers, not as an object of ten times their size, so that a whole file
inside one list item costs no more than the file. What the text itself still says (markers, info strings,
the state of a task) is read from it again at the end.
"""

import re
from array import array
from collections.abc import Iterator

from memdown.markdown.blocks import grammar
from memdown.markdown.blocks.model import Block
from memdown.text import Span

KINDS = ("heading", "fence", "code", "html", "item", "quote", "table", "rule", "paragraph")
HEADING, FENCE, CODE, HTML, ITEM, QUOTE, TABLE, RULE, PARAGRAPH = range(9)
ATX, SETEXT = 0, 1
_STYLES = ("atx", "setext")
UNCLOSED, CLOSED = 0, 1
NO_BOX = -1

# Every block: its kind with its depth, start, end. Some have more:
#   heading: twice its level plus its style, content start, content end
#   fence: closed or not, content start, content end
#   html: twice its type plus closed or not
#   item: number, content start, start of the task box
_SIZES = (6, 6, 3, 4, 6, 3, 3, 3, 3)
_END, _CONTENT, _BOX = 2, 4, 5
_DEPTH_SHIFT, _KIND_MASK = 4, 15
_INT_LIMIT = 2 ** (31 - _DEPTH_SHIFT)  # leaves room for a depth, and for slots: at most six numbers a character


def numbers_for(size: int) -> "array[int]":
    """An empty row of numbers about a text of this size: four bytes each where that is enough."""
    return array("i" if size < _INT_LIMIT else "q")


class PendingBlocks:
    """Blocks in the order in which they begin. A slot is the place of one among all that ever waited."""

    def __init__(self, size: int) -> None:
        self._numbers = numbers_for(size)
        self._released = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def put(self, kind: int, depth: int, *numbers: int) -> int:
        slot = self._released + len(self._numbers)
        self._numbers.append(kind | depth << _DEPTH_SHIFT)
        self._numbers.extend(numbers)
        return slot

    def end_container(self, slot: int, last_end: int) -> int:
        """Let the container in this slot end where its content does, and tell where that is."""
        at = slot - self._released + _END
        self._numbers[at] = end = max(self._numbers[at], last_end)
        return end

    def extend_quote(self, slot: int, end: int) -> None:
        self._numbers[slot - self._released + _END] = end

    def set_content(self, slot: int, start: int) -> None:
        self._numbers[slot - self._released + _CONTENT] = start

    def set_box(self, slot: int, box: int) -> None:
        self._numbers[slot - self._released + _BOX] = box

    def release(self, text: str, count: int) -> Iterator[Block]:
        """Tell the blocks in the first `count` numbers, and forget them."""
        numbers = self._numbers
        at = 0
        while at < count:
            kind = numbers[at] & _KIND_MASK
            depth = numbers[at] >> _DEPTH_SHIFT
            span = Span(numbers[at + 1], numbers[at + _END])
            if kind == PARAGRAPH:
                yield Block("paragraph", span, depth, 0, span)
            elif kind == ITEM:
                yield _item(text, span, depth, *numbers[at + 3 : at + 6])
            elif kind == HEADING:
                style, start, end = numbers[at + 3 : at + 6]
                yield Block("heading", span, depth, style >> 1, Span(start, end), _STYLES[style & 1])
            elif kind == FENCE:
                closed, start, end = numbers[at + 3 : at + 6]
                yield Block("fence", span, depth, 0, Span(start, end), _info(text, span), closed=closed == CLOSED)
            elif kind == HTML:
                name, closed = grammar.HTML_NAMES[numbers[at + 3] >> 1], numbers[at + 3] & 1 == CLOSED
                yield Block("html", span, depth, 0, span, name, closed=closed)
            else:
                yield Block(KINDS[kind], span, depth, 0, span)
            at += _SIZES[kind]
        del numbers[:count]
        self._released += count


def _item(text: str, span: Span, depth: int, number: int, content: int, box: int) -> Block:
    bullet = text[span.start]
    marker = bullet if bullet in "-*+" else _matched(grammar.NUMBER, text, span.start)
    if box == NO_BOX:
        return Block("item", span, depth, number, Span(content, span.end), marker)
    return Block("item", span, depth, number, Span(content, span.end), marker, text[box + 1], Span(box, box + 3))


def _info(text: str, span: Span) -> str:
    return _matched(grammar.FENCE_LINE, text, span.start).lstrip("`~").strip(" \t")


def _matched(pattern: re.Pattern[str], text: str, at: int) -> str:
    match = pattern.match(text, at)
    return match[0] if match else ""
