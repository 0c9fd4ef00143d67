"""Edit entries as memdown writes them: newest day first, newest entry first, everything else left as it is."""

from collections.abc import Sequence

from msgspec import Struct

from memdown.dialects.journal import write_common
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.grammar import ACTIONS
from memdown.dialects.journal.headings import calendar, clock
from memdown.dialects.journal.model import Day, EditEntry, JournalReading
from memdown.errors import Invalid, quote
from memdown.text import Edit, line_start

TITLE = "Edit History"


class NewModification(Struct, frozen=True):
    """One file of an entry to write."""

    action: str
    path: str
    description: str


def entry_head(*, time: str, zone: str | None, tasks: Sequence[str], description: str) -> str:
    """The heading of an entry, ended by LF. `time` is HH:MM or HH:MM:SS."""
    parts = time.split(":")
    if not all(part.isdigit() and len(part) == 2 for part in parts) or len(parts) not in (2, 3) or not clock(*parts):
        raise Invalid(f"{quote(time)} is not a time; write it like 14:30:15.")
    if zone and not (zone.isascii() and zone.isalpha() and zone.isupper() and 3 <= len(zone) <= 4):
        raise Invalid(f"{quote(zone)} is not a time zone; write it in three or four capital letters, like UTC.")
    named = ", ".join(write_common.task_id(task) for task in tasks)
    title = write_common.one_line(description, "description")
    return f"#### {time}{f' {zone}' if zone else ''} - {f'{named}: ' if named else ''}{title}\n"


def change_text(change: NewModification) -> str:
    """The line of a modification."""
    if change.action not in ACTIONS["1.1"]:
        raise Invalid(f"{quote(change.action)} is not an action; use {', '.join(ACTIONS['1.1'])}.")
    description = write_common.one_line(change.description, f"description of {change.path}")
    return f"- {change.action} `{write_common.file_path(change.path)}` - {description}\n"


def new_history(now: str) -> str:
    """An edit history without entries."""
    return write_common.head(TITLE, now)


def insert_entry(text: str, *, date: str, entry: str, now: str | None = None) -> list[Edit]:
    """The edits that put an entry in its place; `entry` begins with `entry_head`, `now` goes into Last Updated."""
    if not calendar(date):
        raise Invalid(f"{quote(date)} is not a day; write it like 2025-12-05.")
    reading = history(text)
    day = next((day for day in reading.days if day.date == date), None)
    edit = _in_day(text, reading, day, entry) if day else _new_day(text, reading, date, entry)
    return [*write_common.restamped(text, now, back=False), edit]


def _in_day(text: str, reading: JournalReading, day: Day, entry: str) -> Edit:
    """Before the first entry of the day that is older; the newest is first."""
    time = entry.split()[1]
    full = time if len(time) == 8 else f"{time}:00"
    here = _entries_of(reading, day)
    older = next((each for each in here if each.time is not None and each.time <= full), None)
    if older:
        return write_common.inserted(text, line_start(text, older.head.start), f"{entry}\n")
    above = here[-1].span if here else day.span
    return write_common.inserted_below(text, above, f"\n{entry}")


def _entries_of(reading: JournalReading, day: Day) -> list[EditEntry]:
    end = min((each.span.start for each in reading.days if each.span.start > day.span.start), default=None)
    below = (entry for entry in reading.entries if entry.head.start >= day.span.start)
    return [entry for entry in below if end is None or entry.head.start < end]


def _new_day(text: str, reading: JournalReading, date: str, entry: str) -> Edit:
    block = f"### {date}\n\n{entry}"
    dated = [each.span.start for each in reading.days if each.date and each.date < date]
    if dated:
        return write_common.inserted(text, line_start(text, dated[0]), f"{block}\n")
    at = write_common.below_head(text)
    if reading.days or reading.entries or not text[at:].strip(" \t\r\n"):
        return write_common.appended(text, block)
    return write_common.inserted(text, at, f"\n{block}")
