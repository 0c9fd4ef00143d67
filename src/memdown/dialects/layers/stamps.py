"""The stamp of a memory: `<!-- Last Updated: YYYY-MM-DD -->` on the first line, and what people write instead."""

import re
from datetime import date

from msgspec import Struct

from memdown.limits.settings import LayerSettings
from memdown.markdown import blocks
from memdown.patterns import lazy
from memdown.text import BOM, Lines, Span

LEGACY_LINES = 10
"""How far down the older `**Last Updated**: YYYY-MM-DD` counts."""

_EXACT = lazy(r"<!-- Last Updated: (\d{4}-\d{2}-\d{2}) -->[ \t]*", re.ASCII)
_EXACT_LINE = lazy(rf"{_EXACT.pattern}(?=[\r\n]|\Z)", re.ASCII)
_ALIKE = lazy(r"\s*<!-*\s*last[ _-]?updated?\b[^\r\n]*", re.IGNORECASE)
_LEGACY = lazy(
    r"[>\s]*(?:[-*+]\s+)?[*_]{0,3}last[ _-]updated?(?:\s*[*_]{1,3}\s*:|\s*:\s*[*_]{0,3})\s*(?P<rest>[^\r\n]*)",
    re.IGNORECASE,
)
DATE = lazy(r"(?<!\d)(\d{4}-\d{2}-\d{2})(?!\d)", re.ASCII)


class Stamp(Struct, frozen=True):
    """A line that says when a memory was last updated."""

    form: str
    """exact, alike (a comment that is nearly one) or legacy (text)."""
    line: int
    """Counted from 0."""
    span: Span
    """The line without its ending, and without a byte order mark."""
    day: date | None
    """None when it is not a valid date."""
    bare: bool
    """Whether the line says nothing but the date."""


def text_of(day: date) -> str:
    return f"<!-- Last Updated: {day.isoformat()} -->"


def day_of(text: str) -> date | None:
    """The date written so; None for one that no calendar has."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def first_line(text: str) -> str:
    """The first line without byte order mark and line ending."""
    return re.split(r"[\r\n]", text.removeprefix(BOM), maxsplit=1)[0]


def day_stamped(text: str) -> date | None:
    """When the first line says the memory was updated; needs no more of the text than that line."""
    match = _EXACT_LINE.match(text, text.startswith(BOM))
    return day_of(match[1]) if match else None


def day_legacy(text: str) -> date | None:
    """The date of the older form in the first ten lines."""
    for stamp in top_stamps(text):
        if stamp.form == "legacy" and stamp.day:
            return stamp.day
    return None


def age(day: date | None, today: date) -> int | None:
    """Whole days of the calendar; a day to come is as new as today."""
    return None if day is None else max((today - day).days, 0)


def day_counted(text: str, limits: LayerSettings) -> date | None:
    """When a memory was last updated, by the stamp that counts here."""
    return day_stamped(text) or (day_legacy(text) if limits.legacy_stamps else None)


def staleness(text: str, today: date, limits: LayerSettings) -> tuple[str, str]:
    """Whether a memory is fresh, aging or stale, and since when, in words."""
    days = age(day_counted(text, limits), today)
    since = "no stamp says when it was updated" if days is None else f"last updated {days} days ago"
    return limits.staleness(days), since


def top_stamps(text: str) -> list[Stamp]:
    """What looks like a stamp in the first ten lines, in code too."""
    lines = Lines(text)
    found = []
    for number in range(min(len(lines), LEGACY_LINES)):
        span = lines.span(number)
        if number == 0 and text.startswith(BOM):
            span = Span(span.start + 1, span.end)
        stamp = _stamp(span.of(text), number, span)
        if stamp:
            found.append(stamp)
    return found


def after_run(lines: Lines, line: int) -> int:
    """The line after a stamp and after the stamps that follow it out of sight, as a tool gone wild leaves hundreds."""
    line += 1
    while LEGACY_LINES <= line < len(lines) and _EXACT.fullmatch(lines.span(line).of(lines.text)):
        line += 1
    return line


def _stamp(line: str, number: int, span: Span) -> Stamp | None:
    exact = _EXACT.fullmatch(line)
    if exact:
        return Stamp("exact", number, span, day_of(exact[1]), True)
    if _ALIKE.fullmatch(line):
        days = DATE.findall(line)
        rest = re.sub(r"(?i)<!-*|(?<!-)-+>|last[ _-]?updated?|[\s:=]", "", DATE.sub("", line, count=1))
        return Stamp("alike", number, span, day_of(days[0]) if days else None, not rest and len(days) == 1)
    legacy = _LEGACY.fullmatch(line)
    if legacy:
        days = DATE.findall(legacy["rest"])
        rest = DATE.sub("", legacy["rest"], count=1).strip(" *_\t")
        return Stamp("legacy", number, span, day_of(days[0]) if days else None, not rest)
    return None


def later_legacy(text: str) -> date | None:
    """The date of an older form further down, as a footer has it."""
    for match in re.finditer(r"^[^\r\n]*last[ _-]updated[^\r\n]*", text, re.IGNORECASE | re.MULTILINE):
        stamp = _stamp(match.group(), 0, Span(0, 0))
        if stamp and stamp.day:
            return stamp.day
    return None


def fenced(text: str) -> list[Span]:
    """Where code is."""
    return [block.span for block in blocks.scan(text) if block.kind in ("fence", "code")]


def body_start(text: str) -> int:
    """Where the content begins: behind an exact stamp on the first line and the blank lines after it."""
    if not _EXACT.fullmatch(first_line(text)):
        return int(text.startswith(BOM))
    match = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)(?:[ \t]*(?:\r\n|\n|\r))*").match(text)
    return match.end() if match else 0
