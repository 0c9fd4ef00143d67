"""Session files, the session cache and the error log as memdown writes them: by section, never the whole file."""

from collections.abc import Iterator, Mapping, Sequence
from re import Match

from memdown.dialects.journal import grammar, write_common
from memdown.dialects.journal.faults import faults
from memdown.dialects.journal.lines import JournalLine, lines_of
from memdown.dialects.journal.sections import fields, sections, state_of, value_of
from memdown.dialects.journal.sessions import SESSION_FILE, cache, counted, session
from memdown.dialects.journal.write_common import file_path, one_line
from memdown.errors import Invalid, quote
from memdown.markdown.placeholders import is_placeholder
from memdown.patterns import lazy
from memdown.text import Edit, Span, after_line, line_start

FIELDS = ("Started", "Focus Task", "Session File", "Status", "Ended")
"""Of a session in its file and in the cache, in their order."""
HISTORY_LENGTH = 5
COUNTS = ("active", "paused", "completed", "cancelled")
_ALIASES = {"Started": ("time",), "Focus Task": ("focus",), "Session File": ("session",)}
"""Labels that other writers of a cache have for the same."""
_SESSION_NAME = lazy(r"`?(?:[\w./-]{0,200}/)?\d{4}-\d\d-\d\d[\w.:-]{0,80}`?")
_LETTERS = lazy(r"[^\W\d_]+")
NO_FOCUS = "-"
"""What a session file and the cache have where no focus is known."""
_ROW = lazy(r"(?P<number>\d{1,4})\. (?P<listed>.*)")
_COUNTS_LINE = lazy(r"- Active: \d+ \| Paused: \d+ \| Completed: \d+(?: \| Cancelled: \d+)?")


def session_place(date: str, period: str) -> str:
    """The file of a session, inside the journal."""
    if not period or not all(part.isalnum() for part in period.split("-")):
        raise Invalid(f"{quote(period)} is not a period; use {', '.join(name for _, name in grammar.PERIODS)}.")
    return f"sessions/{date}-{period}.md"


def session_text(*, date: str, period: str, now: str, focus: str) -> str:
    """A new session file."""
    title = f"Session {date} - {period.replace('-', ' ').title()}"
    return (
        f"{write_common.head(title, now)}\n**Started**: {now}\n**Focus Task**: {one_line(focus, 'focus')}\n"
        f"**Status**: {grammar.EMOJI['in_progress']} In Progress\n\n## Work Done\n\n## Decisions\n\n## Next Steps\n"
    )


def add_note(text: str, note: str, *, section: str = "Work Done", now: str | None = None) -> list[Edit]:
    """A bullet at the end of a section of a session file; the section is added when it is not there."""
    part = write_common.section_named(text, section.lower())
    line = f"- {one_line(note, 'note')}\n"
    stamped = write_common.restamped(text, now)
    if part is None:
        return [*stamped, write_common.appended(text, f"## {one_line(section, 'section')}\n{line}")]
    last = part.lines[-1].span if part.lines else part.head
    return [*stamped, write_common.inserted_below(text, last, line)]


def update_session(text: str, values: Mapping[str, str], now: str | None = None) -> list[Edit]:
    """Other fields of the session in a session file or in the cache, by their labels.

    Where there is a section on the current session, what others say is about sessions that are over.
    """
    current = write_common.section_named(text, "current session")
    known = dict(fields(current.lines) if current else session(text).fields)
    for label, others in _ALIASES.items():
        other = next((name for name in others if name in known), None)
        if label.lower() not in known and other:
            known[label.lower()] = known[other]
    named = known.get("session file")
    if named and named.key == "session" and "/" not in named.value and "Session File" in values:
        values = {**values, "Session File": values["Session File"].strip("`").removeprefix("sessions/")}
    return [*write_common.restamped(text, now), *write_common.set_fields(text, values, known, FIELDS, _top(text))]


def without_end(text: str) -> list[Edit]:
    """The cache without the line that says when its session ended: another one begins."""
    current = write_common.section_named(text, "current session")
    lines = current.lines if current else ()
    ended = (line for line in lines if [field.key for field in fields((line,)).values()] == ["ended"])
    return [Edit(Span(line_start(text, each.span.start), after_line(text, each.span.start)), "") for each in ended]


def cache_text(*, now: str, focus: str, file: str, counts: Mapping[str, int], period: str) -> str:
    """A new session cache."""
    return (
        f"{write_common.head('Session Cache', now)}\n## Current Session\n**Started**: {now}\n"
        f"**Focus Task**: {one_line(focus, 'focus')}\n**Session File**: `sessions/{file_path(file)}`\n"
        f"**Status**: {grammar.EMOJI['in_progress']} In Progress\n\n## Overview\n{counts_text(counts)}"
        f"- Last Session: -\n- Current Period: {period}\n\n## Session History (Last {HISTORY_LENGTH})\n"
    )


def counts_text(counts: Mapping[str, int]) -> str:
    """The line of counts."""
    return "- " + " | ".join(f"{name.title()}: {counts.get(name, 0)}" for name in COUNTS) + "\n"


def set_counts(text: str, counts: Mapping[str, int], before: Mapping[str, int] | None = None) -> list[Edit]:
    """Other numbers in the line of counts, or such a line below `## Overview`; every other character stays.

    Who writes counts in a form of their own may count otherwise: there, a number follows only when it was that of
    the registry `before`.
    """
    at = cache(text).counted_at
    if at:
        inside = [line for line in lines_of(text) if at.start <= line.span.start < at.end]
        return [edit for line in inside for edit in _renumbered(line, counts, before or counts)]
    section = write_common.section_named(text, "overview")
    if section is None:
        return [write_common.appended(text, f"## Overview\n{counts_text(counts)}")]
    return [write_common.inserted_below(text, section.head, counts_text(counts))]


def _renumbered(line: JournalLine, counts: Mapping[str, int], before: Mapping[str, int]) -> Iterator[Edit]:
    """Other numbers in a line of counts; none in a line that has a name twice, or more to say about a number."""
    found = {match["name"].lower(): match for match in counted(line)}
    if len(found) < len(counted(line)) or not all(_is_alone(match) for match in found.values()):
        return
    own = _COUNTS_LINE.fullmatch(line.text)
    for name, match in found.items():
        old, new = int(match["number"]), counts.get(name, 0)
        if name in COUNTS and old != new and (own or old == before.get(name, 0)):
            yield Edit(line.at(*match.span("number")), str(new))


def _is_alone(match: Match[str]) -> bool:
    """Whether a count has a bar, a comma or an end of the line on both sides."""
    left, right = match.string[: match.start()].rstrip(" \t*"), match.string[match.end() :].lstrip(" \t*")
    return left[-1:] in ("", "-", "|", ",") and right[:1] in ("", "|", ",")


def set_overview(text: str, label: str, value: str) -> list[Edit]:
    """Another value of a line `- Current Period: …` or `- Last Session: …`; nothing when it is not there."""
    found = _overview(text, label)
    if found is None or found.of(text) == one_line(value, label):
        return []
    return [Edit(found, value)]


def set_last_session(text: str, file: str) -> list[Edit]:
    """The session before this one, spelled as its line in the overview spells them."""
    found = _overview(text, "Last Session")
    old = found.of(text) if found else ""
    name = f"sessions/{file}" if "sessions/" in old else file
    return set_overview(text, "Last Session", f"`{name}`" if old.startswith("`") else name)


def _overview(text: str, label: str) -> Span | None:
    start = f"- {label}: "
    for line in lines_of(text):
        if not line.hidden and line.text.startswith(start.rstrip()):
            return line.at(min(len(start), len(line.text)), len(line.text))
    return None


def told(text: str) -> dict[str, str]:
    """What a cache says of its session in words of its own, by label: a state, a time or a file is none."""
    found = cache(text).fields
    said = {label: value_of(found, label.lower()) for label in ("Time", "Focus Task", "Focus", "Status", "Ended")}
    last = _overview(text, "Last Session")
    said["Last Session"] = last.of(text) if last else ""
    return {label: value for label, value in said.items() if _says_more(label, value)}


def _says_more(label: str, value: str) -> bool:
    if is_placeholder(value) or not value.strip(" -"):
        return False
    if label in ("Focus Task", "Focus", "Time", "Ended"):
        return True
    few = 2 if state_of(value) else 1
    return len(_LETTERS.findall(_SESSION_NAME.sub("", value))) > few


def push_history(
    text: str, file: str, brief: str, keep: int = HISTORY_LENGTH, below: Mapping[str, str] | None = None
) -> list[Edit]:
    """A session first in the history, the others renumbered, those beyond the limit taken out; the files stay.

    Without a file it is told by its brief alone. What stands `below` its row are words of the cache about it.
    """
    section = write_common.section_named(text, "session history")
    named = f"`sessions/{file_path(file)}`" if file else ""
    told = "" if named and brief == NO_FOCUS else one_line(brief, "summary")
    row = " - ".join(filter(None, (named, told))) + "\n" + _said(below or {})
    if section is None:
        return [write_common.appended(text, f"## Session History (Last {keep})\n1. {row}")]
    rows = [(line, match) for line in section.lines if (match := _ROW.fullmatch(line.text))]
    at = line_start(text, rows[0][0].span.start) if rows else after_line(text, section.head.end - 1)
    edits: list[Edit] = []
    number = 1
    for line, match in rows:
        whole = Span(line_start(text, line.span.start), _row_end(text, section.lines, line))
        again = bool(file) and match["listed"].startswith(f"`sessions/{file}`")
        if again:
            row += text[after_line(text, line.span.start) : whole.end]
        if again or number >= keep:
            edits.append(Edit(whole, ""))
            continue
        number += 1
        if match["number"] != str(number):
            edits.append(Edit(line.at(*match.span("number")), str(number)))
    return [write_common.inserted(text, at, f"1. {row}"), *edits]


def open_items(text: str) -> Iterator[tuple[str, Span]]:
    """The rows of a cache's history, as a report names them, and where they stand."""
    section = write_common.section_named(text, "session history")
    for line in section.lines if section else ():
        match = _ROW.fullmatch(line.text)
        if match and section:
            named = SESSION_FILE.search(match["listed"])
            what = f"session {quote(named['file'] if named else match['listed'])}"
            yield what, Span(line.span.start, _row_end(text, section.lines, line))


def keep_told(text: str, file: str, below: Mapping[str, str]) -> list[Edit]:
    """Words of the cache about a session, below its row in the history."""
    section = write_common.section_named(text, "session history")
    for line in section.lines if section else ():
        match = _ROW.fullmatch(line.text)
        if match and SESSION_FILE.search(match["listed"]) and file in match["listed"]:
            return [write_common.inserted_below(text, line.span, _said(below))]
    return []


def _said(below: Mapping[str, str]) -> str:
    return "".join(f"   - {label}: {one_line(value, label)}\n" for label, value in below.items())


def _row_end(text: str, lines: Sequence[JournalLine], row: JournalLine) -> int:
    """Where a row ends, with the indented lines below it."""
    end = after_line(text, row.span.start)
    for line in lines:
        if line.span.start >= end:
            if line.text[:1] not in (" ", "\t") or text[end : line.span.start].strip(" \t"):
                break
            end = after_line(text, line.span.start)
    return end


def _top(text: str) -> int:
    """Where fields of the session begin: below `## Current Session`, or below the stamps."""
    section = write_common.section_named(text, "current session")
    return after_line(text, section.head.end - 1) if section else write_common.below_head(text)


def new_errors(now: str) -> str:
    """An error log without errors."""
    return write_common.head("Error Log", now)


def error_text(*, now: str, title: str, task: str | None, file: str, error: str, cause: str, fix: str) -> str:
    """The lines of an error; what is empty gets none."""
    named = f"{write_common.task_id(task)} - " if task else ""
    lines = [f"## {write_common.stamp(now)}: {named}{one_line(title, 'title')}\n"]
    lines += [f"**File:** `{file_path(file)}`\n"] if file else []
    lines += [f"**Error:** `{one_line(error, 'error').replace('`', chr(39))}`\n"] if error else []
    for label, value in (("Cause", cause), ("Fix", fix), ("Task", task)):
        lines += [f"**{label}:** {one_line(value, label.lower())}\n"] if value else []
    return "".join(lines)


def insert_error(text: str, error: str, now: str | None = None) -> list[Edit]:
    """An error before the first that is there; the newest is first.

    Where errors stand in sections, it comes before the first of these: above one of them it would take it in.
    """
    found = faults(text).faults
    stamped = write_common.restamped(text, now)
    if found:
        first = found[0].head.start
        above = [each for each in sections(list(lines_of(text))) if each.head.start <= first]
        outer = next((each for each in reversed(above) if each.level == 2), None)
        error = error if outer else f"#{error}"
        at = line_start(text, outer.head.start if outer else first)
        return [*stamped, write_common.inserted(text, at, f"{error}\n")]
    if not text[write_common.below_head(text) :].strip():
        return [*stamped, write_common.appended(text, error)]
    return [*stamped, write_common.inserted(text, write_common.below_head(text), f"\n{error}")]
