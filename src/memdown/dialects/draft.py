"""A record before it is written: what was given of it, for the dialect that will hold it."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TypedDict, Unpack

from msgspec import Struct

from memdown import times
from memdown.errors import Invalid, quote
from memdown.patterns import lazy
from memdown.record import Link, Record
from memdown.text import Span

OPTIONS = ("force", "inbox", "from_git")
"""What says how to write a record, and is no part of it."""
_NAMED = frozenset(
    ("id", "at", "text", "summary", "why", "author", "contributors", "scope", "status", "tags", "supersedes", "related")
)
"""What `Record` has a name for; the rest is in `extra`."""
CONFIDENCES = ("low", "medium", "high")
"""How surely a new entry says what an old one meant."""
_SURROGATE = lazy("[\ud800-\udfff]")


class EntryDraft(Struct, frozen=True):
    """A new entry for an old one, or the reason there is none."""

    record: Record
    span: Span
    """What the new text takes the place of."""
    text: str
    confidence: str
    inferred: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reason: str | None = None
    missing: tuple[str, ...] = ()
    """What the old entry lacks, when that is the reason: author, date."""


class LineFacts(Struct, frozen=True):
    """What is known of the line that an entry begins with, from outside of its file."""

    at: times.Moment | None = None
    author: str | None = None


class Known(Struct, frozen=True):
    """What may fill the gaps of old entries."""

    lines: Mapping[int, LineFacts] = {}
    """By line from 0, as git knows them."""
    gaps: bool = True
    """Whether authors and dates that are missing are surely to be taken from these lines, …"""
    times: bool = False
    """… and whether times are, where the entry names the same day."""
    author: str | None = None
    """Who signs what nobody signed."""


class DraftFields(TypedDict, total=False):
    """What may be given of a new record beside its kind and title; each dialect tells which of it has a field there."""

    id: str | None
    at: str | None
    """When it happened, as written; without it, now."""
    text: str | None
    summary: str | None
    why: str | None
    author: str | None
    contributors: Sequence[str]
    scope: str | None
    status: str | None
    tags: Sequence[str]
    supersedes: Sequence[str]
    related: Sequence[Link | str]
    """Links, or as people write them: `issue: #18`."""
    expires: str | None
    context: str
    options: Sequence[str]
    selected: str
    trade_offs: str
    consequences: str
    priority: str | None
    depends: Sequence[str]
    description: str
    tasks: Sequence[str]
    task: str | None
    files: Sequence[tuple[str, str, str]]
    """Action, path and description of each file that an edit changed."""
    from_git: bool
    file: str | None
    error: str
    cause: str
    fix: str
    period: str | None
    force: bool
    """Whether a summary may be longer than the limit."""
    inbox: bool
    """Whether it waits in a drop box until somebody merges it."""


def draft(kind: str, title: str, **given: Unpack[DraftFields]) -> Record:
    """A record that no file holds yet, with everything that was given; a dialect's `prepare` makes it its own."""
    at = given.get("at")
    moment = times.read(at.strip()) if at else None
    if at and moment is None:
        raise Invalid(f"{quote(at)} is not a date and time like 2026-01-31T09:30:00Z.")
    if given.get("id") == "":
        raise Invalid("The id is empty; leave it out and memdown makes one.")
    others = {"rationale": given.get("why"), **{name: value for name, value in given.items() if name not in _NAMED}}
    return Record(
        id=given.get("id") or "",
        dialect="",
        kind=kind,
        path="",
        span=Span(0, 0),
        title=title,
        summary=given.get("summary"),
        body=given.get("text"),
        at=moment,
        author=given.get("author"),
        contributors=tuple(given.get("contributors", ())),
        scope=given.get("scope"),
        status=given.get("status"),
        tags=tuple(given.get("tags", ())),
        links=(
            *(Link("supersedes", each) for each in given.get("supersedes", ())),
            *(related(each) if isinstance(each, str) else each for each in given.get("related", ())),
        ),
        extra={name: _text_of(value) for name, value in others.items() if value},
    )


def _text_of(value: object) -> str | Sequence[str]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [each if isinstance(each, str) else ":".join(each) for each in value]
    return value if isinstance(value, str) else "yes"


def related(value: str) -> Link:
    """A link as people write it: `issue: #18`."""
    kind, _, target = value.partition(":")
    return Link(kind.strip().lower(), target.strip())


def checked_text(value: str, what: str) -> str:
    """The text, when a UTF-8 file can hold it."""
    if not value.isascii() and _SURROGATE.search(value):
        raise Invalid(f"The {what} is not valid UTF-8.")
    return value


def checked_line(value: str, what: str) -> str:
    """The text without white space around it, when it is one line that can be seen."""
    line = checked_text(value, what).strip()
    if len(line.splitlines()) > 1:
        raise Invalid(f"The {what} has more than one line.")
    if not line.isprintable() and any(unicodedata.category(char) == "Cc" for char in line):
        raise Invalid(f"The {what} has a control character.")
    return line
