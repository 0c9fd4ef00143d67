"""Whether what a text says is meant to hold now: of which records and files, and who confirmed it."""

import re
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from msgspec import Struct

from memdown.claims.model import CodeClaim
from memdown.patterns import lazy
from memdown.record import ADDED, LISTS, SINCE, Document, Record
from memdown.text import Span

_HISTORY = frozenset(("edit", "modification", "session", "cache", "error", "commit", "review", *LISTS))
"""Kinds of records that tell of what was done: an edit of a file that is gone today is still right."""
_OVER = frozenset(
    "completed complete done finished closed resolved superseded rejected deprecated cancelled canceled abandoned"
    " archived expired withdrawn obsolete proposed proposal draft planned pending reverted recommended recommendation"
    " awaiting idea".split()
)
_STATUS = 200
_STATUS_WORD = lazy(r"[^\W\d_]+")
_HOLDS = frozenset(
    "accepted active adopted agreed applied approved decided decision delivered established existing final"
    " implemented landed live merged released shipped stable verified".split()
)
"""Words that a status begins with when what the record says is so, whatever is to follow."""
_NOT_YET = lazy(
    r"\b(?:awaiting|waiting|pending|proposals?|design only|ready for|recommend\w*|not (?:started|implemented|yet)"
    r"|on hold|to be (?:done|decided|implemented))\b",
    re.I,
)
_ASIDE = lazy(
    r"(?:^|/)(?:archives?|archived|templates?|examples?|sessions?|edits|changelogs?)/"
    r"|(?:^|/)[^/]*(?:changelog|history|archive|edit_|_edits|pseudo-?code|(?<![a-z])prd(?![a-z]))[^/]*$"
)
"""Files of what was, of what is planned, and of examples."""
_ASIDE_WORD = lazy(r"archive|template|example|session|edit|changelog|history|pseudo|prd")
"""What every such path has, which is looked for in a tenth of the time."""
_MAYBE_ASIDE = lazy(r"(?:^|/)[^/]*(?:session|commit-message|template|plan|research|proposal|competitor)[^/]*$")
"""Files that are the same, unless they hold decisions, which are about something of that name."""
_MAYBE_ASIDE_WORD = lazy(r"session|commit-message|template|plan|research|proposal|competitor")
CONFIRMED = lazy(
    r"(?:<!--\s{0,9}|^# )memdown: verified (\d{4}-\d\d-\d\d)(?: by ([^\n>]{1,80}?))?(?:\s{0,9}-->|[ \t]*\r?$)", re.M
)
"""That somebody confirmed a record: a comment of Markdown, or of front matter."""


class Confirmed(Struct, frozen=True, gc=False):
    """That somebody looked at a record and found it right."""

    day: str
    by: str
    at: int
    """Where that is written."""


def is_aside(document: Document) -> bool:
    """Whether a file of memory tells of what was or is planned."""
    return document.once(_is_aside)


def _is_aside(document: Document) -> bool:
    if is_aside_path(document.path):
        return True
    small = document.path.lower()
    may_be = _MAYBE_ASIDE_WORD.search(small) and _MAYBE_ASIDE.search(small)
    return bool(may_be) and not any(each.kind in SINCE for each in document.records)


def is_aside_path(path: str) -> bool:
    """Whether a file says so by its name."""
    small = path.lower()
    return bool(_ASIDE_WORD.search(small) and _ASIDE.search(small))


def tells_of_past(record: Record) -> bool:
    """Whether a record tells of what was, is over, or is only planned, by its kind and its status."""
    return record.kind in _HISTORY or (record.status is not None and _is_over(record.status))


def _is_over(status: str) -> bool:
    """Whether a status says that something was, or is not yet: "Rejected.", "Design only, awaiting Ann"."""
    first = next(iter(_STATUS_WORD.findall(status[:_STATUS])), "").casefold()
    return first in _OVER or (first not in _HOLDS and bool(_NOT_YET.search(status[:_STATUS])))


class Placed(Protocol):
    """What stands somewhere in a text."""

    @property
    def span(self) -> Span: ...


P = TypeVar("P", bound=Placed)


def owned(claims: Iterable[CodeClaim], records: Iterable[Record]) -> Iterator[tuple[CodeClaim, Record | None]]:
    """Each claim with the innermost record around it; claims come in the order of their places.

    What a text tells of a day is left out, unless the day is the one since which the record holds.
    """
    for claim, record in innermost(claims, records):
        if not claim.dated or (record and (record.kind in SINCE or record.form == ADDED)):
            yield claim, record


def innermost(placed: Iterable[P], records: Iterable[Record]) -> Iterator[tuple[P, Record | None]]:
    """Each thing with the innermost record around it; things come in the order of their places."""
    ordered = sorted(records, key=lambda each: (each.span.start, -each.span.end))
    stack: list[Record] = []
    at = 0
    for each in placed:
        while at < len(ordered) and ordered[at].span.start <= each.span.start:
            stack.append(ordered[at])
            at += 1
        while stack and stack[-1].span.end <= each.span.start:
            stack.pop()
        yield each, stack[-1] if stack else None


def confirmed(text: str, start: int, end: int) -> Confirmed | None:
    """Who said last that a part of a text holds."""
    if "memdown: verified" not in text:
        return None
    found = list(CONFIRMED.finditer(text, start, end))
    return Confirmed(found[-1][1], found[-1][2] or "somebody", found[-1].start()) if found else None
