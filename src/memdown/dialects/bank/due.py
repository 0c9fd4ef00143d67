"""Completed items that a finished milestone leaves behind: which they are, and how their archives take them."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from datetime import date

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.items import items_in
from memdown.dialects.bank.lines import cut
from memdown.dialects.bank.rules.common import filled
from memdown.dialects.bank.sections import DONE, BankSection, ListItem, Outline, day_of, outline
from memdown.dialects.bank.write import PROGRESS
from memdown.dialects.due import Archivable, Archivist, Contents, Due, Holder, without_newest
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Span, eol_of, line_end, with_eol

_DONE = lazy(r"\W*(?:complete[d]?|done|finished|shipped|released|closed|archived|100 ?%)(?!\w)", re.IGNORECASE)
_PLANNED = lazy(r"\W*(?:planned|upcoming|future|next|not started|to ?do|pending|later)(?!\w)", re.IGNORECASE)
_RUNNING = lazy(
    r"\W*(?:in[ -]progress|ongoing|current|active|started|doing|wip|partial(?:ly)?|blocked|paused|on hold)(?!\w)",
    re.IGNORECASE,
)
_STATUS_BELOW = lazy(r"\s*(?:[-*+][ \t]+)?(?:[✅☑✔✓🎉]\ufe0f?[ \t]*)?[*_]*status[*_]*:([^\r\n]*)", re.IGNORECASE)
_STATUS = lazy(r"[—–([]\s*([^—–()[\]]{1,60})[)\]]?\s*$")
_MOST_NAMED = 200
"""Milestones whose names are looked for in items; nobody has more."""


class _Milestones:
    """What the milestones of a progress file say about completed items."""

    def __init__(self, records: Sequence[Record], held: Outline) -> None:
        self.done: list[Record] = []
        self.over: list[BankSection] = []
        """Those that say nothing of it, and of which every box is ticked, while others are not finished."""
        sections = {section.head.start: section for section in held.sections}
        running: list[Record] = []
        silent: list[tuple[Record, BankSection]] = []
        planned = False
        for each in filled(records, "milestone"):
            section = sections.get(each.span.start)
            if _says(each, _DONE, "Completed"):
                self.done.append(each)
            elif _says(each, _PLANNED, "Upcoming"):
                planned = True
            elif section and not _says(each, _RUNNING, "In Progress") and _is_ticked(held, section):
                silent.append((each, section))
            else:
                running.append(each)
        finished = [each for each, _ in silent] if running or planned else []  # else more may come to the last one
        for _, section in silent if finished else ():
            if not self.over or section.head.start >= self.over[-1].tree_end:
                self.over.append(section)
        running += [each for each, _ in silent if not finished]
        self._done, self._running = _labels([*self.done, *finished]), _labels(running)
        self._goes_on = bool(running)
        self._last = max((each.at.local.date() for each in self.done if each.at), default=None)

    def release(self, text: str, day: date | None) -> bool:
        """Whether an item is over: it names a finished milestone, is no younger than one, or nothing else goes on."""
        text = text.casefold()
        if _named(text, self._running):
            return False
        if _named(text, self._done):
            return True
        return not self._goes_on or (day is not None and self._last is not None and day <= self._last)


def due(doc: Document) -> list[Due]:
    """The completed items of a progress file: those that go to the archive of their month, and why others stay."""
    held = doc.of(outline)
    milestones = _Milestones(doc.records, held)
    day_first = dates.days_come_first(doc.text)
    unfinished = with_open_parts(held)
    home = doc.path.rpartition("/")[0]
    found = [_whole(doc, held, section, home, day_first=day_first) for section in milestones.over]
    for item, own in _completed(held, milestones):
        text = held.text_of(item)
        at, title = day_of(text, day_first=day_first)
        day = at.local.date() if at else None
        month = day or (doc.now.date() if doc.now else date.min)
        reason = ""
        if not own and not milestones.release(text, day):
            reason = "no finished milestone covers it"
        elif item.start in unfinished:
            reason = "something in it is still open"
        end = line_end(doc.text, item.span.end)
        found.append(
            Due(
                item.span.start,
                cut(doc.text, item.start, end),
                doc.text[item.start : end],
                title.strip(),
                "" if reason else f"{home}/archive/progress-{month:%Y-%m}.md",
                reason,
                day=day,
                heading=held.sections[item.section].title if item.section is not None else PROGRESS.title,
            )
        )
    targets = list(dict.fromkeys(each.target for each in found))
    return sorted(found, key=lambda each: targets.index(each.target))


def _whole(doc: Document, held: Outline, section: BankSection, home: str, *, day_first: bool | None) -> Due:
    """A milestone with all that stands below it; its archive is that of the last day in it."""
    span = Span(section.head.start, section.tree_end)
    lines = [held.text_of(item) for item in _items(held, section)]
    days = [at.local.date() for line in (section.title, *lines) if (at := day_of(line, day_first=day_first)[0])]
    month = max(days, default=doc.now.date() if doc.now else date.min)
    above = held.sections[section.above] if section.above is not None else None
    heading = above.title if above and above.level > 1 else ""
    target = f"{home}/archive/progress-{month:%Y-%m}.md"
    return Due(span.start, span, span.of(doc.text).rstrip(), section.title, target, day=month, heading=heading)


def _items(held: Outline, section: BankSection) -> Sequence[ListItem]:
    """The items of a section and of those below it."""
    first, last = (
        bisect_left(held.items, at, key=lambda item: item.start) for at in (section.head.start, section.tree_end)
    )
    return held.items[first:last]


def _is_ticked(held: Outline, section: BankSection) -> bool:
    """Whether a section has boxes, and all of them are ticked."""
    states = {item.state for item in _items(held, section) if item.state is not None}
    return states == {DONE}


def _completed(held: Outline, milestones: _Milestones) -> Iterator[tuple[ListItem, bool]]:
    """Completed items, in order; and whether they stand in a finished milestone itself."""
    if not (milestones.done or milestones.over):
        return
    taken = {item.start for section in milestones.over for item in _items(held, section)}
    listed = {item.start for item in items_in(held, PROGRESS, ("Completed",)) if item.state in (DONE, None)}
    heads = {record.span.start for record in milestones.done}
    own: set[int] = set()
    for number, section in enumerate(held.sections):
        if section.head.start in heads or section.above in own:
            own.add(number)
    for item in held.items:
        if (
            item.depth
            or item.start in taken
            or dates.is_placeholder(held.text[item.start : line_end(held.text, item.start)])
        ):
            continue
        if item.section in own and item.state == DONE:
            yield item, True
        elif item.start in listed:
            yield item, False


def with_open_parts(held: Outline) -> set[int]:
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
    below = _STATUS_BELOW.match(record.body or "")
    given = [status for status in (record.status, before and before[1], below and below[1]) if status]
    return any(pattern.match(status) or names.canonical(status, PROGRESS) == section for status in given)


def _labels(milestones: Sequence[Record]) -> list[str]:
    """What items call milestones, as `phase 1`."""
    titles = (re.split("[:：—–]", each.title or "", maxsplit=1)[0].rstrip() for each in milestones[:_MOST_NAMED])
    return [label for title in titles if (label := title.strip(" *_").casefold())]


def _named(text: str, labels: Sequence[str]) -> bool:
    for label in labels:
        at = text.find(label)
        if at >= 0 and not text[at + len(label) : at + len(label) + 1].isalnum():
            return True
    return False


def _contents(path: str, text: str) -> Contents:
    """Where each heading and each item begins, and what it says; of the file only items that are in no other."""
    held, archived = outline(text), "/archive/" in path
    found: Contents = [(item.span.start, held.text_of(item)) for item in held.items if archived or not item.depth]
    found += [(section.head.start, ("#", section.title)) for section in held.sections]
    return sorted(found, key=lambda each: each[0])


def _begun(target: str, text: str | None, eol: str) -> str:
    """An archive before items come to it."""
    return f"# Progress {target[-10:-3]}{eol}" if text is None else text


def _grown(_: str, text: str, going: Sequence[Due]) -> str:
    """An archive with more items at its end, each below the heading it had."""
    eol = eol_of(text)
    sections = outline(text).sections
    last = sections[-1].title if sections else None
    for each in going:
        text += "" if text.endswith(("\n", "\r")) or not text else eol
        if each.heading not in ("", last):
            text += with_eol(f"\n## {each.heading}\n", eol)
            last = each.heading
        if each.text.lstrip().startswith("#"):  # a milestone with its own heading
            text += eol
            last = None
        text += with_eol(each.text, eol) + eol
    return text


def to_archive(project: Holder, _: int | None, __: int | None, keep: int | None) -> Iterator[Archivable]:
    """The progress file, for what finished milestones leave behind, but for so many of the newest of it."""

    def kept(doc: Document) -> list[Due]:
        found = due(doc)
        dated = sorted(((each.day, each.start) for each in found if each.day), reverse=True)
        return without_newest(found, [start for _, start in dated], keep or 0)

    archivist = Archivist(
        kept,
        _contents,
        _begun,
        _grown,
        "without the completed items the rest would be read differently",
        refusal="The archive of {} would not show every item; close its code fences, then try again.",
    )
    if progress := project.bank_files().get(PROGRESS.file):
        yield project.parsed(progress), archivist
