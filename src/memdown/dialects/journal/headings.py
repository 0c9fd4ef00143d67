"""Headings of an edit history: the day, the entry, both in one line, and all the ways they are written."""

import re
from datetime import date

from msgspec import Struct, structs

from memdown.dialects import days
from memdown.dialects.journal import grammar
from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.lines import CLOSED, HEADING, JournalLine
from memdown.dialects.journal.model import Deviation
from memdown.patterns import lazy
from memdown.text import Edit, Span

DAY, ENTRY, OTHER = "day", "entry", "other"

_JOINT = lazy(r"[ \t]*(?:,|[-\u2010-\u2015\u2212]|T|_|@|at\b|:)?[ \t]*")
_NOTE = "\u2190"  # the arrow before a remark on the line
_DATE_LIKE = lazy(r"[\[(*_]*(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{4}-\d{1,2}\b|\d{1,2}/\d{1,2}\b)")
_BEFORE_DATE = lazy(
    r"(?i:(?:date:?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?)[ ]"
    r"|[\u2190-\u2bff\ufe0f\U0001f000-\U0001faff]+[ ]?)"
)
_MONTH_LIKE = lazy(
    r"(?i:[\[(*_]*(?:\d{1,2}(?:st|nd|rd|th)?[ ])?(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)"
    r"(?:[a-z]{0,6})\b\.?[ ,]+\d)"
)
_PLACEHOLDER = lazy(r"\[(?:DATE|TIME|YYYY[^\]]*|TODAY)\].*|YYYY-MM-DD.*|HH:MM.*", 2)
_SEPARATED = lazy(r"[ \t]*(?::|[-\u2010-\u2015\u2212]{1,2}|\|)[ \t]*(?=\S)")
_TASK_WORD = lazy(r"(?i:task[ ]?id|task):[ ]?(?=\S)")
_RANGE = lazy(r"T(\d{1,4})[ ]?(?:[-\u2010-\u2015\u2212]|to)[ ]?T(\d{1,4})")
_LEADING_DASH = lazy(r"[-|\u2010-\u2015\u2212][ ]+(?=\S)")
_WORDED_DAY = lazy(
    r"[\[(*_]*(?:(?i:(?:changes|day|edits?|entries|log|release|session|today|updates?|version|work)\b)[^\d\n]{0,12}"
    rf"|\[?v?\d+\.\d+(?:\.\d+)?\]?[ ]?[-:\u2010-\u2015(][ ]?)?(?P<day>{days.DAY})[\])*_]*"
)
_LONGEST_RANGE = 50
_DAY_LEVEL, _ENTRY_LEVEL = 3, 4


class EntryHeading(Struct, frozen=True):
    """One heading as it was understood."""

    kind: str
    level: int
    date: str | None = None
    clears: bool = False
    """A date that cannot be read: what follows has none."""
    time: str | None = None
    zone: str | None = None
    end: str | None = None
    tasks: tuple[str, ...] = ()
    text: str = ""
    deviations: tuple[Deviation, ...] = ()


class HeadingTasks(Struct, frozen=True):
    """The beginning of a description: which tasks it is about."""

    ids: tuple[str, ...]
    rest: str
    extended: bool


def heading(line: JournalLine) -> EntryHeading | None:
    """What a line with `#` first says; None when it is no heading. Dates are tried before times."""
    if line.hidden:
        return None
    if line.text.startswith("**"):
        return _bold(line)
    closed = CLOSED.search(line.text) if "#" in line.text[:4] and line.text.endswith("#") else None
    if not closed:
        return _with_hashes(line)
    found = _with_hashes(structs.replace(line, text=line.text[: closed.start()]))
    hashes = deviation("heading-closed", line.span, Edit(line.at(*closed.span()), ""))
    return structs.replace(found, deviations=(*found.deviations, hashes)) if found else None


def _with_hashes(line: JournalLine) -> EntryHeading | None:
    """A line with `#` first, and none behind it that close it."""
    match = HEADING.match(line.text) if "#" in line.text[:4] else None
    if not match:
        return None
    level, gap, text, offset = len(match["hashes"]), match["gap"], match["text"], match.start("text")
    found = _strict(line, level) or _dated(line, level, gap, text, offset) or _timed(line, level, gap, text, offset)
    if found or not gap:
        return found
    if level == _ENTRY_LEVEL and tasks_of(text).ids:
        return _entry(line, text, [deviation("time-missing", line.span)], EntryHeading(ENTRY, level))
    clears = bool(_PLACEHOLDER.fullmatch(text))
    unknown = deviation("unfilled" if clears else "heading-unknown", line.span)
    # The one title that a journal of edits has.
    known = level == 1 and "edit history" in text.lower()
    return EntryHeading(OTHER, level, text=text, clears=clears, deviations=() if known else (unknown,))


def _bold(line: JournalLine) -> EntryHeading | None:
    """A line in bold that stands for the heading of an entry: a time is in it."""
    match = FORM["bold-entry"].fullmatch(line.text)
    if not match:
        return None
    text, offset = match["text"], match.start("text")
    found = _dated(line, _ENTRY_LEVEL, " ", text, offset) or _timed(line, _ENTRY_LEVEL, " ", text, offset)
    if found is None:
        return None
    if found.kind == DAY:
        # Only a date alone: with more text it may be a sentence of an entry.
        if found.date is None or len(text.split()) > 1:
            return None
        mended = Edit(line.span, f"### {found.date}")
        return structs.replace(found, deviations=(deviation("date-heading-level", line.span, mended),))
    marks = (Edit(line.at(0, 2), "#" * _ENTRY_LEVEL + " "), Edit(line.at(len(line.text) - 2, len(line.text)), ""))
    return structs.replace(found, deviations=(deviation("entry-heading-level", line.span, *marks), *found.deviations))


def _strict(line: JournalLine, level: int) -> EntryHeading | None:
    if level == _DAY_LEVEL:
        match = FORM["date"].fullmatch(line.text)
        if match:
            known = calendar(match["date"])
            wrong = () if known else (deviation("date-not-calendar", line.span),)
            return EntryHeading(DAY, level, date=known, clears=known is None, deviations=wrong)
    match = FORM["entry"].fullmatch(line.text) if level == _ENTRY_LEVEL else None
    if not match:
        return None
    time = clock(*match["time"].split(":"))
    wrong = () if time else (deviation("time-out-of-range", line.at(*match.span("time"))),)
    base = EntryHeading(ENTRY, level, time=time, zone=match["zone"])
    return _entry(line, match["text"], [*wrong], base)


def _dated(line: JournalLine, level: int, gap: str, text: str, offset: int) -> EntryHeading | None:
    """A heading that begins with a date: a day, or an entry with the date in it."""
    before = _BEFORE_DATE.match(text)
    match = FORM["any-date"].match(text, before.end() if before else 0)
    if 1 < level <= _DAY_LEVEL and (ranged := _days(line, level, text)):
        return ranged
    worded = _worded_day(text) if not match and 1 < level <= _DAY_LEVEL else None
    iso = _iso(match) if match else None
    if worded:
        match, iso = worded
    if not match:
        if not (_DATE_LIKE.match(text) or _MONTH_LIKE.match(text)):
            return None
        return EntryHeading(DAY, level, clears=True, deviations=(deviation("date-heading-format", line.span),))
    if iso is None:
        return EntryHeading(DAY, level, clears=True, deviations=(deviation("date-not-calendar", line.span),))
    after = text[match.end() :]
    if after.lstrip().startswith(_NOTE):
        after = ""
    joint = _JOINT.match(after)
    skipped = match.end() + (joint.end() if joint else 0)
    if after and FORM["any-time"].match(text, skipped):
        found = _timed(line, level, " ", text[skipped:], offset + skipped)
        return _with_date(line, found, iso) if found else None
    wrong = [deviation("date-heading-format", line.span)]
    if not worded:
        wrong = _day_faults(line, level, gap, Span(offset, offset + match.end()), iso, after)
    cut = _SEPARATED.match(after)
    title = after[cut.end() :] if cut else ""
    tasks = tasks_of(title)
    return EntryHeading(DAY, level, date=iso, tasks=tasks.ids, text=tasks.rest, deviations=tuple(wrong))


def _days(line: JournalLine, level: int, text: str) -> EntryHeading | None:
    """A heading of several days, which is of the last of them: `2026-01-12 to 2026-01-15`."""
    before = _BEFORE_DATE.match(text)
    start = before.end() if before else 0
    ranged = days.range_from(text, start + len(text[start:]) - len(text[start:].lstrip("[(*_")))
    if ranged is None:
        return None
    after = text[ranged[0] :].lstrip("])*_")
    cut = _SEPARATED.match(after)
    tasks = tasks_of(after[cut.end() :] if cut else "")
    wrong = (deviation("date-heading-format", line.span),)
    day = ranged[1].local.date().isoformat()
    return EntryHeading(DAY, level, date=day, tasks=tasks.ids, text=tasks.rest, deviations=wrong)


def _worded_day(text: str) -> tuple[re.Match[str], str] | None:
    """The day of a heading in a rarer spelling, or behind a word as `Session 2025-12-05`."""
    match = _WORDED_DAY.match(text)
    found = days.certain(match["day"]) if match else []
    return (match, found[0].isoformat()) if match and found else None


def _day_faults(line: JournalLine, level: int, gap: str, at: Span, iso: str, after: str) -> list[Deviation]:
    wrong = []
    start = len(line.text) - len(line.text.lstrip())
    if level != _DAY_LEVEL:
        edit = Edit(line.at(start, start + level), "#" * _DAY_LEVEL)
        wrong.append(deviation("date-heading-level", line.span, edit))
    if gap != " ":
        edit = Edit(line.at(start + level, start + level + len(gap)), " ")
        wrong.append(deviation("date-heading-space", line.span, edit))
    written = line.text[at.start : at.end]
    if written != iso or after.strip():
        edits = (Edit(line.at(at.start, at.end), iso),) if written != iso and not after.strip() else ()
        wrong.append(deviation("date-heading-format", line.span, *edits))
    return wrong


def _with_date(line: JournalLine, entry: EntryHeading, iso: str) -> EntryHeading:
    kept = [each for each in entry.deviations if each.name != "entry-heading-level"]
    return structs.replace(entry, date=iso, deviations=(deviation("date-in-entry", line.span), *kept))


def _timed(line: JournalLine, level: int, gap: str, text: str, offset: int) -> EntryHeading | None:
    match = FORM["any-time"].match(text)
    if not match:
        return None
    wrong: list[Deviation] = []
    start = len(line.text) - len(line.text.lstrip())
    if level != _ENTRY_LEVEL:
        edit = Edit(line.at(start, start + level), "#" * _ENTRY_LEVEL)
        wrong.append(deviation("entry-heading-level", line.span, edit))
    if not gap:
        edit = Edit(line.at(start + level, start + level), " ")
        wrong.append(deviation("entry-no-space-after-hashes", line.span, edit))
    half = (match["half"] or "")[:1].lower()
    time = clock(match["hour"], match["minute"], match["second"] or "00", half)
    wrong += _time_faults(line, match, offset, time, half)
    zone = grammar.ZONE.match(text, match.end())
    at = zone.end() if zone else match.end()
    closed = at
    while text[at : at + 1] in ("]", ")", "*", "_"):
        at += 1
    if not text[0].isdigit() or at > closed:
        wrong.append(deviation("time-form", line.at(offset, offset + at)))
    letters = zone["zone"].upper() if zone else None
    if (
        zone
        and letters
        and not (zone["zone"].isupper() and letters.isalpha() and 3 <= len(letters) <= 4 and "(" not in zone.group())
    ):
        spot = line.at(offset + zone.start("zone"), offset + zone.end("zone"))
        edits = (Edit(spot, letters),) if zone["zone"] != letters else ()
        wrong.append(deviation("timezone-form", spot, *edits))
    rest, faults = _separated(line, text, at, offset)
    base = EntryHeading(ENTRY, level, time=time, zone=letters, end=match["end"])
    return _entry(line, text[rest:], [*wrong, *faults], base)


def _time_faults(line: JournalLine, match: re.Match[str], offset: int, time: str | None, half: str) -> list[Deviation]:
    first = match.start("hour")
    last = match.end("second") if match["second"] else match.end("minute")
    at = line.at(offset + first, offset + last)
    if time is None:
        return [deviation("time-out-of-range", at)]
    wrong = []
    if half:
        end = match.end("half")
        edit = Edit(line.at(offset + first, offset + end), time if match["second"] else time[:5])
        wrong.append(deviation("time-12-hour", at, *(() if match["end"] else (edit,))))
    elif len(match["hour"]) == 1:
        wrong.append(deviation("time-not-zero-padded", at, Edit(Span(at.start, at.start), "0")))
    if match["end"]:
        wrong.append(deviation("time-range", line.at(offset + match.start(), offset + match.end())))
    return wrong


def _separated(line: JournalLine, text: str, at: int, offset: int) -> tuple[int, list[Deviation]]:
    """Where the description begins, and what is wrong with the dash before it."""
    match = grammar.DASH.match(text, at)
    if not match:
        start = at + len(text[at:]) - len(text[at:].lstrip())
        edits = (Edit(line.at(offset + at, offset + start), " - "),) if text[start:] else ()
        return start, [deviation("entry-no-dash", line.span, *edits)]
    dash, end = match["dash"], match.end()
    before, after = match.start("dash") > at, end > match.end("dash") or end == len(text)
    mended = Edit(line.at(offset + at, offset + end), " - ")
    if len(dash) > 1 and set(dash) == {"-"}:
        return end, [deviation("entry-double-dash", line.span, mended)]
    if dash != "-":
        return end, [deviation("entry-wrong-dash-char", line.span, mended)]
    wrong = []
    if not before:
        wrong.append(deviation("entry-no-space-before-dash", line.span, mended))
    elif not after:
        wrong.append(deviation("entry-no-space-after-dash", line.span, mended))
    return end, wrong


def _entry(line: JournalLine, text: str, wrong: list[Deviation], base: EntryHeading) -> EntryHeading:
    """An entry with its tasks and its description, and what is wrong with those."""
    tasks = tasks_of(text)
    if tasks.extended:
        wrong.append(deviation("task-id-extended", line.span))
    if not tasks.rest:
        wrong.append(deviation("description-missing", line.span))
    return structs.replace(base, tasks=tasks.ids, text=tasks.rest, deviations=tuple(wrong))


def tasks_of(text: str) -> HeadingTasks:
    """The tasks a description begins with, as `T21: …`, `T21 …`, `T3, META-1: …`."""
    word = _TASK_WORD.match(text)
    start = word.end() if word else 0
    forms = (FORM["any-task"], FORM["bracketed-task"], FORM["listed-task"])
    match = next((found for form in forms if (found := form.fullmatch(text, start))), None)
    if not match:
        return _plain_task(text, start)
    ids = ids_in(match["ids"])
    rest = match["text"].lstrip()
    while ids and rest.startswith(f"{match['ids']}:"):  # the id twice, as generators write it
        rest = rest[len(match["ids"]) + 1 :].lstrip()
    extended = not (text.startswith(match["ids"]) and match["ids"][:1] == "T" and match["ids"][1:].isdigit())
    return HeadingTasks(ids, rest.strip(), extended)


def _plain_task(text: str, start: int) -> HeadingTasks:
    """`T21 …` without a colon; `T21` alone has no description."""
    if text.startswith(("T", "META-"), start) and grammar.ID.fullmatch(text, start):
        return HeadingTasks((text[start:],), "", start > 0)
    plain = FORM["task"].fullmatch(text, start)
    if not plain:
        return HeadingTasks((), text.strip(), False)
    dash = _LEADING_DASH.match(plain["text"])
    rest = plain["text"][dash.end() if dash else 0 :]
    return HeadingTasks((plain["ids"],), rest.strip(), start > 0)


def ids_in(text: str) -> tuple[str, ...]:
    """The ids that a list names, each once; a range `T9-T12` is all between."""
    found: dict[str, None] = {}
    for match in grammar.ID.finditer(text):
        found[match.group()] = None
    for match in _RANGE.finditer(text):
        first, last = int(match[1]), int(match[2])
        if first < last <= first + _LONGEST_RANGE:
            found |= {f"T{number}": None for number in range(first, last + 1)}
    return tuple(found)


def calendar(text: str) -> str | None:
    """The date, when there is such a day."""
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _iso(match: re.Match[str]) -> str | None:
    parts = match.groupdict()
    month = parts["number"]
    if month is None:
        name = (parts["month"] or parts["month3"]).lower()[:3]
        month = str(grammar.MONTHS.index(name) + 1)
    year = parts["year"] or parts["year2"] or parts["year3"]
    day = parts["day"] or parts["day2"] or parts["day3"]
    return calendar(f"{year}-{int(month):02}-{int(day):02}")


def clock(hour: str, minute: str, second: str = "00", half: str = "") -> str | None:
    """HH:MM:SS, when there is such a time; `half` is a or p for twelve hours."""
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half == "p" else 0)
    if hours > 23 or int(minute) > 59 or int(second) > 59:
        return None
    return f"{hours:02}:{minute}:{second}"
