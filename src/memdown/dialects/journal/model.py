"""What a reader makes of one file, before records: values with spans, and each deviation from the contract.

`readings.READERS` has the reader for each kind of file, a function of its text. All readings have `deviations`;
`codes.CODES[deviation.name]` has the severity.
"""

from collections.abc import Mapping

from msgspec import Struct

from memdown import times
from memdown.text import Edit, Span
from memdown.times import Moment


class Deviation(Struct, frozen=True, gc=False):
    """Where a text differs from the contract."""

    name: str
    """A key of `codes.CODES`."""
    span: Span
    message: str
    edits: tuple[Edit, ...] = ()
    """What mends it; nothing that the file says changes."""


class Modification(Struct, frozen=True):
    """One file that an entry names."""

    span: Span
    """Its bullet."""
    action: str
    """Created, Modified, Updated, Deleted, or the verb that was written, as `Fixed`."""
    verb: str
    """The word in the file; empty when there was none."""
    path: str
    at: Span
    """The path in the text."""
    description: str
    target: str | None = None
    """Where a file went that was moved, renamed or copied."""


class EditEntry(Struct, frozen=True):
    """One entry of an edit history."""

    span: Span
    head: Span
    """Its heading, without the line ending."""
    level: int
    """How many `#`; 0 for an entry that has no heading of its own."""
    date: str | None
    """YYYY-MM-DD; None when no readable day stands above."""
    time: str | None
    """HH:MM:SS; None when there is none."""
    zone: str | None
    """As written; None when there is none, which counts as UTC."""
    tasks: tuple[str, ...]
    description: str
    """Without the task ids."""
    end: str | None = None
    """The second time of a range."""
    modifications: tuple[Modification, ...] = ()

    @property
    def moment(self) -> Moment | None:
        time = f" {self.time} {self.zone or ''}" if self.time else ""
        return times.read(f"{self.date}{time}".rstrip()) if self.date else None


class Day(Struct, frozen=True):
    """The heading of a day."""

    span: Span
    date: str | None
    """None when it cannot be read; the entries below it have no date then."""


class JournalReading(Struct, frozen=True):
    """An edit history, an archive of one, or a chunk."""

    entries: tuple[EditEntry, ...]
    days: tuple[Day, ...] = ()
    deviations: tuple[Deviation, ...] = ()

    @property
    def modifications(self) -> tuple[Modification, ...]:
        return tuple(each for entry in self.entries for each in entry.modifications)


class JournalField(Struct, frozen=True):
    """A labelled value: `**Status**: …`, or a stamp `*Created: …*`."""

    key: str
    value: str
    at: Span
    """The value in the text."""
    span: Span
    """All of it, label and value."""


class TaskStep(Struct, frozen=True):
    """One step or criterion of a task."""

    span: Span
    section: str
    position: int
    """Its number in the file, from 1."""
    text: str
    state: str
    """pending, in_progress, completed, paused or cancelled."""
    mark: Span
    """The box or emoji that says so."""


class Task(Struct, frozen=True):
    """A task as one place tells it: a row of the registry, a section of details, or its own file."""

    span: Span
    id: str
    title: str
    source: str
    """registry, details, file, or cache."""
    status: str | None
    """One of the five states; None when what is written is none of them."""
    written: str
    """The status as written."""
    priority: str = ""
    started: str = ""
    dependencies: tuple[str, ...] = ()
    section: str = ""
    """The heading of its table."""
    cells: Mapping[str, JournalField] = {}
    """Cells or fields by name in lower case: status, priority, started, completed, details, …"""
    steps: tuple[TaskStep, ...] = ()
    files: tuple[str, ...] = ()


class TaskList(Struct, frozen=True):
    """A registry, or the file of one task."""

    tasks: tuple[Task, ...]
    stamps: Mapping[str, JournalField] = {}
    deviations: tuple[Deviation, ...] = ()


class SessionFile(Struct, frozen=True):
    """A session file, or the session that the cache says is current."""

    date: str | None
    period: str
    title: str
    focus: str
    tasks: tuple[str, ...]
    """The ids in the focus."""
    status: str
    started: str
    file: str = ""
    """The session file that a cache names."""
    counts: Mapping[str, int] = {}
    """active, paused, completed, cancelled: those that are written."""
    counted_at: Span | None = None
    history: tuple[str, ...] = ()
    """The session files that a cache lists, newest first."""
    fields: Mapping[str, JournalField] = {}
    deviations: tuple[Deviation, ...] = ()


class ErrorEntry(Struct, frozen=True):
    """An entry of an error log."""

    span: Span
    head: Span
    stamp: str
    """The time as written, or its date and time where other words stand between; empty when there is none."""
    tasks: tuple[str, ...]
    title: str
    fields: Mapping[str, JournalField]
    """file, error, cause, fix, changes, affected files, task."""


class ErrorLog(Struct, frozen=True):
    """An error log."""

    faults: tuple[ErrorEntry, ...]
    deviations: tuple[Deviation, ...] = ()


FileReading = JournalReading | TaskList | SessionFile | ErrorLog
"""What the reader of any file of a journal gives."""
