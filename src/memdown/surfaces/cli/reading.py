"""Commands that only read: read, show, list, status."""

from collections.abc import Iterator, Sequence

import click
from click.shell_completion import CompletionItem

from memdown.acts.check import FileReading
from memdown.errors import MemdownError
from memdown.memory import Memory, Status
from memdown.record import Link, Mark, Record
from memdown.surfaces.cli.asking import Filters, as_of, asking
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show import render, reports
from memdown.surfaces.show.hits import mark_json, marks_of


def complete_id(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """Ids that begin so, with their titles."""
    try:
        with Memory.open(ctx.params.get("root")) as memory:
            found = [each for each in memory.records() if each.id.startswith(incomplete)]
    except MemdownError:
        return []  # nothing to offer; the command itself will say what is wrong
    return [CompletionItem(each.id, help=each.title) for each in found]


@click.command(
    "read",
    epilog=examples("memdown read memories/", "memdown read NOTES.md --lines", "memdown read NOTES.md --json"),
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--lines", is_flag=True, help="Show what each line is: record, prose, blank or diagnostic.")
@standard
def read_command(session: Invocation, paths: Sequence[str], lines: bool) -> None:
    """Parse files, wherever they are, and account for every line.

    A folder stands for the Markdown files below it. No line goes missing: each is part of a record, blank, prose
    under a name, or told in a diagnostic. With --lines --json, `account` has a letter for each line: r for record, p
    for prose, d for diagnostic, - for blank.
    """
    memory = session.memory
    readings = [memory.read(path) for path in memory.progress(memory.files_at(paths), "reading")]
    session.answer(
        [render.reading(each, lines=lines) for each in readings],
        lambda: (line for each in readings for line in _reading(each, lines=lines)),
    )


def _reading(reading: FileReading, *, lines: bool) -> Iterator[str]:
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
    for record in document.records:
        yield f"  {_row(record)}"
    for run in reading.runs() if lines else ():
        where = f"{run.line}-{run.end_line}" if run.end_line > run.line else str(run.line)
        yield f"  {where:>11}  {run.kind:10}  {run.of or ''}".rstrip()
    for line in reports.text(reading.diagnostics, [document], style):
        yield f"  {line}"


@click.command("show", epilog=examples("memdown show 3f2b8c1e", "memdown show 3f2b --json"))
@click.argument("id", shell_complete=complete_id)
@as_of
@standard
def show_command(session: Invocation, id: str, as_of: str | None) -> None:
    """Show the memory with this id, or the only one whose id begins so."""
    with session.memory.as_of(as_of) as questions:
        mark, pointing = questions.about(session.memory.get(id) if as_of is None else questions.get(id))
    told = {**mark_json(mark), "linked_from": [{"type": each.type, "id": each.target} for each in pointing]}
    session.answer(told, lambda: _record(mark, pointing))


def _record(mark: Mark, pointing: Sequence[Link]) -> Iterator[str]:
    record = mark.record
    yield style("strong", record.title or "(no title)") + marks_of(mark)
    for name, value in (
        ("id", record.id),
        ("kind", record.kind),
        ("file", f"{record.path}:{record.line}"),
        ("at", record.at.text if record.at else None),
        ("scope", record.scope),
        ("tags", ", ".join(record.tags)),
        *((each.type, _target(each)) for each in record.links if record.scope != f"{each.type}:{each.target}"),
        *((f"{each.type} by", each.target[:8]) for each in pointing),
    ):
        if value:
            yield f"  {style('dim', f'{name:6}')} {value}"
    yield ""
    yield record.body or "(no content)"


def _target(link: Link) -> str:
    return f"{link.target} ({link.resolved[:8]})" if link.resolved and link.resolved != link.target else link.target


@click.command(
    "list",
    epilog=examples(
        "memdown list",
        "memdown list connection pool",
        "memdown list --type decision --author Keaton --after 2026-02-01 --tag v0.3.0",
        "memdown list --since 7d --no-superseded --json",
    ),
)
@asking
@as_of
@standard
def list_command(session: Invocation, asked: Filters, as_of: str | None) -> None:
    """List memories, the newest first; with words, those that have all of them.

    A date counts as the whole day, at both ends. What another memory replaces, or is past its date, is marked.
    """
    found = asked.found(session, as_of)
    session.answer([mark_json(mark) for mark in found.marks], lambda: _rows(found.marks, asked))


def _rows(marks: Sequence[Mark], asked: Filters) -> Iterator[str]:
    yield from (_row(mark.record) + marks_of(mark) for mark in marks)
    if marks:
        return
    if asked.words:
        yield "Nothing here has these words."
    else:
        yield "Nothing here fits." if asked.narrow else "No memory here yet; `memdown add card` writes one."


def _row(record: Record) -> str:
    day = record.at.local.date().isoformat() if record.at else "----------"
    title = record.title or "(no title)"
    return f"{style('dim', record.id[:8])}  {day}  {title}" + (
        style("dim", f"  {record.scope}") if record.scope else ""
    )


@click.command("status", epilog=examples("memdown status", "memdown status --json"))
@standard
def status_command(session: Invocation) -> None:
    """Tell what memory this project has, how old it is, what it costs to read, and what is wrong with it."""
    status = session.memory.status()
    session.answer(status, lambda: _status(status))


def _status(status: Status) -> Iterator[str]:
    yield f"{style('strong', 'root')}       {status.root}"
    for name, held in status.dialects.items():
        yield f"{style('strong', f'{name:10}')} {count(held['files'], 'file')}, {count(held['records'], 'record')}"
    yield f"{style('strong', 'tokens')}     about {status.tokens:,}"
    ages = ", ".join(f"{number} {name}" for name, number in status.staleness.items() if number) or "nothing dated"
    yield f"{style('strong', 'age')}        {ages}"
    faults = ", ".join(f"{number} {style(name, name)}" for name, number in status.findings.items() if number)
    yield f"{style('strong', 'findings')}   {faults + '; memdown check shows them' if faults else 'none'}"
