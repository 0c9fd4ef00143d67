"""The lines of a journal's file with what Markdown hides taken out: code in fences and comments begin nothing."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.model import Deviation, JournalField
from memdown.markdown import blocks, frontmatter
from memdown.patterns import lazy
from memdown.text import BOM, Edit, Lines, Span

HEADING = lazy(r"[ ]{0,3}(?P<hashes>#{1,6})(?P<gap>[ \t\u00a0]*)(?P<text>.*)")
CLOSED = lazy(r"(?<=\S)[ \t]+#+$")
"""The hashes that close a heading in Markdown, and say nothing."""
_RULE = lazy(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_CONFLICT = lazy(r"(?:<{7}|={7}|>{7}|\|{7})(?:[ ].*)?")


class JournalLine(Struct, frozen=True, gc=False):
    """One line that is not blank."""

    text: str
    """Without the line ending and white space after it; no-break spaces are spaces here."""
    span: Span
    """Where `text` is."""
    hidden: bool
    """Inside a fence or a comment."""

    def at(self, start: int, end: int) -> Span:
        return Span(self.span.start + start, self.span.start + end)


def lines_of(text: str) -> Iterator[JournalLine]:
    """The lines below the front matter. A fence that nobody closed hides nothing: it would hide all that follows."""
    front = frontmatter.read(text)
    start = front.body if front else int(text.startswith(BOM))
    masks = _masks(text, start)
    mask = next(masks, None)
    lines = Lines(text)
    for number in range(lines.at(start), len(lines)):
        whole = lines.span(number)
        begin = max(whole.start, start)
        line = text[begin : whole.end].rstrip()
        if not line.strip():
            continue
        while mask and mask.end <= begin:
            mask = next(masks, None)
        hidden = mask is not None and mask.start <= begin + len(line) - 1
        yield JournalLine(line.replace("\u00a0", " "), Span(begin, begin + len(line)), hidden)


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
    spots = [at for at in range(span.start, span.end) if text[at] == "\u00a0"] if "\u00a0" in span.of(text) else ()
    if spots:
        yield deviation("odd-space", span, *(Edit(Span(at, at + 1), " ") for at in spots))


def stamp_of(line: JournalLine) -> JournalField | None:
    """The field of a line such as `*Created: 2025-12-05 14:30:15 IST*`."""
    if line.text[:1] not in ("*", "_") or line.text.startswith(("**", "* ")):
        return None
    match = FORM["stamp"].fullmatch(line.text)
    return (
        JournalField(match["key"].lower(), match["value"], line.at(*match.span("value")), line.span) if match else None
    )


def fields_of(line: JournalLine) -> Iterator[JournalField]:
    """The labelled values of a line: there may be two, as `**Status**: 🔄 **Last**: 2025-04-25`."""
    found = list(FORM["field"].finditer(line.text)) if "**" in line.text else []
    if not found or line.text[: found[0].start()].strip(" \t-*+"):
        return
    for number, match in enumerate(found):
        end = found[number + 1].start() if number + 1 < len(found) else len(line.text)
        raw = line.text[match.end() : end]
        start = match.end() + len(raw) - len(raw.lstrip())
        end = max(start, match.end() + len(raw.rstrip()))
        yield JournalField(
            match["key"].strip().lower(), line.text[start:end], line.at(start, end), line.at(match.start(), end)
        )


def title_of(line: JournalLine) -> tuple[int, str, Span] | None:
    """Level, title and the title's place, for a heading as Markdown has them."""
    match = HEADING.match(line.text) if "#" in line.text[:4] else None
    if not match or line.hidden or not match["gap"]:
        return None
    title, start = CLOSED.sub("", match["text"].rstrip()), match.start("text")
    return len(match["hashes"]), title, line.at(start, start + len(title))


def stamps_of(lines: list[JournalLine]) -> Mapping[str, JournalField]:
    """The stamps of a file, the first of each name."""
    found: dict[str, JournalField] = {}
    for line in lines:
        stamp = None if line.hidden else stamp_of(line)
        if stamp:
            found.setdefault(stamp.key, stamp)
    return found
