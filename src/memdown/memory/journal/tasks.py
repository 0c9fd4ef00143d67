"""Tasks: the registry's row and the task's file change together, and the counts of the session cache with them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from memdown.acts.graph import Graph, GraphEdge, GraphNode
from memdown.dialects.journal import grammar, names, write_common, write_sessions, write_tasks
from memdown.dialects.journal.circles import circles
from memdown.dialects.journal.model import Task
from memdown.dialects.journal.sessions import cache
from memdown.dialects.journal.tasks import registry, task_file
from memdown.dialects.journal.write_tasks import NewTask
from memdown.errors import Ambiguous, Exists, Invalid, NotFound, Refused, quote
from memdown.memory.journal.place import Clock, JournalChange, JournalPlace
from memdown.text import Edit, Span, apply

FROM: Mapping[str, tuple[tuple[str, ...], str]] = {
    "start": (("pending",), "in_progress"),
    "pause": (("in_progress",), "paused"),
    "resume": (("paused",), "in_progress"),
    "done": (("pending", "in_progress", "paused"), "completed"),
    "cancel": (("pending", "in_progress", "paused"), "cancelled"),
}
"""What each act leads from, and to. A status that is none of the five may become any."""

_INSTEAD = {"paused": "resume", "pending": "start"}


class KnownTask(Struct, frozen=True):
    """A task, from its row and its file together."""

    id: str
    title: str
    status: str | None
    status_text: str
    priority: str
    started: str
    completed: str
    dependencies: tuple[str, ...]
    path: str
    """Its file, or the registry when it has none."""
    line: int
    reason: str = ""
    description: str = ""
    open_steps: int = 0
    steps: int = 0


class TaskResult(Struct, frozen=True):
    """A task after it was added or changed."""

    task: KnownTask
    created: bool
    written: list[str]
    notes: list[str]


class TaskView(Struct, frozen=True):
    """A task where the journal tells of it."""

    path: str
    line: int
    task: Task


class JournalTasks:
    """The tasks of a journal."""

    def __init__(self, place: JournalPlace) -> None:
        self._place = place

    # Reading

    def all(self, status: str | None = None) -> list[KnownTask]:
        """All tasks, those of the registry in its order first; or those of one status."""
        if status is not None and status not in grammar.EMOJI:
            raise Invalid(f"{quote(status)} is not a status; use {', '.join(sorted(grammar.EMOJI))}.")
        known = [_known(id, told) for id, told in self._told().items()]
        return [task for task in known if status is None or task.status == status]

    def show(self, id: str) -> KnownTask:
        """One task."""
        write_common.task_id(id)
        told = self._told().get(id)
        if told is None:
            raise NotFound(f"There is no task {quote(id)}; `memdown task list` shows those there are.")
        return _known(id, told)

    def graph(self) -> tuple[Graph, list[list[str]]]:
        """What depends on what, and the circles in it."""
        known = {task.id: task for task in self.all()}
        nodes = [GraphNode(task.id, "task", task.title, task.path, task.line, task.status) for task in known.values()]
        edges = [GraphEdge("depends", task.id, other) for task in known.values() for other in task.dependencies]
        missing = dict.fromkeys(edge.target for edge in edges if edge.target not in known)
        nodes += [GraphNode(id, "missing", id) for id in missing]
        return Graph(nodes, edges), circles({task.id: task.dependencies for task in known.values()})

    def _told(self) -> dict[str, list[TaskView]]:
        """Where the journal tells of each task: its row, its section in the registry, its file."""
        found: dict[str, list[TaskView]] = {}
        for document in self._place.documents():
            kind = names.kind_of(document.path)
            if kind not in (names.REGISTRY, names.TASK):
                continue
            reading = registry(document.text) if kind == names.REGISTRY else task_file(document.text)
            for task in reading.tasks:
                id = task.id or names.task_named(document.path)
                line = document.lines.position(task.span.start)[0]
                found.setdefault(id, []).append(TaskView(document.path, line, task))
        main = self._place.name(names.REGISTRY)
        rows = [id for id, told in found.items() if any(each.path == main for each in told)]
        return {id: found[id] for id in (*rows, *(id for id in found if id not in set(rows)))}

    # Writing

    def add(
        self,
        title: str,
        *,
        priority: str = "MEDIUM",
        depends: Sequence[str] = (),
        description: str = "",
        id: str | None = None,
    ) -> TaskResult:
        """A new task that waits to be started: a row, and a file of its own."""
        place = self._place
        with place.root.files.lock():
            told = self._told()
            own = self._new_id(id, told)
            for other in depends:
                if write_common.task_id(other) not in told:
                    raise Refused(f"There is no task {quote(other)} to depend on; add it first.")
            clock = place.clock()
            task = NewTask(
                id=own,
                title=title,
                started=clock.date,
                status="pending",
                priority=_priority(priority),
                dependencies=tuple(depends),
                description=description,
            )
            name = place.name(names.REGISTRY)
            text = place.text(name)
            begun = text if text and text.strip("\ufeff \t\r\n") else write_tasks.new_registry(clock.stamp)
            row = place.edited(name, begun, write_tasks.insert_row(begun, task, clock.stamp))
            file = JournalChange(f"{place.home()}/tasks/{own}.md", None, write_tasks.task_text(task, clock.stamp))
            written = place.save([file, row, *self._counted(row.after)])
        return TaskResult(self.show(own), True, written, [])

    def _new_id(self, wanted: str | None, told: Mapping[str, object]) -> str:
        """The id that was asked for, or the next after every one in the registry, in files, and named anywhere."""
        taken = {*told, *(names.task_named(name) for name in self._place.below())}
        if wanted is not None:
            if write_common.task_id(wanted) in taken:
                raise Exists(f"There is a task {wanted} already; leave --id out to get the next free one.")
            return wanted
        for document in self._place.documents():
            for record in document.records:
                for key in ("task", "tasks", "dependencies"):
                    said = record.extra.get(key, ())
                    taken.update((said,) if isinstance(said, str) else said)
        return write_tasks.next_id(taken)

    def change(self, act: str, id: str, *, reason: str = "") -> TaskResult:
        """Start, pause, resume, end or cancel a task, in its row and its file."""
        place = self._place
        write_common.task_id(id)
        with place.root.files.lock():
            before = self.show(id)
            told = self._told()
            _refuse(act, before)
            clock = place.clock()
            changes = [*self._files(act, told[id], reason, clock), *self._rows(act, id, told[id], clock)]
            name = place.name(names.REGISTRY)
            after = next((each.after for each in changes if each.name == name), place.text(name) or "")
            written = place.save([*changes, *self._counted(after)])
        task = self.show(id)
        return TaskResult(task, False, written, [*self._notes(act, task, {each.id: each for each in self.all()})])

    def _files(self, act: str, told: Sequence[TaskView], reason: str, clock: Clock) -> Iterator[JournalChange]:
        for path in dict.fromkeys(each.path for each in told if each.task.source == "file"):
            text = self._place.text(path) or ""
            values = {"Status": FROM[act][1], "Last Active": clock.stamp}
            values |= {"Started": clock.date} if act == "start" else {}
            values |= {"Paused On": clock.date} if act == "pause" else {}
            values |= {"Completed": clock.date} if act == "done" else {}
            values |= {"Reason": reason} if reason else {}
            if act == "resume":
                text = _noted(text, clock)
            yield self._place.edited(path, text, write_tasks.update_file(text, values, clock.stamp))

    def _rows(self, act: str, id: str, told: Sequence[TaskView], clock: Clock) -> Iterator[JournalChange]:
        """The registry: the row, and the section on the task when there is one."""
        name = self._place.name(names.REGISTRY)
        rows = [each.task for each in told if each.path == name and each.task.source == "registry"]
        text = self._place.text(name)
        if text is None or not any(each.path == name for each in told):
            return
        if len(rows) > 1:
            raise Ambiguous(f"{id} has {len(rows)} rows in {name}; leave one of them.")
        state = FROM[act][1]
        section = [each.task.cells["status"] for each in told if each.path == name and each.task.source == "details"
                   and "status" in each.task.cells]  # fmt: skip
        after = apply(text, [Edit(field.at, write_tasks.words(state)) for field in section])
        if rows and act == "done":
            after = apply(after, write_tasks.complete_row(after, id, clock.date, clock.stamp))
        elif rows:
            values = {"status": state} if "status" in rows[0].cells else {}
            values |= {"started": clock.date} if act == "start" and "started" in rows[0].cells else {}
            after = apply(after, write_tasks.update_row(after, id, values, clock.stamp))
        yield JournalChange(name, text, after)

    def _counted(self, text: str) -> Iterator[JournalChange]:
        """The session cache with the counts of the registry, when it counts."""
        name = self._place.name(names.CACHE)
        held = self._place.text(name)
        if held is not None and cache(held).counted_at is not None:
            yield self._place.edited(name, held, write_sessions.set_counts(held, counts(text)))

    def _notes(self, act: str, task: KnownTask, known: Mapping[str, KnownTask]) -> Iterator[str]:
        open_ones = [id for id in task.dependencies if id in known and known[id].status != "completed"]
        if open_ones and act in ("start", "resume", "done"):
            yield f"{task.id} depends on {', '.join(open_ones)}, not completed yet."
        if act == "done" and task.open_steps:
            yield f"{task.open_steps} of {task.steps} steps and criteria of {task.id} are still open."
        if not task.path.endswith(f"/{task.id}.md"):
            yield f"{task.id} has no file of its own; only its row changed."


def counts(text: str) -> dict[str, int]:
    """How many tasks of a registry are active (in progress), paused, completed, cancelled."""
    states = Counter({task.id: task.status for task in registry(text).tasks if task.source == "registry"}.values())
    return {name: states["in_progress" if name == "active" else name] for name in write_sessions.COUNTS}


def _known(id: str, told: Sequence[TaskView]) -> KnownTask:
    """A task from all that is told of it: the row says the state, the file what a row has no room for."""
    row = next((each for each in told if each.task.source == "registry"), None)
    file = next((each for each in told if each.task.source == "file"), None)
    order = [each.task for each in (row, file, *told) if each is not None]
    where = file or row or told[0]
    steps = file.task.steps if file else ()
    first = next((task for task in order if task.status), order[0])
    return KnownTask(
        id=id,
        title=next((task.title for task in order if task.title), ""),
        status=first.status,
        status_text=first.written,
        priority=next((task.priority for task in order if task.priority not in ("", "-")), ""),
        started=next((task.started for task in order if task.started not in ("", "-")), ""),
        completed=_cell(order, "completed"),
        dependencies=tuple(dict.fromkeys(other for task in order for other in task.dependencies)),
        path=where.path,
        line=where.line,
        reason=_cell(order, "reason"),
        description=_cell(order, "description"),
        open_steps=sum(step.state != "completed" for step in steps),
        steps=len(steps),
    )


def _cell(order: Sequence[Task], name: str) -> str:
    return next((task.cells[name].value for task in order if name in task.cells and task.cells[name].value), "")


def _refuse(act: str, task: KnownTask) -> None:
    allowed, to = FROM[act]
    if task.status is None or task.status in allowed:
        return
    said = task.status.replace("_", " ")
    if task.status == to:
        raise Refused(f"{task.id} is {said} already.")
    instead = f"; use `memdown task {_INSTEAD[task.status]}` first" if task.status in _INSTEAD else ""
    raise Refused(f"{task.id} is {said}, so there is nothing to {act if act != 'done' else 'end'}{instead}.")


def _noted(text: str, clock: Clock) -> str:
    """A task's file with the pause that is over told in its notes, and not as if it went on."""
    cells = task_file(text).tasks[0].cells if text.strip() else {}
    over = [cells[key] for key in ("paused on", "reason") if key in cells]
    if not over or "paused on" not in cells:
        return text
    why = f": {cells['reason'].value}" if "reason" in cells and cells["reason"].value else ""
    said = f"Paused on {cells['paused on'].value}, resumed on {clock.date}{why}"
    edits = []
    for field in over:
        start, end = (
            write_common.line_start(text, field.span.start),
            write_common.after_line(text, max(field.span.end - 1, 0)),
        )
        alone = text[start:end].strip() == field.span.of(text).strip()
        edits.append(Edit(Span(start, end) if alone else field.span, ""))
    return apply(text, [*edits, *write_sessions.add_note(text, said, section="Notes")])


def _priority(said: str) -> str:
    if said.upper() not in grammar.PRIORITIES:
        raise Invalid(f"{quote(said)} is not a priority; use {', '.join(grammar.PRIORITIES)}.")
    return said.upper()
