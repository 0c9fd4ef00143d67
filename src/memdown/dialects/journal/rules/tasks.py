"""Rules that compare tasks: what depends on what, and what the registry and the file of a task say of each other."""

from collections.abc import Iterator, Sequence
from itertools import islice

from memdown.diagnostics import Finding, first_line, rule_across
from memdown.dialects.journal.circles import circles
from memdown.dialects.journal.fields import list_of
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.model import Task
from memdown.dialects.journal.names import CHUNK, HISTORY, REGISTRY, TASK, kind_of, task_named
from memdown.dialects.journal.rules.common import JournalFiles, is_archived, journals
from memdown.dialects.journal.sections import state_word
from memdown.errors import quote
from memdown.record import Document
from memdown.text import Span

_MOST_CYCLES = 50
"""Each costs a walk over all tasks; a journal that has more is hostile."""

_OVER = ("completed", "cancelled")
"""States of tasks that nobody works on any more."""


@rule_across("JNL070", "warning", whole=True)
def dependency_unknown(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A task depends on one that is in no registry and has no file.

    It can never be done, or the id is a slip of the pen.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T99 | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17 | [Details](tasks/T23.md) |
        | T17 | Rules | ✅ | HIGH | 2025-12-01 | - | [Details](tasks/T17.md) |
    """
    for journal in journals(documents):
        known = {task.id for _, task in journal.tasks(REGISTRY, TASK)}
        for doc, task in journal.tasks(REGISTRY, TASK):
            for id in task.dependencies:
                if id not in known:
                    yield (
                        doc,
                        Finding(
                            _depends(doc, task),
                            f"{task.id} depends on {id}, which is not a task of the registry; correct the id.",
                        ),
                    )


@rule_across("JNL066", "warning", whole=True)
def edit_of_unknown_task(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An entry names a task that neither the registry nor a file has.

    It is a slip of the pen, or the task was never written down. A journal without tasks has nothing to compare with.

    Bad memory-bank/edit_history.md:
        ### 2025-12-05

        #### 10:00:00 UTC - T32: Format
        - Created `src/format.js` - New
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    Good memory-bank/edit_history.md:
        ### 2025-12-05

        #### 10:00:00 UTC - T23: Format
        - Created `src/format.js` - New
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    """
    for journal in journals(documents):
        known = {task.id for _, task in journal.tasks(REGISTRY, TASK)}
        for doc in (*journal.of_kind(HISTORY), *journal.of_kind(CHUNK)) if known else ():
            for edit in doc.records:
                missing = [id for id in list_of(edit, "tasks") if id not in known] if edit.kind == "edit" else []
                if missing:
                    span = doc.lines.span(edit.line - 1)
                    yield (
                        doc,
                        Finding(
                            span,
                            f"There is no task {', '.join(missing)} in the registry or in a file; "
                            "correct the id, or add the task.",
                        ),
                    )


@rule_across("JNL071", "error")
def dependency_cycle(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Tasks depend on each other in a circle.

    None of them can be done first.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17 | [Details](tasks/T23.md) |
        | T17 | Rules | 🔄 | HIGH | 2025-12-01 | T23 | [Details](tasks/T17.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17 | [Details](tasks/T23.md) |
        | T17 | Rules | 🔄 | HIGH | 2025-12-01 | - | [Details](tasks/T17.md) |
    """
    for journal in journals(documents):
        tasks = list(journal.tasks(REGISTRY, TASK))
        edges: dict[str, set[str]] = {}
        for _, task in tasks:
            edges.setdefault(task.id, set()).update(task.dependencies)
        for ring in islice(_rings(edges), _MOST_CYCLES):
            doc, task = next(each for each in tasks if each[1].id == ring[0] and ring[1] in each[1].dependencies)
            yield (
                doc,
                Finding(
                    _depends(doc, task),
                    f"{_circular(ring)}; remove {'that' if len(set(ring)) == 1 else 'one'} dependency.",
                ),
            )


def _rings(edges: dict[str, set[str]]) -> Iterator[list[str]]:
    """Circles that have no task in common, each from its first id back to it."""
    seen: set[str] = set()
    for circle in circles({id: sorted(edges[id]) for id in sorted(edges)}):
        ring = circle[:-1]
        if seen.isdisjoint(ring):
            seen.update(ring)
            first = ring.index(min(ring))
            yield [*ring[first:], *ring[:first], ring[first]]


def _circular(ring: Sequence[str]) -> str:
    return f"{ring[0]} depends on itself" if len(set(ring)) == 1 else f"Tasks depend on each other: {_chain(ring)}"


def _chain(ring: Sequence[str]) -> str:
    shown = [*ring[:5], "…", ring[-1]] if len(ring) > 7 else ring
    return " → ".join(shown)


@rule_across("JNL072", "warning", whole=True)
def row_without_file(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A row of the registry has no file.

    Its link is broken; or it has none, while other tasks have files. A task with a section in the registry needs no
    file, and for a task that nobody works on, a missing file is only info.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    """
    for journal in journals(documents):
        files = {doc.path for doc in journal.of_kind(TASK)}
        named = {task_named(path) for path in files}
        detailed = {task.id for _, task in journal.tasks(REGISTRY) if task.source == "details"}
        for doc, task in _rows(journal):
            target = _target(task)
            if target is None:
                if files and task.id not in named | detailed:
                    message = f"The task {task.id} has no file; add tasks/{task.id}.md."
                    severity = None if task.status == "in_progress" else "info"
                    yield doc, Finding(task.span, message, severity=severity)
            elif kind_of(f"{journal.home}/{target}") == TASK and f"{journal.home}/{target}" not in files:
                yield (
                    doc,
                    Finding(
                        task.cells["details"].at,
                        f"The details of {task.id} lead to {quote(target)}, which is not there; correct the link.",
                    ),
                )


@rule_across("JNL073", "warning", whole=True)
def file_without_row(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The file of a task has no row in the registry.

    Readers of the registry do not know about the task. Files in `archive/` need no row, and a finished task is only
    info.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T17 | Rules | ✅ | HIGH | 2025-12-01 | - | [Details](tasks/T17.md) |
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    """
    for journal in journals(documents):
        if not journal.of_kind(REGISTRY):
            continue
        known = {task.id for _, task in journal.tasks(REGISTRY)}
        over = {doc.path for doc, task in journal.tasks(TASK) if task.status in _OVER}
        for doc in _own_files(journal):
            if task_named(doc.path) not in known:
                message = f"The registry has no row for {task_named(doc.path)}, which has a file; add the row."
                yield doc, Finding(first_line(doc), message, severity="info" if doc.path in over else None)


@rule_across("JNL075", "info")
def title_mismatch(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The registry and the file of a task give it different titles.

    Capitals, spaces and marks do not count.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/tasks/T23.md:
        # T23: Viewer

        **Status**: 🔄 In Progress
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    """
    for doc, row, file in _both(documents):
        if row.title and file.title and _folded(row.title) != _folded(file.title):
            at = row.cells["title"].at if "title" in row.cells else row.span
            yield (
                doc,
                Finding(
                    at, f"The registry calls {row.id} {quote(row.title)}, its file {quote(file.title)}; use one title."
                ),
            )


@rule_across("JNL076", "warning")
def status_mismatch(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The registry and the file of a task give it different states.

    One of them was not changed with the other.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: ✅ Completed
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | ✅ | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: ✅ Completed
    """
    for doc, row, file in _both(documents):
        said, listed = ((each.status or state_word(each.written)).replace("_", " ") for each in (file, row))
        if said and listed and said != listed:
            at = row.cells["status"].at if "status" in row.cells else row.span
            message = f"{row.id} is {listed} in the registry and {said} in its file; correct one of the two."
            yield doc, Finding(at, message)


@rule_across("JNL078", "warning")
def two_files_of_one_task(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A task has a file in `tasks/` and one in `archive/`.

    An id was given twice, or a file was copied where it should have been moved.

    Bad memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: ✅ Completed
    and memory-bank/archive/T23.md:
        # T23: Format

        **Status**: ✅ Completed
    Good memory-bank/archive/T23.md:
        # T23: Format

        **Status**: ✅ Completed
    """
    for journal in journals(documents):
        own = {f"{task_named(doc.path)}.md": doc for doc in _own_files(journal)}
        for doc in journal.of_kind(TASK):
            name = doc.path.rpartition("/")[2]
            if is_archived(doc.path) and name in own and own[name].path.endswith(f"/{name}"):
                yield doc, Finding(first_line(doc), f"{own[name].path} is a file of the same task; merge the two.")


# What the rules look at


def _rows(journal: JournalFiles) -> Iterator[tuple[Document, Task]]:
    return ((doc, task) for doc, task in journal.tasks(REGISTRY) if task.source == "registry")


def _own_files(journal: JournalFiles) -> list[Document]:
    """Files of tasks that were not put away."""
    return [doc for doc in journal.of_kind(TASK) if f"/{doc.path}".endswith(f"/tasks/{doc.path.rpartition('/')[2]}")]


def _both(documents: Sequence[Document]) -> Iterator[tuple[Document, Task, Task]]:
    """The rows whose task has a file of just its name, with what that file tells."""
    for journal in journals(documents):
        files: dict[str, Task] = {}
        for doc, task in journal.tasks(TASK):
            if doc.path.endswith(f"/{task.id}.md") and ("/tasks/" in doc.path or task.id not in files):
                files[task.id] = task
        for doc, row in _rows(journal):
            if row.id in files:
                yield doc, row, files[row.id]


def _target(task: Task) -> str | None:
    """The file that a row links."""
    match = FORM["details"].search(task.cells["details"].value) if "details" in task.cells else None
    return match["path"] if match else None


def _depends(doc: Document, task: Task) -> Span:
    """Where a task says what it depends on."""
    cell = task.cells.get("dependencies") or task.cells.get("depends on")
    return cell.at if cell else Span(task.span.start, doc.lines.span(doc.lines.at(task.span.start)).end)


def _folded(title: str) -> str:
    return "".join(each for each in title.casefold() if each.isalnum())
