"""How a file of a bank is read whole or section by section: which sections there are, and what is wanted most."""

from collections.abc import Iterator

from memdown.dialects.bank.grammar import layer_of
from memdown.dialects.bank.sections import BankSection, Outline, outline
from memdown.dialects.bank.templates import LAYERS
from memdown.markdown import last_commit
from memdown.markdown.line_ends import split_lines
from memdown.markdown.placeholders import is_untouched, says_nothing, unfilled
from memdown.record import LaidOut, LaidOutPart
from memdown.text import Span

_LOG = LAYERS[-1]
_LAST = ("Completed", "Milestones")
"""Sections that are wanted least of their file."""


def laid_out(path: str, text: str) -> LaidOut | None:
    """A file of a bank as it is read for a task; None for the log, whose decisions are wanted one by one."""
    layer = layer_of(path)
    if layer is None or layer == _LOG:
        return None
    found = outline(text)
    bodies = (text[each.body : each.end] for each in found.sections if each.level > 1)
    whole = not any(unfilled(body) or last_commit.is_derived(body) for body in bodies)
    why = f"{layer.role.lower()}, a {'required' if layer.required else 'recommended'} file"
    return LaidOut(why, layer.order, layer.required, whole and bool(text.strip()), tuple(_parts(found)))


def _parts(found: Outline) -> Iterator[LaidOutPart]:
    """The sections of a file, the most wanted first."""
    level = min((section.level for section in found.sections if section.level > 1), default=2)
    inner = [section for section in found.sections if section.level == level]
    before = found.text[: inner[0].head.start] if inner else ""
    if any(line.strip() and not line.startswith("#") for line in split_lines(before)):
        yield LaidOutPart("", Span(0, len(before)), filled=not is_untouched(before))
    for section in sorted(inner, key=lambda each: each.title in _LAST):
        span = Span(section.head.start, section.tree_end)
        yield LaidOutPart(section.title, span, filled=not _is_empty(found, section))


def _is_empty(found: Outline, section: BankSection) -> bool:
    """Whether neither a section nor those below it say anything that somebody wrote: the last commit is no focus."""
    inside = (each for each in found.sections if section.head.start <= each.head.start < section.tree_end)
    bodies = (found.text[each.body : each.end] for each in inside)
    return all(says_nothing(body) or last_commit.is_derived(body) for body in bodies)
