"""The command propose: a memory of this project for a source that others keep."""

from collections.abc import Iterator

import click

from memdown.errors import quote
from memdown.markdown.line_ends import split_lines
from memdown.memory.propose import SourceProposal
from memdown.surfaces.cli.common import Invocation, examples, style, writing


@click.command(
    "propose",
    epilog=examples(
        'memdown propose "Services log JSON" --to team',
        "memdown propose 3f2b --to team --dry-run",
        "memdown propose 3f2b --to handbook > proposal.patch",
    ),
)
@click.argument("id")
@click.option("--to", "source", required=True, metavar="SOURCE", help="Source to propose it to; see `memdown source`.")
@click.option("--dry-run", is_flag=True, help="Show the change, without making a branch.")
@writing
def propose_command(session: Invocation, id: str, source: str, dry_run: bool) -> None:
    """Propose a memory to a source, for someone else to accept.

    In a git repository, the change is committed to a new branch there; the checkout stays as it is. For a source that
    is read-only or not in git, a patch is printed instead. `memdown undo` deletes the branch.
    """
    made = session.memory.propose(id, to=source, write=not dry_run)
    session.answer(made, lambda: _lines(made, dry_run=dry_run))
    if made.patch is not None and not dry_run:
        session.note(
            f"{quote(made.source)} accepts no branches, so nothing was written there: send its maintainer this patch,"
            f" for `git apply` or `patch -p1` in {made.path}."
        )


def _lines(made: SourceProposal, *, dry_run: bool) -> Iterator[str]:
    if made.patch is not None or dry_run:
        yield from split_lines(made.diff)
        return
    yield f"Proposed to {style('strong', made.source)}: branch {made.branch} in {made.path}"
    yield from (f"  {name}" for name in made.files)
    if made.url:
        yield f"Send it for review with: git -C {made.path} push origin {made.branch}"
    else:
        yield f"To accept it, someone else runs: git -C {made.path} merge {made.branch}"
