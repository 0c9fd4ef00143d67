"""Known issues: which sections are issues, what their status says, and what has to be done about it by now."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct

from memdown.dialects import days
from memdown.dialects.layers.headings import footer_start, line_start, top_headings
from memdown.limits.settings import DEFAULTS, LayerSettings
from memdown.markdown import blocks
from memdown.markdown.blocks import Block
from memdown.patterns import lazy
from memdown.text import Span

TAG = "[VERIFY STATUS]"
_MARKS = {"✅": "resolved", "✔": "resolved", "☑": "resolved", "🔄": "progress", "🚧": "progress"}
"""What an emoji says that stands alone, or with a date."""

_LABEL = r"^[ \t]*(?:[-*+][ \t]+)?(?:\*\*|__){}(?:(?:\*\*|__)[ \t]*:|:[ \t]*(?:\*\*|__))(?P<value>[^\r\n]*)"
_STATUS = lazy(_LABEL.format("status"), re.IGNORECASE | re.MULTILINE)
_RESOLVED_LINE = lazy(_LABEL.format("(?:resolved|fixed)(?: on)?"), re.IGNORECASE | re.MULTILINE)
# Emoji, their variation selectors, and the marks of bold, italics and code in front of the first word.
_ORNAMENT = lazy(r"(?:[^\w~\[(]|_)+")


class Issue(Struct, frozen=True):
    """A section with a status."""

    span: Span
    """From its heading to the next heading of the same level or above."""
    title: str
    status: Span
    """What follows `**Status**:`, without white space around it."""
    state: str
    """resolved, progress or other."""
    day: date | None
    """The day of the status."""
    tagged: bool


def issues(text: str, resolved: Sequence[str] = DEFAULTS.layers.resolved_words) -> list[Issue]:
    """The issues of a text in the order of the file; sections without a status are none."""
    scanned = list(blocks.scan(text))
    hidden = [block.span for block in scanned if block.kind in ("fence", "code", "html")]
    found = top_headings(scanned)
    statuses = [match for match in _STATUS.finditer(text) if not _inside(match.start(), hidden)]
    made: list[Issue] = []
    for number, block in enumerate(found):
        if block.level not in (2, 3) or (made and block.span.start < made[-1].span.end):
            continue
        span = Span(line_start(text, block.span.start), _section_end(text, found, number))
        following = found[number + 1] if number + 1 < len(found) else None
        status = _own_status(text, span, block.level, following, statuses)
        if status:
            made.append(_issue(text, span, block.content.of(text), status, hidden, resolved))
    return made


def _inside(offset: int, spans: Sequence[Span]) -> bool:
    before = bisect_right(spans, offset, key=lambda span: span.start) - 1
    return before >= 0 and offset < spans[before].end


def _section_end(text: str, found: Sequence[Block], number: int) -> int:
    level = found[number].level
    for later in range(number + 1, len(found)):
        if found[later].level <= level:
            return line_start(text, found[later].span.start)
    return len(text)


def _own_status(
    text: str, span: Span, level: int, following: Block | None, statuses: Sequence[re.Match[str]]
) -> re.Match[str] | None:
    """The status of a section; at the second level only what stands before any other heading counts."""
    first = bisect_left(statuses, span.start, key=re.Match.start)
    status = statuses[first] if first < len(statuses) and statuses[first].start() < span.end else None
    if status is None or level == 3 or following is None or following.span.start >= span.end:
        return status
    inner = line_start(text, following.span.start)
    last = bisect_left(statuses, span.end, key=re.Match.start) - 1
    # A section whose inner sections have a status of their own holds issues, which go one by one.
    return status if statuses[last].start() < inner else None


def _issue(
    text: str, span: Span, title: str, status: re.Match[str], hidden: Sequence[Span], resolved: Sequence[str]
) -> Issue:
    if span.end == len(text):
        span = Span(span.start, footer_start(text, span))
    start, end = status.span("value")
    written = text[start:end]
    start += len(written) - len(written.lstrip())
    end = max(start, end - (len(written) - len(written.rstrip())))
    plain = plain_status(text[start:end])
    state = "resolved" if is_resolved(plain, resolved) else "progress" if _in_progress(plain) else "other"
    if not any(map(str.isalnum, days.STAMP_PATTERN.sub("", plain))):
        state = next((each for mark, each in _MARKS.items() if text.startswith(mark, start)), state)
    known = days.certain(text[start:end])
    if not known and state == "resolved":
        known = [
            day
            for match in _RESOLVED_LINE.finditer(text, *_bounds(span))
            if not _inside(match.start(), hidden)
            for day in days.certain(match["value"])
        ]
    return Issue(span, title, Span(start, end), state, max(known, default=None), TAG in text[start:end])


def _bounds(span: Span) -> tuple[int, int]:
    return span.start, span.end


def plain_status(status: str) -> str:
    """A status without emoji and marks in front."""
    ornament = _ORNAMENT.match(status)
    return status[ornament.end() :] if ornament else status


def is_resolved(plain: str, words: Sequence[str]) -> bool:
    return any(re.match(rf"{re.escape(word)}(?![^\W_])", plain, re.IGNORECASE) for word in words)


def _in_progress(plain: str) -> bool:
    return bool(re.match(r"in[ \-_]?progress(?![^\W_])", plain, re.IGNORECASE))


def due(found: Sequence[Issue], today: date, limits: LayerSettings) -> Iterator[tuple[Issue, str, int]]:
    """What is to be done with which issue today: remove, tag or untag; and how old its status is."""
    for issue in found:
        if issue.day is None or issue.state == "progress":
            continue
        age = (today - issue.day).days
        if issue.state == "resolved":
            if age >= limits.resolved_days:
                yield issue, "remove", age
            elif issue.tagged:
                yield issue, "untag", age
        elif age >= limits.verify_days and not issue.tagged:
            yield issue, "tag", age
        elif age < limits.verify_days and issue.tagged:
            yield issue, "untag", age
