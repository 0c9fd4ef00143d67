"""Archiving: what is old or over moves out of the files that are read every day.

A dialect says what is due and where it goes; the archiver moves it and proves that every line arrived; then all files
are written together, so that `undo` takes it back.
"""

from collections.abc import Sequence

from msgspec import Struct

from memdown import git
from memdown.archiver import ArchivePlan, plan, save
from memdown.dialects import offered
from memdown.dialects.due import UNDATED
from memdown.project import Project


class Moved(Struct, frozen=True, rename={"source": "from", "target": "to"}):
    """An entry that went to the archive."""

    id: str
    title: str
    source: str
    target: str


class KeptEntry(Struct, frozen=True):
    """An entry that is old enough and stays."""

    id: str
    title: str
    path: str
    reason: str


class Undated(Struct, frozen=True):
    """An entry that does not say when it was."""

    id: str
    title: str
    path: str
    line: int


class Archived(Struct, frozen=True):
    """What became of the files."""

    moved: list[Moved]
    kept: list[KeptEntry]
    undated: list[Undated]
    written: list[str]
    entries_before: int
    entries_left: int
    notices: list[str]
    """What a person should know of the archives: that git ignores one."""


def archive(
    project: Project,
    *,
    dialects: Sequence[str] = (),
    older_than: int | None = None,
    size: int | None = None,
    keep: int | None = None,
    write: bool = True,
) -> Archived:
    """Move what is old or over to the archives, or only tell what would be moved.

    `dialects` are those whose files are looked at; without them, all that archive. `keep` is how many of the newest
    entries stay in each file; without it, what the settings say.
    """
    with project.files.lock(when=write):
        plans = [
            plan(project, *each)
            for dialect in dialects or project.offering("to_archive")
            for each in offered(dialect, "to_archive")(project, older_than, size, keep)
        ]
        if write:
            save(project, plans)
    lost = "is ignored by git, so what is moved there leaves the repository"
    notices = [f"{name} {lost}" for name in _ignored(project, plans)]
    for sentence in notices:
        project.tell(sentence)
    return _result(plans, notices)


# What is told of it


def _texts(planned: ArchivePlan) -> dict[str, tuple[str | None, str]]:
    return {**planned.archives, planned.path: (planned.before, planned.after)}


def _ignored(project: Project, plans: Sequence[ArchivePlan]) -> list[str]:
    """Archives that git ignores, though it does not ignore the files they take from."""
    going = {target: each.path for each in plans if each.moved for target in each.archives}
    ignored = git.ignored(project.root, [*going, *going.values()]) if going else ()
    return [target for target, path in going.items() if target in ignored and path not in ignored]


def _result(plans: Sequence[ArchivePlan], notices: list[str]) -> Archived:
    moved = [Moved(due.id, due.title, each.path, due.target) for each in plans for due in each.moved]
    stays = [(each.path, due, line) for each in plans for due, line in each.stays]
    entries = sum(each.entries for each in plans)
    return Archived(
        moved=moved,
        kept=[KeptEntry(due.id, due.title, path, due.reason) for path, due, _ in stays if due.reason != UNDATED],
        undated=[Undated(due.id, due.title, path, line) for path, due, line in stays if due.reason == UNDATED],
        written=[name for each in plans if each.moved for name in _texts(each)],
        entries_before=entries,
        entries_left=entries - len(moved),
        notices=notices,
    )
