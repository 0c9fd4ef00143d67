"""The command log: every version of a memory, from git."""

import click

from memdown.surfaces.cli.common import Invocation, complete_id, examples, standard
from memdown.surfaces.show import history


@click.command(
    "log",
    epilog=examples(
        "memdown log",
        "memdown log 3f2b8c1e",
        "memdown log 'Use SQLite' --diff",
        "memdown log memory-bank/activeContext.md -n 10",
        "memdown log redis --since 30d --json",
    ),
)
@click.argument("words", nargs=-1, metavar="[ID|PATH|QUERY]", shell_complete=complete_id)
@click.option("-n", "--limit", type=click.IntRange(1), help="Show at most this many changes, the newest.")
@click.option("--since", help="Only changes from this date or time on, such as 2026-02-01 or 7d.")
@click.option("-p", "--diff", "as_diff", is_flag=True, help="Show the text of each change as a diff.")
@standard
def log_command(
    session: Invocation, words: tuple[str, ...], limit: int | None, since: str | None, as_diff: bool
) -> None:
    """Show every version of a memory: what changed, when, in which commit, by whom.

    Name a memory as for `memdown show`, a file, or words it contains. A memory is followed through edits, renames,
    moves to other files and archives, even if it was deleted. Without a name, shows recent changes.
    """
    found = session.memory.log(" ".join(words), limit=limit, since=since)
    value = [history.logged(each, diff=as_diff) for each in found]
    session.answer(value, lambda: history.log(found, diff=as_diff) if found else ["No versions in git."])
