"""What a card is made of: keys, limits, patterns, and the text its hash is taken from."""

import hashlib
import re

from memdown import homes, times
from memdown.patterns import lazy
from memdown.text import encode

HOMES = homes.HOMES["cards"]

THOUGHTS = "thinking-memory"
"""The folder of the second kind of card, which has no keywords."""

KEYS = ("id", "subject", "keywords", "applies_to", "occurred_at", "content_hash")
"""The front matter, in the order it is written."""

ALWAYS_QUOTED = ("occurred_at", "content_hash")
"""Values that other YAML readers would take for a date or a number."""

SUBJECT_LIMIT = 200
KEYWORDS_LIMIT = 20
KEYWORD_LIMIT = 50
CONTENT_MINIMUM = 10
HASH_LENGTH = 16

UUID = lazy(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.ASCII)
UUID4 = lazy(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.ASCII)
SCOPE = lazy(r"global|file:.+|area:.+")
HASH = lazy(r"[0-9a-f]{16}", re.ASCII)
TIME = lazy(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?", re.ASCII)
_BLANK_LINES = lazy(r"(?:[^\S\n]*\n)*")


def canonical(body: str) -> str:
    """The content a body holds: LF line ends, no blank lines before it, no white space after it."""
    text = body.replace("\r\n", "\n").rstrip()
    blank = _BLANK_LINES.match(text)
    return text[blank.end() :] if blank else text


def moment(text: str) -> times.Moment | None:
    """The moment an ISO 8601 date and time names; a date alone is none."""
    return times.read(text) if TIME.fullmatch(text.strip()) else None


def content_hash(content: str) -> str:
    return hashlib.sha256(encode(content)).hexdigest()[:HASH_LENGTH]


def hashes_of(body: str) -> tuple[str, ...]:
    """The hashes a body may honestly carry, the canonical one first; other tools hash the body as it lies."""
    return tuple(content_hash(text) for text in (canonical(body), body, body.removesuffix("\n")))


def scope_fault(scope: str) -> str | None:
    """What keeps a text from being a scope, as the end of a sentence."""
    kind, colon, rest = scope.partition(":")
    if not SCOPE.fullmatch(scope) or (colon and not rest.strip()):
        return "is not `global`, `file:<path>` or `area:<name>`"
    if kind == "file":
        return _path_fault(rest.strip())
    return None


def _path_fault(path: str) -> str | None:
    if path.startswith(("/", "\\", "~")) or re.match(r"[A-Za-z]:[\\/]", path):
        return "names an absolute path; write it relative to the project"
    if ".." in re.split(r"[\\/]", path):
        return "leaves the project with `..`"
    if "\\" in path:
        return "uses backslashes; write the path with forward slashes"
    return None
