"""What a write took away: the sections, entries and lines that stand in no file of the act any more.

What moved to another file is not gone, and what was replaced by one of its kind was changed.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from memdown import secrets
from memdown.dialects import offered
from memdown.errors import quote
from memdown.limits.settings import NOTABLE
from memdown.markdown.blocks import scan
from memdown.markdown.line_ends import split_lines
from memdown.markdown.placeholders import is_placeholder
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import Document, Record
from memdown.text import Span

Texts = Mapping[str, tuple[str | None, str | None]]
"""Files before and after an act; None is no file."""

_LABEL = lazy(r"(?:[-*+]\s+)?(?:\*\*[^*]{1,60}\*\*:|\*\*[^*]{1,60}:\*\*)")
"""What only names the lines below it; those are counted themselves."""
_NUMBER = lazy(r"\d+")
_NOT_ENTRIES = ("prose", "section")


class Removed(Struct, frozen=True, omit_defaults=True):
    """Something that is gone."""

    what: str
    path: str
    lines: int
    kept: bool = True
    """Whether the log of changes has it; it has no credentials."""


def removed(project: Project, texts: Texts) -> list[Removed]:
    """What an act took away, file by file."""
    gone = Counter(line for before, _ in texts.values() for line in _lines(before or ""))
    gone.subtract(line for _, after in texts.values() for line in _lines(after or ""))
    gone = +gone
    if not gone:
        return []
    left = {name: project.parse(name, after) for name, (_, after) in texts.items() if after}
    kept = {_key(each) for document in left.values() for each in document.records}
    found: list[Removed] = []
    for name, (before, after) in texts.items():
        if before and after is None:
            found += _file(name, before, gone)
        elif before and after and before != after:
            found += _parts(project.parse(name, before), left[name], gone, kept)
    return found


def credentials(texts: Texts, allow: Collection[str] = ()) -> list[Removed]:
    """Those that stand in no file of the act any more, file by file; the log of changes does not keep them."""
    now = [after for _, after in texts.values() if after]
    found: list[Removed] = []
    for name, (before, _) in texts.items():
        lost = [
            each
            for each in secrets.find(before or "", allow)
            if before and not any(before[each.start : each.end] in after for after in now)
        ]
        if before and lost:
            lines = {before.count("\n", 0, each.start) for each in lost}
            what = "credential" if len(lost) == 1 else f"{len(lost)} credentials"
            found.append(Removed(what, name, len(lines), kept=False))
    return found


def _file(name: str, before: str, gone: Counter[str]) -> Iterator[Removed]:
    lines = _taken(before, gone)
    if lines:
        yield Removed("file", name, lines)


def _parts(old: Document, new: Document, gone: Counter[str], kept: set[tuple[str, str]]) -> Iterator[Removed]:
    had, has = ([each for each in doc.records if each.kind not in _NOT_ENTRIES] for doc in (old, new))
    entries = [*_open_items(old, new)]
    if not _is_change([*map(_key, had)], [*map(_key, has)]):
        entries += [(_titled(each), each.span) for each in had if _key(each) not in kept]
    sections, left = old.of(_sections), new.of(_sections)
    lost = []
    if not _is_change([title for title, _ in sections], [title for title, _ in left]):
        same = {each.span.start for each in had if _key(each) in kept}  # an entry that has another heading now
        gone_titles = [each for each in sections if each[0] not in dict(left) and each[1].start not in same]
        lost = [(f"section {quote(title)}", span) for title, span in gone_titles]
    found: list[tuple[int, Removed]] = []
    # What has a name is named first; each line is counted once.
    for parts in (entries, lost, _shortened(old, new)):
        for what, span in sorted(parts, key=lambda part: (part[1].start, -part[1].end)):
            lines = _taken(span.of(old.text), gone)
            if lines:
                found.append((span.start, Removed(what, old.path, lines)))
    return (each for _, each in sorted(found, key=lambda pair: pair[0]))


def _shortened(old: Document, new: Document) -> Iterator[tuple[str, Span]]:
    """The text before the first heading, and sections, that have less to say than before."""
    before, after = _by_title(old), _by_title(new)
    whole = _is_less(old.text, new.text)
    for title, span in old.of(_sections):
        if _is_less(before[title], after[title]) if title in after else whole:
            yield f"text of {quote(title)}", span
    first = _preamble(old)
    if _is_less(first.of(old.text), _preamble(new).of(new.text)):
        yield "text", first


def _by_title(document: Document) -> dict[str, str]:
    """The text of sections; those of one title together."""
    found: dict[str, list[str]] = {}
    for title, span in document.of(_sections):
        found.setdefault(title, []).append(span.of(document.text))
    return {title: "\n".join(texts) for title, texts in found.items()}


def _preamble(document: Document) -> Span:
    """What stands before the first heading."""
    return Span(0, next((span.start for _, span in document.of(_sections)), len(document.text)))


def _is_less(old: str, new: str) -> bool:
    """Whether a text has fewer lines than another, or much less in them."""
    had, has = [*_lines(old)], [*_lines(new)]
    return len(had) > len(has) or sum(map(len, had)) - sum(map(len, has)) > NOTABLE


def _is_change(old: Sequence[object], new: Sequence[object]) -> bool:
    """Whether all that is missing is one that has another in its place, so that none was removed."""
    kept = set(old).intersection(new)
    missing = [place for place, each in enumerate(old) if each not in kept]
    return len(missing) == 1 and missing == [place for place, each in enumerate(new) if each not in kept]


def _open_items(old: Document, new: Document) -> Iterator[tuple[str, Span]]:
    """Questions, blockers and the like that are no longer there, where a dialect has such."""
    items = offered(old.dialect, "open_items")
    if items is not None:
        left = Counter(what for what, _ in items(new.text))
        for what, span in items(old.text):
            left[what] -= 1
            if left[what] < 0:
                yield what, span


def _sections(text: str) -> list[tuple[str, Span]]:
    """Headings, each with what stands between it and the next one."""
    headings = [block for block in scan(text) if block.kind == "heading"]
    starts = [block.span.start for block in headings] + [len(text)]
    return [
        (block.content.of(text).strip(), Span(start, end))
        for block, (start, end) in zip(headings, pairwise(starts), strict=True)
    ]


def _titled(record: Record) -> str:
    return f"{record.kind} {quote(record.title)}" if record.title else record.kind


def _key(record: Record) -> tuple[str, str]:
    return record.kind, record.title or record.body or record.id


def _lines(text: str) -> Iterator[str]:
    """Lines by their letters alone: what is ticked off, stamped or counted has not gone; a mere date by its numbers."""
    for line in split_lines(text):
        bare = line.strip()
        if not is_placeholder(bare) and any(map(str.isalnum, bare)) and not _LABEL.fullmatch(bare):
            letters = "".join(filter(str.isalpha, bare.lower().replace("[x]", "")))
            yield letters or " ".join(each.lstrip("0") for each in _NUMBER.findall(bare)) or bare


def _taken(text: str, gone: Counter[str]) -> int:
    """How many lines of a text are gone, each counted once."""
    number = 0
    for line in _lines(text):
        if gone[line] > 0:
            gone[line] -= 1
            number += 1
    return number
