"""Rules about lines of an edit history that stand where the format has none, or name a file in another way."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Rule, rule
from memdown.dialects.journal.rules.common import deviations
from memdown.record import Document


@rule("JNL041", "error")
def modification_outside_entry(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "modification-outside-entry")


@rule("JNL042", "warning")
def path_not_relative(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "path-not-relative")


@rule("JNL043", "info")
def nested_bullet(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "nested-bullet")


@rule("JNL044", "info")
def prose_line(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "prose-line")


@rule("JNL046", "warning")
def odd_space(doc: Document) -> Iterator[Finding]:
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
    return deviations(doc, "odd-space", fix="write spaces")


RULES: tuple[Rule, ...] = (
    modification_outside_entry,
    path_not_relative,
    nested_bullet,
    prose_line,
    odd_space,
)
