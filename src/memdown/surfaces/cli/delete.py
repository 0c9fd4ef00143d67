"""The command delete: a memory that is a file of its own."""

import click

from memdown.surfaces.cli.common import Invocation, complete_id, examples, writing


@click.command("delete", epilog=examples("memdown delete 3f2b8c1e", "memdown delete 3f2b --dry-run"))
@click.argument("id", shell_complete=complete_id)
@click.option("--dry-run", is_flag=True, help="Only show which file it is.")
@writing
def delete_command(session: Invocation, id: str, dry_run: bool) -> None:
    """Delete the memory with this id, or the only one whose id begins so."""
    record = session.memory.get(id) if dry_run else session.memory.delete(id)
    deleted = {"id": record.id, "path": record.path, "deleted": not dry_run}
    session.answer(deleted, lambda: [f"{'Would delete' if dry_run else 'Deleted'} {record.path}"])
