"""The flat reader: keys at the left margin with scalars or lists of scalars, read in one pass over the lines.

Nearly all front matter is flat. Whatever else YAML allows, or forbids, makes `scan` give up, and the nested
reader has the last word.
"""

import re

from memdown.markdown.frontmatter.lines import Line, is_ignored
from memdown.markdown.frontmatter.model import FrontMatterEntry, FrontMatterValue
from memdown.markdown.frontmatter.scalars import unescape, unfold
from memdown.patterns import lazy
from memdown.text import Span

# YAML allows 1024 characters for a key that is followed by its value on one line.
MAX_KEY = 1000
_KEY = lazy(r"(\w(?:[\w./ -]*[\w./-])?) *:(?=[ \t]|\Z)[ \t]*")
_ITEM = lazy(r"( *)-(?: +(?![ \t])|\Z)")
_SINGLE = lazy(r"'([^']*(?:''[^']*)*)'(?!')")
_DOUBLE = lazy(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_BLOCK = lazy(r"([|>])(?:([1-9])([+-]?)|([+-]?)([1-9]?))(?= *(?:\Z|(?<= )#))")
_INDICATORS = "-?:,[]{}#&*!|>%@`"
_PLAIN_ANYWAY = lazy(r"[-?:](?![ \t]|\Z)")
_COLON = lazy(r":(?:[ \t]|\Z)")
_COMMENT = lazy(r"[ \t]#")
_REST = lazy(r"[ \t]*(?:\Z|(?<=[ \t])#)")
_FLOW_PLAIN = lazy(
    r"(?:[^\-?:,\[\]{}#&*!|>'\"%@` \t]|-(?![ \t,\[\]{}]|\Z))[^?:,\[\]{}#]*"
    r"(?::(?![ \t,?\[\]{}]|\Z)[^?:,\[\]{}#]*)*"
)
_FLOW_NEXT = lazy(r"[ \t]*([,\]])[ \t]*")

_STYLES = {'"': "double", "'": "single"}
Found = tuple[FrontMatterValue | None, int]
"""A value, None when it is not flat, and the number of the line after it."""


def scan(text: str, lines: list[Line]) -> tuple[FrontMatterEntry, ...] | None:
    """The entries of these lines; None when something is not flat."""
    entries = []
    at = 0
    while at < len(lines):
        start, end = line = lines[at]
        key = _KEY.match(text, start, end)
        if key is None:
            if not is_ignored(text, line):
                return None
            at += 1
            continue
        behind, begin = key.end(1), key.end()
        if begin < end and text[begin] not in "#|>[":
            value = scalar(text, begin, end)
            at += 1
            stop = end
        else:
            value, at = _longer(text, lines, at, key)
            stop = _line_end(lines, at, value.span.end) if value is not None and value.span.end > end else end
        if value is None or behind - start > MAX_KEY:
            return None
        entries.append(FrontMatterEntry(key[1], Span(start, behind), value, Span(start, stop)))
    return tuple(entries)


def _line_end(lines: list[Line], at: int, offset: int) -> int:
    """The end of the line that holds this offset, which is one of those before line `at`."""
    while lines[at - 1][0] > offset:
        at -= 1
    return lines[at - 1][1]


def _longer(text: str, lines: list[Line], at: int, key: re.Match[str]) -> Found:
    """A value that is more than a scalar on the line of its key."""
    start, end = key.end(), lines[at][1]
    if start == end or text[start] == "#":
        return _list(text, lines, at + 1, text.index(":", key.end(1)) + 1)
    if text[start] == "[":
        return _flow(text, start, end), at + 1
    header = _BLOCK.match(text, start, end)
    return (None, at) if header is None else _block(text, lines, at + 1, header)


def scalar(text: str, start: int, end: int) -> FrontMatterValue | None:
    """A quoted or plain scalar that fills the line from `start`, but for a comment."""
    raw = text[start:end]
    first = raw[0]
    value = simple(raw)
    if value is not None:
        return FrontMatterValue(Span(start, end), _STYLES.get(first, "plain"), value)
    if first in "'\"":
        quoted = _quoted(text, start, end)
        return quoted if quoted is not None and _REST.match(text, quoted.span.end, end) else None
    if first in _INDICATORS and not _PLAIN_ANYWAY.match(raw):
        return None
    if "#" in raw:
        raw = _COMMENT.split(raw, 1)[0]
    raw = raw.rstrip(" \t")
    if ":" in raw and _COLON.search(raw):
        return None
    return FrontMatterValue(Span(start, start + len(raw)), "plain", raw)


def simple(raw: str) -> str | None:
    """The value of a scalar that no pattern need be tried on, as nearly all are; None for all others."""
    first = raw[:1]
    if first == '"':
        return raw[1:-1] if raw.find('"', 1) == len(raw) - 1 and "\\" not in raw else None
    if first == "'":
        return raw[1:-1] if raw.find("'", 1) == len(raw) - 1 else None
    if first.isalnum() and "#" not in raw and ": " not in raw and raw[-1] not in ": \t" and ":\t" not in raw:
        return raw
    return None


def _quoted(text: str, start: int, end: int) -> FrontMatterValue | None:
    if text[start] == "'":
        match, style = _SINGLE.match(text, start, end), "single"
    else:
        match, style = _DOUBLE.match(text, start, end), "double"
    if match is None:
        return None
    inner = match[1].replace("''", "'") if style == "single" else unescape(match[1])
    return None if inner is None else FrontMatterValue(Span(*match.span()), style, inner)


def is_plain(value: str, flow: bool) -> bool:
    """Whether this text, unquoted on one line, is read as itself."""
    found = (_flow_item if flow else scalar)(value, 0, len(value)) if value else None
    return found is not None and found.style == "plain" and found.text == value


def _list(text: str, lines: list[Line], at: int, colon: int) -> Found:
    """The block sequence that follows an empty place, or the empty value when none does."""
    first: re.Match[str] | None = None
    items = []
    after = at
    for number in range(at, len(lines)):
        dash = _ITEM.match(text, *lines[number])
        if dash is None:
            if is_ignored(text, lines[number]):
                continue
            break
        first = first or dash
        item = _item(text, dash, lines[number][1])
        if item is None or dash[1] != first[1]:
            return None, at
        items.append(item)
        after = number + 1
    if first is None:
        # An indented line would go on with the value; the main loop gives up when it gets there.
        return FrontMatterValue(Span(colon, colon), "empty", ""), at
    return FrontMatterValue(Span(first.end(1), items[-1].span.end), "list", items=tuple(items)), after


def _item(text: str, dash: re.Match[str], end: int) -> FrontMatterValue | None:
    start = dash.end()
    if start == end or text[start] == "#":
        return FrontMatterValue(Span(dash.end(1) + 1, dash.end(1) + 1), "empty", "")
    return scalar(text, start, end)


def _flow(text: str, start: int, end: int) -> FrontMatterValue | None:
    """A flow sequence of scalars on one line."""
    at = start + 1
    while at < end and text[at] in " \t":
        at += 1
    items: list[FrontMatterValue] = []
    while at < end and text[at] != "]":
        item = _flow_item(text, at, end)
        after = None if item is None else _FLOW_NEXT.match(text, item.span.end, end)
        if item is None or after is None:
            return None
        items.append(item)
        at = after.start(1) if after[1] == "]" else after.end()
    if at >= end or not _REST.match(text, at + 1, end):
        return None
    return FrontMatterValue(Span(start, at + 1), "flow", items=tuple(items))


def _flow_item(text: str, start: int, end: int) -> FrontMatterValue | None:
    if text[start] in "'\"":
        return _quoted(text, start, end)
    match = _FLOW_PLAIN.match(text, start, end)
    if match is None:
        return None
    raw = match[0].rstrip(" \t")
    return FrontMatterValue(Span(start, start + len(raw)), "plain", raw)


def _block(text: str, lines: list[Line], at: int, header: re.Match[str]) -> Found:
    """A block scalar; it goes on until a line that has no indentation and is not empty."""
    after = at
    while after < len(lines) and text[lines[after][0] : lines[after][0] + 1] in ("", " ", "\r", "\n"):
        after += 1
    inside = [text[start:end] for start, end in lines[at:after]]
    content = _without_indent(inside, int(header[2] or header[5] or 0))
    if content is None:
        return None, at
    stop = max((end for start, end in lines[at:after] if text[start:end].strip(" \t")), default=header.end())
    folded = header[1] == ">"
    value = unfold(content, folded, header[3] or header[4] or "")
    return FrontMatterValue(Span(header.start(), stop), "folded" if folded else "literal", value), after


def _without_indent(lines: list[str], indent: int) -> list[str | None] | None:
    first = next((number for number, line in enumerate(lines) if line.strip(" ")), len(lines))
    if not indent and first < len(lines):
        indent = len(lines[first]) - len(lines[first].lstrip(" "))
    if not indent:
        return None if any(lines) else [None] * len(lines)
    if any(len(line) > indent for line in lines[:first]):
        return None  # blank lines deeper than the text: readers disagree
    content: list[str | None] = []
    for line in lines:
        if line[:indent].strip(" "):
            return None
        content.append(line[indent:] or None)
    return content
