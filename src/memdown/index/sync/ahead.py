"""Reading files of one folder together, through one handle of it: opened for each, it takes longer than the file."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import islice

from memdown.index.sync.scan import State
from memdown.store import Files

_MOST, _BYTES = 64, 1 << 20
"""How many files are read at once, and how much they may hold together."""


class ReadAhead:
    """Takes files in their order; those that the scan saw as ordinary ones are read a few at a time."""

    def __init__(self, files: Files, seen: Mapping[str, State], names: Sequence[str], megabytes: int) -> None:
        self._files = files
        self._seen = seen
        self._names = names
        self._most = megabytes << 20
        self._read: dict[str, bytes] = {}
        self._until = 0
        """Before which of the names all were read that can be."""

    def take(self, at: int) -> bytes | None:
        """What a file holds; None for one that has to be read alone, which says why if it cannot be."""
        folder, _, last = self._names[at].rpartition("/")
        if at >= self._until:
            near = self._near(folder, at)
            self._until = at + max(len(near), 1)
            self._read = {}
            if len(near) > 1:
                with suppress(OSError):
                    self._read = self._files.disk.read_folder(f"{self._files.root}/{folder}", near, self._most)
        return self._read.pop(last, None)

    def _near(self, folder: str, at: int) -> list[str]:
        """The names in its folder of a file and of those that follow it there."""
        found: list[str] = []
        size = 0
        for name in islice(self._names, at, at + _MOST):
            above, _, last = name.rpartition("/")
            state = self._seen.get(name)
            size += _BYTES + 1 if state is None or not folder else state[0]
            if above != folder or size > _BYTES:
                break
            found.append(last)
        return found
