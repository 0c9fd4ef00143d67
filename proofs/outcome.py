"""What a proof is given, and what it says."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple


class Run(NamedTuple):
    """How much to try, with which random numbers, and where."""

    share: float
    """How much of the long form, up to 1; 0 is the short form."""
    seed: int
    work: Path
    """A folder that is removed afterwards."""

    @property
    def long(self) -> bool:
        return self.share > 0


class Outcome(NamedTuple):
    """One line of the table."""

    what: str
    tried: int
    unit: str
    """What was counted, in the plural: kills, examples, mutants."""
    failures: list[str]
    """One for each try that did not hold, with what is needed to repeat it."""
    note: str = ""
    """A figure that goes with it: a score, the slowest ratio."""


Proof = Callable[[Run], Iterator[Outcome]]
