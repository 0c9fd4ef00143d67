"""The command stats: numbers about memory, as text, bars or a picture."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from memdown.acts.stats import Stats
from memdown.index import none
from memdown.lazy import LazyModule
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing
from memdown.surfaces.cli.filters import as_of, hub_option
from memdown.surfaces.show import charts

if TYPE_CHECKING:
    from memdown.hub import calls, client
    from memdown.surfaces.show import hub as hub_views
else:
    calls, client = LazyModule("memdown.hub.calls"), LazyModule("memdown.hub.client")
    hub_views = LazyModule("memdown.surfaces.show.hub")

_SHOWN = 10


@click.command(
    "stats",
    epilog=examples(
        "memdown stats", "memdown stats --plot", "memdown stats --svg docs/memory.svg", "memdown stats --json"
    ),
)
@click.option("--plot", is_flag=True, help="Draw bar charts.")
@click.option("--svg", metavar="FILE", help="Write a chart to this file of the project.")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="Number of tags to show.")
@hub_option
@click.option("--force", is_flag=True, help="Let --svg overwrite a file with other content.")
@as_of
@writing
def stats_command(
    session: Invocation, plot: bool, svg: str | None, top: int, hub: str | None, force: bool, as_of: str | None
) -> None:
    """Show statistics: decisions per week, records by author, growth, scopes, kinds and tags.

    Weeks are those of ISO 8601, as 2026-W07, by the day the author wrote.
    """
    if hub is not None:
        found = client.ask(hub_views.address(hub, as_of)[0], calls.StatsCall(top=top))
        session.answer(found, lambda: hub_views.stats(found))
        return
    memory = session.memory
    with memory.at(as_of) as then:
        stats = then.stats(top=top)
    written = memory.save_as(svg, charts.svg(stats, memory.root.name), force=force) if svg is not None else None
    bare = none.nothing_found(memory.root) if not stats.files else ""
    session.answer(stats, lambda: [bare] if bare else _plot(stats) if plot else _stats(stats))
    if written:
        session.note(f"Wrote {written}.")


def _stats(stats: Stats) -> Iterator[str]:
    when = f"{stats.first} to {stats.last}" if stats.first else "nothing dated"
    yield f"{style('strong', 'records')}    {stats.records:,} in {count(stats.files, 'file')}, {stats.bytes:,} bytes"
    yield f"{style('strong', 'time')}       {when}, {stats.undated:,} without a date"
    if any(stats.velocity.values()):
        made, weeks = sum(stats.velocity.values()), len(stats.velocity)
        rate = f"{made / weeks:.1f}" if made * 10 >= weeks else "less than 0.1"
        pace = f"{made:,} in {count(weeks, 'week')}, {rate} a week"
        yield f"{style('strong', 'decisions')}  {pace}"
    aged = ", ".join(f"{number:,} {state}" for state, number in stats.staleness.items())
    yield f"{style('strong', 'ages')}       {aged}; {stats.tokens:,} tokens in all"
    for name, values in (
        ("authors", [(each.name, each.records) for each in stats.authors[:_SHOWN]]),
        ("scopes", [(f"{scope} {share.ratio:.0%}", share.records) for scope, share in stats.scopes.items()]),
        ("kinds", list(stats.kinds.items())),
        ("tags", [(each.name, each.records) for each in stats.tags]),
    ):
        if values:
            yield f"{style('strong', f'{name:10}')} {', '.join(f'{what} ({number:,})' for what, number in values)}"
    yield "memdown stats --plot draws this."


def _plot(stats: Stats) -> Iterator[str]:
    width = shutil.get_terminal_size().columns
    for each in charts.series(stats):
        yield style("strong", each.title)
        yield from charts.bars(each, width)
        yield ""
    yield f"{stats.records:,} records, {stats.undated:,} without a date."
