"""Deleting: one record goes out of its file, and what tells of it elsewhere goes with it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from memdown.dialects import offered, read_as
from memdown.errors import Refused, way
from memdown.project import Project
from memdown.record import Record
from memdown.text import BOM, Edit, apply


class Deletion(Struct, frozen=True):
    """What was deleted, or would be."""

    record: Record
    file: bool
    """Whether its file goes with it, since nothing else is in it."""
    along: list[Record]
    """Records that are part of it and go with it, as the steps of a task."""
    written: list[str]
    """The files that change or go, its own first."""
    notes: list[str] = []
    """What the caller should know: what `check` will say of it."""


def delete(project: Project, id: str, *, force: bool = False, write: bool = True) -> Deletion:
    """Take a record out of its file; one that its format keeps needs `force`. With `write=False`, only tell."""
    with project.files.lock(when=write):
        record = project.get(id)
        text = project.files.read(record.path)
        remove, kept = offered(record.dialect, "remove"), offered(record.dialect, "kept")
        if remove is None:
            raise Refused(f"{record.dialect} has no way to delete a {record.kind}; edit {record.path}:{record.line}.")
        if not force and kept and (why := kept(text, record)):
            raise Refused(why)
        edits = remove(text, record)
        after = apply(text, edits)
        left = after if after.strip(f"{BOM} \t\r\n") else None
        changes = [(record.path, text, left), *project.beside(None, record)]
        along, alone = _along(record, text, left or "", edits)
        if not (alone or force):
            raise Refused(
                f"Without this {record.kind} the rest of {record.path} would be read differently;"
                f" edit line {record.line} by hand, or delete it anyway with {way('--force')}."
            )
        if write:
            project.files.note_title(record.title)
            project.write(changes)
        for name, *_ in changes:
            project.files.allow(name)
    notes = [*_notes(project, record)] if write else []
    return Deletion(record, left is None, along, [name for name, *_ in changes], notes)


def _notes(project: Project, record: Record) -> Iterator[str]:
    """What is said of an entry that the last commit has, in a file that only grows."""
    append_only = offered(record.dialect, "append_only")
    if append_only is None or record.kind not in append_only(project.config.canonical_path(record.path)):
        return
    with project.snapshot():
        committed = project.repository.committed(record.path)
    before = read_as(record.dialect, record.path, committed) if committed else []
    if any(_says(each) == _says(record) for each in before):
        yield (
            f"The last commit has this {record.kind}, and such a file is append-only: {way('check', record.path)} and a"
            f" pre-commit check report that it is gone. {way('git commit --no-verify')} commits it anyway, and"
            f" {way('undo')} restores it."
        )


def _along(record: Record, text: str, after: str, edits: Sequence[Edit]) -> tuple[list[Record], bool]:
    """The other records that go, and whether all that stay say what they said."""
    old = read_as(record.dialect, record.path, text)
    new = read_as(record.dialect, record.path, after) if after else []
    gone = [each for each in old if any(edit.span.start <= each.span.start < edit.span.end for edit in edits)]
    expected = Counter(map(_says, old))
    expected.subtract(map(_says, gone))
    return [each for each in gone if each.span != record.span], +expected == Counter(map(_says, new))


def _says(record: Record) -> tuple[str, str | None, str | None]:
    return record.kind, record.title, record.at.text if record.at else None
