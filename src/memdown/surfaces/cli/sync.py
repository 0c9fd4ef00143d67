"""The command sync: push and pull at once."""

import click

from memdown.hub import exchange
from memdown.hub.connection import dsn_of
from memdown.surfaces.cli.common import Invocation, examples, writing
from memdown.surfaces.cli.push import addressed, tell


@click.command("sync", epilog=examples("memdown sync postgresql://hub.example/memory", "memdown sync"))
@addressed
@writing
def sync_command(session: Invocation, dsn: str | None, name: str | None) -> None:
    """Exchange what changed with the hub at DSN, in both directions. [env: MEMDOWN_HUB]

    What changed on both sides is merged; what cannot be merged is kept from both sides and reported by check.
    """
    with session.memory.files.adopting():
        tell(session, exchange.sync(session.memory, dsn_of(dsn), name=name), sends=True)
