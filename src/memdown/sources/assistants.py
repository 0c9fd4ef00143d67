"""Files in which assistants keep instructions and notes of their own: read as a source, never edited, never checked."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from memdown.markdown import blocks, frontmatter
from memdown.record import Document, Record
from memdown.store.tree import Tree
from memdown.text import Lines, Span

DIALECT = "assistant"


def documents(root: Path, names: Sequence[str]) -> Iterator[Document]:
    """Those of these files that have a text, each with a record for each heading."""
    tree = Tree(root, ())
    for name in names:
        text = tree.text(name)
        if text and text.strip():
            yield Document(name, text, dialect=DIALECT, records=list(_records(name, text)))


def _records(name: str, text: str) -> Iterator[Record]:
    """A record for each heading with a text, and for what stands above the first.

    Front matter and a heading without a text are a part of the record that follows: alone, they are no answer.
    """
    front = frontmatter.read(text)
    start = front.body if front else 0
    heads = [block for block in blocks.scan(text, start) if block.kind == "heading" and block.depth == 0]
    lines = Lines(text)
    places = [(start, start, ""), *((head.span.start, head.span.end, head.content.of(text)) for head in heads)]
    ends = [head.span.start for head in heads] + [len(text)]
    reached = 0
    for (first, body, title), end in zip(places, ends, strict=True):
        content = text[body:end].strip()
        if content:
            line = lines.at(first) + 1
            yield Record(
                id=f"{name}:{line}",
                dialect=DIALECT,
                kind="rule",
                path=name,
                span=Span(reached, end),
                line=line,
                end_line=lines.at(max(end - 1, first)) + 1,
                title=" ".join(title.split()) or name,
                body=content,
            )
            reached = end
