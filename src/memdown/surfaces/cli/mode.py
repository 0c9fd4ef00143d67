"""The command mode: the mode a request calls for, and what it may write."""

import click

from memdown.dialects.bank.modes import MODES
from memdown.memory.bank.setup import Setup
from memdown.surfaces.cli.common import Invocation, examples, standard, style


@click.command("mode", epilog=examples("memdown mode 'fix the login'", "memdown mode --mode ask --json"))
@click.argument("text", nargs=-1)
@click.option(
    "--mode",
    "named",
    type=click.Choice([mode.name for mode in MODES]),
    help="Show this mode, whatever the text says.",
)
@standard
def mode_command(session: Invocation, text: tuple[str, ...], named: str | None) -> None:
    """Show which mode a request calls for, and which files of the memory bank it may write.

    Without a text, the default mode.
    """
    mode = Setup(session.memory).mode(" ".join(text) if text else None, named=named)
    value = {"mode": mode.name, "may_write": mode.may_write, "everything": mode.writes is None}
    written = "everything" if mode.writes is None else ", ".join(mode.may_write) or "nothing"
    session.answer(value, lambda: [f"{style('strong', mode.name)}: may write {written}"])
