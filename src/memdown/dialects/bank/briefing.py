"""What a session needs to know first: focus, state, blockers, work in progress, next steps."""

import re
from collections.abc import Iterable

from memdown.dialects.bank import dates
from memdown.dialects.bank.items import items_in, section_of
from memdown.dialects.bank.sections import DOING, DONE, Outline, unfilled
from memdown.dialects.bank.templates import Layer
from memdown.dialects.bank.write import ACTIVE, PROGRESS
from memdown.markdown.blocks import comments
from memdown.patterns import lazy
from memdown.text import Edit, apply, line_end

_NONE = lazy(
    r"\W*(?:none|nothing|nil|n/?a|no (?:active |current |known |open |major )?(?:blockers?|issues))\b"
    r"(?: (?:at (?:this|the) (?:time|moment|stage)|at present|currently|(?:for|right) now|now|yet|so far|known))*\W*"
)


_LABELLED = lazy(
    r"^[ \t]*(?:[-*+][ \t]+)?\*\*Current Focus(?::\*\*|\*\*:)[ \t]*(\S[^\n]*)", re.MULTILINE | re.IGNORECASE
)


def focus(active: Outline) -> str | None:
    """What the section says; in a file that is kept as a log, what the entry at its end says."""
    labelled = _LABELLED.findall(active.text)
    return _text(active, "Current Focus") or (labelled[-1].strip() if labelled else None)


def state(active: Outline) -> str | None:
    return _text(active, "Current State")


def blockers(active: Outline) -> list[str]:
    return [point for point in _points(active, ACTIVE, ("Blockers",)) if not _NONE.fullmatch(point.lower())]


def next_steps(active: Outline, progress: Outline) -> list[str]:
    """Those of the active context, else what is planned in the progress file."""
    return _points(active, ACTIVE, ("Next Steps",)) or _points(progress, PROGRESS, ("Upcoming", "Next Steps"))


def in_progress(progress: Outline) -> list[str]:
    """What is below In Progress, and what is marked so anywhere."""
    inside = {item.start for item in items_in(progress, PROGRESS, ("In Progress",)) if item.depth == 0}
    if not inside:
        marked = [progress.text_of(item) for item in progress.items if item.state == DOING]
        return marked or _points(progress, PROGRESS, ("In Progress",))
    return [
        progress.text_of(item)
        for item in progress.items
        if (item.start in inside and item.state != DONE and not _is_blank(progress, item.start)) or item.state == DOING
    ]


def _text(doc: Outline, name: str) -> str | None:
    """What a section says with all that is below it; None when it says nothing yet."""
    section = section_of(doc, ACTIVE, name)
    if section is None:
        return None
    text = doc.text[section.body : section.tree_end if section.level > 1 else section.end].strip()
    return None if _says_nothing(text) else text


def _points(doc: Outline, layer: Layer, names: Iterable[str]) -> list[str]:
    """The open items of sections; where there are no items, the text there."""
    wanted = tuple(names)
    items = [item for item in items_in(doc, layer, wanted) if item.depth == 0]
    if items:
        return [doc.text_of(each) for each in items if each.state != DONE and not _is_blank(doc, each.start)]
    sections = (section_of(doc, layer, name) for name in wanted)
    texts = (doc.text[section.body : section.end].strip() for section in sections if section)
    return [" ".join(text.split()) for text in texts if not _says_nothing(text)]


def _says_nothing(text: str) -> bool:
    """Whether there is nothing but placeholders, comments, and bullets without text."""
    seen = apply(text, [Edit(comment.span, "") for comment in comments(text)])
    return unfilled(seen) or all(dates.is_empty(line) for line in seen.splitlines())


def _is_blank(doc: Outline, start: int) -> bool:
    return dates.is_placeholder(doc.text[start : line_end(doc.text, start)])
