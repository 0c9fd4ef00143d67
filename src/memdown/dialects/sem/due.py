"""Which entries of a log or a history are old enough for its archive, and which never are."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from msgspec import structs

from memdown.dialects.due import (
    LIST_DAYS,
    LIST_KEEPS,
    UNDATED,
    Archivable,
    Archivist,
    Contents,
    Due,
    GrownFile,
    Holder,
    without_newest,
)
from memdown.dialects.sem import grammar
from memdown.dialects.sem.grammar import part_of
from memdown.dialects.sem.read import entries, read
from memdown.dialects.sem.write import appended
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Span, encode, with_eol
from memdown.times import Moment

_PERMANENT = lazy(
    r"^[ \t>]*(?:[-*+][ \t]+)?[*_]*(?:status[*_]*:[ \t*_`]*permanent|keep[*_]*:[ \t*_`]*active)\b",
    re.IGNORECASE | re.MULTILINE,
)
_ARCHIVES = {
    "decisions.md": ("decisions-archive.md", "# Archived decisions\n\n"),
    "history.md": ("history-archive.md", "# Archived history\n\n"),
}
"""The archive of each file, and how that begins."""


def to_archive(project: Holder, older_than: int | None, size: int | None, keep: int | None) -> Iterator[Archivable]:
    """Logs, histories and their archives, for entries older than some days; without them, than the settings say.

    So many of the newest stay in each file, however old they are.
    """
    names = [name for name in project.names() if part_of(name) in ("log", "archive", "history")]
    logs = [doc for doc in map(project.parsed, names) if doc.dialect == "sem"]
    links = (link for doc in logs for record in doc.records for link in record.links if link.type == "supersedes")
    replaced = frozenset(moment.instant() for link in links if (moment := grammar.moment(link.target)))
    reason = "without it the text around it would be read differently"
    own = partial(_due, replaced=replaced, older_than=older_than, size=size, keep=keep)
    archivist = Archivist(own, _contents, _begun, _grown, reason, singly=True, repeats=True)
    yield from ((doc, archivist) for doc in logs)


def to_slim(project: Holder, keep: int) -> Iterator[GrownFile]:
    """Logs and histories, month by month."""
    for doc, archivist in to_archive(project, LIST_DAYS, None, LIST_KEEPS * keep):
        if part_of(doc.path) != "archive":
            yield GrownFile(doc, archivist, by_month=True)


def _due(
    doc: Document, replaced: frozenset[datetime], older_than: int | None, size: int | None, keep: int | None
) -> list[Due]:
    folder, slash, name = doc.path.rpartition("/")
    days = _days(doc, older_than, size)
    if name not in _ARCHIVES or days is None or doc.now is None:
        return []
    target = f"{folder}{slash}{_ARCHIVES[name][0]}"
    records = entries(doc.records)
    found = [_entry(doc, record, target, days, replaced, doc.now) for record in records]
    dated = sorted(((each.at.instant(), each.span.start) for each in records if each.at), reverse=True)
    return without_newest(found, [start for _, start in dated], doc.settings.sem.archive_keep if keep is None else keep)


def _entry(doc: Document, record: Record, target: str, days: int, replaced: frozenset[datetime], now: datetime) -> Due:
    text, end = record.span.of(doc.text), record.span.end
    while end < len(doc.text) and doc.text[end] in " \t\r\n":
        end += 1
    due = Due(record.span.start, Span(record.span.start, end), text.rstrip(), record.title or "")
    due = structs.replace(due, day=record.at.local.date()) if record.at else due
    if record.at is None or _age(record.at, now) <= days:
        return due if record.at else structs.replace(due, reason=UNDATED)
    kept = _protection(text, record, now, replaced)
    return structs.replace(due, target="" if kept else target, reason=kept)


def _days(doc: Document, older_than: int | None, size: int | None) -> int | None:
    """The age from which entries of a file are old; None when it is not large enough.

    An age that is asked for counts whatever the size, unless a size is asked for too.
    """
    limits, length = doc.settings.sem, len(encode(doc.text))
    if size is not None and length < size:
        return None
    if older_than is not None:
        return older_than
    if part_of(doc.path) == "history":
        return limits.history_days if size is not None or length >= limits.history_size else None
    if length >= limits.archive_large_size:
        return limits.archive_large_days
    return limits.archive_days if size is not None or length >= limits.archive_size else None


def _age(at: Moment, now: datetime) -> int:
    """Whole days since an entry was written."""
    if at.precision == "day":
        return (now.astimezone(UTC).date() - at.local.date()).days
    return (now - at.instant()).days


def _protection(text: str, record: Record, now: datetime, replaced: frozenset[datetime]) -> str:
    """Why an entry never ages out; empty when it does."""
    tags = {tag.casefold() for tag in record.tags}
    in_force = record.at is None or record.at.instant() not in replaced
    expires = grammar.moment(str(record.extra.get("expires") or ""))
    if "permanent" in tags or _PERMANENT.search(text):
        return "permanent"
    if expires and expires.instant() > now:
        return f"in force until {expires.text}"
    if record.kind == "directive":
        return "a directive"
    if "policy" in tags and in_force and not expires:
        return "a policy"
    if any(link.type == "supersedes" for link in record.links) and in_force:
        return "it replaces another entry and is in force"
    return ""


def _contents(path: str, text: str) -> Contents:
    """Where each entry begins and what it says; the lines that part it from the next do not count."""
    return [(record.span.start, _content(record)) for record in entries(read(path, text))]


def _content(record: Record) -> tuple[object, ...]:
    body = re.sub(r"(?<!\s)(?:\s|^ {0,3}---[ \t]*$)+\Z", "", record.body or "", flags=re.MULTILINE)
    return record.kind, record.title, record.at, record.author, record.links, body


def _begun(target: str, text: str | None, eol: str) -> str:
    """An archive before entries come to it."""
    heads = dict(_ARCHIVES.values())
    return with_eol(heads[target.rpartition("/")[2]], eol) if text is None else text


def _grown(_: str, text: str, going: Sequence[Due]) -> str:
    """The archive with the entries at its end."""
    for each in going:
        text = appended(text, each.text)
    return text
