"""What checks are given and what they yield."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from memdown.project import Project
from memdown.store.jail import STATE

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


Check = Callable[[Patient], Iterator[Symptom]]


def listed(names: list[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
