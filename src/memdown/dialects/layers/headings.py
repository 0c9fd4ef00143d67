"""Sections of a history: which headings are entries, where each ends, and which of them is older."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from itertools import pairwise

from msgspec import Struct, structs

from memdown import times
from memdown.dialects import days
from memdown.markdown import blocks
from memdown.markdown.blocks import Block
from memdown.patterns import lazy
from memdown.text import Lines, Span

_AFTER = (
    rf"(?=$|\s*\#?\s*\d|\s*:|\s+[-–—]|\s*[(\[]?\s*{days.STAMP}"
    rf"|(?:\s*[,@]|\s+(?:by|for|from|of|on)\b)[^\r\n]{{0,120}}{days.STAMP})"
)
_NUMBER = lazy(r"^[A-Za-z ]+(?:#\s*|[^\S ]\s*)?(?P<number>\d{1,9})(?![\d-]|[./]\d)", re.ASCII)
_UPDATED = lazy(r"last updated", re.IGNORECASE)
_RULE_AT_END = lazy(r"(?:^|[\r\n])(?:---+|\*\*\*+|___+)\s*\Z")
_HISTORICAL = lazy(r"historical summary\b", re.IGNORECASE)


class History(Struct, frozen=True):
    """A kind of memory that grows by entries."""

    kind: str
    """What a record of an entry is called."""
    noun: str
    heading: re.Pattern[str]
    title: str
    """The first heading of its archive."""


HISTORIES = {
    "review_history": History("review", "review", lazy(rf"Review{_AFTER}", re.IGNORECASE), "Review History Archive"),
    "test_results_history": History(
        "session",
        "session",
        lazy(rf"(?:Test\s+)?Session{_AFTER}", re.IGNORECASE),
        "Test Results History Archive",
    ),
    "command_history": History(
        "command",
        "command",
        lazy(rf"{days.STAMP}|/[A-Za-z]", re.ASCII),
        "Command History Archive",
    ),
}


ONE_MORE = ("review_history",)
"""Histories that are pruned before something is appended, as the contract's example shows: ten stay and the new one."""


class HistoryEntry(Struct, frozen=True):
    """One entry of a history."""

    span: Span
    """From its heading to the next heading of the same level or above."""
    title: str
    at: datetime | None
    """When its heading says it was."""
    moment: times.Moment | None
    number: int | None
    position: int


def headings(text: str) -> list[Block]:
    """Headings written with `#` that are in no list, quote, comment or code."""
    return top_headings(blocks.scan(text))


def top_headings(scanned: Iterable[Block]) -> list[Block]:
    return [block for block in scanned if block.kind == "heading" and block.depth == 0 and block.info == "atx"]


def line_start(text: str, offset: int) -> int:
    """Where the line of a heading begins: at most three spaces before it."""
    while offset and text[offset - 1] == " ":
        offset -= 1
    return offset


def is_entry(history: History, title: str) -> bool:
    return bool(history.heading.match(title)) and not _HISTORICAL.match(title)


def is_historical_summary(title: str) -> bool:
    return bool(_HISTORICAL.match(title))


def sections(text: str) -> list[tuple[Block, Span]]:
    """Headings of the first two levels, each with all up to the next of them."""
    found = [block for block in headings(text) if block.level <= 2]
    starts = [*(line_start(text, block.span.start) for block in found), len(text)]
    return [(block, Span(*pair)) for block, pair in zip(found, pairwise(starts), strict=True)]


def entries(text: str, history: History) -> list[HistoryEntry]:
    """The entries of a history in the order of the file."""
    found = [(span, block.content.of(text)) for block, span in sections(text) if block.level == 2]
    own = [(span, title) for span, title in found if is_entry(history, title)]
    titles = "\n".join(title for _, title in own)
    day_first = days.days_come_first(titles)
    return without_footer(text, [_entry(*each, position, day_first) for position, each in enumerate(own)])


def _entry(span: Span, title: str, position: int, day_first: bool | None) -> HistoryEntry:
    spelled = (match.group() for match in days.STAMP_PATTERN.finditer(title))
    moment = next((read for each in spelled if (read := days.stamp(each, day_first=day_first))), None)
    number = _NUMBER.match(days.STAMP_PATTERN.sub("", title))
    return HistoryEntry(
        span, title, moment.local if moment else None, moment, int(number["number"]) if number else None, position
    )


def without_footer(text: str, found: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """The same, each entry cut where a footer of the file begins in it."""
    starts = {entry.span.start for entry in found}
    return [
        structs.replace(
            entry,
            span=Span(entry.span.start, footer_start(text, entry.span, last=entry.span.end not in starts)),
        )
        for entry in found
    ]


def footer_start(text: str, span: Span, *, last: bool = True) -> int:
    """Where a footer begins inside a section; the section's end when there is none.

    A footer follows the last `---` and says when the file was updated. In the last of several sections it may say
    anything, when the section before ends with such a line too: then these lines divide the sections.
    """
    section = span.of(text)
    divided = last and _ends_with_rule(text, span.start)
    if not divided and not _UPDATED.search(section):
        return span.end
    rules = [block for block in blocks.scan(section) if block.depth == 0 and _is_rule(block)]
    if not rules:
        return span.end
    lines = Lines(section)
    after = lines.start(lines.at(rules[-1].span.end) + 1)
    rest = section[after:].strip()
    return span.start + after if rest and (divided or _UPDATED.search(rest)) else span.end


def _is_rule(block: Block) -> bool:
    return block.kind == "rule" or (block.kind == "heading" and block.info == "setext" and block.level == 2)


def _ends_with_rule(text: str, end: int) -> bool:
    return bool(_RULE_AT_END.search(text, max(end - 200, 0), end))


def oldest_first(found: Sequence[HistoryEntry]) -> list[HistoryEntry]:
    """Entries by age: by the date in the heading, else by number, else by where they stand.

    Those of which the age is not known, while others have a date, are left out. Without any date or number, what is
    further down is newer, as appending makes it.
    """
    if not all(entry.at for entry in found) and all(entry.number is not None for entry in found):
        return sorted(found, key=lambda entry: (entry.number or 0, entry.position))
    dated = [entry for entry in found if entry.at]
    if not dated and all(entry.number is None for entry in found):
        return list(found)
    return sorted(dated, key=lambda entry: (entry.at or datetime.min, entry.number or 0, entry.position))


def day_of(entry: HistoryEntry) -> date | None:
    return entry.at.date() if entry.at else None
