"""The command redo: what undo took back, made again."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.cli.undo import answer


@click.command("redo", epilog=examples("memdown redo", "memdown redo 12"))
@click.argument("step", type=click.IntRange(min=1), required=False)
@click.option("--dry-run", is_flag=True, help="Show what would be changed, without writing.")
@click.option("--diff", "as_diff", is_flag=True, help="Show the difference.")
@standard
def redo_command(session: Invocation, step: int | None, dry_run: bool, as_diff: bool) -> None:
    """Redo the last change that `memdown undo` reverted, or STEP."""
    answer(session, session.memory.redo, step, dry_run=dry_run, as_diff=as_diff)
