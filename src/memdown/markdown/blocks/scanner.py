"""The block scanner: one walk over the lines, each looked at once, with the open containers on a stack."""

import re
from collections.abc import Callable, Iterator

from memdown.markdown.blocks import grammar, pending
from memdown.markdown.blocks.cursor import TAB, after_line
from memdown.markdown.blocks.definitions import COMPLETE, FAILED, OPEN, Definition
from memdown.markdown.blocks.model import Block
from memdown.markdown.blocks.openblocks import (
    CODE,
    DEFINITION,
    FENCE,
    HTML,
    NOTHING,
    PARAGRAPH,
    PROSE,
    QUOTE,
    TABLE,
    UNSET,
    UNTAGGED,
    OpenBlocks,
)
from memdown.markdown.blocks.tables import width
from memdown.text import Span

_DECLINED, _LEAF, _CONTAINER = range(3)  # what came of an attempt to open a block
_RULE_MARKS = 3
_ORDERED_START = 1  # the only number that may interrupt a paragraph


def scan(text: str, start: int = 0) -> Iterator[Block]:
    """The blocks of a text from `start` (the beginning of a line) on, in the order in which they begin.

    A container (item or quote) comes before what it holds. Since its end is known only after its content,
    a container that stands in no other is kept back, with all it holds, until it is closed; everything
    else comes as soon as it is complete. No text is wrong: whatever opens no other block is a paragraph.
    """
    scanner = _Scanner(text, start)
    yield from scanner.plain_blocks()
    size = len(text)
    while scanner.pos < size:
        scanner.take_line()
        if scanner.stack and scanner.next_line_leaves():
            scanner.close_to(0)
        if not scanner.stack:
            scanner.complete = len(scanner.pending)
        if scanner.complete:
            yield from scanner.pending.release(text, scanner.complete)
            scanner.complete = 0
        if scanner.leaf == NOTHING and not scanner.stack:
            yield from scanner.plain_blocks()
    scanner.close_to(0)
    yield from scanner.pending.release(text, len(scanner.pending))


class _Scanner(OpenBlocks):
    def __init__(self, text: str, start: int) -> None:
        super().__init__(text, start)
        self.no_rule_before = 0  # up to here the line at hand is known to hold no thematic break

    # Lines that need no thought.

    def next_line_leaves(self) -> bool:
        """Whether the next line surely ends all open containers."""
        text, pos = self.text, self.pos
        if pos >= len(text) or text[pos] in " \t\r\n>":
            return False
        return self.leaf not in PROSE or grammar.MARGIN.match(text, pos) is not None

    def plain_blocks(self) -> Iterator[Block]:
        """Blocks outside of containers that are certain from their own text and one character more."""
        text, pos, size = self.text, self.pos, len(self.text)
        while pos < size:
            char = text[pos]
            if char in "\n\r":
                pos += 1
                continue
            if char == "#":
                heading = grammar.PLAIN_HEADING.match(text, pos)
                if heading is None:
                    break
                start, pos = pos, heading.end()
                content = _title(text, heading.start(2), pos)
                yield Block("heading", Span(start, pos), 0, heading.end(1) - start, content, "atx")
            elif (item := grammar.PLAIN_ITEM.match(text, pos)) is not None:
                yield from _plain_item(text, item)
                pos = item.end()
            else:
                paragraph = grammar.PLAIN_PARAGRAPH.match(text, pos)
                if paragraph is None:
                    break
                if paragraph.start("end") < 0:
                    pos = self._leave_open(paragraph)
                    break
                span = Span(pos, paragraph.start("end"))
                yield Block("paragraph", span, 0, 0, span)
                pos = paragraph.end()
        self.pos = pos

    def _leave_open(self, lines: re.Match[str]) -> int:
        """Begin a paragraph that the next line may continue, underline or make a table of."""
        text, (start, end) = self.text, lines.span()
        self.leaf, self.leaf_start, self.leaf_end = PARAGRAPH, start, end
        self.row_start = max(text.rfind("\n", start, end), text.rfind("\r", start, end), start - 1) + 1
        self.row_before = self.row_start - (2 if text.startswith("\r\n", self.row_start - 2) else 1)
        return after_line(text, end)

    # One line.

    def take_line(self) -> None:
        self._find_line()
        self.no_rule_before = self.pos
        self.base = 0
        self._skip_blanks(self.pos, 0)
        matched = self._walk_containers() if self.stack else 0
        if matched < len(self.stack) and self.leaf not in PROSE:
            self.close_to(matched)
        if self.visible == self.end:
            self._take_blank(matched)
        elif self.leaf < FENCE or not self._continue_leaf():
            self._open_blocks(matched)
        self.pos = self.next

    def _take_blank(self, matched: int) -> None:
        if self.leaf == FENCE or (self.leaf == HTML and self.html_type < grammar.HTML_BLOCK):
            self.leaf_end = self.end
        elif self.leaf != CODE:
            self._close_leaf()
        if matched < len(self.stack):
            self.close_to(matched)
        elif self.childless:
            self.close_to(matched - 1)

    # Leaves that go on.

    def _continue_leaf(self) -> bool:
        if self.leaf == FENCE:
            if self.column - self.base < TAB and self._closes_fence():
                self._end_fence(self.end, self.pos, pending.CLOSED)
            else:
                self.leaf_end = self.end
            return True
        if self.leaf == HTML:
            self.leaf_end = self.end
            self._close_ended_html(self.visible)
            return True
        if self.column - self.base >= TAB:
            self.leaf_end = self.end
            return True
        self._close_leaf()
        return False

    def _closes_fence(self) -> bool:
        text, at = self.text, self.visible
        mark = text[self.leaf_start]
        if text[at] != mark:
            return False
        run = grammar.FENCE_RUN[mark].match(text, at)
        end = run.end() if run else at
        if end - at < self.fence_length:
            return False
        blanks = grammar.BLANKS.match(text, end)
        return blanks is not None and blanks.end() == self.end

    def _close_ended_html(self, at: int) -> None:
        closing = grammar.HTML_ENDS[self.html_type]
        if closing is not None and closing.search(self.text, at, self.end):
            self._end_html(pending.CLOSED)

    # Opening.

    def _open_blocks(self, matched: int) -> None:
        """Open what this line begins; a line that opens nothing is text of a paragraph or a table row."""
        while True:
            if self.column - self.base >= TAB:
                if self.leaf in PROSE:
                    break
                self._begin(matched, CODE, self.visible)
                return
            opener = _OPENERS.get(self.text[self.visible])
            outcome = opener(self, matched) if opener else _DECLINED
            if outcome == _DECLINED:
                break
            if outcome == _LEAF or self.visible == self.end:
                return
            matched = len(self.stack)
        if self.leaf == PARAGRAPH:
            self._continue_paragraph(matched)
        elif self.leaf == DEFINITION:
            self._follow_definition(matched)
        elif self.leaf == TABLE:
            self.leaf_end = self.end
        else:
            self._begin_paragraph(matched)

    def _open_quote(self, matched: int) -> int:
        self._begin(matched, NOTHING, self.visible)
        self.quotes.append(matched)
        self._push(QUOTE, pending.QUOTE, self.visible, self.visible + 1)
        self._enter_quote()
        return _CONTAINER

    def _open_bullet(self, matched: int) -> int:
        if not grammar.BULLET.match(self.text, self.visible):
            return _DECLINED
        return self._open_item(matched, self.visible + 1, 0, may_interrupt=True)

    def _open_number(self, matched: int) -> int:
        marker = grammar.NUMBER.match(self.text, self.visible)
        if marker is None:
            return _DECLINED
        number = int(marker[0][:-1])
        return self._open_item(matched, marker.end(), number, may_interrupt=number == _ORDERED_START)

    def _open_item(self, matched: int, after: int, number: int, *, may_interrupt: bool) -> int:
        start, start_column = self.visible, self.column
        column = start_column + after - start
        self._skip_blanks(after, column)
        empty = self.visible == self.end
        if (empty or not may_interrupt) and self._interrupts(matched):
            self.visible, self.column = start, start_column
            return _DECLINED
        content = after if empty else self.visible
        self._begin(matched, NOTHING, start)
        # Five blanks or more after the marker are one, and indented code.
        base = column + 1 if empty or self.column - column > TAB else self.column
        self._push(base - self.base, pending.ITEM, start, after, number, content, pending.NO_BOX)
        self.base, self.childless = base, True
        return _CONTAINER

    def _open_heading(self, matched: int) -> int:
        marks = grammar.HEADING.match(self.text, self.visible)
        if marks is None:
            return _DECLINED
        self._begin(matched, NOTHING, self.visible)
        title = _title(self.text, marks.end(), self.end)
        style = 2 * (marks.end() - self.visible) + pending.ATX
        self._put(pending.HEADING, self.visible, self.end, style, title.start, title.end)
        return _LEAF

    def _open_dashes(self, matched: int) -> int:
        """Dashes may underline a heading, divide, mark an item, or stand below the head of a table."""
        return (
            self._underline(matched)
            or self._open_rule(matched)
            or self._open_bullet(matched)
            or self._open_table(matched)
        )

    def _open_stars(self, matched: int) -> int:
        return self._open_rule(matched) or self._open_bullet(matched)

    def _underline(self, matched: int) -> int:
        if self.leaf != PARAGRAPH or matched < len(self.stack):
            return _DECLINED
        if not grammar.UNDERLINE.match(self.text, self.visible):
            return _DECLINED
        self._drop_definition()
        level = 1 if self.text[self.visible] == "=" else 2
        title = Span(self.leaf_start, _stripped(self.text, self.leaf_start, self.leaf_end))
        style = 2 * level + pending.SETEXT
        self._put(pending.HEADING, self.leaf_start, self.end, style, title.start, title.end)
        self.leaf = NOTHING
        return _LEAF

    def _open_rule(self, matched: int) -> int:
        text, start = self.text, self.visible
        if start < self.no_rule_before:
            return _DECLINED
        mark = text[start]
        run = grammar.RULE_RUN[mark].match(text, start)
        stop = run.end() if run else start
        if stop < self.end:
            # Nor is any later mark before that place the beginning of one.
            self.no_rule_before = stop
            return _DECLINED
        if text.count(mark, start, stop) < _RULE_MARKS:
            return _DECLINED
        self._begin(matched, NOTHING, self.visible)
        self._put(pending.RULE, start, self.end)
        return _LEAF

    def _open_fence(self, matched: int) -> int:
        marks = grammar.FENCE.match(self.text, self.visible)
        if marks is None:
            return _DECLINED
        self._begin(matched, FENCE, self.visible)
        self.leaf_content = min(self.next, len(self.text))
        self.fence_length = marks.end() - marks.start()
        if not self.stack:
            self._skip_fenced(marks[0])
        return _LEAF

    def _skip_fenced(self, marks: str) -> None:
        """Outside of containers only the closing fence matters: search for it, and read no line between."""
        text, at = self.text, self.end
        while (at := text.find(marks, at)) >= 0:
            run = grammar.CLOSING_FENCE[marks[0]].match(text, at)
            start = at
            while at - start < TAB and text[start - 1] == " ":
                start -= 1
            if run and run[1] is not None and at - start < TAB and text[start - 1] in "\r\n":
                self._end_fence(run.end(), start, pending.CLOSED)
                self.next = after_line(text, run.end())
                return
            at = run.end() if run else at + 1
        self.leaf_end = self.next = len(text)
        if text.endswith("\r\n"):
            self.leaf_end -= 2
        elif text[-1] in "\r\n":
            self.leaf_end -= 1

    def _open_html(self, matched: int) -> int:
        opening = grammar.HTML.match(self.text, self.visible)
        if opening is None or opening.lastindex is None:
            return _DECLINED
        if opening.lastindex == grammar.HTML_TAG and self.leaf in UNTAGGED:
            return _DECLINED
        self._begin(matched, HTML, self.visible)
        self.html_type = opening.lastindex
        self._close_ended_html(self.visible)
        return _LEAF

    def _open_table(self, matched: int) -> int:
        """A delimiter row makes a table of the line above it, if that has as many cells."""
        if self.leaf != PARAGRAPH or matched < len(self.stack) or self.row_start == UNSET:
            return _DECLINED
        delimiters = grammar.DELIMITER_ROW.match(self.text, self.visible)
        if delimiters is None:
            return _DECLINED
        text = self.text
        if text.find("|", self.row_start, self.leaf_end) < 0:
            return _DECLINED
        if width(text, self.row_start, self.leaf_end) != width(text, self.visible, self.end):
            return _DECLINED
        self._drop_definition()
        if self.row_start > self.leaf_start:
            self._put(pending.PARAGRAPH, self.leaf_start, self.row_before)
        self.leaf, self.leaf_start, self.leaf_end = TABLE, self.row_start, self.end
        if not self.stack:
            rows = grammar.PIPED_ROWS.match(text, self.end)
            self.leaf_end = rows.end() if rows else self.end
            self.next = after_line(text, self.leaf_end)
        return _LEAF

    # Paragraphs, and the definitions at their beginning.

    def _begin_paragraph(self, matched: int) -> None:
        text, at = self.text, self.visible
        task = grammar.TASK_BOX.match(text, at) if self.childless and text[at] == "[" else None
        self._begin(matched, PARAGRAPH, self.visible)
        self.row_start = at
        if task:
            blanks = grammar.BLANKS.match(text, task.end())
            self.pending.set_box(self.slots[-1], at)
            self.pending.set_content(self.slots[-1], blanks.end() if blanks else task.end())
        elif text[at] == "[":
            self.definition = Definition()
            self._judge_definition(self.definition.begin(text, at, self.end))

    def _follow_definition(self, matched: int) -> None:
        """Text below a definition: its title, another definition, or a paragraph that begins here."""
        self.defined_start, self.defined_end = self.leaf_start, self.leaf_end
        self.leaf, self.leaf_start = PARAGRAPH, self.visible
        self._extend_paragraph(matched)
        char = self.text[self.visible]
        if char in "\"'(" and not self.titled:
            self.definition = Definition()
            self._judge_definition(self.definition.begin_title(self.text, self.visible, self.end))
            return
        self._drop_definition()
        if char == "[":
            self.definition = Definition()
            self._judge_definition(self.definition.begin(self.text, self.visible, self.end))

    def _continue_paragraph(self, matched: int) -> None:
        self._extend_paragraph(matched)
        if self.definition is not None:
            self._judge_definition(self.definition.feed(self.text, self.visible, self.end))

    def _extend_paragraph(self, matched: int) -> None:
        heads = matched == len(self.stack) and self.column - self.base < TAB
        self.row_start = self.visible if heads else UNSET
        self.row_before, self.leaf_end = self.leaf_end, self.end

    def _judge_definition(self, state: int) -> None:
        if state == OPEN:
            return
        if state == FAILED:
            self._drop_definition()
            return
        self.definition = None
        if self.defined_start != UNSET:
            self.leaf_start, self.defined_start = self.defined_start, UNSET
        self.leaf = DEFINITION
        self.titled = state == COMPLETE


_OPENERS: dict[str, Callable[[_Scanner, int], int]] = {
    ">": _Scanner._open_quote,
    "#": _Scanner._open_heading,
    "-": _Scanner._open_dashes,
    "*": _Scanner._open_stars,
    "_": _Scanner._open_rule,
    "+": _Scanner._open_bullet,
    "=": _Scanner._underline,
    "|": _Scanner._open_table,
    ":": _Scanner._open_table,
    "`": _Scanner._open_fence,
    "~": _Scanner._open_fence,
    "<": _Scanner._open_html,
    **dict.fromkeys("0123456789", _Scanner._open_number),
}


def _plain_item(text: str, item: re.Match[str]) -> Iterator[Block]:
    start, end = item.span()
    marker, inner = item[1][:-1], Span(item.end(1), end)
    number = int(marker[:-1] or 0)
    if item.start(2) < 0:
        yield Block("item", Span(start, end), 0, number, inner, marker)
    else:
        box, content = Span(inner.start, inner.start + 3), Span(item.end(2), end)
        yield Block("item", Span(start, end), 0, number, content, marker, text[box.start + 1], box)
    yield Block("paragraph", inner, 1, 0, inner)


def _title(text: str, start: int, end: int) -> Span:
    """The title in what follows the marks of a heading: trimmed, and without closing marks."""
    raw = text[start:end].rstrip(" \t")
    bare = raw.rstrip("#")
    if not bare or bare[-1] in " \t":
        raw = bare.rstrip(" \t")
    blanks = len(raw) - len(raw.lstrip(" \t"))
    return Span(start + blanks, start + len(raw))


def _stripped(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip(" \t"))
