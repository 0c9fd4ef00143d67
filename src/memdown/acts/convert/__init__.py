"""Conversion: entries of an older spelling written anew in a dialect's own. Text in; edits and a report out.

Nothing is invented and nothing is lost: an entry without author or date stays as it is, and so does one whose new
text would not read back to the same, or would miss a line of the old one.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from memdown.dialects import DIALECTS, offered, offering
from memdown.dialects.draft import CONFIDENCES, EntryDraft, Known
from memdown.dialects.hollow import is_hollow
from memdown.errors import Refused, quote
from memdown.record import Document, Record
from memdown.text import Edit, apply

CANONICAL = "canonical already"
_PATIENCE = 20
"""Conversions of one file that may be taken back one by one; with more, all that follow are."""


class ConvertChoice(Struct, frozen=True):
    """Which drafts are taken."""

    minimum: str = "medium"
    """The lowest confidence that is taken unasked."""
    accept: frozenset[str] = frozenset()
    """Ids taken whatever their confidence."""
    skip: frozenset[str] = frozenset()
    """Ids left as they are."""


class ConvertItem(Struct, frozen=True):
    """What becomes of one entry."""

    id: str
    path: str
    title: str
    line: int
    state: str
    """"converted" or "kept"."""
    reason: str | None
    """Why it is kept; `CANONICAL` for one that needs no conversion."""
    confidence: str
    """"high", "medium" or "low": how surely the new entry says what the old one meant."""
    inferred: tuple[str, ...] = ()
    """What the old entry does not say itself: type, time, author, date."""
    lost: tuple[str, ...] = ()
    """What the new entry has no place for."""
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    """What it lacks to be converted: author, date."""


class Conversion(Struct, frozen=True):
    """One file: its text before and after, and every entry of it."""

    path: str
    before: str
    after: str
    items: list[ConvertItem]


_USUAL = ConvertChoice()


def convert(
    documents: Iterable[Document],
    *,
    to: str,
    choice: ConvertChoice = _USUAL,
    known: Callable[[Document], Known] = lambda _: Known(),
) -> list[Conversion]:
    """Every file with the entries that may be converted written anew; `known` fills gaps."""
    drafts = offered(to, "drafts")
    if drafts is None:
        raise Refused(f"{quote(to)} is not a dialect to convert to; use one of {', '.join(offering('drafts'))}.")
    return [_converted(document, drafts(document, known(document)), to, choice) for document in documents]


def _converted(document: Document, drafts: dict[int, EntryDraft], to: str, choice: ConvertChoice) -> Conversion:
    read, entries, first_difference = DIALECTS[to].read, offered(to, "entries"), offered(to, "first_difference")
    records = entries(document.records)
    accepted = {
        record.span.start: drafts[record.span.start]
        for record in records
        if record.span.start in drafts and _refusal(record, drafts[record.span.start], choice) is None
    }
    unproven: set[int] = set()
    while True:
        after = apply(document.text, [Edit(draft.span, draft.text) for draft in accepted.values()])
        expected = {start: draft.record for start, draft in accepted.items()}
        wrong = first_difference(records, expected, entries(read(document.path, after))) if accepted else None
        if wrong is None:
            break
        # An entry whose conversion changes how the text after it is read stays as it is.
        hopeless = {start for start in accepted if start > wrong} if len(unproven) > _PATIENCE else set()
        unproven |= {wrong, *hopeless}
        accepted = {start: draft for start, draft in accepted.items() if start not in unproven}
    items = [
        _item(document, record, drafts.get(record.span.start), accepted, unproven, choice)
        for record in records
        if not is_hollow(record)
    ]
    return Conversion(document.path, document.text, after, items)


def _refusal(record: Record, draft: EntryDraft, choice: ConvertChoice) -> str | None:
    """Why a draft is not taken; None when it is."""
    if draft.reason:
        return draft.reason
    if record.id in choice.skip:
        return "skipped"
    if record.id in choice.accept or CONFIDENCES.index(draft.confidence) >= CONFIDENCES.index(choice.minimum):
        return None
    return f"{draft.confidence} confidence; --accept {record.id} converts it"


def _item(
    document: Document,
    record: Record,
    draft: EntryDraft | None,
    accepted: Mapping[int, EntryDraft],
    unproven: set[int],
    choice: ConvertChoice,
) -> ConvertItem:
    start = record.span.start
    reason: str | None
    if start in unproven:
        reason = "text after it would be read differently"
    elif draft is None:
        reason = CANONICAL
    else:
        reason = _refusal(record, draft, choice)
    return ConvertItem(
        id=record.id,
        path=document.path,
        title=record.title or "",
        line=document.lines.at(start) + 1,
        state="converted" if start in accepted else "kept",
        reason=reason,
        confidence=draft.confidence if draft else "high",
        inferred=draft.inferred if draft and not draft.reason else (),
        notes=draft.notes if draft else (),
        missing=draft.missing if draft else (),
    )
