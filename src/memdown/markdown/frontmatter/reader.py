"""Find the block at the top of a text and read it: flat if it can be, nested if it must be."""

import re
from collections.abc import Callable
from importlib import import_module

from memdown.markdown.frontmatter.characters import forbidden
from memdown.markdown.frontmatter.flat import scan
from memdown.markdown.frontmatter.lines import is_ignored, lines_of
from memdown.markdown.frontmatter.model import MAX_LENGTH, FrontMatter, FrontMatterBlock, Problem, duplicates
from memdown.patterns import lazy
from memdown.text import Span

_OPENING = lazy(r"\ufeff?(---)[ \t]*(\r\n|\n|\r|\Z)")
_CLOSING = lazy(r"(?:\r\n|\n|\r)(---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")
_ENTRY_LIKE = lazy(
    r" *(?:[\w./($][^\r\n]{0,99}?|[^\x00-\xa0][^\r\n]{0,99}?|<<"
    r"|'[^']*(?:''[^']*)*'(?!')|\"[^\"\\]*(?:\\.[^\"\\]*)*\")"
    r"[ \t]*:(?=[ \t]|\Z)|\? |\{[ \t]*(?:[\"'\w}]|\Z)"
)
# What may follow an entry without being one: an indented line, an item, the end of a flow collection.
_CONTINUES = lazy(r"[ \t]|-(?:[ \t]|\Z)|[\]}]")


def read(text: str) -> FrontMatter | None:
    """The front matter a text begins with; None when its first lines are something else.

    Never raises for what the text holds: what cannot be read is a problem of the block.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    start, body = opening.start(1), opening.end()
    closing = _closing(text, opening.start(2))
    if closing is None:
        return _unclosed(text, Span(start, body))
    inner = Span(body, closing.start(1))
    if inner.end - inner.start > MAX_LENGTH:
        if not _looks_like_entries(text, Span(body, body + MAX_LENGTH)):
            return None
        message = f"front matter of more than {MAX_LENGTH} characters is not read"
        problem = Problem("too-large", message, inner)
        return FrontMatter(Span(start, closing.end()), inner, closing.end(), (), (problem,))
    block = _read_block(text, inner)
    if block is None:
        return None
    return FrontMatter(Span(start, closing.end()), inner, closing.end(), block.entries, block.problems)


def _closing(text: str, start: int) -> re.Match[str] | None:
    """The line that ends the block; most often found without trying a pattern at every character."""
    at = text.find("\n---", start)
    head = text[start : at + 1]
    if at < 0 or "\r" in head or "\n..." in head:
        return _CLOSING.search(text, start)
    return _CLOSING.match(text, at) or _CLOSING.search(text, at + 1)


def _unclosed(text: str, fence: Span) -> FrontMatter | None:
    """A first line `---` alone is a thematic break, unless entries follow it."""
    start = Span(fence.end, min(len(text), fence.end + MAX_LENGTH))
    if not _looks_like_entries(text, start, first_only=True):
        return None
    line = Span(fence.start, fence.start + len(fence.of(text).rstrip("\r\n")))
    problem = Problem("unclosed", "the front matter has no closing `---` line", line)
    return FrontMatter(fence, Span(fence.end, fence.end), fence.end, (), (problem,))


def _read_block(text: str, inner: Span) -> FrontMatterBlock | None:
    entries = scan(text, lines_of(text, inner))
    if entries is not None:
        return FrontMatterBlock(entries, _sorted(duplicates(entries) + forbidden(text, inner)))
    if not _looks_like_entries(text, inner):
        return None
    block = _nested()(text, inner)
    return FrontMatterBlock(block.entries, _sorted([*block.problems, *forbidden(text, inner)]))


def _nested() -> Callable[[str, Span], FrontMatterBlock]:
    # Loaded by need: PyYAML takes 25 ms to import, which every cold start would pay, and hooks start cold
    # for each event. Of 1,330 real blocks, five need it.
    read_block: Callable[[str, Span], FrontMatterBlock] = import_module(
        "memdown.markdown.frontmatter.nested"
    ).read_block
    return read_block


def _sorted(problems: list[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(set(problems), key=lambda problem: (problem.span, problem.kind))) if problems else ()


def _looks_like_entries(text: str, span: Span, first_only: bool = False) -> bool:
    """Whether lines between two `---` are meant as YAML, not as prose between two thematic breaks.

    They are when the first one that says something has a key, or when at least half of them have.
    """
    entries = others = 0
    for line in lines_of(text, span):
        if is_ignored(text, line) or (entries and _CONTINUES.match(text, *line)):
            continue
        if _ENTRY_LIKE.match(text, *line):
            entries += 1
            if not others:
                return True
        elif first_only:
            return False
        else:
            others += 1
    return entries > 0 and entries >= others
