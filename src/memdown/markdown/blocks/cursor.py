"""The line at hand: where it ends, where its text begins, and in which column."""

from memdown.markdown.blocks import grammar
from memdown.text import BOM

TAB = 4


class Cursor:
    """A place in a text, moved line by line, and within a line from container to container."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.pos = start + text.startswith(BOM) if start == 0 else start
        self.end = self.next = 0
        self._line_feed = self._carriage_return = -1  # the next ones, so that nothing is searched twice
        self.visible = 0  # first character that is no blank, after the containers reached so far
        self.column = 0  # and its column
        self.base = 0  # the column where the content of those containers begins

    def _find_line(self) -> None:
        text, pos = self.text, self.pos
        if self._line_feed < pos:
            found = text.find("\n", pos)
            self._line_feed = found if found >= 0 else len(text)
        if self._carriage_return < pos:
            found = text.find("\r", pos)
            self._carriage_return = found if found >= 0 else len(text)
        if self._carriage_return < self._line_feed:
            self.end = self._carriage_return
            self.next = self.end + (2 if self._line_feed == self.end + 1 else 1)
        else:
            self.end = self._line_feed
            self.next = self.end + 1

    def _skip_blanks(self, at: int, column: int) -> None:
        """Find the next visible character and its column, from a place and the column there."""
        text = self.text
        visible = at
        while (char := text[visible : visible + 1]) == " ":
            visible += 1
        column += visible - at
        if char == "\t":
            blanks = grammar.BLANKS.match(text, visible)
            at, visible = visible, blanks.end() if blanks else visible
            for char in text[at:visible]:
                column += TAB - column % TAB if char == "\t" else 1
        self.visible, self.column = visible, column


def after_line(text: str, end: int) -> int:
    """Where the line after the one that ends here begins."""
    return end + (2 if text.startswith("\r\n", end) else 1)
