"""The command timeline: records in the order they were written, by day, week or month."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import click

from memdown.acts.stats import week_of
from memdown.index.found import oldest_first
from memdown.index.none import none_of
from memdown.record import Mark
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.cli.filters import Filters, as_of, with_filters
from memdown.surfaces.show import render
from memdown.surfaces.show.records import cut, marks_of, place, short, widths


@click.command(
    "timeline",
    epilog=examples(
        "memdown timeline",
        "memdown timeline --type decision --since 30d --by week",
        "memdown timeline --author Keaton --after 2026-02-01 --tag v0.3.0 --json",
    ),
)
@with_filters
@as_of
@click.option(
    "--by",
    type=click.Choice(["day", "week", "month"]),
    default="day",
    show_default=True,
    help="Period of each heading.",
)
@standard
def timeline_command(session: Invocation, filters: Filters, as_of: str | None, by: str) -> None:
    """Show memories in the order they were written, oldest first.

    A memory is listed under the day that its author wrote, whatever the time zone; those without a date come last. The
    filters are those of `memdown list`.
    """
    marks = oldest_first(filters.found(session, as_of).marks)
    session.answer([render.mark(mark) for mark in marks], lambda: _lines(marks, by, str(session.memory.root)))


def _lines(marks: Sequence[Mark], by: str, root: str) -> Iterator[str]:
    wide = widths(mark.record for mark in marks)
    for name, group in groupby(marks, key=lambda mark: _group(mark, by)):
        listed = list(group)
        yield f"{style('strong', name)}  {style('dim', count(len(listed), 'record'))}"
        for number, mark in enumerate(listed, 1):
            yield f"  {'└' if number == len(listed) else '├'} {_row(mark, by, root, wide)}"
    if not marks:
        yield none_of(root, "No memories match.")


def _group(mark: Mark, by: str) -> str:
    at = mark.record.at
    if at is None:
        return "undated"
    day = at.local.date()
    return {"day": day.isoformat(), "week": week_of(day), "month": day.isoformat()[:7]}[by]


def _row(mark: Mark, by: str, root: str, wide: tuple[int, int]) -> str:
    record, at = mark.record, mark.record.at
    time = f"{at.local:%H:%M}" if at and at.precision != "day" else "  ·  "
    when = f"{at.local.date().isoformat()[5:]} {time}" if at and by != "day" else time if at else "  ·  "
    who = style("dim", f"  {record.author}") if record.author else ""
    id, kind = style("id", f"{short(record.id):{wide[0]}}"), f"{record.kind:{wide[1]}}"
    title, where = cut(record.title or "(no title)"), place(record, root)
    return f"{style('dim', when)}  {id}  {kind}  {title}{who}  {where}{marks_of(mark)}"
