"""Rules about the time of an entry: how it is written, and whether a clock has it."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Rule, rule
from memdown.dialects.journal.rules.common import deviations
from memdown.record import Document


@rule("JNL021", "warning")
def time_not_zero_padded(doc: Document) -> Iterator[Finding]:
    """The hour of an entry has one digit.

    It is read, and sorts wrongly as text.

    Bad:
        ### 2025-12-05

        #### 2:30 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 02:30 UTC - T21: File viewer

    ## Fix

    The safe fix adds the zero.
    """
    return deviations(doc, "time-not-zero-padded", fix="add the zero")


@rule("JNL022", "warning")
def time_12_hour(doc: Document) -> Iterator[Finding]:
    """The time of an entry is one of a clock with twelve hours.

    Readers made for the format leave such an entry out.

    Bad:
        ### 2025-12-05

        #### 2:30 PM - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30 - T21: File viewer

    ## Fix

    The safe fix writes the same time with twenty-four hours.
    """
    return deviations(doc, "time-12-hour", fix="write twenty-four hours")


@rule("JNL023", "info")
def time_range(doc: Document) -> Iterator[Finding]:
    """An entry has two times, from and to.

    The first counts as its time, and the second is kept.

    Bad:
        ### 2025-12-05

        #### 14:00-14:30 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:00 UTC - T21: File viewer
    """
    return deviations(doc, "time-range")


@rule("JNL024", "error")
def time_out_of_range(doc: Document) -> Iterator[Finding]:
    """An entry has a time that no clock shows.

    Its date counts, and it has no time.

    Bad:
        ### 2025-12-05

        #### 25:10:00 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 23:10:00 UTC - T21: File viewer
    """
    return deviations(doc, "time-out-of-range")


@rule("JNL025", "warning")
def time_missing(doc: Document) -> Iterator[Finding]:
    """An entry has no time.

    Its date counts. Where several entries of a day have none, their order is that of the file.

    Bad:
        ### 2025-12-05

        #### T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
    """
    return deviations(doc, "time-missing")


@rule("JNL026", "info")
def time_form(doc: Document) -> Iterator[Finding]:
    """Brackets or other marks stand around the time of an entry.

    The time is read without them.

    Bad:
        ### 2025-12-05

        #### [14:30:15] - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 - T21: File viewer
    """
    return deviations(doc, "time-form")


@rule("JNL027", "info")
def timezone_form(doc: Document) -> Iterator[Finding]:
    """The time zone of an entry is not three or four capital letters.

    It is kept as written. An offset says more than a name, but version 1.0 of the format has names only.

    Bad:
        ### 2025-12-05

        #### 14:30:15 GMT+3 - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 MSK - T21: File viewer
    """
    return deviations(doc, "timezone-form")


RULES: tuple[Rule, ...] = (
    time_not_zero_padded,
    time_12_hour,
    time_range,
    time_out_of_range,
    time_missing,
    time_form,
    timezone_form,
)
