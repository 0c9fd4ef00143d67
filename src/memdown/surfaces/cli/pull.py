"""The command pull: bring in what changed on a hub."""

import click

from memdown.hub import exchange
from memdown.hub.connection import dsn_of
from memdown.surfaces.cli.common import Invocation, examples, writing
from memdown.surfaces.cli.push import addressed, tell


@click.command("pull", epilog=examples("memdown pull postgresql://hub.example/memory", "memdown pull"))
@addressed
@click.option("--restore", is_flag=True, help="Also bring back files that are missing here.")
@writing
def pull_command(session: Invocation, dsn: str | None, name: str | None, restore: bool) -> None:
    """Pull changes to this project's memory from the hub at DSN, as one step that undo can revert.

    Local changes are merged; what cannot be merged is kept from both sides and reported by check. [env: MEMDOWN_HUB]
    """
    with session.memory.files.adopting():
        tell(session, exchange.pull(session.memory, dsn_of(dsn), name=name, restore=restore), sends=False)
