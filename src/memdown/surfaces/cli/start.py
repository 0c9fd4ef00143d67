"""The command start: a briefing from the memory bank at the start of a session."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import bank


@click.command("start", epilog=examples("memdown start", "memdown start --json"))
@standard
def start_command(session: Invocation) -> int:
    """Start a session with a briefing from the memory bank. Nothing is written.

    The files are read in their order. The briefing has the focus, the state, blockers, work in progress and next steps;
    what git shows since the memory was last touched; and what makes the memory doubtful. The exit code is 1 when there
    is no memory bank.
    """
    briefing = session.memory.bank.start()
    session.answer(bank.briefing_json(briefing), lambda: bank.briefing_lines(briefing))
    return int(briefing.empty)
