"""The command undo: any change that memdown made, taken back. What it shares with redo is here too."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import click

from memdown.errors import Stale
from memdown.git import Commit
from memdown.index.none import none_of
from memdown.store.undo import RestoredFile, TakenBack
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.show import render, reports
from memdown.text import decode

_LISTED = 20
_ALIKE = 0.5
"""The share of lines from which a file that goes and one that comes are one that was renamed."""


@click.command(
    "undo",
    epilog=examples("memdown undo", "memdown undo --dry-run --diff", "memdown undo --list", "memdown undo 12"),
)
@click.argument("step", type=click.IntRange(min=1), required=False)
@click.option("--list", "listing", is_flag=True, help="List what can be undone, latest first.")
@click.option("--all", "everything", is_flag=True, help="With --list: all of it, not only the last 20.")
@click.option("--dry-run", is_flag=True, help="Show what would be restored, without writing.")
@click.option("--diff", "as_diff", is_flag=True, help="Show the difference.")
@standard
def undo_command(
    session: Invocation, step: int | None, listing: bool, everything: bool, dry_run: bool, as_diff: bool
) -> None:
    """Restore the files as they were before the last change that memdown made, or before STEP.

    Every write by a command, an assistant or a hook is a step. Later changes by hand are kept: a step is undone around
    them, or not at all. `memdown redo` reapplies it.
    """
    if listing:
        _list(session, None if everything else _LISTED)
    else:
        answer(session, session.memory.undo, step, dry_run=dry_run, as_diff=as_diff)


def _list(session: Invocation, most: int | None) -> None:
    found = session.memory.steps()
    shown = found[:most]
    titles = session.memory.step_titles(shown)

    def lines() -> Iterator[str]:
        for each in shown:
            files = [*each.files, *(inner.name for inner in session.memory.restored_in_git(each))]
            about = [_some(titles.get(each.step, []), "record"), _some(files, "file")]
            what = "".join(
                f"  {style(kind, words)}" for kind, words in zip(("strong", "place"), about, strict=True) if words
            )
            marks = [mark for mark in ("undone" if each.undone else "", each.forced) if mark]
            mark = f" ({'; '.join(marks)})" if marks else ""
            yield f"{each.step:>4}  {each.at}  {each.by:<8} {each.act}{what}{mark}"
        if not found:
            yield none_of(session.memory.root, "Nothing to undo: memdown has not changed anything here.")
        if len(shown) < len(found):
            yield f"… and {len(found) - len(shown)} more (--all)"

    session.answer([render.step(each, titles.get(each.step, ())) for each in shown], lines)


def _some(names: Sequence[str], what: str) -> str:
    """The first of them, and how many more there are."""
    rest = f" and {count(len(names) - 1, f'more {what}')}" if len(names) > 1 else ""
    return f"{names[0]}{rest}" if names else ""


def answer(
    session: Invocation, reverse: Callable[..., TakenBack], step: int | None, *, dry_run: bool, as_diff: bool
) -> None:
    """Take something back, or bring it back, and say what became of which file."""
    verb = reverse.__name__
    try:
        done = reverse(step, write=not dry_run)
    except Stale:
        for part in session.memory.changes_of(step) if as_diff and step is not None and not session.json else ():
            names, texts = (f"a/{part.name}", f"b/{part.name}"), (part.new, part.old)
            for line in reports.text_diff(names[0], texts[0], names[1], texts[1], style):
                session.echo(line)
        raise
    act, in_git = done.act, session.memory.restored_in_git(done)

    def lines() -> Iterator[str]:
        for each in (*done.files, *in_git) if as_diff else ():
            old, new = decode(each.before or b""), decode(each.after or b"")
            yield from reports.text_diff(f"a/{each.name}", old, f"b/{each.name}", new, style)
        renames = _renames(done.files)
        for going, coming in renames:
            text = "" if going.before == coming.after else ", with the text it had there"
            yield f"{'Would rename' if dry_run else 'Renamed'} {going.name} to {coming.name}{text}"
        paired = {each.name for pair in renames for each in pair}
        for each in (*(each for each in done.files if each.name not in paired), *in_git):
            redone = "create" if each.before is None else "change"
            word = "delete" if each.after is None else "restore" if verb == "undo" else redone
            kept = ", keeping what changed since" if each.merged else ""
            yield f"{f'Would {word}' if dry_run else f'{word.capitalize()}d'} {each.name}{kept}"
        if act.files and not done.files and not in_git:
            if verb == "redo":
                counts = "would count" if dry_run else "counts"
                what = f"{act.act} ({act.by}, {act.at})"
                yield f"The files have step {act.step} already, so it {counts} as done: {what}"
                return
            yield "No file differs."
        did = f"Would {verb}" if dry_run else f"{verb.capitalize()[:-1]}id"
        about = f" {', '.join(act.titles)}" if act.titles and not act.files else ""
        yield f"{did} step {act.step}: {act.act}{about} ({act.by}, {act.at})"
        if done.lost:
            yield f"{count(done.lost, 'credential')} stayed out, as memdown does not keep credentials."

    value = render.taken_back(done, undone=(verb == "undo") != dry_run)
    session.answer({**value, "in_git": [each.name for each in in_git]}, lines, report=False)
    stays = _commit_of(session, done) if verb == "undo" and act.act == "end" and not dry_run else None
    if stays is not None:
        session.note(
            f"The commit {stays.commit[:12]} ({stays.title}) stays, with what was undone;"
            " commit the restored files to record the undo in git too."
        )


def _renames(files: Sequence[RestoredFile]) -> list[tuple[RestoredFile, RestoredFile]]:
    """Files that get another name, each as it goes and as it comes: at least half of their lines are the same."""
    coming = [(each, Counter(each.after.splitlines())) for each in files if each.before is None and each.after]
    found: list[tuple[RestoredFile, RestoredFile]] = []
    for going in (each for each in files if each.after is None and each.before):
        lines = Counter((going.before or b"").splitlines())
        alike = [
            (2 * (lines & other).total() / (lines.total() + other.total()), -number)
            for number, (_, other) in enumerate(coming)
        ]
        share, place = max(alike, default=(0.0, 0))
        if share >= _ALIKE:
            found.append((going, coming.pop(-place)[0]))
    return found


def _commit_of(session: Invocation, done: TakenBack) -> Commit | None:
    """The commit that has what was taken back, as `end --commit` makes it."""
    with session.memory.snapshot():
        repository = session.memory.repository
        names = [
            each.name
            for each in done.files
            if each.before is not None and repository.committed(each.name) == decode(each.before)
        ]
        last = repository.last_change(names) if names else None
    return last.commit if last else None
