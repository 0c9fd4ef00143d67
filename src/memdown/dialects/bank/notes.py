"""Notes of a bank: dated items of its file `notes.md`, for what none of the seven files has a section for."""

from collections.abc import Sequence

from memdown.dialects.bank.dates import STAMP_PATTERN
from memdown.dialects.bank.items import SectionEdit, at_the_end
from memdown.dialects.bank.sections import ListItem, Outline, outline
from memdown.errors import Invalid
from memdown.markdown.line_ends import split_lines
from memdown.text import Edit, Span, eol_of, is_blank, line_start, with_eol

_INDENT = "  "


def new_note(text: str, title: str, body: str, day: str) -> SectionEdit:
    """A note after the last one, else at the end of the file."""
    block = "\n".join([f"- {day}: {title}", *(f"{_INDENT}{line}".rstrip() for line in split_lines(body))])
    if is_blank(text):
        return at_the_end(text, f"# Notes\n\n{block}\n", below="# Notes\n\n")
    doc = outline(text)
    last = next((item for item in doc.items[::-1] if is_note(doc, item)), None)
    if last is None:
        return at_the_end(text, f"{block}\n")
    end = last.span.start + len(last.span.of(text).rstrip())
    edit = Edit(Span(end, end), with_eol(f"\n{block}", eol_of(text)))
    return SectionEdit([edit], edit, len(eol_of(text)))


def is_note(doc: Outline, item: ListItem) -> bool:
    """Whether an item is a note as they are added: it begins with its date."""
    return item.depth == 0 and item.mark is None and bool(STAMP_PATTERN.match(doc.text, item.text.start))


def whole_text(text: str, item: ListItem, first: str) -> str:
    """What an item says on all its lines; the first is given without what stands before it."""
    indent = item.text.start - line_start(text, item.text.start)
    rest = split_lines(item.span.of(text))[1:]
    lines = (line[indent:] if not line[:indent].strip() else line.lstrip() for line in rest)
    return "\n".join([first, *lines]).strip()


def checked_body(lines: Sequence[str]) -> str:
    """Text for below the first line of a note; one that would end the item is refused."""
    body = "\n".join(line.rstrip() for line in lines).strip("\n")
    if outline(body).sections:
        raise Invalid("The text of a note has a heading in it, which would end the note; leave it out.")
    return body
