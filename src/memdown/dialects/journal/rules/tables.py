"""Rules about rows of the registry, and about what files of tasks, sessions and errors should have."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Rule, rule
from memdown.dialects.journal.rules.common import deviations
from memdown.record import Document


@rule("JNL050", "warning")
def row_not_a_task(doc: Document) -> Iterator[Finding]:
    """A row in a table of tasks does not begin with the id of a task.

    It is no task for anybody who reads the table.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | later | Format | ⬜ | LOW | 2025-12-05 | - | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "row-not-a-task")


@rule("JNL051", "warning")
def row_cells(doc: Document) -> Iterator[Finding]:
    """A row has more or fewer cells than the header of its table.

    Cells go by the names in the header. In a row of another length some of them are guessed. A pipe in a cell is
    written `\\|`.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "row-cells")


@rule("JNL052", "warning")
def status_unknown(doc: Document) -> Iterator[Finding]:
    """A status is none of the five that there are.

    They are 🔄 in progress, ✅ completed, ⏸️ paused, ❌ cancelled and ⬜ pending. Anything else is kept as the text
    it is and counted nowhere.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | soon | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "status-unknown")


@rule("JNL053", "info")
def status_words(doc: Document) -> Iterator[Finding]:
    """The status of a row is more than one emoji.

    It is understood. Words about the status belong in the file of the task.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 IN PROGRESS | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "status-words")


@rule("JNL054", "info")
def priority_unknown(doc: Document) -> Iterator[Finding]:
    """A priority is none of HIGH, MEDIUM and LOW.

    It is kept as it is. Who looks for tasks of one priority does not find it.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | asap | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "priority-unknown")


@rule("JNL055", "warning")
def started_not_a_date(doc: Document) -> Iterator[Finding]:
    """The start of a task is not a date written YYYY-MM-DD.

    Readers made for the format drop such a row.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | in May | T17, T21 | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "started-not-a-date")


@rule("JNL056", "warning")
def dependency_not_an_id(doc: Document) -> Iterator[Finding]:
    """The dependencies of a task are more than ids.

    Ids are read, with commas between them; the rest is kept as text. `-` stands for none.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | the rules | [Details](tasks/T23.md) |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "dependency-not-an-id")


@rule("JNL057", "info")
def details_link(doc: Document) -> Iterator[Finding]:
    """The details of a row are not just the link to the task's file.

    What else there is to say stands in that file.

    Bad memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | see the wiki |
    Good memory-bank/tasks.md:
        | ID | Title | Status | Priority | Started | Dependencies | Details |
        |----|-------|--------|----------|---------|--------------|---------|
        | T23 | Format | 🔄 | HIGH | 2025-12-05 | T17, T21 | [Details](tasks/T23.md) |
    """
    return deviations(doc, "details-link")


@rule("JNL058", "warning")
def title_form(doc: Document) -> Iterator[Finding]:
    """The title of a task's file or of a session has another form than the format gives it.

    The name of the file tells which task or session it is. A task's title is `# T23: Format`, that of a session
    `# Session 2025-12-05 - Evening`.

    Bad memory-bank/tasks/T23.md:
        # Some thoughts

        **Status**: 🔄 In Progress
    Good memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
    """
    return deviations(doc, "title-form")


@rule("JNL059", "info")
def field_missing(doc: Document) -> Iterator[Finding]:
    """A line is missing that the format asks for.

    A task says its status, a session its focus, and the cache its start, focus, file and counts.

    Bad memory-bank/tasks/T23.md:
        # T23: Format

        **Priority**: HIGH
    Good memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
        **Priority**: HIGH
    """
    return deviations(doc, "field-missing")


@rule("JNL060", "info")
def unfilled(doc: Document) -> Iterator[Finding]:
    """Text of the template was never filled in.

    It says nothing, and looks as if it did.

    Bad memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
        **Started**: YYYY-MM-DD
    Good memory-bank/tasks/T23.md:
        # T23: Format

        **Status**: 🔄 In Progress
        **Started**: 2025-12-05
    """
    return deviations(doc, "unfilled")


@rule("JNL061", "warning")
def conflict_mark(doc: Document) -> Iterator[Finding]:
    """A mark of a merge was left in the file.

    Git marked two versions, somebody took out some of the marks, and both versions may still be there.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

        =======

        - Created `src/list.js` - Draws the list
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
        - Created `src/list.js` - Draws the list
    """
    return deviations(doc, "conflict-mark")


@rule("JNL062", "warning")
def error_heading(doc: Document) -> Iterator[Finding]:
    """The heading of an error is not `## `, its time, a colon and what went wrong.

    It is read as an error all the same, perhaps without a time.

    Bad memory-bank/errorLog.md:
        # Error Log

        ## 2025-12-05 - Viewer does not start
    Good memory-bank/errorLog.md:
        # Error Log

        ## 2025-12-05 14:30:00 UTC: T21 - Viewer does not start
    """
    return deviations(doc, "error-heading")


RULES: tuple[Rule, ...] = (
    row_not_a_task,
    row_cells,
    status_unknown,
    status_words,
    priority_unknown,
    started_not_a_date,
    dependency_not_an_id,
    details_link,
    title_form,
    field_missing,
    unfilled,
    conflict_mark,
    error_heading,
)
