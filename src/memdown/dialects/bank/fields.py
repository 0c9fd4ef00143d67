"""The fields of a decision: labels in bold, colon inside or outside, plain labels, and headings that are labels."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from memdown.dialects.bank import names
from memdown.dialects.bank.names import folded
from memdown.patterns import lazy
from memdown.record import Record
from memdown.text import Span

_LABEL = lazy(
    r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?"
    r"(?:\*\*|__)(?P<name>[^*_:：\r\n]{1,60}?)[ \t]*(?:[:：][ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])[ \t]*"
)
_PLAIN = lazy(r"[ \t]*(?:[-*+][ \t]+)?(?P<name>[^\W\d_][^*_:：\r\n]{1,30}?)[ \t]*[:：][ \t]+(?=\S)")
_HEADING = lazy(r" {0,3}#{2,6}[ \t]+(?=[^ \t])(?P<name>[^\r\n]*[^ \t#\r\n])[ \t#]*$")
_BOLD_LINE = lazy(r"[ \t]*\*\*(?P<name>[^*:：\r\n]{1,60})\*\*[ \t]*$")
_FENCE = lazy(r"[ \t]*(?:[-*+][ \t]+)?(?:```|~~~)")
_LINE = lazy(r"[^\r\n]*(?:\r\n|\n|\r|$)")


@cache
def _known() -> Mapping[str, str]:
    return names.by_spelling(names.tables().fields)


class DecisionField(Struct, frozen=True):
    """One field: its canonical name, what it says, and where that stands."""

    name: str
    value: str
    line: Span
    """From the beginning of the label's line to the end of the value."""
    first: Span
    """What stands on the line of the label after it."""


def names_field(title: str) -> bool:
    """Whether a heading is the name of a field, so that what is below it is a part of a decision."""
    return folded(title) in _known()


def fields(text: str, start: int, end: int, stops: Sequence[int] = ()) -> dict[str, DecisionField]:
    """The fields between two places, the first of each name. A value goes on until the next label, heading or stop."""
    found: dict[str, DecisionField] = {}
    labels = list(_labels(text, start, end))
    for number, (name, begin, value_at, line_end) in enumerate(labels):
        until = labels[number + 1][1] if number + 1 < len(labels) else end
        stop = bisect_right(stops, begin)
        until = min(until, stops[stop]) if stop < len(stops) else until
        value = text[value_at:until]
        if name and name not in found:
            kept = len(value.rstrip())
            found[name] = DecisionField(name, value.strip(), Span(begin, value_at + kept), Span(value_at, line_end))
    return found


def _labels(text: str, start: int, end: int) -> Iterator[tuple[str, int, int, int]]:
    """Canonical name (empty for one that is not known), begin of the line, of the value, end of the line."""
    fenced = False
    for line in _LINE.finditer(text, start, end):
        if not line[0]:
            continue
        bare = line[0].rstrip("\r\n")
        if _FENCE.match(bare):
            fenced = not fenced
        if fenced:
            continue
        label = _LABEL.match(bare) or _HEADING.match(bare) or _BOLD_LINE.match(bare)
        name = _known().get(folded(label["name"]), "") if label else ""
        if not label:
            label = _PLAIN.match(bare)
            name = _known().get(folded(label["name"]), "") if label else ""
            label = label if name else None
        if label:
            begin = line.start()
            yield name, begin, begin + min(label.end(), len(bare)), begin + len(bare.rstrip())


def board_section(record: Record) -> str:
    """The section of the progress that an item of its own stands in; nothing for what is no such item."""
    own = record.kind == "task" and record.extra.get("depth") == "0"
    return str(record.extra.get("section", "")) if own else ""
