"""Lines of a block: where they begin and end, and which of them say nothing."""

from memdown.patterns import lazy
from memdown.text import Span, after_line, line_start

_LINE = lazy(r"([^\r\n]*)(?:\r\n|\n|\r|\Z)")
_EOL = lazy(r"\r\n|\n|\r|\Z")
_IGNORED = lazy(r"[ \t]*(?:#|\Z)")

Line = tuple[int, int]


def lines_of(text: str, span: Span) -> list[Line]:
    """Where each line begins and ends, line endings left out. The span begins and ends with a line."""
    inside = text[span.start : span.end]
    if "\r" not in inside:
        lines = []
        start = span.start
        for line in inside.split("\n"):
            end = start + len(line)
            lines.append((start, end))
            start = end + 1
    else:
        lines = [match.span(1) for match in _LINE.finditer(text, span.start, span.end)]
    if lines and lines[-1][0] == span.end:
        lines.pop()
    return lines


def is_ignored(text: str, line: Line) -> bool:
    """Blank, or a comment."""
    return _IGNORED.match(text, *line) is not None


def eol_at(text: str, offset: int) -> str:
    """The line ending of the line that holds this offset; every line of a closed block has one."""
    found = _EOL.search(text, offset)
    return (found[0] if found else "") or "\n"


def whole_lines(text: str, span: Span) -> Span:
    """All of the lines that a span touches, the last line ending included."""
    return Span(line_start(text, span.start), after_line(text, span.end))
