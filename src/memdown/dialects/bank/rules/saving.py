"""Rules about what a bank could do without: what would make its files shorter, and how many tokens that saves.

`memdown budget` shows what they say. The log is only appended to, so no rule tells it to shrink.
"""

from collections.abc import Iterable, Iterator, Sequence

from memdown.diagnostics import Finding, Saving, rule, rule_across
from memdown.dialects.bank import dates, due
from memdown.dialects.bank.copies import copies
from memdown.dialects.bank.grammar import FILE_TOKENS, layer_of
from memdown.dialects.bank.items import items_in
from memdown.dialects.bank.rules.common import RECENT_DAYS, banks, layers, line_of
from memdown.dialects.bank.sections import ListItem, outline
from memdown.dialects.bank.write import ACTIVE, LOG, PROGRESS
from memdown.errors import quote, way
from memdown.markdown import tokens
from memdown.record import Document
from memdown.text import Span, line_end

_MOST_CHANGES = 10
_MANY_DONE = 10
_LONGEST_SECTIONS = 3
_SHARE = 10
"""A section is worth shortening when it is at least this part of the limit of a file."""


def _finding(doc: Document, start: int, does: str, cost: int) -> Finding:
    message = f"{does[0].upper()}{does[1:]}; that saves about {cost:,} token{'' if cost == 1 else 's'}."
    return Finding(Span(start, max(line_end(doc.text, start), start)), message, saving=Saving(does, cost))


def _cost(doc: Document, spans: Iterable[Span]) -> int:
    return sum(tokens.estimate(span.of(doc.text)) for span in spans)


@rule("BNK007", "info")
def not_filled_in(doc: Document) -> Iterator[Finding]:
    """A section, an item or a decision still has the placeholder of its template.

    Text in square brackets says what should be there. Until then, the section counts as empty.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        [What is being worked on now]
    Good memory-bank/activeContext.md:
        # Active Context

        ## Current Focus
        The import of invoices.
    """
    reported = -1
    for record in doc.records:
        is_dated = (
            record.kind == "note" and record.at is not None
        )  # by the tool that wrote it: nobody has to fill it in
        if "unfilled" in record.extra and not is_dated and record.span.start >= reported:
            saving = None
            if record.kind in ("section", "milestone") and layer_of(doc.path) not in (None, LOG):
                saving = Saving(f"fill in or remove {record.title!r}", _cost(doc, [record.span]))
            yield Finding(
                line_of(doc, record),
                f"The {record.kind} {quote(record.title or '')} holds only the placeholder of its template; "
                "fill it in, or remove it.",
                saving=saving,
            )
            reported = record.span.end


@rule("BNK024", "info")
def completed_can_go(doc: Document) -> Iterator[Finding]:
    """Completed items can go to the archive.

    Their milestone is complete, so no session needs them at its start. `memdown archive` moves them. More than ten
    completed items are too many even if no milestone is complete.

    Bad memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-01-10

        ## Milestones
        ### First release — Complete
    Good memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-01-10

        ## Milestones
        ### First release — In progress
    """
    if layer_of(doc.path) != PROGRESS:
        return
    found = due.due(doc)
    going = [each for each in found if each.target]
    if going:
        does = f"archive {_count(len(going), 'completed item')}, with {way('archive')}"
        yield _finding(doc, going[0].start, does, sum(tokens.estimate(each.text) for each in going))
    done = [item for item in items_in(doc.of(outline), PROGRESS, ("Completed",)) if item.depth == 0]
    if not found and len(done) > _MANY_DONE:
        does = f"archive {len(done)} completed items: set their milestone to Complete, then use {way('archive')}"
        yield _finding(doc, done[0].start, does, _cost(doc, (item.span for item in done)))


@rule("BNK055", "info")
def too_many_changes(doc: Document) -> Iterator[Finding]:
    """The recent changes are more than ten.

    The active context is replaced at every session, not added to. Earlier work belongs in progress.md.

    Bad memory-bank/activeContext.md:
        ## Recent Changes
        - Import reads all sheets — 2026-02-01
        - Export writes all sheets — 2026-02-01
        - Import is faster — 2026-02-01
        - Export is faster — 2026-02-01
        - Import logs errors — 2026-02-01
        - Export logs errors — 2026-02-01
        - Import has tests — 2026-02-01
        - Export has tests — 2026-02-01
        - Import has a page — 2026-02-01
        - Export has a page — 2026-02-01
        - Import has a name — 2026-02-01
    Good memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets — 2026-02-01
    """
    old, recent = _changes(doc)
    count, more = len(old) + len(recent), len(recent) - _MOST_CHANGES
    if count > _MOST_CHANGES:
        # Which of them are the newest is not known without dates, so the average counts.
        cost = _cost(doc, (item.span for item in recent)) * more // len(recent) if more > 0 else 0
        saving = Saving(f"keep the last {_MOST_CHANGES} recent changes", cost) if more > 0 else None
        start = (recent or old)[0].start
        message = f"Recent Changes lists {count}; keep those of this session."
        yield Finding(Span(start, line_end(doc.text, start)), message, saving=saving)


@rule("BNK062", "info")
def old_changes(doc: Document) -> Iterator[Finding]:
    """Recent changes of more than 30 days ago are not recent any more.

    The active context describes the current state. What was done belongs in progress.md.

    Bad memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets — 2025-02-01
    Good memory-bank/activeContext.md:
        # Active Context

        ## Recent Changes
        - Import reads all sheets — 2026-02-20
    """
    old, _ = _changes(doc)
    if old:
        does = f"remove {_count(len(old), 'recent change')} of more than {RECENT_DAYS} days ago"
        yield _finding(doc, old[0].start, does, _cost(doc, (item.span for item in old)))


def _changes(doc: Document) -> tuple[list[ListItem], list[ListItem]]:
    """The changes that are old by now, and the others."""
    old: list[ListItem] = []
    recent: list[ListItem] = []
    if layer_of(doc.path) == ACTIVE:
        day_first = dates.days_come_first(doc.text)
        for item in items_in(doc.of(outline), ACTIVE, ("Recent Changes",)):
            if item.depth == 0:
                (old if _is_old(doc, item, day_first=day_first) else recent).append(item)
    return old, recent


def _is_old(doc: Document, item: ListItem, *, day_first: bool | None) -> bool:
    match = dates.STAMP_PATTERN.search(item.text.of(doc.text))
    at = dates.stamp(match.group(), day_first=day_first) if match else None
    today = doc.today if at is not None else None
    return at is not None and today is not None and (today - at.local.date()).days > RECENT_DAYS


@rule_across("BNK063", "info")
def written_twice(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A paragraph or an item says what an earlier one says already.

    Every session reads both, and a change to one of them is easily forgotten in the other.

    Bad memory-bank/projectBrief.md:
        # Project Brief

        ## Mission Statement
        Invoices are written offline, and sent when there is a network again.
    and memory-bank/productContext.md:
        # Product Context

        ## User Experience Goals
        - Invoices are written offline, and sent when there is a network again.
    Good memory-bank/projectBrief.md:
        # Project Brief

        ## Mission Statement
        Invoices are written offline, and sent when there is a network again.
    """
    for bank in banks(documents):
        for doc, span, first in copies([doc for _, doc in layers(bank)]):
            yield doc, _finding(doc, span.start, f"remove what {first} says too", _cost(doc, [span]))


@rule_across("BNK064", "info")
def long_section(documents: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """A long section in a file that costs too much to read, whatever else is removed from it.

    Cut explanations, prefer lists, and move details to a file that is read when they are needed.

    Bad (repeated20 memory-bank/systemPatterns.md):
        ## Services and how they are called
        - The gateway calls orders by name
        - The gateway calls carts by name
        - The gateway calls users by name
        - The gateway calls taxes by name
        - The gateway calls stock by name
        - The gateway calls mails by name
        - The gateway calls files by name
        - The gateway calls logs by name
        - The gateway calls jobs by name
        - The gateway calls keys by name
        - The gateway calls maps by name
        - The gateway calls tags by name
    Good memory-bank/systemPatterns.md:
        # System Patterns

        ## Architecture
        Requests go through one gateway.
    """
    large = [doc for doc in documents if _is_large(doc, 0)]
    saved: dict[str, int] = {}
    for each in (not_filled_in, completed_can_go, too_many_changes, old_changes, written_twice) if large else ():
        for doc, finding in each.find(documents if each.across else large):
            saved[doc.path] = saved.get(doc.path, 0) + (finding.saving.tokens if finding.saving else 0)
    for doc in large:
        sections = doc.of(outline).sections if _is_large(doc, saved.get(doc.path, 0)) else ()
        costs = [(_cost(doc, [each.span]), each) for each in sections if each.body < each.end]
        costs.sort(key=lambda each: -each[0])
        for cost, section in costs[:_LONGEST_SECTIONS]:
            if cost >= FILE_TOKENS // _SHARE:
                does = f"shorten {section.title[:60]!r}, {cost:,} tokens, to half"
                yield doc, _finding(doc, section.head.start, does, cost // 2)


def _is_large(doc: Document, saved: int) -> bool:
    return layer_of(doc.path) not in (None, LOG) and tokens.estimate(doc.text) - saved > FILE_TOKENS


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
