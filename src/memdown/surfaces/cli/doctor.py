"""The command doctor: what could keep memdown from working here, and what to do about it."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.doctor import Checkup
from memdown.surfaces.cli import COMMANDS
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style

_WORDS = {"ok": ("ok", "added"), "warn": ("warning", "warning"), "fail": ("problem", "error")}
"""What people read for each state, and its colour."""


@click.command("doctor", epilog=examples("memdown doctor", "memdown doctor --fix", "memdown doctor --json"))
@click.option("--fix", is_flag=True, help="Repair what is safe to repair; memory files are never changed.")
@standard
def doctor_command(session: Invocation, fix: bool) -> int:
    """Check the installation and the state of this project: what was found, and what to do about it.

    Looks at permissions, locks, leftovers of crashes, the undo log, the index, the clock, the file system, settings,
    hooks of assistants and git. The exit code is 1 if there is a problem.
    """
    session.lenient = True
    found = session.memory.doctor(able=COMMANDS, fix=fix)
    session.answer(found, lambda: _lines(found), report=False)
    return int(any(each.state == "fail" for each in found))


def _lines(found: Sequence[Checkup]) -> Iterator[str]:
    for each in found:
        word, colour = ("fixed", "added") if each.fixed else _WORDS[each.state]
        yield f"{style(colour, f'{word:8}')} {style('strong', f'{each.check:13}')} {each.what}"
        if each.do:
            yield f"{'':22} → {each.do}"
    problems, warnings = (sum(each.state == state for each in found) for state in ("fail", "warn"))
    fixable = sum(each.fixable and not each.fixed for each in found)
    if not problems and not warnings:
        yield "No problems found."
        return
    more = f" {fixable:,} fixable with --fix." if fixable else ""
    yield f"{count(problems, 'problem')}, {count(warnings, 'warning')}.{more}"
