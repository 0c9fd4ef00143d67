"""Names below one root turned into paths that stay inside it, and the search for that root."""

import os
from collections.abc import Callable, Collection, Iterable
from itertools import pairwise
from pathlib import Path

from memdown import homes
from memdown.errors import Refused, Unreadable, quote
from memdown.homes import SETTINGS
from memdown.patterns import lazy
from memdown.store.disk import Disk, is_link
from memdown.store.names import check_name, is_git, same_place
from memdown.store.state import STATE as STATE
from memdown.store.state import reason as reason

_UUID = lazy(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.md")


class Jail:
    """One root folder; whatever comes out of it lies inside, symbolic links followed."""

    def __init__(self, root: Path, hidden: frozenset[str] = frozenset()) -> None:
        self.root = Path(os.path.realpath(root))
        self._parts = self.root.parts
        self.hidden = hidden
        self.disk = Disk(self.root)

    def path(self, name: str) -> Path:
        """The real path of a name, whether or not a file is there."""
        parts = name.split("/")
        # Settings of assistants are hidden files too; `name_of` refuses them, so that no path a person gives is one.
        check_name(name, self.hidden.union(parts) if name in SETTINGS else self.hidden)
        return self._follow(name, parts)

    def entry(self, name: str) -> Path:
        """Like `path`, with a symbolic link at the end left as the link."""
        self.path(name)
        *folders, last = name.split("/")
        return self._follow(name, folders) / last

    def folder(self, name: str) -> Path:
        """The real path of a folder; the empty name is the root."""
        return self.path(name) if name not in ("", ".") else self.root

    def target(self, name: str) -> Path:
        """The path of a name that may be written."""
        path = self.path(name)
        parts = (*path.parts, *name.split("/"))
        if any(is_git(part) for part in parts):
            raise Refused(f"{quote(name)} is refused: nothing is written under .git; choose another folder")
        if STATE in map(same_place, (*path.relative_to(self.root).parts, *name.split("/"))):
            raise Refused(f"{quote(name)} is refused: {STATE} is for memdown's own data; choose another folder")
        return path

    def name_of(self, path: str | Path, cwd: Path) -> str:
        """The name of a path that a person gave; the root itself is the empty name."""
        given = str(path)
        if not given or "\0" in given:
            raise Refused(f"{quote(given)} is refused as a path: it is empty or has a NUL; give a file's path")
        parts = Path(given).parts
        if any(part == ".." and before != ".." for before, part in pairwise(parts)):
            # Behind a link, the folder above is another one than the text of the path says.
            raise Refused(f"{quote(given)} is refused: '..' follows a folder; give the path without it")
        whole = Path(os.path.normpath(cwd / path))
        # From the top, so that links further down keep the name the person knows.
        for folder in (*reversed(whole.parents), whole):
            if _same_folder(folder, self.root):
                return self._checked(whole.relative_to(folder))
        real = Path(os.path.realpath(whole))
        if real.is_relative_to(self.root):
            return self._checked(real.relative_to(self.root))
        raise Refused(f"{quote(given)} is refused: it is outside {quote(str(self.root))}; give a file inside it")

    def refuse_clashes(self, names: Iterable[str], leaving: Collection[str] = ()) -> None:
        """Refuse new names that differ from others, or each other, by case or normal form alone."""
        listings: dict[str, dict[str, set[str]]] = {}
        alone: dict[tuple[str, str], set[str]] = {}
        for name in names:
            folder = ""
            for part in name.split("/"):
                if _UUID.fullmatch(part):
                    spellings = alone.setdefault((folder, part), self._spelled(folder, part))
                else:
                    if folder not in listings:
                        listings[folder] = self._listing(folder)
                    spellings = listings[folder].setdefault(same_place(part), set())
                others = {_joined(folder, other) for other in spellings}.difference(leaving)
                # Where both spellings are on disk already, the clash is not of this call's making.
                if others and part not in spellings:
                    raise Refused(
                        f"{quote(name)} is refused: it differs only in case or in the encoding of accents from"
                        f" {quote(min(others))}, and macOS and Windows cannot hold both; choose another name"
                    )
                spellings.add(part)
                folder = _joined(folder, part)

    def _checked(self, relative: Path) -> str:
        return check_name("/".join(relative.parts), self.hidden) if relative.parts else ""

    def _follow(self, name: str, parts: list[str]) -> Path:
        place = str(self.root)  # as text: a Path for each part takes longer than asking the disk
        for number, part in enumerate(parts):
            place = os.path.join(place, part)  # noqa: PTH118
            try:
                link = is_link(os.lstat(place))
            except (FileNotFoundError, NotADirectoryError):
                return self._inside(name, Path(place, *parts[number + 1 :]))
            except OSError as error:
                raise Unreadable(f"{quote(name)} cannot be reached: {reason(error)}; check its folder") from error
            if link:
                place = str(self._inside(name, _end_of_link(name, Path(place))))
        return self._inside(name, Path(place))

    def _inside(self, name: str, path: Path) -> Path:
        parts = path.parts
        if parts[: len(self._parts)] != self._parts and not path.is_relative_to(self.root):
            raise Refused(f"{quote(name)} is refused: a symbolic link leads out of the root; remove the link")
        if any(is_git(part) for part in parts[len(self._parts) :]):
            raise Refused(f"{quote(name)} is refused: it leads into .git; choose another folder")
        return path

    def _spelled(self, folder: str, part: str) -> set[str]:
        """The spellings that a folder has of a UUID: people and tools write one in small letters or in capitals.

        So a folder of fifty thousand cards need not be listed for each that is added.
        """
        stem = part.removesuffix(".md")
        place = self._follow(folder, folder.split("/") if folder else [])
        each = (part, f"{stem.upper()}.md", f"{stem.upper()}.MD", f"{stem}.MD")
        return {spelling for spelling in each if os.path.lexists(place / spelling)}

    def _listing(self, folder: str) -> dict[str, set[str]]:
        """What a folder holds, by what file systems take for the same."""
        found: dict[str, set[str]] = {}
        try:
            for each in self.disk.listing(self._follow(folder, folder.split("/") if folder else [])):
                found.setdefault(same_place(each.name), set()).add(each.name)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise Unreadable(f"the folder {quote(folder)} cannot be listed: {reason(error)}") from error
        return found


def find_root(start: Path, holds_memory: Callable[[Path], bool]) -> Path:
    """The nearest folder upwards that holds memory, within the git working tree or below the home folder."""
    return Path(homes.find_root(str(start), lambda folder: holds_memory(Path(folder))))


def _joined(folder: str, part: str) -> str:
    return f"{folder}/{part}" if folder else part


def _end_of_link(name: str, link: Path) -> Path:
    try:
        return Path(os.path.realpath(link, strict=True))
    except OSError as error:
        raise Refused(
            f"{quote(name)} is refused: a symbolic link leads nowhere ({reason(error)}); remove it"
        ) from error


def _same_folder(path: Path, root: Path) -> bool:
    try:
        return path.samefile(root)
    except (OSError, ValueError):
        return path == root
