"""The registry of tasks, by the names of its columns, and the file of one task in all its templates."""

import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import structs

from memdown.dialects.journal import grammar, names
from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.headings import calendar
from memdown.dialects.journal.lines import JournalLine, lines_of, stamps_of
from memdown.dialects.journal.model import Deviation, JournalField, Task, TaskList
from memdown.dialects.journal.sections import (
    JournalSection,
    common_faults,
    fields,
    files,
    ids_of,
    is_bare_state,
    sections,
    state_of,
    steps,
    tree_end,
    unread,
    value_of,
)
from memdown.markdown import blocks
from memdown.patterns import lazy
from memdown.text import Span

_DELIMITER = lazy(r"[|:\s]*-[|:\s-]*")
_COLUMNS = {
    "id": ("id", "task id", "task", "#"),
    "title": ("title", "name", "description", "task name"),
    "status": ("status", "state"),
    "priority": ("priority",),
    "started": ("started", "start", "created", "start date"),
    "completed": ("completed", "done", "finished", "completion date", "completed on"),
    "dependencies": ("dependencies", "depends on", "dependency", "deps"),
    "related": ("related tasks", "related"),
    "details": ("details", "file", "archive", "link"),
    "updated": ("last updated", "last active", "updated", "last"),
}
_COLUMN = {other: name for name, others in _COLUMNS.items() for other in others}
_FIELD_NAMES = {"depends on": "dependencies"}
_HEADED = lazy(r"(?P<key>Status|Priority)(?:[ ]?:[ ]?(?P<value>.+))?")
_EMPHASIS = "*_` "
_DAY_IN_TITLE = lazy(r"\((20\d\d-\d\d-\d\d)\)")
_STATE_IN_TITLE = lazy(
    rf"(?<=\s)(?P<state>[{''.join(grammar.STATES)}]\ufe0f?"
    rf"(?:[ ](?:{'|'.join(word for words in grammar.STATE_WORDS.values() for word in words)})\b)?)",
    re.IGNORECASE,
)
"""How far a task is, as the heading of its section says it behind its name."""
_MOST_CELLS = 50
_LOOKS_LIKE = lazy(
    rf"[ \t]*{grammar.ANY_ID}(?:[ \t]+\S.*|\t.*)(?:[{''.join(grammar.STATES)}]|\b(?:HIGH|MEDIUM|LOW)\b).*"
)
"""A row that has lost its bars."""
_UNREAD = (
    "These lines look like rows of tasks that lost their `|`, and are not read; write `| ID | Title | Status | … |`."
)
_ABOUT = ("task information", "task info", "overview", "details", "dependencies", "metadata", "status", "summary")
"""Sections whose fields are about the task; those of others are about a part of it."""


def registry(text: str) -> TaskList:
    """Every row of every table with an id in it, and every section `## ID: Title`."""
    lines = list(lines_of(text))
    found = sections(lines)
    made = _Registry(text, found)
    made.read()
    tasks = sorted(made.tasks, key=lambda task: task.span.start)
    lost = unread(text, lines, [task.span for task in tasks], _LOOKS_LIKE, _UNREAD)
    wrong = sorted([*made.wrong, *common_faults(lines), *lost], key=lambda each: each.span.start)
    return TaskList(tuple(tasks), stamps_of(lines), tuple(wrong))


class _Registry:
    def __init__(self, text: str, found: Sequence[JournalSection]) -> None:
        self.text, self.sections = text, found
        self.tasks: list[Task] = []
        self.wrong: list[Deviation] = []
        self.columns: list[str] = []
        self.headed = False  # whether the row before was the header of a table of tasks
        self.foreign = False  # whether the table at hand is about something else

    def read(self) -> None:
        table = ""
        for number, section in enumerate(self.sections):
            table = section.title if section.level <= 2 else table
            self.columns, self.headed, self.foreign = [], False, False
            for line in section.lines:
                if not line.hidden and (FORM["row"].match(line.text) or self.is_open_row(line)):
                    self.row(line, table)
            if section.level > 1 and FORM["task-title"].fullmatch(section.title):
                self.tasks.append(detailed(self.sections, number, "details"))

    def is_open_row(self, line: JournalLine) -> bool:
        """Whether a line is of a table without bars at its ends, which Markdown has, too."""
        if "|" not in line.text:
            return False
        first = line.text.partition("|")[0].strip()
        if self.columns:
            return bool(FORM["id"].fullmatch(first) or _DELIMITER.fullmatch(line.text))
        return _COLUMN.get(first.strip(_EMPHASIS).lower()) == "id"

    def row(self, line: JournalLine, table: str) -> None:
        if _DELIMITER.fullmatch(line.text):
            self.foreign = not self.headed
            return
        cells = blocks.cells(self.text, line.span)[:_MOST_CELLS]
        headers = [cell.of(self.text).strip(_EMPHASIS).lower() for cell in cells]
        if _COLUMN.get(headers[0]) == "id" and len(headers) > 1:
            self.columns = [column_of(name) for name in headers]
            self.headed, self.foreign = True, False
            return
        self.headed = False
        match = FORM["id"].fullmatch(cells[0].of(self.text))
        if not match or self.foreign:
            if self.columns and any(headers) and not self.foreign:
                self.wrong.append(deviation("row-not-a-task", line.span))
            return
        named = self.named(line, cells)
        self.tasks.append(self.task(line, match["id"], named, table))

    def named(self, line: JournalLine, cells: Sequence[Span]) -> Mapping[str, JournalField]:
        """The cells by the names of their columns; one that the header does not have goes by what is in it."""
        columns = list(self.columns) or ["id", "title"]
        values = [cell.of(self.text).strip(" \t*_") for cell in cells]
        if self.columns and len(cells) != len(columns):
            self.wrong.append(deviation("row-cells", line.span))
        at = columns.index("dependencies") if "dependencies" in columns else len(columns)
        if len(cells) > len(columns) and at < len(cells) and "completed" not in columns and calendar(values[at]):
            columns.insert(at, "completed")
        if len(cells) > len(columns) and "details" not in columns and "](" in values[len(columns)]:
            columns.append("details")
        columns += [f"cell {number + 1}" for number in range(len(columns), len(cells))]
        named: dict[str, JournalField] = {}
        for name, cell, value in zip(columns, cells, values, strict=False):
            if name == "title":  # `__init__` is a name, and no emphasis
                value = cell.of(self.text).strip(" \t*")
            unescaped = value.replace("\\|", "|")
            named.setdefault(name, JournalField(name, unescaped, cell, cell))
        return named

    def task(self, line: JournalLine, id: str, named: Mapping[str, JournalField], table: str) -> Task:
        written = value_of(named, "status")
        status = state_of(written)
        if "status" not in named and (value_of(named, "completed") or "complet" in table.lower()):
            status = "completed"
        dependencies, odd = ids_of(value_of(named, "dependencies"))
        self.faults(named, status, odd)
        title = value_of(named, "title").removeprefix(f"{id}:").strip()
        priority, started = _priority(value_of(named, "priority")), value_of(named, "started")
        return Task(line.span, id, title, "registry", status, written, priority, started, dependencies, table, named)

    def faults(self, named: Mapping[str, JournalField], status: str | None, odd: bool) -> None:
        details = FORM["details"].fullmatch(value_of(named, "details"))
        checks = (
            ("status", "status-unknown", status is None),
            ("status", "status-words", status is not None and not is_bare_state(value_of(named, "status"))),
            ("priority", "priority-unknown", value_of(named, "priority") not in grammar.PRIORITIES),
            ("started", "started-not-a-date", not calendar(value_of(named, "started"))),
            ("dependencies", "dependency-not-an-id", odd),
            ("details", "details-link", not details),
        )
        self.wrong += [deviation(name, named[cell].at) for cell, name, wrong in checks if wrong and cell in named]


def task_file(text: str) -> TaskList:
    """The file of one task. Its id is empty when the title has none; the name of the file tells it then."""
    lines = list(lines_of(text))
    if not lines:
        return TaskList(())
    found = sections(lines)
    first = next((number for number, section in enumerate(found) if section.level == 1), 0)
    task = detailed(found, first, "file")
    stamps = stamps_of(lines)
    cells = {**stamps, **dict(_file_fields(found)), **task.cells}
    done = structs.replace(
        _with_cells(task, cells),
        span=Span(lines[0].span.start, lines[-1].span.end),
        title=task.title or value_of(cells, "title"),
        steps=tuple(steps(found)),
        files=tuple(dict.fromkeys(files(found))),
    )
    wrong = [*common_faults(lines), *_file_faults(done, found[first].head)]
    return TaskList((done,), stamps, tuple(sorted(wrong, key=lambda each: each.span.start)))


def _file_faults(task: Task, head: Span) -> Iterator[Deviation]:
    if not task.id:
        yield deviation("title-form", head)
    if "status" not in task.cells:
        yield deviation("field-missing", head, message="The task has no **Status**.")
    elif task.status is None:
        yield deviation("status-unknown", task.cells["status"].at)
    depended = task.cells.get("dependencies")
    if depended and ids_of(depended.value)[1]:
        yield deviation("dependency-not-an-id", depended.at)


def _with_cells(task: Task, cells: Mapping[str, JournalField]) -> Task:
    """A task with what its fields say."""
    written, depended = value_of(cells, "status"), value_of(cells, "dependencies")
    return structs.replace(
        task,
        status=state_of(written),
        written=written,
        priority=_priority(value_of(cells, "priority")),
        started=value_of(cells, "started"),
        dependencies=ids_of(depended)[0],
        cells=cells,
    )


def _file_fields(found: Sequence[JournalSection]) -> Iterator[tuple[str, JournalField]]:
    """Fields anywhere in the file, and those written as headings: `## Status: …`, or `## Status` and a line."""
    for section in found:
        match = _HEADED.fullmatch(section.title) if section.level > 1 else None
        if match and match["value"]:
            start = section.named.start + match.start("value")
            at = Span(start, section.named.end)
            yield match["key"].lower(), JournalField(match["key"].lower(), match["value"], at, section.head)
        elif match and section.lines and not section.lines[0].text.startswith(("-", "*")):
            line = section.lines[0]
            yield match["key"].lower(), JournalField(match["key"].lower(), line.text.strip(), line.span, line.span)
    for section in reversed(found):
        if section.level < 2 or section.title.lower() in _ABOUT:
            yield from ((_FIELD_NAMES.get(key, key), field) for key, field in fields(section.lines).items())


def own_id(path: str, task: Task) -> str:
    """The id of a task: for a file that is named by one, its name, which links go by, whatever its title says."""
    named = names.task_named(path) if task.source == "file" else ""
    return named if named and (path.endswith(f"/{named}.md") or not task.id) else task.id


def detailed(found: Sequence[JournalSection], number: int, source: str) -> Task:
    """A task from a section whose heading names it: in the registry, a task's file, or the cache."""
    section = found[number]
    title = FORM["task-title"].fullmatch(section.title)
    named = ((title["title"] or title["bare"] or "") if title else section.title).strip()
    said = _STATE_IN_TITLE.search(section.title) if source == "details" else None
    state: dict[str, JournalField] = {}
    if said and (before := named.partition(said["state"])[0].rstrip(" -—–|(")):
        at = Span(section.named.start + said.start(), section.named.start + said.end())
        named, state = before, {"status": JournalField("status", said["state"], at, section.head)}
        if day := _DAY_IN_TITLE.search(section.title):
            key = "completed" if state_of(said["state"]) == "completed" else "updated"
            state[key] = JournalField(key, day[1], section.named, section.head)
    task = Task(
        Span(section.head.start, tree_end(found, number)),
        title["id"] if title else "",
        named,
        source,
        None,
        "",
        steps=tuple(steps([section])),
        files=tuple(dict.fromkeys(files([section]))),
    )
    told = {_FIELD_NAMES.get(key, key): field for key, field in fields(section.lines).items()}
    return _with_cells(task, {**state, **told})


def column_of(name: str) -> str:
    """What a column is called here, for what it is called in lower case."""
    return _COLUMN.get(name, name)


def _priority(text: str) -> str:
    """A priority as people write it, with letters and digits only."""
    priority = " ".join(word for word in text.replace("*", " ").split() if word.isascii())
    return priority.upper() if priority.upper() in grammar.PRIORITIES else priority
