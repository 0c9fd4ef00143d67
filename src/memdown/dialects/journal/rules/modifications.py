"""Rules about the lines of an entry: which file, what happened to it, and what changed."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Rule, rule
from memdown.dialects.journal.rules.common import deviations
from memdown.record import Document


@rule("JNL030", "error")
def mod_no_backticks(doc: Document) -> Iterator[Finding]:
    """The path of a modification is not in back-ticks.

    Readers made for the format leave the line out. Here the file is found all the same.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created src/viewer.js - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

    ## Fix

    The safe fix adds the back-ticks, where the path follows the action and there is no doubt where it ends.
    """
    return deviations(doc, "mod-no-backticks", fix="add back-ticks")


@rule("JNL031", "error")
def mod_unknown_action(doc: Document) -> Iterator[Finding]:
    """A modification begins with another word than Created, Modified and Updated.

    Readers made for the format leave the line out. Here any verb is an action, and `Create` is read as `Created`.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Create `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

    ## Fix

    The safe fix writes the action, where the word is another form of one.
    """
    return deviations(doc, "mod-unknown-action", fix="write the action")


@rule("JNL032", "error")
def mod_deleted_unsupported(doc: Document) -> Iterator[Finding]:
    """A file was `Deleted`, which version 1.0 of the format does not have.

    Readers made for version 1.0 leave the line out; use `Modified` for them. With `journal.profile = "1.1"` in the
    [configuration](../configuration.md) this is not told.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Deleted `src/viewer.js` - Nobody used it
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Modified `src/viewer.js` - Removed: nobody used it
    """
    return deviations(doc, "mod-deleted-unsupported")


@rule("JNL033", "error")
def mod_no_dash(doc: Document) -> Iterator[Finding]:
    """No dash stands between the path and what changed.

    Readers made for the format leave the line out. Here the file is found all the same.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    return deviations(doc, "mod-no-dash")


@rule("JNL034", "error")
def mod_no_space_after_action(doc: Document) -> Iterator[Finding]:
    """No space stands between the action and the path.

    Readers made for the format leave the line out. Here the file is found all the same.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created`src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

    ## Fix

    The safe fix adds the space.
    """
    return deviations(doc, "mod-no-space-after-action", fix="add a space")


@rule("JNL035", "error")
def mod_no_space_around_dash(doc: Document) -> Iterator[Finding]:
    """The dash before what changed has no space on one of its sides.

    Readers made for the format leave the line out. Here the file is found all the same.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js`-Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

    ## Fix

    The safe fix writes the dash with spaces around it.
    """
    return deviations(doc, "mod-no-space-around-dash", fix="write ` - `")


@rule("JNL036", "error")
def mod_wrong_dash_char(doc: Document) -> Iterator[Finding]:
    """A long dash, a colon or an arrow stands where the hyphen before what changed should.

    Readers made for the format leave the line out. Here the file is found all the same.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` — Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files

    ## Fix

    The safe fix writes a hyphen with spaces around it.
    """
    return deviations(doc, "mod-wrong-dash-char", fix="write ` - `")


@rule("JNL037", "error")
def mod_no_description(doc: Document) -> Iterator[Finding]:
    """A modification does not say what changed.

    Git knows which files changed; what and why only people know.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js`
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    return deviations(doc, "mod-no-description")


@rule("JNL038", "error")
def mod_no_action(doc: Document) -> Iterator[Finding]:
    """A modification does not begin with its action.

    The action is taken from the description, or from the heading above, or is `Modified`. Better to say it.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    return deviations(doc, "mod-no-action")


@rule("JNL039", "error")
def mod_words_before_path(doc: Document) -> Iterator[Finding]:
    """Other words stand between the action and the path, or between the path and the dash.

    Readers made for the format leave the line out. Here the file is found all the same.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created the file `src/viewer.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
    """
    return deviations(doc, "mod-words-before-path")


@rule("JNL040", "info")
def mod_several_paths(doc: Document) -> Iterator[Finding]:
    """A modification names several files.

    Each becomes a modification of its own with the same description.

    Bad:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js`, `src/list.js` - Lists files
    Good:
        ### 2025-12-05

        #### 14:30:15 UTC - T21: File viewer
        - Created `src/viewer.js` - Lists files
        - Created `src/list.js` - Draws the list
    """
    return deviations(doc, "mod-several-paths")


RULES: tuple[Rule, ...] = (
    mod_no_backticks,
    mod_unknown_action,
    mod_deleted_unsupported,
    mod_no_dash,
    mod_no_space_after_action,
    mod_no_space_around_dash,
    mod_wrong_dash_char,
    mod_no_description,
    mod_no_action,
    mod_words_before_path,
    mod_several_paths,
)
