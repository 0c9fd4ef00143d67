"""The command index: the search index, brought up to date."""

import click

from memdown.surfaces.cli.common import Invocation, examples, standard
from memdown.surfaces.show.counts import line


@click.command("index", epilog=examples("memdown index", "memdown index --rebuild --json", "memdown index --watch"))
@click.option("--rebuild", is_flag=True, help="Rebuild it from all files.")
@click.option("--watch", is_flag=True, help="Keep running, and update it as files change.")
@click.option("--accept-shrink", is_flag=True, help="Accept that a journal lost most of its rows.")
@standard
def index_command(session: Invocation, rebuild: bool, watch: bool, accept_shrink: bool) -> None:
    """Update the search index from the files.

    Searching does this automatically. The index, .memdown/index.db, is derived from the files and can be deleted at
    any time. --watch uses the package watchfiles if it is installed, and otherwise polls every second.
    """
    memory = session.memory
    _answer(session, memory.index(rebuild=rebuild, shrink=accept_shrink))
    if watch:
        session.note(f"watching {memory.root} by {memory.watched_by()}; stop it with Ctrl-C.")
        for counts in memory.watch():
            if counts["changed"] or counts["removed"]:
                _answer(session, counts)


def _answer(session: Invocation, counts: dict[str, int | float]) -> None:
    session.answer(counts, lambda: [line(counts)])
