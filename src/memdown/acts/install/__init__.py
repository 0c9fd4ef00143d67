"""memdown in the settings of assistants and of git: put in beside what is there, and taken out to the byte."""

import shutil
from collections.abc import Collection

from memdown.acts.install.parts import Command, command
from memdown.acts.install.plan import Installer, InstallPlan, ShownChange, chosen
from memdown.project import Project


def targets(project: Project, able: Collection[str]) -> list[ShownChange]:
    """Every target; `able` are the commands this memdown has."""
    return Installer(project.files, able, Command()).shown()


def install(
    project: Project,
    target: str | None = None,
    *,
    able: Collection[str],
    line: str | None = None,
    remove: bool = False,
    write: bool = True,
) -> InstallPlan:
    """Install for a target or all of them, or take it out; without one, only tell what that would be.

    `line` is how memdown is called, `memdown` when not given. `write=False` tells what would change, too.
    """
    called = Command() if line is None else command(line)
    installer = Installer(project.files, able, called)
    names = installer.detected() if target is None else chosen(target)
    write = write and target is not None
    with project.files.lock(when=write):
        plan = installer.plan(names, remove=remove)
        if write and plan.changes:
            installer.make(plan, remove=remove)
    if not remove and plan.changes and shutil.which(called.words[0]) is None:
        project.tell(f"{called.words[0]} is not on the PATH here; --command says how else memdown is called")
    for note in plan.notes:
        project.tell(note)
    return plan
