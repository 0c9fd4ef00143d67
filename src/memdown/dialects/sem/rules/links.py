"""Rules about what an entry points at: related work, the entries it replaces, and the day it should be seen again."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from memdown import times
from memdown.diagnostics import Finding, Fix, rule, rule_across, shown_at
from memdown.dialects.finder import rings
from memdown.dialects.relations import expires, expiry, resolve
from memdown.dialects.sem import grammar
from memdown.dialects.sem.rules.common import EntryStamp, LogEntry, entries, line_at, places
from memdown.dialects.sem.rules.references import Place, Reference, references, related
from memdown.dialects.sem.write import canonical_stamp
from memdown.errors import quote
from memdown.record import Document, Record
from memdown.text import Edit, Span


@rule("SEM043", "warning")
def related_unknown_type(doc: Document) -> Iterator[Finding]:
    """A line of `related` names a type that the format does not know.

    It is kept as it is. The types are proposal, issue, decision, memory, note, directive, pr and skill.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **related:**
        - ticket: 18
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **related:**
        - issue: #18
    """
    for _, span, match in related(doc):
        if match and match[1].lower() not in grammar.RELATED_TYPES:
            yield Finding(
                span, f"{quote(match[1])} is not a type of related item; use {', '.join(grammar.RELATED_TYPES)}."
            )


@rule("SEM044", "warning")
def related_unreadable(doc: Document) -> Iterator[Finding]:
    """A line of `related` is not a type and an identifier.

    Each line is `- type: identifier`. Anything else is not a link.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **related:**
        - the issue about slow starts
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        **related:**
        - issue: #18
    """
    for _, span, match in related(doc):
        if match is None:
            yield Finding(span, f"{shown_at(doc, span)} is not a type and an identifier; write it as `issue: #18`.")


@rule_across("SEM060", "warning")
def entry_expired(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An entry has expired.

    Its `expires` has passed: check whether it still applies, then write a new time, or an entry that supersedes it.
    Expired entries are shown like others. For a superseded entry, this is only info.

    Bad:
        ### 2025-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **expires:** 2025-06-01T00:00:00-0800
    Good:
        ### 2025-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **expires:** 2099-06-01T00:00:00-0800
    """
    over = [(doc, record, span) for doc in docs for record, span, until in _ending(doc) if doc.is_past(until)]
    known = resolve(record for doc in docs for record in doc.records) if over else None
    for doc, record, span in over:
        day = ended.local.date().isoformat() if (ended := expiry(record)) else ""
        message = f"This {record.kind} expired on {day}; renew it, or write one that supersedes it."
        yield doc, Finding(span, message, severity="info" if known and known.is_superseded(record) else None)


@rule("SEM061", "warning")
def expires_date_only(doc: Document) -> Iterator[Finding]:
    """`expires` is a date without a time.

    It is taken as the end of that day where the entry was written. Other readers of the format want a timestamp.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **expires:** 2099-06-01
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **expires:** 2099-06-01T23:59:59-0800

    ## Fix

    The safe fix writes the end of that day with the offset of the entry's own timestamp, or UTC.
    """
    for entry, stamp in _expiries(doc):
        if stamp.moment and stamp.moment.precision == "day":
            ends = canonical_stamp(_end_of_day(stamp.moment, entry.at()))
            fix = Fix("write the end of the day", (Edit(stamp.span, ends),))
            yield Finding(
                stamp.span,
                f"The expiry {quote(stamp.text)} has no time and is taken as the end of that day; write it as {ends}.",
                fix,
            )


@rule("SEM062", "warning")
def expires_before_written(doc: Document) -> Iterator[Finding]:
    """An entry expires before it was written.

    One of the two times is wrong.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **expires:** 2025-06-01T00:00:00-0800
    Good:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **expires:** 2099-06-01T00:00:00-0800
    """
    for record, span, until in _ending(doc):
        if record.at and until <= record.at.instant():
            yield Finding(
                span,
                f"The entry expires at {shown_at(doc, span)}, before it was written; correct one of the two times.",
            )


def _expiries(doc: Document) -> Iterator[tuple[LogEntry, EntryStamp]]:
    for entry in entries(doc):
        stamp = entry.field_stamp("expires")
        if stamp and stamp.moment:
            yield entry, stamp


def _ending(doc: Document) -> Iterator[tuple[Record, Span, datetime]]:
    """Entries that end, where they say so, and when."""
    fields = {entry.part.start: stamp.span for entry, stamp in _expiries(doc)}
    for record in doc.records:
        until = expires(record)
        if until:
            yield record, fields.get(record.span.start) or line_at(doc, record.span.start), until


def _end_of_day(day: times.Moment, at: times.Moment | None) -> times.Moment:
    """The last second of a day where an entry was written; in UTC when the calendar ends before that."""
    last = times.Moment(
        "", day.local + timedelta(hours=23, minutes=59, seconds=59), "second", "", at.offset if at else 0
    )
    return times.read(canonical_stamp(last)) or times.Moment("", last.local, "second", "", 0)


@rule_across("SEM064", "warning")
def reference_dangling(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An entry points at another that is not there.

    `supersedes`, and `related` with the type of an entry, name an entry by its timestamp. None of the files that were
    checked has one with this time: it was lost, archived elsewhere, or the timestamp has a slip. In an entry of an
    older form this is only a note.

    Bad:
        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800
    Good:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    """
    for each in references(docs):
        if not each.found:
            message = f"No checked entry matches {quote(each.target)}; correct the timestamp or the title."
            yield each.doc, _pointing(each, message)


@rule_across("SEM065", "warning")
def reference_ambiguous(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An entry points at a time that several entries have.

    Write the title, or its beginning, after the timestamp: `2026-02-10T09:00:00-0800 cache is cold`. In an entry of an
    older form this is only a note.

    Bad:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-10T09:00:00-0800: note: The pool is small

        **author:** Ann

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    Good:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-10T09:00:00-0800: note: The pool is small

        **author:** Ann

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800 the-cache-is-cold

        ---
    """
    for each in references(docs):
        if len(each.found) > 1:
            message = f"{quote(each.target)} may be any of {places(each.found)}; write the title after the timestamp."
            yield each.doc, _pointing(each, message)


def _pointing(reference: Reference, message: str) -> Finding:
    return Finding(reference.span, message, severity="info" if reference.legacy else None)


@rule_across("SEM066", "error")
def supersedes_cycle(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Entries replace each other in a circle.

    Then each of them is superseded, and none is in force. The newest should not be superseded by an older one.

    Bad:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann
        **supersedes:** 2026-02-15T14:32:15-0800

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    Good:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    """
    replacing = [each for each in references(docs) if each.type == "supersedes" and len(each.found) == 1]
    numbers: dict[Place, int] = {}
    for each in replacing:
        for place in (each.source, _place(each)):
            numbers.setdefault(place, len(numbers))
    edges: dict[int, list[int]] = defaultdict(list)
    for each in replacing:
        edges[numbers[each.source]].append(numbers[_place(each)])
    ring_of = {number: ring for ring in rings(edges) for number in ring}
    targets = {numbers[_place(each)]: each.found[0] for each in replacing}
    for each in replacing:
        ring = ring_of.get(numbers[each.source])
        if ring is not None and ring is ring_of.get(numbers[_place(each)]):
            members = sorted((targets[number] for number in ring), key=lambda record: (record.path, record.line))
            yield each.doc, _pointing(each, _circle(members))


def _place(reference: Reference) -> Place:
    return reference.found[0].path, reference.found[0].span.start


def _circle(ring: Sequence[Record]) -> str:
    """The same sentence for each of them, so that it is shown once."""
    if len(ring) == 1:
        return "It supersedes itself; name the entry it replaces."
    return f"{len(ring)} entries supersede each other: {places(ring)}; only the newest should stay in force."


@rule_across("SEM074", "warning")
def superseded_twice(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two entries replace the same one.

    Nobody can tell which of them is in force. Make the newer one supersede the older, or remove the reference from one
    of them.

    Bad:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-11T09:00:00-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---

        ### 2026-02-12T09:00:00-0800: note: There is no cache

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    Good:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-11T09:00:00-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    """
    for doc, record, by in _replaced(docs):
        if len(by) > 1:
            message = f"{len(by)} entries supersede this one: {places(by)}; say which of them is in force."
            yield doc, Finding(line_at(doc, record.span.start), message)


@rule_across("SEM075", "warning")
def supersedes_newer(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An entry replaces one that was written after it.

    One of the two times is wrong, or the two are the wrong way round.

    Bad:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann
        **supersedes:** 2026-02-15T14:32:15-0800

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann

        ---
    Good:
        ### 2026-02-10T09:00:00-0800: note: The cache is cold

        **author:** Ann

        ---

        ### 2026-02-15T14:32:15-0800: note: The cache is warm

        **author:** Ann
        **supersedes:** 2026-02-10T09:00:00-0800

        ---
    """
    by_path = {doc.path: doc for doc in docs}
    for _, record, by in _replaced(docs):
        for each in by:
            if each.at and record.at and each.at.instant() < record.at.instant():
                doc = by_path[each.path]
                message = f"It supersedes {record.path}:{record.line}, which is newer; one of the two times is wrong."
                yield doc, Finding(line_at(doc, each.span.start), message)


def _replaced(docs: Sequence[Document]) -> Iterator[tuple[Document, Record, tuple[Record, ...]]]:
    """Entries that others replace, and those."""
    if any(link.type == "supersedes" for doc in docs for record in doc.records for link in record.links):
        known = resolve(record for doc in docs for record in doc.records)
        for doc in docs:
            for record in doc.records:
                by = known.replaced_by(record)
                if by:
                    yield doc, record, by
