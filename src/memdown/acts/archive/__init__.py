"""Archiving: what is old or over moves out of the files that are read every day.

A dialect says what is due and where it goes; the archiver moves it and proves that every line arrived; then all files
are written together, so that `undo` takes it back.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from memdown import git
from memdown.archiver import ArchivePlan, layered, plan, save
from memdown.dialects.due import UNDATED, Archivist, Due
from memdown.dialects.journal.names import FILES
from memdown.lazy import LazyModule
from memdown.project import Project
from memdown.record import Document
from memdown.text import Span

TYPE_CHECKING = False  # as typing's
if TYPE_CHECKING:
    from memdown.dialects.bank import due as bank
    from memdown.dialects.journal import due as journal
    from memdown.dialects.layers import due as layers
    from memdown.dialects.sem import due as sem
else:
    bank, journal, layers, sem = (
        LazyModule(f"memdown.dialects.{name}.due") for name in ("bank", "journal", "layers", "sem")
    )


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
    dialects: Collection[str] = ("sem", "bank", "journal"),
    older_than: int | None = None,
    size: int | None = None,
    keep: int | None = None,
    write: bool = True,
) -> Archived:
    """Move what is old or over to the archives, or only tell what would be moved.

    `keep` is how many of the newest entries stay in each file; without it, what the settings say.
    """
    with project.files.lock(when=write):
        plans = []
        for doc, archivist in _files(project, dialects, older_than, size, keep):
            if write and doc.dialect == "bank":
                project.files.allow(doc.path)  # a mode that does not write it does not look for more either
            plans.append(plan(project, doc, archivist))
        if write:
            save(project, plans)
    lost = "is ignored by git, so what is moved there leaves the repository"
    notices = [f"{name} {lost}" for name in _ignored(project, plans)]
    for sentence in notices:
        project.tell(sentence)
    return _result(plans, notices)


def _files(
    project: Project, dialects: Collection[str], older_than: int | None, size: int | None, keep: int | None
) -> Iterator[tuple[Document, Archivist]]:
    if "sem" in dialects:
        names = [name for name in project.names() if sem.part_of(name) in ("log", "archive", "history")]
        logs = [doc for doc in map(project.parsed, names) if doc.dialect == "sem"]
        archivist = sem.archivist(logs, older_than, size, keep)
        yield from ((doc, archivist) for doc in logs)
    progress = project.bank_files().get("progress.md") if "bank" in dialects else None
    if progress:
        yield project.parsed(progress), bank.archivist(keep)
    if "journal" in dialects:
        for name in (project.file_of("journal", FILES[kind]) for kind in journal.ARCHIVED):
            if project.files.exists(name):
                yield project.parsed(name), journal.archivist(older_than, size, keep)


def prune(project: Project, name: str, archive: str, file_type: str, text: str) -> ArchivePlan:
    """What the rules of a layered memory's type make of its text; nothing is written."""
    shortened = layered(project, name, archive, file_type, text)
    if shortened:
        return plan(project, *shortened)
    if file_type not in layers.TYPES:
        return ArchivePlan(name, text, text)
    left = "It or its archive has bytes that are not UTF-8, so it is left."
    return ArchivePlan(name, text, text, stays=[(Due(0, Span(0, 0), "", "", reason=left), 0)])


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
