"""What an active context leaves open: pending decisions, questions, blockers, next steps; and how that is closed."""

from collections import Counter
from collections.abc import Iterator

from memdown.dialects.bank import dates
from memdown.dialects.bank.items import SectionEdit, clear_section, find_item, items_in, removal, undated
from memdown.dialects.bank.sections import BankSection, ListItem, Outline, outline
from memdown.dialects.bank.write import ACTIVE
from memdown.errors import Invalid, quote
from memdown.record import RemovedText
from memdown.text import filled_lines

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


def clear(text: str, name: str) -> SectionEdit:
    """All items of a list are over."""
    if name not in LISTS:
        raise Invalid(f"{quote(name)} is no list of the active context; use {', '.join(LISTS)}.")
    return clear_section(outline(text), ACTIVE, LISTS[name])


def _open(doc: Outline) -> Iterator[tuple[ListItem, str]]:
    for name, what in _NAMES.items():
        for item in items_in(doc, ACTIVE, (name,)):
            if item.depth == 0 and not dates.is_placeholder(item.span.of(doc.text)):
                yield item, what


def dropped(before: str, after: str) -> list[RemovedText]:
    """Sections of a file, and open items of an active context, that are nowhere in its new text.

    Where the file has fewer lines than it had, also the text that sections have lost.
    """
    old, new = outline(before), outline(after)
    titles: dict[str, list[BankSection]] = {}
    for section in reversed(new.sections):
        titles.setdefault(section.title, []).append(section)
    shorter = _lines(before).total() > _lines(after).total()
    texts = Counter(undated(new.text_of(item)) for item in new.items)
    found: dict[int, RemovedText] = {}
    told: Counter[int | None] = Counter()
    for item, what in _open(old):
        text = undated(old.text_of(item))
        texts[text] -= 1
        if texts[text] < 0:
            found[item.start] = RemovedText(f"{what} {quote(text)}", filled_lines(item.span.of(before)))
            told[item.section] += found[item.start].lines
    for number, section in enumerate(old.sections):
        left = titles.get(section.title)
        same = left.pop() if left else None
        if same is None:
            lines = filled_lines(section.span.of(before)) - told[number]
            found[section.head.start] = RemovedText(f"section {quote(section.title)}", lines)
        elif shorter:
            had, has = _lines(section.span.of(before)), _lines(same.span.of(after))
            lost = (had - has).total() - told[number]
            if lost > 0 and had.total() > has.total():
                found[section.head.start] = RemovedText(f"text of {quote(section.title)}", lost)
    return [found[at] for at in sorted(found)]


def _lines(text: str) -> Counter[str]:
    """The lines of a text that say something."""
    return Counter(
        line.strip() for line in text.splitlines() if not (dates.is_empty(line) or dates.is_placeholder(line))
    )
