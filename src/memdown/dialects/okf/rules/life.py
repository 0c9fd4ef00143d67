"""Rules about the life of a concept: its times, its status, and who wrote and confirmed it."""

from collections.abc import Iterator, Mapping

from memdown import times
from memdown.diagnostics import Finding, Fix, rule, shown_at
from memdown.dialects.okf import grammar
from memdown.dialects.okf.rules.form import concept_of
from memdown.errors import way
from memdown.markdown.frontmatter import FrontMatterValue
from memdown.record import Document
from memdown.text import Edit, Span


def written(doc: Document) -> Iterator[tuple[str, Mapping[str, FrontMatterValue]]]:
    """Who wrote and who confirmed a concept."""
    for key in ("generated", "verified"):
        yield from ((key, each) for each in concept_of(doc).mappings(key))


@rule("OKF010", "error")
def time_without_offset(doc: Document) -> Iterator[Finding]:
    """A time does not say where on earth it is.

    `generated.at`, `verified.at` and `stale_after` are instants: ISO 8601 with an offset. Without one, two readers
    interpret the same text as times that are hours apart. A date alone is a warning: a day begins and ends at
    different times elsewhere.

    Bad:
        ---
        type: Metric
        generated:
          by: human:ann
          at: 2026-01-13T10:00:00
        ---
    Good:
        ---
        type: Metric
        generated:
          by: human:ann
          at: 2026-01-13T10:00:00Z
        ---

    ## Fix

    The unsafe fix takes it as UTC.
    """
    known = concept_of(doc)
    found = [(f"{key}.at", each.get("at")) for key, each in written(doc)]
    found += [(key, known.at(key)) for key in ("stale_after", "timestamp")]
    for key, value in found:
        spelled = grammar.scalar(value)
        if value is None or not spelled or grammar.moment(spelled):
            continue
        if grammar.DATE.fullmatch(spelled) and times.read(spelled):
            yield Finding(
                value.span,
                f"`{key}` {shown_at(doc, value.span)} is a day; write an instant, like 2026-01-31T09:30:00Z.",
                severity="warning",
            )
            continue
        fix = None
        if value.style in ("plain", "single", "double") and grammar.moment(f"{spelled}Z"):
            end = value.span.end - (value.style != "plain")
            fix = Fix("take it as UTC", (Edit(Span(end, end), "Z"),), safe=False)
        problem = "has no offset" if fix else "is not a time"
        yield Finding(value.span, f"`{key}` {problem}: write it like 2026-01-31T09:30:00Z.", fix)


@rule("OKF011", "warning")
def status_unknown(doc: Document) -> Iterator[Finding]:
    """The status of a concept is not one that the format knows.

    It is draft, stable or deprecated; a concept without one is stable. Readers do not know what to make of another.

    Bad:
        ---
        type: Metric
        status: approved
        ---
    Good:
        ---
        type: Metric
        status: stable
        ---
    """
    value = concept_of(doc).at("status")
    if value and grammar.scalar(value) not in (*grammar.STATUSES, ""):
        yield Finding(
            value.span, f"The status {shown_at(doc, value.span)} is not one of {', '.join(grammar.STATUSES)}."
        )


@rule("OKF012", "info")
def deprecated(doc: Document) -> Iterator[Finding]:
    """A concept is deprecated.

    It is kept for history. Searching ranks it low, and `memdown context` leaves it out.

    Bad:
        ---
        type: Metric
        status: deprecated
        ---
    Good:
        ---
        type: Metric
        ---
    """
    value = concept_of(doc).at("status")
    if value and grammar.scalar(value) == "deprecated":
        yield Finding(value.span, f"The concept is deprecated; {way('context')} leaves it out.")


@rule("OKF013", "warning")
def stale(doc: Document) -> Iterator[Finding]:
    """A concept is past the time at which it should be looked at again.

    `stale_after` says from when on the text may be outdated. Review it, and update the time or the text.

    Bad:
        ---
        type: Metric
        stale_after: 2025-12-31T00:00:00Z
        ---
    Good:
        ---
        type: Metric
        stale_after: 2027-12-31T00:00:00Z
        ---
    """
    value = concept_of(doc).at("stale_after")
    after = times.read(grammar.scalar(value))
    if value and after and doc.is_past(after.instant()):
        yield Finding(value.span, f"The concept is stale since {after.text}; verify it, and update `stale_after`.")


@rule("OKF014", "warning")
def actor_unknown(doc: Document) -> Iterator[Finding]:
    """Who wrote or confirmed a concept is not named as the format names them.

    People are `human:<id>`, tools `<name>/<version>`, other processes `process:<id>`. Only `human:` makes a concept
    count as reviewed by a person.

    Bad:
        ---
        type: Metric
        verified:
          - by: Ann
            at: 2026-01-13T10:00:00Z
        ---
    Good:
        ---
        type: Metric
        verified:
          - by: human:ann
            at: 2026-01-13T10:00:00Z
        ---
    """
    for key, each in written(doc):
        by = each.get("by")
        if by is None or not grammar.scalar(by):
            place = by or next(iter(each.values()))
            yield Finding(place.span, f"`{key}` does not say by whom; add `by: human:<id>`.")
        elif not grammar.ACTOR.fullmatch(grammar.scalar(by)):
            yield Finding(
                by.span, f"`{key}.by` {shown_at(doc, by.span)} is not human:<id>, process:<id> or <tool>/<version>."
            )


@rule("OKF015", "info")
def timestamp_of_old(doc: Document) -> Iterator[Finding]:
    """A concept has the time of its last change under the key of version 0.1.

    `generated`, with `by` and `at`, replaced `timestamp`, which is still read.

    Bad:
        ---
        type: Metric
        timestamp: 2026-01-13T10:00:00Z
        ---
    Good:
        ---
        type: Metric
        generated:
          by: human:ann
          at: 2026-01-13T10:00:00Z
        ---
    """
    known = concept_of(doc)
    value = known.at("timestamp")
    if value and not known.at("generated"):
        yield Finding(value.span, "`timestamp` is of version 0.1; write `generated` with `by` and `at`.")
