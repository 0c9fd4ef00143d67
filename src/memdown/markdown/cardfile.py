"""The text of a card: its limits, the content its hash is taken from, and how a new one is written.

Light to import, since hooks write cards too; everything else about cards is in `dialects/cards`.
"""

import os
import re

from memdown import clock
from memdown.hashes import sha256
from memdown.markdown.frontmatter.canonical import write
from memdown.patterns import lazy

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Sequence

ALWAYS_QUOTED = ("occurred_at", "content_hash")
"""Values that other YAML readers would take for a date or a number."""

SUBJECT_LIMIT = 200
KEYWORDS_LIMIT = 20
KEYWORD_LIMIT = 50
CONTENT_MINIMUM = 10
HASH_LENGTH = 16

SCOPE = lazy(r"global|file:.+|area:.+")
TIME = lazy(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?", re.ASCII)
_BLANK_LINES = lazy(r"(?:[^\S\n]*\n)*")
_DRIVE = lazy(r"[A-Za-z]:[\\/]")


def canonical(body: str) -> str:
    """The content a body holds: LF line ends, no blank lines before it, no white space after it."""
    text = body.replace("\r\n", "\n").rstrip()
    blank = _BLANK_LINES.match(text)
    return text[blank.end() :] if blank else text


def content_hash(content: str) -> str:
    return sha256(content.encode("utf-8", "surrogateescape"))[:HASH_LENGTH]


def scope_fault(scope: str) -> str | None:
    """What keeps a text from being a scope, as the end of a sentence."""
    kind, colon, rest = scope.partition(":")
    if not SCOPE.fullmatch(scope) or (colon and not rest.strip()):
        return "is not `global`, `file:<path>` or `area:<name>`"
    if kind == "file":
        return _path_fault(rest.strip())
    return None


def _path_fault(path: str) -> str | None:
    if path.startswith(("/", "\\", "~")) or _DRIVE.match(path):
        return "names an absolute path; write it relative to the project"
    if ".." in path.replace("\\", "/").split("/"):
        return "leaves the project with `..`"
    if "\\" in path:
        return "uses backslashes; write the path with forward slashes"
    return None


def zoned(occurred_at: str) -> str | None:
    """A date and time with its zone, UTC when it names none; None when it is no date and time."""
    text = occurred_at.strip()
    if not TIME.fullmatch(text) or clock.instant(text) == text:
        return None
    return text if text[-1] in "Zz" or "+" in text[10:] or "-" in text[10:] else f"{text}Z"


def new_id() -> str:
    """A random UUID, version 4. Not by Python's `uuid`, which takes as long to import as all of this."""
    digits = bytearray(os.urandom(16))
    digits[6] = digits[6] & 0x0F | 0x40
    digits[8] = digits[8] & 0x3F | 0x80
    text = digits.hex()
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def compose(id: str, subject: str, keywords: "Sequence[str]", applies_to: str, occurred_at: str, body: str) -> str:
    """A card as memdown writes it."""
    front = write(
        (
            ("id", id),
            ("subject", subject),
            ("keywords", keywords),
            ("applies_to", applies_to),
            ("occurred_at", occurred_at),
            ("content_hash", content_hash(body)),
        ),
        always_quote=ALWAYS_QUOTED,
    )
    return f"{front}\n{body}\n"
