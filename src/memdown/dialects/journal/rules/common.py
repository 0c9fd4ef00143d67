"""What the rules of a journal share: readings, deviations with their fixes, journals by folder, order in time."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta

from msgspec import Struct, structs

from memdown.diagnostics import Finding, Fix, Rule, rule
from memdown.dialects.journal.codes import CODES, detected, is_habit
from memdown.dialects.journal.model import Deviation, FileReading, JournalReading, Task, TaskList
from memdown.dialects.journal.names import TASK, kind_of
from memdown.dialects.journal.readings import READERS
from memdown.dialects.journal.tasks import own_id
from memdown.errors import quote
from memdown.homes import bank_of, parts_of
from memdown.lazy import beside
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span, apply
from memdown.times import Moment

_LEVELS = ("date-heading-level", "entry-heading-level")
"""Deviations whose fix changes what stands below what."""

_SLACK = timedelta(hours=26)
"""How far two clocks can be apart when nobody knows where they hang."""

_TOLD, _SHORT = 1000, 50
"""Findings whose text is shown, and how long a mended line is shown whole."""

_HEADING = lazy(r"^# (JNL\d+) ([\w-]+)(?:: (.+))?\n\n", re.MULTILINE)
_YEAR = lazy(r"\d{4}")
_LASTS = {"day": timedelta(days=1), "minute": timedelta(minutes=1)}


class _Deviations(Struct, frozen=True):
    reading: FileReading
    by_name: Mapping[str, Sequence[Deviation]]


def _by_name(reader: Callable[[str], FileReading]) -> Callable[[str], _Deviations]:
    def read(text: str) -> _Deviations:
        reading = reader(text)
        found: dict[str, list[Deviation]] = {}
        for each in reading.deviations:
            found.setdefault(each.name, []).append(each)
        levels = [name for name in _LEVELS if name in found]
        if not _keeps(reader, text, reading, levels):
            found |= {name: [structs.replace(each, edits=()) for each in found[name]] for name in levels}
        return _Deviations(reading, found)

    return read


_BY_NAME = {kind: _by_name(reader) for kind, reader in READERS.items()}


def reading_of(doc: Document) -> FileReading | None:
    """A file as its reader gives it, read once for all rules."""
    kind = kind_of(doc.path)
    return doc.of(_BY_NAME[kind]).reading if kind else None


def deviation_rules() -> Iterator[Rule]:
    """A rule for each page of deviations.md; the heading has its code, its name, and what a fix does if it has one."""
    _, *parts = _HEADING.split(beside(__file__, "deviations.md"))
    for code, name, fix, page in zip(*(parts[first::4] for first in range(4)), strict=True):
        yield _deviation_rule(code, name, fix or "", page)


def _deviation_rule(code: str, name: str, fix: str, page: str) -> Rule:
    def check(doc: Document) -> Iterator[Finding]:
        kind = kind_of(doc.path)
        read = doc.of(_BY_NAME[kind]) if kind else None
        found = read.by_name.get(name, ()) if read else ()
        auto = doc.settings.journal.profile == "auto"
        severity = detected(name, habit=is_habit(read.reading, len(doc.records))) if auto and read and found else None
        for number, each in enumerate(found):
            message = _told(doc.text, each) if number < _TOLD else each.message
            yield Finding(each.span, message, Fix(fix, each.edits) if each.edits else None, severity)

    check.__name__, check.__doc__ = name, page
    return rule(code, CODES[name].severity, unread=name == "entries-unread")(check)


def _told(text: str, each: Deviation) -> str:
    """What is wrong: the text it is about, and what should stand there."""
    code = CODES[each.name]
    if not code.says or each.message != code.about:
        return each.message
    found = each.span.of(text).partition("\n")[0].strip()
    return f"{code.says.replace('{found}', quote(found))}{_instead(text, each, code.instead)}."


def _instead(text: str, each: Deviation, otherwise: str) -> str:
    span = each.span
    if not each.edits or any(edit.span.start < span.start or edit.span.end > span.end for edit in each.edits):
        return f"; {otherwise}" if otherwise else ""
    start = span.start
    within = [Edit(Span(edit.span.start - start, edit.span.end - start), edit.new) for edit in each.edits]
    mended = apply(span.of(text), within)
    if len(mended) <= _SHORT:
        return f"; write {quote(mended.strip())}"
    first = each.edits[0]
    return f"; write {quote(first.new)} for {quote(first.span.of(text))}" if first.new and first.span.of(text) else ""


def _keeps(reader: Callable[[str], FileReading], text: str, before: FileReading, levels: Sequence[str]) -> bool:
    """Whether other levels of headings keep every entry: those of days, those of entries, and both at the same time."""
    chosen = {(*levels,), *((name,) for name in levels)} if levels else ()
    edits = ([edit for each in before.deviations if each.name in names for edit in each.edits] for names in chosen)
    return all(_gist(reader(apply(text, each))) == _gist(before) for each in edits)


def _gist(reading: FileReading) -> list[object]:
    """What has to stay the same whatever the headings look like."""
    entries = reading.entries if isinstance(reading, JournalReading) else ()
    files = ([(one.path, one.action) for one in each.modifications] for each in entries)
    return [(each.date, each.time, each.description, named) for each, named in zip(entries, files, strict=True)]


# Journals


class JournalFiles(Struct, frozen=True):
    """The files of one folder, and the tasks in them."""

    home: str
    documents: Sequence[Document]

    def of_kind(self, kind: str) -> list[Document]:
        return [doc for doc in self.documents if kind_of(doc.path) == kind]

    def tasks(self, *kinds: str) -> Iterator[tuple[Document, Task]]:
        """Every task that files of these kinds name, with its id."""
        for doc in self.documents:
            reading = reading_of(doc) if kind_of(doc.path) in kinds else None
            for task in reading.tasks if isinstance(reading, TaskList) else ():
                yield doc, structs.replace(task, id=own_id(doc.path, task))


def journals(documents: Sequence[Document]) -> list[JournalFiles]:
    """Documents by the folder of the journal they are in."""
    found: dict[str, list[Document]] = {}
    for doc in documents:
        home = bank_of(doc.path)
        if home is not None:
            found.setdefault(home, []).append(doc)
    return [JournalFiles(home, own) for home, own in found.items()]


def is_archived(path: str) -> bool:
    """Whether a file was put away, or is a part of one that was."""
    *folders, name = parts_of(path)
    return "archive" in folders or (kind_of(path) != TASK and bool(_YEAR.search(name)))


# Time


def is_before(one: Moment, other: Moment) -> bool:
    """Whether a moment is over before another begins, wherever a clock hangs whose zone nobody knows."""
    lasts = _LASTS.get(one.precision, timedelta())
    if one.zone == other.zone:
        return one.local + lasts <= other.local and one.local != other.local
    if one.offset is not None and other.offset is not None:
        return one.instant() + lasts <= other.instant() and one.instant() != other.instant()
    return one.local + lasts + _SLACK < other.local
