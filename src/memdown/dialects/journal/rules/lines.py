"""Rules about lines of an edit history that stand where the format has none, or name a file in another way."""

from memdown.dialects.journal.rules.common import deviation_rule


@deviation_rule("JNL041")
def modification_outside_entry() -> None:
    """A modification stands above the first entry of its day.

    Nothing says when it was made. Below the heading of a day it counts as an entry without a time.

    Bad:
        ### 2025-12-05

        - Created `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """


@deviation_rule("JNL042")
def path_not_relative() -> None:
    """A path is not relative to the root of the project.

    It means something on one computer only.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `/home/ann/app/src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """


@deviation_rule("JNL043")
def nested_bullet() -> None:
    """A bullet stands below another.

    A file that it names is read. Readers made for the format stop here and lose the rest of the entry.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
          - Modified `src/main.js` - Starts it
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
        - Modified `src/main.js` - Starts it
    """


@deviation_rule("JNL044")
def prose_line() -> None:
    """A line of an entry names no file.

    It is kept with its entry. An entry is a list of files in the format.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
        - Felt good about it
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """


@deviation_rule("JNL046", fix="write spaces")
def odd_space() -> None:
    """A no-break space stands in a line that has a form.

    It looks like a space and is none, so readers made for the format leave the line out.

    Bad (bytes):
        ### 2025-12-05\\n\\n#### 14:30:15 UTC - T21: File viewer\\n- Created\\xc2\\xa0`src/viewer.js` - Lists files\\n
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

    ## Fix

    The safe fix writes spaces.
    """
