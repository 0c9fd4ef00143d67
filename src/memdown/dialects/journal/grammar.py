"""What a journal is made of: the table of line forms that the reader matches with, codes, ids, states and file names.

`FORMS` is the machine-readable grammar; `docs/formats/journal.md` prints it, and `FORM[name]` is what the readers use.
"""

import re
from collections.abc import Mapping

from msgspec import Struct

from memdown.patterns import lazy

ACTIONS = {"1.0": ("Created", "Modified", "Updated"), "1.1": ("Created", "Modified", "Updated", "Deleted")}
ANY_ID = r"(?:(?:T|META-|TASK-|BUG-|FEAT-)\d{1,6}|[A-SU-Z]\d{1,4})[a-z]?(?!\w)"
"""A task's id as real files have it; the contract itself admits `T` and digits."""

_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
_DASH = "[-\u2010-\u2015\u2212]"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTH = rf"(?P<month>(?i:{'|'.join(_MONTHS.split())})[a-z]{{0,6}})\.?"


class Form(Struct, frozen=True):
    """One form of a line, or of a part of one."""

    name: str
    profile: str
    """The narrowest that has it: 1.0 is the contract to the letter, 1.1 adds `Deleted`, lenient takes all we read."""
    file: str
    pattern: str
    """Matched against the whole line or part, without white space after it."""
    example: str


FORMS = (
    Form("date", "1.0", "edit history", r"### (?P<date>\d{4}-\d{2}-\d{2})", "### 2025-12-05"),
    Form(
        "entry",
        "1.0",
        "edit history",
        r"####[ \t]+(?P<time>\d{2}:\d{2}(?::\d{2})?)[ \t]+(?:(?P<zone>[A-Z]{3,4})[ \t]+)?-[ \t]+(?P<text>\S.*)",
        "#### 14:30:15 IST - T21: File viewer",
    ),
    Form("task", "1.0", "edit history", r"(?P<ids>T\d+)(?::[ \t]*|[ \t]+(?=\S))(?P<text>.*)", "T21: File viewer"),
    Form(
        "modification",
        "1.0",
        "edit history",
        r"-[ \t]+(?P<verb>Created|Modified|Updated)[ \t]+`(?P<path>[^`]+)`[ \t]+-[ \t]+(?P<text>\S.*)",
        "- Created `tasks/T21.md` - New task file",
    ),
    Form(
        "deletion",
        "1.1",
        "edit history",
        r"-[ \t]+(?P<verb>Deleted)[ \t]+`(?P<path>[^`]+)`[ \t]+-[ \t]+(?P<text>\S.*)",
        "- Deleted `old/notes.md` - Nobody read them",
    ),
    Form(
        "any-date",
        "lenient",
        "edit history",
        rf"[\[(*_]*(?:(?P<year>\d{{4}})(?P<mark>[-/.])(?P<number>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
        rf"|{_MONTH}[ ](?P<day2>\d{{1,2}})(?:st|nd|rd|th)?,?[ ](?P<year2>\d{{4}})"
        rf"|(?P<day3>\d{{1,2}})(?:st|nd|rd|th)?[ ]{_MONTH.replace('month', 'month3')},?[ ](?P<year3>\d{{4}}))"
        r"(?!\d)[\])*_]*",
        "## April 20, 2025",
    ),
    Form(
        "any-time",
        "lenient",
        "edit history",
        rf"[\[(*_~]*{_CLOCK}(?!\d)(?:[ ]?(?P<half>[AaPp]\.?[Mm]\b\.?))?"
        rf"(?:[ ]?(?:{_DASH}|to|~)[ ]?(?P<end>\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?!\d)"
        r"(?:[ ]?[AaPp]\.?[Mm]\b\.?)?))?[\])*_]*",
        "### 02:00–02:30 IST - T5/T7: Two tasks",
    ),
    Form(
        "any-task",
        "lenient",
        "edit history",
        rf"(?P<ids>{ANY_ID}(?:[ ]?(?:,|/|&|\+|and|to|{_DASH})[ ]?{ANY_ID}){{0,999}})[ ]*[*_]*:[*_]*(?P<text>.*)",
        "T3, META-1: Both",
    ),
    Form(
        "bracketed-task",
        "lenient",
        "edit history",
        rf"[\[(*_]+(?P<ids>{ANY_ID}(?:[ ]?[,/&+][ ]?{ANY_ID}){{0,999}})[\])*_]+[ ]?:?[*_]*(?P<text>.*)",
        "[T2] In brackets",
    ),
    Form(
        "bold-entry", "lenient", "edit history", r"\*\*(?P<text>\d{1,4}[-:/][^*]*)\*\*", "**14:30 IST - T2: In bold**"
    ),
    Form(
        "bullet", "lenient", "all", r"(?P<indent>[ \t]*)(?P<mark>[-*+]|\d{1,4}[.)])(?P<gap>[ \t]+)(?P<text>\S.*)", "* x"
    ),
    Form(
        "stamp", "1.0", "all", r"[*_](?P<key>[A-Z][A-Za-z ]{1,30}):[ ]?(?P<value>[^*_].*?)[*_]", "*Created: 2025-12-05*"
    ),
    Form("field", "1.0", "all", r"\*\*(?P<key>[^*\r\n:]{1,60})(?::\*\*|\*\*[ ]?:)", "**Status**: 🔄 In progress"),
    Form(
        "row", "1.0", "registry", r"[ \t]*\|", "| T1 | Parser | 🔄 | HIGH | 2025-12-05 | - | [Details](tasks/T1.md) |"
    ),
    Form("id", "lenient", "registry", rf"[*_`\[]*(?P<id>{ANY_ID})[*_`\]]*(?:\(.*\))?[*_]*", "T20a"),
    Form(
        "details",
        "1.0",
        "registry",
        r"\[Details\]\((?P<path>(?:tasks|archive)/[^()\s]+\.md)\)",
        "[Details](tasks/T1.md)",
    ),
    Form(
        "task-title",
        "1.0",
        "task file",
        rf"(?:Task:?[ ])?(?P<id>{ANY_ID})(?:[ ]?(?:[:.]|{_DASH})[ ]?(?P<title>.*)|[ ](?P<bare>.*))?",
        "# T21: File viewer",
    ),
    Form("step", "1.0", "task file", r"\[(?P<box>[ xX])\][ \t]+(?P<text>\S.*)", "- [ ] Write the tests"),
    Form(
        "session-title",
        "1.0",
        "session",
        r"Session(?:[ ](?:Log|Notes))?[: \u2010-\u2015-]{1,6}(?P<date>\d{4}-\d{2}-\d{2})"
        rf"[ ]?{_DASH}?[ ]?(?P<period>.*)",
        "# Session 2025-12-05 - Evening",
    ),
    Form(
        "counts",
        "1.0",
        "session cache",
        r"(?P<name>Active|Paused|Completed|Cancelled|Pending)(?:[ ]Tasks)?\**:\**[ ]?(?P<number>\d{1,6})",
        "Active: 2 | Paused: 0 | Completed: 7 | Cancelled: 1",
    ),
    Form(
        "error",
        "1.0",
        "error log",
        r"\[?(?P<stamp>\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2})?(?:[ ]?[A-Z]{2,5}(?:[+-]\d{1,2})?)?)?)\]?"
        rf"(?:[ ]?(?::|{_DASH})[ ]?|[ ]+|$)(?P<text>.*)",
        "## 2025-12-05 14:30 IST: T21 - Viewer does not start",
    ),
)
"""Every form a reader matches with, in the order in which they are tried."""

FORM: Mapping[str, re.Pattern[str]] = {form.name: lazy(form.pattern, re.ASCII) for form in FORMS}
"""The patterns by name."""

DASH = lazy(rf"[ \t]*(?P<dash>-{{2,}}|{_DASH}|[:|])[ \t]*")
ID = lazy(ANY_ID, re.ASCII)
ZONE = lazy(
    rf"[ \t]*\(?(?P<zone>(?:UTC|GMT)[+-]\d{{1,2}}(?::?\d{{2}})?|[+-]\d{{2}}:?\d{{2}}(?!\d)|Z\b"
    rf"|[A-Z]{{2,5}}(?=\)?(?:[ \t]+(?:{_DASH}|[:|])|(?:{_DASH}|[:|])+(?:[ \t]|$)|\)?$))"
    r"|(?:IST|UTC|GMT|EST|EDT|CST|CDT|MST|MDT|PST|PDT|CET|CEST|EET|EEST|WET|WEST|BST|MSK|JST|KST|SGT|HKT|WIB|PKT|AEST|"
    r"AEDT|ACST|AWST|NZST|NZDT)(?![\w+-]))\)?",
    re.ASCII,
)
MONTHS = tuple(_MONTHS.split())

PERIODS = ((6, "night"), (12, "morning"), (18, "afternoon"), (24, "evening"))
"""Up to which hour of the day which period lasts."""

STATES: Mapping[str, str] = {
    "🔄": "in_progress",
    "✅": "completed",
    "⏸": "paused",
    "❌": "cancelled",
    "⬜": "pending",
    "☑": "completed",
    "✔": "completed",
    "🚧": "in_progress",
    "⏳": "in_progress",
    "📝": "pending",
    "📋": "pending",
    "🆕": "pending",
    "🔲": "pending",
    "☐": "pending",
    "🚫": "cancelled",
}
"""What a status emoji says, without a variation selector. The first five are what memdown writes."""

EMOJI: Mapping[str, str] = {state: mark for mark, state in reversed(list(STATES.items()))} | {"paused": "⏸️"}
"""How memdown writes a state."""

STATE_WORDS = {
    "completed": ("completed", "complete", "done", "finished", "closed", "resolved", "fixed"),
    "in_progress": ("in_progress", "in progress", "active", "ongoing", "started", "wip", "doing"),
    "paused": ("paused", "on hold", "blocked", "deferred"),
    "cancelled": ("cancelled", "canceled", "abandoned", "dropped", "obsolete"),
    "pending": ("pending", "planned", "not started", "todo", "to do", "new", "open", "proposed", "backlog", "queued"),
}
ACTIVE = ("id", "title", "status", "priority", "started", "dependencies", "details")
COMPLETED = ("id", "title", "completed", "related", "details")
HEADERS = {name: name.title() for name in (*ACTIVE, *COMPLETED)} | {"id": "ID", "related": "Related Tasks"}
"""The columns of the two tables of a registry, and how their headers are written."""
PRIORITIES = ("HIGH", "MEDIUM", "LOW")


def period_at(hour: int) -> str:
    """The period of the day an hour is in."""
    return next(name for end, name in PERIODS if hour < end)
