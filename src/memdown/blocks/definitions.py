"""Link reference definitions, recognised line by line while a paragraph that begins with `[` grows.

They matter to the structure in one way: a finished definition is no text, so that what follows it begins
a new block, and a row of `=` below it underlines nothing.
"""

import re

from memdown.blocks.grammar import BLANKS
from memdown.patterns import lazy, many

OPEN, FAILED, COMPLETE, EXTENSIBLE = range(4)  # EXTENSIBLE: complete, but the next line may be its title

_LABEL, _DESTINATION, _TITLE = range(3)
_LABEL_LIMIT = 999
_LABEL_TEXT = lazy(r"[^\\\[\]]*" + many(r"\\[\\\[\]]?[^\\\[\]]*", "escapes"))
_VISIBLE = lazy(r"[^ \t\r\n]")
_ANGLED = lazy(r"<[^\\<>]*" + many(r"\\[\\<>]?[^\\<>]*", "escapes") + ">")
_BARE = lazy(r"[^\x00-\x20\x7f]+")
_PARENTHESES = lazy(r"\\[()\\]|([()])")
_CLOSERS = {'"': '"', "'": "'", "(": ")"}
_TITLE_TEXTS = {
    '"': lazy(r'[^\\"]*' + many(r'\\["\\]?[^\\"]*', "escapes")),
    "'": lazy(r"[^\\']*" + many(r"\\['\\]?[^\\']*", "escapes")),
    ")": lazy(r"[^\\()]*" + many(r"\\[()\\]?[^\\()]*", "escapes")),
}


class Definition:
    """How far the lines seen so far are a definition."""

    __slots__ = ("_closer", "_label_length", "_named", "_stage")

    def __init__(self) -> None:
        self._stage = _LABEL
        self._label_length = 0
        self._named = False
        self._closer = ""

    def begin(self, text: str, at: int, end: int) -> int:
        return self._label(text, at + 1, end)

    def feed(self, text: str, at: int, end: int) -> int:
        """Take one more line of the paragraph."""
        if self._stage == _LABEL:
            return self._label(text, at, end)
        if self._stage == _DESTINATION:
            return self._destination(text, at, end)
        return self._rest_of_title(text, at, end)

    def begin_title(self, text: str, at: int, end: int) -> int:
        self._stage = _TITLE
        self._closer = _CLOSERS.get(text[at], "")
        return self._rest_of_title(text, at + 1, end) if self._closer else FAILED

    def _label(self, text: str, at: int, end: int) -> int:
        stop = _match_end(_LABEL_TEXT, text, at, end)
        self._label_length += stop - at + 1
        self._named = self._named or _VISIBLE.search(text, at, stop) is not None
        if self._label_length > _LABEL_LIMIT + 1:
            return FAILED
        if stop == end:
            return OPEN
        if not self._named or text[stop] != "]" or stop + 1 == end or text[stop + 1] != ":":
            return FAILED
        self._stage = _DESTINATION
        return self._destination(text, stop + 2, end)

    def _destination(self, text: str, at: int, end: int) -> int:
        at = _match_end(BLANKS, text, at, end)
        if at == end:
            return OPEN
        stop = _destination_end(text, at, end)
        title = _match_end(BLANKS, text, stop, end)
        if stop == at or (title == stop and title < end):
            return FAILED
        return EXTENSIBLE if title == end else self.begin_title(text, title, end)

    def _rest_of_title(self, text: str, at: int, end: int) -> int:
        stop = _match_end(_TITLE_TEXTS[self._closer], text, at, end)
        if stop == end:
            return OPEN
        if text[stop] != self._closer or _match_end(BLANKS, text, stop + 1, end) != end:
            return FAILED
        return COMPLETE


def _match_end(pattern: re.Pattern[str], text: str, at: int, end: int) -> int:
    match = pattern.match(text, at, end)
    return match.end() if match else at


def _destination_end(text: str, at: int, end: int) -> int:
    """Where the link target that begins here ends; `at` itself when there is none."""
    if text[at] == "<":
        return _match_end(_ANGLED, text, at, end)
    stop = _match_end(_BARE, text, at, end)
    depth = 0
    for mark in _PARENTHESES.finditer(text, at, stop):
        depth += {"(": 1, ")": -1}.get(mark[1], 0)
        if depth < 0:
            return at
    return at if depth else stop
