"""The lines of a journal's file with what Markdown hides taken out: code in fences and comments begin nothing."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from memdown import blocks, frontmatter
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.model import Deviation, Field
from memdown.patterns import lazy
from memdown.text import BOM, Edit, Lines, Span

HEADING = lazy(r"[ ]{0,3}(?P<hashes>#{1,6})(?P<gap>[ \t\u00a0]*)(?P<said>.*)")
_RULE = lazy(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_CONFLICT = lazy(r"(?:<{7}|={7}|>{7}|\|{7})(?:[ ].*)?")
_EMPHASIS = " \t*_"


class Line(Struct, frozen=True, gc=False):
    """One line that is not blank."""

    text: str
    """Without the line ending and white space after it; no-break spaces are spaces here."""
    span: Span
    """Where `text` is."""
    hidden: bool
    """Inside a fence or a comment."""

    def at(self, start: int, end: int) -> Span:
        return Span(self.span.start + start, self.span.start + end)


def lines_of(text: str) -> Iterator[Line]:
    """The lines below the front matter. A fence that nobody closed hides nothing: it would hide all that follows."""
    front = frontmatter.read(text)
    start = front.body if front else int(text.startswith(BOM))
    masks = _masks(text, start)
    mask = next(masks, None)
    lines = Lines(text)
    for number in range(lines.at(start), len(lines)):
        whole = lines.span(number)
        begin = max(whole.start, start)
        said = text[begin : whole.end].rstrip()
        if not said.strip():
            continue
        while mask and mask.end <= begin:
            mask = next(masks, None)
        hidden = mask is not None and mask.start <= begin + len(said) - 1
        yield Line(said.replace("\u00a0", " "), Span(begin, begin + len(said)), hidden)


def _masks(text: str, start: int) -> Iterator[Span]:
    if "```" not in text and "~~~" not in text and "<!--" not in text:
        return
    for block in blocks.scan(text, start):
        if block.closed and (block.kind == "fence" or (block.kind == "html" and block.info == "comment")):
            yield block.span


def is_rule(line: str) -> bool:
    return line.lstrip()[:1] in ("-", "*", "_") and bool(_RULE.fullmatch(line))


def is_conflict(line: str) -> bool:
    return line[:7] in ("<<<<<<<", "=======", ">>>>>>>", "|||||||") and bool(_CONFLICT.fullmatch(line))


def odd_spaces(text: str, span: Span) -> Iterator[Deviation]:
    """No-break spaces in a line that has a form."""
    said = span.of(text)
    if "\u00a0" in said:
        spots = [span.start + at for at, each in enumerate(said) if each == "\u00a0"]
        edits = tuple(Edit(Span(at, at + 1), " ") for at in spots)
        yield Deviation("odd-space", span, "A no-break space stands where a space should.", edits)


def stamp_of(line: Line) -> Field | None:
    """The field of a line such as `*Created: 2025-12-05 14:30:15 IST*`."""
    if line.text[:1] not in ("*", "_") or line.text.startswith(("**", "* ")):
        return None
    match = FORM["stamp"].fullmatch(line.text)
    return Field(match["key"].lower(), match["value"], line.at(*match.span("value")), line.span) if match else None


def fields_of(line: Line) -> Iterator[Field]:
    """The labelled values of a line: there may be two, as `**Status**: 🔄 **Last**: 2025-04-25`."""
    found = list(FORM["field"].finditer(line.text)) if "**" in line.text else []
    if not found or line.text[: found[0].start()].strip(" \t-*+"):
        return
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(line.text)
        raw = line.text[match.end() : end]
        start = match.end() + len(raw) - len(raw.lstrip())
        end = max(start, match.end() + len(raw.rstrip()))
        yield Field(
            match["key"].strip().lower(), line.text[start:end], line.at(start, end), line.at(match.start(), end)
        )


def title_of(line: Line) -> tuple[int, str, Span] | None:
    """Level, title and the title's place, for a heading as Markdown has them."""
    match = HEADING.match(line.text) if "#" in line.text[:4] else None
    if not match or line.hidden or not match["gap"]:
        return None
    said = match["said"].rstrip()
    return len(match["hashes"]), said, line.at(match.start("said"), match.start("said") + len(said))


def plain(text: str) -> str:
    """A cell or value without emphasis around it."""
    return text.strip(_EMPHASIS)


def stamps_of(lines: list[Line]) -> Mapping[str, Field]:
    """The stamps of a file, the first of each name."""
    found: dict[str, Field] = {}
    for line in lines:
        stamp = None if line.hidden else stamp_of(line)
        if stamp:
            found.setdefault(stamp.key, stamp)
    return found
