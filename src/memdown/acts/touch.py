"""What follows when an assistant reads or edits a file of memory without memdown, as its dialect says."""

from memdown.dialects import offered
from memdown.project import Project
from memdown.text import apply


def touch(project: Project, path: str, *, edited: bool) -> list[str]:
    """Keep a file in its form after it was edited; what the assistant should know of it, a sentence each."""
    name = project.name_of(path)
    if not name or not project.files.exists(name):
        return []
    with project.files.lock(when=edited):
        document = project.parse(name, project.files.read(name))
        touched = offered(document.dialect, "touched")
        edits, notes = touched(document, edited=edited) if touched else ((), [])
        if edits:
            project.files.save(name, apply(document.text, edits), over=document.text)
    return [f"{name}: {note}" for note in notes]
