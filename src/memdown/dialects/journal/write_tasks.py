"""The registry and the files of tasks as memdown writes them: cells and fields change, all other text stays."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from memdown.dialects.journal import grammar, write_common, write_sessions
from memdown.dialects.journal.lines import JournalLine
from memdown.dialects.journal.model import Task, TaskStep
from memdown.dialects.journal.tasks import column_of, registry, task_file
from memdown.dialects.journal.write_common import one_line, task_id
from memdown.errors import Invalid, NotFound, Refused, quote
from memdown.markdown import blocks
from memdown.text import Edit, Span, after_line, apply, line_start

FIELDS = (
    "Title", "Description", "Status", "Priority", "Started", "Last Active", "Dependencies", "Completed", "Paused On",
    "Reason", "Owner", "Type",
)  # fmt: skip
"""The fields of a task's file, in their order."""


class NewTask(Struct, frozen=True, kw_only=True):
    """A task to write."""

    id: str
    title: str
    started: str
    """YYYY-MM-DD."""
    status: str = "in_progress"
    priority: str = "MEDIUM"
    dependencies: tuple[str, ...] = ()
    description: str = ""


def next_id(taken: Iterable[str]) -> str:
    """The first `T` and number after the highest that is taken anywhere."""
    numbers = [int(id[1:].rstrip("abcdefghijklmnopqrstuvwxyz")) for id in taken if id[:1] == "T" and id[1:2].isdigit()]
    return f"T{max(numbers, default=0) + 1}"


def new_registry(now: str) -> str:
    """A registry without tasks."""
    tables = "".join(
        f"\n## {title}\n{_header(columns, last)}"
        for title, columns, last in (
            ("Active Tasks", grammar.ACTIVE, "Details"),
            ("Completed Tasks", grammar.COMPLETED, "Archive"),
        )
    )
    return write_common.head("Task Registry", now) + tables


def _header(columns: Sequence[str], last: str) -> str:
    names = [grammar.HEADERS[column] for column in columns[:-1]] + [last]
    return f"| {' | '.join(names)} |\n|{'|'.join('-' * (len(name) + 2) for name in names)}|\n"


def cell(value: str) -> str:
    """A value as a cell has it: one line, pipes escaped."""
    return " ".join(value.split()).replace("\\|", "|").replace("|", "\\|") or "-"


def row_text(columns: Sequence[str], values: Mapping[str, str]) -> str:
    """A row for a table with these columns; what has no value is `-`."""
    return f"| {' | '.join(cell(values.get(column, '')) for column in columns)} |\n"


def _values(task: NewTask) -> dict[str, str]:
    return {
        "id": task_id(task.id),
        "title": one_line(task.title, "title"),
        "status": mark(task.status),
        "priority": task.priority,
        "started": task.started,
        "dependencies": ", ".join(task_id(each) for each in task.dependencies) or "-",
        "details": f"[Details](tasks/{task.id}.md)",
    }


def mark(state: str) -> str:
    """The emoji of a state."""
    if state not in grammar.EMOJI:
        raise Invalid(f"{quote(state)} is not a status; use {', '.join(grammar.EMOJI)}.")
    return grammar.EMOJI[state]


def words(state: str) -> str:
    """A state as a field has it: its emoji and its name."""
    return f"{mark(state)} {state.replace('_', ' ').title()}"


def insert_row(text: str, task: NewTask, now: str | None = None) -> list[Edit]:
    """A new task in the first table that has a status."""
    if any(each.id == task.id for each in registry(text).tasks if each.source == "registry"):
        raise Refused(f"{task.id} is already in the registry.")
    table = next((table for table in _tables(text) if "status" in table.columns), None)
    stamped = write_common.restamped(text, now)
    if table is None:
        new = f"{_header(grammar.ACTIVE, 'Details')}{row_text(grammar.ACTIVE, _values(task))}"
        return [*stamped, _new_table(text, new)]
    return [*stamped, write_common.inserted(text, table.end, row_text(table.columns, _values(task)))]


def _new_table(text: str, table: str) -> Edit:
    """A table of active tasks at the end of their section, below what it says; the section too when there is none."""
    section = write_common.section_named(text, "active tasks")
    if section is None:
        return write_common.appended(text, f"## Active Tasks\n{table}")
    last = section.lines[-1].span if section.lines else section.head
    at = after_line(text, last.end - 1)
    above = "\n" if section.lines else ""
    below = "\n" if text[at : at + 1].strip() else ""
    return write_common.inserted(text, at, f"{above}{table}{below}")


class _Table(Struct, frozen=True):
    section: str
    columns: tuple[str, ...]
    end: int
    """The beginning of the line after its last row."""


def _tables(text: str) -> list[_Table]:
    found: list[_Table] = []
    for section in write_common.parts_of_file(text):
        rows: list[JournalLine] = []
        for line in [*section.lines, None]:
            if line is not None and not line.hidden and line.text.lstrip().startswith("|"):
                rows.append(line)
                continue
            if len(rows) > 1:
                names = [each.of(text).strip("*_` ").lower() for each in blocks.cells(text, rows[0].span)]
                columns = tuple(column_of(name) for name in names)
                if columns[0] == "id":
                    found.append(_Table(section.title, columns, after_line(text, rows[-1].span.end - 1)))
            rows = []
    return found


def _row(text: str, id: str) -> Task:
    rows = [each for each in registry(text).tasks if each.source == "registry" and each.id == id]
    if not rows:
        raise NotFound(f"{quote(id)} in the registry is not there.")
    return rows[0]


def update_row(text: str, id: str, values: Mapping[str, str], now: str | None = None) -> list[Edit]:
    """Other cells in the row of a task by column: title, status (a state), priority, started, dependencies, …"""
    row = _row(text, id)
    edits = []
    for name, value in values.items():
        field = row.cells.get(name)
        if field is None:
            raise Refused(f"The table of {id} has no column for its {name}.")
        new = cell(mark(value) if name == "status" else value)
        if field.at.of(text) != new:
            edits.append(Edit(field.at, new if field.at.end > field.at.start else f"{new} "))
    return [*write_common.restamped(text, now), *edits]


def complete_row(text: str, id: str, completed: str, now: str | None = None) -> list[Edit]:
    """A task from its table into that of completed ones; its row keeps its state when there is no other table."""
    row = _row(text, id)
    tables = [table for table in _tables(text) if "complet" in table.section.lower()]
    if row.section.lower().startswith("complet"):
        return []
    if not tables:
        return update_row(text, id, {"status": "completed"} if "status" in row.cells else {}, now)
    values = {name: field.value for name, field in row.cells.items()}
    values |= {"status": mark("completed"), "completed": completed, "related": values.get("dependencies", "-")}
    return [
        *write_common.restamped(text, now),
        Edit(Span(line_start(text, row.span.start), after_line(text, row.span.start)), ""),
        write_common.inserted(text, tables[0].end, row_text(tables[0].columns, values)),
    ]


def task_text(task: NewTask, now: str) -> str:
    """The file of a new task."""
    values = _values(task)
    fields = {
        "Description": task.description or values["title"],
        "Status": words(task.status),
        "Priority": task.priority,
        "Started": task.started,
        "Last Active": now,
        "Dependencies": ", ".join(task.dependencies) or "None",
    }
    lines = [f"**{label}**: {one_line(value, label)}\n" for label, value in fields.items()]
    sections = ("Completion Criteria", "Related Files", "Progress", "Context", "Notes")
    head = write_common.head(f"{task.id}: {values['title']}", now)
    return "\n".join([head, "".join(lines), *(f"## {section}\n" for section in sections)])


def update_file(text: str, values: Mapping[str, str], now: str | None = None) -> list[Edit]:
    """Other fields in a task's file: by their labels, a status as a state. Hand-written sections stay as they are."""
    found = task_file(text).tasks
    if not found:
        raise Refused("The file of the task is empty; restore it or write it again.")
    fields = {label: words(value) if label == "Status" else value for label, value in values.items()}
    parts = write_common.parts_of_file(text)
    first = next((part for part in parts if part.level == 1), parts[0])
    top = after_line(text, max(first.lines[-1].span.end if first.lines else first.head.end, 1) - 1)
    return [*write_common.restamped(text, now), *write_common.set_fields(text, fields, found[0].cells, FIELDS, top)]


def mark_step(text: str, step: TaskStep, state: str) -> list[Edit]:
    """Another state for one step, as a box or as an emoji, whichever it has."""
    if step.mark.of(text) in (" ", "x", "X"):
        return [Edit(step.mark, "x" if state == "completed" else " ")]
    return [Edit(step.mark, mark(state))]


def pause_over(text: str, day: str) -> str:
    """A task's file with the pause that is over in its notes, and not as if it went on."""
    cells = task_file(text).tasks[0].cells if text.strip() else {}
    over = [cells[key] for key in ("paused on", "reason") if key in cells]
    if not over or "paused on" not in cells:
        return text
    why = f": {cells['reason'].value}" if "reason" in cells and cells["reason"].value else ""
    note = f"Paused on {cells['paused on'].value}, resumed on {day}{why}"
    edits = []
    for field in over:
        start, end = line_start(text, field.span.start), after_line(text, max(field.span.end - 1, 0))
        alone = text[start:end].strip() == field.span.of(text).strip()
        edits.append(Edit(Span(start, end) if alone else field.span, ""))
    return apply(text, [*edits, *write_sessions.add_note(text, note, section="Notes")])
