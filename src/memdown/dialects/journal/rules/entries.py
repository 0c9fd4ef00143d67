"""Rules about the heading of an entry: its level, its dash, its tasks, what it says."""

from memdown.dialects.journal.rules.common import deviation_rule


@deviation_rule("JNL010", fix="write four #")
def entry_heading_level() -> None:
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


@deviation_rule("JNL011", fix="add a space")
def entry_no_space_after_hashes() -> None:
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


@deviation_rule("JNL012", fix="write ` - `")
def entry_no_space_before_dash() -> None:
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


@deviation_rule("JNL013", fix="write ` - `")
def entry_no_space_after_dash() -> None:
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


@deviation_rule("JNL014", fix="add the dash")
def entry_no_dash() -> None:
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


@deviation_rule("JNL015", fix="write one dash")
def entry_double_dash() -> None:
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


@deviation_rule("JNL016", fix="write a hyphen")
def entry_wrong_dash_char() -> None:
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


@deviation_rule("JNL019")
def description_missing() -> None:
    """An entry does not say what was done.

    A time and a task alone tell nothing later.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21:
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
    """


@deviation_rule("JNL020")
def task_id_extended() -> None:
    """An entry names its tasks in another way than one id of `T` and digits.

    All of them are read: `T3, T13`, `META-1`, `T20a`. Version 1.0 of the format knows one id only.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T3, T13: Both parsers
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T3: Both parsers
    """
