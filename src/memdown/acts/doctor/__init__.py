"""What could keep memdown from working here: the installation, the disk, its own state, settings, hooks and git.

Each check is a function of a `Patient` that yields what it finds, with what to do, and how to mend it where that is
safe: files of memory are never changed. A check that cannot be made is a finding itself, so that a broken project has
an answer. What is well is reported when nothing else is.
"""

from collections.abc import Callable, Collection, Iterator

from msgspec import Struct

from memdown.acts.doctor import machine, state, wired
from memdown.acts.doctor.symptoms import FAIL, OK, Check, Patient, Symptom
from memdown.errors import MemdownError
from memdown.project import Project
from memdown.store.jail import reason

CHECKS: dict[str, Check] = {
    "installation": machine.installation,
    "configuration": machine.configuration,
    "permissions": state.permissions,
    "file system": machine.file_system,
    "clock": machine.clock,
    "locks": state.locks,
    "leftovers": state.leftovers,
    "undo": state.undo,
    "index": state.index,
    "hooks": wired.hooks,
    "git": wired.git_settings,
}


class Checkup(Struct, frozen=True):
    """One line of the answer."""

    check: str
    state: str
    """ok, warn or fail."""
    what: str
    """What was found."""
    do: str
    """What to do about it; empty when there is nothing to do."""
    fixable: bool
    """Whether `--fix` mends it."""
    fixed: bool = False
    """Whether it was mended just now."""


def doctor(
    project: Project, *, able: Collection[str], configure_driver: Callable[[], object], fix: bool = False
) -> list[Checkup]:
    """Everything that was checked, the findings with what to do; `fix` mends those that are safe to mend.

    `able` are the commands that this memdown has.
    """
    patient = Patient(project, frozenset(able), configure_driver)
    return [each for name, check in CHECKS.items() for each in _examined(name, check, patient, fix=fix)]


def _examined(name: str, check: Check, patient: Patient, *, fix: bool) -> Iterator[Checkup]:
    found = _found(check, patient)
    mended = [each for each in found if fix and each.fix is not None and _mend(each.fix)]
    if mended:
        found = _found(check, patient)
        left = {each.what for each in found if each.state != OK}
        yield from (
            Checkup(name, OK, each.what, "", fixable=True, fixed=True) for each in mended if each.what not in left
        )
    for each in found:
        yield Checkup(name, each.state, each.what, each.do, fixable=each.fix is not None)


def _found(check: Check, patient: Patient) -> list[Symptom]:
    try:
        found = list(check(patient))
        return [each for each in found if each.state != OK] or found
    except OSError as error:
        return [Symptom(FAIL, f"cannot be checked: {reason(error)} ({error.filename})", "check the permissions")]
    except MemdownError as error:
        return [Symptom(FAIL, str(error).rstrip("."), "fix that and run this again")]


def _mend(fix: Callable[[], object]) -> bool:
    """Whether it could be done; if not, the finding is there as before."""
    try:
        fix()
    except (OSError, MemdownError):
        return False
    return True
