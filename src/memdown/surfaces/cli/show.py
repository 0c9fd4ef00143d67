"""The command show: one memory with its text and its links."""

from collections.abc import Iterator, Sequence

import click

from memdown.record import Link, Mark
from memdown.surfaces.cli.common import Invocation, complete_id, examples, standard, style
from memdown.surfaces.cli.filters import as_of
from memdown.surfaces.show import render
from memdown.surfaces.show.records import marks_of, short


@click.command("show", epilog=examples("memdown show 3f2b8c1e", "memdown show 3f2b --json"))
@click.argument("id", shell_complete=complete_id)
@as_of
@standard
def show_command(session: Invocation, id: str, as_of: str | None) -> None:
    """Show the memory with this id, or the only one whose id begins so."""
    with session.memory.as_of(as_of) as questions:
        mark, pointing = questions.about(session.memory.get(id) if as_of is None else questions.get(id))
    value = {**render.mark(mark), "linked_from": [{"type": each.type, "id": each.target} for each in pointing]}
    session.answer(value, lambda: _record(mark, pointing))


def _record(mark: Mark, pointing: Sequence[Link]) -> Iterator[str]:
    record = mark.record
    yield style("strong", record.title or "(no title)") + marks_of(mark)
    for name, value in (
        ("id", record.id),
        ("kind", record.kind),
        ("file", f"{record.path}:{record.line}"),
        ("at", record.at.text if record.at else None),
        ("scope", record.scope),
        ("tags", ", ".join(record.tags)),
        *((each.type, _target(each)) for each in record.links if record.scope != f"{each.type}:{each.target}"),
        *((f"{each.type} by", short(each.target)) for each in pointing),
    ):
        if value:
            yield f"  {style('dim', f'{name:6}')} {value}"
    yield ""
    yield record.body or "(no content)"


def _target(link: Link) -> str:
    return f"{link.target} ({short(link.resolved)})" if link.resolved and link.resolved != link.target else link.target
