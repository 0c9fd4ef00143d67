"""The command convert: older entries in a dialect's own format."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.convert import ConvertItem
from memdown.dialects.draft import CONFIDENCES
from memdown.memory.sem.logs import Converted
from memdown.record import Document
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing
from memdown.surfaces.show import reports
from memdown.surfaces.show.render import Json


@click.command(
    "convert",
    epilog=examples(
        "memdown convert .squad/decisions.md --dry-run",
        "memdown convert . --review",
        "memdown convert .squad/decisions.md --accept 3f2b8c1e5a4d",
        "memdown convert notes/decisions.md --out .squad/decisions.md",
    ),
)
@click.argument("path")
@click.option("--to", type=click.Choice(["sem"]), default="sem", show_default=True, help="The dialect to convert to.")
@click.option("--out", help="Write the new text to this file, and leave the old one.")
@click.option("--dry-run", is_flag=True, help="Show what would become of each entry, without writing.")
@click.option("--diff", is_flag=True, help="Show how the text would change, without writing.")
@click.option("--review", is_flag=True, help="List the entries that need a person, each with its id.")
@click.option("--accept", multiple=True, metavar="ID", help="Convert this entry whatever the confidence.")
@click.option("--skip", multiple=True, metavar="ID", help="Leave this entry as it is.")
@click.option(
    "--min-confidence",
    type=click.Choice([*reversed(CONFIDENCES)]),
    default="medium",
    show_default=True,
    help="The lowest confidence to convert without --accept.",
)
@click.option("--infer-time", is_flag=True, help="Infer missing times from git's history of the lines.")
@click.option("--no-backup", is_flag=True, help="Do not keep a backup of each file that changes.")
@writing
def convert_command(
    session: Invocation,
    path: str,
    to: str,
    out: str | None,
    dry_run: bool,
    diff: bool,
    review: bool,
    accept: Sequence[str],
    skip: Sequence[str],
    min_confidence: str,
    infer_time: bool,
    no_backup: bool,
) -> None:
    """Convert older entries of a file, or of all logs and histories below a folder, to a dialect's own format.

    Nothing is invented: an entry without author or date stays as it is. Nothing is lost: an entry whose new text would
    not read back to the same, or would miss a line, stays too. A second run changes nothing.
    """
    written = not (dry_run or diff or review)
    done = session.memory.logs.convert(
        path,
        to=to,
        out=out,
        minimum=min_confidence,
        accept=accept,
        skip=skip,
        infer_time=infer_time,
        backup=not no_backup,
        write=written,
    )
    shown = [item for item in done.items if not review or needs_a_person(item)]
    value = as_json(done, shown, written=written)
    session.answer(value, lambda: _diff(done) if diff else _lines(done, shown, written=written))


def needs_a_person(item: ConvertItem) -> bool:
    """Whether somebody should look at an entry: it is kept though it is legacy, or not surely what it seems."""
    return item.confidence == "low" or (item.state == "kept" and item.reason != "canonical already")


def as_json(done: Converted, items: Sequence[ConvertItem], *, written: bool) -> Json:
    return {
        "entries_in": len(done.items),
        "converted": done.count("converted"),
        "kept": done.count("kept"),
        "items": items,
        "written": done.written if written else [],
        "backup": done.backups[0] if done.backups and written else None,
        "backups": done.backups if written else [],
        "would_write": done.written,
    }


def _lines(done: Converted, items: Sequence[ConvertItem], *, written: bool) -> Iterator[str]:
    for item in items:
        if item.reason != "canonical already":
            yield _line(item)
    yield summary(done, written=written)
    if written:
        yield from (f"The old text is in {name}." for name in done.backups)


def _diff(done: Converted) -> Iterator[str]:
    for each in done.changed:
        yield from reports.diff(Document(each.path, each.before), Document(each.path, each.after), style)
    yield summary(done, written=False)


def _line(item: ConvertItem) -> str:
    place = style("place", f"{item.path}:{item.line}")
    if item.state == "kept":
        return f"{place} {item.id} kept ({item.reason}): {item.title}"
    basis = f"{item.confidence} confidence" + (f"; inferred: {', '.join(item.inferred)}" if item.inferred else "")
    return f"{place} {item.id} converted ({'; '.join((basis, *item.notes))}): {item.title}"


def summary(done: Converted, *, written: bool) -> str:
    """The last line: how many entries there are, and what became of them."""
    changed = f"{done.count('converted')} {'converted' if written else 'would be converted'}"
    return f"{count(len(done.items), 'entry')}: {changed}, {done.count('kept')} kept."
