"""The command error: the error log of a journal."""

import click

from memdown.surfaces.cli.add import answer_added
from memdown.surfaces.cli.common import CommandGroup, Invocation, examples, writing
from memdown.surfaces.show import render


@click.group("error", cls=CommandGroup, epilog=examples("memdown error add --help"))
def error_command() -> None:
    """Record errors in the error log of a journal."""


@error_command.command(
    "add",
    epilog=examples(
        "memdown error add 'Viewer does not start' --file src/viewer.js --error EADDRINUSE --task T21"
        " --cause 'The port was taken' --fix 'Asks for a free one'"
    ),
)
@click.argument("title")
@click.option("--file", metavar="PATH", help="Where it happened.")
@click.option("--error", default="", metavar="TEXT", help="The error message.")
@click.option("--cause", default="", metavar="TEXT", help="Why it happened.")
@click.option("--fix", default="", metavar="TEXT", help="What fixed it.")
@click.option("--task", metavar="ID", help="The task it belongs to.")
@writing
def add_error(
    session: Invocation, title: str, file: str | None, error: str, cause: str, fix: str, task: str | None
) -> None:
    """Record an error in errorLog.md, newest first."""
    done = session.memory.journal.errors.add(title, file=file, error=error, cause=cause, fix=fix, task=task)
    answer_added(session, done, render.written)
