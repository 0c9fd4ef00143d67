"""What rules about any text need of its blocks, from one walk over them."""

from collections.abc import Iterator

from msgspec import Struct

from memdown.markdown import blocks, frontmatter
from memdown.record import Document


class BodyOutline(Struct, frozen=True):
    """The headings of a body, and what does not end in it."""

    headings: list[tuple[int, int]]
    """Where each begins, and its level: those with `#` that no list or quote holds."""
    unclosed: list[blocks.Block]
    """Fences and comments."""


def outline(doc: Document) -> BodyOutline:
    """For `Document.once`."""
    found = BodyOutline([], [])
    for block in body_blocks(doc):
        if block.kind == "heading" and not block.depth and block.info == "atx":
            found.headings.append((block.span.start, block.level))
        if not block.closed:
            found.unclosed.append(block)
    return found


def body_blocks(doc: Document) -> Iterator[blocks.Block]:
    """The blocks behind the front matter."""
    front = doc.of(frontmatter.read)
    return blocks.scan(doc.text, front.body if front else 0)
