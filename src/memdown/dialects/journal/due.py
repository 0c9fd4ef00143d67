"""Which entries of a long history or error log are old, and how the archives of their months take them."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, timedelta
from functools import partial
from itertools import accumulate

from msgspec import structs

from memdown.dialects.due import (
    LIST_DAYS,
    LIST_KEEPS,
    NEWEST,
    UNDATED,
    Archivable,
    Archivist,
    Contents,
    Due,
    GrownFile,
    Holder,
)
from memdown.dialects.journal import names
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.faults import faults
from memdown.dialects.journal.headings import calendar
from memdown.patterns import lazy, many
from memdown.record import Document
from memdown.text import Edit, Lines, Span, apply, encode, eol_of, with_eol

_TITLES = {names.HISTORY: "# Edit History", names.ERRORS: "# Error Log"}
_BETWEEN = lazy(many(r"[ \t]*(?:(?:---+|\*\*\*+|___+)[ \t]*)?(?:\r\n|\n|\r)", "lines"))

Dated = tuple[Due, Span | None]
"""An entry, and the heading of its day when that is a line of its own."""


def to_archive(project: Holder, older_than: int | None, size: int | None, keep: int | None) -> Iterator[Archivable]:
    """History and error log, for entries beyond the newest where they are too long, or those older than some days."""
    own = partial(_due, older_than=older_than, size=size, keep=keep)
    reason = "without the old entries the rest would be read differently"
    home, inside = project.home("journal"), project.inside_home("journal")
    for place in (names.FILES[kind] for kind in _ENTRIES):
        found = place if place in inside else names.other_spelling(place, inside)
        if found:
            yield project.parsed(f"{home}/{found}"), Archivist(own, _contents, _head, _filled, reason)


def to_slim(project: Holder, keep: int) -> Iterator[GrownFile]:
    """The same files."""
    return (GrownFile(*each) for each in to_archive(project, LIST_DAYS, None, LIST_KEEPS * keep))


def _due(doc: Document, older_than: int | None, size: int | None, keep: int | None) -> list[Due]:
    kind, limits = names.kind_of(doc.path) or "", doc.settings.journal
    if not _is_long(doc, older_than, size):
        return []
    found = _ENTRIES[kind](doc.text)
    if keep is None:
        keep = limits.keep_errors if kind == names.ERRORS else limits.keep_edits
    dated = [each for each, _ in found if each.day]
    dated.sort(key=lambda each: (each.day or date.min, each.time, -each.start), reverse=True)  # not every file is so
    old = _older(doc, dated, older_than)
    newest = {each.start for each in dated[:keep]}
    going, spared = old - newest, old & newest if older_than is not None else ()
    headings = _headings(doc.text, found, going)
    folder, _, file = doc.path.rpartition("/")
    stem = f"{folder}/archive/{file.removesuffix('.md')}"
    return [
        structs.replace(
            each,
            target=f"{stem}_{str(each.day)[:7]}.md" if each.start in going else "",
            reason=UNDATED if not each.day else f"{NEWEST} {keep}" if each.start in spared else "",
            edits=headings.get(each.start, ()),
        )
        for each, _ in found
    ]


def _is_long(doc: Document, older_than: int | None, size: int | None) -> bool:
    """An age that is given counts whatever the length, unless a size is given too."""
    length, limits = len(encode(doc.text)), doc.settings.journal
    if size is not None or older_than is not None:
        return length >= (size or 0)
    return length > limits.max_size or len(doc.lines) > limits.max_lines


def _older(doc: Document, dated: Sequence[Due], older_than: int | None) -> set[int]:
    """Where entries begin that are older than some days; all of them when no age is given."""
    if older_than is None or doc.now is None:
        return {each.start for each in dated}
    first = doc.now.astimezone(UTC).date() - timedelta(days=older_than)
    return {each.start for each in dated if each.day and each.day < first}


def _headings(text: str, found: Sequence[Dated], going: set[int]) -> dict[int, tuple[Edit, ...]]:
    """The headings of days that keep nothing go with the first entry of the day."""
    staying = {day for each, day in found if each.start not in going}
    covered = {each.cut.start for each, _ in found if each.start in going}
    edits: dict[Span, tuple[int, tuple[Edit, ...]]] = {}
    lines = Lines(text)
    for each, day in found:
        if day is None or day in staying or day in edits:
            continue
        whole = _cut(lines, day)
        if whole.end in covered and not text[day.end : whole.end].strip():  # only entries that leave stand below it
            edits[day] = each.start, (Edit(whole, ""),)
    return dict(edits.values())


def _head(target: str, text: str | None, eol: str) -> str:
    """An archive before entries come to it."""
    if text and text.strip("\ufeff \t\r\n"):
        return text
    ending = eol_of(text) if text else eol
    return f"{_TITLES[names.kind_of(target) or '']} {target[-10:-3]}{ending}{ending}"


def _filled(target: str, text: str, going: Sequence[Due]) -> str:
    """An archive with entries put in: newest day first, and in a day that it has before those that are there."""
    eol = eol_of(text)
    if not text.endswith(("\n", "\r")):
        text += eol
    sections = _sections(names.kind_of(target) or "", text)
    # How far back the days go up to each: in this order the first day that is not newer can be looked up.
    lowest = list(accumulate((-day.toordinal() for day, _, _ in sections), max))
    known = {day: inner for day, _, inner in reversed(sections)}
    by_day: dict[date, list[Due]] = {}
    for each in going:
        by_day.setdefault(each.day or date.min, []).append(each)
    edits = []
    for day in sorted(by_day, reverse=True):
        heading = by_day[day][0].heading
        block = "".join(with_eol(each.text, eol) for each in by_day[day])
        if day in known and heading:
            edits.append(Edit(Span(known[day], known[day]), block))
            continue
        number = bisect_left(lowest, -day.toordinal())
        at = sections[number][1] if number < len(sections) else len(text)
        lead = eol if at == len(text) and not text.endswith((eol * 2, "\n\n")) else ""
        head = f"{with_eol(heading, eol)}{eol}{eol}" if heading else ""
        edits.append(Edit(Span(at, at), f"{lead}{head}{block}"))
    return apply(text, edits)


def _sections(kind: str, text: str) -> list[tuple[date, int, int]]:
    """Days of an archive in order: the date, where it begins, and where its first entry would go."""
    if kind == names.ERRORS:
        return [(each.day, each.cut.start, each.cut.start) for each, _ in _faults(text) if each.day]
    lines = Lines(text)
    spans = [(date.fromisoformat(day.date), _cut(lines, day.span)) for day in history(text).days if day.date]
    return [(day, span.start, span.end) for day, span in spans]


def _contents(path: str, text: str) -> Contents:
    """Where each entry begins and what it says; what parts it from the next does not count."""
    found = _ENTRIES[names.kind_of(path) or ""](text)
    return [
        (each.start, (each.day, each.time, with_eol(text[each.start : each.cut.end], "\n").strip(" \t\n-*_")))
        for each, _ in found
    ]


def _edits(text: str) -> list[Dated]:
    """The entries of a history."""
    reading, lines = history(text), Lines(text)
    days = {day.span.start: day for day in reading.days}
    starts = sorted(days)
    found = []
    for entry in reading.entries:
        at = bisect_left(starts, entry.head.start)
        above = days[starts[at - 1]] if at and entry.head.start not in days else None
        day = above.span if above and above.date == entry.date else None
        heading = day.of(text) if day else ""
        found.append((_entry(lines, entry.span, entry.description, entry.date, entry.time or "", heading), day))
    return found


def _faults(text: str) -> list[Dated]:
    """The errors of a log."""
    lines = Lines(text)
    return [
        (_entry(lines, each.span, each.title, calendar(each.stamp[:10]), each.stamp[11:]), None)
        for each in faults(text).faults
    ]


def _entry(lines: Lines, span: Span, title: str, day: str | None, time: str, heading: str = "") -> Due:
    cut = _cut(lines, span)
    block = with_eol(cut.of(lines.text), "\n")
    if not block.endswith("\n\n"):
        block = f"{block.rstrip(chr(10))}\n\n"  # a blank line parts it from what follows
    at = date.fromisoformat(day) if day else None
    return Due(span.start, cut, block, title, day=at, time=time, heading=heading)


def _cut(lines: Lines, span: Span) -> Span:
    """Whole lines, with the blank lines and rules after them."""
    end = lines.start(lines.at(max(span.end - 1, 0)) + 1)
    gap = _BETWEEN.match(lines.text, end)
    return Span(lines.start(lines.at(span.start)), gap.end() if gap else end)


_ENTRIES: dict[str, Callable[[str], list[Dated]]] = {names.HISTORY: _edits, names.ERRORS: _faults}
