"""The command inbox: entries that assistants leave in the drop box, listed and merged into the log."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.inbox import Dropped, InboxMerge
from memdown.surfaces.cli.common import CommandGroup, Invocation, count, examples, standard, writing


@click.group("inbox", cls=CommandGroup, epilog=examples("memdown inbox list", "memdown inbox merge --dry-run"))
def inbox_command() -> None:
    """List and merge the drop box, where assistants leave entries for the log of decisions.

    For cards captured by hooks, see `memdown review`.
    """


@inbox_command.command("list", epilog=examples("memdown inbox list", "memdown inbox list --json"))
@standard
def list_inbox(session: Invocation) -> None:
    """List pending files of the drop box, and why some cannot be merged."""
    found = session.memory.logs.dropped()
    session.answer(found, lambda: _pending_lines(found))
    if not found and (captured := session.memory.review.pending(noted=False)):
        session.note(f"{count(len(captured), 'captured card')} to review; see `memdown review`.")


def _pending_lines(found: Sequence[Dropped]) -> Iterator[str]:
    for each in found:
        reason = f" ({each.reason})" if each.reason else ""
        yield f"{each.path}{reason}: {'; '.join(each.titles)}"
    if not found:
        yield "The drop box is empty."


@inbox_command.command("merge", epilog=examples("memdown inbox merge --dry-run", "memdown inbox merge"))
@click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
@writing
def merge(session: Invocation, dry_run: bool) -> None:
    """Move the entries of the drop box to the log, each once, and the files to inbox-archive.

    All or nothing: an entry that is already in the log is not added again. Entries with the same title and date but
    different text are both kept and reported. A file without a date stays where it is.
    """
    merged = session.memory.logs.merge_inbox(write=not dry_run)
    session.answer(merged, lambda: _merge_lines(merged, written=not dry_run))


def _merge_lines(merged: InboxMerge, *, written: bool) -> Iterator[str]:
    for overlap in merged.overlapping:
        yield f"{overlap.path}: another entry has this title and day, with another text; both are kept: {overlap.title}"
    for left in merged.left:
        yield f"{left.path}: left ({left.reason})"
    for outside in merged.outside:
        what = f"{outside.lines} line{'' if outside.lines == 1 else 's'} outside its entries"
        yield f"{outside.path}: {what} not in the log: {outside.first}"
    verb = "" if written else "would be "
    yield f"{merged.merged} {verb}merged, {merged.duplicates} already there, {len(merged.left)} left."
