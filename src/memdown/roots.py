"""Which folder is the root of a project's memory. Works on plain strings: hooks cannot afford pathlib."""

import os

from memdown.homes import HOMES, SIGNS

TYPE_CHECKING = False  # as typing's, which hooks cannot afford either
if TYPE_CHECKING:
    from collections.abc import Callable


def find(start: str, holds: "Callable[[str], bool]") -> str:
    """The nearest folder upwards that holds memory, within the git working tree or below the home folder."""
    upwards = _upwards(os.path.realpath(start))
    # A file in worktrees and submodules, a folder else; either marks the top of a working tree.
    git = next((folder for folder in upwards if os.path.lexists(os.path.join(folder, ".git"))), None)
    if git is None:
        above = _upwards(home())
        looked = upwards[:1] if upwards[0] in above else [folder for folder in upwards if folder not in above]
    else:
        looked = upwards[: upwards.index(git) + 1]
    return next(filter(holds, looked), git or upwards[0])


def holds_memory(folder: str) -> bool:
    """Whether a folder is the root of a project that memdown knows."""
    return settings_of(folder) is not None or any(
        os.path.isdir(os.path.join(folder, home)) for dialect in HOMES for home in SIGNS.get(dialect, HOMES[dialect])
    )


def settings_of(folder: str) -> str | None:
    """The file that holds a project's settings; None when it has none."""
    own = os.path.join(folder, "memdown.toml")
    if os.path.isfile(own):
        return own
    shared = os.path.join(folder, "pyproject.toml")
    if os.path.isfile(shared):
        with open(shared, "rb") as file:
            if b"[tool.memdown" in file.read():
                return shared
    return None


def home() -> str:
    """The person's own folder; the top of the file system when none is known, as in a bare container."""
    found = os.path.expanduser("~")
    return os.path.realpath(found if found != "~" else os.sep)


def _upwards(folder: str) -> list[str]:
    folders = [folder]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    return folders
