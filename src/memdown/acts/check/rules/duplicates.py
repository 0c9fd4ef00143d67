"""Entries that stand in a file twice, as `merge=union` leaves them."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.hollow import is_template
from memdown.markdown import blocks, frontmatter
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
    """A section stands below the same heading twice, word for word.

    `merge=union` and hasty merges leave such copies. `memdown install git` has git merge by entry instead.

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
    for parent, span in _sections(doc.text):
        text = " ".join(doc.text[span.start : span.end].strip("-*_ \t\r\n").split())
        if len(text) < _LEAST or span.start < covered or _PLACEHOLDER.search(text):
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


def _sections(text: str) -> list[tuple[int, Span]]:
    """Each section that has more than its heading, with where the section around it begins."""
    front = frontmatter.read(text)
    found = blocks.scan(text, front.body if front else 0)
    heads = [each for each in found if each.kind == "heading" and not each.depth and each.info == "atx"]
    around, ends = [-1] * len(heads), [len(text)] * len(heads)
    inside: list[int] = []
    for number, each in enumerate(heads):
        while inside and heads[inside[-1]].level >= each.level:
            ends[inside.pop()] = each.span.start
        around[number] = heads[inside[-1]].span.start if inside else -1
        inside.append(number)
    spans = [Span(each.span.start, end) for each, end in zip(heads, ends, strict=True)]
    return [
        (above, span) for above, span in zip(around, spans, strict=True) if not is_hollow(text[span.start : span.end])
    ]
