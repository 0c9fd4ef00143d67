"""The command context: what an assistant should read now, within a budget of tokens."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memdown.acts.context.pack import NOT_FILLED_IN, Context, LeftOut
from memdown.index.none import none_of
from memdown.lazy import LazyModule
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.cli.filters import as_of, hub_option

if TYPE_CHECKING:
    from memdown.hub import calls, client, working
    from memdown.surfaces.show import hub as hub_views
else:
    calls, client = LazyModule("memdown.hub.calls"), LazyModule("memdown.hub.client")
    hub_views, working = LazyModule("memdown.surfaces.show.hub"), LazyModule("memdown.hub.working")

_NOTHING = "No memory to read here."


@click.command(
    "context",
    epilog=examples(
        "memdown context",
        'memdown context "move sessions to Redis" --budget 2000',
        "memdown context --for src/auth/login.py --json",
    ),
)
@click.argument("task", nargs=-1)
@click.option("-b", "--budget", type=click.IntRange(1), metavar="N", help="Token budget. [default: 4000]")
@click.option("--for", "paths", multiple=True, metavar="PATH", help="A file the task is about; repeatable.")
@hub_option
@click.option("--exact", is_flag=True, help="Count with a real tokenizer. [needs memdown[tokens]]")
@click.option("--list", "listed", is_flag=True, help="List what is included and what is left out, without the text.")
@as_of
@standard
def context_command(
    session: Invocation,
    task: tuple[str, ...],
    budget: int | None,
    paths: tuple[str, ...],
    exact: bool,
    listed: bool,
    as_of: str | None,
    hub: str | None,
) -> None:
    """Select what an assistant should read now, within a token budget.

    In this order: the required files of the bank, rules and directives that apply, records about the task or the
    files, and recent decisions. The same question about the same memory always gives the same text. Without a task or
    files, prints the briefing of `memdown start`.
    """
    if hub is not None:
        dsn, word = hub_views.address(hub, as_of)
        about, last = " ".join((*word, *task, *paths)), working.last_push(session.memory)
        call = calls.ContextCall(task=about, now=session.memory.now(), budget=budget, after=last)
        found = client.ask(dsn, call)
    else:
        names = [str(session.memory.files.name_of(path)) for path in paths] if as_of else paths
        with session.memory.at(as_of) as memory:
            there = [str(memory.root / name) for name in names] if as_of else paths
            found = memory.context(" ".join(task), budget=budget, paths=there, exact=exact, wide=as_of is None)
    session.answer(found, lambda: _pieces(found) if listed else _text(found))
    if not found.items:
        about = "No memories about this task." if task else "No memories about these files." if paths else _NOTHING
        nothing = none_of(session.memory.root, about) if hub is None else "No memories on the hub about this."
        session.note(nothing if not found.left_out else "Nothing fits into this budget.")
    elif (left := len(_with_text(found))) and not listed:
        session.note(f"{count(left, 'piece')} left out; use --list to see {'it' if left == 1 else 'them'}.")


def _text(found: Context) -> Iterator[str]:
    if found.text:
        yield found.text.removesuffix("\n")


def _pieces(found: Context) -> Iterator[str]:
    for item in found.items:
        yield f"{item.tokens:>7,}  {style('place', f'{item.path}:{item.lines[0]}')}  {item.why}"
    yield f"{found.used:>7,}  of {found.budget:,} tokens"
    for each in _with_text(found):
        yield style("dim", f"{each.tokens:>7,}  {each.path}:{each.lines[0]}  {each.why}")
    empty = [each for each in found.left_out if each.why == NOT_FILLED_IN]
    if empty:
        yield style("dim", f"{sum(each.tokens for each in empty):>7,}  {count(len(empty), 'section')} not filled in")


def _with_text(found: Context) -> list[LeftOut]:
    """What was left out that says something; a section that is not filled in would have told nothing."""
    return [each for each in found.left_out if each.why != NOT_FILLED_IN]
