"""Rules about entries that are there twice, and entries that say they are over."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from memdown.diagnostics import Finding, rule, rule_across, shown_at
from memdown.dialects.sem import grammar
from memdown.dialects.sem.rules.common import line_at, role
from memdown.errors import quote
from memdown.patterns import lazy
from memdown.record import Document, Record

_HOME = lazy(r"(?:.*/)?(?:\.squad|\.ai-team)(?=/)")
_MARKED = lazy(r"[\[(][*_ \t]*superseded\b|\bsuperseded by\b", re.IGNORECASE)
_UNNAMED = frozenset(("user directive", "user directives", "untitled decision", "decision"))
"""Titles that say nothing: entries which share one are not the same."""

_LEAST = 80
"""Characters from which a text without a date is compared by itself."""

Key = tuple[str, str, str]


def _entries(doc: Document) -> Iterator[Record]:
    """Entries that stand by themselves; a line about a decision may stand in many places."""
    return (record for record in doc.records if record.form not in grammar.LINES)


def _key(record: Record) -> Key:
    at = f"{record.at.precision == 'day'} {record.at.instant().isoformat()}" if record.at else ""
    return record.kind, at, _title(record)


def _title(record: Record) -> str:
    return " ".join((record.title or "").casefold().split())


def _named(record: Record) -> bool:
    title = (record.title or "").strip().casefold()
    return title not in _UNNAMED and not grammar.STAMP.fullmatch(title)


def _text(record: Record) -> str:
    """What an entry says, without spacing, case and its last separator."""
    rationale = record.extra.get("rationale", "")
    text = f"{record.summary} {record.author} {record.body or ''} {rationale}"
    return " ".join(text.split()).removesuffix(" ---").casefold()


def _twins(doc: Document) -> Iterator[tuple[Record, Record, bool]]:
    """Entries with the type, time and title of an earlier one, that one, and whether they say the same."""
    for same in doc.once(_alike):
        first = {_text(same[0]): same[0]}
        for record in same[1:]:
            text = _text(record)
            yield record, first.get(text, same[0]), text in first
            first.setdefault(text, record)


def _alike(doc: Document) -> list[list[Record]]:
    """Entries that have one type, time and title, where there are several."""
    by_key: dict[Key, list[Record]] = defaultdict(list)
    for record in _entries(doc):
        if record.at or len(record.body or "") >= _LEAST:
            by_key[_key(record)].append(record)
    return [same for same in by_key.values() if len(same) > 1]


@rule("SEM070", "info")
def entry_twice(doc: Document) -> Iterator[Finding]:
    """An entry is in the file twice.

    Type, time, title and text are the same. One of them can go.

    Bad:
        ### 2026-02-15: Retry three times

        **By:** Ann

        ### 2026-02-15: Retry three times

        **By:** Ann
    Good:
        ### 2026-02-15: Retry three times

        **By:** Ann
    """
    for record, earlier, same in _twins(doc):
        if same:
            yield Finding(
                line_at(doc, record.span.start),
                f"Line {earlier.line} has the entry {quote(record.title or '')} already; remove one of the two.",
            )


@rule("SEM071", "warning")
def entry_in_two_versions(doc: Document) -> Iterator[Finding]:
    """Two entries have the same type, time and title, and say different things.

    Nobody can tell which of the two is in force, and nothing can refer to just one of them. For memories and notes,
    which only record what happened, this is info.

    Bad:
        ### 2026-02-15: Retry three times

        **By:** Ann
        **What:** Failed calls are tried three times.

        ### 2026-02-15: Retry three times

        **By:** Ann
        **What:** Failed calls are tried twice.
    Good:
        ### 2026-02-15: Retry three times

        **By:** Ann
        **What:** Failed calls are tried three times.
    """
    for record, earlier, same in _twins(doc):
        if not same and record.at and _named(record):
            message = (
                f"Line {earlier.line} has {quote(record.title or '')} with the same type and time but different text; "
                "merge them, or rename one."
            )
            severity = None if record.kind in ("decision", "directive") else "info"
            yield Finding(line_at(doc, record.span.start), message, severity=severity)


@rule_across("SEM072", "info")
def entry_in_two_files(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """An entry of the log is in the archive too, or one of the drop box is in either.

    It was copied but not removed. Anyone who reads both files reads it twice.

    Bad .squad/decisions.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    and .squad/decisions-archive.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    Good .squad/decisions.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    and .squad/decisions-archive.md:
        ### 2026-01-10: No retries

        **By:** Ann
    """
    filed: dict[tuple[str, Key], Record] = {}
    for doc in (doc for wanted in ("archive", "log") for doc in docs if role(doc) == wanted):
        for record in _filed(doc):
            place = (_home(doc.path), _key(record))
            earlier = filed.get(place)
            if earlier and role(doc) == "log" and earlier.path != doc.path:
                yield doc, _copied(doc, record, earlier)
            filed.setdefault(place, record)
    for doc in (doc for doc in docs if role(doc) == "inbox"):
        for record in _filed(doc):
            earlier = filed.get((_home(doc.path), _key(record)))
            if earlier:
                yield doc, _copied(doc, record, earlier)


def _filed(doc: Document) -> Iterator[Record]:
    return (record for record in _entries(doc) if record.at and _named(record))


def _copied(doc: Document, record: Record, other: Record) -> Finding:
    text = "" if _text(record) == _text(other) else ", with another text"
    return Finding(
        line_at(doc, record.span.start),
        f"{quote(record.title or '')} is at {other.path}:{other.line} too{text}; remove one of the two.",
    )


def _home(path: str) -> str:
    match = _HOME.match(path)
    return match.group() if match else ""


@rule("SEM073", "info")
def superseded_in_title(doc: Document) -> Iterator[Finding]:
    """A title says that its entry is superseded.

    Only people see that. Name the entry in the field `supersedes` of the one that replaces it, and tools know too.

    Bad:
        ### 2026-02-15: Retry three times (superseded by 2026-03-01)

        **By:** Ann
    Good:
        ### 2026-02-15: Retry three times

        **By:** Ann
    """
    for record in _entries(doc):
        heading = line_at(doc, record.span.start)
        if _MARKED.search(heading.of(doc.text)):
            yield Finding(
                heading,
                f"The title {shown_at(doc, heading)} says that the entry is superseded; "
                "say so in the one that replaces it.",
            )


@rule_across("SEM076", "info")
def entry_copied(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two files have the same entry, and neither is the archive or the drop box of the other.

    A change to one of them is easily forgotten in the other. One of the two is enough.

    Bad .squad/agents/ann/history.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    and .squad/agents/bob/history.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    Good .squad/agents/ann/history.md:
        ### 2026-02-15: Retry three times

        **By:** Ann
    """
    for doc, record, other, same in _elsewhere(docs):
        if same:
            message = f"The same text is in {other.path}:{other.line}; one of the two is enough."
            yield doc, Finding(line_at(doc, record.span.start), message)


@rule_across("SEM077", "info")
def same_title(docs: Sequence[Document]) -> Iterator[tuple[Document, Finding]]:
    """Two entries of one day have the same title, and say different things.

    A search finds both, and nobody can tell which of them is in force.

    Bad:
        ### 2026-02-15T09:00:00+0000: note: Retry three times

        **author:** Ann

        **summary:** Failed calls are tried three times.

        ---

        ### 2026-02-15T10:00:00+0000: note: Retry three times

        **author:** Ann

        **summary:** Failed calls are tried twice.

        ---
    Good:
        ### 2026-02-15T10:00:00+0000: note: Retry twice

        **author:** Ann

        **summary:** Failed calls are tried twice.

        ---
    """
    for doc, record, other, same in _elsewhere(docs):
        if not same and record.at and _named(record):
            where = f"{other.path}:{other.line}"
            message = f"The entry at {where} has the same title and day but different text; merge them, or rename one."
            yield doc, Finding(line_at(doc, record.span.start), message)


def _elsewhere(docs: Sequence[Document]) -> Iterator[tuple[Document, Record, Record, bool]]:
    """Entries with the type, day and title of an earlier one, that one, and whether they say the same.

    Pairs that the rules above compare are left to them.
    """
    by_day: dict[object, list[tuple[Document, Record]]] = defaultdict(list)
    for doc in docs:
        for record in _entries(doc):
            if (record.body or record.summary) and (record.at or len(record.body or "") >= _LEAST):
                by_day[record.kind, record.at and record.at.local.date(), _title(record)].append((doc, record))
    for group in by_day.values():
        first: dict[str, Record] = {}
        for doc, record in group if len(group) > 1 else ():
            text = _text(record)
            other = first.get(text) or next(iter(first.values()), record)
            if other is not record and not _compared(record, other):
                yield doc, record, other, text in first
            first.setdefault(text, record)


def _compared(one: Record, two: Record) -> bool:
    """Whether they have one time, and stand in one file, or in a log, its archive and its drop box."""
    together = one.path == two.path or (_home(one.path) == _home(two.path) and _is_filed(one) and _is_filed(two))
    return together and _key(one) == _key(two)


def _is_filed(record: Record) -> bool:
    return grammar.part_of(record.path) in ("log", "archive", "inbox")
