"""The command resolve: memory files that a merge left in conflict."""

from collections.abc import Iterator

import click

from memdown.acts.merge.resolve import Resolved
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing
from memdown.surfaces.show import reports


@click.command(
    "resolve",
    epilog=examples("memdown resolve --dry-run --diff", "memdown resolve", "memdown resolve memory-bank/progress.md"),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--dry-run", is_flag=True, help="Show what would be merged, without writing.")
@click.option("--keep-both", is_flag=True, help="Stage files where something was kept from both sides, too.")
@click.option("--diff", "as_diff", is_flag=True, help="Show the changes as a diff.")
@writing
def resolve_command(session: Invocation, paths: tuple[str, ...], dry_run: bool, keep_both: bool, as_diff: bool) -> int:
    """Merge the memory files that git left in conflict, entry by entry.

    For merges that ran without the driver: on another machine, or by a button on a web page. Both sides and their base
    come from git's index; markers that were committed are merged from the parents of that merge, or from the file
    itself. A file where all was decided is staged; with --keep-both, for runs that nobody watches, the others are, too.
    What was kept from both sides is listed, and `memdown check` reports it until you choose.

    Exits with 1 when something is left to choose.
    """
    done = session.memory.resolve(paths, write=not dry_run, keep_both=keep_both)
    value = {"resolved": done.resolved, "open": done.open, "skipped": done.skipped, "dry_run": done.dry_run}
    session.answer(value, lambda: _lines(done, as_diff=as_diff), names_removed=True)
    return int(bool(done.open or done.skipped))


def _lines(done: Resolved, *, as_diff: bool) -> Iterator[str]:
    for each in done.files:
        if as_diff:
            yield from reports.text_diff(f"a/{each.path}", each.before, f"b/{each.path}", each.after, style)
        yield f"{'Would merge' if done.dry_run else 'Merged'} {each.path}"
        yield from (style("dim", f"  {' '.join(note.split())}") for note in each.notes)
    for question in done.open:
        yield f"{question.path}:{question.line}: kept from both sides; choose, and delete the comment"
    for path in done.skipped:
        yield f"{path}: one side deleted it, the other changed it; `git add` keeps it, `git rm` deletes it"
    if not done.files and not done.skipped:
        yield "No memory file is in conflict."
    else:
        yield f"{count(len(done.files), 'file')} {'would be merged' if done.dry_run else 'merged'}."
