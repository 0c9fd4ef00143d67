"""Lines of a log that begin something: a date in brackets, a row of a table, strict Markdown or not."""

from collections.abc import Iterator

from memdown.dialects.bank import dates
from memdown.dialects.bank.sections import Outline
from memdown.patterns import lazy
from memdown.text import Span, after_line, line_end, line_start

ANY_STAMP = rf"(?:{dates.STAMP}|{dates.BLANK_STAMP})"
STAMP_OR_BLANK = rf"(?:{dates.STAMP}|(?(open){dates.BLANK_STAMP}|(?!)))"
"""The same, but blank in brackets only, which are a group `open`. A date is long, and so stands in a pattern once."""
LOG_LINE = lazy(
    r"[ \t]*(?:(?:[*_]{1,2})?(?P<open>\[)"
    r"|\*\*(?=[^*\r\n]{6,40}\*\*[ \t]*[-–—:：])|(?=\d[^\r\n]{5,40}?[-–—:：][ \t]*(?:\*\*)?[Dd]ecision\b))"
    rf"(?P<stamp>{STAMP_OR_BLANK})(?(open)\][*_]*|[:：]?(?:\*\*)?)[ \t]*[-–—:：]*[ \t]*(?P<title>[^\r\n]*)"
)
"""A date in brackets or in bold, or one before the word itself."""

_DATED_ROW = lazy(rf"[ \t]*\|[ \t]*{dates.STAMP}[ \t]*\|")
_RULE = lazy(r"[ \t]*(?:-[ \t]*){3,}|[ \t]*(?:\*[ \t]*){3,}|[ \t]*(?:_[ \t]*){3,}")


def lines_of(text: str, span: Span) -> Iterator[Span]:
    """The lines that a block is on, from their beginning."""
    start = line_start(text, span.start)
    while start < span.end:
        yield Span(start, line_end(text, start))
        start = max(after_line(text, start), start + 1)


def log_lines(doc: Outline) -> Iterator[Span]:
    """Lines of paragraphs that begin with a date in brackets, also one that Markdown takes for the end of an item."""
    for block in doc.blocks:
        if block.kind == "paragraph":
            lines = lines_of(doc.text, block.span)
            yield from (line for line in lines if LOG_LINE.match(doc.text, line.start, line.end))


def table_rows(doc: Outline) -> Iterator[list[Span]]:
    """Rows of tables, strict or not: lines with a pipe first, each with the lines below it that have none."""
    for block in doc.blocks:
        if block.kind not in ("table", "paragraph") or "|" not in block.span.of(doc.text):
            continue
        strict = block.depth == 0 and doc.text[block.span.start] == "|"
        rows: list[Span] = []
        for line in lines_of(doc.text, block.span):
            row = line.of(doc.text)
            if row.lstrip().startswith("|") if strict else _DATED_ROW.match(row):
                rows.append(line)
            elif rows:
                rows[-1] = Span(rows[-1].start, line.end)
        if rows:
            yield rows


def trimmed(text: str, start: int, end: int) -> int:
    """The end of an entry without blank lines and rules after it."""
    while end > start:
        if text[end - 1].isspace():
            end -= 1
            continue
        line = line_start(text, end)
        if line <= start or text[end - 1] not in "-*_" or not _RULE.fullmatch(text, line, end):
            break
        end = line
    return end


# What leaves a file


def cut(text: str, start: int, end: int) -> Span:
    """The lines of an item; of two blank lines that meet without it, one goes too."""
    at = after_line(text, end)
    above = text[max(start - 4, 0) : start].replace("\r\n", "\n")
    parted = start == 0 or above.endswith("\n\n")
    if parted and at < len(text) and not text[at : line_end(text, at)].strip():
        at = after_line(text, at)
    return Span(start, at)


def whole_lines(text: str, span: Span) -> Span:
    """The lines that a span is in, with the blank lines after it."""
    end = span.end
    while end < len(text) and text[end] in " \t\r\n":
        end += 1
    start = line_start(text, span.start)
    return Span(start, line_start(text, end) if end < len(text) else end)


def with_rule(text: str, lines: Span) -> Span:
    """An entry's lines with the rule after it, where a rule or a heading above it stays to part what is left."""
    end = line_end(text, lines.end)
    above = text[: lines.start].rstrip()
    head = line_start(text, len(above))
    parted = _RULE.fullmatch(text, head, len(above)) or text.startswith("#", head)
    if not (parted and _RULE.fullmatch(text, lines.end, end)):
        return lines
    return whole_lines(text, Span(lines.start, end))
