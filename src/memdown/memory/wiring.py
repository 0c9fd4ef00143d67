"""memdown in the settings of assistants and of git. `Memory` hands over to this."""

import shutil
from collections.abc import Collection
from contextlib import nullcontext

from memdown.acts import install
from memdown.acts.install import Installer, InstallPlan, ShownChange
from memdown.project import Project


class Wiring:
    """Installs into the project, and takes out again."""

    def __init__(self, root: Project, able: Collection[str], line: str | None = None) -> None:
        """`able` are the commands this memdown has; `line` is how it is called, `memdown` when not given."""
        self._root = root
        called = install.Command() if line is None else install.command(line)
        self._program = called.words[0]
        self._installer = Installer(root.files, able, called)

    def shown(self) -> list[ShownChange]:
        """Every target."""
        return self._installer.shown()

    def install(self, target: str | None = None, *, remove: bool = False, write: bool = True) -> InstallPlan:
        """Install for a target or all of them, or take it out; without one, only tell what that would be.

        `write=False` tells what would change, too.
        """
        names = self._installer.detected() if target is None else install.chosen(target)
        write = write and target is not None
        with self._root.files.lock() if write else nullcontext():
            plan = self._installer.plan(names, remove=remove)
            if write and plan.changes:
                self._installer.make(plan)
        if not remove and plan.changes and shutil.which(self._program) is None:
            self._root.tell(f"{self._program} is not on the PATH here; --command says how else memdown is called")
        for note in plan.notes:
            self._root.tell(note)
        return plan
