"""What somebody wrote down about a record as such: claims that have to hold, and the day by which to look at it again.

`<!-- memdown: claims src/db.py::POOL=10, !src/old.py -->` and `<!-- memdown: review-by 2026-05-01 by Ann -->`, in front
matter the keys `claims` and `review-by`. Claims are looked up, and never run.
"""

import re
from collections.abc import Iterator

from msgspec import Struct

from memdown.claims.model import CodeClaim
from memdown.markdown import frontmatter
from memdown.markdown.frontmatter import FrontMatterValue
from memdown.patterns import lazy
from memdown.text import Span

_COMMENT = lazy(r"<!--\s{0,9}memdown:\s{0,9}claims?[:\s]([^\n]{1,2000}?)-->")
_HASH = lazy(r"^#[ \t]{0,9}memdown:[ \t]{0,9}claims?[:\s]([^\n]{1,2000})$", re.M)
_EACH = lazy(r"[^\s,](?:[^,\n]{0,300}[^\s,])?")
_ONE = lazy(
    r"(?P<absent>!?)(?P<path>[^:=!\s][^:=\n]{0,300}?)(?:::(?P<name>[A-Za-z_][\w.]{0,120})(?:\s?=\s?(?P<value>[^\n]{1,120}))?)?"
)
_REVIEW = lazy(
    r"(?:<!--\s{0,9}|^# ?)memdown:\s{0,9}review-by[: ]\s{0,9}(?P<day>\d{4}-\d\d-\d\d)(?: by (?P<by>[^\n>]{1,80}?))?"
    r"(?:\s{0,9}-->|[ \t]*\r?$)",
    re.M,
)
_REVIEW_KEYS = ("review-by", "review_by", "stale_after")
_OWNER_KEYS = ("owner", "review-owner", "review_owner")
_DAY = lazy(r"\d{4}-\d\d-\d\d")


class ReviewDate(Struct, frozen=True):
    """By when somebody should look at a record again."""

    span: Span
    day: str
    by: str
    """Who; empty when nobody was named."""


def declared(text: str) -> Iterator[CodeClaim]:
    """The claims that a text declares."""
    if "claim" not in text:
        return
    front = frontmatter.read(text)
    entry = front.get("claims") if front else None
    for value in (entry.value.items or (entry.value,)) if entry else ():
        yield from _one(_bare(text, value), text)
    places = [match.span(1) for match in _COMMENT.finditer(text)]
    if front:
        places += [match.span(1) for match in _HASH.finditer(text, front.inner.start, front.inner.end)]
    for place in places:
        for match in _EACH.finditer(text, *place):
            yield from _one(Span(*match.span()), text)


def _bare(text: str, value: FrontMatterValue) -> Span:
    """Where a value of front matter stands, without its quotes."""
    is_quoted = value.style in ("single", "double")
    return Span(value.span.start + is_quoted, value.span.end - is_quoted) if value.span.of(text) else value.span


def _one(span: Span, text: str) -> Iterator[CodeClaim]:
    claim = parse(span.of(text), span.start)
    if claim:
        yield claim


def parse(spelled: str, start: int = 0) -> CodeClaim | None:
    """The claim that a text such as `src/db.py::POOL=10` is; None when it is none."""
    match = _ONE.fullmatch(spelled.strip())
    if not match:
        return None
    span = Span(start, start + len(spelled))
    absent = bool(match["absent"])
    path, name, value = match["path"].strip(), match["name"], match["value"]
    if value is not None:
        return CodeClaim("literal", span, f"{path}::{name}", value.strip(), declared=True, absent=absent)
    if name is not None:
        return CodeClaim("symbol", span, path, name, declared=True, absent=absent)
    return CodeClaim("path", span, path, declared=True, absent=absent)


def reviews(text: str) -> list[ReviewDate]:
    """The days by which a text wants its records looked at again."""
    if "review" not in text and "stale_after" not in text:
        return []
    found = [ReviewDate(Span(*each.span()), each["day"], each["by"] or "") for each in _REVIEW.finditer(text)]
    front = frontmatter.read(text)
    entry = next((each for key in _REVIEW_KEYS if front and (each := front.get(key))), None)
    day = _DAY.match(entry.value.text or "") if entry else None
    if entry and day:
        owner = next((each.value.text for key in _OWNER_KEYS if front and (each := front.get(key))), None)
        found.append(ReviewDate(entry.value.span, day.group(), owner or ""))
    return sorted(found, key=lambda each: each.span.start)
