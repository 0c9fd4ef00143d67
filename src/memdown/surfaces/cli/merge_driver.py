"""The command merge-driver: what git calls to merge a memory file."""

import click

from memdown.surfaces import merge_driver
from memdown.surfaces.cli.common import examples


@click.command(
    "merge-driver", epilog=examples("memdown install git", "memdown merge-driver base.md ours.md theirs.md 7 notes.md")
)
@click.argument("base", metavar="BASE")
@click.argument("ours", metavar="OURS")
@click.argument("theirs", metavar="THEIRS")
@click.argument("size", metavar="SIZE")
@click.argument("path", metavar="PATH")
def merge_driver_command(base: str, ours: str, theirs: str, size: str, path: str) -> int:  # noqa: ARG001 - git gives it
    """Merge the changes from BASE to THEIRS into OURS, entry by entry, for git.

    Git calls this after `memdown install git`. SIZE is the length of conflict markers, which are never written; PATH
    is the name of the file. The exit code is 0 if everything was resolved, 1 if something was kept from both sides,
    and 4 if a file could not be read.
    """
    return merge_driver.run(base, ours, theirs, path)
