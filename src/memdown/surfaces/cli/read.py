"""The command read: files as they are parsed, with an account of every line."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.check import FileReading
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show import render, reports
from memdown.surfaces.show.records import row, widths


@click.command(
    "read",
    epilog=examples("memdown read memories/", "memdown read NOTES.md --lines", "memdown read NOTES.md --json"),
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--lines", is_flag=True, help="Show what each line is: record, prose, blank or diagnostic.")
@standard
def read_command(session: Invocation, paths: Sequence[str], lines: bool) -> None:
    """Parse files, wherever they are, and account for every line.

    A folder stands for the Markdown files in it. Every line is accounted for: it is part of a record, blank, named
    prose, or reported in a diagnostic. With --lines --json, `account` has a letter for each line: r for record, p
    for prose, d for diagnostic, - for blank.
    """
    memory = session.memory
    readings = [memory.read(path) for path in memory.progress(memory.files_at(paths), "reading")]
    session.answer(
        [render.reading(each, lines=lines) for each in readings],
        lambda: (line for each in readings for line in _lines(each, lines=lines)),
    )


def _lines(reading: FileReading, *, lines: bool) -> Iterator[str]:
    document, counts = reading.document, reading.lines
    of = f"{document.dialect}, {count(len(document.records), 'record')}" if document.dialect else "no dialect"
    yield f"{style('strong', document.path)}: {of}, {count(counts.total, 'line')}: " + ", ".join(
        f"{number} {name}"
        for name, number in (
            ("record", counts.record),
            ("prose", counts.prose),
            ("blank", counts.blank),
            ("diagnostic", counts.diagnostic),
        )
    )
    wide = widths(document.records)
    for record in document.records:
        yield f"  {row(record, wide=wide)}"
    for run in reading.runs() if lines else ():
        where = f"{run.line}-{run.end_line}" if run.end_line > run.line else str(run.line)
        yield f"  {where:>11}  {run.kind:10}  {run.of or ''}".rstrip()
    for line in reports.text(reading.diagnostics, [document], style):
        yield f"  {line}"
