"""The command projects: those below MEMORY_BANK_ROOT, or one of them."""

from collections.abc import Iterator

import click

from memdown.acts.projects import listed, none_listed
from memdown.memory.switch import ProjectView, show
from memdown.surfaces.cli.common import CommandGroup, Invocation, examples, standard, style
from memdown.surfaces.show.bank import briefing_json, briefing_lines


@click.group(
    "projects",
    cls=CommandGroup,
    invoke_without_command=True,
    epilog=examples("memdown projects", "memdown projects --json", "memdown projects show invoices"),
)
@standard
def projects_command(session: Invocation) -> None:
    """List the projects below MEMORY_BANK_ROOT (~/memory-banks) that have a memory bank.

    `memdown --project NAME COMMAND` works with one of them, and so does MEMDOWN_PROJECT in the environment.
    """
    if click.get_current_context().invoked_subcommand is None:
        found = listed(skipped=lambda sentence: session.note(f"{sentence}."))
        session.answer(found, lambda: (f"{style('strong', each.name)}  {each.path}" for each in found))
        if not found:
            session.note(none_listed())


@projects_command.command("show", epilog=examples("memdown projects show invoices"))
@click.argument("name")
@standard
def show_project(session: Invocation, name: str) -> int:
    """Show a briefing from the memory bank of a project. The exit code is 1 when it has none."""
    shown = show(name)
    session.answer(project_json(shown), lambda: project_lines(shown))
    for sentence in shown.notes:
        session.note(f"{sentence}.")
    return int(shown.briefing.empty)


def project_lines(shown: ProjectView) -> Iterator[str]:
    yield f"{style('strong', shown.name)}  {shown.path}"
    yield from briefing_lines(shown.briefing)


def project_json(shown: ProjectView) -> dict[str, object]:
    return {
        "name": shown.name,
        "path": shown.path,
        "briefing": briefing_json(shown.briefing),
        "files": shown.files,
    }
