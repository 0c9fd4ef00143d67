"""The flat reader: keys at the left margin with scalars or lists of scalars, read in one pass over the lines.

Nearly all front matter is flat. Whatever else YAML allows, or forbids, makes `scan` give up, and the nested
reader has the last word.
"""

import re

from memdown.frontmatter.lines import Line, is_ignored
from memdown.frontmatter.model import Entry, Value
from memdown.frontmatter.scalars import unescape, unfold
from memdown.patterns import lazy
from memdown.text import Span

# YAML allows 1024 characters for a key that is followed by its value on one line.
MAX_KEY = 1000
_KEY = lazy(r"(\w[\w./-]*+(?: ++[\w./-]++)*+) *+:(?=[ \t]|\Z)[ \t]*+")
_ITEM = lazy(r"( *+)-(?: ++(?!\t)|\Z)")
_SINGLE = lazy(r"'([^']*+(?:''[^']*+)*+)'")
_DOUBLE = lazy(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"')
_BLOCK = lazy(r"([|>])(?:([1-9])([+-]?)|([+-]?)([1-9]?))(?= *+(?:\Z|(?<= )#))")
_INDICATORS = "-?:,[]{}#&*!|>%@`"
_PLAIN_ANYWAY = lazy(r"[-?:](?![ \t]|\Z)")
_COLON = lazy(r":(?:[ \t]|\Z)")
_COMMENT = lazy(r"[ \t]#")
_REST = lazy(r"[ \t]*+(?:\Z|(?<=[ \t])#)")
_FLOW_PLAIN = lazy(r"(?:[^\-?:,\[\]{}#&*!|>'\"%@` \t]|-(?![ \t,\[\]{}]|\Z))(?:[^?:,\[\]{}#]|:(?![ \t,?\[\]{}]|\Z))*+")
_FLOW_NEXT = lazy(r"[ \t]*+([,\]])[ \t]*+")

Found = tuple[Value, int]
"""A value and the number of the line after it."""


def scan(text: str, lines: list[Line]) -> tuple[Entry, ...] | None:
    """The entries of these lines; None when something is not flat."""
    entries = []
    at = 0
    while at < len(lines):
        start, end = lines[at]
        key = _KEY.match(text, start, end)
        if key is None:
            if not is_ignored(text, lines[at]):
                return None
            at += 1
            continue
        found = _value(text, lines, at, key)
        if found is None or key.end(1) - start > MAX_KEY:
            return None
        value, at = found
        stop = end if value.span.end <= end else _line_end(lines, at, value.span.end)
        entries.append(Entry(key[1], Span(start, key.end(1)), value, Span(start, stop)))
    return tuple(entries)


def _line_end(lines: list[Line], at: int, offset: int) -> int:
    """The end of the line that holds this offset, which is one of those before line `at`."""
    while lines[at - 1][0] > offset:
        at -= 1
    return lines[at - 1][1]


def _value(text: str, lines: list[Line], at: int, key: re.Match[str]) -> Found | None:
    start, end = key.end(), lines[at][1]
    first = text[start] if start < end else "#"
    if first == "#":
        colon = text.index(":", key.end(1)) + 1
        return _list(text, lines, at + 1, colon)
    if first in "|>":
        header = _BLOCK.match(text, start, end)
        return None if header is None else _block(text, lines, at + 1, header)
    value = _flow(text, start, end) if first == "[" else scalar(text, start, end)
    return None if value is None else (value, at + 1)


def scalar(text: str, start: int, end: int) -> Value | None:
    """A quoted or plain scalar that fills the line from `start`, but for a comment."""
    first = text[start]
    if first in "'\"":
        value = _quoted(text, start, end)
        return value if value is not None and _REST.match(text, value.span.end, end) else None
    raw = text[start:end]
    if first in _INDICATORS and not _PLAIN_ANYWAY.match(raw):
        return None
    if "#" in raw:
        raw = _COMMENT.split(raw, 1)[0]
    raw = raw.rstrip(" \t")
    if ":" in raw and _COLON.search(raw):
        return None
    return Value(Span(start, start + len(raw)), "plain", raw)


def _quoted(text: str, start: int, end: int) -> Value | None:
    if text[start] == "'":
        match, style = _SINGLE.match(text, start, end), "single"
    else:
        match, style = _DOUBLE.match(text, start, end), "double"
    if match is None:
        return None
    inner = match[1].replace("''", "'") if style == "single" else unescape(match[1])
    return None if inner is None else Value(Span(*match.span()), style, inner)


def is_plain(value: str, flow: bool) -> bool:
    """Whether this text, unquoted on one line, is read as itself."""
    found = (_flow_item if flow else scalar)(value, 0, len(value)) if value else None
    return found is not None and found.style == "plain" and found.text == value


def _list(text: str, lines: list[Line], at: int, colon: int) -> Found | None:
    """The block sequence that follows an empty place, or the empty value when none does."""
    found = _item_line(text, lines, at)
    if found is None:
        # An indented line would go on with the value; the main loop gives up when it gets there.
        return Value(Span(colon, colon), "empty", ""), at
    first, items = found[1], []
    while found is not None:
        at, dash = found
        item = _item(text, dash, lines[at][1])
        if item is None or dash[1] != first[1]:
            return None
        items.append(item)
        found = _item_line(text, lines, at + 1)
    return Value(Span(first.end(1), items[-1].span.end), "list", items=tuple(items)), at + 1


def _item_line(text: str, lines: list[Line], at: int) -> tuple[int, re.Match[str]] | None:
    """The next line when it is an item, blank lines and comments skipped."""
    while at < len(lines):
        match = _ITEM.match(text, *lines[at])
        if match is not None:
            return at, match
        if not is_ignored(text, lines[at]):
            return None
        at += 1
    return None


def _item(text: str, dash: re.Match[str], end: int) -> Value | None:
    start = dash.end()
    if start == end or text[start] == "#":
        return Value(Span(dash.end(1) + 1, dash.end(1) + 1), "empty", "")
    return scalar(text, start, end)


def _flow(text: str, start: int, end: int) -> Value | None:
    """A flow sequence of scalars on one line."""
    at = start + 1
    while at < end and text[at] in " \t":
        at += 1
    items: list[Value] = []
    while at < end and text[at] != "]":
        item = _flow_item(text, at, end)
        after = None if item is None else _FLOW_NEXT.match(text, item.span.end, end)
        if item is None or after is None:
            return None
        items.append(item)
        at = after.start(1) if after[1] == "]" else after.end()
    if at >= end or not _REST.match(text, at + 1, end):
        return None
    return Value(Span(start, at + 1), "flow", items=tuple(items))


def _flow_item(text: str, start: int, end: int) -> Value | None:
    if text[start] in "'\"":
        return _quoted(text, start, end)
    match = _FLOW_PLAIN.match(text, start, end)
    if match is None:
        return None
    raw = match[0].rstrip(" \t")
    return Value(Span(start, start + len(raw)), "plain", raw)


def _block(text: str, lines: list[Line], at: int, header: re.Match[str]) -> Found | None:
    """A block scalar; it goes on until a line that has no indentation and is not empty."""
    after = at
    while after < len(lines) and text[lines[after][0] : lines[after][0] + 1] in ("", " ", "\r", "\n"):
        after += 1
    inside = [text[start:end] for start, end in lines[at:after]]
    content = _without_indent(inside, int(header[2] or header[5] or 0))
    if content is None:
        return None
    stop = max((end for start, end in lines[at:after] if text[start:end].strip(" \t")), default=header.end())
    folded = header[1] == ">"
    value = unfold(content, folded, header[3] or header[4] or "")
    return Value(Span(header.start(), stop), "folded" if folded else "literal", value), after


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
