"""The command start: a briefing from the memory of a project at the start of a session."""

import click

from memdown.errors import Invalid
from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.cli.filters import as_of
from memdown.surfaces.show import bank


@click.command("start", epilog=examples("memdown start", "memdown start --record"))
@click.option(
    "--record/--no-record",
    default=None,
    help="Record in the active context that a session began. [default: bank.record-start, else no]",
)
@as_of
@standard
def start_command(session: Invocation, record: bool | None, as_of: str | None) -> int:
    """Start a session with a briefing from the project's memory. Nothing is written, unless --record asks for it.

    The briefing has the focus, the state, work in progress, blockers and next steps; directives, the newest decisions
    and entries; what git shows since the memory bank was last touched; and what makes it doubtful. The exit code is 1
    when there is no memory.
    """
    if record and as_of:
        raise Invalid("Give --record or --as-of, not both.")
    with session.memory.at(as_of) as memory:
        briefing = memory.bank.start()
    wanted = not as_of and (session.memory.config.bank.record_start if record is None else record)
    if wanted and briefing.has_bank:
        session.memory.bank.begin()
    session.answer(bank.briefing_json(briefing), lambda: bank.briefing_lines(briefing))
    return int(briefing.empty)
