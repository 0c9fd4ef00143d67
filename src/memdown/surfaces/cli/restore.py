"""The command restore: memory as a backup has it."""

import sys
from collections.abc import Iterator

import click

from memdown.acts.restore import Restored
from memdown.surfaces.cli.common import Invocation, count, examples, writing


@click.command(
    "restore",
    epilog=examples(
        "memdown restore ../shop-memory.zip --dry-run",
        "memdown restore ../shop-memory.zip",
        "memdown restore ../shop-memory.zip --exact",
        "memdown undo",
    ),
)
@click.argument("file")
@click.option("--dry-run", is_flag=True, help="Check the backup and show what would change, without writing.")
@click.option("--exact", is_flag=True, help="Delete files of memory that the backup does not have.")
@click.option("--with-undo", is_flag=True, help="Restore the undo log too, where there is none yet.")
@writing
def restore_command(session: Invocation, file: str, dry_run: bool, exact: bool, with_undo: bool) -> None:
    """Restore memory from FILE, which `memdown backup` wrote; - reads standard input.

    All checksums are verified before anything is touched. Every file of the backup becomes what it was, as one step
    that `memdown undo` takes back. Files that the backup does not have stay, and are listed.
    """
    source = sys.stdin.buffer.read() if file == "-" else file
    done = session.memory.restore(source, exact=exact, with_undo=with_undo, write=not dry_run)
    session.answer(done, lambda: _lines(done))


def _lines(done: Restored) -> Iterator[str]:
    for verb, past, names in (
        ("create", "Created", done.created),
        ("restore", "Restored", done.changed),
        ("delete", "Deleted", done.deleted),
    ):
        yield from (f"{f'Would {verb}' if done.dry_run else past} {name}" for name in names)
    yield from (f"Not in the backup, left as it is: {name}" for name in done.left)
    changed = len(done.created) + len(done.changed) + len(done.deleted)
    steps = f", {count(done.steps, 'step')} of undo" if done.steps else ""
    would = "would change" if done.dry_run else "changed"
    yield f"{count(changed, 'file')} {would}, {done.unchanged:,} as in the backup{steps}."
