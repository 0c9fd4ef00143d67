"""What `check` finds, kept for as long as nothing changes: a page asks for it more often than files change."""

from pathlib import Path

from msgspec import Struct

from memdown.diagnostics import Diagnostic
from memdown.memory import Memory

_SMALL = 100_000
"""Characters of a file that are checked at once when nothing is known yet."""


class CheckedMemory(Struct, frozen=True):
    """The findings of one state of a memory."""

    state: str
    found: list[Diagnostic]
    lines: dict[str, list[int]]


_known: dict[Path, CheckedMemory] = {}
"""By project; shared by the threads of one server."""


def everything(memory: Memory) -> CheckedMemory:
    """All findings, worked out once for each state of the files."""
    kept, state = _known.get(memory.root), memory.questions.state()
    if kept is None or kept.state != state:
        done = memory.check()
        where = {document.path: document.lines for document in done.documents}
        lines: dict[str, list[int]] = {}
        for each in done.diagnostics:
            lines.setdefault(each.path, []).append(where[each.path].position(each.span.start)[0])
        kept = _known[memory.root] = CheckedMemory(state, done.diagnostics, lines)
    return kept


def in_file(memory: Memory, path: str) -> list[Diagnostic]:
    """The findings of a file: those that are known, else worked out now unless that would take long."""
    kept = _known.get(memory.root)
    if kept is not None and kept.state == memory.questions.state():
        return [each for each in kept.found if each.path == path]
    return memory.check([str(memory.root / path)]).diagnostics if len(memory.text(path)) < _SMALL else []
