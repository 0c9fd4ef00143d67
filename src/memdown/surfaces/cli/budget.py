"""The command budget: what the files of a memory bank cost to read, in tokens."""

from collections.abc import Iterator, Sequence

import click

from memdown.dialects.bank.grammar import BANK_TOKENS
from memdown.markdown import tokens
from memdown.memory.bank.operations import Spent
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style

_MOST_WAYS = 10


@click.command("budget", epilog=examples("memdown budget", "memdown budget --json"))
@click.option("--exact", is_flag=True, help="Count with a real tokenizer. [needs memdown[tokens]]")
@standard
def budget_command(session: Invocation, exact: bool) -> None:
    """Show the token cost of each file of the memory bank, and what would make them shorter.

    Tokens are estimated: for nine files in ten, within 10% of what a real tokenizer counts.
    """
    spent = session.memory.bank.budget(tokens.exact() if exact else tokens.estimate, suggest=True)
    session.answer([_json(each) for each in spent], lambda: _budget(spent))


def _json(spent: Spent) -> dict[str, object]:
    """What a file costs, as other programs read it."""
    ways = [{"line": way.line, "does": way.does, "tokens": way.tokens} for way in spent.suggestions]
    return {name: getattr(spent, name) for name in ("file", "path", "tokens", "limit")} | {"suggestions": ways}


def _budget(spent: Sequence[Spent]) -> Iterator[str]:
    if not spent:
        yield "Budget counts the files of a memory bank, and there is none here; `memdown init` creates one."
        return
    for each in spent:
        over = f"  {style('warning', 'above')} {each.limit:,}" if each.limit and each.tokens > each.limit else ""
        yield f"{each.tokens:>7,}  {each.path}{over}"
    total = sum(each.tokens for each in spent)
    over = f"  {style('warning', 'above')} {BANK_TOKENS:,}" if total > BANK_TOKENS else ""
    yield f"{total:>7,}  {count(len(spent), 'file')}{over}"
    ways = [(way, each.path) for each in spent for way in each.suggestions]
    for way, path in sorted(ways, key=lambda each: -each[0].tokens)[:_MOST_WAYS]:
        yield f"{-way.tokens:>7,}  {style('place', f'{path}:{way.line}')}: {way.does} {style('dim', way.code)}"
    if len(ways) > _MOST_WAYS:
        yield f"         and {len(ways) - _MOST_WAYS:,} more; use --json to see them"
