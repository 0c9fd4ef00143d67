"""Canonical front matter: what is written here is the same text for every YAML reader, 1.1 or 1.2."""

import re
from collections.abc import Collection, Iterable, Sequence

from memdown.frontmatter.scalars import ESCAPES
from memdown.frontmatter.unusual import UNUSUAL
from memdown.patterns import lazy

# YAML ends the search for a key's colon after 1024 characters; an escape takes up to ten for one.
_MAX_KEY = 100
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan", ".inf", ".nan"))
_NUMBER = lazy(r"[0-9_.,:+-][0-9_.,:e+-]*\Z|[-+]?0[xob][0-9a-f_]*\Z", re.IGNORECASE)
_DATE = lazy(r"[0-9]{4}-[0-9]")
_PLAIN_START = lazy(r"[A-Za-z0-9_./($]|[^\x00-\xa0]")
_ENDS_KEY = lazy(r":(?:\s|\Z)")
_ESCAPE = {char: "\\" + code for code, char in ESCAPES.items() if code not in ("/", "\t", " ", "_")}


def quote(value: str) -> str:
    """One line that every YAML reader reads as exactly this string: plain if surely so, else quoted."""
    # A colon inside a word is harmless to readers, but people take it for the end of a key.
    return value if ":" not in value and is_plain(value) and not is_typed(value) else in_quotes(value)


def in_quotes(value: str) -> str:
    """Single quotes unless a character needs an escape."""
    return "'" + value.replace("'", "''") + "'" if _needs_no_escape(value) else double(value)


def double(value: str) -> str:
    return '"' + "".join(map(_escaped, value)) + '"'


def is_plain(value: str, flow: bool = False) -> bool:
    """Whether every reader takes these characters, unquoted, for one scalar with all of them in it."""
    return (
        _PLAIN_START.match(value) is not None
        and _needs_no_escape(value)
        and not value[0].isspace()
        and not value[-1].isspace()
        and not _ENDS_KEY.search(value)
        and " #" not in value
        and not (flow and any(char in value for char in ",[]{}:?#\"'"))
    )


def is_typed(value: str) -> bool:
    """Whether some reader takes these characters, unquoted, for a number, a date, a boolean or nothing."""
    return value.lower().lstrip("+-") in _WORDS or _NUMBER.match(value) is not None or _DATE.match(value) is not None


def line_of(key: str, value: str | Sequence[str], eol: str, indent: str = "", quoted: bool = False) -> str:
    """An entry in canonical form, without its last line ending."""
    if len(key) > _MAX_KEY:
        raise ValueError(f"a key of {len(key)} characters is too long for front matter")
    head = f"{indent}{quote(key)}:"
    scalar = in_quotes if quoted else quote
    if isinstance(value, str):
        return f"{head} {scalar(value)}"
    if not value:
        return f"{head} []"
    return head + "".join(f"{eol}{indent}  - {scalar(item)}" for item in value)


def write(pairs: Iterable[tuple[str, str | Sequence[str]]], eol: str = "\n", always_quote: Collection[str] = ()) -> str:
    """A whole block, fences included; the values of the keys in `always_quote` are quoted even if plain."""
    lines = [line_of(key, value, eol, quoted=key in always_quote) for key, value in pairs]
    return eol.join(["---", *lines, "---", ""])


def _needs_no_escape(value: str) -> bool:
    return "\t" not in value and "\n" not in value and "\r" not in value and not UNUSUAL.search(value)


def _escaped(char: str) -> str:
    if char in _ESCAPE:
        return _ESCAPE[char]
    # A surrogate is a byte that is not UTF-8: it has no escape, and goes back into the file as it was.
    if not UNUSUAL.match(char) or "\ud800" <= char <= "\udfff":
        return char
    return f"\\x{ord(char):02X}" if ord(char) < 0x100 else f"\\u{ord(char):04X}"
