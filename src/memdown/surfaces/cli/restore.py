"""The command restore: memory as a backup has it, or as a commit does."""

import sys
from collections.abc import Iterator

import click

from memdown.acts.restore import Restored
from memdown.errors import Invalid
from memdown.surfaces.cli.common import Invocation, count, examples, writing


@click.command(
    "restore",
    epilog=examples(
        "memdown restore ../shop-memory.zip --dry-run",
        "memdown restore ../shop-memory.zip",
        "memdown restore ../shop-memory.zip --exact",
        "memdown restore 3f2b8c1e --from HEAD~3",
        "memdown restore memory-bank/progress.md --from 2026-02-01",
        "memdown undo",
    ),
)
@click.argument("file", metavar="FILE|ID|PATH")
@click.option("--from", "commit", metavar="REV|DATE", help="Restore a memory, a file or a folder from git.")
@click.option("--dry-run", is_flag=True, help="Check the backup and show what would change, without writing.")
@click.option("--exact", is_flag=True, help="Delete memory files that are not in the backup.")
@click.option("--with-undo", is_flag=True, help="Restore the undo log too, if there is none yet.")
@writing
def restore_command(
    session: Invocation, file: str, commit: str | None, dry_run: bool, exact: bool, with_undo: bool
) -> None:
    """Restore memory from FILE, which `memdown backup` wrote; - reads standard input.

    With --from, restore a memory, named as for `memdown show`, a file or a folder, as a commit has it, or the last one
    up to a date. Nothing else changes, and nothing is deleted.

    All checksums are verified before anything is touched. Every file of the backup is restored, as one step that
    `memdown undo` takes back. Files that are not in the backup stay, and are listed.
    """
    if commit is not None:
        if exact or with_undo:
            raise Invalid("--exact and --with-undo are for backups; leave them out with --from.")
        done = session.memory.restore(file, commit=commit, write=not dry_run)
        session.answer(done, lambda: _lines(done, "commit"))
        return
    source = sys.stdin.buffer.read() if file == "-" else file
    done = session.memory.restore(source, exact=exact, with_undo=with_undo, write=not dry_run)
    session.answer(done, lambda: _lines(done, "backup"))


def _lines(done: Restored, source: str) -> Iterator[str]:
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
    yield f"{count(changed, 'file')} {would}, {done.unchanged:,} as in the {source}{steps}."
