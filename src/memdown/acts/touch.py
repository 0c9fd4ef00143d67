"""What follows when an assistant reads, edits or commits memory without memdown, as its dialect says."""

from collections.abc import Iterator

from memdown import git
from memdown.dialects import offered
from memdown.project import Project
from memdown.text import apply, decode


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


def about_to_commit(project: Project, *, as_on_disk: bool) -> list[str]:
    """What an assistant should know of the memory that a commit would take, a sentence each.

    That is what is staged, or, where the commit stages first, every file as it stands on disk.
    """
    found = []
    for name, text in _on_disk(project) if as_on_disk else _in_index(project):
        document = project.parse(name, text)
        staged = offered(document.dialect, "staged")
        found += [f"{name}: {note}" for note in staged(document)] if staged else []
    return found


def _on_disk(project: Project) -> Iterator[tuple[str, str]]:
    names = git.uncommitted(project.root, project.names())
    ignored = git.ignored(project.root, names)
    yield from ((name, project.text(name)) for name in names if name not in ignored)


def _in_index(project: Project) -> Iterator[tuple[str, str]]:
    kept = {*project.names()}
    names = [name for name in git.staged(project.root) if name in kept]
    for name, data in zip(names, git.texts_of(project.root, [f":./{name}" for name in names]), strict=True):
        if data is not None:
            yield name, decode(data)
