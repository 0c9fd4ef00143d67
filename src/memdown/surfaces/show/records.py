"""Records as lines for people: a row of a list, and what to know before relying on one."""

from memdown.record import Mark, Record
from memdown.surfaces.show.style import style

_SHORT = 8


def short(id: str) -> str:
    """An id as people are shown it and may give it back: the beginning of a hash, all of one that is a name."""
    return id[:_SHORT] if all(char in "0123456789abcdef-" for char in id) and id[:1] != "-" else id


def row(record: Record) -> str:
    """The id, the day, the title and the scope."""
    day = record.at.local.date().isoformat() if record.at else "----------"
    title = record.title or "(no title)"
    return f"{style('dim', short(record.id))}  {day}  {title}" + (
        style("dim", f"  {record.scope}") if record.scope else ""
    )


def marks_of(mark: Mark) -> str:
    """What to know before relying on a record, for the end of its line."""
    notes = []
    if mark.superseded:
        by = ", ".join(short(id) for id in mark.superseded_by)
        notes.append(f"superseded by {by}" if by else "superseded")
    if mark.expired:
        notes.append("expired")
    return style("warning", f"  [{', '.join(notes)}]") if notes else ""
