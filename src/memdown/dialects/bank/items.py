"""Edits of sections and list items: find, add, mark, move. Each touches only the lines it must."""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from memdown.dialects.bank import dates, names
from memdown.dialects.bank.sections import DONE, BankSection, ListItem, Outline, day_of, inherited, named, outline
from memdown.dialects.bank.templates import Layer
from memdown.errors import Ambiguous, Invalid, NotFound, Refused, quote
from memdown.markdown.blocks import hiding
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.text import Edit, Lines, Span, after_line, apply, eol_of, is_blank, line_end, with_eol

_SHOWN = 5
_GAP = lazy(r"[ \t]+")
_ORDERED = lazy(r"(\d{1,9})([.)])")
_ORDINAL = lazy(r"(.*?)[ ]?#(\d{1,9})")
"""One of several texts that fit, or of all, by its number: `Use SQLite #2`, `#2`."""


class SectionEdit(Struct, frozen=True):
    """Edits, and which of them holds what people ask for."""

    edits: list[Edit]
    main: Edit
    skip: int = 0
    """How far into that edit's text it begins."""

    def place(self) -> int:
        """Where it stands once the edits are made."""
        moved = sum(
            len(edit.new) - (edit.span.end - edit.span.start)
            for edit in self.edits
            if edit is not self.main and edit.span.start < self.main.span.start
        )
        return self.main.span.start + moved + self.skip


def checked(value: str, what: str) -> str:
    """A text as one line that can be seen; what cannot be written is refused."""
    line = " ".join(value.split())
    if not line:
        raise Invalid(f"The {what} is empty.")
    if any(char < " " or "\ud800" <= char <= "\udfff" for char in line):
        raise Invalid(f"The {what} has a character that a Markdown file cannot contain.")
    return line


def made(name: str, text: str, change: SectionEdit) -> str:
    """A file's text after a change; one that would be hidden, or would hide what follows it, is refused."""
    after = apply(text, change.edits)
    if after == text:
        return text
    read = outline(after)
    end = change.main.span.end
    grown = len(after) - len(text)
    below = sum(section.head.start >= end for section in outline(text).sections)
    left = sum(section.head.start >= end + grown for section in read.sections)
    if _hidden(read, change.place()) or left < below:
        why = hiding(after)
        how = f"hide what is written with {why}; close it first" if why else "show what is written as code or HTML"
        raise Refused(f"{name} would {how}.")
    return after


def _hidden(doc: Outline, at: int) -> bool:
    """Whether what stands there is code or a comment to every reader, as below a fence that is never closed."""
    return any(
        block.kind in ("fence", "code", "html") and block.span.start <= at < block.span.end for block in doc.blocks
    )


# Finding


def matching(wanted: str, texts: Sequence[str], what: str, where: Callable[[int], str]) -> int:
    """Which text is meant: the one on this line, one that `_fitting` finds, or of several the one with this number."""
    query = " ".join(wanted.split())
    if not query:
        raise Invalid(f"Say which {what} is meant.")
    bare = query.casefold()
    at = [number for number in range(len(texts)) if where(number) == bare] if bare.startswith("line ") else []
    if len(at) == 1:
        return at[0]
    found = _fitting(query, texts)
    ordinal = None if found else _ORDINAL.fullmatch(query)
    if ordinal:
        among = _fitting(ordinal[1], texts) if ordinal[1] else list(range(len(texts)))
        found = among[int(ordinal[2]) - 1 :][:1] if int(ordinal[2]) else []
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFound(f"No {what} matches {quote(query)}.")
    listed = "; ".join(f"{quote(texts[number])} ({where(number)})" for number in found[:_SHOWN])
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise Ambiguous(
        f"{len(found)} {what}s match {quote(query)}: {listed}{more}; nothing was changed."
        f" Name it by its line, as in “{where(found[0])}”, or by its number, as in “{query} #1”."
    )


def _fitting(query: str, texts: Sequence[str]) -> list[int]:
    """The texts that are the same, else the same but for capitals, else those that have it."""
    bare = query.casefold()
    ways: tuple[Callable[[str], bool], ...] = (
        lambda text: query in (text, undated(text)),
        lambda text: bare in (text.casefold(), undated(text).casefold()),
        lambda text: bare in text.casefold(),
    )
    every = ([number for number, text in enumerate(texts) if fits(text)] for fits in ways)
    return next((found for found in every if found), [])


def undated(text: str) -> str:
    """What an item says without the day it was done."""
    return day_of(text, day_first=False)[1].strip()


def find_item(doc: Outline, items: Sequence[ListItem], wanted: str, what: str) -> ListItem:
    """The item that is meant; a date at its beginning or end need not be given."""
    lines = Lines(doc.text)

    def where(number: int) -> str:
        return f"line {lines.at(items[number].start) + 1}"

    return items[matching(wanted, [doc.text_of(item) for item in items], what, where)]


def section_of(doc: Outline, layer: Layer, name: str, near: ListItem | None = None) -> BankSection | None:
    """The section of a file that is this one of its template.

    One with the very name goes before a synonym. Where a file has several, as one for each session, an item
    stays with its neighbours: the last one before it counts.
    """
    own = named(doc.sections, layer)
    fitting = [section for section, known in zip(doc.sections, own, strict=True) if known == name]
    if near is not None and len(fitting) > 1:
        before = [section for section in fitting if section.head.start < near.start]
        return before[-1] if before else fitting[0]
    exact = [section for section in fitting if names.folded(section.title) == names.folded(name)]
    return next(iter(exact or fitting), None)


def is_templated(doc: Outline, layer: Layer) -> bool:
    """Whether a file has its title or a heading as the template spells it, so that one more of those fits in."""
    known = {names.folded(name) for name in (layer.title, *(section.heading for section in layer.sections))}
    return any(names.folded(section.title) in known for section in doc.sections)


def items_in(doc: Outline, layer: Layer, wanted: Iterable[str]) -> list[ListItem]:
    """Items below headings that are one of these sections, or are in one."""
    within = inherited(doc.sections, named(doc.sections, layer))
    sections = set(wanted)
    return [
        item
        for item in doc.items
        if item.section is not None and within[item.section] in sections and item.text.start < item.text.end
    ]


# Sections


def set_section(doc: Outline, layer: Layer, name: str, body: str, *, replace: bool = False) -> SectionEdit:
    """The text of a section replaced by another; its heading stays."""
    section = section_of(doc, layer, name)
    return fill(doc, section, body, replace=replace) if section else new_section(doc, layer, name, body)


def fill(doc: Outline, section: BankSection, body: str, *, replace: bool = False) -> SectionEdit:
    """Another text for a section that is there; `replace` drops its sub-sections too."""
    tree_end = section.tree_end if section.level > 1 else section.end
    region = _own_text(doc, section.body, replaced_end(doc, section, body, tree_end, replace=replace))
    if region.start < region.end:
        edit = Edit(region, with_eol(body, eol_of(doc.text)))
        return SectionEdit([edit], edit)
    return _below_heading(doc, section, body)


def replaced_end(doc: Outline, section: BankSection, body: str, tree_end: int, *, replace: bool) -> int:
    """Where the text of a section ends that another one takes the place of: before its sub-sections.

    A text that brings sub-sections takes the place of those that are there, if none of them is missing in it.
    """
    brought = {names.folded(each.title) for each in outline(body).sections}
    if replace or not brought:
        return tree_end if replace else section.end
    below = (each.title for each in doc.sections if section.head.start < each.head.start < tree_end)
    lost = [quote(title) for title in below if names.folded(title) not in brought]
    if lost:
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        raise Refused(
            f"{quote(section.title)} has sub-sections that the new text lacks: {', '.join(lost[:_SHOWN])}{more};"
            " keep them in it, or use replace to drop them."
        )
    return tree_end


def new_section(doc: Outline, layer: Layer, name: str, body: str) -> SectionEdit:
    """A section that the file does not have yet, where the template has it."""
    text, eol = doc.text, eol_of(doc.text)
    own = named(doc.sections, layer)
    order = [section.heading for section in layer.sections]
    rank = order.index(name) if name in order else len(order)
    later = [
        section
        for section, known in zip(doc.sections, own, strict=True)
        if known in order and order.index(known) > rank and section.level > 1
    ]
    level = min((section.level for section in later), default=2)
    later = [section for section in later if section.level == level]
    block = f"{'#' * level} {name}\n{body}\n"
    if later:
        edit = Edit(Span(later[0].head.start, later[0].head.start), with_eol(f"{block}\n", eol))
        return SectionEdit([edit], edit, _second_line(edit.new))
    title = f"# {layer.title}\n" if is_blank(text) else ""
    return at_the_end(text, f"{title}\n{block}" if title else block, below=f"{name}\n")


def at_the_end(text: str, block: str, *, below: str = "") -> SectionEdit:
    """A block after all the rest, with a blank line between."""
    eol = eol_of(text)
    kept = len(text.rstrip())
    tail = text[kept:]
    if not is_blank(text):
        # What ends the text stays as it is; only what is missing to a blank line is added.
        gap = "\n" * max(0, 2 - tail.count(eol))
    else:
        gap = "" if text in ("", "\ufeff") or text.endswith(eol) else "\n"
    edit = Edit(Span(len(text), len(text)), with_eol(f"{gap}{block}", eol))
    lead = len(edit.new) - len(edit.new.lstrip("\r\n"))
    return SectionEdit([edit], edit, edit.new.find(with_eol(below, eol)) + len(with_eol(below, eol)) if below else lead)


def _second_line(block: str) -> int:
    return after_line(block, 0)


def _own_text(doc: Outline, start: int, end: int) -> Span:
    """A region without the white space around it, and without the rules that part it from what follows."""
    text = doc.text
    rules = [block.span for block in doc.blocks if block.kind == "rule" and start <= block.span.start < end]
    while True:
        while end > start and text[end - 1].isspace():
            end -= 1
        if not rules or rules[-1].end < end:
            break
        end = rules.pop().start
    while start < end and text[start].isspace():
        start += 1
    return Span(start, end)


def _below_heading(doc: Outline, section: BankSection, body: str) -> SectionEdit:
    """Text put directly below a heading that has none."""
    text, eol = doc.text, eol_of(doc.text)
    if section.body == section.head.end:  # the heading ends the file
        edit = Edit(Span(section.body, section.body), with_eol(f"\n{body}\n", eol))
        return SectionEdit([edit], edit, len(eol))
    follows = text[section.body : line_end(text, section.body)].strip()
    gap = "\n" if follows else ""
    edit = Edit(Span(section.body, section.body), with_eol(f"{body}\n{gap}", eol))
    return SectionEdit([edit], edit)


# Items


def add_item(doc: Outline, layer: Layer, name: str, content: str, *, numbered: bool = False) -> SectionEdit:
    """A new item at the end of a section, in the way its list is written. `content` has its box, if any."""
    section = section_of(doc, layer, name)
    own = f"1. {content}" if numbered else f"- {content}"
    if section is None:
        return new_section(doc, layer, name, own)
    last = last_item(doc, section)
    if last is not None:
        return _after(doc, last, f"{prefix_like(doc, last)}{_boxed_like(doc, last, content)}")
    return _lone(doc, section, own)


def _boxed_like(doc: Outline, item: ListItem, content: str) -> str:
    """What a new open item says behind its marker: with the mark that the one before it has, or none."""
    bare = content.removeprefix("[ ] ")
    if bare == content or item.boxed:
        return content
    if item.mark is None:
        return bare
    return content if item.state == DONE else f"{item.mark.of(doc.text).rstrip()} {bare}"


def _lone(doc: Outline, section: BankSection, lines: str) -> SectionEdit:
    """The first item of a section: in the place of its placeholder, or below its text."""
    text, eol = doc.text, eol_of(doc.text)
    region = _own_text(doc, section.body, section.end)
    if region.start == region.end:
        return _below_heading(doc, section, lines)
    if all(dates.is_empty(line) or dates.is_placeholder(line) for line in split_lines(region.of(text))):
        edit = Edit(Span(region.start, line_end(text, region.end)), with_eol(lines, eol))
        return SectionEdit([edit], edit)
    edit = Edit(Span(region.end, region.end), with_eol(f"\n\n{lines}", eol))
    return SectionEdit([edit], edit, 2 * len(eol))


def last_item(doc: Outline, section: BankSection) -> ListItem | None:
    """The last item of a section's own list that says something."""
    return next(reversed(own_items(doc, section)), None)


def own_items(doc: Outline, section: BankSection) -> list[ListItem]:
    """The items of a section's own list that say something."""
    return [
        item
        for item in doc.items
        if item.depth == 0 and section.body <= item.start < section.end and not _is_blank(doc, item)
    ]


def first_items(
    doc: Outline, section: BankSection, model: ListItem | None, lines: Sequence[str], *, behind: bool
) -> SectionEdit:
    """New items before or behind one that is like them; without one, above all that the section says."""
    gap = "\n\n" if model and _is_loose(doc, section) else "\n"
    block = gap.join(lines)
    if model is None:
        region = _own_text(doc, section.body, section.end)
        if not own_items(doc, section) or region.start == region.end:
            return _lone(doc, section, block)
        edit = Edit(Span(region.start, region.start), with_eol(f"{block}\n\n", eol_of(doc.text)))
        return SectionEdit([edit], edit)
    if behind:
        return _after(doc, model, block)
    edit = Edit(Span(model.start, model.start), with_eol(f"{block}{gap}", eol_of(doc.text)))
    return SectionEdit([edit], edit)


def _is_loose(doc: Outline, section: BankSection) -> bool:
    """Whether the items of a section's list have blank lines between them."""
    eol, second = eol_of(doc.text), own_items(doc, section)[1:2]
    return bool(second) and doc.text[: second[0].start].endswith(eol + eol)


def _is_blank(doc: Outline, item: ListItem) -> bool:
    line = doc.text[item.start : line_end(doc.text, item.start)]
    return item.text.start == item.text.end or dates.is_placeholder(line)


def prefix_like(doc: Outline, item: ListItem) -> str:
    """What a new item after this one begins with: indentation, marker, space."""
    text = doc.text
    marker_end = item.span.start + len(item.marker)
    gap = _GAP.match(text, marker_end)
    indent = text[item.start : item.span.start]
    ordered = _ORDERED.fullmatch(item.marker)
    marker = f"{int(ordered[1]) + 1}{ordered[2]}" if ordered else item.marker
    return f"{indent}{marker}{gap.group() if gap else ' '}"


def _after(doc: Outline, item: ListItem, lines: str) -> SectionEdit:
    """Lines put after an item, with a blank line between when the list has them."""
    text, eol = doc.text, eol_of(doc.text)
    end = line_end(text, item.span.end)
    before = text[: item.start].rstrip(" \t")
    loose = item.start > 0 and before.endswith(eol + eol) and _follows_item(doc, item)
    gap = "\n\n" if loose else "\n"
    edit = Edit(Span(end, end), with_eol(f"{gap}{lines}", eol))
    return SectionEdit([edit], edit, len(with_eol(gap, eol)))


def _follows_item(doc: Outline, item: ListItem) -> bool:
    return any(each.span.end <= item.start and each.section == item.section for each in doc.items if each is not item)


def move_item(doc: Outline, layer: Layer, item: ListItem, name: str, edits: Sequence[Edit]) -> SectionEdit:
    """An item with all that is in it goes to the end of another section, changed by `edits` on the way."""
    text = doc.text
    end = line_end(text, item.span.end)
    moved = apply(text[item.start : end], [_shifted(edit, -item.start) for edit in edits])
    section = section_of(doc, layer, name, near=item)
    last = last_item(doc, section) if section else None
    if _ORDERED.fullmatch(item.marker) and not (last and _ORDERED.fullmatch(last.marker)):
        moved = moved.replace(item.marker, "-", 1)
    lines = moved.rstrip("\r\n")
    if section is None:
        placed = new_section(doc, layer, name, lines)
    else:
        placed = _after(doc, last, lines) if last else _lone(doc, section, lines)
    return SectionEdit([removal(doc, item), *placed.edits], placed.main, placed.skip)


def removal(doc: Outline, item: ListItem) -> Edit:
    """An item taken out with all that is in it."""
    end = line_end(doc.text, item.span.end)
    return Edit(_whole_lines(doc.text, item.start, end, eol_of(doc.text)), "")


def clear_section(doc: Outline, layer: Layer, name: str) -> SectionEdit:
    """Everything below the headings of a section taken out, but for sub-sections that are other sections' own."""
    own = named(doc.sections, layer)
    edits: list[Edit] = []
    for section, known in zip(doc.sections, own, strict=True):
        if known != name or (edits and section.head.start < edits[-1].span.end):
            continue
        tree_end = section.tree_end if section.level > 1 else section.end
        others = (
            each.head.start
            for each, other in zip(doc.sections, own, strict=True)
            if section.head.start < each.head.start < tree_end and other not in (None, name)
        )
        region = _own_text(doc, section.body, next(others, tree_end))
        if region.start < region.end:
            edits.append(Edit(Span(section.body, after_line(doc.text, region.end)), ""))
    return SectionEdit(edits, edits[-1] if edits else Edit(Span(0, 0), ""))


def _shifted(edit: Edit, by: int) -> Edit:
    return Edit(Span(edit.span.start + by, edit.span.end + by), edit.new)


def _whole_lines(text: str, start: int, end: int, eol: str) -> Span:
    """Lines to take away, with the blank line after them when there is one before them too."""
    until = after_line(text, end)
    if until == end:  # the last line, not ended: the line ending before it goes
        return Span(start - len(eol) if text.endswith(eol, 0, start) else start, end)
    blank_before = start == 0 or text[:start].endswith((eol + eol, "\n\n"))
    following = line_end(text, until)
    if blank_before and until < len(text) and not text[until:following].strip():
        return Span(start, after_line(text, following))
    return Span(start, until)


def ticked(item: ListItem, day: str) -> list[Edit]:
    """The edits that mark an item as done, with the day it was."""
    return [*boxed(item, "[x]"), Edit(Span(item.text.end, item.text.end), f" — {day}")]


def boxed(item: ListItem, box: str) -> list[Edit]:
    """The edits that give an item this box in the place of the one, or the picture, that it has."""
    if item.mark is None:
        return [Edit(Span(item.text.start, item.text.start), f"{box} ")]
    return [Edit(item.mark, box if item.boxed else f"{box} ")]
