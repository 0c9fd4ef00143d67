"""The files of the project itself, for reading only: which there are, and their text, within bounds.

Folders of other people's code are left out, no link out of the root is followed, and what cannot be read is noted and
left out.
"""

import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from memdown.errors import quote
from memdown.markdown.formats import Unread
from memdown.store.disk import Disk
from memdown.store.jail import STATE, reason

MOST_FILES = 20_000
MOST_BYTES = 1_000_000
MOST_LOCKED_BYTES = 8_000_000
"""Lock files are long; they are written by tools and read line by line or as JSON."""
DEEPEST = 24

_OTHERS_CODE = frozenset(
    "node_modules bower_components jspm_packages vendor third_party third-party thirdparty site-packages Pods Carthage"
    " .venv venv .tox .nox __pycache__ .mypy_cache .pytest_cache .ruff_cache .hypothesis .eggs .gradle .mvn .next .nuxt"
    " .svelte-kit .turbo .parcel-cache .cache .terraform .yarn .pnpm-store .dart_tool .bundle .idea .vs dist coverage"
    " htmlcov obj .git .hg .svn .jj".split()
)
_MADE = frozenset("build out target _build deps".split())
"""Output of a build, unless git says that it is kept."""

T = TypeVar("T")


class Tree:
    """The files below a folder, the shallow ones first.

    `listed` are the names git knows, so that what it ignores is left out; without them the folders are walked.
    """

    def __init__(self, root: Path, listed: Sequence[str] | None = None) -> None:
        self.root = Path(os.path.realpath(root))
        self.notes: list[str] = []
        self.names = self._chosen(list(_walk(self.root)) if listed is None else listed)
        self._known = frozenset(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._known

    def below(self, folder: str) -> list[str]:
        """Names of the files below a folder, whether or not git ignores them; none through a link out of the root."""
        path = Path(os.path.realpath(self.root / folder))
        if not path.is_dir() or not path.is_relative_to(self.root):
            return []
        return [f"{folder}/{name}" for name in sorted(_walk(path)) if name.isprintable()]

    def text(self, name: str, most: int = MOST_BYTES) -> str | None:
        """The text of a file; None when there is none, or it cannot be read as text."""
        try:
            data = self._bytes(name, most)
            return None if data is None else _decoded(data)
        except Unread as fault:
            self.note(name, str(fault))
        except OSError as error:
            self.note(name, reason(error))
        return None

    def data(self, name: str, read: Callable[[str], T], most: int = MOST_BYTES) -> T | None:
        """What a reader makes of a file; None when it makes nothing of it."""
        text = self.text(name, most)
        if text is None:
            return None
        try:
            return read(text)
        except Unread as fault:
            self.note(name, str(fault))
            return None

    def note(self, name: str, why: str) -> None:
        """Something passed over; reported at the end."""
        sentence = f"{quote(name)} is skipped: {why}"
        if sentence not in self.notes:
            self.notes.append(sentence)

    def _bytes(self, name: str, most: int) -> bytes | None:
        path = self.root / name
        try:
            real = Path(os.path.realpath(path, strict=True))
        except FileNotFoundError:
            return None
        if not real.is_relative_to(self.root):
            raise Unread("a link leads out of the project")
        # Never waits: a pipe is opened without blocking, and then found not to be a file.
        descriptor = Disk(self.root).open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise Unread("it is not an ordinary file")
            if found.st_size > most:
                raise Unread(f"it has more than {most:,} bytes")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(most)
        finally:
            os.close(descriptor)

    def _chosen(self, names: Sequence[str]) -> list[str]:
        kept = [name for name in names if name.isprintable() and not _OTHERS_CODE.intersection(name.split("/")[:-1])]
        kept.sort(key=lambda name: (name.count("/"), name))
        if len(kept) > MOST_FILES:
            self.notes.append(f"Only the first {MOST_FILES:,} files are looked at, the nearest to the root")
        return kept[:MOST_FILES]


def _walk(root: Path) -> Iterator[str]:
    """Files below a folder, breadth first: the bound leaves out the deepest. Links to folders are not entered."""
    pending = deque([("", root)])
    found = folders = 0
    while pending and folders <= MOST_FILES:
        prefix, folder = pending.popleft()
        folders += 1
        for entry in _entries(folder):
            name = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not _skipped(entry.name) and name.count("/") < DEEPEST:
                    pending.append((f"{name}/", folder / entry.name))
            else:
                found += 1
                if found > MOST_FILES + 1:  # one more than is used, so that the bound is noticed
                    return
                yield name


def _skipped(folder: str) -> bool:
    return folder in _OTHERS_CODE or folder in _MADE or folder == STATE or folder.endswith(".egg-info")


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []  # a folder that cannot be listed holds nothing we could tell of


def _decoded(data: bytes) -> str:
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unread("it is not UTF-8") from None
