"""Rules about the days of an edit history, and about headings that are neither a day nor an entry."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Rule, rule
from memdown.dialects.journal.rules.common import deviations
from memdown.record import Document


@rule("JNL001", "error")
def date_heading_level(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "date-heading-level", fix="write three #")


@rule("JNL002", "error")
def date_heading_format(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "date-heading-format", fix="write it YYYY-MM-DD")


@rule("JNL003", "warning")
def date_heading_space(doc: Document) -> Iterator[Finding]:
    """Not just one space stands between `###` and the date.

    The day is read; the format asks for one space.

    Bad:
        ###  2025-12-05
    Good:
        ### 2025-12-05

    ## Fix

    The safe fix leaves one space.
    """
    return deviations(doc, "date-heading-space", fix="leave one space")


@rule("JNL004", "error")
def date_not_calendar(doc: Document) -> Iterator[Finding]:
    """The heading of a day names a day that the calendar does not have.

    Nobody can say which day was meant, so the entries below have no date.

    Bad:
        ### 2025-02-30
    Good:
        ### 2025-02-28
    """
    return deviations(doc, "date-not-calendar")


@rule("JNL017", "error")
def entry_without_date(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "entry-without-date")


@rule("JNL018", "warning")
def date_in_entry(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has the date in it.

    Date and time are both read. The format has a heading for the day and below it one for each entry.

    Bad:
        ### 2025-12-05 14:30 - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30 - T21: File viewer
    """
    return deviations(doc, "date-in-entry")


@rule("JNL045", "info")
def heading_unknown(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "heading-unknown")


RULES: tuple[Rule, ...] = (
    date_heading_level,
    date_heading_format,
    date_heading_space,
    date_not_calendar,
    entry_without_date,
    date_in_entry,
    heading_unknown,
)
