"""The command edit: another title, text or status, other keywords, another scope."""

from collections.abc import Sequence

import click

from memdown.surfaces.cli.common import Invocation, complete_id, examples, writing
from memdown.surfaces.show import render


@click.command(
    "edit",
    epilog=examples(
        "memdown edit 3f2b --title 'Build needs Node 22'",
        "memdown edit 'Use SQLite' --status deprecated",
        "memdown edit memory-bank/progress.md:12 --title 'Import of receipts'",
        "memdown edit 3f2b --add-keyword ci --remove-keyword build",
        "memdown edit 9c41d0 --details - < details.md",
    ),
)
@click.argument("id", shell_complete=complete_id)
@click.option("--title", "--subject", help="A new title.")
@click.option("--summary", help="A new summary, where a memory has one beside its title.")
@click.option("--details", "--content", "text", help="A new text; - reads it from standard input, @FILE from a file.")
@click.option("--status", help="A new status, where a memory has one.")
@click.option("--author", help="Another author, where a memory names one.")
@click.option("-k", "--keyword", "--tag", "keywords", multiple=True, help="These keywords instead of the old ones.")
@click.option("--add-keyword", "--add-tag", "added", multiple=True, help="One more keyword.")
@click.option("--remove-keyword", "--remove-tag", "removed", multiple=True, help="One keyword less.")
@click.option("--applies-to", "--scope", "scope", help="A new scope.")
@click.option("--force", is_flag=True, help="Change what its format keeps, as an entry of a log that is only added to.")
@writing
def edit_command(
    session: Invocation,
    id: str,
    title: str | None,
    summary: str | None,
    text: str | None,
    status: str | None,
    author: str | None,
    keywords: Sequence[str],
    added: Sequence[str],
    removed: Sequence[str],
    scope: str | None,
    force: bool,
) -> None:
    """Change a memory, named by its id, its title, the beginning of one, or as path:line.

    Only the bytes of that value change. Which fields a memory has depends on its format; what a format keeps as it was
    written is refused, with the command that replaces it.
    """
    if all(each is None for each in (title, summary, text, status, author, scope)) and not (
        keywords or added or removed
    ):
        raise click.UsageError("There is nothing to change; memdown edit --help lists what can be.")
    old = session.memory.get(id)
    record = session.memory.edit(
        id,
        title=title,
        summary=summary,
        text=session.text(text),
        status=status,
        author=author,
        tags=keywords or None,
        add_tags=added,
        remove_tags=removed,
        scope=scope,
        force=force,
    )
    where = record.path if record.line == 1 else f"{record.path}:{record.line}"
    new_id = f"; its id is now {record.id} (was {old.id})" if record.id != old.id else ""
    session.answer({**render.record(record), "old_id": old.id}, lambda: [f"Changed {where}{new_id}"])
