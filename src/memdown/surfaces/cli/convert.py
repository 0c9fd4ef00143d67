"""The command convert: older entries in a dialect's own format."""

from collections.abc import Iterator, Sequence

import click

from memdown.acts.convert import CANONICAL, ConvertItem
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
@click.argument("path", required=False)
@click.option("--to", type=click.Choice(["sem"]), default="sem", show_default=True, help="The dialect to convert to.")
@click.option("--out", help="Write the new text to this file and keep the old one.")
@click.option("--dry-run", is_flag=True, help="Show how each entry would be converted, without writing.")
@click.option("--diff", is_flag=True, help="Show how the text would change, without writing.")
@click.option("--review", is_flag=True, help="List the entries that need a person, each with its id.")
@click.option("--accept", multiple=True, metavar="ID", help="Convert this entry whatever its confidence.")
@click.option("--skip", multiple=True, metavar="ID", help="Leave this entry as it is.")
@click.option(
    "--min-confidence",
    type=click.Choice([*reversed(CONFIDENCES)]),
    default="medium",
    show_default=True,
    help="The lowest confidence to convert without --accept.",
)
@click.option(
    "--infer",
    type=click.Choice(["git"]),
    help="Take missing authors and dates from git: who added the lines, and when.",
)
@click.option("--infer-time", is_flag=True, help="Take the time of day from git, if it has one for the same day.")
@click.option("--author", metavar="NAME", help="Author of the entries that have none.")
@click.option("--no-backup", is_flag=True, help="Do not keep a backup of each file that changes.")
@writing
def convert_command(
    session: Invocation,
    path: str | None,
    to: str,
    out: str | None,
    dry_run: bool,
    diff: bool,
    review: bool,
    accept: Sequence[str],
    skip: Sequence[str],
    min_confidence: str,
    infer: str | None,
    infer_time: bool,
    author: str | None,
    no_backup: bool,
) -> None:
    """Convert older entries of a file, a folder or the whole project to a dialect's own format.

    Nothing is invented: an entry without author or date stays as it is, unless its section has the date, or --infer git
    or --author fills the gap, which is reported for each entry. Nothing is lost: an entry whose new text would not read
    back the same, or would drop a line, stays too. Running it again changes nothing.
    """
    written = not (dry_run or diff or review)
    done = session.memory.logs.convert(
        str(session.memory.root) if path is None else path,
        to=to,
        out=out,
        minimum=min_confidence,
        accept=accept,
        skip=skip,
        infer=[*([infer] if infer else ()), *(["time"] if infer_time else ())],
        author=author,
        backup=not no_backup,
        write=written,
    )
    shown = [item for item in done.items if not review or needs_a_person(item)]
    value = as_json(done, shown, written=written)
    session.answer(value, lambda: _diff(done) if diff else _lines(done, shown, written=written))


def needs_a_person(item: ConvertItem) -> bool:
    """Whether somebody should look at an entry: it is kept though it is legacy, or not surely what it seems."""
    return item.confidence == "low" or (item.state == "kept" and item.reason != CANONICAL)


def as_json(done: Converted, items: Sequence[ConvertItem], *, written: bool) -> Json:
    return {
        "entries_in": len(done.items),
        "converted": done.count("converted"),
        "kept": done.count("kept"),
        "canonical": done.canonical,
        "could_not": done.could_not(),
        "git_knows": done.git_knows,
        "items": items,
        "written": done.written if written else [],
        "backup": done.backups[0] if done.backups and written else None,
        "backups": done.backups if written else [],
        "would_write": done.written,
    }


def _lines(done: Converted, items: Sequence[ConvertItem], *, written: bool) -> Iterator[str]:
    for item in items:
        if item.reason != CANONICAL:
            yield _line(item)
    yield summary(done, written=written)
    yield from _guidance(done)
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
    if not done.items:
        return "Nothing to convert: found no entries of the sem dialect, in its current or an older form."
    changed = f"{done.count('converted')} {'converted' if written else 'would be converted'}"
    reasons = [*([f"{done.canonical} {CANONICAL}"] if done.canonical else ())]
    reasons += [f"{number} {reason}" for reason, number in done.could_not().items()]
    why = f" ({', '.join(reasons)})" if reasons else ""
    return f"{count(len(done.items), 'entry')}: {changed}, {done.count('kept')} kept{why}."


def _guidance(done: Converted) -> Iterator[str]:
    """What would convert the entries that lack something."""
    for what, words in (("author", "an author"), ("date", "a date")):
        lacking, known = done.lacking(what), done.git_knows.get(what, 0)
        lack = f"{count(lacking, 'entry')} {'lacks' if lacking == 1 else 'lack'} {words}"
        if known:
            yield f"{lack}: git knows {known} (--infer git)."
        elif lacking and what == "author":
            yield f"{lack}; --author NAME names one."
