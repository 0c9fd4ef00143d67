"""What `check` finds, kept for as long as nothing changes: a page asks for it more often than files change."""

from memdown.diagnostics import Diagnostic
from memdown.memory import Memory

_SMALL = 100_000
"""Characters of a file that are checked at once when nothing is known yet."""


class CheckedMemory:
    """The findings of one state of a memory."""

    def __init__(self) -> None:
        self.state = ""
        self.found: list[Diagnostic] = []
        self.lines: dict[str, list[int]] = {}

    def close(self) -> None:
        self.state = ""


def everything(memory: Memory) -> CheckedMemory:
    """All findings, worked out once for each state of the files."""
    kept, state = memory.opened(CheckedMemory), memory.questions.state()
    if kept.state != state:
        done = memory.check()
        where = {document.path: document.lines for document in done.documents}
        kept.found = done.diagnostics
        kept.lines = {}
        for each in kept.found:
            kept.lines.setdefault(each.path, []).append(where[each.path].position(each.span.start)[0])
        kept.state = state
    return kept


def in_file(memory: Memory, path: str) -> list[Diagnostic]:
    """The findings of a file: those that are known, else worked out now unless that would take long."""
    kept = memory.opened(CheckedMemory)
    if kept.state == memory.questions.state():
        return [each for each in kept.found if each.path == path]
    return memory.check([str(memory.root / path)]).diagnostics if len(memory.text(path)) < _SMALL else []
