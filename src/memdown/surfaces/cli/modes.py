"""Commands about how assistants work with a memory bank: modes, rules files, the system prompt."""

from collections.abc import Iterator

import click

from memdown.dialects.bank.modes import MODES
from memdown.memory.bank.setup import Setup
from memdown.scan.rulefiles import RuleFile
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style

_MODE_NAMES = click.Choice([mode.name for mode in MODES])


@click.command("mode", epilog=examples("memdown mode 'fix the login'", "memdown mode --mode ask --json"))
@click.argument("text", nargs=-1)
@click.option("--mode", "named", type=_MODE_NAMES, help="Ask about this mode, whatever the text says.")
@standard
def mode_command(session: Invocation, text: tuple[str, ...], named: str | None) -> None:
    """Tell which mode a request asks for, and which files of the memory bank it may write.

    Without a text, the default mode.
    """
    mode = Setup(session.memory).mode(" ".join(text) if text else None, named=named)
    told = {"mode": mode.name, "may_write": mode.may_write, "everything": mode.writes is None}
    written = "everything" if mode.writes is None else ", ".join(mode.may_write) or "nothing"
    session.answer(told, lambda: [f"{style('strong', mode.name)}: may write {written}"])


@click.command("rules", epilog=examples("memdown rules", "memdown rules src/api/users.ts --mode code"))
@click.argument("path", required=False)
@click.option("--mode", metavar="MODE", help="Leave out the rules of other modes.")
@standard
def rules_command(session: Invocation, path: str | None, mode: str | None) -> None:
    """Tell which rules files apply to a file, those that win first; without a file, all of them."""
    setup = Setup(session.memory)
    found = setup.rules(path, mode=mode)
    session.answer(found, lambda: _rules(found))


def _rules(found: list[RuleFile]) -> Iterator[str]:
    if not found:
        yield "No rules file applies."
    for rule in found:
        lines = count(len(rule.text.split("\n")), "line")
        yield f"{style('place', rule.source)}  {rule.scope}  {style('dim', lines)}"


@click.command("prompt", epilog=examples("memdown prompt", "memdown prompt --mode debug > instructions.md"))
@click.option("--mode", type=_MODE_NAMES, help="For this mode alone.")
@standard
def prompt_command(session: Invocation, mode: str | None) -> None:
    """Print what an assistant has to be told of the memory bank."""
    text = Setup(session.memory).prompt(mode)
    session.answer({"mode": mode, "text": text}, lambda: [text.rstrip("\n")])
