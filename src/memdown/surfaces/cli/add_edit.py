"""`add edit`: an entry of the journal's edit history. The command add loads this when it is asked for."""

from collections.abc import Sequence

import click

from memdown.memory.journal.edits import file_of
from memdown.surfaces.cli.add import answer_added
from memdown.surfaces.cli.common import Invocation, comma_separated, examples, writing
from memdown.surfaces.show import render


@click.command(
    "edit",
    epilog=examples(
        "memdown add edit 'File viewer' --task T21 --created 'src/viewer.js: Lists files' --modified README.md",
        "memdown add edit 'Parser rewritten' -f 'Modified:src/parser.js:reads tables' --from-git",
    ),
)
@click.argument("description")
@click.option("--task", "tasks", default="", metavar="T21,T22", help="The tasks it was for.")
@click.option("--created", multiple=True, metavar="PATH[: TEXT]", help="A new file, and what it is; repeatable.")
@click.option("--modified", multiple=True, metavar="PATH[: TEXT]", help="A file that changed; repeatable.")
@click.option("--updated", multiple=True, metavar="PATH[: TEXT]", help="A file brought up to date; repeatable.")
@click.option("--deleted", multiple=True, metavar="PATH[: TEXT]", help="A file that is gone; repeatable.")
@click.option("-f", "--file", "files", multiple=True, metavar="ACTION:PATH:TEXT", help="The same as one argument.")
@click.option("--at", help="When it was done, such as 2026-01-31T09:30:00. [default: now]")
@click.option("--from-git", is_flag=True, help="Add the files that changed since the last commit.")
@writing
def add_edit(
    session: Invocation,
    /,
    description: str,
    tasks: str,
    files: Sequence[str],
    at: str | None,
    from_git: bool,
    **changed: Sequence[str],
) -> None:
    """Record a change in the edit history, newest first, under its day.

    A file without a text of its own gets the description of the entry. The history is created if it does not exist.
    """
    named = [(action, *_split(each)) for action, given in changed.items() for each in given]
    named += [file_of(each) for each in files]
    done = session.memory.add(
        "edit", description, tasks=comma_separated([tasks]), files=named, from_git=from_git, at=at
    )
    answer_added(session, done, render.written)


def _split(given: str) -> tuple[str, str]:
    path, _, text = given.partition(": ")
    return path, text.strip()
