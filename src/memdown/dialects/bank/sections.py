"""A file of a bank as its sections and list items, each with the place it has in the text."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.templates import Layer
from memdown.markdown import blocks, frontmatter
from memdown.markdown.blocks import Block
from memdown.patterns import lazy
from memdown.text import Span, after_line, line_end, line_start
from memdown.times import Moment

DONE, DOING, PLANNED, OPEN = "done", "in-progress", "upcoming", "open"

_LAZY = lazy(r"(?:\r\n|\n|\r)(?=\[\d{4}-\d\d-\d\d)")
"""Markdown takes a line of a log right below a list for the end of its last item; nobody who writes one does."""

_IN_A_LINE = 8
"""Items that one line may begin and that have the rest of it as their text; `- - - -` without end has not."""

_BOX = lazy(r"\[([ xX~/>!?*✓✔✅-])\](?=[ \t]|$)", re.MULTILINE)
_BOXES = {**dict.fromkeys("xX✓✔✅*", DONE), **dict.fromkeys("~/>-", DOING), " ": "", "!": "issue", "?": "question"}
_PICTURES = {
    **dict.fromkeys("✅☑✔✓🎉", DONE),
    **dict.fromkeys("⏳🔄🚧🟡⌛🏗🔨", DOING),
    **dict.fromkeys("⬜☐🔲🔜📋◻⏸🗓📅", PLANNED),
    **dict.fromkeys("❌✗✘", OPEN),
    **dict.fromkeys("⚠🐛", "issue"),
}
_PICTURE = lazy(rf"(?:\*\*|__)?([{''.join(_PICTURES)}])\ufe0f?[ \t]*")
_DAY_AFTER = lazy(rf"[ \t]*(?:[—–-]+[ \t]*|(?P<open>[(\[]))(?P<stamp>{dates.STAMP})(?(open)[)\]])[.*]*$")
_DAY_WITHIN = 200
"""So near the end of an item its date begins."""
_DAY_BEFORE = lazy(
    rf"(?:\*\*|__)?(?P<open>\[)?(?P<stamp>{dates.STAMP})(?(open)\])(?:\*\*|__)?"
    r"(?:[ \t]*(?:[-–—:：]+(?:\*\*)?|(?=\[))[ \t]*|(?(open)[ \t]+|(?!)))"
)


_APART = lazy(r"[()\[\]]")
"""What two days of a heading have between them that are not of one span of time."""


class BankSection(Struct, frozen=True):
    """A heading and what is below it."""

    level: int
    title: str
    head: Span
    """The heading itself."""
    body: int
    """Where the text below the heading begins."""
    end: int
    """Where the next heading of any level begins."""
    tree_end: int
    """Where the next heading of the same or a higher level begins."""
    above: int | None
    """The section it is in, by its place in the outline."""

    @property
    def span(self) -> Span:
        return Span(self.head.start, self.end)


class ListItem(Struct, frozen=True):
    """A list item: its mark, its text, and how deep it is."""

    span: Span
    """From its bullet to the end of its last line."""
    start: int
    """Where its first line begins."""
    depth: int
    """0 for an item that is in no other."""
    marker: str
    mark: Span | None
    """A box, or a picture that stands for one, with no space after it."""
    state: str | None
    """What the mark says, the empty text for an empty box; without one, what the picture before its list says."""
    boxed: bool
    text: Span
    """The first paragraph, without the mark."""
    section: int | None
    """The section it is in, by its place in the outline."""
    above: int | None
    """The item it is in, by its place in the outline."""


class Outline(Struct, frozen=True):
    """All of a file that its readers and writers need to know."""

    text: str
    body: int
    """Where the text begins, after any front matter."""
    blocks: list[Block]
    sections: list[BankSection]
    items: list[ListItem]

    def text_of(self, item: ListItem) -> str:
        """What an item says, on one line."""
        return " ".join(item.text.of(self.text).split())


def outline(text: str) -> Outline:
    front = frontmatter.read(text)
    body = front.body if front else 0
    found = [_as_meant(text, block) for block in blocks.scan(text, body)]
    sections = _sections(text, found)
    return Outline(text, body, found, sections, list(_items(text, found, sections)))


def _as_meant(text: str, block: Block) -> Block:
    """Text right above `---` as the paragraph it is: Markdown takes it for a heading, and banks part entries so."""
    if block.info != "setext" or block.level == 1:
        return block
    if text[line_start(text, block.span.end) : block.span.end].strip(" \t>") != "---":
        return block
    own = Span(block.span.start, block.content.end)
    return Block("paragraph", own, block.depth, 0, own)


def _sections(text: str, found: Sequence[Block]) -> list[BankSection]:
    heads = [block for block in found if block.kind == "heading" and block.depth == 0]
    starts = [line_start(text, block.span.start) for block in heads]
    trees, open_at = [len(text)] * len(heads), list[int]()
    above: list[int | None] = []
    for number, block in enumerate(heads):
        while open_at and heads[open_at[-1]].level >= block.level:
            trees[open_at.pop()] = starts[number]
        above.append(open_at[-1] if open_at else None)
        open_at.append(number)
    return [
        BankSection(
            level=block.level,
            title=" ".join(visible(block.content.of(text)).split()),
            head=Span(starts[number], block.span.end),
            body=after_line(text, block.span.end),
            end=starts[number + 1] if number + 1 < len(heads) else len(text),
            tree_end=trees[number],
            above=above[number],
        )
        for number, block in enumerate(heads)
    ]


def visible(text: str) -> str:
    """What readers see of a line: a comment silences a rule there, or says who wrote it, and is no part of a title."""
    return blocks.without_comments(text) if "<!--" in text else text


def _items(text: str, found: Sequence[Block], sections: Sequence[BankSection]) -> Iterator[ListItem]:
    section, open_at, count = -1, list[tuple[int, int]](), 0
    line, on_line = Span(0, 0), 0
    told: str | None = None
    for number, block in enumerate(found):
        while section + 1 < len(sections) and sections[section + 1].head.start <= block.span.start:
            section += 1
        if block.depth == 0 and block.kind != "item":
            told = _mark(text, block.span)[1] if _is_told(text, block) else None
        if block.kind != "item":
            continue
        while open_at and open_at[-1][0] <= block.span.start:
            open_at.pop()
        inner = found[number + 1] if number + 1 < len(found) else None
        paragraph = inner.span if inner and inner.kind == "paragraph" and inner.depth == block.depth + 1 else None
        if not line.start <= block.span.start < line.end:
            line, on_line = Span(line_start(text, block.span.start), line_end(text, block.span.start)), 0
        on_line += 1
        if on_line > _IN_A_LINE:
            paragraph = Span(block.span.end, block.span.end)
        place = (line.start, section if section >= 0 else None, open_at[-1][1] if open_at else None)
        item = _item(text, block, paragraph, *place)
        yield structs.replace(item, state=told) if told and not block.depth and item.mark is None else item
        open_at.append((block.span.end, count))
        count += 1


def _is_told(text: str, block: Block) -> bool:
    """Whether a line is about the list right below it, as `✅ **Import**` is; a blank line parts the two."""
    below = after_line(text, block.span.end)
    return block.kind == "paragraph" and "\n" not in block.span.of(text) and below < line_end(text, below)


def _item(
    text: str, block: Block, paragraph: Span | None, line: int, section: int | None, above: int | None
) -> ListItem:
    content = paragraph if paragraph and paragraph.start <= block.span.end else _first_line(text, block)
    lazy = _LAZY.search(text, content.start, content.end)
    span = Span(block.span.start, lazy.start()) if lazy and block.span.end == content.end else block.span
    mark, state, start = _mark(text, content)
    end = lazy.start() if lazy else content.end
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return ListItem(
        span=span,
        start=line,
        depth=block.depth,
        marker=block.info,
        mark=mark,
        state=state,
        boxed=mark is not None and text[mark.start] == "[",
        text=Span(start, end),
        section=section,
        above=above,
    )


def _first_line(text: str, block: Block) -> Span:
    start = block.box.start if block.box else block.content.start
    end = line_end(text, start)
    return Span(min(start, block.span.end), max(min(end, block.span.end), min(start, block.span.end)))


def _mark(text: str, content: Span) -> tuple[Span | None, str | None, int]:
    box = _BOX.match(text, content.start, content.end)
    if box:
        start = box.end()
        while start < content.end and text[start] in " \t":
            start += 1
        return Span(*box.span()), _BOXES[box[1]], start
    picture = _PICTURE.match(text, content.start, content.end)
    if picture:
        bold = picture.start(1) > content.start
        span = Span(picture.start(1), picture.end())
        return span, _PICTURES[picture[1]], content.start if bold else picture.end()
    return None, None, content.start


def named(sections: Sequence[BankSection], layer: Layer | None) -> list[str | None]:
    """The template's section each heading stands for; the title of the file itself stands for none."""
    found = []
    for section in sections:
        is_title = section.level == 1 and layer is not None and names.folded(section.title) == names.folded(layer.title)
        found.append(None if is_title else names.canonical(section.title, layer))
    return found


def inherited(sections: Sequence[BankSection], own: Sequence[str | None]) -> list[str | None]:
    """The same, with what a heading stands for passed on to those below it that stand for nothing."""
    found: list[str | None] = []
    for section, name in zip(sections, own, strict=True):
        above = section.above
        found.append(name or (found[above] if above is not None and sections[above].level > 1 else None))
    return found


def day_of(text: str, *, day_first: bool | None) -> tuple[Moment | None, str]:
    """The date at the end or the beginning of an item, and the item without it."""
    after = _DAY_AFTER.search(text, max(len(text) - _DAY_WITHIN, 0)) if text[-1:] in "0123456789)].*日Zz" else None
    if after and after.start() > 0:
        at = dates.stamp(after["stamp"], day_first=day_first)
        if at:
            return at, text[: after.start()]
    before = _DAY_BEFORE.match(text)
    if before and before.end() < len(text):
        at = dates.stamp(before["stamp"], day_first=day_first)
        if at:
            return at, text[before.end() :]
    return None, text


def day_of_heading(title: str, *, day_first: bool | None) -> Moment | None:
    """The date that a heading names anywhere: its only one, or the last of two in a phrase; none still to come.

    "Target: 2026-09-01" says when something is due, not of when the text below is.
    """
    at, rest = day_of(title, day_first=day_first)
    if at:
        return None if title.startswith(rest) and dates.is_to_come(title, len(rest) + 1) else at
    found = list(dates.STAMP_PATTERN.finditer(title)) if "20" in title else []
    if len(found) == 2 and _APART.search(title, found[0].end(), found[1].start()):
        return None
    if not 0 < len(found) <= 2 or dates.is_to_come(title, found[-1].start()):
        return None
    return dates.stamp(found[-1].group(), day_first=day_first)


def days_below(sections: Sequence[BankSection], own: Sequence[Moment | None]) -> list[Moment | None]:
    """The date that each heading names, else the one of the heading it stands below; that of a title is the file's."""
    found: list[Moment | None] = []
    for section, at in zip(sections, own, strict=True):
        above = section.above
        found.append(at or (found[above] if above is not None and sections[above].level > 1 else None))
    return found
