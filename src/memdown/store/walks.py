"""The files below a folder, each once, whatever the links among them say."""

import os
from collections.abc import Callable
from pathlib import Path

from memdown.errors import Refused, Unreadable, quote
from memdown.store.disk import Listed, is_temporary
from memdown.store.jail import STATE, Jail, reason
from memdown.store.names import check_name, is_git, same_place


class Walk:
    """One walk: the names it found, and temporary files it met, which may be of a writer that died."""

    def __init__(self, jail: Jail, suffixes: tuple[str, ...], skipped: Callable[[str], None] | None = None) -> None:
        self._jail = jail
        self._suffixes = suffixes
        self._skipped = skipped or (lambda _: None)
        self._start = jail.root
        self._entered: set[Path] = set()
        self._names: dict[str, str] = {}
        self._links: list[str] = []
        self.strays: set[Path] = set()

    def below(self, folder: str) -> list[str]:
        """Sorted names. Files are found under their own name first; a link adds only what has no other."""
        self._start = self._jail.folder(folder)
        self._enter("" if folder == "." else folder, self._start)
        while self._links:
            self._follow(self._links.pop(0))
        return sorted(self._names.values())

    def _enter(self, name: str, path: Path) -> None:
        pending = [(name, path)]
        while pending:
            name, path = pending.pop()
            if path in self._entered:
                continue
            self._entered.add(path)
            folder = os.path.join(path, "")  # noqa: PTH118 - text, as a Path for each file takes longer than the disk
            for entry in self._entries(name, path):
                inner = f"{name}/{entry.name}" if name else entry.name
                if is_temporary(entry.name):
                    self.strays.add(path / entry.name)
                elif entry.is_link:
                    # Links wait until all that is real has been seen.
                    self._links.append(inner)
                elif entry.is_folder:
                    if self._welcome(inner):
                        pending.append((inner, path / entry.name))
                else:
                    self._add(inner, f"{folder}{entry.name}", entry.is_file)

    def _entries(self, name: str, path: Path) -> list[Listed]:
        try:
            return self._jail.disk.listing(path)
        except FileNotFoundError:
            return []
        except OSError as error:
            if isinstance(error, NotADirectoryError) and not os.path.lexists(path):
                return []  # below a file, as a .clinerules may be one, there is nothing
            raise Unreadable(f"the folder {quote(name or '.')} cannot be listed: {reason(error)}; fix that") from error

    def _follow(self, name: str) -> None:
        if not self._welcome(name):
            return
        try:
            path = self._jail.path(name)
        except Refused as error:
            self._skipped(str(error))
            return
        if not path.is_dir():
            self._add(name, str(path), path.is_file())
        elif not self._start.is_relative_to(path):  # else it leads back up
            self._enter(name, path)

    def _add(self, name: str, path: str, ordinary: bool) -> None:
        if not name.endswith(self._suffixes) or not self._welcome(name):
            return
        if ordinary:
            self._names.setdefault(path, name)
        else:
            self._skipped(f"{quote(name)} is skipped: it is not an ordinary file")

    def _welcome(self, name: str) -> bool:
        return _is_welcome(name, self._jail.hidden, self._skipped)


def is_found(name: str, folder: str, hidden: frozenset[str], skipped: Callable[[str], None]) -> bool:
    """Whether a walk below a folder finds an ordinary file of this name that no link leads to."""
    above = folder
    for part in name.removeprefix(f"{folder}/").split("/"):
        above = f"{above}/{part}"
        if is_temporary(part) or not _is_welcome(above, hidden, skipped):
            return False
    return True


def _is_welcome(name: str, hidden: frozenset[str], skipped: Callable[[str], None]) -> bool:
    last = name.rpartition("/")[2]
    if same_place(last) == STATE or is_git(last):
        return False
    try:
        check_name(name, hidden)
    except Refused as error:
        if not last.startswith("."):  # what is hidden is meant to be
            skipped(str(error))
        return False
    return True
