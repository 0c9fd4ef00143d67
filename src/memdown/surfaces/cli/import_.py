"""The command import: the memory of another project, brought into this one."""

import sys
from collections.abc import Iterator

import click
from msgspec import structs

from memdown.acts.transfer import Imported
from memdown.acts.transfer import bundle as transfer
from memdown.errors import Invalid
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing
from memdown.text import decode


@click.command(
    "import",
    epilog=examples(
        "memdown import bundle.json --dry-run",
        "memdown import bundle.json --merge",
        "memdown import squad-export.json --skills-only",
        "memdown export --root ../other | memdown import - --merge",
    ),
)
@click.argument("file")
@click.option("--merge", is_flag=True, help="Add to existing files; replace nothing.")
@click.option("--skills-only", is_flag=True, help="Import only the skills.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@click.option("--force", is_flag=True, help="Replace existing files, after a backup of each.")
@writing
def import_command(session: Invocation, file: str, merge: bool, skills_only: bool, dry_run: bool, force: bool) -> None:
    """Import a bundle of `memdown export`, or a Squad export "1.0"; - reads standard input.

    Existing files with different text are refused, unless --merge adds the entries they lack, or --force replaces them
    after a backup. With --merge, entries that already exist are skipped, and one with the same time, kind and title
    but different text is kept beside the first and reported. Everything is imported, or nothing.
    """
    if merge and force:
        raise Invalid("Give --merge or --force, not both: one adds, the other replaces.")
    bundle = transfer.unpack(decode(sys.stdin.buffer.read()), file) if file == "-" else session.memory.load_bundle(file)
    done = session.memory.import_bundle(bundle, merge=merge, skills_only=skills_only, force=force, write=not dry_run)
    session.answer({**structs.asdict(done), "dry_run": dry_run}, lambda: _lines(done, dry_run=dry_run))
    if done.unknown:
        session.note(f"The bundle has keys memdown does not know: {', '.join(done.unknown[:10])}.")


def _lines(done: Imported, *, dry_run: bool) -> Iterator[str]:
    yield from (f"{'Would write' if dry_run else 'Wrote'} {path}" for path in done.written)
    for each in done.conflicts:
        yield f"{style('warning', 'conflict')} {each.kept}: {each.message}"
    yield from done.notes
    skills = f", {count(len(done.skills), 'skill')}" if done.skills else ""
    add = "would be added" if dry_run else "added"
    yield f"{count(done.added, 'entry')} {add}, {done.skipped:,} already here{skills}."
