"""Projects below MEMORY_BANK_ROOT: list them, show one, go on with another."""

from collections.abc import Iterator

import click

from memdown.acts.projects import ListedProject, listed
from memdown.errors import Invalid
from memdown.memory.projects import LeftProject, ProjectView, show, switch
from memdown.surfaces.cli.common import Invocation, count, examples, standard, style
from memdown.surfaces.cli.protocol import briefing_json, briefing_lines


@click.group(
    "projects",
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


@projects_command.command("show", epilog=examples("memdown projects show invoices"))
@click.argument("name")
@standard
def show_command(session: Invocation, name: str) -> int:
    """Read a project's memory bank, and tell where its work stands. The exit code is 1 when it has none."""
    shown = show(name)
    session.answer(_shown_json(shown), lambda: _shown(shown))
    _notes(session, shown)
    return int(shown.briefing.empty)


@click.command("switch", epilog=examples("memdown switch invoices", "memdown switch invoices --yes --json"))
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@standard
def switch_command(session: Invocation, name: str, yes: bool) -> int:
    """Go on with another project: check that the memory of this one is saved, ask, and read the other one's.

    Nothing is remembered about the choice: the answer says how commands are told which project is meant. The exit code
    is 1 when the answer was no.
    """
    done = switch(session.memory, name, lambda behind, project: yes or _confirm(behind, project))
    if done is None:
        return 1
    told = {"from": done.left, "project": _shown_json(done.project)}
    session.answer(told, lambda: [*_behind(done.left), *_shown(done.project), *_next(done.project)])
    _notes(session, done.project)
    return 0


def _confirm(behind: LeftProject, project: ListedProject) -> bool:
    for line in _behind(behind):
        click.echo(line, err=True)
    try:
        return click.confirm(f"Go on with {project.name} ({project.path})?", err=True)
    except click.Abort:
        click.echo(err=True)
        raise Invalid("Nobody answered, so nothing was switched; say --yes.") from None


def _behind(behind: LeftProject) -> Iterator[str]:
    if behind.saved:
        yield f"The memory of {behind.path} is saved."
    if behind.uncommitted:
        yield f"Not committed in {behind.path}: {', '.join(behind.uncommitted)}"
    if behind.unrecorded:
        yield (
            f"{count(behind.unrecorded, 'commit')} in {behind.path} since its active context was last changed;"
            " `memdown end` writes them down."
        )


def _shown(shown: ProjectView) -> Iterator[str]:
    yield f"{style('strong', shown.name)}  {shown.path}"
    yield from briefing_lines(shown.briefing)


def _next(shown: ProjectView) -> Iterator[str]:
    yield f"Go on with memdown --project {shown.name}, or with MEMDOWN_PROJECT={shown.name} in the environment."


def _shown_json(shown: ProjectView) -> dict[str, object]:
    return {
        "name": shown.name,
        "path": shown.path,
        "briefing": briefing_json(shown.briefing),
        "files": shown.files,
    }


def _notes(session: Invocation, shown: ProjectView) -> None:
    for sentence in shown.notes:
        session.note(f"{sentence}.")
