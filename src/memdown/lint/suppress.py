"""Comments that silence rules: `<!-- memdown: ignore[CODE, CODE] -->`, or `# memdown: ignore[CODE]` in front matter.

On a line with other text a comment silences that line; alone on its line, the next one; alone at the top of
the file, the whole file. A code may be shortened to its beginning: `ignore[CRD06]`.
"""

import re
from collections.abc import Iterable

from msgspec import Struct

from memdown import blocks, frontmatter
from memdown.diagnostics import Diagnostic
from memdown.record import Document
from memdown.text import Lines, Span

_MARK = "memdown: ignore["
_SUPPRESSION = re.compile(r"\s*(?:#\s*)?memdown: ignore\[([A-Z0-9, ]*)\]\s*")
_YAML_COMMENT = re.compile(r"(?:^|(?<=\s))#\s*memdown: ignore\[([A-Z0-9, ]*)\]")


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
    top = front.body if front else 0
    for comment in blocks.comments(text, top):
        match = _SUPPRESSION.fullmatch(comment.inner.of(text))
        if match:
            found.append(Suppression(comment.span, _codes(match[1]), _target(text, lines, comment.span, top)))
        if not text[top : comment.span.start].strip():
            top = comment.span.end  # comments at the top do not push each other down
    return found


def _in_front_matter(text: str, lines: Lines, front: frontmatter.FrontMatter) -> list[Suppression]:
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


def _target(text: str, lines: Lines, comment: Span, top: int) -> int | None:
    first, last = lines.at(comment.start), lines.at(max(comment.end - 1, comment.start))
    before = text[lines.start(first) : comment.start].strip(" \t\ufeff")
    after = text[comment.end : lines.span(last).end].strip()
    if before or after:
        return last
    return None if not text[top : comment.start].strip(" \t\r\n\ufeff") else last + 1


def silence(documents: Iterable[Document], diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics that no comment silences."""
    silenced = {doc.path: (doc.lines, found) for doc in documents if (found := doc.of(suppressions))}
    return [each for each in diagnostics if not _is_silenced(each, silenced)]


def _is_silenced(diagnostic: Diagnostic, silenced: dict[str, tuple[Lines, list[Suppression]]]) -> bool:
    if diagnostic.path not in silenced:
        return False
    lines, found = silenced[diagnostic.path]
    line = lines.at(diagnostic.span.start)
    return any(
        each.line in (None, line) and any(diagnostic.code.startswith(code) for code in each.codes) for each in found
    )
