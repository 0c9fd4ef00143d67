"""The command skill: files that teach agents to write memory."""

import click

from memdown.memory.sem import skill as skills
from memdown.surfaces.cli.common import Invocation, examples, writing


@click.command(
    "skill",
    epilog=examples(
        "memdown skill", "memdown skill squad-memory-format", "memdown skill squad-memory-format --install"
    ),
)
@click.argument("name", required=False)
@click.option("--install", is_flag=True, help="Install it in the project, where agents find it.")
@click.option("--force", is_flag=True, help="With --install, overwrite a file that differs.")
@writing
def skill_command(session: Invocation, name: str | None, install: bool, force: bool) -> None:
    """Show a skill file, which teaches an agent to write memory; without a name, list them.

    It is generated from the same tables that `memdown check` uses.
    """
    if name is None:
        if install:
            raise click.UsageError("Name a skill; see `memdown skill`.")
        known = skills.skills()
        listed = [{"name": each.name, "description": each.description} for each in known]
        session.answer(listed, lambda: [f"{each.name}  {each.description}" for each in known])
    elif install:
        done = skills.install(session.memory, name, force=force)
        session.answer(done, lambda: [f"{'Wrote' if done.written else 'Already exists:'} {done.path}"])
    else:
        skill = skills.get(name)
        shown = {"name": skill.name, "path": None, "written": False, "text": skill.text}
        session.answer(shown, lambda: [skill.text.removesuffix("\n")])
