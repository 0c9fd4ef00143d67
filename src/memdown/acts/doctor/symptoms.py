"""What checks are given and what they yield."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from memdown.dialects import DIALECTS
from memdown.errors import MemdownError
from memdown.project import Project
from memdown.store.jail import STATE
from memdown.store.spelling import spelled

OK, WARN, FAIL = "ok", "warn", "fail"
_SHOWN = 3


class Symptom(Struct, frozen=True):
    """What a check found."""

    state: str
    what: str
    do: str = ""
    fix: Callable[[], object] | None = None


class Patient(Struct, frozen=True):
    """What is looked at."""

    project: Project
    able: frozenset[str]
    """The commands that this memdown has."""
    configure_driver: Callable[[], object]

    @property
    def state(self) -> Path:
        """The folder of what memdown derives."""
        return self.project.root / STATE

    def homes(self) -> list[str]:
        """The folders of memory that are there."""
        project = self.project
        found = spelled(project.root, (home for dialect in DIALECTS for home in project.config.homes(dialect)))
        return list(dict.fromkeys(on_disk for on_disk in found.values() if on_disk))

    def names(self, skipped: Callable[[str], None] | None = None, unlisted: list[str] | None = None) -> list[str]:
        """The files of memory, as far as folders can be listed; what is passed over, and what cannot be, is told."""
        found: list[str] = []
        for home in self.homes():
            try:
                found += self.project.files.walk(home, skipped=skipped)
            except MemdownError as error:
                if unlisted is not None:
                    unlisted.append(str(error).rstrip("."))
        return found


Check = Callable[[Patient], Iterator[Symptom]]


def listed(names: list[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
