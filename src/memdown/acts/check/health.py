"""What is unwell in a memory as a whole: entries that are over, links that lead nowhere, copies, files grown too long.

`check` looks at how each file is written; this looks at what the records say together. Nothing is changed.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from memdown.acts.transfer import bundle
from memdown.dialects.sem import grammar
from memdown.dialects.sem.write import slug
from memdown.errors import quote
from memdown.index import relations
from memdown.index.relations import BrokenLink, Relations
from memdown.record import Document, Record
from memdown.text import encode

LOG_BYTES, LOG_BYTES_URGENT, HISTORY_BYTES = 20_480, 51_200, 15_360
"""Sizes from which a log should be archived, should be archived at once, and a history should be summarised."""

_DATED_KINDS = frozenset((*grammar.KINDS, "card"))
_SHOWN = 3
_ORDER = {"error": 0, "warning": 1, "info": 2}


class HealthFinding(Struct, frozen=True):
    """One thing that is unwell, and where."""

    kind: str
    severity: str
    """"error", "warning" or "info"."""
    path: str
    line: int | None
    id: str | None
    title: str | None
    message: str
    """A sentence that says what to do."""


def examine(documents: Sequence[Document], now: datetime) -> list[HealthFinding]:
    """All findings, the worst first, then by place."""
    records = [record for document in documents for record in document.records]
    known = relations.resolve(records)
    found = [
        *_expired(records, known, now),
        *_broken(known),
        *_contradictions(records, known),
        *_duplicates(documents),
        *_undated(records),
        *(finding for document in documents for finding in _of_file(document)),
    ]
    return sorted(found, key=lambda each: (_ORDER[each.severity], each.kind, each.path, each.line or 0))


def _at(record: Record, kind: str, severity: str, message: str) -> HealthFinding:
    return HealthFinding(kind, severity, record.path, record.line, record.id, record.title, message)


def _expired(records: Iterable[Record], known: Relations, now: datetime) -> Iterator[HealthFinding]:
    for record in records:
        until = relations.expires(record)
        if until is None:
            continue
        if until <= now:
            said = (
                f"This {record.kind} expired on {until.date().isoformat()}; renew it, or write one that supersedes it."
            )
            yield _at(record, "expired", "info" if known.is_superseded(record) else "warning", said)
        if record.at and until <= record.at.instant():
            yield _at(record, "expires-too-early", "warning", "It expires before it was written; check both times.")


def _broken(known: Relations) -> Iterator[HealthFinding]:
    for each in known.dangling:
        said = f"It supersedes {quote(each.target)}, and no entry is that; correct the timestamp or the title."
        yield _at(each.record, "dangling-supersedes", _severity(each), said)
    for each in known.ambiguous:
        said = (
            f"It supersedes {quote(each.target)}, which may be {_places(each.candidates)};"
            " write the title's words after the timestamp."
        )
        yield _at(each.record, "ambiguous-supersedes", _severity(each), said)
    for ring in known.cycles:
        first = min(ring, key=lambda record: (record.path, record.line))
        if len(ring) == 1:
            said = "It supersedes itself; name the entry it replaces."
        else:
            said = f"{len(ring)} entries supersede each other: {_places(ring)}; only the newest should stay in force."
        yield _at(first, "cyclic-supersedes", "error", said)


def _severity(broken: BrokenLink) -> str:
    """What a legacy entry says in free words is only good to know."""
    return "warning" if broken.record.extra.get("form") == "sem" else "info"


def _places(records: Sequence[Record]) -> str:
    shown = [f"{record.path}:{record.line}" for record in records[:_SHOWN]]
    more = len(records) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _contradictions(records: Iterable[Record], known: Relations) -> Iterator[HealthFinding]:
    for record in records:
        by = known.replaced_by(record)
        if len(by) > 1:
            said = f"{len(by)} entries supersede this one: {_places(by)}; say which of them is in force."
            yield _at(record, "superseded-twice", "warning", said)
        for each in by:
            if each.at and record.at and each.at.instant() < record.at.instant():
                said = f"It supersedes {record.path}:{record.line}, which is newer; one of the two times is wrong."
                yield _at(each, "supersedes-newer", "warning", said)


def _duplicates(documents: Iterable[Document]) -> Iterator[HealthFinding]:
    """Copies, told at the later one. Updates that are sent to every agent are copies by intention."""
    texts: dict[Hashable, Record] = {}
    titles: dict[Hashable, Record] = {}
    for document in documents:
        for record in document.records:
            if record.extra.get("form") == "update" or not (record.body or record.summary):
                continue
            text = _text_of(record, document.text)
            first = texts.setdefault(text, record)
            if first is not record:
                said = f"The same text is in {first.path}:{first.line}; one of the two is enough."
                yield _at(record, "duplicate", "info", said)
                continue
            title = _title_and_day(record)
            other = titles.setdefault(title, record) if title else record
            if other is not record:
                yield _same_title(record, other)


def _text_of(record: Record, text: str) -> Hashable:
    if record.kind == "card":
        return "card", (record.body or "").strip()
    return record.kind, bundle.own_text(record, text)


def _title_and_day(record: Record) -> Hashable | None:
    generic = (record.title or "").casefold().startswith("user directive")
    if record.at is None or not record.title or generic or record.extra.get("form") == "bullet":
        return None
    return record.dialect, record.kind, slug(record.title), record.at.local.date()


def _same_title(record: Record, other: Record) -> HealthFinding:
    same_time = (
        record.at is not None
        and other.at is not None
        and record.at.precision != "day"
        and record.at.instant() == other.at.instant()
    )
    said = f"{other.path}:{other.line} has the same title and day with another text; merge them, or tell them apart."
    return _at(record, "same-title", "warning" if same_time else "info", said)


def _undated(records: Iterable[Record]) -> Iterator[HealthFinding]:
    for record in records:
        if record.at is None and record.kind in _DATED_KINDS:
            yield _at(
                record, "undated", "info", f"This {record.kind} has no date; no timeline or archive can place it."
            )


def _of_file(document: Document) -> Iterator[HealthFinding]:
    if document.dialect != "sem":
        return
    part = grammar.part_of(document.path)
    size = len(encode(document.text))
    name = document.path.rpartition("/")[2]
    if part == "inbox":
        yield _whole(document, "inbox", "info", "It waits in the inbox; merge it into the log.")
    elif part == "log" and size >= LOG_BYTES:
        days = 7 if size >= LOG_BYTES_URGENT else 30
        yield _whole(document, "oversize", "warning", f"{_kilobytes(size)}: archive entries older than {days} days.")
    elif part == "history" and name.lower() == "history.md" and size >= HISTORY_BYTES:
        yield _whole(document, "oversize", "warning", f"{_kilobytes(size)}: summarise it and archive what is old.")
    legacy = sum(record.extra.get("form") not in ("sem", "update", "bullet") for record in document.records)
    if legacy:
        entries, them = ("1 entry is", "it") if legacy == 1 else (f"{legacy:,} entries are", "them")
        said = f"{entries} in an older form; `memdown convert` makes {them} canonical."
        yield _whole(document, "legacy", "info", said)


def _kilobytes(size: int) -> str:
    return f"The file has {size / 1024:.0f} KB"


def _whole(document: Document, kind: str, severity: str, message: str) -> HealthFinding:
    return HealthFinding(kind, severity, document.path, None, None, None, message)
