"""From a memory file to its records: the file itself, its entries or issues, and the sections between them."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise

from msgspec import Struct

from memdown import times
from memdown.dialects.layers import grammar, remembered, stamps
from memdown.dialects.layers.grammar import Address
from memdown.dialects.layers.headings import HISTORIES, HistoryEntry, entries, headings, line_start, sections
from memdown.dialects.layers.issues import Issue, issues
from memdown.markdown.blocks import Block
from memdown.patterns import lazy
from memdown.record import Extra, Record
from memdown.text import Span

_SLUG = lazy(r"[\W_]+")
_SLUG_LENGTH = 60


class MemoryPiece(Struct, frozen=True):
    """A part of a file that is a record of its own."""

    kind: str
    span: Span
    title: str
    name: str
    """What its id ends with."""
    at: times.Moment | None = None
    status: str | None = None
    rationale: str = ""


def address_of(path: str) -> Address:
    """The address of a claimed file; its name alone when no layer has it."""
    place = grammar.place_of(path)
    return (place and grammar.located(place)) or Address("", "", path.removesuffix(".md"))


def read(path: str, text: str) -> list[Record]:
    """One record for the file, and one for each entry, issue, or section between them."""
    address = address_of(path)
    found = list(pieces(text, address.file_type))
    end = found[0].span.start if found else len(text)
    return [_file(path, text, address, end), *_parts(path, text, address, found)]


def append_only(path: str) -> tuple[str, ...]:
    """The kinds of records that never leave a file: the entries of a history, and what an archive holds."""
    address = address_of(path)
    history = HISTORIES.get(address.file_type.removesuffix(grammar.ARCHIVE))
    if history:
        return (history.kind,)
    return ("issue",) if address.is_archive else ()


def pieces(text: str, file_type: str) -> Iterator[MemoryPiece]:
    """What a history or a list of issues is made of, behind its beginning; nothing for other memories."""
    file_type = file_type.removesuffix(grammar.ARCHIVE)
    history = HISTORIES.get(file_type)
    if history:
        known = [_of_entry(history.kind, entry) for entry in entries(text, history)]
    elif file_type == "known_issues":
        known = [_of_issue(text, issue) for issue in issues(text)]
    elif file_type in remembered.KINDS:
        kind, found = remembered.KINDS[file_type], sections(text)
        known = [_of_remembered(text, kind, block, span) for block, span in found if block.level == 2]
    else:
        return
    cuts = [line_start(text, block.span.start) for block in headings(text) if block.level <= 2]
    done = known[0].span.start if known else len(text)
    for piece in known:
        yield from _sections(text, Span(done, piece.span.start), cuts)
        yield piece
        done = piece.span.end
    yield from _sections(text, Span(done, len(text)), cuts)


def _of_entry(kind: str, entry: HistoryEntry) -> MemoryPiece:
    day = entry.at.date().isoformat() if entry.at else ""
    name = str(entry.number) if entry.number is not None else day
    return MemoryPiece(kind, entry.span, entry.title, f"{kind}-{name}" if name else kind, entry.moment)


def _of_issue(text: str, issue: Issue) -> MemoryPiece:
    at = times.read(issue.day.isoformat()) if issue.day else None
    return MemoryPiece("issue", issue.span, issue.title, _slug(issue.title), at, issue.status.of(text) or None)


def _of_remembered(text: str, kind: str, heading: Block, span: Span) -> MemoryPiece:
    title = heading.content.of(text)
    day, why = (pattern.search(text, span.start, span.end) for pattern in (remembered.DATE, remembered.WHY))
    at = times.read(day[1]) if day else None
    return MemoryPiece(kind, span, title, _slug(title), at, rationale=why[1].rstrip() if why else "")


def _sections(text: str, gap: Span, cuts: list[int]) -> Iterator[MemoryPiece]:
    """The text between two pieces, cut at headings of the first two levels."""
    if not gap.of(text).strip():
        return
    inner = [gap.start, *cuts[bisect_right(cuts, gap.start) : bisect_left(cuts, gap.end)], gap.end]
    for start, end in pairwise(inner):
        if text[start:end].strip():
            title = _first_title(text[start:end])
            yield MemoryPiece("section", Span(start, end), title, _slug(title))


def _first_title(text: str) -> str:
    line = stamps.first_line(text.lstrip())
    return line.strip("# \t*_-") or line.strip()


def _slug(title: str) -> str:
    return _SLUG.sub("-", title.lower()).strip("-")[:_SLUG_LENGTH].strip("-") or "section"


def _file(path: str, text: str, address: Address, end: int) -> Record:
    day = stamps.day_stamped(text)
    start = stamps.body_start(text)
    title = next((block.content.of(text) for block in headings(text[:end]) if block.level == 1), "")
    return Record(
        id=address.id,
        dialect="layers",
        kind="memory",
        path=path,
        span=Span(0, end),
        title=title or address.file_type,
        body=text[start:end].strip(),
        at=times.read(day.isoformat()) if day else None,
        scope=address.project,
        extra=_extra(address),
    )


def _parts(path: str, text: str, address: Address, found: Iterable[MemoryPiece]) -> Iterator[Record]:
    used: dict[str, int] = {}
    for piece in found:
        yield Record(
            id=f"{address.id}#{_own_name(piece.name, used)}",
            dialect="layers",
            kind=piece.kind,
            path=path,
            span=piece.span,
            title=piece.title,
            body=body_of(text, piece.span).of(text),
            at=piece.at,
            scope=address.project,
            status=piece.status,
            extra={**_extra(address), "rationale": piece.rationale} if piece.rationale else _extra(address),
        )


def _own_name(name: str, used: dict[str, int]) -> str:
    """The name, with a number behind it when another piece has it already."""
    own = name
    while own in used:
        used[name] += 1
        own = f"{name}-{used[name]}"
    used[own] = 1
    return own


def body_of(text: str, span: Span) -> Span:
    """What stands below the heading of a section, without blank lines around it."""
    section = span.of(text)
    heading = re.compile(r"[ ]{0,3}#[^\r\n]*(?:\r\n|\n|\r|$)").match(section)
    start = heading.end() if heading else 0
    inner = section[start:]
    start += len(inner) - len(inner.lstrip())
    return Span(span.start + start, span.start + max(start, len(section.rstrip())))


def _extra(address: Address) -> Extra:
    named = {
        "layer": address.layer,
        "projectName": address.project,
        "skillName": address.skill,
        "agentName": address.owner if address.layer == "agent" else None,
        "fileType": address.file_type,
    }
    return {key: value for key, value in named.items() if value}
