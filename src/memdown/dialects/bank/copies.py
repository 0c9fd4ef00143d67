"""What the files of a bank say twice."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from memdown.dialects.bank import dates
from memdown.dialects.bank.grammar import keeps_decisions, layer_of
from memdown.dialects.bank.lines import cut
from memdown.dialects.bank.sections import DONE, Outline, outline
from memdown.dialects.bank.templates import LAYERS
from memdown.dialects.bank.write import LOG
from memdown.dialects.due import Contents
from memdown.record import Document
from memdown.text import Edit, Span, apply, line_end

_SHORTEST = 40
_ORDER = [layer.file for layer in LAYERS]
_MOST_SINGLY = 20
"""Repeats that are tried one by one when they cannot all go together."""


def copies(documents: Sequence[Document]) -> Iterator[tuple[Document, Span, str]]:
    """Paragraphs and items of the files of one bank that say what an earlier one says, and where that stands."""
    seen: dict[str, str] = {}
    ordered = [(layer.file, doc) for doc in documents if (layer := layer_of(doc.canonical_path or doc.path))]
    for file, doc in sorted(ordered, key=lambda each: _ORDER.index(each[0])):
        for span in (block.span for block in doc.of(outline).blocks if block.kind == "paragraph"):
            text = " ".join(span.of(doc.text).casefold().split()).strip(" -*+[]x_")
            if len(text) < _SHORTEST or dates.is_placeholder(span.of(doc.text).split("\n", 1)[0]):
                continue
            place = f"{doc.path}:{doc.lines.at(span.start) + 1}"
            first = seen.setdefault(text, place)
            if first != place and file != LOG.file and not text.endswith((":", "：")):  # what a list follows
                yield doc, span, first


def without_copies(doc: Document, spans: Sequence[Span]) -> tuple[str, int]:
    """A file without these repeats, as far as they are whole items or paragraphs; and how many those are."""
    held = doc.of(outline)
    items = {item.text.end: item for item in held.items if item.text.end == item.span.end or not item.depth}
    plain = {block.span for block in held.blocks if block.kind == "paragraph" and not block.depth}
    cuts: list[Span] = []
    for span in spans:
        item = items.get(span.end)
        if span in plain:
            cuts.append(cut(doc.text, span.start, line_end(doc.text, span.end)))
        elif item and not item.depth and item.text.end == item.span.end and item.state in (None, DONE):
            cuts.append(cut(doc.text, item.start, line_end(doc.text, item.span.end)))
    cuts = sorted(set(cuts))
    text = _without(doc.path, doc.text, cuts)
    if text is not None:
        return text, len(cuts)
    kept, text = 0, doc.text
    for each in reversed(cuts[-_MOST_SINGLY:]):
        shorter = _without(doc.path, text, [each])
        if shorter is not None:
            text, kept = shorter, kept + 1
    return text, kept


def _without(path: str, text: str, cuts: Sequence[Span]) -> str | None:
    """A text without some of its lines; None when the rest would be read differently."""
    shorter = apply(text, [Edit(cut, "") for cut in cuts])
    starts = [cut.start for cut in cuts]
    left = []
    for start, content in contents(path, text):
        at = bisect_right(starts, start) - 1
        if at < 0 or start >= cuts[at].end:
            left.append(content)
    return shorter if [content for _, content in contents(path, shorter)] == left else None


def contents(path: str, text: str) -> Contents:
    """Where each heading and each item begins, and what it says."""
    held = outline(text)
    found: Contents = [(item.span.start, held.text_of(item)) for item in held.items]
    found += [(section.head.start, ("#", section.title)) for section in held.sections]
    if keeps_decisions(path):
        found += _log_lines(held)
    return sorted(found, key=lambda each: each[0])


def _log_lines(held: Outline) -> Iterator[tuple[int, object]]:
    """Paragraphs, for a log of which each line is an entry."""
    for block in held.blocks:
        if block.kind == "paragraph" and not block.depth:
            yield block.span.start, ("paragraph", " ".join(block.span.of(held.text).split()))
