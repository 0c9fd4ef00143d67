"""Parts of a task, session or error file: its headings with the lines below them, fields, steps, states."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from re import Pattern

from msgspec import Struct

from memdown.dialects.journal import grammar
from memdown.dialects.journal.codes import deviation
from memdown.dialects.journal.grammar import FORM
from memdown.dialects.journal.headings import ids_in
from memdown.dialects.journal.lines import JournalLine, fields_of, is_conflict, title_of
from memdown.dialects.journal.model import Deviation, JournalField, TaskStep
from memdown.dialects.journal.paths import seen
from memdown.patterns import lazy
from memdown.text import Span

_SELECTOR = "\ufe0f"
_WORDS = tuple((word, state) for state, words in grammar.STATE_WORDS.items() for word in words)
_WORD = lazy(r"\w+")
_NOTHING = lazy(r"[-\u2010-\u2015\u2212.]*|none\.?|n/?a|null|nil", 2)
_ASIDE = lazy(r"\([^()]*\)")
_BETWEEN = lazy(r"[\s,;/&+*_`\[\]\u2010-\u2015-]+|\band\b|\bto\b")
_PLACEHOLDER = lazy(r"\[[A-Z][A-Z /:_-]{2,60}\]|\[(?:Task ID|Notes for next session)\]|YYYY-MM-DD")


class JournalSection(Struct, frozen=True):
    """A heading and the lines below it, up to the next heading."""

    level: int
    """0 for what stands above the first heading."""
    title: str
    head: Span
    named: Span
    """The title in the text."""
    lines: tuple[JournalLine, ...]
    end: int
    """Where its own lines end."""


def sections(lines: Sequence[JournalLine]) -> list[JournalSection]:
    """The sections of a file in order; none holds another."""
    found: list[JournalSection] = []
    start = lines[0].span.start if lines else 0
    level, title, head, named = 0, "", Span(start, start), Span(start, start)
    own: list[JournalLine] = []
    for line in lines:
        heading = title_of(line)
        if heading is None:
            own.append(line)
            continue
        found.append(_section(level, title, head, named, own))
        own = []
        (level, title, named), head = heading, line.span
    found.append(_section(level, title, head, named, own))
    return found[1:] if not found[0].lines and len(found) > 1 else found


def _section(level: int, title: str, head: Span, named: Span, own: list[JournalLine]) -> JournalSection:
    return JournalSection(level, title, head, named, tuple(own), own[-1].span.end if own else head.end)


def tree_end(found: Sequence[JournalSection], number: int) -> int:
    """Where a section ends with all sections of deeper level below it."""
    end = found[number].end
    for other in found[number + 1 :]:
        if other.level <= found[number].level:
            break
        end = other.end
    return end


def fields(lines: Iterable[JournalLine]) -> Mapping[str, JournalField]:
    """The labelled values of lines, the first of each name."""
    found: dict[str, JournalField] = {}
    for line in lines:
        if not line.hidden:
            for field in fields_of(line):
                found.setdefault(field.key, field)
    return found


def value_of(found: Mapping[str, JournalField], name: str) -> str:
    return found[name].value.strip() if name in found else ""


def state_of(text: str) -> str | None:
    """The state a status says: by its emoji, with or without a variation selector, else by its words.

    An emoji that the format does not have means what the words behind it say, as in `⏳ Pending`.
    """
    status = text.replace(_SELECTOR, "").strip(" \t*_`")
    by_mark = grammar.STATES.get(status[:1])
    if status[:1] in grammar.OF_THE_FORMAT:
        return by_mark
    lower = (status[1:] if by_mark else status).lower().lstrip(" \t*_`([")
    return next((state for word, state in _WORDS if lower.startswith(word)), by_mark)


def state_word(text: str) -> str:
    """A status in one word, however it is written: one of the five, blocked, else what it says in small letters."""
    words = _WORD.findall(text.lower())
    return state_of(text) or ("blocked" if "blocked" in words[:1] else "_".join(words))


def unread(
    text: str, lines: Sequence[JournalLine], read: Sequence[Span], looks_like: Pattern[str], message: str
) -> Iterator[Deviation]:
    """Lines in a row that look like records and are in none: one finding for each block of them."""
    block: Span | None = None
    taken = iter(sorted(read, key=lambda span: span.start))
    span = next(taken, None)
    for line in lines:
        while span and span.end <= line.span.start:
            span = next(taken, None)
        outside = not line.hidden and not (span and span.start <= line.span.start) and "#" not in line.text[:1]
        if block and (not outside or text.count("\n", block.end, line.span.start) > 1):
            yield deviation("entries-unread", block, message=message)
            block = None
        if outside and (block or looks_like.fullmatch(line.text)):
            block = Span(block.start if block else line.span.start, line.span.end)
    if block:
        yield deviation("entries-unread", block, message=message)


def is_bare_state(text: str) -> bool:
    """Whether a status is one emoji and nothing else."""
    return text.replace(_SELECTOR, "") in grammar.STATES


def ids_of(text: str) -> tuple[tuple[str, ...], bool]:
    """The ids of a list, and whether there is anything else in it."""
    listed = text.strip(" \t*_`")
    if _NOTHING.fullmatch(listed):
        return (), False
    rest = _BETWEEN.sub("", grammar.ID.sub("", _ASIDE.sub("", listed)))
    return ids_in(text), bool(rest)


def steps(found: Sequence[JournalSection]) -> Iterator[TaskStep]:
    """Boxes and lines with a state's emoji, wherever they are, numbered through the file."""
    position = 0
    for section in found:
        for line in section.lines:
            step = None if line.hidden else _step(line, section.title, position + 1)
            if step:
                position += 1
                yield step


def _step(line: JournalLine, section: str, position: int) -> TaskStep | None:
    match = FORM["bullet"].fullmatch(line.text)
    if not match:
        return None
    text, start = match["text"], match.start("text")
    box = FORM["step"].fullmatch(text)
    if box:
        state = "pending" if box["box"] == " " else "completed"
        mark = line.at(start + box.start("box"), start + box.end("box"))
        return TaskStep(line.span, section, position, box["text"], state, mark)
    first = grammar.STATES.get(text[0])
    if first:
        after = 1 + text[1:].startswith(_SELECTOR)
        return TaskStep(line.span, section, position, text[after:].strip(), first, line.at(start, start + after))
    return _marked_last(line, text, start, section, position)


def _marked_last(line: JournalLine, text: str, start: int, section: str, position: int) -> TaskStep | None:
    """A step whose emoji stands behind it."""
    bare = text.rstrip(_SELECTOR)
    state = grammar.STATES.get(bare[-1:])
    if not state or not bare[:-1].strip():
        return None
    at = line.at(start + len(bare) - 1, start + len(text))
    return TaskStep(line.span, section, position, bare[:-1].strip(), state, at)


def files(found: Sequence[JournalSection]) -> Iterator[str]:
    """The files that a task says are related."""
    for section in found:
        listed = "file" in section.title.lower()
        for line in section.lines:
            named = "**files" in line.text.lower()
            if not line.hidden and ((listed and FORM["bullet"].fullmatch(line.text)) or named):
                each = [one for one in seen(line.text) if one.form != "bare" and one.sure]
                yield from (one.path for one in (each if named else each[:1]))


def common_faults(lines: Iterable[JournalLine]) -> Iterator[Deviation]:
    """What may be wrong in any file: marks of a merge, text of the template."""
    for line in lines:
        if line.hidden:
            continue
        if is_conflict(line.text):
            yield deviation("conflict-mark", line.span)
        elif "[" in line.text or "YYYY" in line.text:
            match = _PLACEHOLDER.search(line.text)
            if match:
                yield deviation("unfilled", line.at(*match.span()))
