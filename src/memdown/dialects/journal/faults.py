"""The error log: entries with a time and a title, or a section with the fields of an error."""

from collections.abc import Iterator, Sequence

from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.headings import ids_in, tasks_of
from memdown.dialects.journal.lines import lines_of
from memdown.dialects.journal.model import Deviation, ErrorEntry, ErrorLog, JournalField
from memdown.dialects.journal.sections import JournalSection, common_faults, fields, sections, tree_end
from memdown.patterns import lazy
from memdown.text import Span

_ERROR_FIELDS = frozenset("file error cause fix symptom function".split()) | {
    "error message",
    "error description",
    "root cause",
    "related task",
}
_NAMES = {"error message": "error", "error description": "error", "root cause": "cause", "related task": "task"}
_STRICT = lazy(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?: [A-Z]{3,4})?: \S.*")
_LEVELS = (2, 3)


def faults(text: str) -> ErrorLog:
    """Every error of a log."""
    lines = list(lines_of(text))
    found = sections(lines)
    wrong: list[Deviation] = list(common_faults(lines))
    made: list[ErrorEntry] = []
    for number, section in enumerate(found):
        if section.level not in _LEVELS or (made and section.head.start < made[-1].span.end):
            continue
        fault = _fault(found, number)
        if fault:
            made.append(fault)
            if section.level != 2 or not _STRICT.fullmatch(section.title):
                wrong.append(deviation("error-heading", section.head))
    return ErrorLog(tuple(made), tuple(sorted(wrong, key=lambda each: each.span.start)))


def _fault(found: Sequence[JournalSection], number: int) -> ErrorEntry | None:
    section = found[number]
    match = FORM["error"].fullmatch(section.title)
    named = dict(_fields(section))
    if not match and not named.keys() & _ERROR_FIELDS - {"fix"}:
        return None
    title = (match["text"] if match else section.title).strip()
    first = FORM["task-title"].fullmatch(title)
    tasks = tasks_of(f"{first['id']}: {first['title']}" if first and first["title"] is not None else title)
    ids = tasks.ids or (ids_in(named["task"].value) if "task" in named else ())
    return ErrorEntry(
        Span(section.head.start, tree_end(found, number)),
        section.head,
        match["stamp"] if match else "",
        ids,
        tasks.rest or title,
        named,
    )


def _fields(section: JournalSection) -> Iterator[tuple[str, JournalField]]:
    """The fields, each with the lines that follow it up to the next one."""
    lines = section.lines
    known = fields(lines)
    starts = sorted((field.span.start, key) for key, field in known.items())
    for number, (_, key) in enumerate(starts):
        field = known[key]
        end = starts[number + 1][0] if number + 1 < len(starts) else section.end
        below = [line for line in lines if field.span.end < line.span.start < end]
        value = "\n".join([field.value, *(line.text for line in below)]).strip()
        last = below[-1].span.end if below else field.at.end
        yield _NAMES.get(key, key), JournalField(key, value, Span(field.at.start, last), Span(field.span.start, last))
