"""The command end: the memory bank is left ready for the next session."""

import click

from memdown.dialects.bank.open_ends import LISTS
from memdown.memory.bank.updates import Ending
from memdown.surfaces.cli.common import Invocation, examples, writing
from memdown.surfaces.cli.update import change_options, update_of
from memdown.surfaces.show import bank


@click.command(
    "end",
    epilog=examples(
        "memdown end 'Import works' --commit",
        "memdown end --summary 'Import works' --focus 'Export' --state 'Import is done' --next 'Write the export'",
        "memdown end --from session.json --commit -m 'Memory: import works'",
    ),
)
@click.argument("words", default="", metavar="[SUMMARY]")
@click.option("--summary", default="", help="What the session did; added to the recent changes.")
@click.option(
    "--clear",
    multiple=True,
    type=click.Choice(list(LISTS)),
    help="Clear this list of the active context; repeatable.",
)
@click.option("--commit", is_flag=True, help="Commit the memory files, and nothing else.")
@click.option("-m", "--message", help="Commit message. [default: Update memory bank]")
@writing
@change_options
@click.option(
    "--replace",
    is_flag=True,
    help="Rewrite the active context from these options alone, and drop the subsections of a section that --set"
    " gives a new text.",
)
def end_command(session: Invocation, /, words: str, commit: bool, message: str | None, **options: object) -> None:
    """End a session: record what was done and what is next, and update the memory bank.

    SUMMARY is the same as --summary. Open questions, blockers, next steps and everything else in the active context
    stay, except for what --close and --clear name; what was removed is listed. With --replace, the active context is
    rewritten from these options alone. `memdown undo` restores everything.
    """
    if message is not None and not commit:
        raise click.UsageError("-m needs --commit.")
    if words and options["summary"]:
        raise click.UsageError("Give the summary once: as an argument, or with --summary.")
    update = update_of(session, {**options, "summary": words or options["summary"]})
    ending = update if isinstance(update, Ending) else Ending()
    done = session.memory.bank.end(ending, commit=commit, message=message)
    value = {**bank.updated_json(done), "summary": ending.summary, "commit": done.commit and done.commit.commit}
    session.answer(value, lambda: [*bank.updated_lines(done), *bank.committed_lines(done, commit)])
