"""Session files, the session cache and the error log as memdown writes them: by section, never the whole file."""

from collections.abc import Iterator, Mapping
from re import Match

from memdown.dialects.journal import grammar, write_common
from memdown.dialects.journal.faults import faults
from memdown.dialects.journal.lines import JournalLine, lines_of
from memdown.dialects.journal.sections import fields
from memdown.dialects.journal.sessions import cache, counted, session
from memdown.dialects.journal.write_common import file_path, one_line
from memdown.errors import Invalid, quote
from memdown.patterns import lazy
from memdown.text import Edit, Span, after_line, line_start

FIELDS = ("Started", "Focus Task", "Session File", "Status", "Ended")
"""Of a session in its file and in the cache, in their order."""
HISTORY_LENGTH = 5
COUNTS = ("active", "paused", "completed", "cancelled")
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
    known = fields(current.lines) if current else session(text).fields
    return [*write_common.restamped(text, now), *write_common.set_fields(text, values, known, FIELDS, _top(text))]


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
    for line in lines_of(text):
        start = f"- {label}: "
        if not line.hidden and line.text.startswith(start.rstrip()):
            edit = Edit(line.at(min(len(start), len(line.text)), len(line.text)), one_line(value, label))
            return [edit] if edit.span.of(text) != edit.new else []
    return []


def push_history(text: str, file: str, brief: str, keep: int = HISTORY_LENGTH) -> list[Edit]:
    """A session first in the history, the others renumbered, those beyond the limit taken out; the files stay."""
    section = write_common.section_named(text, "session history")
    new = f"`sessions/{file_path(file)}` - {one_line(brief, 'summary')}"
    if section is None:
        return [write_common.appended(text, f"## Session History (Last {keep})\n1. {new}\n")]
    edits = [write_common.inserted_below(text, section.head, f"1. {new}\n")]
    number = 1
    for line in section.lines:
        digits, dot, listed = line.text.partition(". ")
        if not dot or not digits.isdigit():
            continue
        if listed.startswith(f"`sessions/{file}`") or number >= keep:
            edits.append(Edit(Span(line_start(text, line.span.start), after_line(text, line.span.start)), ""))
            continue
        number += 1
        if digits != str(number):
            edits.append(Edit(line.at(0, len(digits)), str(number)))
    return edits


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
    """An error before the first that is there; the newest is first."""
    found = faults(text).faults
    stamped = write_common.restamped(text, now)
    if found:
        return [*stamped, write_common.inserted(text, line_start(text, found[0].head.start), f"{error}\n")]
    if not text[write_common.below_head(text) :].strip():
        return [*stamped, write_common.appended(text, error)]
    return [*stamped, write_common.inserted(text, write_common.below_head(text), f"\n{error}")]
