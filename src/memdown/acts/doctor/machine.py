"""Checks of the machine: what is installed, what the project sets, what the file system and its clock can do."""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from importlib import metadata
from pathlib import Path

from memdown import VERSION, homes, programs
from memdown.acts.doctor.calls import answer
from memdown.acts.doctor.symptoms import FAIL, OK, WARN, Patient, Symptom, listed
from memdown.errors import MemdownError
from memdown.patterns import lazy
from memdown.project import SETTINGS_FILE
from memdown.settings import config
from memdown.store import locks
from memdown.store.jail import reason

_COMBINED = ("all", "dev")
"""Extras that bring others together, or are for who works on memdown."""
_REQUIRED = lazy(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?P<wanted>[^;]*)(?:;(?P<marker>.*))?")
_EXTRA = lazy(r"extra\s*==\s*['\"]([A-Za-z0-9._-]+)['\"]")
_SKEW = 5.0
"""Seconds that the clock of a disk may be away from ours."""


def installation(_: Patient) -> Iterator[Symptom]:
    """The version, and whether the command that hooks call is there and is the same."""
    python = ".".join(map(str, sys.version_info[:3]))
    about = f"memdown {VERSION}, Python {python}, {_extras()}"
    place = programs.find("memdown")
    if place is None:
        yield Symptom(OK, f"{about}; `memdown` is not on the PATH, which only hooks and servers need")
        return
    called = answer([place, "--version"])
    if called.printed.strip() == f"memdown {VERSION}":
        yield Symptom(OK, f"{about}; {place}")
        return
    what = called.printed.strip() or called.fault or "nothing"
    yield Symptom(WARN, f"{about}; but {place} answers {what}", "install the same version there, or remove that one")


def _extras() -> str:
    """Which extras are installed, and which are not: each with all that it asks for."""
    wanted: dict[str, list[str]] = {}
    try:
        required = metadata.requires("memdown") or []
    except metadata.PackageNotFoundError:
        return "extras unknown, as it runs without being installed"
    for line in required:
        match = _REQUIRED.match(line)
        extra = _EXTRA.search(match["marker"] or "") if match else None
        if match and extra and extra[1] not in _COMBINED:
            wanted.setdefault(extra[1], []).append(match["name"])
    there = [name for name, packages in wanted.items() if all(map(_is_installed, packages))]
    missing = sorted(wanted.keys() - set(there))
    return f"extras: {', '.join(sorted(there)) or 'none'}" + (f" (without {', '.join(missing)})" if missing else "")


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def configuration(patient: Patient) -> Iterator[Symptom]:
    """Whether the settings can be read, are those that count, and name folders that are there."""
    root = patient.project.root
    own = root / SETTINGS_FILE
    if os.path.lexists(own) and not own.is_file():
        yield Symptom(FAIL, f"{SETTINGS_FILE} is not an ordinary file, so it is ignored", "put a file in its place")
        return
    try:
        found = homes.settings_of(str(root))
        settled = config.load(root)
    except OSError as error:
        yield Symptom(FAIL, f"the settings cannot be read: {reason(error)}", "check the permissions of memdown.toml")
        return
    except MemdownError as error:
        yield Symptom(FAIL, str(error).rstrip("."), "fix the file; docs/configuration.md lists the keys")
        return
    if found == str(own) and b"[tool.memdown" in _content(root / "pyproject.toml"):
        what = f"both {SETTINGS_FILE} and pyproject.toml have settings; only {SETTINGS_FILE} counts"
        yield Symptom(WARN, what, "move what you need there, and remove [tool.memdown] from pyproject.toml")
    chosen = (settled.bank.folder, settled.cards.folder, settled.layers.folder, *settled.okf.folders)
    for folder in chosen:
        if folder and not (root / folder).is_dir():
            yield Symptom(WARN, f"the settings name the folder {folder}, which is not there", "make it, or correct it")
    mode = f"; MEMDOWN_MODE is {config.mode()}" if config.mode() else ""
    yield Symptom(OK, f"{Path(found).name if found else 'no settings; the defaults apply'}{mode}")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes() if path.is_file() else b""
    except OSError:
        return b""


def file_system(patient: Patient) -> Iterator[Symptom]:
    """Whether files can be written, locked, renamed over and told apart by case where the project is."""
    try:
        with _probing(patient) as folder:
            yield from _probed(Path(folder))
    except OSError as error:
        yield Symptom(FAIL, f"cannot write here: {reason(error)}", "make the folder writable; reading works")


def _probing(patient: Patient) -> "tempfile.TemporaryDirectory[str]":
    """A folder that is gone afterwards."""
    inside = patient.state if patient.state.is_dir() else patient.project.root
    return tempfile.TemporaryDirectory(prefix=".memdown-doctor-", dir=inside)


def _probed(folder: Path) -> Iterator[Symptom]:
    file, other = folder / "a", folder / "b"
    file.write_bytes(b"1")
    other.write_bytes(b"2")
    other.replace(file)
    what = locks.fault_of(folder / "c")
    if what:
        yield Symptom(
            FAIL, f"this file system {what}, so two writers could collide", "keep the project on a local disk"
        )
    case = "case-sensitive" if not (folder / "A").exists() else "not case-sensitive"
    yield Symptom(OK, f"can be written{'' if what else ' and locked'}, {case}")


def clock(patient: Patient) -> Iterator[Symptom]:
    """Whether the disk has our time, and files and records are of the past."""
    project = patient.project
    with suppress(OSError), _probing(patient) as folder:
        file = Path(folder, "a")
        before = time.time()
        file.write_bytes(b"1")
        skew = file.stat().st_mtime - before
        if abs(skew) > _SKEW:
            what = f"the clock of the disk is {abs(skew):,.0f} s {'ahead' if skew > 0 else 'behind'}"
            yield Symptom(WARN, what, "set the clock of this machine or of the file server")
    names = patient.names()  # what cannot be read is told elsewhere
    ahead = [name for name in names if project.files.path(name).stat().st_mtime > time.time() + _SKEW]
    if ahead:
        what = f"changed in the future, by the clock of this machine: {listed(ahead)}"
        yield Symptom(WARN, what, "set the clock; `touch` updates the times of the files")
    limit = project.now() + timedelta(days=1)
    late: list[str] = []
    for name in names:
        with suppress(MemdownError):
            found = (each for each in project.parsed(name).records if each.at and each.at.instant() > limit)
            late += [f"{each.path}:{each.line}" for each in found]
    if late:
        yield Symptom(WARN, f"dated in the future: {listed(late)}", "correct the dates, or set the clock")
    yield Symptom(OK, f"{project.now().isoformat(timespec='seconds')}; no file or record is dated in the future")
