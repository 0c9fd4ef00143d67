"""What a session needs to know first of a team: its focus, as the coordinator keeps it, and what to read."""

import re
from collections.abc import Iterator

from memdown.dialects.sem import grammar
from memdown.homes import parts_of
from memdown.markdown.line_ends import split_lines
from memdown.markdown.placeholders import is_empty, is_hollow, is_placeholder
from memdown.patterns import lazy
from memdown.record import BriefPoint, Document

_NOW, _LOG = 9, 10
"""Behind the files of a memory bank and a journal."""
_LINES = 12
_FRONT = lazy(
    r"(?:---[ \t]*\r?\n.*?^|(?:[a-z_]+:[^\r\n]*\r?\n|[ \t]+-[^\r\n]*\r?\n)+)---[ \t]*(?:\r?\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""The fields at the head, of which some have lost their first rule."""
_FIELD = lazy(r"^(focus_area|updated_at):[ \t]*(\S[^\r\n]*)", re.MULTILINE)
_DAY = lazy(r"\d{4}-\d{2}-\d{2}")
_UNSET = ("initial setup", "getting started. updated by coordinator at session start.")
"""What stands in a new team's file, which nobody wrote."""


def points(document: Document) -> Iterator[BriefPoint]:
    """Decisions are read before work."""
    if grammar.part_of(document.canonical_path or document.path) == "log" and document.records:
        yield BriefPoint("read", 0, f"{_LOG}")


def points_beside(document: Document) -> Iterator[BriefPoint]:
    """What the page of the team's focus says, which has no entries."""
    parts = parts_of(document.canonical_path or document.path)
    if parts[-2:] != ["identity", "now.md"] or not set(grammar.HOMES).intersection(parts):
        return
    front = _FRONT.match(document.text)
    fields = dict(_FIELD.findall(front.group())) if front else {}
    focus = fields.get("focus_area", "").strip("\"'")
    found = [(front.start() if front else 0, focus)] if not _is_unset(focus) else []
    start = front.end() if front else 0
    for line in split_lines(document.text[start:], keepends=True) if not found else ():
        if not _is_unset(line) and not line.startswith("# "):
            found.append((start, line.strip()))
        start += len(line)
    told = [each for each in found[:_LINES] if not is_placeholder(each[1])]
    if not told or is_hollow("\n".join(text for _, text in told)):
        return
    day = _DAY.search(fields.get("updated_at", ""))
    for number, (at, text) in enumerate(told):
        yield BriefPoint("focus", at, f"As of {day.group()}: {text}" if day and not number else text)
    yield BriefPoint("read", 0, f"{_NOW}")


def _is_unset(text: str) -> bool:
    return is_empty(text) or text.strip().lower() in _UNSET
