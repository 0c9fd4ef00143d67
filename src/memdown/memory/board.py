"""Tasks as columns, from the registry of a journal and the progress of a bank. Reached as `memory.board`."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from memdown.dialects.bank.fields import board_section
from memdown.dialects.bank.write import PROGRESS
from memdown.dialects.hollow import is_hollow
from memdown.errors import NotFound, Refused, quote
from memdown.memory.bank.operations import Bank
from memdown.memory.journal.place import JournalPlace
from memdown.memory.journal.tasks import FROM, JournalTasks
from memdown.patterns import lazy
from memdown.project import Project

COLUMNS = {"todo": "To do", "doing": "In progress", "paused": "Paused", "done": "Done", "cancelled": "Cancelled"}
_SECTIONS = {"Upcoming": "todo", "Next Steps": "todo", "In Progress": "doing", "Completed": "done"}
_STATUSES = {
    "pending": "todo",
    "in_progress": "doing",
    "paused": "paused",
    "completed": "done",
    "cancelled": "cancelled",
}
_WORD = lazy(r"\w[\w-]*")
_IN_BANK = {"todo": ("doing", "done"), "doing": ("todo", "done"), "done": ("todo", "doing")}


class BoardCard(Struct, frozen=True):
    """A task on the board."""

    key: str
    """What names it here: the id of a journal's task, or the line of a bank's item."""
    id: str
    """The id of its record."""
    title: str
    column: str
    to: tuple[str, ...]
    """The columns that it may be moved to, by the rules of its format."""
    path: str
    line: int
    note: str = ""
    """What else a row says: priority, dependencies, steps done."""


class Board:
    """The tasks of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def cards(self) -> list[BoardCard]:
        """Every task that can be moved, in the order of its file; one that the progress repeats stands here once."""
        tasks = [*self._of_journal()]
        known = {name for task in tasks for name in (task.key, task.title.casefold())}
        return [*tasks, *(item for item in self._of_bank() if known.isdisjoint(_names(item.title)))]

    def move(self, key: str, to: str) -> BoardCard:
        """Move a task to another column, as its format writes that: one step that undo knows."""
        with self._project.files.lock():
            card = next((each for each in self.cards() if each.key == key), None)
            if card is None:
                raise NotFound(f"There is no task {quote(key)} on the board; reload the page.")
            if to not in card.to:
                where = COLUMNS[card.column].lower()
                raise Refused(f"{quote(card.title)} is {where} and cannot be moved to {quote(COLUMNS.get(to, to))}.")
            self._move(card, to)
            return next((each for each in self.cards() if each.title == card.title and each.column == to), card)

    def _move(self, card: BoardCard, to: str) -> None:
        bank, line = Bank(self._project), f"line {card.line}"
        if not card.key.startswith("line "):
            JournalTasks(JournalPlace(self._project)).change(_acts(card.column)[to], card.key)
        elif to == "done":
            bank.complete(line)
        elif to == "doing" and card.column == "todo":
            bank.start_item(line)
        else:
            bank.put_back(line, to="in-progress" if to == "doing" else "upcoming")

    def _of_journal(self) -> Iterator[BoardCard]:
        for task in JournalTasks(JournalPlace(self._project)).all():
            column = _STATUSES.get(task.status or "", "todo")
            steps = f"{task.steps - task.open_steps} of {task.steps} steps" if task.steps else ""
            after = f"after {', '.join(task.dependencies)}" if task.dependencies else ""
            note = ", ".join(filter(None, (task.priority.lower(), steps, after)))
            yield BoardCard(task.id, task.id, task.title, column, tuple(_acts(column)), task.path, task.line, note)

    def _of_bank(self) -> Iterator[BoardCard]:
        name = Bank(self._project).files().get(PROGRESS.file)
        if name is None:
            return
        for record in self._project.parsed(name).records:
            column = _SECTIONS.get(board_section(record))
            if column and not is_hollow(record):
                column = "done" if record.status == "done" else column
                key = f"line {record.line}"
                yield BoardCard(key, record.id, record.title or "", column, _IN_BANK[column], record.path, record.line)


def _names(title: str) -> tuple[str, str]:
    """What an item may call a task by: the id that it begins with, as in `**T4 — Web dashboard**`, or its title."""
    word = _WORD.search(title)
    return word[0] if word else "", title.casefold()


def _acts(column: str) -> Mapping[str, str]:
    """By column, the act of a journal that leads there from this one."""
    status = next(each for each, name in _STATUSES.items() if name == column)
    return {_STATUSES[to]: act for act, (before, to) in FROM.items() if status in before}
