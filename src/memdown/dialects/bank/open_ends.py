"""What an active context leaves open: pending decisions, questions, blockers, next steps; and how that is closed."""

from collections.abc import Iterator

from memdown.dialects.bank import dates
from memdown.dialects.bank.grammar import STARTED
from memdown.dialects.bank.items import SectionEdit, add_item, clear_section, find_item, items_in, removal, undated
from memdown.dialects.bank.sections import ListItem, Outline, outline
from memdown.dialects.bank.write import ACTIVE
from memdown.errors import Invalid, quote
from memdown.text import Edit, Span

_NAMES = {
    "Active Decisions": "active decision",
    "Open Questions": "open question",
    "Blockers": "blocker",
    "Next Steps": "next step",
}
LISTS = {
    "changes": "Recent Changes",
    "decisions": "Active Decisions",
    "questions": "Open Questions",
    "blockers": "Blockers",
    "next-steps": "Next Steps",
}
"""What may be cleared, and the section it is."""


def close(text: str, wanted: str) -> SectionEdit:
    """An item is over, and goes from the active context."""
    doc = outline(text)
    edit = removal(doc, find_item(doc, [item for item, _ in _open(doc)], wanted, "open item"))
    return SectionEdit([edit], edit)


def resolve(text: str, wanted: str, day: str) -> SectionEdit:
    """An item is over, and is a recent change from now on."""
    doc = outline(text)
    item = find_item(doc, [item for item, _ in _open(doc)], wanted, "known issue, debt or open item")
    added = add_item(doc, ACTIVE, "Recent Changes", f"Resolved: {undated(doc.text_of(item))} — {day}")
    return SectionEdit([removal(doc, item), *added.edits], added.main, added.skip)


def begin(text: str, day: str) -> SectionEdit:
    """A session began; that is said once for each day."""
    doc, line = outline(text), f"{STARTED}{day}"
    if any(doc.text_of(item) == line for item in items_in(doc, ACTIVE, ("Recent Changes",))):
        return SectionEdit([], Edit(Span(0, 0), ""))
    return add_item(doc, ACTIVE, "Recent Changes", line)


def clear(text: str, name: str) -> SectionEdit:
    """All items of a list are over."""
    if name not in LISTS:
        raise Invalid(f"{quote(name)} is not a list of the active context; use {', '.join(LISTS)}.")
    return clear_section(outline(text), ACTIVE, LISTS[name])


def open_items(text: str) -> Iterator[tuple[str, Span]]:
    """What is open, as a report names it, and where it stands."""
    doc = outline(text)
    for item, what in _open(doc):
        yield f"{what} {quote(undated(doc.text_of(item)))}", item.span


def _open(doc: Outline) -> Iterator[tuple[ListItem, str]]:
    for name, what in _NAMES.items():
        for item in items_in(doc, ACTIVE, (name,)):
            if item.depth == 0 and not dates.is_placeholder(item.span.of(doc.text)):
                yield item, what
