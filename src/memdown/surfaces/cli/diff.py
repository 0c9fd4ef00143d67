"""The command diff: what changed in memory, record by record."""

import click

from memdown.errors import Invalid
from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import history


@click.command(
    "diff",
    epilog=examples(
        "memdown diff",
        "memdown diff main",
        "memdown diff v1.0 v1.1 .squad",
        "memdown diff 7d --json",
        "memdown diff main...feature --markdown",
    ),
)
@click.argument("names", nargs=-1, metavar="[REV [REV]] [PATH]...")
@click.option("--markdown", is_flag=True, help="Output Markdown, as for a pull request.")
@click.option("-p", "--diff", "as_diff", is_flag=True, help="Show the text of each change as a diff.")
@standard
def diff_command(session: Invocation, names: tuple[str, ...], markdown: bool, as_diff: bool) -> None:
    """Show which memories were added, changed, moved and removed, and what changed in them.

    REV is a commit, branch, tag, date, or age such as 7d. Without one, the files are compared with the last commit;
    with one, with that revision; with two, or A..B, the two are compared. A PATH limits it to a file or folder.
    """
    if markdown and session.json:
        raise Invalid("Give --markdown or --json, not both.")
    done = session.memory.diff(*names)
    value = [history.unlogged(each, diff=as_diff) for each in done.changes]
    if markdown:
        session.answer(value, lambda: history.markdown(done.changes))
    else:
        session.answer(value, lambda: history.changed(done.changes, diff=as_diff))
