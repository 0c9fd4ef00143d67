"""A backup: all files of memory as one file, checksummed, written whole or not at all, equal for equal memory."""

import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from memdown.errors import Exists, Refused, Unreadable, quote
from memdown.project import Project
from memdown.store import backup as packed
from memdown.store.backup import BackupMember
from memdown.store.disk import Disk
from memdown.store.jail import STATE, reason
from memdown.store.names import is_git
from memdown.store.steps import FOLDER, SUFFIX


class Backup(Struct, frozen=True):
    """A backup that was made."""

    written: str
    """Where it is; empty when it was not written."""
    files: int
    steps: int
    """Steps of the undo log in it."""
    bytes: int
    sha256: str
    left_out: list[str]
    """What is not in it, a sentence each: names that no file of memory may have, links that lead out."""
    unchanged: bool = False
    """Whether the file was there already, as it is."""


def pack(project: Project, *, with_undo: bool = False) -> tuple[bytes, Backup]:
    """The bytes of a backup, and what it holds."""
    left_out: list[str] = []
    # Under the lock no group of changes is half made; where nothing may be written, nobody writes.
    with project.files.lock(when=os.access(project.root, os.W_OK)):
        names = project.kept_files(left_out.append)
        files = [_member(project, name) for name in project.progress(names, "reading")]
        steps = list(_steps(project)) if with_undo else []
    if not files:
        raise Refused(f"{quote(str(project.root))} has no memory; give the project's folder with --root")
    data = packed.pack([*files, *steps])
    return data, Backup("", len(files), len(steps), len(data), sha256(data).hexdigest(), left_out)


def save(path: Path, data: bytes, *, force: bool = False) -> bool:
    """Write a backup where a person wants it; False when it is there already. Another file is kept, but for `force`."""
    try:
        place = path.resolve()
        if any(is_git(part) for part in place.parts):
            raise Refused(f"{quote(str(path))} is refused: nothing is written under .git; choose another folder")
        disk = Disk(place.parent)
        there = disk.stat(place)
        if there is not None and disk.read(place) == data:
            return False
        if there is not None and not force:
            raise Exists(f"{quote(str(path))} already exists; choose another name or use --force")
        if not place.parent.is_dir():
            raise Unreadable(f"there is no folder {quote(str(path.parent))}; create it first")
        disk.write(place, data, there, lambda _: None)
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the path; a loop of links
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise Refused(f"cannot write {quote(str(path))}: {why}; choose another file, or fix that") from None
    return True


def _member(project: Project, name: str) -> BackupMember:
    path = project.files.path(name)
    data = project.files.data(name)
    if data is None:
        raise Unreadable(f"{quote(name)} was deleted while it was read; try again")
    return BackupMember(name, stat.S_IMODE(path.stat().st_mode) & 0o777, data)


def _steps(project: Project) -> Iterator[BackupMember]:
    folder = project.root / STATE / FOLDER
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        yield BackupMember(f"{STATE}/{FOLDER}/{path.name}", 0o600, Disk(project.root).read(path))
