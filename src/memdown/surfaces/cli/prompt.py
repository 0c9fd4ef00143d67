"""The command prompt: the instructions for an assistant about the memory bank."""

import click

from memdown.dialects.bank.modes import MODES
from memdown.memory.bank.setup import Setup
from memdown.surfaces.cli.common import Invocation, examples, standard


@click.command("prompt", epilog=examples("memdown prompt", "memdown prompt --mode debug > instructions.md"))
@click.option("--mode", type=click.Choice([mode.name for mode in MODES]), help="Only for this mode.")
@standard
def prompt_command(session: Invocation, mode: str | None) -> None:
    """Print the instructions for assistants about this memory."""
    text = Setup(session.memory).prompt(mode)
    session.answer({"mode": mode, "text": text}, lambda: [text.rstrip("\n")])
