"""What would make the files of a bank shorter: the rules that know how many tokens they save."""

from collections.abc import Sequence

from msgspec import Struct

from memdown.acts.check import engine
from memdown.record import Document

CODES = ("BNK007", "BNK024", "BNK055", "BNK062", "BNK063", "BNK064")


class Suggestion(Struct, frozen=True):
    """One way to make a file shorter."""

    line: int
    does: str
    """What to do, a sentence without its period."""
    tokens: int
    """About how many it saves."""
    code: str
    """The rule that says so."""


def suggestions(documents: Sequence[Document]) -> dict[str, list[Suggestion]]:
    """For each of the files, what would make it shorter; the most first."""
    found: dict[str, list[Suggestion]] = {doc.path: [] for doc in documents}
    lines = {doc.path: doc.lines for doc in documents}
    for each in engine.check(documents, engine.Selection(CODES)):
        if each.saving:
            line = lines[each.path].at(each.span.start) + 1
            found[each.path].append(Suggestion(line, each.saving.does, each.saving.tokens, each.code))
    return {path: sorted(ways, key=lambda way: (-way.tokens, way.line)) for path, ways in found.items()}
