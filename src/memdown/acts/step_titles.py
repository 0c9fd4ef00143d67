"""What the steps that can be taken back were about, as a list of them tells it: the titles of their records."""

from collections.abc import Iterable

from memdown.dialects.hollow import is_hollow
from memdown.errors import MemdownError
from memdown.project import Project
from memdown.record import Record
from memdown.store import undo
from memdown.store.undo import ChangedPart


def step_titles(project: Project, steps: Iterable[int]) -> dict[int, list[str]]:
    """The titles of the records that each step wrote, changed or took away, in the order of its files."""
    found: dict[int, list[str]] = {}
    with project.snapshot():
        for part in undo.changes_of(project.files, *steps):
            titles = found.setdefault(part.step, [])
            titles += (each for each in _titles(project, part) if each not in titles)
    return found


def _titles(project: Project, part: ChangedPart) -> list[str]:
    """Titles that the lines of a change have on one side only, else that of the record they stand in today."""
    old, new = (_named(project.parse(part.name, text).records) for text in (part.old, part.new))
    return (
        [each for each in new if each not in old] or [each for each in old if each not in new] or _here(project, part)
    )


def _here(project: Project, part: ChangedPart) -> list[str]:
    try:
        document = project.parse(part.name, project.files.read(part.name))
    except MemdownError:
        return []  # it is gone, or cannot be read any more
    at = document.text.find(part.new)
    middle = at + len(part.new) // 2
    around = [each for each in document.records if at >= 0 and each.span.start <= middle < each.span.end]
    return _named(around[-1:])


def _named(records: Iterable[Record]) -> list[str]:
    return [" ".join(each.title.split()) for each in records if each.title and not is_hollow(each)]
