"""The projects below MEMORY_BANK_ROOT, kept apart.

A project is a folder inside that root, links resolved, and no part of another project. All else is refused.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from memdown.errors import BadConfig, NotFound, Refused, Unreadable, quote, way
from memdown.project import bank_folder
from memdown.settings import config
from memdown.store import Jail, check_name
from memdown.store.jail import reason

ROOT = "MEMORY_BANK_ROOT"
_USUAL = "~/memory-banks"


class ListedProject(Struct, frozen=True):
    """A project with memory."""

    name: str
    """What it is called here: its folder below the root."""
    path: str


def root() -> Path:
    """The folder of all projects: MEMORY_BANK_ROOT, else memory-banks in the home folder."""
    given = os.environ.get(ROOT) or _USUAL
    try:
        return Path(os.path.realpath(Path(given).expanduser()))
    except RuntimeError:  # no home folder is known, as in a bare container
        raise Unreadable(f"{quote(given)} has no home folder to begin with; set {ROOT}.") from None


def listed(
    below: Path | None = None, *, skipped: Callable[[str], None] = lambda _: None, bank: bool = True
) -> list[ListedProject]:
    """The projects directly inside the root that have a bank, or else any memory.

    `skipped` hears what is passed over, and why.
    """
    jail = Jail(below or root())
    return [ListedProject(name, str(path)) for name, path in _projects(jail, skipped, has_bank if bank else has_memory)]


def none_listed(*, bank: bool = True) -> str:
    """What to say where no project is listed."""
    what = "a memory bank" if bank else "memory"
    return f"No project with {what} in {root()}; set {ROOT} to the folder that holds your projects."


def packages(own: Path) -> list[ListedProject]:
    """The packages of a project that have memory of their own, by their path in it."""
    names = dict.fromkeys(home.rpartition("/")[0] for home in config.load(own).nested)
    jail = Jail(own)
    return [ListedProject(_apart(name), str(jail.folder(name))) for name in names if name]


def _apart(package: str) -> str:
    """The path of a package, told from the name of a project below the root."""
    return package if "/" in package or not (root() / package).exists() else f"./{package}"


def packages_with_bank(own: Path, *, skipped: Callable[[str], None] = lambda _: None) -> list[ListedProject]:
    """Those of them that have a memory bank; `skipped` hears what is passed over, and why."""
    found = []
    for each in packages(own):
        with _passing_over(each.name, skipped):
            found += [each] if has_bank(Path(each.path)) else []
    return found


def _projects(jail: Jail, skipped: Callable[[str], None], has: Callable[[Path], bool]) -> Iterator[tuple[str, Path]]:
    seen: set[Path] = set()
    try:
        # What is real goes before links to it, so that a project is listed once, by its own name.
        folders = sorted(jail.root.iterdir(), key=lambda each: (each.is_symlink(), each.name))
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unreadable(f"{quote(str(jail.root))} cannot be listed: {reason(error)}; set {ROOT}.") from error
    for folder in folders:
        if folder.name.startswith(".") or not folder.is_dir():
            continue
        with _passing_over(folder.name, skipped):
            path = jail.path(folder.name)
            if path not in seen and path.parent == jail.root and has(path):
                seen.add(path)
                yield folder.name, path


@contextmanager
def _passing_over(name: str, skipped: Callable[[str], None]) -> Iterator[None]:
    try:
        yield
    except (Refused, BadConfig) as error:
        skipped(f"the folder {quote(name)} is skipped: {str(error).rstrip('.')}")


def has_bank(project: Path) -> bool:
    """Whether a folder has a bank of its own; one that a link leads elsewhere is refused."""
    settings = config.load(project)
    found = bank_folder(project, settings)
    return found is not None and Jail(project, settings.hidden()).folder(found).is_dir()


def has_memory(project: Path) -> bool:
    """Whether a folder has memory of its own, in whatever dialect."""
    return has_bank(project) or config.holds_memory(project)


def resolve(wanted: str, *, below: Path | None = None, own: Path | None = None, new: bool = False) -> Path:
    """The folder of a project, by its name below the root or by its path.

    `own` is a project that is reachable wherever it is, as the one a server was started for, and so are its packages
    by their path in it; `new` allows a folder that is not there yet.
    """
    jail = Jail(below or root())
    if own is not None and _is_at(wanted, own):
        return Path(os.path.realpath(own))
    if own is not None and (package := _package(wanted, own, jail.root)):
        return package
    path = _inside(wanted, jail)
    _refuse_parts(wanted, path, jail.root)
    if path.is_dir() or (new and not os.path.lexists(path)):
        return path
    raise NotFound(f"There is no project {quote(wanted)} in {quote(str(jail.root))}; see {way('projects')}.")


def _inside(wanted: str, jail: Jail) -> Path:
    """The real path of a name or path, inside the root and not the root itself."""
    absolute = Path(wanted).is_absolute()
    name = jail.name_of(wanted, jail.root) if absolute else check_name(wanted)
    if not absolute and "/" in name:
        raise Refused(f"{quote(wanted)} is refused as a project: it has a slash; give its name or its full path")
    path = jail.folder(name)
    if path == jail.root:
        raise Refused(f"{quote(wanted)} is refused: it is the folder of all projects; name one of them")
    return path


def _is_at(wanted: str, own: Path) -> bool:
    """Whether a path, or a dot, is this project. A bare name is one below the root, whatever the current folder is."""
    if wanted in (".", "./"):
        return True
    if "\0" in wanted or not Path(wanted).is_absolute():
        return False
    return os.path.realpath(wanted) == os.path.realpath(own)


def _package(wanted: str, own: Path, root: Path) -> Path | None:
    """The package of a project that is meant. A bare name is one below the root, where that has it."""
    if "\0" in wanted:
        return None
    here = Path(os.path.realpath(own))
    path = Path(os.path.realpath(here / wanted))
    if not path.is_relative_to(here) or ("/" not in wanted and (root / wanted).exists()):
        return None
    return next((path for each in packages(own) if Path(each.path) == path), None)


def _refuse_parts(wanted: str, path: Path, root: Path) -> None:
    """Refuse a folder inside another project: its files are that project's."""
    for above in path.parents:
        if above == root:
            return
        if bank_folder(above, config.load(above)) is not None:
            raise Refused(f"{quote(wanted)} is refused: it is a part of the project {quote(above.name)}; name that one")
