"""Sources: which there are, and whether what they hold may be believed here."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from memdown import secrets, sources
from memdown.dialects.hollow import is_hollow
from memdown.errors import MemdownError, quote, without_credentials
from memdown.index import elsewhere
from memdown.markdown import frontmatter
from memdown.project import Project
from memdown.settings import config
from memdown.sources import BranchChange, SourceChange
from memdown.sources import Source as Source
from memdown.text import Lines

_MOST_DOUBTS = 20


class SourceReport(Struct, frozen=True):
    """A source, how much it holds, and what of it is not believed."""

    name: str
    path: str
    url: str | None
    read_only: bool
    level: str
    files: int
    records: int
    doubts: list[str]
    """What was found in it that is not shown here, each with its place."""


class Sources:
    """The sources of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def listed(self) -> list[Source]:
        """Where else this project reads, the most specific first."""
        own = sources.personal()
        there = [own] if own and Path(own.path).resolve() != self._project.root else []
        return [*there, *sources.listed(self._project.root)]

    def add(self, place: str, *, name: str | None = None, read_only: bool = False, level: str = "team") -> SourceReport:
        """Read from a folder or a repository too; what it holds is looked through first."""
        before = sources.listed(self._project.root)
        added = sources.add(self._project.root, place, name=name, read_only=read_only, level=level)
        self._note([added.name], before)
        return self._taken(added)

    def remove(self, name: str) -> Source:
        """Read from a source no longer."""
        before = sources.listed(self._project.root)
        removed = sources.remove(self._project.root, name)
        self._note([removed.name], before)
        if removed.read_only:
            elsewhere.forget(str(self._project.root), name)
        return removed

    def update(self, names: Sequence[str] = ()) -> list[SourceReport]:
        """Fetch what is new in clones, those named or all, and look it through."""
        done, heads = sources.update(self._project.root, names)
        if heads:
            updated = [each.name for each in done if each.path in heads]
            self._note(updated, sources.listed(self._project.root), heads)
        return [self._taken(each) for each in done]

    def named(self) -> list[elsewhere.Named]:
        """Where else this project reads, as the index asks for it."""
        return [(each.name, each.path, each.level, each.read_only) for each in self.listed()]

    def _note(
        self, names: Iterable[str], before: Sequence[Source], heads: dict[str, tuple[str, str]] | None = None
    ) -> None:
        """Have the log of changes know what became of the sources, as a step that can be undone."""
        was, now = (
            [msgspec.structs.replace(each, url=each.url and without_credentials(each.url)) for each in listed]
            for listed in (before, sources.listed(self._project.root))
        )
        change = SourceChange(was, now, heads or {})
        self._project.files.note_title(", ".join(names))
        self._project.files.log_outside(msgspec.json.encode(change).decode())

    def _taken(self, source: Source) -> SourceReport:
        """A source that is new or was updated: looked through, and indexed, so that hooks need not."""
        for _ in elsewhere.opened(
            str(self._project.root), [(source.name, source.path, source.level, source.read_only)]
        ):
            continue
        return report(self._project, source)


def reverse(project: Project, changes: str) -> str | None:
    """Take back what a step did to the sources or in one; the changes that this was. None for a step that did not."""
    try:
        change = msgspec.json.decode(changes, type=SourceChange | BranchChange)
    except msgspec.ValidationError:
        return None
    if isinstance(change, BranchChange):
        return msgspec.json.encode(sources.reverse_branch(change)).decode()
    return msgspec.json.encode(sources.reverse(project.root, change)).decode()


def report(project: Project, source: Source) -> SourceReport:
    """What a source holds: credentials, control characters and front matter that cannot be read are named."""
    doubts: list[str] = []
    files = records = 0
    try:
        with Project(Path(source.path), now=project.now, settings=config.load_leniently(Path(source.path))) as other:
            for document in other.documents():
                files += 1
                records += sum(not is_hollow(record) for record in document.records)
                lines = Lines(document.text)
                doubts += [f"{document.path}:{lines.at(at) + 1}: {what}" for at, what in _doubts(document.text)]
    except MemdownError as error:
        doubts.append(f"{quote(source.path)} cannot be read: {error}")
    return SourceReport(
        source.name, source.path, source.url, source.read_only, source.level, files, records, doubts[:_MOST_DOUBTS]
    )


def _doubts(text: str) -> list[tuple[int, str]]:
    found = [(each.start, "a credential") for each in secrets.find(text)]
    at = next((at for at, char in enumerate(text) if elsewhere.steers(char)), None)
    if at is not None:
        found.append((at, "control characters"))
    front = frontmatter.read(text)
    if front is not None and front.faults():
        found.append((0, "front matter that cannot be read"))
    return found
