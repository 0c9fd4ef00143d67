"""The journal of a project: edits, tasks, sessions and errors, written. Reached as `memory.journal`."""

from typing import Any, Unpack, cast

from msgspec import structs

from memdown.acts.add import Added
from memdown.dialects import read_as
from memdown.dialects.draft import DraftFields
from memdown.memory.journal import regenerate
from memdown.memory.journal.edits import Edits
from memdown.memory.journal.errors import Errors
from memdown.memory.journal.place import JournalPlace
from memdown.memory.journal.sessions import JournalSessions
from memdown.memory.journal.tasks import JournalTasks
from memdown.project import Project

_FIELDS = {
    "edit": ("tasks", "files", "from_git", "at"),
    "task": ("priority", "depends", "description", "id"),
    "error": ("file", "error", "cause", "fix", "task"),
    "session": ("period",),
}
"""What can be given for each kind, beside its title."""


_MEANT = {"task": {"text": "description", "summary": "description"}, "error": {"text": "error", "why": "cause"}}
"""What other formats have fields for, and the field of a journal that says the same."""


class Journal:
    """What can be done with a journal."""

    def __init__(self, root: Project) -> None:
        self._root = root
        self._place = JournalPlace(root)
        self.edits = Edits(self._place)
        self.tasks = JournalTasks(self._place)
        self.sessions = JournalSessions(self._place)
        self.errors = Errors(self._place)

    def add(self, kind: str, title: str, **given: Unpack[DraftFields]) -> Added:
        """Write a record of one of the kinds that a journal keeps; what it has no field for is named in a note."""
        others: dict[str, Any] = {name: value for name, value in given.items() if value}
        for name, own in _MEANT.get(kind, {}).items():
            if name in others and own not in others:
                others[own] = others.pop(name)
        named = cast("dict[str, Any]", {name: others.pop(name) for name in _FIELDS[kind] if name in others})
        match kind:
            case "edit":
                added = self.edits.add(title, **named)
            case "error":
                added = self.errors.add(title, **named)
            case "task":
                with self._root.files.lock():  # until it is read back: another may undo it at once
                    done = self.tasks.add(title, **named)
                    written = self._root.parsed(done.task.path).records
                    record = next(each for each in written if each.kind == "task")
                    added = Added(record, True, done.notes, done.written, done.similar, is_new_file=True)
            case _:
                with self._root.files.lock():
                    started = self.sessions.start(focus=title, **named)
                    path = started.session.path
                    [record] = read_as("journal", path, self._place.text(path) or "")
                    added = Added(record, started.created, [], started.written, is_new_file=started.created)
        article = "An" if kind[0] in "aeiou" else "A"
        lost = f"{article} {kind} of the journal has no field for {', '.join(others)}; that was not written."
        return structs.replace(added, notes=[*added.notes, lost]) if others else added

    def regenerate(self, out: str | None = None) -> regenerate.Regenerated:
        """The history and the registry as their records alone would have them, written into a new folder if named."""
        return regenerate.regenerate(self._place, out)
