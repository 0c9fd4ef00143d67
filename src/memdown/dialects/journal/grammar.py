"""What a journal is made of: the table of line forms that the reader matches with, codes, ids, states and file names.

`FORMS` is the machine-readable grammar, which stands in forms.txt; `docs/formats/journal.md` prints it, and
`FORM[name]` is what the readers use.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from memdown.lazy import beside
from memdown.patterns import lazy
from memdown.times import ZONES

ACTIONS = {"1.0": ("Created", "Modified", "Updated"), "1.1": ("Created", "Modified", "Updated", "Deleted")}
_STANDARDS = "AES|CVE|CWE|ECMA|ES|FIPS|GMT|GPT|HTTP|IEEE|ISO|MD|OAUTH|PEP|RFC|RSA|SHA|TLS|UTC|UTF|WCAG"
ANY_ID = rf"(?:T\d{{1,6}}|[A-SU-Z]\d{{1,4}}|(?<![A-Za-z0-9-])(?!(?:{_STANDARDS})-)[A-Z]{{2,10}}-\d{{1,6}})[a-z]?(?!\w)"
"""A task's id as real files have it, as trackers give them too; the contract itself admits `T` and digits."""

_DASH = "[-\u2010-\u2015\u2212]"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTH = rf"(?P<month>(?i:{'|'.join(_MONTHS.split())})[a-z]{{0,6}})\.?"
_PARTS = {
    "ID": ANY_ID,
    "DASH": _DASH,
    "CLOCK": r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?",
    "MONTH": _MONTH,
    "MONTH3": _MONTH.replace("month", "month3"),
}
"""What patterns of forms.txt name in braces."""


class Form(Struct, frozen=True):
    """One form of a line, or of a part of one."""

    name: str
    profile: str
    """The narrowest that has it: 1.0 is the contract to the letter, 1.1 adds `Deleted`, lenient takes all we read."""
    file: str
    pattern: str
    """Matched against the whole line or part, without white space after it."""
    example: str


def _forms() -> Iterator[Form]:
    """The forms of forms.txt: a line with name, profile and file, the pattern, and an example."""
    for block in beside(__file__, "forms.txt").strip().split("\n\n"):
        head, pattern, example = block.split("\n")
        for name, part in _PARTS.items():
            pattern = pattern.replace(f"{{{name}}}", part)
        name, profile, file = head.split(" | ")
        yield Form(name, profile, file, pattern, example)


FORMS = tuple(_forms())
"""Every form a reader matches with, in the order in which they are tried."""

FORM: Mapping[str, re.Pattern[str]] = {form.name: lazy(form.pattern, re.ASCII) for form in FORMS}
"""The patterns by name."""

DASH = lazy(rf"[ \t]*(?P<dash>-{{2,}}|{_DASH}|[:|])[ \t]*")
ID = lazy(ANY_ID, re.ASCII)
ZONE = lazy(
    rf"[ \t]*\(?(?P<zone>(?:UTC|GMT)[+-]\d{{1,2}}(?::?\d{{2}})?|[+-]\d{{2}}:?\d{{2}}(?!\d)|Z\b"
    rf"|[A-Z]{{2,5}}(?=\)?(?:[ \t]+(?:{_DASH}|[:|])|(?:{_DASH}|[:|])+(?:[ \t]|$)|\)?$))"
    r"|(?:IST|UTC|GMT|EST|EDT|CST|CDT|MST|MDT|PST|PDT|CET|CEST|EET|EEST|WET|WEST|BST|MSK|JST|KST|SGT|HKT|WIB|PKT|AEST|"
    rf"AEDT|ACST|AWST|NZST|NZDT)(?![\w+-])|(?i:{'|'.join(ZONES)})(?=\)?[ \t]+{_DASH}[ \t]))\)?",
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

OF_THE_FORMAT = frozenset(tuple(STATES)[:5])

EMOJI: Mapping[str, str] = {state: mark for mark, state in reversed(list(STATES.items()))} | {"paused": "⏸️"}
"""How memdown writes a state."""

STATE_WORDS = {
    "completed": ("completed", "complete", "done", "finished", "closed", "resolved", "fixed"),
    "in_progress": ("in_progress", "in progress", "active", "ongoing", "started", "wip", "doing"),
    "paused": ("paused", "on hold", "deferred"),
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
