"""What the rules of logs share: the canonical entries of a document, taken apart once for all rules."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec import Struct

from memdown import times
from memdown.diagnostics import Fix
from memdown.dialects.sem import KINDS, canonical, grammar
from memdown.dialects.sem.canonical import EntryField, Inside
from memdown.dialects.sem.split import LogPart, split
from memdown.dialects.sem.write import canonical_stamp
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.text import Edit, Span, eol_of

_CANONICAL_STAMP = lazy(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}[+-]\d{4}", re.ASCII)
_SHOWN = 3
_BLOCKS = ("summary", "details", "rationale", "related")
_COMPACT = lazy(r"\d{4}-\d{2}-\d{2}[Tt](?:\d{2}-\d{2}|\d{4})", re.ASCII)


class EntryStamp(Struct, frozen=True):
    """A timestamp as it is written, and where."""

    name: str
    """heading, timestamp or expires."""
    text: str
    span: Span
    moment: times.Moment | None

    def canonical(self) -> bool:
        return _CANONICAL_STAMP.fullmatch(self.text) is not None

    def compact(self) -> bool:
        """Whether the time is written as for a file's name, without colons."""
        return _COMPACT.match(self.text) is not None

    def rewriting(self, how: str, *, safe: bool) -> Fix | None:
        """The fix that writes the same moment in the format's own spelling."""
        return Fix(how, (Edit(self.span, canonical_stamp(self.moment)),), safe) if self.moment else None


class LogEntry(Struct, frozen=True):
    """A canonical entry and where its pieces stand."""

    part: LogPart
    inside: Inside
    heading: Span
    """Its heading, without the end of the line."""
    stamp: EntryStamp
    """That of the heading."""
    kind: Span
    title: Span

    def field_stamp(self, name: str) -> EntryStamp | None:
        """The timestamp in a field; None when the field is missing or empty."""
        field = self.inside.get(name)
        if field is None or not field.value:
            return None
        fits = grammar.STAMP.fullmatch(field.value)
        return EntryStamp(name, field.value, field.value_span, times.read(field.value) if fits else None)

    def stamps(self) -> Iterator[EntryStamp]:
        yield self.stamp
        yield from (stamp for name in ("timestamp", "expires") if (stamp := self.field_stamp(name)))

    def at(self) -> times.Moment | None:
        """When it was written: the field says, else the heading."""
        field = self.field_stamp("timestamp")
        return (field.moment if field else None) or self.stamp.moment

    def type(self, text: str) -> str:
        field = self.inside.get("type")
        own = field.value.lower() if field else ""
        return own if own in KINDS else self.kind.of(text).lower()


def role(doc: Document) -> str:
    """What a file is: log, inbox, archive, history or session."""
    return grammar.part_of(doc.path) or "log"


def parts(doc: Document) -> list[LogPart]:
    """The whole text as entries and prose."""
    return doc.of(_PARTS[role(doc)])


def entries(doc: Document) -> list[LogEntry]:
    """The canonical entries of a document."""
    return doc.of(_ENTRIES[role(doc)]) if doc.once(_has_entries) else []


def _has_entries(doc: Document) -> bool:
    return any(record.form == "sem" for record in doc.records)


def _entries(text: str, part: str) -> list[LogEntry]:
    return [entry for each in split(text, part) if each.form == "sem" and (entry := _entry(text, each))]


def _entry(text: str, part: LogPart) -> LogEntry | None:
    match = grammar.SEM_TITLE.fullmatch(part.title)
    if match is None:
        return None
    at = text.index(part.title, part.start)
    place, kind, title = (Span(at + match.start(name), at + match.end(name)) for name in ("stamp", "kind", "title"))
    stamp = EntryStamp("heading", match["stamp"], place, times.read(match["stamp"]))
    inside = canonical.inside(text, part.text_at, part.end)
    return LogEntry(part, inside, Span(part.start, part.text_at), stamp, kind, title)


_ROLES = ("log", "inbox", "archive", "history", "session")
_PARTS = {name: partial(split, part=name) for name in _ROLES}
_ENTRIES = {name: partial(_entries, part=name) for name in _ROLES}


def fields(doc: Document, name: str) -> Iterator[tuple[LogEntry, EntryField]]:
    """Every canonical entry that has a field, with it."""
    for entry in entries(doc):
        field = entry.inside.get(name)
        if field is not None:
            yield entry, field


def place_of(field: EntryField) -> Span:
    """Where a finding about a field points: at its value, or at its label when the value is empty."""
    span = field.value_span
    return span if span.end > span.start else Span(field.span.start, field.label.end + 3)


def with_field(doc: Document, entry: LogEntry, name: str, value: str) -> Edit:
    """The edit that adds a field of the head in its place."""
    eol = doc.of(eol_of)
    order = list(grammar.FIELDS)
    ends = [span.start for span in entry.inside.loose[:1]]
    ends += [field.span.start for field in entry.inside.fields if field.name in _BLOCKS][:1]
    end = min(ends, default=entry.part.end)
    head = [field for field in entry.inside.fields if field.span.start < end and field.name in grammar.LINE_FIELDS]
    before = [field for field in head if order.index(field.name) < order.index(name)]
    if before:
        at = doc.lines.span(doc.lines.at(before[-1].span.end - 1)).end
        return Edit(Span(at, at), f"{eol}**{name}:** {value}  ")
    if head:
        at = head[0].span.start
        return Edit(Span(at, at), f"**{name}:** {value}  {eol}")
    at = entry.heading.end
    return Edit(Span(at, at), f"{eol}{eol}**{name}:** {value}  ")


def places(records: Sequence[Record]) -> str:
    """Where some entries stand, the first of them by name."""
    shown = [f"{record.path}:{record.line}" for record in records[:_SHOWN]]
    more = len(records) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def line_at(doc: Document, offset: int) -> Span:
    """From an offset to the end of its line."""
    return Span(offset, doc.lines.span(doc.lines.at(offset)).end) if doc.text else Span(0, 0)
