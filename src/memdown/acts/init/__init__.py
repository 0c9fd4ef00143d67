"""Beginning a memory: the first files of a dialect. What a brief says, as first content, is in `brief`."""

from msgspec import Struct

from memdown.dialects import DIALECTS
from memdown.project import Project
from memdown.store.files import FileEdit


class Begun(Struct, frozen=True):
    """What was made, or would be made, and what was there already."""

    created: list[str]
    kept: list[str]


def begin(project: Project, dialect: str, *, write: bool = True) -> Begun:
    """Make the files that a project of a dialect begins with; those that are there stay as they are."""
    with project.files.lock(when=write):
        begun = getattr(DIALECTS[dialect], "begin")(project.now())  # noqa: B009 - a room may offer it
        texts = {project.file_of(dialect, place): text for place, text in begun.items()}
        kept = [name for name in texts if project.files.exists(name)]
        new = [FileEdit(name, None, text) for name, text in texts.items() if name not in kept]
        if write:
            project.files.save_all(new)
    return Begun([each.name for each in new], kept)
