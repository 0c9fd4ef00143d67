"""Silencing a rule where it is wrong: a comment at the place, and the proof that nothing else is read otherwise."""

from collections.abc import Iterator

from memdown.errors import NotFound, Refused, quote
from memdown.markdown import frontmatter
from memdown.project import Project
from memdown.record import Document
from memdown.text import Edit, Span, after_line, apply, eol_of


def suppress(project: Project, path: str, line: int, code: str) -> str:
    """Put a comment into a file that silences a rule at a line; what it was changed to.

    It stands at the end of the line, else on one of its own above it, whichever leaves every record as it was read.
    """
    with project.files.lock():
        before = project.parse(path, project.files.read(path))
        if not 0 < line <= len(before.lines):
            raise NotFound(f"{quote(path)} has no line {line}; it changed, so look at it again.")
        for edit in _ways(before, line - 1, code):
            after = project.parse(path, apply(before.text, [edit]))
            if _as_before(before, after):
                project.files.save(path, after.text, over=before.text)
                return after.text
    raise Refused(f"No comment can be placed near line {line} of {quote(path)} without changing what is read there.")


def _ways(doc: Document, line: int, code: str) -> Iterator[Edit]:
    """Where a comment could stand, the best place first."""
    span, eol = doc.lines.span(line), eol_of(doc.text)
    end = span.start + len(span.of(doc.text).rstrip("\r\n"))
    front = doc.of(frontmatter.read)
    if front and span.start < front.body:
        yield Edit(Span(end, end), f"  # memdown: ignore[{code}]")
        yield Edit(Span(span.start, span.start), f"# memdown: ignore[{code}]{eol}")
        if span.start == front.span.start:  # below the line that opens it a comment is for the whole file
            below = after_line(doc.text, span.start)
            yield Edit(Span(below, below), f"# memdown: ignore[{code}]{eol}")
        return
    yield Edit(Span(end, end), f" <!-- memdown: ignore[{code}] -->")
    yield Edit(Span(span.start, span.start), f"<!-- memdown: ignore[{code}] -->{eol}")


def _as_before(before: Document, after: Document) -> bool:
    """Whether the same records are read, with the same values."""
    return [_read(each) for each in before.records] == [_read(each) for each in after.records]


def _read(record: object) -> tuple[object, ...]:
    names = ("kind", "title", "summary", "author", "scope", "status", "tags", "links")
    return tuple(getattr(record, name) for name in names)
