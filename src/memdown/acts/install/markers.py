"""Lines of ours in a text of other people: between two marks, put in and taken out again to the byte.

Where the text was there before, an empty line comes before the lines; in a file that is made for them there is none.
So it is known later which file goes with them.
"""

from memdown.text import Edit, Span, apply, eol_of, with_eol

HASH, MARKDOWN = ("# ", ""), ("<!-- ", " -->")
"""How a line of comment begins and ends."""


class Unpaired(Exception):
    """One of the two marks is missing."""


def block(body: str, comment: tuple[str, str]) -> str:
    """Lines with their marks, without a line end behind the last."""
    begin, end = marks(comment)
    return f"{begin}\n{body}\n{end}"


def marks(comment: tuple[str, str]) -> tuple[str, str]:
    before, after = comment
    return f"{before}memdown install: begin{after}", f"{before}memdown install: end{after}"


def find(text: str, comment: tuple[str, str]) -> Span | None:
    """Where the lines are, marks included and the line end behind them not."""
    begin, end = marks(comment)
    start, stop = _line(text, begin), _line(text, end)
    if start < 0 and stop < 0:
        return None
    if start < 0 or stop < start:
        raise Unpaired(f"the marks {begin!r} and {end!r} of memdown are not a pair")
    return Span(start, stop + len(end))


def put(text: str, at: int, lines: str) -> str:
    """The text with lines at the beginning of a line, or at the end."""
    eol = eol_of(text)
    new = with_eol(lines, eol)
    ended = not text[:at] or text[at - 1] in "\r\n"
    return apply(text, [Edit(Span(at, at), f"{eol}{new}{eol}" if ended else f"{eol}{eol}{new}")])


def replace(text: str, span: Span, lines: str) -> str:
    return apply(text, [Edit(span, with_eol(lines, eol_of(text)))])


def take(text: str, span: Span, head: str = "") -> str | None:
    """The text without the lines; None for a file that was made for them and began with `head`."""
    before, after = text[: span.start], text[span.end :]
    if with_eol(before, "\n") == head and with_eol(after, "\n") == "\n":
        return None
    own = eol_of(text[span.start : span.end])
    if not after:
        return before.removesuffix(own).removesuffix(own)
    rest = before.removesuffix(own)
    if rest and rest[-1] not in "\r\n":
        rest = before  # somebody took the empty line out
    return rest + after.removeprefix(own)


def _line(text: str, line: str) -> int:
    """Where a whole line is; -1 when there is none."""
    at = text.find(line)
    while at >= 0:
        end = at + len(line)
        if (at == 0 or text[at - 1] in "\r\n\ufeff") and (end == len(text) or text[end] in "\r\n"):
            return at
        at = text.find(line, end)
    return -1
