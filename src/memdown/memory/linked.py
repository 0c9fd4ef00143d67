"""How the records of a project hang together. `Memory.graph` hands over to this."""

from collections.abc import Callable, Sequence
from functools import cache

from memdown import git
from memdown.acts import graph
from memdown.acts.graph import Graph
from memdown.errors import Refused
from memdown.project import Project
from memdown.record import Record


def graph_of(root: Project, records: Sequence[Record], around: str | None, steps: int) -> Graph:
    """The graph of some records, or the part of it around one."""
    found = graph.build(records, _is_file(root))
    return found if around is None else found.around(graph.id_of(root.get(around)), steps)


def _is_file(root: Project) -> Callable[[str], bool]:
    """Whether a name is a file of the project: of those git knows, else of those on the disk."""
    known = frozenset(git.files(root.root))
    if known:
        return known.__contains__

    @cache
    def on_disk(name: str) -> bool:
        try:
            return root.files.path(name).is_file()
        except Refused:
            return False

    return on_disk
