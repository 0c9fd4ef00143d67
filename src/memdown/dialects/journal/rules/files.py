"""Rules about a registry as a whole, names of files, and what the session cache says of the rest of the journal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, rule, rule_across
from memdown.dialects.journal.grammar import ACTIVE, COMPLETED, FORM, HEADERS
from memdown.dialects.journal.model import SessionFile, Task, TaskList
from memdown.dialects.journal.names import CACHE, REGISTRY, SESSION, TASK, day_in, kind_of, task_named
from memdown.dialects.journal.rules.common import JournalFiles, is_archived, journals, reading_of
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Span

_DELIMITER = lazy(r"[ \t]*\|[|:\s]*-[|:\s-]*")
_SESSION_FILE = lazy(r"\d{4}-\d{2}-\d{2}[\w.-]*\.md")


@rule("JNL063", "info")
def table_columns(doc: Document) -> Iterator[Finding]:
    """A table of tasks has not all the columns of the format.

    Columns go by their names, in any order, and there may be more. The table of completed tasks has ID, Title,
    Completed, Related Tasks and Archive.

    Bad memory-bank/tasks.md:
        ## Active Tasks
        | ID | Title | Status | Owner |
        |----|-------|--------|-------|
        | T23 | Format | 🔄 | Ann |
    Good memory-bank/tasks.md:
        ## Active Tasks
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    """
    seen: set[str] = set()
    for task in _rows(doc):
        if task.section in seen:
            continue
        seen.add(task.section)
        wanted = COMPLETED if "completed" in task.cells and "status" not in task.cells else ACTIVE
        missing = [HEADERS[name] for name in wanted if name not in task.cells]
        if missing:
            yield Finding(
                _header(doc, task),
                f"The table has no column {', '.join(missing)}; add it to the header and to every row.",
            )


def _header(doc: Document, task: Task) -> Span:
    """The header of the table that a row is in; the row itself when there is none."""
    for number in range(doc.lines.at(task.span.start) - 1, 0, -1):
        line = doc.lines.span(number).of(doc.text)
        if not FORM["row"].match(line):
            break
        if _DELIMITER.fullmatch(line):
            return doc.lines.span(number - 1)
    return task.span


@rule("JNL074", "warning")
def details_of_another_task(doc: Document) -> Iterator[Finding]:
    """The details of a row link the file of another task.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T22.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    """
    for task in _rows(doc):
        cell = task.cells.get("details")
        match = FORM["details"].search(cell.value) if cell else None
        named = task_named(match["path"]) if match else ""
        if cell and named and named != task.id:
            yield Finding(cell.at, f"The link of {task.id} leads to the file of {named}; write tasks/{task.id}.md.")


@rule("JNL077", "error")
def task_twice(doc: Document) -> Iterator[Finding]:
    """A task has two rows in the registry.

    Other readers of the format keep the first and drop the other. When both are tasks, one of them needs another id.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
        | T23 | Viewer | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
        | T24 | Viewer | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T24.md) |
    """
    seen: set[str] = set()
    for task in _rows(doc):
        if task.id in seen:
            yield Finding(task.span, f"The registry has a row of {task.id} above already; remove one of the two.")
        seen.add(task.id)


@rule("JNL079", "warning")
def file_of_another_task(doc: Document) -> Iterator[Finding]:
    """The title of a task's file has another id than the name of the file.

    The name counts, and a search for the other id does not find it.

    Bad memory-bank/tasks/T23.md:
        # T22: Format

        **Status**: 🔄 In Progress
    Good memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    """
    found = reading_of(doc) if kind_of(doc.path) == TASK else None
    for task in found.tasks if isinstance(found, TaskList) else ():
        if task.id and task.id != task_named(doc.path):
            line = doc.lines.span(doc.lines.at(task.span.start))
            yield Finding(
                line, f"The title says {task.id}, the name of the file {task_named(doc.path)}; correct one of the two."
            )


@rule("JNL090", "warning")
def session_of_another_day(doc: Document) -> Iterator[Finding]:
    """The title of a session has another day than the name of its file.

    Bad memory-bank/sessions/2025-12-05-evening.md:
        # Session 2025-12-04 - Evening

        **Focus Task**: T23: Format
    Good memory-bank/sessions/2025-12-05-evening.md:
        # Session 2025-12-05 - Evening

        **Focus Task**: T23: Format
    """
    found = reading_of(doc) if kind_of(doc.path) == SESSION else None
    day = day_in(doc.path)
    if isinstance(found, SessionFile) and found.date and day and found.date != day:
        at = doc.text.find(found.date)
        yield Finding(
            Span(at, at + len(found.date)),
            f"The title says {found.date}, the name of the file {day}; correct one of the two.",
        )


@rule_across("JNL091", "warning", whole=True)
def session_file_missing(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The session cache names a session that has no file.

    The file of a session is written before the cache, and none is ever deleted.

    Bad memory-bank/session_cache.md:
        # Session Cache

        **Started**: 2025-12-05 18:02:00 UTC
        **Focus Task**: T23: Format
        **Session File**: `sessions/2025-12-05-evening.md`

        - Active: 2 | Paused: 0 | Completed: 7 | Cancelled: 1
    Good memory-bank/session_cache.md:
        # Session Cache

        **Started**: 2025-12-05 18:02:00 UTC
        **Focus Task**: T23: Format
        **Session File**: `sessions/2025-12-05-evening.md`

        - Active: 2 | Paused: 0 | Completed: 7 | Cancelled: 1
    and memory-bank/sessions/2025-12-05-evening.md:
        # Session 2025-12-05 - Evening

        **Focus Task**: T23: Format
    """
    for journal, doc, cache in _caches(documents):
        files = {each.path.rpartition("/")[2] for each in journal.of_kind(SESSION)}
        wanted = {cache.file, *cache.history} - files
        for match in _SESSION_FILE.finditer(doc.text) if wanted else ():
            if match.group() in wanted:
                wanted.remove(match.group())
                yield (
                    doc,
                    Finding(Span(*match.span()), f"There is no session file {quote(match.group())}; correct the name."),
                )


@rule_across("JNL092", "warning")
def counts_mismatch(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """The counts of the session cache are not those of the registry.

    They are written by hand and drift. Tasks that are pending may count as active or not.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/session_cache.md:
        # Session Cache

        - Active: 2 | Paused: 0 | Completed: 0 | Cancelled: 0
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T23.md) |
    and memory-bank/session_cache.md:
        # Session Cache

        - Active: 1 | Paused: 0 | Completed: 0 | Cancelled: 0
    """
    for journal, doc, cache in _caches(documents):
        states = {
            task.id: task.status
            for registry in journal.of_kind(REGISTRY)
            for task in _rows(registry)
            if not is_archived(registry.path)
        }
        if cache.counted_at is None or not states or None in states.values():
            continue
        there = Counter(states.values())
        for name, number in cache.counts.items():
            counted = there["in_progress" if name == "active" else name]
            if number != counted and not (name == "active" and number == counted + there["pending"]):
                message = f"The cache counts {number} {name}, but the registry has {counted}; write {counted}."
                yield doc, Finding(cache.counted_at, message)


# What the rules look at


def _rows(doc: Document) -> list[Task]:
    found = reading_of(doc) if kind_of(doc.path) == REGISTRY else None
    return [task for task in found.tasks if task.source == "registry"] if isinstance(found, TaskList) else []


def _caches(documents: Sequence[Document]) -> Iterator[tuple[JournalFiles, Document, SessionFile]]:
    """The session caches that were not put away."""
    for journal in journals(documents):
        for doc in journal.of_kind(CACHE):
            found = reading_of(doc)
            if isinstance(found, SessionFile) and not is_archived(doc.path):
                yield journal, doc, found
