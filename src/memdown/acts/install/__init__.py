"""memdown in the settings of assistants and of git: put in beside what is there, and taken out to the byte."""

import shutil
from collections.abc import Collection

import msgspec
from msgspec import structs

from memdown.acts.install.parts import Command, command
from memdown.acts.install.plan import InstallChange, Installer, InstallPlan, ShownChange, chosen
from memdown.acts.install.repository import RepositorySettings
from memdown.acts.install.targets import CONFIG, TARGETS
from memdown.errors import Stale
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
            installer.make(plan)
    if not remove and plan.changes and shutil.which(called.words[0]) is None:
        project.tell(f"{called.words[0]} is not on the PATH here; --command says how else memdown is called")
    for note in plan.notes:
        project.tell(note)
    return plan


def configure_driver(project: Project) -> None:
    """Have git know the merge driver that attributes name."""
    part = next(each for each in TARGETS["git"].in_git if each.file == CONFIG)
    RepositorySettings(project.root).write(CONFIG, part.put(None, Command()))


def reverse(project: Project, changes: str) -> str:
    """Make what an installation changed in git's own folder what it was before; the changes that this takes."""
    repository = RepositorySettings(project.root)
    found = msgspec.json.decode(changes, type=list[InstallChange])
    for each in found:
        if repository.read(each.file) not in (each.before, each.after):
            raise Stale(f"{each.name} was changed since, so nothing was undone; take what is memdown's out by hand.")
    for each in found:
        if repository.read(each.file) != each.before:
            repository.write(each.file, each.before)
    return msgspec.json.encode([structs.replace(each, before=each.after, after=each.before) for each in found]).decode()
