"""Files of a layered store that grow by what was remembered: a heading for each thing, with its day and its reason."""

import re

from msgspec import Struct

from memdown.errors import Invalid
from memdown.patterns import lazy

LAYER = "command"
"""The layer of what the command `remember` keeps of a project."""


class RememberedFile(Struct, frozen=True):
    """A file of things that have a kind."""

    file_type: str
    title: str
    kind: str
    """What a record of it is called."""


_LEARNED = RememberedFile("lessons_learned", "Lessons Learned", "note")
FILES = {
    "decision": RememberedFile("decisions", "Decisions", "decision"),
    "directive": RememberedFile("conventions", "Conventions", "directive"),
    "memory": _LEARNED,
    "note": _LEARNED,
    "task": RememberedFile("todo", "To Do", "task"),
}
"""Where each kind stands that a memory may be of."""
KINDS = {file.file_type: file.kind for file in FILES.values()}

_HEADING = lazy(r"^ {0,3}#{1,2}(?:\s|$)", re.MULTILINE)
DATE = lazy(r"^\*\*Date\*\*:[ \t]*(\d{4}-\d{2}-\d{2})[ \t]*$", re.MULTILINE)
WHY = lazy(r"^\*\*Why\*\*:[ \t]*(\S[^\r\n]*)", re.MULTILINE)


def entry_text(title: str, day: str, text: str, why: str) -> str:
    """A thing as it is written; headings in its text are deeper than its own."""
    if _HEADING.search(text):
        raise Invalid(
            "The text has a heading of the first or second level in it, which would end it; use a deeper one."
        )
    parts = (f"## {title}", f"**Date**: {day}", text.strip(), f"**Why**: {' '.join(why.split())}" if why else "")
    return "\n\n".join(filter(None, parts))
