"""Several projects with a memory bank each: list them, show one, go on with another. Nothing of one reaches another."""

from collections.abc import Callable

from msgspec import Struct

from memdown.acts import projects
from memdown.acts.projects import ListedProject
from memdown.memory.bank import BankSessions, Briefing
from memdown.memory.bank.operations import Bank
from memdown.project import Project
from memdown.scan import changes
from memdown.store.jail import STATE


class ProjectFile(Struct, frozen=True):
    """One of the seven files, with its text."""

    file: str
    path: str
    text: str


class ProjectView(Struct, frozen=True):
    """A project's memory bank: what it tells a session first, and all seven files in the order of reading."""

    name: str
    path: str
    briefing: Briefing
    files: list[ProjectFile]
    notes: list[str]
    """What was passed over, a sentence each, without its period."""


class LeftProject(Struct, frozen=True):
    """The project that work leaves, and what of it is not written down."""

    path: str
    uncommitted: list[str]
    """Memory files that git does not have as they are."""
    unrecorded: int
    """Commits since the active context was last changed."""

    @property
    def saved(self) -> bool:
        return not self.uncommitted and not self.unrecorded


class Switched(Struct, frozen=True):
    """Where work was, and where it goes on."""

    left: LeftProject
    project: ProjectView


def show(name: str) -> ProjectView:
    """A project's memory bank, read in full."""
    root = Project(projects.resolve(name))
    bank = BankSessions(root)
    files = [ProjectFile(file, place, root.files.read(place)) for file, place in bank.files().items()]
    return ProjectView(root.root.name, str(root.root), bank.start(), files, root.notices())


def left(root: Project) -> LeftProject:
    """What a project leaves behind; first, what a crash left half done is completed.

    Every change is on disk as soon as it is made. What may be missing is what nobody wrote down yet.
    """
    if (root.root / STATE).is_dir():
        root.files.recover()
    bank = Bank(root)
    names = list(root.below(bank.home()))
    active = bank.files().get("activeContext.md")
    with root.snapshot():
        since = changes.since(root.repository, [active], bank.home()) if active else None
        loose = root.repository.uncommitted(names)
    return LeftProject(str(root.root), loose, len(since.commits) if since else 0)


def switch(root: Project, name: str, agreed: Callable[[LeftProject, ListedProject], bool]) -> Switched | None:
    """Save, confirm, load, present. `agreed` is asked before the other project is read; None when it says no."""
    place = projects.resolve(name)
    behind = left(root)
    if not agreed(behind, ListedProject(place.name, str(place))):
        return None
    return Switched(behind, show(str(place)))
