"""Taking records out of a journal: which of them the contract keeps, and which lines go with each."""

from memdown.dialects.journal import names
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.names import kind_of
from memdown.dialects.journal.tasks import registry
from memdown.dialects.remove import everything, line_after, without
from memdown.errors import way
from memdown.record import Record
from memdown.text import Edit, Span

_HISTORY = ("edit", "modification")
_FILES = ("session", "cache")


def kept(text: str, record: Record, new: Record | None = None) -> str | None:  # noqa: ARG001 - the shape of all rooms
    """What is written once: the edit history, and sessions, which may go on but not go away."""
    place = f"{record.path}:{record.line}"
    if record.kind in _HISTORY:
        correcting = way("add edit", "'Correction: ...'")
        return (
            f"{place} is part of the edit history, which is append-only; {correcting} adds"
            f" a correction, and {way('--force')} changes the history itself."
        )
    if record.kind == "session" and new is None:
        forced = f"{way('--force')} deletes it anyway"
        return f"{record.path} is the record of a session, and sessions are kept; {forced}."
    return None


def remove(text: str, record: Record) -> list[Edit]:
    """The lines of a record; a day without entries, and a file that is its record, go with it."""
    if record.kind in _FILES or (record.kind == "task" and kind_of(record.path) == names.TASK):
        return [everything(text)]
    if record.kind == "task":
        return _task(text, record.task)
    if record.kind == "edit":
        return [_entry(text, record)]
    return [without(text, record.span.start, record.span.end)]


def _task(text: str, id: str) -> list[Edit]:
    """The row of a task, and the section on it."""
    edits: list[Edit] = []
    for span in (task.span for task in registry(text).tasks if task.id == id):
        edit = without(text, span.start, span.end)
        if edits and edit.span.start < edits[-1].span.end:  # they share the blank lines between them
            edit = Edit(Span(edits.pop().span.start, edit.span.end), "")
        edits.append(edit)
    return edits


def _entry(text: str, record: Record) -> Edit:
    """An entry, with the heading of its day when the day has no other."""
    if kind_of(record.path) == names.CHUNK and len(history(text).entries) < 2:
        return everything(text)
    start, end = record.span.start, record.span.end
    days = [day.span for day in history(text).days if day.span.start < start]
    follows = line_after(text, end - 1)
    last = follows is None or any(day.span.start == follows.start for day in history(text).days)
    if last and days and not text[days[-1].end : start].strip():
        start = days[-1].start
    return without(text, start, end)
