"""The error log: entries with a time and a title, or a section with the fields of an error."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, takewhile

from memdown.dialects import days
from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.headings import EntryHeading, heading, ids_in, tasks_of
from memdown.dialects.journal.lines import JournalLine, is_rule, lines_of
from memdown.dialects.journal.model import Deviation, ErrorEntry, ErrorLog, JournalField
from memdown.dialects.journal.sections import JournalSection, common_faults, fields, sections, tree_end, unread
from memdown.patterns import lazy
from memdown.text import Span

_ERROR_FIELDS = frozenset("file error cause fix symptom function".split()) | {
    "error message",
    "error description",
    "root cause",
    "related task",
}
_NAMES = {
    **dict.fromkeys(("error message", "error description", "symptom", "symptoms", "problem"), "error"),
    **dict.fromkeys(("root cause", "reason"), "cause"),
    **dict.fromkeys(("resolution", "solution", "fix applied"), "fix"),
    "related task": "task",
}
_PLAIN = lazy(
    r"[ \t]{0,3}[-*+][ \t]+(?P<key>(?i:file|error(?: message)?|symptoms?|problem|(?:root )?cause|reason|fix|resolution"
    r"|solution|status|(?:related )?task)):[ \t]+(?P<value>\S.*)"
)
"""A field in a list without bold type."""
_STRICT = lazy(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [A-Z]{3,4})?: \S.*")
_LEVELS = (2, 3)
_LOOKS_LIKE = lazy(
    r"[ \t]*[*_\[]*\d{4}-\d{2}-\d{2}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?(?:[ ][A-Z]{3,4})?)?[*_\]]*"
    r"(?:[ ]?[:\u2010-\u2015-][ ].*|[ ]\S.*)?"
    r"|[ \t]*\*\*(?:File|Error|Error Message|Cause|Root Cause)(?::\*\*|\*\*:).*"
)
"""The heading of an error that has lost its `##`, and the fields below one."""
_UNREAD = (
    "These lines look like errors that lost their `##`, and are not read; write `## YYYY-MM-DD HH:MM ZONE: Title` above"
    " them."
)


def faults(text: str) -> ErrorLog:
    """Every error of a log."""
    lines = list(lines_of(text))
    found = sections(lines)
    wrong: list[Deviation] = list(common_faults(lines))
    made: list[ErrorEntry] = []
    day = ""
    for number, section in enumerate(found):
        if section.level not in _LEVELS or (made and section.head.start < made[-1].span.end):
            continue
        if section.level == _LEVELS[0]:
            day = _day_of_many(found, number)
        fault = None if day and section.level == _LEVELS[0] else _fault(found, number, day)
        if fault:
            made.append(fault)
            if section.level != 2 or not _STRICT.fullmatch(section.title):
                wrong.append(deviation("error-heading", section.head))
    wrong += unread(text, lines, [fault.span for fault in made], _LOOKS_LIKE, _UNREAD)
    return ErrorLog(tuple(made), tuple(sorted(wrong, key=lambda each: each.span.start)))


def _day_of_many(found: Sequence[JournalSection], number: int) -> str:
    """The day that a section is, when errors stand in sections of it; empty for an error of its own."""
    section = found[number]
    known = _heading(section.title)
    below = islice(found, number + 1, None)
    inner = takewhile(lambda each: each.level > section.level, below)
    if not known or not known.date or known.time or known.text or section.lines:
        return ""
    return known.date if any(_is_fault(each) for each in inner) else ""


def _is_fault(section: JournalSection) -> bool:
    return bool(fields(section.lines).keys() & _ERROR_FIELDS - {"fix"})


def _all_fields(section: JournalSection) -> Mapping[str, JournalField]:
    """The fields of an error: in bold type, else those of a list."""
    found = dict(fields(section.lines))
    for line in section.lines:
        match = None if line.hidden else _PLAIN.fullmatch(line.text)
        if match:
            at = line.at(*match.span("value"))
            found.setdefault(match["key"].lower(), JournalField(match["key"].lower(), match["value"], at, line.span))
    return found


def _fault(found: Sequence[JournalSection], number: int, day: str) -> ErrorEntry | None:
    section = found[number]
    named: dict[str, JournalField] = {}
    for name, field in _fields(section):
        if name not in named or field.key == name:
            named[name] = field
    stamp, title = _stamped(section.title, day)
    if not stamp and not _is_fault(section):
        return None
    if not stamp:
        at = days.moment(section.title)
        stamp = at.rfc3339() if at else day
    first = FORM["task-title"].fullmatch(title)
    tasks = tasks_of(f"{first['id']}: {first['title']}" if first and first["title"] is not None else title)
    ids = tasks.ids or (ids_in(named["task"].value) if "task" in named else ())
    return ErrorEntry(
        Span(section.head.start, tree_end(found, number)), section.head, stamp, ids, tasks.rest or title, named
    )


def _stamped(title: str, day: str) -> tuple[str, str]:
    """The time that a heading begins with, and what it says; the day above it counts for a time alone."""
    match = FORM["error"].fullmatch(title)
    if match and not FORM["any-time"].match(match["text"]):
        return match["stamp"], match["text"].strip()
    known = _heading(title)
    date = (known.date or day) if known and (known.date or known.time) else ""
    if not known or not date:
        return "", title
    listed = f"{', '.join(known.tasks)}: " if known.tasks else ""
    return " ".join(filter(None, (date, known.time, known.zone))), f"{listed}{known.text}".strip()


def _heading(title: str) -> EntryHeading | None:
    """A title read as a heading of an edit history is, with every spelling of days and times."""
    line = f"## {title}"
    return heading(JournalLine(line, Span(0, len(line)), hidden=False))


def _fields(section: JournalSection) -> Iterator[tuple[str, JournalField]]:
    """The fields, each with the lines that follow it up to the next one."""
    lines = section.lines
    known = _all_fields(section)
    starts = sorted((field.span.start, key) for key, field in known.items())
    for number, (_, key) in enumerate(starts):
        field = known[key]
        end = starts[number + 1][0] if number + 1 < len(starts) else section.end
        below = [line for line in lines if field.span.end < line.span.start and line.span.end <= end]
        while below and (is_rule(below[-1].text) or not below[-1].text.strip()):
            below.pop()
        value = "\n".join([field.value, *(line.text for line in below)]).strip()
        last = below[-1].span.end if below else field.at.end
        yield _NAMES.get(key, key), JournalField(key, value, Span(field.at.start, last), Span(field.span.start, last))
