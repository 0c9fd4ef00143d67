"""The command resolve: memory files that a merge left in conflict."""

import sys
from collections.abc import Iterator, Sequence

import click

from memdown.acts.merge.resolve import OPEN, OpenQuestion, Resolved, Side
from memdown.errors import Invalid
from memdown.markdown.line_ends import split_lines
from memdown.surfaces.cli.common import Invocation, count, examples, style, writing
from memdown.surfaces.show import reports


@click.command(
    "resolve",
    epilog=examples("memdown resolve --dry-run --diff", "memdown resolve", "memdown resolve memory-bank/progress.md"),
)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--dry-run", is_flag=True, help="Show what would be merged, without writing.")
@click.option("-i", "--interactive", is_flag=True, help="Ask which side to keep wherever a merge kept both.")
@click.option("--keep-both", is_flag=True, help="Also stage files where something was kept from both sides.")
@click.option("--diff", "as_diff", is_flag=True, help="Show the changes as a diff.")
@writing
def resolve_command(
    session: Invocation, paths: tuple[str, ...], dry_run: bool, interactive: bool, keep_both: bool, as_diff: bool
) -> int:
    """Merge the memory files that git left in conflict, entry by entry.

    For merges that ran without the driver: on another machine, or with a website's merge button. Both sides and their
    base come from git's index; markers that were committed are merged from the parents of that merge, or from the file
    itself. A file that was fully resolved is staged; with --keep-both, for unattended runs, the others are too. What
    was kept from both sides is listed, and `memdown check` reports it until you choose: by hand, or with -i, which asks
    about each, also in files of earlier merges. If branches gave one number (T12, ADR-7) to different things in
    different files, one of them gets a new number, along with its file names and references.

    Exits with 1 if something is left to choose, from this merge or an earlier one.
    """
    picks = _asked(session, session.memory.resolve(paths, write=False, picks={}).open) if interactive else None
    done = session.memory.resolve(paths, write=not dry_run, keep_both=keep_both, picks=picks)
    known = {(each.path, each.line) for each in done.open}
    earlier = [] if interactive else session.memory.resolve(paths, write=False, picks={}).open
    left = [each for each in earlier if each.code == OPEN and (each.path, each.line) not in known]
    value = {
        **{"resolved": done.resolved, "open": [*done.open, *left], "skipped": done.skipped},
        **{"dry_run": done.dry_run, "merging": done.merging},
    }
    session.answer(value, lambda: _lines(done, as_diff=as_diff), names_removed=True)
    if left and not session.json:
        places = f"{count(len(left), 'place')} of an earlier merge {'is' if len(left) == 1 else 'are'}"
        session.note(f"{places} left to choose; `memdown resolve -i` asks about each.")
    elif earlier and not (done.files or done.skipped or session.json):
        session.note(f"The newer side was taken in {count(len(earlier), 'place')}; `memdown resolve -i` asks for each.")
    if done.merging and not (dry_run or keep_both or session.json):  # with --keep-both, a script goes on by itself
        session.note("The merge is not committed yet: `git commit` concludes it, once no file is left in conflict.")
    return int(bool(done.open or left or done.skipped))


def _asked(session: Invocation, questions: Sequence[OpenQuestion]) -> dict[OpenQuestion, Side]:
    """What a person chooses."""
    if session.json or not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        raise Invalid("-i needs a terminal; `memdown check --select MRG` lists what is left to choose.")
    picks: dict[OpenQuestion, Side] = {}
    to_choose = [each for each in questions if each.kept]
    for number, each in enumerate(to_choose, 1):
        session.echo(f"{number}/{len(to_choose)} {style('place', f'{each.path}:{each.line}')}")
        for mark, text in (("1", each.kept), ("2", each.other)):
            for line in split_lines(text):
                session.echo(f"  {style('strong', mark)} {line}")
        answer = click.prompt(
            "Keep 1 or 2? 1, 2, skip, quit", type=click.Choice(("1", "2", "s", "q")), default="s", show_choices=False
        )
        if answer == "q":
            break
        if answer in "12":
            picks[each] = "kept" if answer == "1" else "other"
    return picks


def _lines(done: Resolved, *, as_diff: bool) -> Iterator[str]:
    merged = [each for each in done.files if each.is_merged]
    for each in done.files:
        if as_diff:
            yield from reports.text_diff(f"a/{each.path}", each.before, f"b/{each.path}", each.after, style)
        if each.is_merged:
            yield f"{'Would merge' if done.dry_run else 'Merged'} {each.path}"
        elif each.before != each.after:
            yield f"{'Would resolve' if done.dry_run else 'Resolved'} {each.path}"
        else:
            yield from (f"{each.path}: {note}" for note in each.notes)
            continue
        yield from (style("dim", f"  {' '.join(note.split())}") for note in each.notes)
    for question in done.open:
        yield f"{question.path}:{question.line}: kept from both sides; choose, and delete the comment"
    for path in done.skipped:
        yield f"{path}: one side deleted it, the other changed it; `git add` keeps it, `git rm` deletes it"
    if merged:
        yield f"{count(len(merged), 'file')} {'would be merged' if done.dry_run else 'merged'}."
    elif not done.files and not done.skipped:
        yield "No memory file is in conflict."
