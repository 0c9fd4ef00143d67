"""Long histories and error logs: old entries go to the archives of their months. Planned, verified, then written."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, date, timedelta
from itertools import accumulate

from msgspec import Struct

from memdown.acts.archive.sem import Archived, KeptEntry, Moved, Undated, together
from memdown.dialects.journal import names
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.faults import faults
from memdown.dialects.journal.headings import calendar
from memdown.limits import JournalSettings
from memdown.memory.journal.place import JournalChange, JournalPlace
from memdown.patterns import lazy, many
from memdown.record import Record
from memdown.store import undo
from memdown.text import Edit, Lines, Span, apply, encode, eol_of, with_eol

KEPT = {names.HISTORY: 20, names.ERRORS: 5}
"""How many of the newest entries always stay."""

_TITLES = {names.HISTORY: "# Edit History", names.ERRORS: "# Error Log"}
_BETWEEN = lazy(many(r"[ \t]*(?:(?:---+|\*\*\*+|___+)[ \t]*)?(?:\r\n|\n|\r)", "lines"))
_DIFFERENT = "without the old entries the rest would be read differently"


class RotatedItem(Struct, frozen=True):
    """One entry, or error, with what parts it from the next."""

    cut: Span
    start: int
    """Where its own text begins."""
    title: str
    date: str | None
    time: str
    day: Span | None = None
    """The heading of its day, when that is a line of its own."""

    def content(self, text: str) -> tuple[str | None, str, str]:
        return self.date, self.time, with_eol(text[self.start : self.cut.end], "\n").strip(" \t\n-*_")


class RotationPlan(Struct, frozen=True):
    """What rotating one file comes to: the archives, then the file."""

    changes: list[JournalChange]
    told: Archived


def rotate(place: JournalPlace, *, older_than: int | None, size: int | None, write: bool) -> Archived:
    """Move what is old out of files that are too long, or only tell what would be moved."""
    done = Archived([], [], [], [], 0, 0)
    with place.root.files.lock() if write else nullcontext():
        for kind in KEPT:
            name = place.name(kind)
            text = place.text(name)
            if text is None or not _is_long(text, older_than, size, place.root.config.journal):
                continue
            planned = _plan(place, kind, name, text, older_than)
            if write and planned.changes:
                steps = [undo.change(each.name, each.before, each.after) for each in planned.changes]
                undo.remember(place.root.files, "archive", place.root.now(), steps)
                place.save(planned.changes)
            done = together(done, planned.told)
    return done


def _is_long(text: str, older_than: int | None, size: int | None, limits: JournalSettings) -> bool:
    """An age that is asked for counts whatever the length, unless a size is asked for too."""
    held = len(encode(text))
    if size is not None or older_than is not None:
        return held >= (size or 0)
    return held > limits.max_size or len(Lines(text)) > limits.max_lines


def _plan(place: JournalPlace, kind: str, name: str, text: str, older_than: int | None) -> RotationPlan:
    items, lines = _ITEMS[kind](text), Lines(text)
    ids = {record.span.start: record for record in place.root.parse(name, text).records}
    undated = [
        Undated(_id(ids, each), each.title, name, lines.position(each.start)[0]) for each in items if not each.date
    ]
    going = _old(place, items, kind, older_than)
    changes = _changes(place, kind, name, text, items, going)
    whole = Archived([], [], undated, [], len(items), len(items))
    if going and not changes:
        kept = [KeptEntry(_id(ids, each), each.title, name, _DIFFERENT) for each in going]
        return RotationPlan([], together(whole, Archived([], kept, [], [], 0, 0)))
    moved = [Moved(_id(ids, each), each.title, name, _target(name, each)) for each in going]
    return RotationPlan(
        changes,
        Archived(moved, [], undated, [each.name for each in changes], len(items), len(items) - len(moved)),
    )


def _id(records: dict[int, Record], item: RotatedItem) -> str:
    record = records.get(item.start)
    return record.id if record else ""


def _old(place: JournalPlace, items: Sequence[RotatedItem], kind: str, older_than: int | None) -> list[RotatedItem]:
    """The dated items beyond the newest, or older than some days; by their dates, since not every file is in order."""
    dated = [each for each in items if each.date]
    if older_than is not None:
        first = place.root.now().astimezone(UTC).date() - timedelta(days=older_than)
        return [each for each in dated if date.fromisoformat(each.date or "") < first]
    places = {each.start: number for number, each in enumerate(dated)}
    newest = sorted(dated, key=lambda each: (each.date or "", each.time, -places[each.start]), reverse=True)
    staying = {each.start for each in newest[: KEPT[kind]]}
    return [each for each in dated if each.start not in staying]


def _target(name: str, item: RotatedItem) -> str:
    folder, _, file = name.rpartition("/")
    return f"{folder}/archive/{file.removesuffix('.md')}_{(item.date or '')[:7]}.md"


def _changes(
    place: JournalPlace, kind: str, name: str, text: str, items: Sequence[RotatedItem], going: Sequence[RotatedItem]
) -> list[JournalChange]:
    """The archives grown and the file trimmed; nothing when either would be read differently than meant."""
    if not going:
        return []
    by_archive: dict[str, list[RotatedItem]] = {}
    for each in going:
        by_archive.setdefault(_target(name, each), []).append(each)
    changes = []
    for target, moving in by_archive.items():
        held = place.text(target)
        grown = _grown(kind, held, text, moving)
        old = Counter(each.content(held) for each in _ITEMS[kind](held)) if held else Counter()
        new = Counter(each.content(grown) for each in _ITEMS[kind](grown))
        if new != old + Counter(each.content(text) for each in moving):
            return []
        changes.append(JournalChange(target, held, grown))
    after = apply(text, [Edit(span, "") for span in _leaving(text, items, going)])
    gone = {each.start for each in going}
    left = [each.content(text) for each in items if each.start not in gone]
    if [each.content(after) for each in _ITEMS[kind](after)] != left:
        return []
    return [*changes, JournalChange(name, text, after)]


def _leaving(text: str, items: Sequence[RotatedItem], going: Sequence[RotatedItem]) -> Iterator[Span]:
    """The items, and the headings of days that keep nothing."""
    gone = {each.start for each in going}
    staying = {each.day for each in items if each.start not in gone}
    covered = {each.cut.start for each in going}
    lines = Lines(text)
    for day in dict.fromkeys(each.day for each in going if each.day and each.day not in staying):
        whole = _cut(lines, day)
        if (
            whole.end in covered and not text[day.end : whole.end].strip()
        ):  # nothing but entries that leave stands below it
            yield whole
    yield from (each.cut for each in going)


def _grown(kind: str, held: str | None, text: str, moving: Sequence[RotatedItem]) -> str:
    """An archive with items put in: newest day first, and in a day that it has before those that are there."""
    eol = eol_of(held if held else text)
    month = (moving[0].date or "")[:7]
    begun = held if held and held.strip("\ufeff \t\r\n") else f"{_TITLES[kind]} {month}{eol}{eol}"
    if not begun.endswith(("\n", "\r")):
        begun += eol
    sections = _sections(kind, begun)
    # How far back the days go up to each: in this order the first day that is not newer can be looked up.
    lowest = list(accumulate((-date.fromisoformat(day).toordinal() for day, _, _ in sections), max))
    known = {day: inner for day, _, inner in reversed(sections)}
    edits = []
    by_day: dict[str, list[RotatedItem]] = {}
    for each in moving:
        by_day.setdefault(each.date or "", []).append(each)
    for day in sorted(by_day, reverse=True):
        own = by_day[day]
        said = with_eol("".join(_block(text, each) for each in own), eol)
        if day in known and own[0].day:
            edits.append(Edit(Span(known[day], known[day]), said))
            continue
        head = f"{with_eol(own[0].day.of(text), eol)}{eol}{eol}" if own[0].day else ""
        number = bisect_left(lowest, -date.fromisoformat(day).toordinal())
        at = sections[number][1] if number < len(sections) else len(begun)
        lead = eol if at == len(begun) and not begun.endswith((eol * 2, "\n\n")) else ""
        edits.append(Edit(Span(at, at), f"{lead}{head}{said}"))
    return apply(begun, edits)


def _block(text: str, item: RotatedItem) -> str:
    """The lines of an item, with a blank line after them."""
    said = with_eol(item.cut.of(text), "\n")
    return said if said.endswith("\n\n") else f"{said.rstrip(chr(10))}\n\n"


def _sections(kind: str, text: str) -> list[tuple[str, int, int]]:
    """Days of an archive in order: the date, where it begins, and where its first entry would go."""
    if kind == names.ERRORS:
        return [(each.date, each.cut.start, each.cut.start) for each in faults_of(text) if each.date]
    lines = Lines(text)
    spans = [(day.date, _cut(lines, day.span)) for day in history(text).days if day.date]
    return [(date, span.start, span.end) for date, span in spans]


def edits_of(text: str) -> list[RotatedItem]:
    """The entries of a history."""
    reading, lines = history(text), Lines(text)
    days = {day.span.start: day for day in reading.days}
    starts = sorted(days)
    found = []
    for entry in reading.entries:
        at = bisect_left(starts, entry.head.start)
        above = days[starts[at - 1]] if at and entry.head.start not in days else None
        day = above.span if above and above.date == entry.date else None
        found.append(
            RotatedItem(_cut(lines, entry.span), entry.span.start, entry.said, entry.date, entry.time or "", day)
        )
    return found


def faults_of(text: str) -> list[RotatedItem]:
    """The errors of a log."""
    lines = Lines(text)
    return [
        RotatedItem(_cut(lines, each.span), each.span.start, each.title, calendar(each.stamp[:10]), each.stamp[11:])
        for each in faults(text).faults
    ]


def _cut(lines: Lines, span: Span) -> Span:
    """Whole lines, with the blank lines and rules after them."""
    end = lines.start(lines.at(max(span.end - 1, 0)) + 1)
    gap = _BETWEEN.match(lines.text, end)
    return Span(lines.start(lines.at(span.start)), gap.end() if gap else end)


_ITEMS: dict[str, Callable[[str], list[RotatedItem]]] = {names.HISTORY: edits_of, names.ERRORS: faults_of}
