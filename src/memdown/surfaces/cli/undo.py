"""The command undo: the last prune, archive or end of a session taken back."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard


@click.command("undo", epilog=examples("memdown undo --dry-run", "memdown undo"))
@click.option("--dry-run", is_flag=True, help="Show what would be undone, without undoing it.")
@standard
def undo_command(session: Invocation, dry_run: bool) -> None:
    """Undo the last prune, archive or end of a session: every file becomes what it was, byte for byte.

    Files that changed since are not touched, and then nothing is undone. Up to ten steps can be undone, the last
    one first.
    """
    step = session.memory.undo(write=not dry_run)
    names = [change.name for change in step.changes]
    value = {"undone": not dry_run, "act": step.title, "at": step.at, "files": names}
    done = "Would restore" if dry_run else "Restored"
    session.answer(value, lambda: [f"{done} {name}, as before {step.title} of {step.at}" for name in names])
