"""How good a memory is: what an overview should tell, claims without a reference, words that say nothing."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from memdown.dialects.layers import stamps
from memdown.markdown import blocks
from memdown.patterns import lazy
from memdown.text import Lines, Span

LARGEST_VAGUE_PART = 0.3
"""More claims without a reference than this part of all are too many."""

VAGUE_PHRASE_LINES = 3
LONGEST_LINE = 2000
"""Characters of a line in which a reference is looked for."""

GROWTH_RUNS = 5
"""After so many invocations without growth a memory stands still; every so many, its claims are to be looked at."""

_VERSION = r"v?\d+(?:\.\d+)+|v?\d+\+|\b\d+(?:\.[0-9x]+)*\b"
_LANGUAGES = (
    r"python|typescript|javascript|java|kotlin|go|golang|rust|ruby|php|swift|scala|elixir|c#|c\+\+|\.net|node(?:\.js)?"
)
_FRAMEWORKS = (
    r"fastapi|django|flask|rails|spring(?: boot)?|express|nest(?:js)?|react|angular|vue|svelte|next(?:\.js)?|laravel"
    r"|symfony|asp\.net(?: core)?|entity framework|phoenix|gin|actix|axum"
)
_TOPICS = {
    topic: lazy(pattern, re.IGNORECASE)
    for topic, pattern in {
        "language and version": rf"(?<!\w)(?:{_LANGUAGES})(?!\w)[^\r\n]{{0,40}}?(?:{_VERSION})"
        rf"|\blanguages?\b[^\r\n]{{0,60}}?\d",
        "framework and version": rf"\b(?:{_FRAMEWORKS})[^\r\n]{{0,40}}?(?:{_VERSION})"
        rf"|\bframeworks?\b[^\r\n]{{0,60}}?\d",
        "architecture pattern": r"\b(?:architectur\w*|microservices?|monolith\w*|layered|hexagonal|mvc|mvvm|cqrs"
        r"|event[- ]driven|repository pattern)\b",
        "key conventions": r"\b(?:conventions?|naming|code style|file organi[sz]ation|(?:directory|project) structure"
        r"|snake_case|camelcase|pascalcase)\b",
        "testing approach": r"\b(?:testing|tests?|pytest|jest|xunit|nunit|vitest|rspec|junit|coverage)\b",
    }.items()
}
_SPECIFIC = lazy(
    r"`[^`\r\n]*(?:/|\.\w{1,8}\b|\(\))[^`\r\n]*`|\b[\w.]+\(\)|\b[\w./-]+\.\w{1,8}:\d+|\bv?\d+\.\d+(?:\.\d+)*\b"
    r"|(?<![\w/])[\w.-]+/[\w./-]+\.\w{1,8}\b"
)
_PHRASE = lazy(r"uses custom|has some|there are|various|multiple|several|certain", re.IGNORECASE)
_ABSOLUTE = lazy(r"/home/|/Users/|C:\\")
_FIELD = lazy(r"(?:\*\*|__)[^*_\r\n]{1,40}(?:\*\*|__)\s*:|[^\r\n:]{1,40}:\s*$")


class Claim(Struct, frozen=True):
    """A line that states something about the project."""

    span: Span
    specific: bool


def missing_topics(text: str) -> list[str]:
    """What an overview should tell and this text does not."""
    return [topic for topic, pattern in _TOPICS.items() if not pattern.search(text)]


def score(missing: Sequence[str]) -> float:
    return round(1 - len(missing) / len(_TOPICS), 2)


def claims(text: str) -> list[Claim]:
    """List items and lines of paragraphs outside headings, tables and code."""
    found = []
    lines = Lines(text)
    for start, end in _prose(text):
        for number in range(lines.at(start), lines.at(max(end - 1, start)) + 1):
            span = lines.span(number)
            line = span.of(text).strip().lstrip("-*+> ").strip()
            if len(line.split()) >= 2 and not _FIELD.fullmatch(line) and not stamps.top_stamps(line):
                found.append(Claim(span, bool(_SPECIFIC.search(line[:LONGEST_LINE]))))
    return found


def _prose(text: str) -> Iterator[tuple[int, int]]:
    """Paragraphs, each once, wherever they stand."""
    done = -1
    for block in blocks.scan(text):
        if block.kind == "paragraph" and block.span.start >= done:
            done = block.span.end
            yield block.span.start, block.span.end


def phrases(text: str) -> Iterator[Span]:
    """Lines with words that name nothing."""
    return _lines_with(text, _PHRASE)


def absolute_paths(text: str) -> Iterator[Span]:
    """Lines with a path that only one computer has."""
    return _lines_with(text, _ABSOLUTE)


def _lines_with(text: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    lines = Lines(text)
    last = -1
    for match in pattern.finditer(text):
        number = lines.at(match.start())
        if number != last:
            last = number
            yield lines.span(number)


def growth(sizes: Sequence[int], invocations: int) -> str:
    """Whether a memory grew, by its size at the last invocations."""
    recent = sizes[-(GROWTH_RUNS + 1) :]
    if any(two > one for one, two in pairwise(recent)):
        return "healthy"
    return "stagnant" if invocations >= GROWTH_RUNS and len(recent) >= GROWTH_RUNS else "unknown"
