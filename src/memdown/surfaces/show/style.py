"""Words for people: colours on a terminal, numbers with their nouns, and text that cannot steer the terminal.

Imports next to nothing.
"""

import os
import sys

from memdown.lazy import LazyModule
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    import unicodedata
    from typing import TextIO
else:
    unicodedata = LazyModule("unicodedata")

_MARK = f"\ufdd0{os.urandom(4).hex()}"
"""Stands for what begins a colour until the text is shown; no file can have it, since it is another one each time."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:")
_OURS = lazy(rf"{_MARK}(?:\[[0-9;]*m|\]8;;[^{_MARK[0]}]*|\\)")
"""What begins or ends a colour or a link."""
_HANGING = lazy(r"\s*\S+ {2,}")
_ITEM = lazy(r"\s*(?:(?:[-*+]|\d{1,3}[.)]) +|(?:> ?)+)?")
"""What stands before the first word of a line of Markdown."""
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003fffd"
"""Scripts that have no spaces between words, so that a line may end behind any character …"""
_CLOSING = "、。〉》」』】〕！），．：；？"
"""… but not before one of these."""
_PIECE = lazy(rf" *(?:[{_UNSPACED}][{_CLOSING}]*|[^ {_UNSPACED}]+)| +$")
_STEERING = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that move the cursor, reorder or hide text, or are none."""
_HARMLESS = "\n\t\u200c\u200d"
"""But for these: line ends, and what joins letters and pictures."""

_IN_JSON = lazy(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""The same in JSON, where controls of ASCII are escaped anyway."""

_TERMINALS: "dict[TextIO, bool]" = {}
_COLOURS = {
    "error": "31",
    "warning": "33",
    "info": "34",
    "removed": "31",
    "added": "32",
    "place": "36",
    "id": "33",
    "dim": "90",
    "strong": "1;37",
}


def colours_wanted() -> bool:
    """Only on a terminal, and never when NO_COLOR says so (https://no-color.org)."""
    return _on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _on_terminal() -> bool:
    """Whether standard output is one, asked once of each: a list asks for every word that it shows."""
    if sys.stdout not in _TERMINALS:
        _TERMINALS.clear()
        _TERMINALS[sys.stdout] = sys.stdout.isatty()
    return _TERMINALS[sys.stdout]


def style(kind: str, text: str) -> str:
    colour = _COLOURS.get(kind)
    return f"{_MARK}[{colour}m{text}{_MARK}[0m" if colour and colours_wanted() else text


def link(text: str, path: str) -> str:
    """A text that a terminal opens a file by when it is clicked (OSC 8); elsewhere the text alone."""
    if not colours_wanted():
        return text
    plain = path.replace(os.sep, "/").encode("utf-8", "surrogateescape")
    address = "".join(chr(byte) if chr(byte) in _PLAIN else f"%{byte:02X}" for byte in plain)
    return f"{_MARK}]8;;file://{'' if address[:1] == '/' else '/'}{address}{_MARK}\\{text}{_MARK}]8;;{_MARK}\\"


class Prose(str):
    """What a record says: its lines are folded below their own beginning, as an editor does."""

    __slots__ = ()


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: letters of East Asia have two, and what joins a letter none."""
    if text.isascii():
        return len(text)
    width, category = unicodedata.east_asian_width, unicodedata.category
    return sum(2 if width(char) in "WF" else category(char) not in ("Mn", "Me", "Cf") for char in text)


def folded(line: str, width: int, *, prose: bool = False) -> list[str]:
    """A line that may have our colours, in lines of a terminal: cut between words, and below its own text."""
    bare = _OURS.sub("", line) if _MARK in line else line
    if columns(bare) <= width:
        return [line]
    indent = _indent(bare, width, prose=prose)
    found, current, used = [], "", 0
    for piece in _PIECE.findall(line):
        length = columns(_OURS.sub("", piece))
        if used and used + columns(_OURS.sub("", piece.rstrip())) > width and current.strip():
            found.append(current.rstrip(" "))
            current, used = " " * indent, indent
            piece = piece.lstrip(" ")
            length = columns(_OURS.sub("", piece))
        current, used = current + piece, used + length
    return [*found, current]


def _indent(bare: str, width: int, *, prose: bool) -> int:
    begin = (_ITEM if prose else _HANGING).match(bare)
    if begin and len(begin[0]) <= width // 3:
        return len(begin[0])
    return len(bare) - len(bare.lstrip()) + 2


def shown(text: str) -> str:
    """A text as it is printed: with our colours, and what else would steer the terminal as visible escapes."""
    if text.isprintable():
        return text
    text = text.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
    first, *others = (visible(piece) for piece in text.split(_MARK))
    return "".join([first, *(f"\x1b{piece}" for piece in others)])


def safe_json(text: str) -> str:
    """JSON of the same value, in which what would steer a terminal is escaped."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _IN_JSON.sub(lambda match: "".join(f"\\u{unit:04x}" for unit in _utf16(match[0])), text)


def _utf16(char: str) -> list[int]:
    code = ord(char)
    return [code] if code < 0x10000 else [0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF)]


def visible(text: str) -> str:
    """A text with visible escapes for what would steer a terminal, or a picture."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char.isprintable() or char in _HARMLESS or unicodedata.category(char) not in _STEERING:
        return char
    if "\udc80" <= char <= "\udcff":  # a byte that is not UTF-8, as the index and every terminal show it
        return "\ufffd"
    return ascii(char)[1:-1]


def count(number: int, thing: str) -> str:
    """1 file, 2 files, 3 entries."""
    if number == 1:
        return f"1 {thing}"
    many = f"{thing[:-1]}ies" if thing.endswith("y") and thing[-2] not in "aeo" else f"{thing}s"
    return f"{number:,} {many}"
