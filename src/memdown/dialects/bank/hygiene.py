"""Where the files of a bank can be made shorter, and how many tokens that would save."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from msgspec import Struct

from memdown.dialects.bank import dates
from memdown.dialects.bank.due import due
from memdown.dialects.bank.grammar import FILE_TOKENS, layer_of
from memdown.dialects.bank.items import items_in
from memdown.dialects.bank.sections import ListItem, outline
from memdown.dialects.bank.write import ACTIVE, LOG, PROGRESS
from memdown.markdown import tokens
from memdown.record import Document
from memdown.text import Span

_RECENT = timedelta(days=30)
_MOST_CHANGES = 10
_MANY_DONE = 10
_SHORTEST_COPY = 40
_LONGEST_SECTIONS = 3
_SHARE = 10
"""A section is worth shortening when it is at least this part of the limit of a file."""


class Suggestion(Struct, frozen=True):
    """One way to make a file shorter."""

    line: int
    does: str
    """What to do, a sentence without its period."""
    tokens: int
    """About how many it saves."""


def suggestions(documents: Sequence[Document]) -> dict[str, list[Suggestion]]:
    """For each of the files, in the order they are read, what would make it shorter; the most first."""
    copies = _copies(documents)
    found = {}
    for doc in documents:
        layer = layer_of(doc.path)
        if layer is None or layer == LOG:  # which is only appended to
            continue
        ways = [
            *_unfilled(doc),
            *(_done(doc) if layer == PROGRESS else ()),
            *(_old_changes(doc) if layer == ACTIVE else ()),
            *copies.get(doc.path, ()),
        ]
        rest = tokens.estimate(doc.text) - sum(way.tokens for way in ways)
        if rest > FILE_TOKENS:
            ways += _long_sections(doc)
        found[doc.path] = sorted(ways, key=lambda way: (-way.tokens, way.line))
    return found


def _unfilled(doc: Document) -> Iterator[Suggestion]:
    """Sections that still hold only their placeholder."""
    for record in doc.records:
        if record.kind in ("section", "milestone") and "unfilled" in record.extra:
            cost = tokens.estimate(record.span.of(doc.text))
            yield Suggestion(_line(doc, record.span.start), f"fill in or remove {record.title!r}", cost)


def _done(doc: Document) -> Iterator[Suggestion]:
    """Completed items."""
    dues = due(doc)
    going = [each for each in dues if each.target]
    if going:
        cost = sum(tokens.estimate(each.text) for each in going)
        told = f"archive {_count(len(going), 'completed item')}, with `memdown archive`"
        yield Suggestion(_line(doc, going[0].start), told, cost)
    held = doc.of(outline)
    done = [item for item in items_in(held, PROGRESS, ("Completed",)) if item.depth == 0]
    if not dues and len(done) > _MANY_DONE:
        cost = sum(tokens.estimate(item.span.of(doc.text)) for item in done)
        told = f"archive {len(done)} completed items: set their milestone to Complete, then use `memdown archive`"
        yield Suggestion(_line(doc, done[0].start), told, cost)


def _old_changes(doc: Document) -> Iterator[Suggestion]:
    """Recent changes that are not recent any more, or too many."""
    held = doc.of(outline)
    day_first = dates.days_come_first(doc.text)
    changes = [item for item in items_in(held, ACTIVE, ("Recent Changes",)) if item.depth == 0]
    old: list[ListItem] = []
    recent: list[ListItem] = []
    for item in changes:
        (old if _is_old(doc, item, day_first=day_first) else recent).append(item)
    if old:
        cost = sum(tokens.estimate(item.span.of(doc.text)) for item in old)
        told = f"remove {_count(len(old), 'recent change')} of more than {_RECENT.days} days ago"
        yield Suggestion(_line(doc, old[0].start), told, cost)
    more = len(recent) - _MOST_CHANGES
    if more > 0:
        # Which of them are the newest is not known without dates, so the average counts.
        cost = sum(tokens.estimate(item.span.of(doc.text)) for item in recent) * more // len(recent)
        yield Suggestion(_line(doc, recent[0].start), f"keep the last {_MOST_CHANGES} recent changes", cost)


def _is_old(doc: Document, item: ListItem, *, day_first: bool) -> bool:
    match = dates.STAMP_PATTERN.search(item.text.of(doc.text))
    at = dates.stamp(match.group(), day_first=day_first) if match else None
    return at is not None and doc.now is not None and doc.now.date() - at.local.date() > _RECENT


def _copies(documents: Sequence[Document]) -> dict[str, list[Suggestion]]:
    """Paragraphs and items that say what an earlier one says already."""
    seen: dict[str, str] = {}
    found: dict[str, list[Suggestion]] = {}
    for doc in documents:
        for span in _paragraphs(doc) if layer_of(doc.path) else ():
            said = " ".join(span.of(doc.text).casefold().split()).strip(" -*+[]x")
            if len(said) < _SHORTEST_COPY or dates.is_placeholder(span.of(doc.text).split("\n", 1)[0]):
                continue
            line = _line(doc, span.start)
            first = seen.setdefault(said, f"{doc.path}:{line}")
            if first != f"{doc.path}:{line}":
                copy = Suggestion(line, f"remove what {first} says too", tokens.estimate(span.of(doc.text)))
                found.setdefault(doc.path, []).append(copy)
    return found


def _paragraphs(doc: Document) -> Iterator[Span]:
    return (block.span for block in doc.of(outline).blocks if block.kind == "paragraph")


def _long_sections(doc: Document) -> Iterator[Suggestion]:
    """The longest sections of a file that is above its limit."""
    costs = [
        (tokens.estimate(section.span.of(doc.text)), section)
        for section in doc.of(outline).sections
        if section.body < section.end
    ]
    costs.sort(key=lambda each: -each[0])
    for cost, section in costs[:_LONGEST_SECTIONS]:
        if cost >= FILE_TOKENS // _SHARE:
            told = f"shorten {section.title[:60]!r}, {cost:,} tokens, to half"
            yield Suggestion(_line(doc, section.head.start), told, cost // 2)


def _line(doc: Document, at: int) -> int:
    return doc.lines.at(at) + 1


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
