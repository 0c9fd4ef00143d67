"""The fields of a decision: labels in bold, colon inside or outside, plain labels, and headings that are labels."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct

from memdown.dialects import signed
from memdown.dialects.bank import names
from memdown.dialects.bank.names import folded
from memdown.dialects.days import STAMP_PATTERN
from memdown.markdown import frontmatter
from memdown.patterns import lazy
from memdown.record import Record
from memdown.text import Span

_LABEL = lazy(
    r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?"
    r"(?:\*\*|__)(?P<name>[^*_:：\r\n]{1,60}?)[ \t]*(?:[:：][ \t]*(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])[ \t]*"
)
_PLAIN = lazy(r"[ \t]*(?:[-*+][ \t]+)?(?P<name>[^\W\d_][^*_:：\r\n]{1,30}?)[ \t]*[:：][ \t]+(?=\S)")
_ITALIC = lazy(
    r"[ \t]*(?:[-*+][ \t]+)?(?:\*(?!\*)|_(?!_))(?P<name>[^\W\d_][^*_:：\r\n]{1,30}?)[*_]?[ \t]*[:：][*_]?[ \t]*(?=\S)"
)
_SIGNS = frozenset(("Date", "Author", "Owner", "Contributors"))
"""Fields that say who and when, and are read in whatever form they have; they are never changed."""
_HEADING = lazy(r" {0,3}#{2,6}[ \t]+(?=[^ \t])(?P<name>[^\r\n]*[^ \t#\r\n])[ \t#]*$")
_DECIDED = "decided"
"""A label that says when, or what."""
_BOLD_LINE = lazy(r"[ \t]*\*\*(?P<name>[^*:：\r\n]{1,60})\*\*[ \t]*$")
_MORE = lazy(
    r"[ \t]*(?:[|·•]|[,;/](?=[ \t]))[ \t]*"
    r"(?:(?:\*\*|__)(?P<bold>[^*_:：|·•,;/\r\n]{1,40}?)(?::(?:\*\*|__)|(?:\*\*|__):)"
    r"|(?<=[|·•][ \t])(?P<plain>[A-Z][a-z-]{1,20}(?:[ ][a-z]{2})?):(?=[ \t]))[ \t]*(?=\S)"
)
"""A further label on the line of another."""
_ON_ONE_LINE = _SIGNS | {"Status"}
_FENCE = lazy(r"[ \t]*(?:[-*+][ \t]+)?(?P<run>`{3,}|~{3,})(?P<info>[^\r\n]*)")
_LINE = lazy(r"[^\r\n]*(?:\r\n|\n|\r|$)")


_TRAILERS = {signed.SIGN_OFF: "Owner", "co-authored-by": "Contributors"}
_ALONE = frozenset(("author", "authors", "date", "decided by", "deciders", "decision-makers"))
"""Rows that say who and when also where no other row of their table is a field."""


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


def signs(text: str, start: int, end: int) -> dict[str, DecisionField]:
    """Who and when, where no label says it: rows of a table, or a line below the heading."""
    below = text.find("\n#", start, end)
    head = Span(start, below + 1 if below >= 0 else end)
    said = [
        *signed.rows(text, head, _known().keys() | {"by"}, _ALONE),
        *signed.by_line(text, head, end),
        *signed.trailers(text, Span(start, end)),
    ]
    named = ((_TRAILERS.get(each.name) or _known().get(folded(each.name), ""), each) for each in said)
    return {name: DecisionField(name, each.value, each.span, each.span) for name, each in named if name in _SIGNS}


def of_front(text: str) -> dict[str, DecisionField]:
    """Who, when and whether it holds as front matter says it: MADR has `status`, `date` and `decision-makers` there."""
    front = frontmatter.read(text) if text.startswith("---") else None
    found: dict[str, DecisionField] = {}
    for each in front.entries if front else ():
        name = _known().get(folded(each.key), "")
        value = each.value.text or ", ".join(each.value.span.of(text).strip("[] ").split(","))
        if (name in _SIGNS or name == "Status") and value.strip():
            found.setdefault(name, DecisionField(name, " ".join(value.split()), each.value.span, each.value.span))
    return found


def _labels(text: str, start: int, end: int) -> Iterator[tuple[str, int, int, int]]:
    """Canonical name (empty for one that is not known), begin of the line, of the value, end of the line."""
    fence = ""
    for line in _LINE.finditer(text, start, end):
        if not line[0]:
            continue
        bare = line[0].rstrip("\r\n")
        if mark := _FENCE.match(bare):
            is_end = mark["run"].startswith(fence) and not mark["info"].strip()
            fence = mark["run"] if not fence else "" if is_end else fence
        if fence:
            continue
        label = _LABEL.match(bare) or _HEADING.match(bare) or _BOLD_LINE.match(bare)
        name = _known().get(folded(label["name"]), "") if label else ""
        if label and not name and folded(label["name"]) == _DECIDED:
            name = "Date" if STAMP_PATTERN.match(bare, label.end()) else "Selected"
        if not label:
            label = _PLAIN.match(bare)
            name = _known().get(folded(label["name"]), "") if label else ""
            label = label if name else None
        if not label and (italic := _ITALIC.match(bare)):
            name = _known().get(folded(italic["name"]), "")
            label = italic if name in _SIGNS or (name == "Status" and _MORE.search(bare)) else None
        if label:
            yield from _on_line(line.start(), bare, name, min(label.end(), len(bare)))


def _on_line(start: int, line: str, name: str, value_at: int) -> Iterator[tuple[str, int, int, int]]:
    """The label that a line begins with, and those that follow it on the line behind a mark."""
    begin = 0
    for match in _MORE.finditer(line, value_at):
        more = _known().get(folded(match["bold"] or match["plain"]), "")
        if more not in _ON_ONE_LINE:
            continue
        yield name, start + begin, start + value_at, start + len(line[: match.start()].rstrip())
        name, begin, value_at = more, match.start(), match.end()
    yield name, start + begin, start + value_at, start + len(line.rstrip(" \t*_" if begin else None))


def board_section(record: Record) -> str:
    """The section of the progress that an item of its own stands in; nothing for what is no such item."""
    own = record.kind == "task" and record.extra.get("depth") == "0"
    return str(record.extra.get("section", "")) if own else ""
