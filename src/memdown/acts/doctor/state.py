"""Checks of what memdown keeps: files of memory and `.memdown/` with its lock, its leftovers, its log and its index."""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

from memdown.acts.doctor.symptoms import FAIL, OK, WARN, Patient, Symptom, listed
from memdown.index import Index, handle, sqlite, sync
from memdown.index.sqlite import Unusable
from memdown.project import Project
from memdown.store import disk, steps, wal
from memdown.store import locks as root_locks
from memdown.store.jail import STATE


def permissions(patient: Patient) -> Iterator[Symptom]:
    """Whether the folders and files can be read and written."""
    project, state = patient.project, patient.state
    if _denied(project.root, 0o200, os.W_OK):
        what = f"{project.root} is read-only: memory can be read, not written"
        yield Symptom(WARN, what, f"chmod u+w {project.root}")
    if state.is_symlink() or (os.path.lexists(state) and not state.is_dir()):
        kind = "a symbolic link" if state.is_symlink() else "not a folder"
        yield Symptom(FAIL, f"{STATE} is {kind}, so memdown cannot write", "remove it; memdown recreates it")
    elif state.is_dir() and _denied(state, 0o200, os.W_OK):
        yield Symptom(FAIL, f"{STATE} is read-only, so memdown cannot write", f"chmod u+w {state}")
    skipped: list[str] = []
    unlisted: list[str] = []
    names = patient.names(skipped.append, unlisted)
    yield from (Symptom(FAIL, each, "chmod -R u+rX gives you the folder") for each in unlisted)
    if skipped:
        what = f"skipped files: {len(skipped):,}, as {skipped[0]}"
        yield Symptom(WARN, what, "rename what is meant to be memory")
    for name in names:
        if refusal := project.too_large(name):
            what, _, do = refusal.partition("; ")
            yield Symptom(WARN, f"{name} {what}", do)
    unreadable = [name for name in names if _denied(project.root / name, 0o400, os.R_OK)]
    fixed = [name for name in names if name not in unreadable and _denied(project.root / name, 0o200, os.W_OK)]
    if unreadable:
        yield Symptom(FAIL, f"cannot be read: {listed(unreadable)}", "chmod u+r, or change the owner")
    if fixed:
        yield Symptom(WARN, f"read-only, so changes are refused: {listed(fixed)}", "chmod u+w, unless that is intended")
    yield Symptom(OK, f"readable memory files: {len(names) - len(unreadable):,}, in {project.root}")


def _denied(path: Path, bit: int, access: int) -> bool:
    """Whether nobody, or at least not this person, may do so; an administrator may do anything."""
    mode = path.stat().st_mode
    return not mode & (bit | bit >> 3 | bit >> 6) or not os.access(path, access)


def locks(patient: Patient) -> Iterator[Symptom]:
    """Whether somebody holds the lock."""
    path = patient.state / "lock"
    if os.path.lexists(path) and not stat.S_ISREG(path.lstat().st_mode):
        yield Symptom(FAIL, f"{STATE}/lock is not an ordinary file", "remove it; memdown recreates it")
    elif held := root_locks.holder(patient.project.root):
        yield Symptom(WARN, f"held by {held}", "wait for it; if it hangs, kill that process to release the lock")
    else:
        yield Symptom(OK, "nobody is writing")


def leftovers(patient: Patient) -> Iterator[Symptom]:
    """What writers that died left behind."""
    project, state = patient.project, patient.state
    writing = root_locks.holder(project.root)
    if writing:
        yield Symptom(OK, f"not checked while {writing} is writing")
        return
    temporary = list(_temporaries(patient))
    recover = partial(_recover, project, temporary)
    for folder in wal.folders(state) if state.is_dir() else ():
        end = "completed" if wal.is_decided(folder) else "dropped: it had changed nothing"
        yield Symptom(WARN, f"an interrupted group of changes, {STATE}/{folder.name}, is to be {end}", *_MEND, recover)
    if project.files.log.is_pending():
        yield Symptom(WARN, "an interrupted write left an unsettled undo step", *_MEND, recover)
    if temporary:
        names = listed([path.relative_to(project.root).as_posix() for path in temporary])
        yield Symptom(WARN, f"temporary files of writers that died: {names}", *_MEND, recover)
    kept = sorted((state / "recovered").glob("*"))
    if kept:
        what = (
            f"texts that a crash kept from being written: {listed([f'{STATE}/recovered/{each.name}' for each in kept])}"
        )
        yield Symptom(WARN, what, "compare them with your files, take what is missing, and delete them")
    yield Symptom(OK, "none")


_MEND = ("`memdown doctor --fix`, or the next write, settles it",)


def _temporaries(patient: Patient) -> Iterator[Path]:
    """Temporary files in the root, in the folder of state, and below folders of memory."""
    root = patient.project.root
    for folder in (root, patient.state):
        with os.scandir(folder) if folder.is_dir() else nullcontext(()) as entries:
            yield from (folder / each.name for each in entries if disk.is_temporary(each.name) and each.is_file())
    for home in patient.homes():
        for folder_name, _, names in os.walk(root / home):
            yield from (Path(folder_name, name) for name in names if disk.is_temporary(name))


def _recover(project: Project, temporary: list[Path]) -> None:
    with project.files.lock():  # which completes what a crash left
        for path in temporary:
            project.files.disk.unlink(path, missing_ok=True)


def _no_folder(patient: Patient, folder: Path) -> Symptom:
    """Something in the place of the log; a link and an empty file hold nothing that could be lost."""
    what, do = f"{STATE}/{folder.name} is not a folder, so memdown cannot write", "memdown recreates the folder"
    seen = folder.lstat()
    if stat.S_ISLNK(seen.st_mode) or (stat.S_ISREG(seen.st_mode) and not seen.st_size):
        fix = partial(patient.project.files.disk.unlink, folder, missing_ok=True)
        return Symptom(FAIL, what, f"`memdown doctor --fix` removes it; {do}", fix)
    return Symptom(FAIL, what, f"move it elsewhere, or remove it; {do}")


def undo(patient: Patient) -> Iterator[Symptom]:
    """Whether the log of changes can be read and keeps to its limits."""
    folder = patient.state / steps.FOLDER
    if os.path.lexists(folder) and not folder.is_dir():
        yield _no_folder(patient, folder)
        return
    files = sorted(folder.glob(f"*{steps.SUFFIX}"))
    size = sum(path.stat().st_size for path in files)
    readable = sum(1 for _ in patient.project.files.log.read())
    limit = patient.project.config.undo
    if readable < len(files):
        what = f"{len(files) - readable:,} of {len(files):,} steps cannot be read, so they cannot be undone"
        yield Symptom(WARN, what, f"nothing else is affected; delete {STATE}/{steps.FOLDER} to start over")
    if size > limit.megabytes << 20:
        what = f"the log takes {size / (1 << 20):,.1f} MB, more than the {limit.megabytes:,} MB of the settings"
        yield Symptom(WARN, what, "the next large write drops the oldest steps")
    space = f"{size / (1 << 20):.1f} of {limit.megabytes:,} MB"
    yield Symptom(OK, f"steps: {readable:,} of at most {limit.steps:,}, {space}")


def index(patient: Patient) -> Iterator[Symptom]:
    """Whether the index is sound and of this version. It is derived: making it anew is always safe."""
    path = patient.state / sqlite.NAME
    rebuild = partial(handle.refreshed, patient.project, rebuild=True)
    do = "`memdown index --rebuild`, or `memdown doctor --fix`; the files are not affected"
    if not os.path.lexists(path):
        yield Symptom(OK, "none yet; the first search creates it")
        return
    if not path.is_file():
        yield Symptom(FAIL, f"{STATE}/{sqlite.NAME} is not an ordinary file", "remove it; memdown recreates it")
        return
    try:
        yield _sound(patient, path, rebuild, do)
    except (Unusable, sqlite3.Error) as error:
        if sqlite.is_busy(error):
            yield Symptom(OK, "another process is writing it")
        else:
            yield Symptom(WARN, f"the index {error}", do, rebuild)


def _sound(patient: Patient, path: Path, rebuild: Callable[[], object], do: str) -> Symptom:
    found = Index.open(str(path))
    if found is None:
        return Symptom(OK, "none yet; the first search creates it")
    try:
        fault = found.connection.execute("pragma quick_check(1)").fetchone()[0]
        if fault != "ok":
            return Symptom(WARN, f"the index is damaged: {fault}", do, rebuild)
        if found.outdated:
            return Symptom(WARN, "the index was made by another version of memdown", do, rebuild)
        counts, _ = sync.unchanged(str(patient.project.root), found)
    finally:
        found.close()
    size = f"{path.stat().st_size / (1 << 20):.1f} MB"
    if counts is None:
        return Symptom(OK, f"sound, {size}; files changed since, which the next search reads")
    return Symptom(OK, f"sound, {size}; files: {counts['files']:,}, records: {counts['records']:,}")
