"""The command start: a briefing from the memory of a project at the start of a session."""

import click

from memdown.errors import Invalid, MemdownError
from memdown.memory.bank.operations import BankResult
from memdown.surfaces.cli.common import Invocation, examples, writing
from memdown.surfaces.cli.filters import as_of
from memdown.surfaces.show import bank


@click.command("start", epilog=examples("memdown start", "memdown start --all", "memdown start --no-record"))
@click.option(
    "--record/--no-record",
    default=None,
    help="Record in the active context that a session started. [default: bank.record-start, else yes]",
)
@click.option("--all", "whole", is_flag=True, help="Show every item of each list, not only the first few.")
@as_of
@writing
def start_command(session: Invocation, record: bool | None, whole: bool, as_of: str | None) -> int:
    """Start a session with a briefing from the project's memory.

    The briefing has the focus, the state, work in progress, blockers and next steps; directives, the newest decisions
    and entries; what git shows since the memory bank was last touched; and reasons to doubt it. If the
    active context lists recent changes, the start is recorded there, once a day. The exit code is 1 when there is no
    memory.
    """
    if record and as_of:
        raise Invalid("Give --record or --as-of, not both.")
    with session.memory.at(as_of) as memory:
        briefing = memory.bank.start()
    done = _recorded(session, record) if briefing.has_bank and not as_of else None
    session.answer(bank.briefing_json(briefing), lambda: bank.briefing_lines(briefing, whole=whole))
    if done and done.changed:
        session.note(f"Recorded the start of this session in {done.path}; use --no-record to skip that.")
    return int(briefing.empty)


def _recorded(session: Invocation, wanted: bool | None) -> BankResult | None:
    """Record the start, as asked for or as the settings say; what keeps that from being done spoils no briefing."""
    if wanted is not None:
        return session.memory.bank.begin() if wanted else None
    if not session.memory.config.bank.record_start:
        return None
    try:
        return session.memory.bank.begin(unasked=True)
    except MemdownError as error:
        session.note(f"The start of this session was not recorded: {error}")
        return None
