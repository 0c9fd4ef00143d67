"""Records as lines for people: a row of a list, and what to know before relying on one."""

from memdown.record import Mark, Record
from memdown.surfaces.show.style import style


def row(record: Record) -> str:
    """The beginning of the id, the day, the title and the scope."""
    day = record.at.local.date().isoformat() if record.at else "----------"
    title = record.title or "(no title)"
    return f"{style('dim', record.id[:8])}  {day}  {title}" + (
        style("dim", f"  {record.scope}") if record.scope else ""
    )


def marks_of(mark: Mark) -> str:
    """What to know before relying on a record, for the end of its line."""
    notes = []
    if mark.superseded:
        by = ", ".join(id[:8] for id in mark.superseded_by)
        notes.append(f"superseded by {by}" if by else "superseded")
    if mark.expired:
        notes.append("expired")
    return style("warning", f"  [{', '.join(notes)}]") if notes else ""
