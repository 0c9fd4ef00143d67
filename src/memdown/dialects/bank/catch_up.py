"""Items that are done and changes that were made, written as the file itself does: marks, bullets, dates."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby

from memdown.dialects.bank import dates
from memdown.dialects.bank.items import (
    SectionEdit,
    boxed,
    checked,
    first_items,
    items_in,
    last_item,
    move_item,
    own_items,
    section_of,
)
from memdown.dialects.bank.sections import DONE, BankSection, ListItem, Outline, day_of, outline
from memdown.dialects.bank.write import ACTIVE, PROGRESS
from memdown.patterns import lazy
from memdown.text import Edit, Span, eol_of, with_eol

_MONTHS = (
    "January February March April May June July August September October November December".split()
)  # in English, whatever the machine speaks
_SPELLINGS = (
    *("{Y}-{m}-{d}", "{Y}/{m}/{d}", "{Y}.{m}.{d}", "{Y}年{m}月{d}日", "{Y}年 {m}月 {d}日"),
    *("{m}/{d}/{Y}", "{d}/{m}/{Y}"),
    *("{B} {d}, {Y}", "{B} {d} {Y}", "{b} {d}, {Y}", "{b} {d} {Y}", "{d} {B} {Y}", "{d} {b} {Y}"),
)
_STRUCTURE = lazy(r"#{1,6}\s|[>|]|[-*+]\s|\d{1,9}[.)]\s|\[.\]\s|```|~~~|<|---")
"""How a line begins that Markdown would take for more than text."""


def open_items(text: str, *sections: str) -> list[str]:
    """What is not done in some sections of the progress file, without what is inside of it."""
    doc = outline(text)
    return [doc.text_of(item) for item in items_in(doc, PROGRESS, sections) if item.depth == 0 and item.state != DONE]


def complete(text: str, wanted: str, day: date) -> SectionEdit:
    """An item of In Progress goes to Completed, marked and dated as the items there are."""
    doc = outline(text)
    doing = items_in(doc, PROGRESS, ("In Progress",))
    item = next(each for each in doing if each.depth == 0 and each.state != DONE and doc.text_of(each) == wanted)
    done = items_in(doc, PROGRESS, ("Completed",))
    section = section_of(doc, PROGRESS, "Completed", near=item)
    last = last_item(doc, section) if section else None
    before, after = affixes(doc, done[::-1], day)
    edits = _marked(doc, item, last)
    if last and last.marker in "-*+" and item.marker in "-*+":
        edits.append(Edit(Span(item.span.start, item.span.start + 1), last.marker))
    ends = (Edit(Span(item.text.start, item.text.start), before), Edit(Span(item.text.end, item.text.end), after))
    return move_item(doc, PROGRESS, item, "Completed", [*edits, *(each for each in ends if each.new)])


def _marked(doc: Outline, item: ListItem, last: ListItem | None) -> list[Edit]:
    """The mark of a completed item: a box if it has one, else what the last completed item has."""
    if item.boxed or last is None or last.boxed:
        return boxed(item, "[x]")
    mark = last.mark.of(doc.text) if last.mark and last.state == DONE else ""
    if item.mark:
        return [Edit(item.mark, mark)]
    return [Edit(Span(item.text.start, item.text.start), mark)] if mark else []


def has_recent_changes(text: str) -> bool:
    return section_of(outline(text), ACTIVE, "Recent Changes") is not None


def recent_changes(text: str, changes: Sequence[tuple[date, str]]) -> SectionEdit:
    """Changes, the newest first, put before those that the section has; behind them where it has the oldest first."""
    doc = outline(text)
    section = section_of(doc, ACTIVE, "Recent Changes")
    if section is None:
        raise ValueError("the caller asks has_recent_changes first")
    own = own_items(doc, section)
    days = [part for part in doc.sections if _is_day_below(doc, part, section)]
    if not own and days:
        return _with_days(doc, days, changes)
    ascending = _ascending([_moment(doc, doc.text_of(item)) for item in own])
    model = own[-1 if ascending else 0] if own else None
    begin = _begin(doc, model) if model else "- "
    lines = []
    for day, title in changes:
        before, after = affixes(doc, own[::-1] if ascending else own, day)
        lines.append(f"{begin}{before}{line_of(title)}{after}")
    return first_items(doc, section, model, lines[::-1] if ascending else lines, behind=ascending)


def line_of(title: str) -> str:
    """The title of a commit as the text of an item."""
    line = checked(title, "title of a commit")
    return f"Commit: {line}" if _STRUCTURE.match(line) else line


def _begin(doc: Outline, item: ListItem) -> str:
    """What an item begins with: bullet, and the mark if that says it is done."""
    is_open = item.mark is not None and item.state != DONE
    return doc.text[item.start : item.mark.start if item.mark and is_open else item.text.start]


def _is_day_below(doc: Outline, part: BankSection, section: BankSection) -> bool:
    inside = part.above is not None and doc.sections[part.above] is section
    return inside and _moment(doc, part.title) is not None


def _with_days(doc: Outline, days: Sequence[BankSection], changes: Sequence[tuple[date, str]]) -> SectionEdit:
    """Changes below headings of their days, where the section has such headings."""
    text, eol = doc.text, eol_of(doc.text)
    ascending = _ascending([_moment(doc, part.title) for part in days])
    model = days[-1 if ascending else 0]
    items = own_items(doc, model)
    begin = _begin(doc, items[0]) if items else "- "
    gap = text[model.body : items[0].start] if items else ""
    gap = with_eol(gap, "\n") if not gap.strip() else ""
    blocks = []
    for day, group in groupby(changes, key=lambda change: change[0]):
        lines = [f"{begin}{line_of(title)}\n" for _, title in group]
        blocks.append(f"{'#' * model.level} {_heading(doc, model.title, day)}\n{gap}{''.join(lines)}")
    if ascending:
        at = len(text[: model.tree_end].rstrip())
        edit = Edit(Span(at, at), with_eol("\n\n" + "\n".join(blocks[::-1]).rstrip("\n"), eol))
        return SectionEdit([edit], edit, 2 * len(eol))
    edit = Edit(Span(model.head.start, model.head.start), with_eol("\n".join(blocks) + "\n", eol))
    return SectionEdit([edit], edit)


def _heading(doc: Outline, title: str, day: date) -> str:
    """A heading for a day, with what stands around the date in another if that is no word."""
    token = dates.STAMP_PATTERN.search(title)
    new = _spelled(doc, token.group(), day) if token else None
    if token is None or new is None:
        return day.isoformat()
    around = title[: token.start()] + title[token.end() :]
    return new if any(map(str.isalnum, around)) else f"{title[: token.start()]}{new}{title[token.end() :]}"


def affixes(doc: Outline, items: Sequence[ListItem], day: date) -> tuple[str, str]:
    """What stands before and behind an item to tell its day, as the first dated one of these items has it."""
    day_first = dates.days_come_first(doc.text)
    for item in items:
        text = doc.text_of(item)
        at, rest = day_of(text, day_first=day_first)
        if at is None:
            continue
        before = text[: len(text) - len(rest)] if text.endswith(rest) else ""
        affix = before or text[len(rest) :]
        token = dates.STAMP_PATTERN.search(affix)
        new = _spelled(doc, token.group(), day) if token else None
        # Half of a pair of stars would make the rest of the item bold, or leave it so.
        if token and new and not any(affix.count(mark) % 2 for mark in ("**", "__")):
            affix = f"{affix[: token.start()]}{new}{affix[token.end() :]}"
            return (affix, "") if before else ("", affix)
    return "", f" — {day.isoformat()}"


def _spelled(doc: Outline, token: str, day: date) -> str | None:
    """A day as a date is spelled; None for a spelling with a time, or one that is not known."""
    at = dates.stamp(token, day_first=dates.days_come_first(doc.text))
    if at is None or at.precision != "day":
        return None
    for spelling in _SPELLINGS:
        for width in ("02", "01"):
            if _filled(spelling, at.local.date(), width) == token:
                return _filled(spelling, day, width)
    return None


def _filled(spelling: str, day: date, width: str) -> str:
    month = _MONTHS[day.month - 1]
    return spelling.format(Y=f"{day.year:04}", m=f"{day.month:{width}}", d=f"{day.day:{width}}", B=month, b=month[:3])


def _moment(doc: Outline, text: str) -> date | None:
    at = dates.moment(text, day_first=dates.days_come_first(doc.text))
    return at.local.date() if at else None


def _ascending(found: Sequence[date | None]) -> bool:
    known = [day for day in found if day]
    return len(known) > 1 and known[0] < known[-1]
