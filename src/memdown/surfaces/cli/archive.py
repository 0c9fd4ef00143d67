"""The command archive: old entries of large logs and completed items of a bank, moved to the archives."""

from collections import Counter
from collections.abc import Iterator

import click

from memdown.acts.archive import Archived
from memdown.dialects.due import NEWEST
from memdown.surfaces.cli.common import Invocation, days, examples, writing


@click.command("archive", epilog=examples("memdown archive --dry-run", "memdown archive --older-than 90"))
@click.option("--dry-run", is_flag=True, help="Show what would be archived, without writing.")
@click.option("--older-than", type=days(), metavar="DAYS", help="Archive entries older than this: 30, 30d or 4w.")
@click.option("--size", type=click.IntRange(0), metavar="BYTES", help="Only in files of at least this size.")
@click.option("--keep", type=click.IntRange(0), metavar="N", help="Keep the newest N entries of each file.")
@writing
def archive_command(
    session: Invocation, dry_run: bool, older_than: int | None, size: int | None, keep: int | None
) -> None:
    """Archive old entries of large logs and histories, and completed items of finished milestones.

    A file and its archive change together, or not at all. By default, logs of 20 KiB keep 30 days, logs of 50 KiB keep
    7, and histories of 15 KiB keep 14; the newest 20 entries of each file stay, however old they are. Settings can
    change these limits. Permanent entries, directives, policies and entries that replace others stay.

    In a memory bank, completed items go to archive/progress-YYYY-MM.md when their milestone is Complete, and so does a
    whole milestone whose boxes are all ticked while others are open. In a journal, an edit history or error log of more
    than 500 lines or 50 KiB keeps its newest 20 or 5 entries, and the others go to the archives of their months.
    `memdown undo` restores everything.
    """
    archived = session.memory.archive(older_than=older_than, size=size, keep=keep, write=not dry_run)
    value = archived if not dry_run else {**_fields(archived), "written": []}
    session.answer(value, lambda: _lines(archived, written=not dry_run, by_age=older_than is not None))


def _fields(archived: Archived) -> dict[str, object]:
    return {name: getattr(archived, name) for name in archived.__struct_fields__}


def _lines(archived: Archived, *, written: bool, by_age: bool) -> Iterator[str]:
    done = "moved" if written else "would move"
    for each in archived.moved:
        yield f"{each.source}: {done} to {each.target.rpartition('/')[2]}: {each.title}"
    newest: Counter[tuple[str, str]] = Counter()
    for kept in archived.kept:
        if kept.reason.startswith(NEWEST):
            newest[kept.path, kept.reason] += 1
        else:
            yield f"{kept.path}: kept ({kept.reason}): {kept.title}"
    for (path, reason), count in newest.items():
        yield f"{path}: kept {count} old {'entry' if count == 1 else 'entries'} ({reason}; --keep N changes that)"
    for undated in archived.undated:
        yield f"{undated.path}:{undated.line}: kept (no date): {undated.title}"
    if not archived.entries_before:
        limit = "no file is over its limit. Use --older-than DAYS to archive logs by age."
        yield f"Nothing to archive: {'no file has entries to move.' if by_age else limit}"
        return
    yield f"{len(archived.moved)} {done}; {archived.entries_left} of {archived.entries_before} entries stay."
