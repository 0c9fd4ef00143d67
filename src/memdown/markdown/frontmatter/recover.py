"""The forgiving reader: when a block as a whole is not YAML, each key is read for itself.

Nothing is lost: a line that makes no sense is a problem, and the lines around it are read as ever.
"""

import re
from collections.abc import Callable, Iterator

from memdown.markdown.frontmatter.flat import scan
from memdown.markdown.frontmatter.lines import Line, is_ignored, lines_of
from memdown.markdown.frontmatter.model import FrontMatterBlock, FrontMatterEntry, FrontMatterValue, Problem, duplicates
from memdown.patterns import lazy
from memdown.text import Span

Parse = Callable[[str, Span], FrontMatterBlock | Problem]
_KEY = lazy(r"([^\s#&*!|>%@`,\[\]{}-][^\r\n]*?):(?=[ \t]|\Z)")
_GOES_ON = lazy(r"[ \t]|-(?:[ \t]|\Z)|[\]}]")


def recover(text: str, inner: Span, parse: Parse, reason: Problem) -> FrontMatterBlock:
    """The entries that can be read one by one; `reason` is why they could not be read together."""
    entries: list[FrontMatterEntry] = []
    problems: list[Problem] = []
    for span in _chunks(text, inner):
        block = _read(text, span, parse)
        entries += block.entries
        problems += block.problems
    if not any(problem.kind in ("syntax", "too-deep") for problem in problems):
        problems.append(reason)
    return FrontMatterBlock(tuple(entries), (*problems, *duplicates(tuple(entries))))


def unread(text: str, inner: Span, block: FrontMatterBlock) -> list[Problem]:
    """A problem for each line that YAML allows and no entry holds, as the `?` of a key on the next line."""
    spans = sorted([entry.span for entry in block.entries] + [problem.span for problem in block.problems])
    problems: list[Problem] = []
    at = reach = 0
    for start, end in lines_of(text, inner):
        while at < len(spans) and spans[at].start <= end:
            reach = max(reach, spans[at].end)
            at += 1
        if reach <= start and not is_ignored(text, (start, end)):
            problems.append(Problem("syntax", "this line is part of no entry", Span(start, end)))
    return problems


def _chunks(text: str, inner: Span) -> Iterator[Span]:
    """Each line that may begin an entry, with the lines after it that may belong to it."""
    begin = None
    for line in lines_of(text, inner):
        if is_ignored(text, line) or (begin is not None and _GOES_ON.match(text, *line)):
            continue
        if begin is not None:
            yield Span(begin, line[0])
        begin = line[0]
    if begin is not None:
        yield Span(begin, inner.end)


def _read(text: str, chunk: Span, parse: Parse) -> FrontMatterBlock:
    lines = lines_of(text, chunk)
    entries = scan(text, lines)
    if entries is not None:
        return FrontMatterBlock(entries)
    found = parse(text, chunk)
    return _by_line(text, lines, found) if isinstance(found, Problem) else found


def _by_line(text: str, lines: list[Line], reason: Problem) -> FrontMatterBlock:
    """The key of the first line with what stands after it, and a problem for each line that is unreadable."""
    lines = [line for line in lines if not is_ignored(text, line)]
    key = _KEY.match(text, *lines[0])
    if key is None:
        return FrontMatterBlock((), _line_problems(lines, reason))
    span = Span(lines[0][0], lines[-1][1])
    if reason.kind == "too-deep":
        value = _raw(text, key.end(), span.end)
        return FrontMatterBlock((_entry(key, value, span),), (Problem(reason.kind, reason.message, span),))
    alone = scan(text, lines[:1])
    if alone:
        value, lines = alone[0].value, lines[1:]
    else:
        value = _raw(text, key.end(), lines[0][1])
    return FrontMatterBlock((_entry(key, value, span),), _line_problems(lines, reason))


def _entry(key: re.Match[str], value: FrontMatterValue, span: Span) -> FrontMatterEntry:
    name = key[1].rstrip(" \t")
    key_span = Span(key.start(), key.start() + len(name))
    if len(name) > 1 and name[0] == name[-1] and name[0] in "'\"":
        name = name[1:-1]
    return FrontMatterEntry(name, key_span, value, span)


def _raw(text: str, start: int, end: int) -> FrontMatterValue:
    """All that stands after the colon, as it stands there."""
    raw = text[start:end].strip(" \t\r\n")
    if not raw:
        return FrontMatterValue(Span(start, start), "empty", "")
    start = text.index(raw, start)
    return FrontMatterValue(Span(start, start + len(raw)), "raw", raw)


def _line_problems(lines: list[Line], reason: Problem) -> tuple[Problem, ...]:
    return tuple(Problem("syntax", reason.message, Span(*line)) for line in lines)
