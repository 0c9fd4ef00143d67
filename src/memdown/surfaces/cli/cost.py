"""The command cost: how many tokens hooks and tools sent to assistants."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.cost import Spending, Sum
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style

_SHOWN = 10


@click.command("cost", epilog=examples("memdown cost", "memdown cost --session 4f2a", "memdown cost --json"))
@click.option("--session", "id", help="Only sessions whose id starts with this.")
@standard
def cost_command(session: Invocation, id: str | None) -> None:
    """Show how many tokens hooks and tools sent to assistants, by session, hook and tool."""
    spent = session.memory.cost(id)
    session.answer(spent, lambda: _lines(spent))


def _lines(spent: Spending) -> Iterator[str]:
    if not spent.calls:
        yield "Nothing was sent to an assistant yet."
        return
    yield style("strong", f"{count(spent.tokens, 'token')} in {count(spent.calls, 'answer')}")
    yield from _table("hooks", spent.hooks)
    yield from _table("tools", spent.tools)
    yield f"{style('strong', 'sessions')}  {style('dim', count(len(spent.sessions), 'session'))}"
    for each in spent.sessions[:_SHOWN]:
        yield f"  {each.tokens:8,}  {each.last}  {each.session}"
    if len(spent.sessions) > _SHOWN:
        yield f"  and {len(spent.sessions) - _SHOWN:,} more; use --json to see them"


def _table(title: str, sums: Sequence[Sum]) -> Iterator[str]:
    if sums:
        yield style("strong", title)
    for each in sums:
        yield f"  {each.tokens:8,}  {each.name} ({count(each.calls, 'time')})"
