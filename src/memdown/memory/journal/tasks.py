"""Tasks: the registry's row and the task's file change together, and the counts of the session cache with them."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from memdown import times
from memdown.acts.graph import Graph, GraphEdge, GraphNode
from memdown.dialects.draft import draft
from memdown.dialects.journal import grammar, names, write_common, write_sessions, write_tasks
from memdown.dialects.journal.beside import recounted
from memdown.dialects.journal.circles import circles
from memdown.dialects.journal.clock import Clock
from memdown.dialects.journal.fields import task_ids, with_fields, without_pause
from memdown.dialects.journal.model import Task
from memdown.dialects.journal.read import read
from memdown.dialects.journal.tasks import own_id, registry, task_file
from memdown.dialects.journal.write import prepare, update
from memdown.errors import Ambiguous, Exists, Invalid, NotFound, Refused, quote, way
from memdown.index.similar import SimilarRecord, similar
from memdown.memory.journal.place import JournalPlace
from memdown.record import Record
from memdown.store.files import FileEdit
from memdown.text import Edit, apply

FROM: Mapping[str, tuple[tuple[str, ...], str]] = {
    "start": (("pending",), "in_progress"),
    "pause": (("in_progress",), "paused"),
    "resume": (("paused",), "in_progress"),
    "done": (("pending", "in_progress", "paused"), "completed"),
    "cancel": (("pending", "in_progress", "paused"), "cancelled"),
}
"""What each act leads from, and to. A status that is none of the five may become any."""

_DATED = {"pause": "paused_on", "done": "completed"}
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
    similar: list[SimilarRecord] = []
    """Tasks that were there and are nearly the same, the nearest first."""


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
        known = [_known(id, views) for id, views in self._views().items()]
        return [task for task in known if status is None or task.status == status]

    def show(self, id: str) -> KnownTask:
        """One task."""
        write_common.task_id(id)
        views = self._views().get(id)
        if views is None:
            raise NotFound(f"There is no task {quote(id)}; {way('task list')} lists them.")
        return _known(id, views)

    def graph(self) -> tuple[Graph, list[list[str]]]:
        """What depends on what, and the circles in it."""
        known = {task.id: task for task in self.all()}
        nodes = [GraphNode(task.id, "task", task.title, task.path, task.line, task.status) for task in known.values()]
        edges = [GraphEdge("depends", task.id, other) for task in known.values() for other in task.dependencies]
        missing = dict.fromkeys(edge.target for edge in edges if edge.target not in known)
        nodes += [GraphNode(id, "missing", id) for id in missing]
        return Graph(nodes, edges), circles({task.id: task.dependencies for task in known.values()})

    def _views(self) -> dict[str, list[TaskView]]:
        """Where the journal tells of each task: its row, its section in the registry, its file."""
        found: dict[str, list[TaskView]] = {}
        for document in self._place.documents():
            kind = names.kind_of(document.path)
            if kind not in (names.REGISTRY, names.TASK):
                continue
            reading = registry(document.text) if kind == names.REGISTRY else task_file(document.text)
            for task in reading.tasks:
                id = own_id(document.path, task)
                line = document.lines.position(task.span.start)[0]
                found.setdefault(id, []).append(TaskView(document.path, line, task))
        main = self._place.name(names.REGISTRY)
        rows = [id for id, views in found.items() if any(each.path == main for each in views)]
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
            views = self._views()
            own = self._new_id(id, views)
            for other in depends:
                if write_common.task_id(other) not in views:
                    raise Refused(f"There is no task {quote(other)} to depend on; add it first.")
            new = draft("task", title, summary=description or None, status="pending")
            new = structs.replace(new, path=f"{place.home()}/tasks/{own}.md")
            new = with_fields(new, task=own, priority=_priority(priority), dependencies=depends)
            file = prepare(new, place.clock().at)
            row = structs.replace(file, path=place.name(names.REGISTRY), summary=None)
            row = with_fields(row, source="registry")
            changes = [place.inserted(each) for each in (file, row)]
            written = place.root.files.save_all([*changes, *self._counted(changes[1].after)])
            task = self.show(own)
        near = similar(place.root.root, row, read(row.path, changes[1].before or ""))
        return TaskResult(task, True, written, [], near)

    def _new_id(self, wanted: str | None, views: Mapping[str, object]) -> str:
        """The id that was given, or the next after every one that any file gives to a task."""
        taken = {*views, *(names.task_named(name) for name in self._place.below())}
        if wanted is not None:
            if write_common.task_id(wanted) in taken:
                raise Exists(f"There is a task {wanted} already; leave {way('--id')} out to get the next free one.")
            return wanted
        for document in self._place.documents():
            for record in document.records:
                taken.update(task_ids(record))
        for name, text in self._place.texts():
            taken.update(names.tasks_named(name, text))
        return write_tasks.next_id(taken)

    def change(self, act: str, id: str, *, reason: str = "") -> TaskResult:
        """Start, pause, resume, end or cancel a task, in its row and its file."""
        place = self._place
        write_common.task_id(id)
        with place.root.files.lock():
            before = self.show(id)
            views = self._views()
            _refuse(act, before)
            clock, name = place.clock(), place.name(names.REGISTRY)
            changes = [
                FileEdit(path, place.text(path), self._changed(act, path, views[id], reason, clock))
                for path in dict.fromkeys(
                    each.path for each in views[id] if each.task.source == "file" or each.path == name
                )
            ]
            after = next((each.after for each in changes if each.name == name), place.text(name) or "")
            written = place.root.files.save_all([*changes, *self._counted(after)])
            task = self.show(id)
            return TaskResult(task, False, written, [*self._notes(act, task, {each.id: each for each in self.all()})])

    def edit(
        self,
        id: str,
        *,
        title: str | None = None,
        priority: str | None = None,
        depends: Sequence[str] | None = None,
        description: str | None = None,
    ) -> TaskResult:
        """Another title, priority, description, or other dependencies of a task, in its row and its file."""
        values: dict[str, str | Sequence[str]] = {} if priority is None else {"priority": _priority(priority)}
        if depends is not None:
            values["dependencies"] = depends

        def edited(old: Record, task: Task) -> Record:
            new = structs.replace(with_fields(old, **values), title=title or old.title)
            return structs.replace(new, summary=description) if description and task.source == "file" else new

        with self._place.root.files.lock():
            known = self._views()
            for other in depends or ():
                if write_common.task_id(other) not in known or other == id:
                    raise Refused(f"There is no other task {quote(other)} to depend on; add it first.")
            return self._saved(id, lambda path, text: self._edited(path, text, known[id], edited))

    def note(self, id: str, text: str) -> TaskResult:
        """Add a line to the notes of a task, in its file."""
        with self._place.root.files.lock():
            path = self.show(id).path
            if not path.endswith(f"/{id}.md"):
                raise Refused(f"{id} has no file of its own to take a note; its row has no room for one.")
            stamp = self._place.clock().stamp
            return self._saved(
                id,
                lambda name, before: (
                    apply(before, write_sessions.add_note(before, text, section="Notes", now=stamp))
                    if name == path
                    else before
                ),
            )

    def _saved(self, id: str, changed: Callable[[str, str], str]) -> TaskResult:
        """Save the row and the file of a task as a function of path and text has them."""
        place, name = self._place, self._place.name(names.REGISTRY)
        self.show(id)  # so that one that is not there is refused
        views = self._views()[id]
        paths = dict.fromkeys(each.path for each in views if each.task.source == "file" or each.path == name)
        texts = {path: place.text(path) or "" for path in paths}
        changes = [FileEdit(path, text, changed(path, text)) for path, text in texts.items()]
        written = place.root.files.save_all([each for each in changes if each.before != each.after])
        return TaskResult(self.show(id), False, written, [])

    def _edited(self, path: str, text: str, views: Sequence[TaskView], edited: Callable[[Record, Task], Record]) -> str:
        here = {each.task.span.start: each.task for each in views if each.path == path}
        stamp = times.read(self._place.clock().stamp)
        edits: list[Edit] = []
        for old in read(path, text):
            task = here.get(old.span.start)
            if old.kind == "task" and task is not None:
                edits += update(text, old, structs.replace(edited(old, task), at=stamp))
        return apply(text, edits)

    def _changed(self, act: str, path: str, views: Sequence[TaskView], reason: str, clock: Clock) -> str:
        """A file after an act on a task in it: its own file, its row, or the section on it in the registry."""
        text = self._place.text(path) or ""
        here = {each.task.span.start: each.task for each in views if each.path == path}
        rows = [task for task in here.values() if task.source == "registry"]
        if len(rows) > 1:
            raise Ambiguous(f"{rows[0].id} has {len(rows)} rows in {path}; keep one of them.")
        edits: list[Edit] = []
        for old in read(path, text):
            task = here.get(old.span.start)
            if old.kind != "task" or task is None:
                continue
            new = with_fields(old, last_active=clock.stamp)
            if act == "resume":
                new = without_pause(new)
            elif act == "start" and (task.source == "file" or "started" in task.cells):
                began = old.status != "pending" and times.read(task.started)  # a blocked task goes on
                new = new if began else with_fields(new, started=clock.date)
            elif act in _DATED:
                new = with_fields(new, **{_DATED[act]: clock.date})
            if reason:
                new = with_fields(new, reason=reason)
            tells = task.source == "file" or "status" in task.cells or len(views) == 1
            is_moved = act == "done" and task.source == "registry"  # to the table of completed tasks
            status = FROM[act][1] if tells or is_moved else old.status
            new = structs.replace(new, status=status, at=times.read(clock.stamp))
            edits += update(text, old, new)
        return apply(text, edits)

    def _counted(self, text: str) -> Iterator[FileEdit]:
        """The session cache with the counts of the registry, when it counts."""
        name = self._place.name(names.CACHE)
        before = self._place.text(name)
        rows = self._place.text(self._place.name(names.REGISTRY)) or ""
        if before is not None and (after := recounted(before, rows, text)) != before:
            yield FileEdit(name, before, after)

    def _notes(self, act: str, task: KnownTask, known: Mapping[str, KnownTask]) -> Iterator[str]:
        open_ones = [id for id in task.dependencies if id in known and known[id].status != "completed"]
        if open_ones and act in ("start", "resume", "done"):
            yield f"{task.id} depends on {', '.join(open_ones)}, not completed yet."
        if act == "done" and task.open_steps:
            yield f"{task.open_steps} of {task.steps} steps and criteria of {task.id} are still open."
        if not task.path.endswith(f"/{task.id}.md"):
            yield f"{task.id} has no file of its own; only its row changed."


def _known(id: str, views: Sequence[TaskView]) -> KnownTask:
    """A task from every place that has it: the row says the state, the file what a row has no room for."""
    row = next((each for each in views if each.task.source == "registry"), None)
    file = next((each for each in views if each.task.source == "file"), None)
    order = [each.task for each in (row, file, *views) if each is not None]
    where = file or row or views[0]
    steps = file.task.steps if file else ()
    first = next((task for task in order if task.status or task.written.strip(" -")), order[0])
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
    status = task.status.replace("_", " ")
    if task.status == to:
        raise Refused(f"{task.id} is {status} already.")
    instead = f"; use {way(f'task {_INSTEAD[task.status]}')} first" if task.status in _INSTEAD else ""
    raise Refused(f"{task.id} is {status}, so there is nothing to {act if act != 'done' else 'end'}{instead}.")


def _priority(given: str) -> str:
    if given.upper() not in grammar.PRIORITIES:
        raise Invalid(f"{quote(given)} is not a priority; use {', '.join(grammar.PRIORITIES)}.")
    return given.upper()
