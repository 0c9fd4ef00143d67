"""The journal of a project: edits, tasks, sessions and errors, written. Reached as `memory.journal`."""

from memdown.acts.archive import journal
from memdown.acts.archive.sem import Archived
from memdown.memory.journal import discovery, regenerate
from memdown.memory.journal.edits import Edits
from memdown.memory.journal.errors import Errors
from memdown.memory.journal.place import JournalInit, JournalPlace
from memdown.memory.journal.sessions import JournalSessions
from memdown.memory.journal.tasks import JournalTasks
from memdown.project import Project


class Journal:
    """What can be done with a journal."""

    def __init__(self, root: Project) -> None:
        self._root = root
        self._place = JournalPlace(root)

    @property
    def edits(self) -> Edits:
        return Edits(self._place)

    @property
    def tasks(self) -> JournalTasks:
        return JournalTasks(self._place)

    @property
    def sessions(self) -> JournalSessions:
        return JournalSessions(self._place)

    @property
    def errors(self) -> Errors:
        return Errors(self._place)

    def begin(self, *, write: bool = True) -> JournalInit:
        """Make the files of a journal that are missing."""
        return self._place.begin(write=write)

    def undocumented(self) -> list[str]:
        """Files that git shows as changed since the newest entry, and that no entry since then names."""
        return discovery.undocumented(self._place)

    def archive(self, *, older_than: int | None = None, size: int | None = None, write: bool = True) -> Archived:
        """Move old entries of long histories and error logs to the archives of their months."""
        return journal.rotate(self._place, older_than=older_than, size=size, write=write)

    def regenerate(self, out: str | None = None) -> regenerate.Regenerated:
        """The history and the registry as their records alone would have them, written into a new folder if asked."""
        return regenerate.regenerate(self._place, out)
