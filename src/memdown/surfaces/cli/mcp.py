"""The command that serves assistants. Without options that need this, `__main__` starts the server itself."""

import click

from memdown.surfaces.cli.common import Session, examples, standard
from memdown.surfaces.mcp import loop, tools


@click.command(
    "mcp",
    epilog=examples("memdown mcp", "memdown mcp --root ~/work/shop --mode ask", "memdown mcp --auto-approve read"),
)
@click.option("--mode", type=click.Choice(loop.MODES), help="Hold every write to this mode; ask only reads.")
@click.option(
    "--auto-approve",
    "which",
    type=click.Choice(["read", "write", "all"]),
    help="Serve nothing: print the tools a client may call unasked. read only looks, write also adds.",
)
@standard
def mcp_command(session: Session, mode: str | None, which: str | None) -> None:
    """Serve this project's memory to assistants over the Model Context Protocol.

    The protocol is spoken on standard input and output until the input ends.
    """
    if which is not None:
        names = tools.approved(which)
        session.answer({"autoApprove": names}, lambda: names)
        return
    loop.serve(str(session.memory.root), mode)
