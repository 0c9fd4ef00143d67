"""The command validate: whether a memory bank has what it must have."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import bank


@click.command("validate", epilog=examples("memdown validate", "memdown validate --json"))
@click.option("--all", "everything", is_flag=True, help="Also show info, and every occurrence on its own line.")
@standard
def validate_command(session: Invocation, everything: bool) -> int:
    """Check a memory bank: the same rules and the same verdict as `memdown check`, for its files alone.

    It is valid when no rule finds an error: projectBrief.md, activeContext.md and progress.md are there, not empty, and
    have a heading. A bank of another layout (Cline's six files, Roo's five, Kilo's five) has to have those of the three
    that its layout has. The exit code is 1 when it is not valid, or there is none.
    """
    found = session.memory.bank.validate()
    session.answer(
        bank.validation_json(found), lambda: bank.validation_lines(found, session.memory, everything=everything)
    )
    return int(not found.valid)
