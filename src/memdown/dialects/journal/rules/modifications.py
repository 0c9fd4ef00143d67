"""Rules about the lines of an entry: which file, what happened to it, and what changed."""

from memdown.dialects.journal.rules.common import deviation_rule


@deviation_rule("JNL030", fix="add back-ticks")
def mod_no_backticks() -> None:
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


@deviation_rule("JNL031", fix="write the action")
def mod_unknown_action() -> None:
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


@deviation_rule("JNL032")
def mod_deleted_unsupported() -> None:
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


@deviation_rule("JNL033")
def mod_no_dash() -> None:
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


@deviation_rule("JNL034", fix="add a space")
def mod_no_space_after_action() -> None:
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


@deviation_rule("JNL035", fix="write ` - `")
def mod_no_space_around_dash() -> None:
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


@deviation_rule("JNL036", fix="write ` - `")
def mod_wrong_dash_char() -> None:
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


@deviation_rule("JNL037")
def mod_no_description() -> None:
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


@deviation_rule("JNL038")
def mod_no_action() -> None:
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


@deviation_rule("JNL039")
def mod_words_before_path() -> None:
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


@deviation_rule("JNL040")
def mod_several_paths() -> None:
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
