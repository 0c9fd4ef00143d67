"""Writing entries of logs: decisions, memories, notes, directives. Reached as `memory.entries`."""

from typing import Unpack

from memdown.acts import add
from memdown.acts.add import Added
from memdown.dialects.draft import DraftFields
from memdown.project import Project


class Entries:
    """The entries of one memory, for writing."""

    def __init__(self, root: Project) -> None:
        self._root = root

    def home(self) -> str:
        """The folder of logs: the first known one that is there, else the one for new projects."""
        return add.home(self._root, "sem")

    def add(self, kind: str, title: str, **given: Unpack[DraftFields]) -> Added:
        """Append an entry to its log, or with `inbox` write it to a file of its own in the drop box.

        The time is stamped here. An entry of the same kind, time and title moves the new one a second on.
        """
        return add.add(self._root, kind, title, dialect="sem", **given)
