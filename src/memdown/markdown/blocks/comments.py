"""HTML comments, wherever a Markdown reader would see one."""

import re
from collections.abc import Iterator

from memdown.markdown.blocks.model import Block, Comment
from memdown.markdown.blocks.scanner import scan
from memdown.patterns import lazy
from memdown.text import Span, after_line, line_end

_OPENING, _CLOSING = "<!--", "-->"
_MARK = lazy(r"\\[!-/:-@\[-`{-~]|`+|<!--")
_TICKS = lazy(r"`+")
_VISIBLE = lazy(r"[^\r\n]")
_NO_INDENT = "\u2003"
"""A blank that indents nothing, for where there is text on the same line."""
_SILENT = frozenset(("fence", "code", "item", "quote", "rule"))


def comments(text: str, start: int = 0) -> Iterator[Comment]:
    """Every HTML comment from `start` on, in order: alone on its line, over several lines, inside text.

    What looks like one inside code, fenced, indented or in a code span, is none. A comment that is not
    closed reaches to the end of its block.
    """
    if text.find(_OPENING, start) < 0:
        return
    for block in scan(text, start):
        if block.kind not in _SILENT and text.find(_OPENING, block.span.start, block.span.end) >= 0:
            yield from _in_html(text, block) if block.kind == "html" else _in_prose(text, block)


def without_comments(text: str) -> str:
    """A text as readers of Markdown see it: without comments, and without the lines that only they stood on."""
    kept, at = list[str](), 0
    for comment in comments(text):
        start, end = comment.span.start, comment.span.end
        first = text.rfind("\n", at, start) + 1 or at
        if _is_alone(text, first, comment):
            start, end = first, after_line(text, end)
        else:
            start = first + len(text[first:start].rstrip(" \t"))
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:])) if at else text


def blanked(text: str) -> str:
    """A text with blanks for each comment, so that all the rest stands where it stood."""
    kept, at = list[str](), 0
    for comment in comments(text):
        start, end = comment.span.start, comment.span.end
        is_alone = _is_alone(text, text.rfind("\n", at, start) + 1 or at, comment)
        kept += (text[at:start], _VISIBLE.sub(" " if is_alone else _NO_INDENT, text[start:end]))
        at = end
    return "".join((*kept, text[at:])) if at else text


def _is_alone(text: str, first: int, comment: Comment) -> bool:
    """Whether there is nothing else on its lines, of which the first begins there."""
    before, after = text[first : comment.span.start], text[comment.span.end : line_end(text, comment.span.end)]
    return (first == 0 or text[first - 1] == "\n") and not before.strip() and not after.strip()


def _in_html(text: str, block: Block) -> Iterator[Comment]:
    end = block.span.end
    at = text.find(_OPENING, block.span.start, end)
    while at >= 0:
        comment = _comment(text, at, end)
        yield comment
        at = text.find(_OPENING, comment.span.end, end)


def _in_prose(text: str, block: Block) -> Iterator[Comment]:
    at, end = block.span.start, block.span.end
    spans = _CodeSpans(text, end)
    while (mark := _MARK.search(text, at, end)) is not None:
        at = mark.end()
        if mark[0] == _OPENING:
            comment = _comment(text, mark.start(), end)
            yield comment
            at = comment.span.end
        elif mark[0][0] == "`":
            at = spans.closed_after(mark)


def _comment(text: str, at: int, end: int) -> Comment:
    # `<!-->` and `<!--->` are whole comments, so the closing mark may share the dashes of the opening.
    close = text.find(_CLOSING, at + 2, end)
    inner = at + len(_OPENING)
    if close < 0:
        return Comment(Span(at, end), Span(inner, end), closed=False)
    after = close + len(_CLOSING)
    return Comment(Span(at, after), Span(min(inner, after), max(close, min(inner, after))))


class _CodeSpans:
    """Where the code spans of one block end; each run of back-ticks is looked at once."""

    def __init__(self, text: str, end: int) -> None:
        self._text, self._end = text, end
        self._runs: dict[int, list[int]] | None = None

    def closed_after(self, opening: re.Match[str]) -> int:
        """The end of the code span this run opens; the end of the run when nothing closes it."""
        if self._runs is None:
            self._runs = {}
            runs = [run.span() for run in _TICKS.finditer(self._text, opening.end(), self._end)]
            for start, stop in reversed(runs):
                self._runs.setdefault(stop - start, []).append(stop)
        stops = self._runs.get(len(opening[0]), [])
        while stops and stops[-1] <= opening.end():
            stops.pop()
        return stops[-1] if stops else opening.end()
