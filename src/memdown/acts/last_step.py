"""The last change that memdown made to a record, so that it can be taken back by itself."""

from memdown.markdown.line_ends import split_lines
from memdown.project import Project
from memdown.record import Record
from memdown.store import undo
from memdown.store.undo import Act

_MOST = 100
"""Acts that are looked at, the newest first."""


def last_step(project: Project, record: Record) -> Act | None:
    """The newest act that stands and wrote a line which the record has; None where there is none."""
    own = {line.strip() for line in split_lines(record.span.of(project.text(record.path))) if line.strip()}
    for act in undo.acts(project.files)[:_MOST]:
        if act.undone or record.path not in act.files:
            continue
        for part in undo.changes_of(project.files, act.step):
            if part.name == record.path:
                before = {line.strip() for line in split_lines(part.old)}
                if any(line.strip() in own and line.strip() not in before for line in split_lines(part.new)):
                    return act
    return None
