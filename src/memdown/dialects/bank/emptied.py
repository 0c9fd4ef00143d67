"""Headings that would have nothing below them any more once entries go to the archive: they go with these."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import takewhile

from msgspec import structs

from memdown.dialects.bank.grammar import layer_of
from memdown.dialects.bank.sections import BankSection, named, outline
from memdown.dialects.due import Due
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import Span

_RULE = lazy(r"^[ \t]*(?:-[ \t-]*-|\*[ \t*]*\*|_[ \t_]*_)[ \t]*\r?$", re.MULTILINE)


def with_headings(doc: Document, going: Sequence[Due]) -> Sequence[Due]:
    """The same entries; those of an emptied section take its headings, and what parts them, too.

    Sections that the layout of the file has stay, and so does what was empty before.
    """
    dues = sorted((each for each in going if not each.edits), key=lambda each: each.cut)
    starts = [each.cut.start for each in dues]
    heads = [each.head.start for each in doc.of(outline).sections]
    changed: dict[int, Due] = {}
    for section in _emptied(doc, [each.cut for each in dues], starts):
        first, last = (bisect_left(starts, at) for at in (section.head.start, section.tree_end))
        changed |= {each.start: each for each in _widened(doc.text, section, dues[first:last], heads)}
    return [changed.get(each.start, each) for each in going]


def _emptied(doc: Document, cuts: Sequence[Span], starts: Sequence[int]) -> list[BankSection]:
    """The outermost sections of which nothing would be left."""
    sections = doc.of(outline).sections
    own = named(sections, layer_of(doc.canonical_path or doc.path))
    staying: set[int | None] = set()
    emptied: list[int] = []
    for number, section in reversed([*enumerate(sections)]):
        at = bisect_right(starts, section.head.start)
        if at and cuts[at - 1].end > section.head.start:
            continue  # it goes itself
        cut_in_it = at < len(starts) and starts[at] < section.tree_end
        stays = number in staying or not cut_in_it or section.level == 1 or own[number] is not None
        if stays or _rest(doc.text, section, cuts[at:]):
            staying.add(section.above)
        else:
            emptied.append(number)
    gone = {*emptied}
    return [sections[number] for number in emptied if sections[number].above not in gone]


def _rest(text: str, section: BankSection, cuts: Sequence[Span]) -> str:
    """What is left between a heading and the next, but for rules."""
    left, at = "", section.body
    for each in takewhile(lambda cut: cut.start < section.end, cuts):
        left, at = left + text[at : each.start], max(at, each.end)
    return _RULE.sub("", left + text[at : section.end]).strip()


def _widened(text: str, section: BankSection, dues: Sequence[Due], heads: Sequence[int]) -> Iterator[Due]:
    """All of a section, parted among its entries: each has the headings right above it, and rules right below it."""
    at = section.head.start
    for number, due in enumerate(dues):
        following = dues[number + 1].cut.start if number + 1 < len(dues) else section.tree_end
        after = bisect_left(heads, due.cut.end)
        end = min(following, heads[after]) if after < len(heads) else following
        parts = [part for part in (text[at : due.cut.start].strip(), due.text, text[due.cut.end : end].strip()) if part]
        yield structs.replace(due, cut=Span(at, end), text="\n\n".join(parts))
        at = end
