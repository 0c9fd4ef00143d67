"""What a session needs to know first: focus, state, blockers, work in progress, next steps."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime

from memdown.dialects.bank import dates, grammar, lines, names
from memdown.dialects.bank.items import items_in, section_of
from memdown.dialects.bank.sections import DOING, DONE, BankSection, ListItem, Outline, day_of, named, outline
from memdown.dialects.bank.templates import LAYERS, Layer
from memdown.dialects.bank.write import ACTIVE, PROGRESS
from memdown.markdown.blocks import comments
from memdown.markdown.line_ends import split_lines
from memdown.markdown.placeholders import is_untouched, unfilled
from memdown.patterns import lazy
from memdown.record import BriefPoint, Document
from memdown.text import Edit, Span, apply, line_end
from memdown.times import Moment

Placed = tuple[int, str]
"""Where something stands, and what it says."""
_FOCUS = "Current Focus"
_PLANNED = ("Upcoming", "Next Steps")
_NONE = lazy(
    r"\W*(?:none|nothing|nil|n/?a|no (?:active |current |known |open |major )?(?:blockers?|issues))\b"
    r"(?: (?:at (?:this|the) (?:time|moment|stage)|at present|currently|(?:for|right) now|now|yet|so far|known))*\W*"
    r"|\W*(?:none|n/?a|no (?:active |current |known |open |major )?blockers?) ?(?:[—–-]|[.:;(])"
    r"(?!.*\b(?:but|except|however|waiting|besides|still)\b).*"
)
"""Nothing, perhaps with the reason for it."""
_STRUCK = lazy(r"(?:\*\*|__)?~~[^~]+~~")
"""The beginning of an item that somebody struck out."""

_OVER = lazy(
    r"(?:\[[^\[\]\n]{1,40}\][ \t]*(?:[-–—:]+[ \t]*)?)?"
    r"(?:✅|[*_]{0,3}(?:completed(?: task)?|success|完成)[*_]{0,3}[ \t]*[:：])"
    r"|\[[^\[\]\n]{1,40}\][ \t]*[-–—:]+[ \t]*(?:[(（][^()（）\n]{1,40}[)）][ \t]*)?[*_\[]{0,3}"
    r"(?:(?:completed|finished|fixed|implemented|resolved)\b|已?完成了|已完成)",
    re.IGNORECASE,
)
_OVER_LAST = lazy(
    r"[(（](?:completed|done|finished|已完成|완료|завершено|готово)\b[^()（）]{0,40}[)）][*_ .]{0,4}$|✅[ \t]*$"
    r"|\b(?:completed|finished|implemented)(?: and tested)? successfully[*_ .!]{0,4}$",
    re.IGNORECASE,
)
"""Items that say themselves that they are over, wherever they stand."""

_BULLET = lazy(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LABELLED = lazy(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:(?:\*\*)?\[?(?P<day>\d{4}[^\]*\n]{1,30})\]?(?:\*\*)?[ \t]*[-–—:][ \t]*)?"
    r"\*\*(?P<label>[^*:：\n]{3,40})(?:[:：]\*\*|\*\*[:：])[ \t]*(?P<text>\S[^\n]*)",
    re.MULTILINE,
)
"""A line with a label in bold, perhaps after a date."""


_ASIDE = lazy(r"[(（][^()（）]*[)）]")
_FOCUS_LINES = 12


def read_order(document: Document) -> int | None:
    """Which place a file has among those that are read first, filled in or not."""
    layer = grammar.layer_of(document.canonical_path or document.path)
    return None if layer is None else LAYERS.index(layer)


def points(document: Document) -> Iterator[BriefPoint]:
    """What a file of the bank says of now."""
    layer = grammar.layer_of(document.canonical_path or document.path)
    if layer is None:
        return
    if not is_untouched(document.text):
        yield BriefPoint("read", 0, f"{LAYERS.index(layer)}")
    doc = document.of(outline)
    if layer == ACTIVE:
        yield from _lines_of("focus", *_focus(doc))
        section = _newest(doc, "Current State")
        yield from _lines_of("state", section.head.start if section else 0, state(doc) or "")
        for part, found in (("blocker", _blockers(doc)), ("next", _points(doc, ACTIVE, ("Next Steps",)))):
            yield from (BriefPoint(part, start, text) for start, text in found)
    elif layer == PROGRESS:
        for part, found in (("doing", _in_progress(doc)), ("planned", _points(doc, PROGRESS, _PLANNED))):
            yield from (BriefPoint(part, start, text) for start, text in found)


def _lines_of(part: str, start: int, text: str) -> Iterator[BriefPoint]:
    kept = [line for line in split_lines(text) if not dates.is_empty(line) and not dates.is_placeholder(line)]
    if all(_ASIDE.fullmatch(line.strip()) for line in kept):
        return  # a remark in brackets is what a form says of itself
    if len(kept) == 1:  # a list of one is a sentence
        kept = [_BULLET.sub("", kept[0])]
    yield from (BriefPoint(part, start, line.strip()) for line in kept[:_FOCUS_LINES])


def focus(active: Outline) -> str | None:
    """What the section says; in a file that is kept as a log, what its newest entry says."""
    return _focus(active)[1] or None


def _focus(active: Outline) -> Placed:
    """The same with its place. A label of a later day than all in the section takes its place."""
    section, text = _newest(active, _FOCUS), _text(active, _FOCUS) or ""
    newest = max(_labelled(active), key=lambda each: each[:2], default=None)
    if section and text:
        known = [at.local for at, span, _ in _dated(active) if section.head.start <= span.start < section.tree_end]
        if not (newest and known and newest[0] > max(known)):
            return section.head.start, text
    return (newest[1], newest[2]) if newest else (section.head.start if section else 0, "")


def _labelled(doc: Outline) -> Iterator[tuple[datetime, int, str]]:
    """Lines that name the focus by a label: the day of the line or of the heading above, its place, what it says."""
    day_first = dates.days_come_first(doc.text)
    starts = [section.head.start for section in doc.sections]
    for match in _LABELLED.finditer(doc.text):
        if names.canonical(match["label"], ACTIVE) == _FOCUS:
            above = bisect_right(starts, match.start()) - 1
            day = match["day"] or (doc.sections[above].title if above >= 0 else "")
            at = dates.moment(day, day_first=day_first)
            yield at.local if at else datetime.min, match.start(), match["text"].strip()


def state(active: Outline) -> str | None:
    return _text(active, "Current State")


def _blockers(active: Outline) -> list[Placed]:
    return [each for each in _points(active, ACTIVE, ("Blockers",)) if not _NONE.fullmatch(each[1].lower())]


def _in_progress(progress: Outline) -> list[Placed]:
    """What is below In Progress, and what is marked so anywhere."""
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
    section = _newest(doc, name)
    if section is None:
        return None
    region = Span(section.body, section.tree_end if section.level > 1 else section.end)
    text = apply(doc.text[: region.end], [Edit(span, "") for span in _outdated(doc, region)])[region.start :].strip()
    return None if _says_nothing(text) else text


def _newest(doc: Outline, name: str) -> BankSection | None:
    """The section that counts: of several with dates the one with the newest, else the one that is written to."""
    fitting = [each for each, own in zip(doc.sections, named(doc.sections, ACTIVE), strict=True) if own == name]
    if len(fitting) > 1:
        starts = [each.head.start for each in fitting]
        own = ((at, bisect_right(starts, span.start) - 1, span) for at, span, _ in _dated(doc))
        dated = [
            (at.local, number) for at, number, span in own if number >= 0 and span.start < fitting[number].tree_end
        ]
        if dated:
            return fitting[max(dated)[1]]
    return section_of(doc, ACTIVE, name)


def _outdated(doc: Outline, region: Span) -> list[Span]:
    """The entries of a dated list, in items, lines or sub-sections, that a newer one takes the place of."""
    found = [each for each in _dated(doc) if region.start <= each[1].start < region.end]
    found = [each for each in found if each[2]] or found
    newest = max((at.local for at, _, _ in found), default=datetime.min)
    rough = any(at.precision == "day" for at, _, _ in found)
    old = [span for at, span, _ in found if (at.local.date() < newest.date() if rough else at.local < newest)]
    outer: list[Span] = []
    for span in sorted(old):
        if not outer or span.start >= outer[-1].end:
            outer.append(span)
    return outer


def _dated(doc: Outline) -> Iterator[tuple[Moment, Span, bool]]:
    """Whatever begins or ends with a date, from where to where, and whether it has a heading."""
    day_first = dates.days_come_first(doc.text)
    for section in doc.sections:
        if at := dates.moment(section.title, day_first=day_first):
            yield at, Span(section.head.start, section.tree_end), True
    for item in doc.items:
        if item.depth == 0 and (at := day_of(doc.text_of(item), day_first=day_first)[0]):
            yield at, item.span, False
    for line in lines.log_lines(doc):
        match = lines.LOG_LINE.match(doc.text, line.start, line.end)
        if match and (at := dates.stamp(match["stamp"], day_first=day_first)):
            yield at, line, False


def _points(doc: Outline, layer: Layer, called: Iterable[str]) -> list[Placed]:
    """The open items of sections; where there are no items, the text there."""
    wanted = tuple(called)
    items = [item for item in items_in(doc, layer, wanted) if item.depth == 0]
    if items:
        found = _placed(doc, [each for each in items if each.state != DONE and not _is_blank(doc, each.start)])
        # A list of nothing but remarks in brackets is a form that nobody filled in.
        return [] if all(_ASIDE.fullmatch(text) for _, text in found) else found
    sections = (section_of(doc, layer, name) for name in wanted)
    texts = ((section.head.start, doc.text[section.body : section.end].strip()) for section in sections if section)
    return [(start, " ".join(text.split())) for start, text in texts if not _says_nothing(text)]


def _placed(doc: Outline, items: Iterable[ListItem]) -> list[Placed]:
    texts = ((item.start, doc.text_of(item)) for item in items)
    return [
        (start, text)
        for start, text in texts
        if not (_says_nothing(text) or _STRUCK.match(text) or _OVER.match(text) or _OVER_LAST.search(text[-80:]))
    ]


def _says_nothing(text: str) -> bool:
    """Whether there is nothing but placeholders, comments, and bullets without text."""
    seen = apply(text, [Edit(comment.span, "") for comment in comments(text)])
    return unfilled(seen) or all(dates.is_empty(line) for line in split_lines(seen))


def _is_blank(doc: Outline, start: int) -> bool:
    return dates.is_placeholder(doc.text[start : line_end(doc.text, start)])
