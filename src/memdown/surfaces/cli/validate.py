"""The command validate: whether a memory bank has what it must have."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import bank


@click.command("validate", epilog=examples("memdown validate", "memdown validate --json"))
@standard
def validate_command(session: Invocation) -> int:
    """Check that a memory bank has its required files. The exit code is 1 when it has not.

    It is valid when projectBrief.md, activeContext.md and progress.md are there, not empty, and have a heading. Other
    findings about the bank follow; `memdown explain CODE` explains them.
    """
    found = session.memory.bank.validate()
    session.answer(bank.validation_json(found), lambda: bank.validation_lines(found))
    return int(not found.valid)
