"""Rules about the time of an entry: how it is written, and whether a clock has it."""

from memdown.dialects.journal.rules.common import deviation_rule


@deviation_rule("JNL021", fix="add the zero")
def time_not_zero_padded() -> None:
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


@deviation_rule("JNL022", fix="write twenty-four hours")
def time_12_hour() -> None:
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


@deviation_rule("JNL023")
def time_range() -> None:
    """An entry has two times, from and to.

    The first counts as its time, and the second is kept.

    Bad:
        ### 2025-12-05

        #### 14:00-14:30 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:00 UTC - T21: File viewer
    """


@deviation_rule("JNL024")
def time_out_of_range() -> None:
    """An entry has a time that no clock shows.

    Its date counts, and it has no time.

    Bad:
        ### 2025-12-05

        #### 25:10:00 UTC - T21: File viewer
    Good:
        ### 2025-12-05

        #### 23:10:00 UTC - T21: File viewer
    """


@deviation_rule("JNL025")
def time_missing() -> None:
    """An entry has no time.

    Its date counts. Where several entries of a day have none, their order is that of the file.

    Bad:
        ### 2025-12-05

        #### T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
    """


@deviation_rule("JNL026")
def time_form() -> None:
    """Brackets or other marks stand around the time of an entry.

    The time is read without them.

    Bad:
        ### 2025-12-05

        #### [14:30:15] - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 - T21: File viewer
    """


@deviation_rule("JNL027")
def timezone_form() -> None:
    """The time zone of an entry is not three or four capital letters.

    It is kept as written. An offset says more than a name, but version 1.0 of the format has names only.

    Bad:
        ### 2025-12-05

        #### 14:30:15 GMT+3 - T21: File viewer
    Good:
        ### 2025-12-05

        #### 14:30:15 MSK - T21: File viewer
    """
