"""The command sql: questions to the index in SQL, answered as a table, JSON or CSV."""

import csv
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Timer

import click

from memdown.surfaces.cli.common import Invocation, count, examples, standard, style

_WIDEST = 60
_SECONDS = 10.0
_GRACE = 1.0
_ROWS = 1000


@click.command(
    "sql",
    epilog=examples(
        "memdown sql --tables",
        "memdown sql 'select action, count(*) from file_modifications group by action'",
        "memdown sql 'select * from task_items where id = :id' -p id=T21 --json",
        "memdown sql - --csv < question.sql",
    ),
)
@click.argument("statement", required=False)
@click.option("-p", "--param", "params", multiple=True, metavar="NAME=VALUE", help="Value of :NAME in the statement.")
@click.option("--csv", "as_csv", is_flag=True, help="Output comma-separated values.")
@click.option("--limit", type=click.IntRange(min=0), default=_ROWS, help="Maximum number of rows; 0 for all. [1000]")
@click.option("--timeout", type=click.FloatRange(0, 3600), default=_SECONDS, help="Time limit in seconds. [10]")
@click.option("--tables", is_flag=True, help="List the tables with their columns.")
@standard
def sql_command(
    session: Invocation,
    statement: str | None,
    params: tuple[str, ...],
    as_csv: bool,
    limit: int,
    timeout: float,
    tables: bool,
) -> None:
    """Query the index with SQL, read-only.

    The index is brought up to date first. STATEMENT is one SELECT; - reads it from standard input. SQLite itself
    refuses everything that would change or open a file. The table truncates long values; --json and --csv do not.
    docs/sql.md describes the tables.
    """
    if session.json and as_csv:
        raise click.UsageError("Give --json or --csv, not both.")
    if tables:
        _tables(session)
        return
    if not statement:
        raise click.UsageError("Give a statement, as 'select * from task_items', or --tables.")
    given = dict(_param(each) for each in params)
    query = sys.stdin.read() if statement == "-" else statement
    questions = session.memory.questions
    with _ended_after(timeout):
        found = questions.sql(query, given, seconds=timeout, rows=limit)
    rows = [tuple(value.hex() if isinstance(value, bytes) else value for value in row) for row in found.rows]
    value = {
        "columns": found.columns,
        "rows": [dict(zip(found.columns, row, strict=True)) for row in rows] if session.json else [],
        "more": found.more,
    }
    session.answer(value, lambda: _csv(found.columns, rows) if as_csv else _table(found.columns, rows))
    if found.more:
        session.note(f"showing the first {count(len(rows), 'row')}; use --limit 0 to see all.")


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End the process when SQLite is inside one long function, where it does not look at the clock.

    Nothing is being written then, and nothing has been printed.
    """
    timer = Timer(seconds + _GRACE, _end, (seconds,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _end(seconds: float) -> None:
    click.echo(
        f"memdown: The query took longer than {seconds:g} seconds; narrow it, or raise the time limit.", err=True
    )
    os._exit(2)


def _tables(session: Invocation) -> None:
    found = session.memory.questions.tables()
    session.answer(found, lambda: (f"{style('strong', table.name)} ({', '.join(table.columns)})" for table in found))


def _param(given: str) -> tuple[str, str]:
    name, mark, value = given.partition("=")
    if not mark or not name.isidentifier():
        raise click.UsageError("A parameter is written NAME=VALUE, as -p id=T21.")
    return name, value


def _csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    yield out.getvalue()[:-1]


def _table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    cells = [[_cell(value) for value in row] for row in [columns, *rows]]
    widths = [max(len(row[number]) for row in cells) for number in range(len(columns))]
    for number, row in enumerate(cells):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        yield style("strong", line) if number == 0 else line


def _cell(value: object) -> str:
    """A value on one line and not too long; nothing in it reaches the terminal as a command."""
    text = "" if value is None else str(value)
    line = "".join(char if char.isprintable() else " " for char in text[: _WIDEST + 1])
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"
