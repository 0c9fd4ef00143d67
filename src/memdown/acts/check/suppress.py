"""Comments that silence rules: `<!-- memdown: ignore[CODE, CODE] -->`, or `# memdown: ignore[CODE]` in front matter.

On a line with other text a comment silences that line; alone on its line, the next one; alone at the top of
the file, the whole file. A code may be shortened to its beginning: `ignore[CRD06]`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown.diagnostics import Diagnostic
from memdown.lazy import LazyModule
from memdown.patterns import lazy
from memdown.record import Document
from memdown.text import BOM, Lines, Span

if TYPE_CHECKING:
    from memdown.markdown import blocks, frontmatter
else:  # few files have such a comment
    blocks, frontmatter = LazyModule("memdown.markdown.blocks"), LazyModule("memdown.markdown.frontmatter")

_MARK = "memdown: ignore["
_SUPPRESSION = lazy(r"\s*(?:#\s*)?memdown: ignore\[([A-Z0-9, ]*)\]\s*")
_YAML_COMMENT = lazy(r"(?:^|(?<=\s))#\s*memdown: ignore\[([A-Z0-9, ]*)\]")


class Suppression(Struct, frozen=True):
    """A comment that silences some rules somewhere."""

    span: Span
    codes: tuple[str, ...]
    line: int | None
    """The line it silences, from 0; None for the whole file."""


def suppressions(text: str) -> list[Suppression]:
    if _MARK not in text:
        return []
    front = frontmatter.read(text)
    lines = Lines(text)
    found = _in_front_matter(text, lines, front) if front else []
    above = front.body if front else int(text.startswith(BOM))
    for comment in blocks.comments(text, above):
        # White space and other comments above a comment leave it at the top of the file.
        at_top = above >= 0 and not text[above : comment.span.start].strip()
        above = comment.span.end if at_top else -1
        match = _SUPPRESSION.fullmatch(comment.inner.of(text))
        if match:
            line = _target(text, lines, comment.span)
            whole = at_top and line != lines.at(comment.span.end - 1)
            found.append(Suppression(comment.span, _codes(match[1]), None if whole else line))
    return found


def _in_front_matter(text: str, lines: Lines, front: "frontmatter.FrontMatter") -> list[Suppression]:
    found = []
    opening = lines.at(front.span.start)
    for number in range(opening + 1, lines.at(front.body - 1)):
        line = lines.span(number)
        match = _YAML_COMMENT.search(line.of(text))
        if not match:
            continue
        alone = not line.of(text)[: match.start()].strip()
        target = None if alone and number == opening + 1 else number + alone
        span = Span(line.start + match.start(), line.start + match.end())
        found.append(Suppression(span, _codes(match[1]), target))
    return found


def _codes(listed: str) -> tuple[str, ...]:
    return tuple(code for part in listed.split(",") if (code := part.strip()))


def _target(text: str, lines: Lines, comment: Span) -> int:
    """The line of a comment that shares it with other text; the next line for one that stands alone."""
    first, last = lines.at(comment.start), lines.at(comment.end - 1)
    before = text[lines.start(first) : comment.start].strip(" \t\ufeff")
    after = text[comment.end : lines.span(last).end].strip()
    return last if before or after else last + 1


def silence(documents: Iterable[Document], diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that no comment silences."""
    by_path = {doc.path: doc for doc in documents}
    codes: dict[str, tuple[Lines | None, dict[int | None, tuple[str, ...]]]] = {}
    loud = []
    for each in diagnostics:
        if each.path not in codes:
            found = by_path[each.path].of(suppressions)
            codes[each.path] = (by_path[each.path].lines, _by_line(found)) if found else (None, {})
        lines, silenced = codes[each.path]
        line = lines.at(each.span.start) if lines else 0
        if not each.code.startswith((*silenced.get(None, ()), *silenced.get(line, ()))):
            loud.append(each)
    return loud


def _by_line(found: Iterable[Suppression]) -> dict[int | None, tuple[str, ...]]:
    """Codes by the line they are silenced in; those under None are silenced in the whole file."""
    codes: dict[int | None, tuple[str, ...]] = {}
    for each in found:
        codes[each.line] = codes.get(each.line, ()) + each.codes
    return codes
