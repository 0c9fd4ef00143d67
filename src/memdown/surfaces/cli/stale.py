"""The command stale: memory that nobody has touched for long."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.stale import StaleMemory
from memdown.index.none import none_of
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show.records import cut, short


@click.command("stale", epilog=examples("memdown stale", "memdown stale --limit 100 --json"))
@click.option("-n", "--limit", type=click.IntRange(1), default=20, show_default=True, help="Show at most this many.")
@standard
def stale_command(session: Invocation, limit: int) -> None:
    """List memory that has not been touched for a long time, oldest first.

    The age of a record comes from its date; records without one share a line per file, dated by the file's last commit.
    Memory is stale after 90 days, or after `aging-days` of `[layers]`. Records about the past are left out: archives,
    sessions, edits, completed tasks, superseded decisions.
    """
    answer = session.memory.stale(limit)
    session.answer(answer.found, lambda: _lines(answer.found))
    more = answer.total - len(answer.found)
    if more:
        session.note(f"{more:,} more {'is' if more == 1 else 'are'} stale; use --limit {answer.total} to see all.")
    elif not answer.found:
        session.note(none_of(session.memory.root, "Nothing is stale."))


def _lines(found: Sequence[StaleMemory]) -> Iterator[str]:
    width = max((len(f"{each.days:,}") for each in found), default=0)
    for each in found:
        age = f"{each.days:>{width},} days"
        if each.kind == "file":
            undated = f"{count(each.records, 'record')} without a date, last changed {each.at[:10]}"
            yield f"{age}  {style('place', each.path)}  {undated}"
        else:
            title, place = cut(each.title or "(no title)"), style("place", f"{each.path}:{each.line}")
            yield f"{age}  {style('id', short(each.id))}  {style('dim', each.kind)}  {title}  {place}"
