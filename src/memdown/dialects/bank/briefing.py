"""What a session needs to know first: focus, state, blockers, work in progress, next steps."""

import re
from collections.abc import Iterable, Iterator

from memdown.dialects.bank import dates, grammar
from memdown.dialects.bank.items import items_in, section_of
from memdown.dialects.bank.sections import DOING, DONE, ListItem, Outline, outline, unfilled
from memdown.dialects.bank.templates import LAYERS, Layer
from memdown.dialects.bank.write import ACTIVE, PROGRESS
from memdown.markdown.blocks import comments
from memdown.patterns import lazy
from memdown.record import BriefPoint, Document
from memdown.text import Edit, apply, line_end

Placed = tuple[int, str]
"""Where something stands, and what it says."""
_PLANNED = ("Upcoming", "Next Steps")
_NONE = lazy(
    r"\W*(?:none|nothing|nil|n/?a|no (?:active |current |known |open |major )?(?:blockers?|issues))\b"
    r"(?: (?:at (?:this|the) (?:time|moment|stage)|at present|currently|(?:for|right) now|now|yet|so far|known))*\W*"
)


_LABELLED = lazy(
    r"^[ \t]*(?:[-*+][ \t]+)?\*\*Current Focus(?::\*\*|\*\*:)[ \t]*(\S[^\n]*)", re.MULTILINE | re.IGNORECASE
)


_ASIDE = lazy(r"[(（][^()（）]*[)）]")
_FOCUS_LINES = 12


def points(document: Document) -> Iterator[BriefPoint]:
    """What a file of the bank says of now."""
    layer = grammar.layer_of(document.canonical_path or document.path)
    if layer is None:
        return
    yield BriefPoint("read", 0, f"{LAYERS.index(layer)}")
    doc = document.of(outline)
    if layer == ACTIVE:
        yield from _lines_of("focus", doc, "Current Focus", focus(doc))
        yield from _lines_of("state", doc, "Current State", state(doc))
        for part, found in (("blocker", _blockers(doc)), ("next", _points(doc, ACTIVE, ("Next Steps",)))):
            yield from (BriefPoint(part, start, text) for start, text in found)
    elif layer == PROGRESS:
        for part, found in (("doing", _in_progress(doc)), ("planned", _points(doc, PROGRESS, _PLANNED))):
            yield from (BriefPoint(part, start, text) for start, text in found)


def _lines_of(part: str, doc: Outline, name: str, text: str | None) -> Iterator[BriefPoint]:
    section = section_of(doc, ACTIVE, name)
    start = section.head.start if section else 0
    kept = [line for line in (text or "").splitlines() if not dates.is_empty(line) and not dates.is_placeholder(line)]
    yield from (BriefPoint(part, start, line.strip()) for line in kept[:_FOCUS_LINES])


def focus(active: Outline) -> str | None:
    """What the section says; in a file that is kept as a log, what the entry at its end says."""
    labelled = _LABELLED.findall(active.text)
    return _text(active, "Current Focus") or (labelled[-1].strip() if labelled else None)


def state(active: Outline) -> str | None:
    return _text(active, "Current State")


def blockers(active: Outline) -> list[str]:
    return [text for _, text in _blockers(active)]


def next_steps(active: Outline, progress: Outline) -> list[str]:
    """Those of the active context, else what is planned in the progress file."""
    found = _points(active, ACTIVE, ("Next Steps",)) or _points(progress, PROGRESS, _PLANNED)
    return [text for _, text in found]


def in_progress(progress: Outline) -> list[str]:
    """What is below In Progress, and what is marked so anywhere."""
    return [text for _, text in _in_progress(progress)]


def _blockers(active: Outline) -> list[Placed]:
    return [each for each in _points(active, ACTIVE, ("Blockers",)) if not _NONE.fullmatch(each[1].lower())]


def _in_progress(progress: Outline) -> list[Placed]:
    inside = {item.start for item in items_in(progress, PROGRESS, ("In Progress",)) if item.depth == 0}
    if not inside:
        marked = _placed(progress, [item for item in progress.items if item.state == DOING])
        return marked or _points(progress, PROGRESS, ("In Progress",))
    return _placed(
        progress,
        [
            item
            for item in progress.items
            if (item.start in inside and item.state != DONE and not _is_blank(progress, item.start))
            or item.state == DOING
        ],
    )


def _text(doc: Outline, name: str) -> str | None:
    """What a section says with all that is below it; None when it says nothing yet."""
    section = section_of(doc, ACTIVE, name)
    if section is None:
        return None
    text = doc.text[section.body : section.tree_end if section.level > 1 else section.end].strip()
    return None if _says_nothing(text) else text


def _points(doc: Outline, layer: Layer, names: Iterable[str]) -> list[Placed]:
    """The open items of sections; where there are no items, the text there."""
    wanted = tuple(names)
    items = [item for item in items_in(doc, layer, wanted) if item.depth == 0]
    if items:
        found = _placed(doc, [each for each in items if each.state != DONE and not _is_blank(doc, each.start)])
        # A list of nothing but remarks in brackets is a form that nobody filled in.
        return [] if all(_ASIDE.fullmatch(text) for _, text in found) else found
    sections = (section_of(doc, layer, name) for name in wanted)
    texts = ((section.head.start, doc.text[section.body : section.end].strip()) for section in sections if section)
    return [(start, " ".join(text.split())) for start, text in texts if not _says_nothing(text)]


def _placed(doc: Outline, items: Iterable[ListItem]) -> list[Placed]:
    return [(item.start, text) for item in items if not _says_nothing(text := doc.text_of(item))]


def _says_nothing(text: str) -> bool:
    """Whether there is nothing but placeholders, comments, and bullets without text."""
    seen = apply(text, [Edit(comment.span, "") for comment in comments(text)])
    return unfilled(seen) or all(dates.is_empty(line) for line in seen.splitlines())


def _is_blank(doc: Outline, start: int) -> bool:
    return dates.is_placeholder(doc.text[start : line_end(doc.text, start)])
