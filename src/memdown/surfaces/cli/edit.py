"""The command edit: another title, other keywords, another scope."""

from collections.abc import Sequence

import click

from memdown.surfaces.cli.common import Invocation, complete_id, examples, writing
from memdown.surfaces.show import render


@click.command(
    "edit",
    epilog=examples(
        "memdown edit 3f2b --title 'Build needs Node 22'",
        "memdown edit 3f2b --add-keyword ci --remove-keyword build",
        "memdown edit 3f2b --applies-to area:build",
    ),
)
@click.argument("id", shell_complete=complete_id)
@click.option("--title", "--subject", help="A new title.")
@click.option("-k", "--keyword", "keywords", multiple=True, help="These keywords instead of the old ones.")
@click.option("--add-keyword", "added", multiple=True, help="One more keyword.")
@click.option("--remove-keyword", "removed", multiple=True, help="One keyword less.")
@click.option("--applies-to", help="A new scope.")
@writing
def edit_command(
    session: Invocation,
    id: str,
    title: str | None,
    keywords: Sequence[str],
    added: Sequence[str],
    removed: Sequence[str],
    applies_to: str | None,
) -> None:
    """Change a memory's title, keywords or scope. Only the bytes of that value change.

    Its content is what it is: to change that, add a new memory and delete this one.
    """
    if title is None and applies_to is None and not (keywords or added or removed):
        raise click.UsageError("There is nothing to change; memdown edit --help lists what can be.")
    record = session.memory.edit(
        id, title=title, tags=keywords or None, add_tags=added, remove_tags=removed, scope=applies_to
    )
    session.answer(render.record(record), lambda: [f"Changed {record.path}"])
