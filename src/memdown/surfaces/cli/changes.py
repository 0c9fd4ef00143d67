"""The command changes: what a branch learned, as text for a pull request."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show import history


@click.command(
    "changes",
    epilog=examples("memdown changes", "memdown changes main..HEAD", "memdown changes v1.2..v1.3 --json"),
)
@click.argument("commits", metavar="[BASE..HEAD]", default="")
@standard
def changes_command(session: Invocation, commits: str) -> None:
    """Show what a branch did to memory since it left BASE, as Markdown for the text of a pull request.

    BASE defaults to the main branch, and HEAD to the commit that is checked out.
    """
    done = session.memory.changes(commits)
    value = [history.logged(each) for each in done.changes]
    session.answer(value, lambda: history.markdown(done.changes, commits=done.commits))
