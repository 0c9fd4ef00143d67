"""Rules about the heading of an entry: its level, its dash, its tasks, what it says."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Rule, rule
from memdown.dialects.journal.rules.common import deviations
from memdown.record import Document


@rule("JNL010", "error")
def entry_heading_level(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has another number of `#` than four.

    Readers made for the format leave such an entry out, with all its files. Here it is read.

    Bad:
        ### 2025-12-05

        ### 14:30:15 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix writes `####`, where all entries keep their dates and files.
    """
    return deviations(doc, "entry-heading-level", fix="write four #")


@rule("JNL011", "error")
def entry_no_space_after_hashes(doc: Document) -> Iterator[Finding]:
    """No space stands between `####` and the time.

    Without it the line is no heading in Markdown.

    Bad:
        ### 2025-12-05

        ####14:30:15 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix adds the space.
    """
    return deviations(doc, "entry-no-space-after-hashes", fix="add a space")


@rule("JNL012", "error")
def entry_no_space_before_dash(doc: Document) -> Iterator[Finding]:
    """No space stands before the dash of an entry.

    Readers made for the format leave the entry out.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC- T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix writes the dash with spaces around it.
    """
    return deviations(doc, "entry-no-space-before-dash", fix="write ` - `")


@rule("JNL013", "error")
def entry_no_space_after_dash(doc: Document) -> Iterator[Finding]:
    """No space stands after the dash of an entry.

    Readers made for the format leave the entry out.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC -T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix writes the dash with spaces around it.
    """
    return deviations(doc, "entry-no-space-after-dash", fix="write ` - `")


@rule("JNL014", "error")
def entry_no_dash(doc: Document) -> Iterator[Finding]:
    """No dash stands between the time of an entry and what was done.

    Readers made for the format leave the entry out.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix adds the dash.
    """
    return deviations(doc, "entry-no-dash", fix="add the dash")


@rule("JNL015", "error")
def entry_double_dash(doc: Document) -> Iterator[Finding]:
    """Two dashes stand between the time of an entry and what was done.

    Readers made for the format leave the entry out.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC -- T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix writes one dash.
    """
    return deviations(doc, "entry-double-dash", fix="write one dash")


@rule("JNL016", "error")
def entry_wrong_dash_char(doc: Document) -> Iterator[Finding]:
    """A long dash or a colon stands where the hyphen of an entry should.

    It looks the same, and readers made for the format leave the entry out.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC — T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer

    ## Fix

    The safe fix writes a hyphen.
    """
    return deviations(doc, "entry-wrong-dash-char", fix="write a hyphen")


@rule("JNL019", "error")
def description_missing(doc: Document) -> Iterator[Finding]:
    """An entry does not say what was done.

    A time and a task alone tell nothing later.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21:
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
    """
    return deviations(doc, "description-missing")


@rule("JNL020", "info")
def task_id_extended(doc: Document) -> Iterator[Finding]:
    """An entry names its tasks in another way than one id of `T` and digits.

    All of them are read: `T3, T13`, `META-1`, `T20a`. Version 1.0 of the format knows one id only.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T3, T13: Both parsers
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T3: Both parsers
    """
    return deviations(doc, "task-id-extended")


RULES: tuple[Rule, ...] = (
    entry_heading_level,
    entry_no_space_after_hashes,
    entry_no_space_before_dash,
    entry_no_space_after_dash,
    entry_no_dash,
    entry_double_dash,
    entry_wrong_dash_char,
    description_missing,
    task_id_extended,
)
