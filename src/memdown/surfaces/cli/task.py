"""The command task: the tasks of a journal, their state and their dependencies."""

from collections.abc import Iterator, Sequence
from typing import Unpack

import click
from msgspec import structs

from memdown.acts.graph import Graph
from memdown.dialects.draft import DraftFields
from memdown.dialects.journal.grammar import EMOJI, PRIORITIES
from memdown.memory.journal.tasks import KnownTask, TaskResult
from memdown.surfaces.cli.add import answer_added, answer_notes
from memdown.surfaces.cli.common import (
    CommandGroup,
    Invocation,
    comma_separated,
    count,
    examples,
    options,
    standard,
    style,
    writing,
)
from memdown.surfaces.show import diagrams

_ACTS = {
    "start": "Start a task that is pending.",
    "pause": "Pause a task that is in progress.",
    "resume": "Resume a task that is paused; the notes of its file mention the pause.",
    "done": "Complete a task; its row moves to the table of completed tasks.",
    "cancel": "Cancel a task that is not completed.",
}


_OTHER_WORDS = {
    **dict.fromkeys(("complete", "completed"), "done"),
    **{"started": "start", "paused": "pause", "resumed": "resume", "cancelled": "cancel"},
}
"""The states, as tools and files call them, for what brings a task into them."""


class _Acts(CommandGroup):
    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, _OTHER_WORDS.get(cmd_name, cmd_name))


@click.group(
    "task", cls=_Acts, epilog=examples("memdown task add 'File viewer'", "memdown task list --status in_progress")
)
def task_command() -> None:
    """Manage the tasks of a journal: a row in tasks.md and a file in tasks/, changed together."""


_PRIORITY = click.Choice(PRIORITIES, case_sensitive=False)


_new_task = options(
    click.argument("title"),
    click.option("--priority", type=_PRIORITY, help="Priority. [default: MEDIUM]"),
    click.option("--depends", "needs", default="", metavar="T1,T2", help="Tasks it depends on."),
    click.option("--description", default="", help="What it is about. [default: the title]"),
    click.option("--id", help="An id of your own. [default: the next free one]"),
)


@task_command.command(
    "add", epilog=examples("memdown task add 'File viewer' --priority high --depends T17,T20", "memdown task add Docs")
)
@_new_task
@writing
def add_task(
    session: Invocation, title: str, priority: str | None, needs: str, description: str, id: str | None
) -> None:
    """Add a pending task. Its id is used nowhere else: not in the registry, in files, or in entries."""
    depends = comma_separated([needs])
    tasks = session.memory.journal.tasks
    _answer(session, tasks.add(title, priority=priority or "MEDIUM", depends=depends, description=description, id=id))


@click.command("task", epilog=examples("memdown add task 'File viewer' --priority high --depends T17,T20"))
@_new_task
@writing
def add_task_here(session: Invocation, /, title: str, needs: str, **given: Unpack[DraftFields]) -> None:
    """Add a task where the project keeps tasks: the registry of a journal, or the progress of a memory bank."""
    given["depends"] = comma_separated([needs])
    with session.memory.files.lock():  # until it is read back: another may undo it at once
        added = session.memory.add("task", title, **given)
        task = session.memory.journal.tasks.show(added.record.task) if added.record.dialect == "journal" else None
    if task is None:
        answer_added(session, added)
        return
    _answer(session, TaskResult(task, added.created, added.written, added.notes, added.similar))


def _act_command(act: str, summary: str) -> click.Command:
    """The command that changes the state of a task; all of them are alike."""

    @click.command(
        act, help=summary, epilog=examples(f"memdown task {act} T21", f"memdown task {act} T21 --reason 'Why'")
    )
    @click.argument("id")
    @click.option("--reason", default="", help="The reason, noted in the file of the task.")
    @writing
    def change(session: Invocation, id: str, reason: str) -> None:
        _answer(session, session.memory.journal.tasks.change(act, id, reason=reason))

    return change


for _act, _summary in _ACTS.items():
    task_command.add_command(_act_command(_act, _summary))


@task_command.command(
    "edit", epilog=examples("memdown task edit T21 --title 'File viewer'", "memdown task edit T21 --priority high")
)
@click.argument("id")
@click.option("--title", help="Another title.")
@click.option("--priority", type=_PRIORITY, help="Another priority.")
@click.option("--depends", "needs", metavar="T1,T2", help="These dependencies instead.")
@click.option("--description", help="Another description, in the file of the task.")
@writing
def edit_task(
    session: Invocation,
    id: str,
    title: str | None,
    priority: str | None,
    needs: str | None,
    description: str | None,
) -> None:
    """Change a task in its row and its file."""
    if title is None and priority is None and needs is None and description is None:
        raise click.UsageError("Nothing to change; run `memdown task edit --help` to see the options.")
    depends = None if needs is None else comma_separated([needs])
    tasks = session.memory.journal.tasks
    _answer(session, tasks.edit(id, title=title, priority=priority, depends=depends, description=description))


@task_command.command("note", epilog=examples("memdown task note T21 'The viewer reads tables'"))
@click.argument("id")
@click.argument("text")
@writing
def note_task(session: Invocation, id: str, text: str) -> None:
    """Add a line to the notes of a task, in its file."""
    _answer(session, session.memory.journal.tasks.note(id, session.text(text) or ""))


def _answer(session: Invocation, done: TaskResult) -> None:
    task = done.task
    changed = {
        **structs.asdict(task),
        "created": done.created,
        "written": done.written,
        "notes": done.notes,
        "similar": done.similar,
    }
    session.answer(changed, lambda: [_line(task), *(f"  {style('place', name)}: written" for name in done.written)])
    answer_notes(session, done.notes, done.similar)


@task_command.command("list", epilog=examples("memdown task list", "memdown task list --status paused --json"))
@click.option("--status", type=click.Choice(sorted(EMOJI)), help="Only tasks of this status.")
@standard
def list_tasks(session: Invocation, status: str | None) -> None:
    """List the tasks of the registry, and those that only have a file."""
    found = session.memory.journal.tasks.all(status)
    session.answer(found, lambda: [_line(task) for task in found] or ["No tasks."])


@task_command.command("show", epilog=examples("memdown task show T21"))
@click.argument("id")
@standard
def show_task(session: Invocation, id: str) -> None:
    """Show one task, from its row and its file together."""
    task = session.memory.journal.tasks.show(id)
    session.answer(task, lambda: _page(task))


@task_command.command("graph", epilog=examples("memdown task graph", "memdown task graph --format svg > tasks.svg"))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "mermaid", "svg"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@standard
def graph_tasks(session: Invocation, form: str) -> None:
    """Show the graph of task dependencies and its cycles."""
    graph, circles = session.memory.journal.tasks.graph()
    session.json = session.json or form == "json"
    value = {"nodes": graph.nodes, "edges": graph.edges, "cycles": circles}
    session.answer(value, lambda: _picture(graph, circles, form))
    if form in ("mermaid", "svg") and not session.json:
        for circle in circles:
            session.note(f"Cycle: {' -> '.join(circle)}.")


def _picture(graph: Graph, circles: Sequence[Sequence[str]], form: str) -> Iterator[str]:
    if form == "text":
        titles = {node.id: node for node in graph.nodes}
        for edge in graph.edges:
            gone = " (missing)" if titles[edge.target].kind == "missing" else ""
            yield f"{edge.source}  {style('dim', 'depends on')}  {edge.target}{gone}"
        yield from (style("warning", f"Cycle: {' -> '.join(circle)}") for circle in circles)
        counts = (len(graph.nodes), "task"), (len(graph.edges), "dependency"), (len(circles), "circle")
        yield ", ".join(count(number, thing) for number, thing in counts)
        return
    yield diagrams.draw(graph, form, "Tasks")[0]


def _line(task: KnownTask) -> str:
    mark = EMOJI.get(task.status or "", task.status_text or "?")
    after = f" (after {', '.join(task.dependencies)})" if task.dependencies else ""
    return f"{mark} {style('strong', task.id)}  {task.title}{style('dim', after)}"


def _page(task: KnownTask) -> Iterator[str]:
    yield _line(task)
    facts = {
        "Status": (task.status or task.status_text).replace("_", " "),
        "Priority": task.priority,
        "Started": task.started,
        "Completed": task.completed,
        "Reason": task.reason,
        "Description": task.description,
        "Steps": f"{task.steps - task.open_steps} of {task.steps} done" if task.steps else "",
        "Told in": f"{task.path}:{task.line}",
    }
    yield from (f"  {label}: {value}" for label, value in facts.items() if value)
