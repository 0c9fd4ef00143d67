"""The command rules: the rules files of assistants that apply to a file."""

from collections.abc import Iterator

import click

from memdown.memory.bank.setup import Setup
from memdown.scan.rulefiles import RuleFile
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style


@click.command("rules", epilog=examples("memdown rules", "memdown rules src/api/users.ts --mode code"))
@click.argument("path", required=False)
@click.option("--mode", metavar="MODE", help="Leave out the rules of other modes. [env: MEMDOWN_MODE]")
@standard
def rules_command(session: Invocation, path: str | None, mode: str | None) -> None:
    """Show the rules files that apply to a file, strongest first; without a file, all of them."""
    found = Setup(session.memory).rules(path, mode=mode)
    session.answer(found, lambda: _rules(found))


def _rules(found: list[RuleFile]) -> Iterator[str]:
    if not found:
        yield "No rules file applies."
    for rule in found:
        lines = count(len(rule.text.split("\n")), "line")
        yield f"{style('place', rule.source)}  {rule.scope}  {style('dim', lines)}"
