"""Rules about progress: items that stand in the wrong section, without a date, or in two places."""

from collections.abc import Iterator

from memdown.diagnostics import Finding, rule
from memdown.dialects.bank.rules.common import filled, is_layer, line_of
from memdown.dialects.bank.sections import DONE
from memdown.errors import quote
from memdown.record import Document, Record

_PROGRESS = "progress.md"


def _tasks(doc: Document, section: str) -> Iterator[Record]:
    """Items of a section that are in no other item."""
    if is_layer(doc, _PROGRESS):
        for record in filled(doc.records, "task"):
            if record.extra.get("section") == section and record.extra.get("depth") == "0":
                yield record


@rule("BNK020", "info")
def done_but_in_progress(doc: Document) -> Iterator[Finding]:
    """An item of In Progress is marked as done.

    A session that reads the section starts it again, or no longer trusts the section.

    Bad memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Export — 2026-01-20

        ## In Progress
        - [x] Import of invoices
    Good memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-02-01
    """
    for record in _tasks(doc, "In Progress"):
        if record.status == DONE:
            yield Finding(
                line_of(doc, record),
                f"The item {quote(record.title or '')} is done, but is still in In Progress; move it to Completed.",
            )


@rule("BNK021", "warning")
def completed_but_open(doc: Document) -> Iterator[Finding]:
    """An item of Completed has an empty box.

    One of the two is wrong, and only a person knows which.

    Bad memory-bank/progress.md:
        # Progress

        ## Completed
        - [ ] Import of invoices
    Good memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-02-01
    """
    for record in _tasks(doc, "Completed"):
        if record.status != DONE:
            yield Finding(
                line_of(doc, record),
                f"The item {quote(record.title or '')} is in Completed without a check mark; write `[x]`, or move it.",
            )


@rule("BNK022", "info")
def completed_without_a_date(doc: Document) -> Iterator[Finding]:
    """A completed item does not say when.

    Without the date nobody can tell what is new, and what may go to the archive. `memdown bank complete` writes it.

    Bad memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices
    Good memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-02-01
    """
    for record in _tasks(doc, "Completed"):
        if record.status == DONE and record.at is None:
            yield Finding(
                line_of(doc, record),
                f"The completed item {quote(record.title or '')} has no date; add one as ` — 2026-01-31`.",
            )


@rule("BNK023", "error")
def completed_and_in_progress(doc: Document) -> Iterator[Finding]:
    """The same item is in Completed and in In Progress or Upcoming.

    The file contradicts itself, and readers believe whichever half they see first.

    Bad memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-02-01

        ## In Progress
        - [ ] Import of invoices
    Good memory-bank/progress.md:
        # Progress

        ## Completed
        - [x] Import of invoices — 2026-02-01

        ## In Progress
        - [ ] Import of receipts
    """
    completed = {_folded(record): record for record in _tasks(doc, "Completed") if record.status == DONE}
    for section in ("In Progress", "Upcoming"):
        for record in _tasks(doc, section):
            if record.status != DONE and _folded(record) and _folded(record) in completed:
                line = completed[_folded(record)].line
                yield Finding(
                    line_of(doc, record),
                    f"The item {quote(record.title or '')} is also in Completed, on line {line}; "
                    "remove one of the two.",
                )


def _folded(record: Record) -> str:
    return " ".join((record.title or "").casefold().strip("*_. ").split())
