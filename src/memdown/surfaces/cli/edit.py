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
        "memdown edit 'Use SQLite' --why 'One file, no server'",
        "memdown edit memory-bank/progress.md:12 --title 'Import of receipts'",
        "memdown edit 3f2b --add-keyword ci --remove-keyword build",
        "memdown edit 9c41d0 --details - < details.md",
    ),
)
@click.argument("id", shell_complete=complete_id)
@click.option("--title", "--subject", help="New title.")
@click.option("--summary", help="New summary, if it has one.")
@click.option("--details", "--content", "text", help="New text; - reads standard input, @FILE reads a file.")
@click.option("--why", "--rationale", "why", help="New rationale, if it may have one; takes - and @FILE, too.")
@click.option("--status", help="New status, if it has one.")
@click.option("--author", help="New author, if it has one.")
@click.option("-k", "--keyword", "--tag", "keywords", multiple=True, help="Replace all keywords.")
@click.option("--add-keyword", "--add-tag", "added", multiple=True, help="Add a keyword.")
@click.option("--remove-keyword", "--remove-tag", "removed", multiple=True, help="Remove a keyword.")
@click.option("--applies-to", "--scope", "scope", help="New scope.")
@click.option("--force", is_flag=True, help="Edit even what the format protects, such as an entry of a log.")
@writing
def edit_command(
    session: Invocation,
    id: str,
    title: str | None,
    summary: str | None,
    text: str | None,
    why: str | None,
    status: str | None,
    author: str | None,
    keywords: Sequence[str],
    added: Sequence[str],
    removed: Sequence[str],
    scope: str | None,
    force: bool,
) -> None:
    """Edit a memory, given by id, title, a unique prefix of either, or path:line.

    Only the bytes of that value change. Which fields a memory has depends on its format. A change that the format does
    not allow is refused, with the command to use instead.
    """
    if all(each is None for each in (title, summary, text, why, status, author, scope)) and not (
        keywords or added or removed
    ):
        raise click.UsageError("Nothing to change; run `memdown edit --help` to see the options.")
    old = session.memory.get(id)
    why = session.text(why)
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
        extra=None if why is None else {"rationale": why},
        force=force,
    )
    where = record.path if record.line == 1 else f"{record.path}:{record.line}"
    new_id = f"; its id is now {record.id} (was {old.id})" if record.id != old.id else ""
    session.answer({**render.record(record), "old_id": old.id}, lambda: [f"Changed {where}{new_id}"])
