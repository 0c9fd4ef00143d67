"""Rules about rows of the registry, and about what files of tasks, sessions and errors should have."""

from memdown.dialects.journal.rules.common import deviation_rule


@deviation_rule("JNL050")
def row_not_a_task() -> None:
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


@deviation_rule("JNL051")
def row_cells() -> None:
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


@deviation_rule("JNL052")
def status_unknown() -> None:
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


@deviation_rule("JNL053")
def status_words() -> None:
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


@deviation_rule("JNL054")
def priority_unknown() -> None:
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


@deviation_rule("JNL055")
def started_not_a_date() -> None:
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


@deviation_rule("JNL056")
def dependency_not_an_id() -> None:
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


@deviation_rule("JNL057")
def details_link() -> None:
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


@deviation_rule("JNL058")
def title_form() -> None:
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


@deviation_rule("JNL059")
def field_missing() -> None:
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


@deviation_rule("JNL060")
def unfilled() -> None:
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


@deviation_rule("JNL061")
def conflict_mark() -> None:
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


@deviation_rule("JNL062")
def error_heading() -> None:
    """The heading of an error is not `## `, its time, a colon and what went wrong.

    It is read as an error all the same, perhaps without a time.

    Bad memory-bank/errorLog.md:
        # Error Log

        ## 2025-12-05 - Viewer does not start
    Good memory-bank/errorLog.md:
        # Error Log

        ## 2025-12-05 14:30:00 UTC: T21 - Viewer does not start
    """
