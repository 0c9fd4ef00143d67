"""Items that are done and changes that were made, written as the file itself does: marks, bullets, dates."""

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from itertools import groupby

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.items import (
    SectionEdit,
    boxed,
    checked,
    first_items,
    is_templated,
    items_in,
    last_item,
    move_item,
    new_section,
    own_items,
    prefix_like,
    section_of,
)
from memdown.dialects.bank.lines import log_lines
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
_CLOCKS = ("", " {H}:{M}:{S}", " {H}:{M}", "T{H}:{M}:{S}Z", "T{H}:{M}:{S}", "T{H}:{M}")
_LONGEST_DAY = len("September 30, 2025")
_LABELLED = lazy(r"^[ \t]*\*\*[^\r\n]*\S", re.MULTILINE)
"""A line that begins in bold."""
_STRUCTURE = lazy(r"#{1,6}\s|[>|]|[-*+]\s|\d{1,9}[.)]\s|\[.\]\s|```|~~~|<|---")
"""How a line begins that Markdown would take for more than text."""


def open_items(text: str, *sections: str) -> list[str]:
    """What is not done in some sections of the progress file, without what is inside of it."""
    doc = outline(text)
    return [doc.text_of(item) for item in items_in(doc, PROGRESS, sections) if item.depth == 0 and item.state != DONE]


def complete(text: str, wanted: str, at: datetime) -> SectionEdit | None:
    """An item of In Progress goes to Completed, marked and dated as the items there are.

    None when something inside of it is open, or when the file has no such section and is not written in English.
    """
    doc = outline(text)
    doing = items_in(doc, PROGRESS, ("In Progress",))
    item = next(each for each in doing if each.depth == 0 and each.state != DONE and doc.text_of(each) == wanted)
    section = section_of(doc, PROGRESS, "Completed", near=item)
    inside = [each for each in doc.items if item.span.start < each.span.start < item.span.end]
    has_open = any(each.mark for each in inside) and any(each.state != DONE for each in inside)
    heads = [section, doc.sections[item.section] if item.section is not None else None]
    is_remark = any(_is_one_thing(head) for head in heads if head)
    if has_open or is_remark or (section is None and not is_templated(doc, PROGRESS)):
        return None
    last = last_item(doc, section) if section else None
    before, after = _affixes(doc, [doc.text_of(each) for each in items_in(doc, PROGRESS, ("Completed",))[::-1]], at)
    edits = _marked(doc, item, last)
    marker = prefix_like(doc, last).strip() if last else item.marker
    if marker[-1:].isascii() and marker[:-1].isdigit() == item.marker[:-1].isdigit() and marker != item.marker:
        edits.append(Edit(Span(item.span.start, item.span.start + len(item.marker)), marker))
    ends = (Edit(Span(item.text.start, item.text.start), before), Edit(Span(item.text.end, item.text.end), after))
    return move_item(doc, PROGRESS, item, "Completed", [*edits, *(each for each in ends if each.new)])


def _is_one_thing(section: BankSection) -> bool:
    """Whether a heading names a thing and how it stands, as in "Task 13 (Completed)": items there are remarks on it."""
    name, bracket, _ = section.title.partition("(")
    return (
        bool(bracket) and name.isascii() and names.canonical(section.title, PROGRESS) != names.canonical(name, PROGRESS)
    )


def _marked(doc: Outline, item: ListItem, last: ListItem | None) -> list[Edit]:
    """The mark of a completed item: a box if it has one, else what the last completed item has."""
    if item.boxed or last is None or last.boxed:
        return boxed(item, "[x]")
    mark = last.mark.of(doc.text) if last.mark and last.state == DONE else ""
    if item.mark:
        return [Edit(item.mark, mark)]
    return [Edit(Span(item.text.start, item.text.start), mark)] if mark else []


def recent_changes(text: str, changes: Sequence[tuple[datetime, str]]) -> SectionEdit | None:
    """Changes, the newest first, put before those that the section has; behind them where it has the oldest first.

    None when the file has no such section and is not written as the template is.
    """
    doc = outline(text)
    section = section_of(doc, ACTIVE, "Recent Changes")
    if section is None:
        lines = [f"- {line_of(title)} — {at:%Y-%m-%d}" for at, title in changes]
        return new_section(doc, ACTIVE, "Recent Changes", "\n".join(lines)) if is_templated(doc, ACTIVE) else None
    own = own_items(doc, section)
    days = [part for part in doc.sections if _is_day_below(doc, part, section)]
    logged = [line for line in log_lines(doc) if section.body <= line.start < section.end]
    if not own and days:
        return _with_days(doc, days, changes)
    if not own and logged:
        return _logged(doc, logged, changes)
    if own and _LABELLED.search(text, section.body, own[0].start):
        own = []  # the list belongs to a label above it
    texts = [doc.text_of(item) for item in own]
    ascending = _ascending([_day_in(doc, text) for text in texts])
    model = own[-1 if ascending else 0] if own else None
    blank = next((item for item in doc.items if section.body <= item.start < section.end), None)
    begin = _begin(doc, model) if model else prefix_like(doc, blank) if blank else "- "
    lines = []
    for at, title in changes:
        before, after = _affixes(doc, texts[::-1] if ascending else texts, at)
        lines.append(f"{begin}{before}{line_of(title)}{after}")
    return first_items(doc, section, model, lines[::-1] if ascending else lines, behind=ascending)


def _logged(doc: Outline, logged: Sequence[Span], changes: Sequence[tuple[datetime, str]]) -> SectionEdit:
    """Changes as lines of a log that has no bullets."""
    text, eol = doc.text, eol_of(doc.text)
    rows = [line.of(text) for line in logged]
    ascending = _ascending([_day_in(doc, row) for row in rows]) or len(rows) == 1
    lines = []
    for at, title in changes:
        before, _ = _affixes(doc, rows[::-1] if ascending else rows, at)
        lines.append(f"{before or f'[{at:%Y-%m-%d}] - '}{line_of(title)}")
    if ascending:
        end = logged[-1].end
        edit = Edit(Span(end, end), "".join(f"{eol}{line}" for line in reversed(lines)))
        return SectionEdit([edit], edit, len(eol))
    edit = Edit(Span(logged[0].start, logged[0].start), "".join(f"{line}{eol}" for line in lines))
    return SectionEdit([edit], edit)


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
    return inside and _day_in(doc, part.title) is not None


def _with_days(doc: Outline, days: Sequence[BankSection], changes: Sequence[tuple[datetime, str]]) -> SectionEdit:
    """Changes below headings of their days, where the section has such headings."""
    text, eol = doc.text, eol_of(doc.text)
    ascending = _ascending([_day_in(doc, part.title) for part in days])
    model = days[-1 if ascending else 0]
    items = own_items(doc, model)
    begin = _begin(doc, items[0]) if items else "- "
    gap = text[model.body : items[0].start] if items else ""
    gap = with_eol(gap, "\n") if not gap.strip() else ""
    blocks = []
    for day, group in groupby(changes, key=lambda change: change[0].date()):
        lines = [f"{begin}{line_of(title)}\n" for _, title in group]
        blocks.append(
            f"{'#' * model.level} {_heading(doc, model.title, datetime.combine(day, time()))}\n{gap}{''.join(lines)}"
        )
    if ascending:
        at = len(text[: model.tree_end].rstrip())
        edit = Edit(Span(at, at), with_eol("\n\n" + "\n".join(blocks[::-1]).rstrip("\n"), eol))
        return SectionEdit([edit], edit, 2 * len(eol))
    edit = Edit(Span(model.head.start, model.head.start), with_eol("\n".join(blocks) + "\n", eol))
    return SectionEdit([edit], edit)


def _heading(doc: Outline, title: str, at: datetime) -> str:
    """A heading for a day, with what stands around the date in another if that is no word."""
    token = dates.STAMP_PATTERN.search(title)
    new = _spelled(doc, token.group(), at) if token else None
    if token is None or new is None or len(token.group()) > _LONGEST_DAY:
        return f"{at:%Y-%m-%d}"
    around = title[: token.start()] + title[token.end() :]
    return new if any(map(str.isalnum, around)) else f"{title[: token.start()]}{new}{title[token.end() :]}"


def _affixes(doc: Outline, texts: Sequence[str], at: datetime) -> tuple[str, str]:
    """What stands before and behind an item to tell its time, as the first dated one of these has it."""
    day_first = dates.days_come_first(doc.text)
    for text in texts:
        found, rest = day_of(text, day_first=day_first)
        if found is None:
            continue
        before = text[: len(text) - len(rest)] if text.endswith(rest) else ""
        affix = before or text[len(rest) :]
        token = dates.STAMP_PATTERN.search(affix)
        new = _spelled(doc, token.group(), at) if token else None
        # Half of a pair of stars would make the rest of the item bold, or leave it so.
        if token and new and not any(affix.count(mark) % 2 for mark in ("**", "__")):
            affix = f"{affix[: token.start()]}{new}{affix[token.end() :]}"
            return (affix, "") if before else ("", affix)
    return "", f" — {at:%Y-%m-%d}"


def _spelled(doc: Outline, token: str, at: datetime) -> str | None:
    """A time as another is spelled; None for a spelling that is not known."""
    found = dates.stamp(token, day_first=dates.days_come_first(doc.text))
    if found is None:
        return None
    for spelling in _SPELLINGS:
        for clock in _CLOCKS:
            for width in ("02", "01"):
                if _filled(spelling + clock, found.local, width) == token:
                    return _filled(spelling + clock, at, width)
    return None


def _filled(spelling: str, at: datetime, width: str) -> str:
    month = _MONTHS[at.month - 1]
    day = {"Y": f"{at.year:04}", "m": f"{at.month:{width}}", "d": f"{at.day:{width}}", "B": month, "b": month[:3]}
    return spelling.format(**day, H=f"{at.hour:02}", M=f"{at.minute:02}", S=f"{at.second:02}")


def _day_in(doc: Outline, text: str) -> date | None:
    at = dates.moment(text, day_first=dates.days_come_first(doc.text))
    return at.local.date() if at else None


def _ascending(found: Sequence[date | None]) -> bool:
    known = [day for day in found if day]
    return len(known) > 1 and known[0] < known[-1]
