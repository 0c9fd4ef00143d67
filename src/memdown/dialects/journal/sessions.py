"""Session files and the session cache: period, focus, status, counts, and the sessions that are listed."""

from collections.abc import Iterator, Mapping, Sequence
from re import Match

from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.headings import calendar, ids_in
from memdown.dialects.journal.lines import JournalLine, lines_of, stamps_of
from memdown.dialects.journal.model import Deviation, JournalField, SessionFile
from memdown.dialects.journal.sections import JournalSection, common_faults, fields, sections, value_of
from memdown.patterns import lazy
from memdown.text import Span

SESSION_FILE = lazy(r"sessions/(?P<file>[^`\s)\]]+\.md)")


def session(text: str) -> SessionFile:
    """A session file. Its date and period are empty when the title has none; the name of the file tells them then."""
    lines = list(lines_of(text))
    found = sections(lines)
    stamps = stamps_of(lines)
    first = next((section for section in found if section.level == 1), None)
    title = first.title if first else ""
    match = FORM["session-title"].fullmatch(title)
    known = _session_fields(found)
    focus = _focus(found, known)
    wrong = list(common_faults(lines))
    if first is None or not match:
        top = first.head if first else Span(0, lines[0].span.end if lines else 0)
        wrong.append(deviation("title-form", top))
    if not focus and lines:
        wrong.append(deviation("field-missing", lines[0].span, message="The session has no focus task."))
    counts, at = _counts(found)
    return SessionFile(
        calendar(match["date"]) if match else None,
        match["period"].strip(" -").lower() if match else "",
        title,
        focus,
        ids_in(focus),
        value_of(known, "status") or value_of(stamps, "status"),
        value_of(known, "started") or value_of(stamps, "created") or value_of(stamps, "date"),
        counts=counts,
        counted_at=at,
        fields=known,
        deviations=tuple(sorted(wrong, key=lambda each: each.span.start)),
    )


def cache(text: str) -> SessionFile:
    """The session cache."""
    lines = list(lines_of(text))
    found = sections(lines)
    known = _session_fields(found)
    counts, at = _counts(found)
    named = SESSION_FILE.search(value_of(known, "session file") or value_of(known, "session"))
    file = named["file"] if named else value_of(known, "session").strip("`")
    wrong = [*common_faults(lines), *_cache_faults(found, known, counts)]
    focus = value_of(known, "focus task") or value_of(known, "focus")
    day = calendar(file[:10])
    return SessionFile(
        day,
        file[11:].removesuffix(".md") if day else "",
        "",
        focus,
        ids_in(focus),
        value_of(known, "status"),
        value_of(known, "started"),
        file if file.endswith(".md") else "",
        counts,
        at,
        tuple(_history(found)),
        known,
        tuple(sorted(wrong, key=lambda each: each.span.start)),
    )


def _cache_faults(
    found: Sequence[JournalSection], known: Mapping[str, JournalField], counts: Mapping[str, int]
) -> Iterator[Deviation]:
    if not found:
        return
    top = found[0].head if found[0].level else Span(found[0].head.start, found[0].end)
    for key, label in (("started", "Started"), ("focus task", "Focus Task"), ("session file", "Session File")):
        if key not in known:
            yield deviation("field-missing", top, message=f"The cache has no **{label}**.")
    if not counts:
        yield deviation("field-missing", top, message="The cache has no line of counts.")


def _session_fields(found: Sequence[JournalSection]) -> Mapping[str, JournalField]:
    """The fields of the session itself, the current one first: those of a section on one task are about that task."""
    made: dict[str, JournalField] = {}
    for section in sorted(found, key=lambda each: each.title.lower() != "current session"):
        if section.level > 2 and FORM["task-title"].fullmatch(section.title):
            continue
        for key, field in fields(section.lines).items():
            made.setdefault(key, field)
    return made


def _focus(found: Sequence[JournalSection], known: Mapping[str, JournalField]) -> str:
    """The focus as a field, or the first line below its heading."""
    inline = value_of(known, "focus task") or value_of(known, "focus")
    if inline:
        return inline
    for section in found:
        if section.title.lower().rstrip("s: ") in ("focus task", "focu", "focus"):
            return next((line.text.strip(" \t-*#") for line in section.lines if not line.hidden), "")
    return ""


def _counts(found: Sequence[JournalSection]) -> tuple[Mapping[str, int], Span | None]:
    """The counts of one line, or of several lines in a row."""
    made: dict[str, int] = {}
    at: Span | None = None
    for section in found:
        for line in section.lines:
            numbers = {match["name"].lower(): int(match["number"]) for match in counted(line)}
            if numbers and not numbers.keys() & made.keys() and (not at or line.span.start - at.end < 4):
                made |= numbers
                at = Span(at.start if at else line.span.start, line.span.end)
    return made, at


def counted(line: JournalLine) -> list[Match[str]]:
    """The counts of a list item, or of a line that begins with one; other lines only tell of counts."""
    told = line.text.lstrip()
    if line.hidden or not (told.startswith(("-", "* ")) or FORM["counts"].match(told.lstrip("*"))):
        return []
    return list(FORM["counts"].finditer(line.text))


def _history(found: Sequence[JournalSection]) -> Iterator[str]:
    for section in found:
        if section.title.lower().startswith("session history"):
            for line in section.lines:
                match = None if line.hidden else SESSION_FILE.search(line.text)
                if match:
                    yield match["file"]
