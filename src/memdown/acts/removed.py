"""What a write took away: the sections, entries and lines that stand in no file of the act any more.

What moved to another file is not gone, and what was replaced by one of its kind was changed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct

from memdown.markdown.blocks import Block, scan
from memdown.project import Project
from memdown.record import Record
from memdown.text import Span

Texts = Mapping[str, tuple[str | None, str | None]]
"""Files before and after an act; None is no file."""


class Removed(Struct, frozen=True):
    """Something that is gone."""

    what: str
    path: str
    lines: int


def removed(project: Project, texts: Texts) -> list[Removed]:
    """What an act took away, file by file."""
    gone = Counter(line for before, _ in texts.values() for line in _lines(before or ""))
    gone.subtract(line for _, after in texts.values() for line in _lines(after or ""))
    gone = +gone
    if not gone:
        return []
    kept = {_key(each) for name, (_, after) in texts.items() if after for each in project.parse(name, after).records}
    found: list[Removed] = []
    for name, (before, after) in texts.items():
        if before and after is None:
            found += _file(name, before, gone)
        elif before and after and before != after:
            found += _parts(project, name, before, after, gone, kept)
    return found


def _file(name: str, before: str, gone: Counter[str]) -> Iterator[Removed]:
    lines = _taken(before, gone)
    if lines:
        yield Removed("file", name, lines)


def _parts(
    project: Project, name: str, before: str, after: str, gone: Counter[str], kept: set[tuple[str, str]]
) -> Iterator[Removed]:
    old, new = project.parse(name, before), project.parse(name, after)
    parts = [
        *_several(
            [(_titled(each), each.span) for each in old.records if each.kind != "prose" and _key(each) not in kept],
            len(old.records) - len(new.records),
        ),
        *_several(_sections(before, {title for title, _ in _headings(after)}), 0),
    ]
    done = Span(0, 0)
    for what, span in sorted(parts, key=lambda part: (part[1].start, -part[1].end)):
        lines = _taken(span.of(before), gone) if span.start >= done.end else 0
        if lines:
            done = span
            yield Removed(what, name, lines)
    added = sum(1 for _ in _lines(after))
    rest = _taken(before, gone) if sum(1 for _ in _lines(before)) > added else 0
    if rest:
        yield Removed("text", name, rest)


def _several(parts: list[tuple[str, Span]], fewer: int) -> list[tuple[str, Span]]:
    """One that has another in its place was changed, not removed."""
    return parts if fewer > 0 or len(parts) > 1 else []


def _sections(before: str, kept: set[str]) -> list[tuple[str, Span]]:
    """Sections whose heading is gone."""
    headings = _headings(before)
    starts = [block.span.start for _, block in headings] + [len(before)]
    return [
        (f"section {title!r}", Span(start, end))
        for (title, _), (start, end) in zip(headings, pairwise(starts), strict=True)
        if title not in kept
    ]


def _headings(text: str) -> list[tuple[str, Block]]:
    return [(block.content.of(text).strip(), block) for block in scan(text) if block.kind == "heading"]


def _titled(record: Record) -> str:
    return f"{record.kind} {record.title!r}" if record.title else record.kind


def _key(record: Record) -> tuple[str, str]:
    return record.kind, record.title or record.body or record.id


def _lines(text: str) -> Iterator[str]:
    """Lines by their letters alone, if they have any: what is ticked off, stamped or counted has not gone."""
    for line in text.splitlines():
        bare = line.strip()
        if bare:
            yield "".join(filter(str.isalpha, bare.lower().replace("[x]", ""))) or bare


def _taken(text: str, gone: Counter[str]) -> int:
    """How many lines of a text are gone, each counted once."""
    number = 0
    for line in _lines(text):
        if gone[line] > 0:
            gone[line] -= 1
            number += 1
    return number
