"""What is open: the containers around the line at hand, and the leaf that earlier lines left unfinished."""

from bisect import bisect_left

from memdown.markdown.blocks import grammar, pending
from memdown.markdown.blocks.cursor import TAB, Cursor
from memdown.markdown.blocks.definitions import Definition
from memdown.markdown.blocks.pending import PendingBlocks, numbers_for

# A paragraph, a definition (a paragraph whose text so far is no text) and a table go on until something
# opens a block; the later ones take every line until something ends them.
NOTHING, PARAGRAPH, DEFINITION, TABLE, FENCE, HTML, CODE = range(7)
PROSE = (PARAGRAPH, DEFINITION)  # what goes on even where the containers around it do not
UNTAGGED = (PARAGRAPH, DEFINITION, TABLE)  # what a lone HTML tag does not interrupt

QUOTE = -1  # stands in the stack where an item has the indentation it asks for
UNSET = -1
_PLAIN_KINDS = {DEFINITION: pending.PARAGRAPH, TABLE: pending.TABLE, CODE: pending.CODE}


class OpenBlocks(Cursor):
    """The stack of open containers, and how containers and leaves begin and end."""

    def __init__(self, text: str, start: int) -> None:
        super().__init__(text, start)
        self.pending = PendingBlocks(len(text))
        self.complete = 0  # how much of what waits is whole, and may be yielded

        # Open containers, outermost first: the indentation each item asks for, or QUOTE.
        self.stack = numbers_for(len(text))
        self.slots = numbers_for(len(text))  # where each of them waits
        self.quotes = numbers_for(len(text))  # which of them are quotes
        self.childless = False  # the innermost is an item without content so far
        self.last_end = 0  # end of the last block that was closed

        self.leaf = NOTHING
        self.leaf_start = self.leaf_end = self.leaf_content = 0
        self.fence_length = self.html_type = 0
        self.row_start = self.row_before = 0  # paragraph: its last line, and the end of the line before
        self.definition: Definition | None = None
        self.defined_start = self.defined_end = UNSET  # a definition whose title the paragraph may be
        self.titled = False  # the definition has its title

    def _walk_containers(self) -> int:
        """How many of the open containers go on in this line."""
        if self.visible == self.end:
            return self._before_quote(0)
        reached = 0
        for indent in self.stack:
            if indent == QUOTE:
                if self.column - self.base >= TAB or self.text[self.visible] != ">":
                    return reached
                marker = self.visible
                self._enter_quote()
                if self.visible == self.end:
                    self.pending.extend_quote(self.slots[reached], marker + 1)
                    return self._before_quote(reached + 1)
            elif self.column - self.base >= indent:
                self.base += indent
            else:
                return reached
            reached += 1
        return reached

    def _before_quote(self, reached: int) -> int:
        """How many containers a blank line continues: items it has no need to look at, up to a quote."""
        quote = bisect_left(self.quotes, reached)
        return self.quotes[quote] if quote < len(self.quotes) else len(self.stack)

    def _enter_quote(self) -> None:
        at, self.base = self.visible + 1, self.column + 1
        self._skip_blanks(at, self.base)
        if self.visible > at:
            self.base += 1  # one blank after the mark belongs to it, and of a tab one column

    def close_to(self, depth: int) -> None:
        """Close the open leaf and all containers deeper than this."""
        self._close_leaf()
        while len(self.stack) > depth:
            self.last_end = self.pending.end_container(self.slots.pop(), self.last_end)
            if self.stack.pop() == QUOTE:
                self.quotes.pop()
            self.childless = False

    def _close_leaf(self) -> None:
        leaf = self.leaf
        if leaf == PARAGRAPH:
            self._drop_definition()
            self._put(pending.PARAGRAPH, self.leaf_start, self.leaf_end)
        elif leaf == FENCE:
            self._end_fence(self.leaf_end, self.leaf_end, pending.UNCLOSED)
        elif leaf == HTML:
            self._end_html(pending.CLOSED if self.html_type >= grammar.HTML_BLOCK else pending.UNCLOSED)
        elif leaf != NOTHING:
            self._put(_PLAIN_KINDS[leaf], self.leaf_start, self.leaf_end)
        self.leaf = NOTHING

    def _end_fence(self, end: int, content_end: int, closed: int) -> None:
        content = min(self.leaf_content, content_end)
        self._put(pending.FENCE, self.leaf_start, end, closed, content, content_end)
        self.leaf = NOTHING

    def _end_html(self, closed: int) -> None:
        self._put(pending.HTML, self.leaf_start, self.leaf_end, 2 * self.html_type + closed)
        self.leaf = NOTHING

    def _drop_definition(self) -> None:
        """The open paragraph is text; a definition above it has ended there."""
        self.definition = None
        if self.defined_start != UNSET:
            self._put(pending.PARAGRAPH, self.defined_start, self.defined_end)
            self.defined_start = UNSET

    def _put(self, kind: int, start: int, end: int, *numbers: int) -> None:
        self.pending.put(kind, len(self.stack), start, end, *numbers)
        self.last_end = end

    def _push(self, indent: int, kind: int, *numbers: int) -> None:
        depth = len(self.stack)
        if depth == 0:
            self.complete = len(self.pending)
        self.slots.append(self.pending.put(kind, depth, *numbers))
        self.stack.append(indent)

    def _begin(self, matched: int, leaf: int, start: int) -> None:
        """Close what this line does not continue, and begin a leaf (or nothing) in what is left."""
        if self.leaf or matched < len(self.stack):
            self.close_to(matched)
        if self.childless:
            self.pending.set_content(self.slots[-1], start)
            self.childless = False
        self.leaf, self.leaf_start, self.leaf_end = leaf, start, self.end

    def _interrupts(self, matched: int) -> bool:
        return self.leaf in PROSE and matched == len(self.stack)
