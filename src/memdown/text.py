"""Lossless text: positions, spans and edits. Only `apply` builds new text out of old.

A text is a `str` with every byte of the file in it: the byte order mark is its first character, line
endings stay as they are, and bytes that are not UTF-8 become lone surrogates (U+DC80 to U+DCFF) that
`encode` turns back. Positions count code points. Lines end at LF, CR LF or CR and nowhere else: form
feeds, vertical tabs, NEL and U+2028 are characters of their line.
"""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain, pairwise

from msgspec import Struct

from memdown.patterns import lazy

BOM = "\ufeff"
_BOLD = lazy(r"(?<![\w/*])\*\*(?=[^\s*])([^*]*[^\s*/])\*\*(?![\w/*])")
_EOL = re.compile(r"\r\n|\n|\r")
_SURROGATES = re.compile("[\ud800-\udfff]")


class Span(Struct, frozen=True, order=True, gc=False):
    """A half-open range of code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]


class Edit(Struct, frozen=True, gc=False):
    """Put `new` in the place of what `span` covers; an empty span inserts."""

    span: Span
    new: str


def decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The bytes `decode` was given. Raises UnicodeEncodeError for surrogates that no file can hold."""
    return text.encode("utf-8", "surrogateescape")


def without_bold(title: str) -> str:
    """A title as people read it: without the marks of bold text, which many lists begin their items with."""
    return _BOLD.sub(r"\1", title) if "**" in title else title


def legible(text: str) -> str:
    """The text with U+FFFD for each surrogate: one character for one, so that positions stay what they are."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; their spans refer to the text as it is now.

    Insertions at one place stay in the order given. Edits that overlap are a fault of the caller.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        if not done <= edit.span.start <= edit.span.end <= len(text):
            raise ValueError(f"edit at {edit.span.start} overlaps another one or leaves the text")
        pieces += text[done : edit.span.start], edit.new
        done = edit.span.end
    pieces.append(text[done:])
    return "".join(pieces)


class Lines:
    """Where the lines of a text begin and end. Line numbers count from 0 here; people see them from 1."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # Eight bytes a line: a list of int objects would take five times that.
        self._starts = array("Q", (0,))
        self._starts.extend(map(re.Match.end, _EOL.finditer(text)))
        if self._starts[-1] == len(text):
            self._starts.pop()  # what follows the last line ending is no line unless it has a character

    def __len__(self) -> int:
        return len(self._starts)

    def start(self, line: int) -> int:
        """Where a line begins; the line after the last one begins at the end of the text."""
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def span(self, line: int) -> Span:
        """A line without its ending."""
        start, end = self._starts[line], self.start(line + 1)
        if end > start and self.text[end - 1] == "\n":
            end -= 1
        if end > start and self.text[end - 1] == "\r":
            end -= 1
        return Span(start, end)

    def blank(self) -> Iterator[int]:
        """The lines that hold nothing but white space."""
        text, starts = self.text, self._starts
        for number, (start, end) in enumerate(pairwise(chain(starts, (len(text),)))):
            if text[start:end].isspace():
                yield number

    def at(self, offset: int) -> int:
        """The line that holds this offset."""
        return max(bisect_right(self._starts, offset) - 1, 0)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column as people count them, both from 1."""
        line = self.at(offset)
        return line + 1, offset - (self._starts[line] if self._starts else 0) + 1


def line_start(text: str, at: int) -> int:
    """Where the line that holds an offset begins."""
    start = text.rfind("\n", 0, at) + 1
    return max(start, text.rfind("\r", start, at) + 1)


def line_end(text: str, at: int) -> int:
    """Where the line that holds an offset ends, without its line ending."""
    found = _EOL.search(text, at)
    return found.start() if found else len(text)


def after_line(text: str, at: int) -> int:
    """Where the line after the one that holds an offset begins."""
    found = _EOL.search(text, at)
    return found.end() if found else len(text)


TITLE = 200
"""Characters of a line that names a thing."""


def shorten(text: str, limit: int = TITLE) -> str:
    """A text of so many characters at most; one that is cut ends in dots."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def is_blank(text: str) -> bool:
    """Whether a text holds nothing but white space, or a byte order mark."""
    return not text.strip("\ufeff \t\r\n")


def eol_of(text: str) -> str:
    """The line ending a text uses most; LF when it has none."""
    crlf = text.count("\r\n")
    counts = {"\n": text.count("\n") - crlf, "\r\n": crlf, "\r": text.count("\r") - crlf}
    return max(counts, key=lambda eol: counts[eol])


def with_eol(text: str, eol: str) -> str:
    """The same lines, each ended by `eol`."""
    return text if eol == "\n" and "\r" not in text else _EOL.sub(lambda _: eol, text)


def gap(text: str, eol: str | None = None) -> str:
    """What goes between a text and what comes after it, so that a blank line parts them."""
    if text in ("", BOM):
        return ""
    eol = eol_of(text) if eol is None else eol
    is_blank_before = re.search(r"(?:\r\n|\n|\r(?!\n))[ \t]*(?:\r\n|\n|\r)\Z", text[-400:])
    missing = ("" if text.endswith(("\n", "\r")) else eol) + ("" if is_blank_before else eol)
    # After a CR, an LF would only be the other half of that line's ending.
    return eol + missing if missing.startswith("\n") and text.endswith("\r") else missing
