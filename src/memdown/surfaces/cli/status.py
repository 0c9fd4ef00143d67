"""The command status: a summary of this project's memory."""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

import click

from memdown.index import none
from memdown.lazy import LazyModule
from memdown.memory import Memory, Status
from memdown.store.state import STATE
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show import reports

if TYPE_CHECKING:
    from memdown.hub import working
else:
    working = LazyModule("memdown.hub.working")

_UNITS = {"files": "file", "records": "record", "memories": "memory"}


@click.command("status", epilog=examples("memdown status", "memdown status --json"))
@standard
def status_command(session: Invocation) -> None:
    """Show a summary of this project's memory: files, age, token cost and findings."""
    status = session.memory.status()
    session.answer(status, lambda: chain(lines(status), _to_be_sent(session.memory)))


def _to_be_sent(memory: Memory) -> Iterator[str]:
    """What waits for a hub that could not be reached."""
    if (memory.root / STATE / "hub.json").exists() and (since := working.waiting(memory)):
        yield f"{style('strong', 'hub')}        a push has been waiting since {since}; `memdown sync` sends it"


def lines(status: Status) -> Iterator[str]:
    """The summary, a line for each thing."""
    yield f"{style('strong', 'root')}       {status.root}"
    if not any(counts["files"] for counts in status.dialects.values()):
        yield none.nothing_found(status.root)
        return
    for name, counts in status.dialects.items():
        if not counts["files"]:
            continue
        held = ", ".join(count(number, _UNITS[unit]) for unit, number in counts.items())
        yield f"{style('strong', f'{name:10}')} {held}"
    if status.nested:
        yield f"{style('strong', 'packages')}   {', '.join(status.nested)}"
    yield f"{style('strong', 'tokens')}     about {status.tokens:,} in all"
    ages = ", ".join(f"{number:,} {name}" for name, number in status.staleness.items() if number) or "nothing dated"
    yield f"{style('strong', 'age')}        {ages}"
    faults = ", ".join(
        style(name, reports.counted(number, name))
        for name, number in status.findings.items()
        if number and name != "info"
    )
    yield f"{style('strong', 'findings')}   {faults + '; run `memdown check` for details' if faults else 'none'}"
