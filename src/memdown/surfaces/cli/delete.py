"""The command delete: one memory goes out of its file."""

from collections.abc import Iterator

import click

from memdown.acts.delete import Deletion
from memdown.surfaces.cli.common import Invocation, complete_id, count, examples, style, writing
from memdown.surfaces.show import render


@click.command(
    "delete",
    epilog=examples(
        "memdown delete 3f2b8c1e",
        "memdown delete 'Use SQLite' --dry-run",
        "memdown delete .squad/decisions.md:42",
    ),
)
@click.argument("id", shell_complete=complete_id)
@click.option("--dry-run", is_flag=True, help="Show what would be deleted, without writing.")
@click.option(
    "--force", is_flag=True, help="Delete even what the format protects, such as an entry of an append-only log."
)
@writing
def delete_command(session: Invocation, id: str, dry_run: bool, force: bool) -> None:
    """Delete a memory, given by id, title, a unique prefix of either, or path:line.

    Only its own lines are removed; a file is deleted with the last memory in it. `memdown undo` brings it back.
    """
    done = session.memory.delete(id, force=force, write=not dry_run)
    deleted = {
        **render.place(done.record),
        "kind": done.record.kind,
        "title": done.record.title,
        "deleted": not dry_run,
        "file_deleted": done.file and not dry_run,
        "along": [render.place(each) for each in done.along],
        "written": done.written,
        "notes": done.notes,
    }
    session.answer(deleted, lambda: _lines(done, "Would delete" if dry_run else "Deleted"), names_removed=True)
    for note in done.notes:
        session.note(note)


def _lines(done: Deletion, verb: str) -> Iterator[str]:
    record = done.record
    lines = count(record.end_line - record.line + 1, "line")
    where = record.path if done.file else f"{record.path}:{record.line}, {lines}"
    yield f"{verb} the {record.kind} {style('strong', record.title or record.id)} ({where})"
    if done.along:
        yield f"  with {count(len(done.along), 'record')} in it"
    yield from (f"  {style('place', name)} changes with it" for name in done.written[1:])
