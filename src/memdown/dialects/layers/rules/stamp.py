"""Rules about the stamp of a memory: that it is there, where it stands, and how it is written."""

from collections.abc import Iterator
from datetime import date

from memdown.diagnostics import Finding, Fix, first_line, rule, shown_at
from memdown.dialects.layers import stamps
from memdown.dialects.layers.stamps import Stamp
from memdown.dialects.layers.write import restamped
from memdown.record import Document
from memdown.text import BOM, Edit, Span, eol_of


def _stamps(doc: Document) -> list[Stamp]:
    """What looks like a stamp in the first ten lines, outside code."""
    return [each for each in doc.of(stamps.top_stamps) if not _in_code(doc, each)]


def _in_code(doc: Document, stamp: Stamp) -> bool:
    return any(span.start <= stamp.span.start < span.end for span in doc.of(stamps.fenced))


def _first(doc: Document) -> Stamp | None:
    """The stamp on the first line, whatever is wrong with it."""
    return next((each for each in _stamps(doc) if each.line == 0 and each.form != "legacy"), None)


def _stamping(doc: Document, day: date, *, safe: bool, why: str) -> Fix:
    return Fix(why, tuple(restamped(doc.text, day)), safe=safe)


@rule("LYR001", "warning")
def stamp_missing(doc: Document) -> Iterator[Finding]:
    """No line says when the memory was last updated.

    The first line of a memory is `<!-- Last Updated: YYYY-MM-DD -->`. Without it, the age of the memory is unknown, so
    every tool treats it as stale.

    Bad:
        # Project Overview

        The API is written in Python 3.12.
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview

        The API is written in Python 3.12.

    ## Fix

    The unsafe fix adds the stamp, with the date of an older `Last Updated` line further down, or else today's.
    """
    if _stamps(doc) or not doc.text.strip(f"{BOM} \t\r\n"):
        return
    later = stamps.later_legacy(doc.text)
    day = later or doc.today
    fix = _stamping(doc, day, safe=False, why=f"stamp it {day}") if day else None
    yield Finding(
        first_line(doc),
        "The memory has no stamp, so it counts as stale; begin it with `<!-- Last Updated: YYYY-MM-DD -->`.",
        fix,
    )


@rule("LYR002", "warning")
def stamp_legacy(doc: Document) -> Iterator[Finding]:
    """The date is written in the older form, `**Last Updated**: YYYY-MM-DD`.

    Tools read the comment on the first line only, so the memory counts as stale. memdown reads the older form too
    when `layers.legacy-stamps` is set.

    Bad:
        # Known Issues

        **Last Updated**: 2025-01-14
    Good:
        <!-- Last Updated: 2025-01-14 -->

        # Known Issues

        **Last Updated**: 2025-01-14

    ## Fix

    The safe fix adds the stamp with the same date. The older line stays.
    """
    found = _stamps(doc)
    if not found or any(each.form != "legacy" for each in found):
        return
    first = next((each for each in found if each.day), found[0])
    fix = _stamping(doc, first.day, safe=True, why="add the stamp with this date") if first.day else None
    yield Finding(
        first.span,
        f"The date {shown_at(doc, first.span)} is in an older form, so the memory counts as stale; "
        "write `<!-- Last Updated: YYYY-MM-DD -->`.",
        fix,
    )


@rule("LYR003", "warning")
def stamp_not_first(doc: Document) -> Iterator[Finding]:
    """The stamp is there, but not on the first line.

    Only the first line is read, so that the age of thousands of memories is known at once.

    Bad:
        # Project Overview
        <!-- Last Updated: 2026-01-15 -->

        The API is written in Python 3.12.
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview

        The API is written in Python 3.12.

    ## Fix

    The safe fix moves the line to the top.
    """
    if _first(doc):
        return
    stamp = next((each for each in _stamps(doc) if each.form != "legacy"), None)
    if stamp is None:
        return
    fix = None
    if stamp.day and stamp.bare:
        gone = Edit(Span(stamp.span.start, doc.lines.start(stamp.line + 1)), "")
        fix = Fix("move it to the top", (*restamped(doc.text, stamp.day), gone))
    yield Finding(
        stamp.span,
        f"The stamp {shown_at(doc, stamp.span)} is not on the first line, so the memory counts as stale; "
        "move it there.",
        fix,
    )


@rule("LYR004", "warning")
def stamp_spelling(doc: Document) -> Iterator[Finding]:
    """The first line is nearly a stamp.

    Tools look for exactly `<!-- Last Updated: YYYY-MM-DD -->`: with other capitals, other spaces, or more text in the
    comment they find none, and the memory counts as stale.

    Bad:
        <!-- Last updated: 2026-07-12 -->

        # Scope
    and:
        <!-- Last Updated: 2026-04-01 | Version: 1.0.0 -->

        # Scope
    Good:
        <!-- Last Updated: 2026-07-12 -->

        # Scope

    ## Fix

    The safe fix writes the stamp as it should be. A comment that says more stays, below the stamp.
    """
    stamp = _first(doc)
    if stamp is None or stamp.form != "alike":
        return
    fix = None
    if stamp.day and stamp.bare:
        fix = Fix("write it exactly", (Edit(stamp.span, stamps.text_of(stamp.day)),))
    elif stamp.day:
        fix = _stamping(doc, stamp.day, safe=True, why="add the stamp above it")
    yield Finding(
        stamp.span,
        f"{shown_at(doc, stamp.span)} is not exactly `<!-- Last Updated: YYYY-MM-DD -->`, so the memory "
        "counts as stale.",
        fix,
    )


@rule("LYR005", "error")
def stamp_impossible(doc: Document) -> Iterator[Finding]:
    """The stamp names a day that no calendar has.

    The memory counts as stale, whenever it was written.

    Bad:
        <!-- Last Updated: 2026-02-30 -->

        # Project Overview
    Good:
        <!-- Last Updated: 2026-02-28 -->

        # Project Overview
    """
    stamp = _first(doc)
    if stamp and stamp.day is None:
        yield Finding(stamp.span, f"The stamp {shown_at(doc, stamp.span)} is not a valid date.")


@rule("LYR006", "warning")
def stamp_in_future(doc: Document) -> Iterator[Finding]:
    """The stamp names a day that is yet to come.

    A slip of the pen, or a clock that is wrong. The memory counts as updated today, and will for as long.

    Bad:
        <!-- Last Updated: 9999-01-15 -->

        # Project Overview
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview
    """
    stamp = _first(doc)
    # Without a clock only what no clock will reach is said to be in the future.
    if stamp and stamp.day and stamp.day > (doc.today or date(9000, 1, 1)):
        yield Finding(
            stamp.span, f"The stamp says {stamp.day}, which is in the future; write the day of the last change."
        )


@rule("LYR007", "warning")
def stamp_repeated(doc: Document) -> Iterator[Finding]:
    """There is a second stamp below the first.

    Tools that add a stamp without checking leave the old one behind; the file then has two dates.

    Bad:
        <!-- Last Updated: 2026-01-15 -->
        <!-- Last Updated: 2025-11-02 -->

        # Project Overview
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview

    ## Fix

    The unsafe fix removes the second, and all that follow.
    """
    if not _first(doc):
        return
    for stamp in _stamps(doc):
        if stamp.line > 0 and stamp.form == "exact":
            gone = Edit(Span(stamp.span.start, doc.lines.start(stamps.after_run(doc.lines, stamp.line))), "")
            yield Finding(
                stamp.span,
                f"The stamp {shown_at(doc, stamp.span)} is the second; the first counts, so remove this one.",
                Fix("remove it", (gone,), safe=False),
            )


@rule("LYR008", "info")
def stamp_without_blank_line(doc: Document) -> Iterator[Finding]:
    """No blank line follows the stamp.

    memdown writes one, and so a first update of the file would change one line more than it needs to.

    Bad:
        <!-- Last Updated: 2026-01-15 -->
        # Project Overview
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # Project Overview

    ## Fix

    The safe fix adds it.
    """
    stamp = _first(doc)
    if stamp and stamp.form == "exact" and len(doc.lines) > 1 and doc.lines.span(1).of(doc.text).strip():
        start = doc.lines.start(1)
        fix = Fix("add a blank line", (Edit(Span(start, start), eol_of(doc.text)),))
        yield Finding(stamp.span, "No blank line follows the stamp; add one.", fix)


@rule("LYR009", "info")
def stamp_in_code(doc: Document) -> Iterator[Finding]:
    """Something that looks like a stamp is in a block of code.

    It is an example and says nothing about this memory.

    Bad:
        # How to write a memory

        ```markdown
        <!-- Last Updated: 2026-01-15 -->
        ```
    Good:
        <!-- Last Updated: 2026-01-15 -->

        # How to write a memory

        ```markdown
        <!-- Last Updated: YYYY-MM-DD -->
        ```
    """
    for stamp in doc.of(stamps.top_stamps):
        if stamp.day and stamp.form != "legacy" and _in_code(doc, stamp):
            yield Finding(
                stamp.span, f"The stamp {shown_at(doc, stamp.span)} is in a block of code and does not count."
            )
