"""Programs as an assistant will find them: not by what only this run has on its PATH."""

import os
import shutil
from pathlib import Path

from memdown.errors import origin


def lasting_path() -> str:
    """The PATH without temporary environments, such as those of `uvx` and `pipx run`, which are gone after the run."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not _is_temporary(folder))


def find(program: str) -> str | None:
    """The place of a program, by its name or its path."""
    return shutil.which(program, path=lasting_path())


def hint(program: str) -> str:
    """What to do about a program that is not found, behind a sentence that says so."""
    if shutil.which(program) is None or find(program):
        return "put it on the PATH, or install with --command"
    where = origin()
    again = f"'uvx --from {where} {program}'" if where and " " not in where else f"'uvx --from PATH {program}'"
    return (
        "it is only in the temporary environment of this run, which assistants do not have; "
        f"install it with `pipx install` or `uv tool install`, or give --command {again}"
    )


def active_environment(program: str) -> str:
    """The virtual environment that has to be active for a program to be found by its name; empty where none has to."""
    place, active = find(program), os.environ.get("VIRTUAL_ENV", "")
    if not place or not active or Path(program).name != program or Path(place).parent.parent != Path(active):
        return ""
    others = (each for each in lasting_path().split(os.pathsep) if Path(each) != Path(place).parent)
    return "" if shutil.which(program, path=os.pathsep.join(others)) else active


def _is_temporary(folder: str) -> bool:
    """Whether this is the folder of programs of an environment in a cache. Environments have the tag of one, too.

    What may not be looked at, as a folder of somebody else's on the PATH, is none.
    """
    environment = Path(folder).parent
    above = environment.parents
    return _is_file(environment / "pyvenv.cfg") and any(_is_file(each / "CACHEDIR.TAG") for each in above)


def _is_file(path: Path) -> bool:
    return os.path.isfile(path)  # noqa: PTH113 - which raises nothing where a folder may not be entered
