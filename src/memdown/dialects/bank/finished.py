"""Completed items that a finished milestone leaves behind: which they are, and how they go to an archive."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.items import items_in
from memdown.dialects.bank.rules.common import filled
from memdown.dialects.bank.sections import DONE, ListItem, Outline, after_line, day_of, line_end, outline
from memdown.dialects.bank.write import PROGRESS
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Span, eol_of, with_eol

_DONE = lazy(r"\W*(?:complete[d]?|done|finished|shipped|released|closed|archived|100 ?%)(?!\w)", re.IGNORECASE)
_PLANNED = lazy(r"\W*(?:planned|upcoming|future|next|not started|to ?do|pending|later)(?!\w)", re.IGNORECASE)
_STATUS = lazy(r"[—–([]\s*([^—–()[\]]{1,60})[)\]]?\s*$")
_MOST_NAMED = 200
"""Milestones whose names are looked for in items; nobody has more."""
_TITLE = "# Progress {month}"


class Leaving(Struct, frozen=True):
    """A completed item that goes, with all that is in it."""

    span: Span
    """Its lines, without the last line ending."""
    title: str
    heading: str
    """The heading it stood below."""
    day: date | None


class Staying(Struct, frozen=True):
    """A completed item that stays, and why."""

    start: int
    title: str
    reason: str


class _Milestones:
    """What the milestones of a progress file say about completed items."""

    def __init__(self, records: Sequence[Record]) -> None:
        self.done: list[Record] = []
        running: list[Record] = []
        for each in filled(records, "milestone"):
            if _says(each, _DONE, "Completed"):
                self.done.append(each)
            elif not _says(each, _PLANNED, "Upcoming"):
                running.append(each)
        self._done, self._running = _labels(self.done), _labels(running)
        self._goes_on = bool(running)
        self._last = max((each.at.local.date() for each in self.done if each.at), default=None)

    def release(self, said: str, day: date | None) -> bool:
        """Whether an item is over: it names a finished milestone, is no younger than one, or nothing else goes on."""
        text = said.casefold()
        if _named(text, self._running):
            return False
        if _named(text, self._done):
            return True
        return not self._goes_on or (day is not None and self._last is not None and day <= self._last)


def leaving(doc: Document) -> tuple[list[Leaving], list[Staying]]:
    """The completed items of a progress file that can go to the archive, and those that cannot yet."""
    held = doc.of(outline)
    milestones = _Milestones(doc.records)
    going: list[Leaving] = []
    staying: list[Staying] = []
    day_first = dates.days_come_first(doc.text)
    unfinished = _with_open_parts(held)
    for item, own in _completed(held, milestones.done):
        said = held.text_of(item)
        at, title = day_of(said, day_first=day_first)
        day = at.local.date() if at else None
        if not own and not milestones.release(said, day):
            staying.append(Staying(item.start, title.strip(), "no finished milestone covers it"))
        elif item.start in unfinished:
            staying.append(Staying(item.start, title.strip(), "something in it is still open"))
        else:
            heading = held.sections[item.section].title if item.section is not None else PROGRESS.title
            span = Span(item.start, line_end(doc.text, item.span.end))
            going.append(Leaving(span, title.strip(), heading, day))
    return going, staying


def _completed(held: Outline, done: Sequence[Record]) -> Iterator[tuple[ListItem, bool]]:
    """Completed items, in order; and whether they stand in a finished milestone itself."""
    if not done:
        return
    listed = {item.start for item in items_in(held, PROGRESS, ("Completed",)) if item.state in (DONE, None)}
    heads = {record.span.start for record in done}
    own: set[int] = set()
    for number, section in enumerate(held.sections):
        if section.head.start in heads or section.above in own:
            own.add(number)
    for item in held.items:
        if item.depth or dates.is_placeholder(held.text[item.start : line_end(held.text, item.start)]):
            continue
        if item.section in own and item.state == DONE:
            yield item, True
        elif item.start in listed:
            yield item, False


def _with_open_parts(held: Outline) -> set[int]:
    """Where items begin in which something is still open."""
    found: set[int] = set()
    top = 0
    for item in held.items:
        if item.depth == 0:
            top = item.start
        elif item.state is not None and item.state != DONE:
            found.add(top)
    return found


def _says(record: Record, pattern: re.Pattern[str], section: str) -> bool:
    # A day in parentheses is read as the status, and what stands before it as a part of the name.
    before = _STATUS.search(record.title or "")
    said = [status for status in (record.status, before and before[1]) if status]
    return any(pattern.match(status) or names.canonical(status, PROGRESS) == section for status in said)


def _labels(milestones: Sequence[Record]) -> list[str]:
    """What items call milestones, as `phase 1`."""
    titles = (re.split(r"\s*[:：—–]", each.title or "", maxsplit=1)[0] for each in milestones[:_MOST_NAMED])
    return [label for title in titles if (label := title.strip(" *_").casefold())]


def _named(text: str, labels: Sequence[str]) -> bool:
    for label in labels:
        at = text.find(label)
        if at >= 0 and not text[at + len(label) : at + len(label) + 1].isalnum():
            return True
    return False


def without(text: str, going: Sequence[Leaving]) -> str:
    """The file without these items; of two blank lines that meet, one stays."""
    kept: list[str] = []
    at = 0
    for each in going:
        kept.append(text[at : each.span.start])
        at = after_line(text, each.span.end)
        if _blank_before(text, each.span.start) and at < len(text) and not text[at : line_end(text, at)].strip():
            at = after_line(text, at)
    return "".join((*kept, text[at:]))


def _blank_before(text: str, start: int) -> bool:
    above = text[max(start - 4, 0) : start].replace("\r\n", "\n")
    return start == 0 or above.endswith("\n\n")


def grown(text: str | None, month: str, blocks: Sequence[tuple[str, str]], eol: str) -> str:
    """An archive with more items at its end: pairs of a heading and lines."""
    ending = eol if text is None else eol_of(text)
    made = text if text is not None else with_eol(_TITLE.format(month=month) + "\n", ending)
    sections = outline(made).sections
    last = sections[-1].title if sections else None
    for heading, lines in blocks:
        made += "" if made.endswith(("\n", "\r")) or not made else ending
        if heading != last:
            made += with_eol(f"\n## {heading}\n", ending)
            last = heading
        made += with_eol(lines, ending) + ending
    return made
