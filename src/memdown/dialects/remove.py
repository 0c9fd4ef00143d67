"""Taking a record out of a text: whole lines go, and the lines around them stand as if it had never been there."""

from memdown.text import BOM, Edit, Span, after_line, line_start


def without(text: str, start: int, end: int) -> Edit:
    """The edit that takes away the lines of a stretch of text.

    Of the blank lines before and after them the larger gap stays; at an end of the text, what that end has.
    """
    start = line_start(text, start)
    start += text.startswith(BOM, start)
    stop = after_line(text, max(end - 1, start))
    above, below = _blank_above(text, start), _blank_below(text, stop)
    if below == len(text):
        if stop == below and text[stop - 1 : stop] not in ("\r", "\n"):
            above -= _ending_before(text, above)  # the last line was not ended, and is not now
        return Edit(Span(above, stop), "")
    if above == text.startswith(BOM):
        return Edit(Span(start, below), "")
    larger_above = _count(text[above:start]) >= _count(text[stop:below])
    return Edit(Span(start, below) if larger_above else Span(above, stop), "")


def everything(text: str) -> Edit:
    """The edit that leaves nothing of a file that holds one record; a file with nothing in it is deleted."""
    return Edit(Span(0, len(text)), "")


def is_rule(line: str) -> bool:
    """Whether a line is `---` or another thematic break."""
    bare = "".join(line.split())
    return len(bare) >= len("---") and bare[0] in "-*_" and not bare.strip(bare[0])


def line_before(text: str, at: int) -> Span | None:
    """The last line before a place that is not blank."""
    start = _blank_above(text, line_start(text, at))
    if start <= text.startswith(BOM):
        return None
    end = start - _ending_before(text, start)
    return Span(line_start(text, end), end)


def line_after(text: str, at: int) -> Span | None:
    """The first line after the one that holds a place that is not blank."""
    start = _blank_below(text, after_line(text, at))
    return Span(start, start + len(text[start : after_line(text, start)].rstrip("\r\n"))) if start < len(text) else None


def _blank_above(text: str, at: int) -> int:
    first = int(text.startswith(BOM))
    while at > first:
        start = max(line_start(text, at - _ending_before(text, at)), first)
        if start == at or text[start:at].strip(" \t\r\n"):
            break
        at = start
    return at


def _blank_below(text: str, at: int) -> int:
    while at < len(text):
        end = after_line(text, at)
        if text[at:end].strip(" \t\r\n"):
            break
        at = end
    return at


def _ending_before(text: str, at: int) -> int:
    """How long the line ending is that stands before a place."""
    if text.endswith("\r\n", 0, at):
        return 2
    return int(text.endswith(("\n", "\r"), 0, at))


def _count(gap: str) -> int:
    return gap.replace("\r\n", "\n").replace("\r", "\n").count("\n")
