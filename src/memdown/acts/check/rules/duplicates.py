"""Entries that stand in a file twice, as `merge=union` leaves them."""

from collections import Counter
from collections.abc import Iterator

from memdown.acts.check.outline import outline
from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.hollow import is_template
from memdown.markdown.placeholders import is_hollow
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Edit, Span

_LEAST = 40
"""Characters that an entry has at least, with its heading: shorter ones may be equal by chance."""

_PLACEHOLDER = lazy(r"\[[A-Z][A-Z /:_-]{2,}")
"""What a template has in place of a title."""


@rule("MRG003", "warning")
def entry_twice(doc: Document) -> Iterator[Finding]:
    """A section is below the same heading twice, word for word.

    `merge=union` and hasty merges leave such copies. `memdown install git` makes git merge by entry instead.

    Bad:
        # Log

        ## 2026-01-02: Sessions live in Redis

        In the database, every request wrote a row.

        ## 2026-01-02: Sessions live in Redis

        In the database, every request wrote a row.
    Good:
        # Log

        ## 2026-01-02: Sessions live in Redis

        In the database, every request wrote a row.

    ## Fix

    The unsafe fix removes the second: the file has a record less, and says the same.
    """
    if is_template(doc.path):
        return
    known: dict[tuple[int, str], int] = {}
    covered = 0
    for parent, span in _alike(doc):
        text = " ".join(doc.text[span.start : span.end].strip("-*_ \t\r\n").split())
        if len(text) < _LEAST or span.start < covered or _PLACEHOLDER.search(text) or is_hollow(span.of(doc.text)):
            continue
        if (parent, text) in known:
            covered = span.end
            fix = Fix("remove the second", (Edit(_without(doc.text, span), ""),), safe=False)
            first = doc.text.find("\n", span.start)
            head = Span(span.start, len(doc.text) if first < 0 else first)
            line = doc.lines.position(known[parent, text])[0]
            yield Finding(head, f"{shown_at(doc, head)} repeats line {line}, word for word; keep one of the two.", fix)
        known.setdefault((parent, text), span.start)


def _without(text: str, span: Span) -> Span:
    """What to take out, so that a text still ends with the end of a line and no blank ones."""
    if span.end < len(text):
        return span
    kept = len(text[: span.start].rstrip())
    return Span(kept, len(text.rstrip("\r\n")))


def _alike(doc: Document) -> list[tuple[int, Span]]:
    """Sections that begin as another of the same parent does; no other can be one of two."""
    found = [(parent, _beginning(doc.text, span), span) for parent, span in _sections(doc)]
    if len({(parent, beginning) for parent, beginning, _ in found}) == len(found):
        return []
    numbers = Counter((parent, beginning) for parent, beginning, _ in found)
    return [(parent, span) for parent, beginning, span in found if numbers[parent, beginning] > 1]


def _beginning(text: str, span: Span) -> str:
    """The first words of a section, as many characters as an entry has at least."""
    near = " ".join(text[span.start : min(span.end, span.start + 2 * _LEAST)].split())[:_LEAST]
    return near if len(near) == _LEAST else " ".join(span.of(text).split())[:_LEAST]


def _sections(doc: Document) -> list[tuple[int, Span]]:
    """Each section, with where the section around it begins."""
    heads = doc.once(outline).headings
    around, ends = [-1] * len(heads), [len(doc.text)] * len(heads)
    inside: list[int] = []
    for number, (start, level) in enumerate(heads):
        while inside and heads[inside[-1]][1] >= level:
            ends[inside.pop()] = start
        around[number] = heads[inside[-1]][0] if inside else -1
        inside.append(number)
    return [(above, Span(start, end)) for above, (start, _), end in zip(around, heads, ends, strict=True)]
