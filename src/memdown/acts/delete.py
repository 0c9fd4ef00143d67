"""Deleting: a record that is a file of its own."""

from memdown.dialects import DIALECTS
from memdown.errors import Refused
from memdown.project import Project
from memdown.record import Record


def delete(project: Project, id: str) -> Record:
    """Delete the file of a record; one that stands in a file with others is refused."""
    with project.files.lock():
        record = project.get(id)
        if not DIALECTS[record.dialect].KINDS.get(record.kind, "").startswith("*."):
            raise Refused(f"{record.id} is a {record.kind}, not a card.")
        project.files.delete(record.path, over=project.files.read(record.path))
    return record
