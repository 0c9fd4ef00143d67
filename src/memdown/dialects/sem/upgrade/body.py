"""The text of a legacy entry taken apart: details, rationale, and labels that fields of the new entry stand for."""

import re
from collections.abc import Callable, Iterable

from msgspec import Struct

from memdown.dialects.sem import canonical, grammar, legacy
from memdown.dialects.sem.split import LogPart
from memdown.patterns import lazy
from memdown.text import BOM, Lines

_HEADING = lazy(r"( {0,3})(#{1,6})([ \t]+.*)")
_SEPARATOR = lazy(r" {0,3}---[ \t]*")
_STYLE = lazy(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?")
_RATIONALE = ("why", "rationale")
_FREE_LEVEL = 4
"""Headings above this one would compete with those of entries."""


class Parted(Struct, frozen=True):
    """The two texts of an entry."""

    details: str
    rationale: str


def parted(text: str, part: LogPart, found: Iterable[legacy.Label], is_field: Callable[[legacy.Label], bool]) -> Parted:
    """The text under an entry's heading, without the labels that `is_field` has a field for."""
    body = text[part.text_at : part.end].removeprefix(BOM)
    at = part.end - len(body)
    lines = Lines(body)
    rows = [lines.span(number).of(body) for number in range(len(lines))]
    rows = rows[: _without_separators(rows)]
    labels: dict[int, list[legacy.Label]] = {}
    for label in found:
        labels.setdefault(lines.at(label.span.start - at), []).append(label)
    sorting = _Sorting(rows, labels, is_field)
    for number in range(len(rows)):
        sorting.take(number)
    return Parted(demoted(_trimmed(sorting.details)), demoted(_trimmed(sorting.rationale)))


def _without_separators(rows: list[str]) -> int:
    """How many rows there are before the lines that only part this entry from the next."""
    code = canonical.fenced(rows)
    count = len(rows)
    while count and (not rows[count - 1].strip() or (not code[count - 1] and _SEPARATOR.fullmatch(rows[count - 1]))):
        count -= 1
    return count


class _Sorting:
    """Rows on their way to details or rationale."""

    def __init__(
        self, rows: list[str], labels: dict[int, list[legacy.Label]], is_field: Callable[[legacy.Label], bool]
    ) -> None:
        self.details: list[str] = []
        self.rationale: list[str] = []
        self._rows = rows
        self._code = canonical.fenced(rows)
        self._labels = labels
        self._is_field = is_field
        self._target = self.details
        self._style = ""
        self._level = 0
        self._moved = False
        names = [label.name.strip().lower() for found in labels.values() for label in found]
        self._splits = names.count("what") <= 1 and sum(name in _RATIONALE for name in names) <= 1

    def take(self, number: int) -> None:
        row = self._rows[number]
        heading = None if self._code[number] else _HEADING.fullmatch(row)
        if heading:
            self._take_heading(row, len(heading[2]), heading[3].strip(" \t#:").casefold())
        elif number in self._labels:
            self._take_label(row, self._labels[number])
        else:
            self._target.append(row)

    def _take_heading(self, row: str, level: int, name: str) -> None:
        if name in _RATIONALE and not self.rationale and self._target is self.details:
            self._target, self._level = self.rationale, level
            return
        if self._target is self.rationale and (not self._level or level <= self._level):
            self._target = self.details
        self._target.append(row)

    def _take_label(self, row: str, labels: list[legacy.Label]) -> None:
        style = _style(row)
        if self._target is self.rationale and style != self._style:
            self._target.append(row)  # a label in the text of the reason
            return
        self._target = self.details
        name = labels[0].name.strip().lower()
        if all(self._is_field(label) for label in labels):
            return
        if not self._splits or len(labels) > 1 or ">" in style or name not in ("what", *_RATIONALE):
            if self._moved and self.details and self.details[-1].strip():
                self.details.append("")  # what stood between the two is elsewhere now
            self._moved = False
            self._target.append(row)
            return
        if name in _RATIONALE:
            self._target, self._style, self._level = self.rationale, style, 0
            self._moved = True
        elif self.details and self.details[-1].strip():
            self.details.append("")
        self._target.append(_value(row))


def _style(row: str) -> str:
    match = _STYLE.match(row)
    return match.group() if match else ""


def _value(row: str) -> str:
    match = grammar.LABEL.fullmatch(row) or grammar.PLAIN_LABEL.fullmatch(row)
    return match["value"] if match else row


def _trimmed(rows: list[str]) -> str:
    """Rows as a text, without blank rows around it, and with one where labels left several."""
    while rows and not rows[-1].strip():
        rows.pop()
    first = next((number for number, row in enumerate(rows) if row.strip()), len(rows))
    return "\n".join(rows[first:])


def demoted(text: str) -> str:
    """The text with its headings so deep that none competes with those of entries; code stays as it is."""
    rows = text.split("\n")
    code = canonical.fenced(rows)
    found = {
        number: match
        for number, row in enumerate(rows)
        if not code[number] and (match := _HEADING.fullmatch(row)) is not None
    }
    down = _FREE_LEVEL - min((len(match[2]) for match in found.values()), default=_FREE_LEVEL)
    if down <= 0:
        return text
    for number, match in found.items():
        rows[number] = f"{match[1]}{'#' * min(len(match[2]) + down, 6)}{match[3]}"
    return "\n".join(rows)


def under_heading(entry: str) -> tuple[str, str]:
    """The text of an entry's heading, and what stands under it without the lines that part it from the next."""
    rows = re.split(r"\r\n|\n|\r", entry.removeprefix(BOM))
    rows = rows[: _without_separators(rows)]
    heading = _HEADING.fullmatch(rows[0]) if rows else None
    if heading is None:
        return "", _trimmed(rows)
    return heading[3].strip(" \t#"), _trimmed(rows[1:])
