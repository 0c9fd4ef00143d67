"""The command blame: who wrote which field of a memory."""

import click

from memdown.surfaces.cli.common import Invocation, complete_id, examples, standard
from memdown.surfaces.show import history


@click.command(
    "blame",
    epilog=examples("memdown blame 3f2b8c1e", "memdown blame 'Use SQLite'", "memdown blame .squad/decisions.md --json"),
)
@click.argument("name", metavar="ID|PATH", shell_complete=complete_id)
@standard
def blame_command(session: Invocation, name: str) -> None:
    """Show which commit last changed each field of a memory, or of every memory in a file.

    Fields are followed through renames, moves and archives, as in `memdown log`.
    """
    found = session.memory.blame(name)
    session.answer(found, lambda: history.blame(found))
