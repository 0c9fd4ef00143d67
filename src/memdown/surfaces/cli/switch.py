"""The command switch: go on with another project, once the memory of this one is saved."""

from collections.abc import Iterator

import click

from memdown.acts.projects import ListedProject
from memdown.errors import Invalid
from memdown.memory.switch import LeftProject, switch
from memdown.surfaces.cli.common import Invocation, count, examples, shown, standard
from memdown.surfaces.cli.projects import project_json, project_lines


@click.command("switch", epilog=examples("memdown switch invoices", "memdown switch invoices --yes --json"))
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
@standard
def switch_command(session: Invocation, name: str, yes: bool) -> int:
    """Switch to another project: check that the memory of this one is saved, ask, and show the other's briefing.

    The choice is not stored; the output says how to name the project in other commands. The exit code is 1 when you
    answer no.
    """
    done = switch(session.memory, name, lambda behind, project: yes or _confirm(behind, project))
    if done is None:
        return 1
    project = done.project
    session.answer(
        {"from": done.left, "project": project_json(project)},
        lambda: [
            *_behind(done.left),
            *project_lines(project),
            f"Use `memdown --project {project.name}` from here, or set MEMDOWN_PROJECT={project.name}.",
        ],
    )
    for sentence in project.notes:
        session.note(f"{sentence}.")
    return 0


def _confirm(behind: LeftProject, project: ListedProject) -> bool:
    for line in _behind(behind):
        click.echo(shown(line), err=True)
    try:
        return click.confirm(shown(f"Switch to {project.name} ({project.path})?"), err=True)
    except click.Abort:
        click.echo(err=True)
        raise Invalid("No answer, so nothing was switched; use --yes to skip the question.") from None


def _behind(behind: LeftProject) -> Iterator[str]:
    if behind.saved:
        yield f"The memory of {behind.path} is saved."
    if behind.uncommitted:
        yield f"Not committed in {behind.path}: {', '.join(behind.uncommitted)}"
    if behind.unrecorded:
        yield (
            f"{count(behind.unrecorded, 'commit')} in {behind.path} since its active context was last changed;"
            " `memdown end` records them."
        )
