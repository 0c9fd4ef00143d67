"""The command show: one memory with everything it says and its links."""

from collections.abc import Iterator, Sequence

import click

from memdown.errors import NotFound
from memdown.index.words import labelled
from memdown.markdown.line_ends import split_lines
from memdown.record import Link, Mark, Record
from memdown.surfaces.cli.common import Invocation, complete_id, examples, standard, style
from memdown.surfaces.cli.filters import as_of
from memdown.surfaces.show import render
from memdown.surfaces.show.records import marks_of, place, short
from memdown.surfaces.show.style import Prose
from memdown.text import without_bold

_INNER = frozenset(("content_hash", "depth", "form", "full_title", "header", "layer", "level", "source", "unfilled"))
"""What readers keep for themselves."""
_FIELDS = {"date": "at", "timestamp": "at", "time": "at", "by": "author"}
"""What a line calls fields that are shown by another name."""
_TOLD = frozenset(("author", "scope", "status", "summary", "tags"))


@click.command(
    "show",
    epilog=examples(
        "memdown show 3f2b8c1e",
        "memdown show 'Use SQLite'",
        "memdown show .squad/decisions.md:17",
        "memdown show 3f2b --json",
    ),
)
@click.argument("id", shell_complete=complete_id)
@as_of
@standard
def show_command(session: Invocation, id: str, as_of: str | None) -> None:
    """Show a memory, given by id, title, a unique prefix of either, or path:line."""
    with session.memory.as_of(as_of) as questions:
        try:
            mark, pointing = (
                session.memory.about(session.memory.get(id)) if as_of is None else questions.about(questions.get(id))
            )
        except NotFound:
            other = session.memory.elsewhere(id) if as_of is None else None
            if other is None:
                raise
            mark, pointing = other, []
    value = {
        **render.mark(mark),
        "standing": mark.standing or None,
        "linked_from": [{"type": each.type, "id": each.target} for each in pointing],
    }
    session.answer(value, lambda: page(mark, pointing, str(session.memory.root)))


def page(mark: Mark, pointing: Sequence[Link], root: str) -> Iterator[str]:
    """Every field that has a value, then the text."""
    record = mark.record
    yield style("strong", without_bold(record.title or "(no title)")) + marks_of(mark)
    rows = [(name, value) for name, value in _fields(record, pointing, root) if value]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        first, *rest = split_lines(value)
        yield f"  {style('dim', f'{name:{width}}')}  {first}"
        yield from (f"  {'':{width}}  {line}" for line in rest)
    if body := _beside(rows, record.body or ""):
        yield ""
        yield Prose(body)


def _beside(rows: Sequence[tuple[str, str]], body: str) -> str:
    """A text without the lines of fields that stand above it already, such as `- **Status**: Accepted`."""
    shown = {*rows}
    text, fence, code = body.partition("```")
    kept = "".join(line for line in split_lines(text, keepends=True) if _field(line) not in shown) + fence + code
    return body if kept == body else kept.strip("\r\n")


def _field(line: str) -> tuple[str, str]:
    """The field that a line names, and its value."""
    label, value = labelled(line)
    return _FIELDS.get(label, label), value.strip().strip("*`").strip()


def _fields(record: Record, pointing: Sequence[Link], root: str) -> Iterator[tuple[str, str | None]]:
    yield "id", record.id
    yield "kind", record.kind
    yield "file", place(record, root)
    yield "at", record.at.text if record.at else None
    yield "author", record.author
    yield "with", ", ".join(record.contributors)
    yield "scope", record.scope
    yield "status", record.status
    yield "tags", ", ".join(record.tags)
    yield "summary", record.summary if record.summary != record.title else None
    for name, value in record.extra.items():
        text = value if isinstance(value, str) else ", ".join(value)
        below = " ".join(text.split()) in " ".join((record.body or "").split())  # which is not told twice
        if name not in _INNER and name not in _TOLD and not below and (record.at is None or text != record.at.text):
            yield name.replace("_", " "), text
    for each in record.links:
        if record.scope != f"{each.type}:{each.target}":
            yield each.type, _target(each)
    for each in pointing:
        yield f"{each.type} by", short(each.target)


def _target(link: Link) -> str:
    return f"{link.target} ({short(link.resolved)})" if link.resolved and link.resolved != link.target else link.target
