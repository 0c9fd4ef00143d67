"""Rules about histories: headings that do not count, numbers and dates that do not fit, too many entries."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from memdown.diagnostics import Finding, rule, shown_at
from memdown.dialects.layers import headings, stamps
from memdown.dialects.layers.headings import HISTORIES, ONE_MORE, History, HistoryEntry
from memdown.dialects.layers.read import address_of
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Span

_WORDS = {
    "review_history": lazy(r"review\b", re.IGNORECASE),
    "test_results_history": lazy(r"(?:test )?session\b", re.IGNORECASE),
}
_READERS = {history: partial(headings.entries, history=history) for history in HISTORIES.values()}
"""One function for each history, so that a document is read once for all rules."""


def _history(doc: Document) -> tuple[str, History] | None:
    file_type = address_of(doc.path).file_type
    return (file_type, HISTORIES[file_type]) if file_type in HISTORIES else None


def _entries(doc: Document, history: History) -> list[HistoryEntry]:
    return doc.of(_READERS[history])


def _heading(doc: Document, entry: HistoryEntry) -> Span:
    return doc.lines.span(doc.lines.at(entry.span.start))


@rule("LYR040", "warning")
def entry_level(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has another level than `##`.

    Only `##` begins an entry. This one is part of the entry above it, is counted with it, and is archived with it.

    Bad memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ### Review #3 - 2026-01-15

        Two findings in `src/api.py`.
    Good memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #3 - 2026-01-15

        Two findings in `src/api.py`.
    """
    known = _history(doc)
    if known is None:
        return
    for block in doc.of(headings.headings):
        title = block.content.of(doc.text)
        if block.level != 2 and headings.is_entry(known[1], title) and (block.level > 2 or re.search(r"\d", title)):
            yield Finding(
                block.span,
                f"The heading {shown_at(doc, block.span)} does not begin with `##`, so it is not counted as a "
                f"{known[1].noun}.",
            )


@rule("LYR041", "info")
def heading_not_an_entry(doc: Document) -> Iterator[Finding]:
    """A heading begins like an entry and is none.

    `## Review Process` is about reviews. It is not counted, stays where it is, and ends the entry above it. If it is
    meant to be an entry, give it a number or a date.

    Bad memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review of the login page

        One finding in `src/login.py`.
    Good memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #4 - 2026-01-15

        One finding in `src/login.py`.
    """
    known = _history(doc)
    if known is None or known[0] not in _WORDS:
        return
    for block in doc.of(headings.headings):
        title = block.content.of(doc.text)
        if block.level == 2 and _WORDS[known[0]].match(title) and not headings.is_entry(known[1], title):
            yield Finding(
                block.span,
                f"The heading {shown_at(doc, block.span)} is not counted as a {known[1].noun}; "
                "write `## YYYY-MM-DD` before it.",
            )


@rule("LYR042", "info")
def entry_undated(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has neither a date nor a number.

    Then only its position indicates its age: what is further down is newer.

    Bad memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review

        Two findings in `src/api.py`.
    Good memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #3 - 2026-01-15

        Two findings in `src/api.py`.
    """
    known = _history(doc)
    for entry in _entries(doc, known[1]) if known else ():
        if entry.at is None and entry.number is None and not stamps.DATE.search(entry.title):
            yield Finding(
                _heading(doc, entry),
                f"The heading {shown_at(doc, _heading(doc, entry))} has neither a date nor a number; add one.",
            )


@rule("LYR043", "warning")
def entry_date_impossible(doc: Document) -> Iterator[Finding]:
    """The heading of an entry has a date that no calendar has.

    The entry counts as undated.

    Bad memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #3 - 2026-02-30
    Good memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #3 - 2026-02-28
    """
    known = _history(doc)
    for entry in _entries(doc, known[1]) if known else ():
        for match in stamps.DATE.finditer(entry.title):
            if stamps.day_of(match[1]) is None:
                yield Finding(_heading(doc, entry), f"{match[1]} is not a valid date; write the one that was meant.")


@rule("LYR044", "warning")
def entry_number_repeated(doc: Document) -> Iterator[Finding]:
    """Two entries have the same number.

    One of them was most likely appended twice, or by two people at once.

    Bad memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #3 - 2026-01-10

        ## Review #3 - 2026-01-15
    Good memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #3 - 2026-01-10

        ## Review #4 - 2026-01-15
    """
    known = _history(doc)
    by_number: dict[int, list[HistoryEntry]] = defaultdict(list)
    for entry in _entries(doc, known[1]) if known else ():
        if entry.number is not None:
            by_number[entry.number].append(entry)
    for number, same in by_number.items():
        for entry in same[1:]:
            yield Finding(_heading(doc, entry), f"The number {number} is there already; take the next one.")


@rule("LYR045", "info")
def too_many_entries(doc: Document) -> Iterator[Finding]:
    """A history has more entries than stay in it: 10 reviews and the one appended last, 15 sessions, 50 commands.

    `memdown layer prune` moves the oldest to the archive; so does appending the next one.

    Bad memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #1
        ## Review #2
        ## Review #3
        ## Review #4
        ## Review #5
        ## Review #6
        ## Review #7
        ## Review #8
        ## Review #9
        ## Review #10
        ## Review #11
        ## Review #12
    Good memory/skills/code-review/my-api/review_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Review #12
    """
    known = _history(doc)
    found = _entries(doc, known[1]) if known else []
    keep = doc.settings.layers.keep(known[0]) if known else 0
    if known and len(found) > keep + (known[0] in ONE_MORE):
        message = f"There are {len(found)} {known[1].noun}s; {keep} stay when it is pruned."
        yield Finding(_heading(doc, found[0]), message)


@rule("LYR046", "warning")
def summary_repeated(doc: Document) -> Iterator[Finding]:
    """There is more than one `## Historical Summary`.

    Pruning keeps one and merges the others into it.

    Bad memory/skills/test-cli-tools/my-api/test_results_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Historical Summary

        ## Historical Summary
    Good memory/skills/test-cli-tools/my-api/test_results_history.md:
        <!-- Last Updated: 2026-01-15 -->

        ## Historical Summary
    """
    if address_of(doc.path).file_type != "test_results_history":
        return
    found = [
        block
        for block in doc.of(headings.headings)
        if block.level == 2 and headings.is_historical_summary(block.content.of(doc.text))
    ]
    for block in found[1:]:
        yield Finding(block.span, "There is a Historical Summary above this one; merge the two.")
