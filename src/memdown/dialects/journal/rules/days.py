"""Rules about the days of an edit history, and about headings that are neither a day nor an entry."""

from memdown.dialects.journal.rules.common import deviation_rule


@deviation_rule("JNL001", fix="write three #")
def date_heading_level() -> None:
    """The heading of a day has another number of `#` than three.

    Readers made for the format find the day by `### ` and would file its entries under the day above.
    Here it is read as a day all the same.

    Bad:
        ## 2025-12-05
    Good:
        ### 2025-12-05

    ## Fix

    The safe fix writes `###`, where all entries keep their dates.
    """


@deviation_rule("JNL002", fix="write it YYYY-MM-DD")
def date_heading_format() -> None:
    """The heading of a day is not just a date written YYYY-MM-DD.

    A date in any other spelling that leaves no doubt is read. Where it cannot be read, the entries below have no date;
    none is dated by the day above.

    Bad:
        ### 2025/12/05
    Good:
        ### 2025-12-05

    ## Fix

    The safe fix writes a date that was understood as YYYY-MM-DD, when nothing else is on the line.
    """


@deviation_rule("JNL003", fix="leave one space")
def date_heading_space() -> None:
    """Not just one space stands between `###` and the date.

    The day is read; the format asks for one space.

    Bad:
        ###  2025-12-05
    Good:
        ### 2025-12-05

    ## Fix

    The safe fix leaves one space.
    """


@deviation_rule("JNL004")
def date_not_calendar() -> None:
    """The heading of a day names a day that the calendar does not have.

    Nobody can say which day was meant, so the entries below have no date.

    Bad:
        ### 2025-02-30
    Good:
        ### 2025-02-28
    """


@deviation_rule("JNL017")
def entry_without_date() -> None:
    """No readable day stands above an entry.

    The entry is kept without a date. It is never dated by guessing.

    Bad:
        # Edit History

        #### 14:30:15 UTC - T21: File viewer
    Good:
        # Edit History

        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
    """


@deviation_rule("JNL018")
def date_in_entry() -> None:
    """The heading of an entry has the date in it.

    Date and time are both read. The format has a heading for the day and below it one for each entry.

    Bad:
        ### 2025-12-05 14:30 - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30 - T21: File viewer
    """


@deviation_rule("JNL045")
def heading_unknown() -> None:
    """A heading of an edit history is neither a day nor an entry.

    It is kept as it is. When it ends the section of a day, entries below it have no date until the next day.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

        ## Summary
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
