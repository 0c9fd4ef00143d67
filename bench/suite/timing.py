"""Side by side in one run: every subject takes its turn in every round, so that a busy machine is busy for all."""

import math
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

US = "memdown"
Act = Callable[[], object]
_ENOUGH = 6.0
"""Seconds that all turns of one subject may take together; then the turn that runs is the last."""


class Taken(NamedTuple):
    """How long one subject took, in seconds, over all rounds."""

    times: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def least(self) -> float:
        return min(self.times)

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, as a part of the median."""
        if len(self.times) < 4:
            return (max(self.times) - min(self.times)) / 2 / self.median
        first, _, third = statistics.quantiles(self.times, n=4)
        return (third - first) / 2 / self.median


class Row(NamedTuple):
    """One piece of work, at one size, by everybody who can do it."""

    work: str
    notes: int
    """How many notes there were; 0 where that does not matter."""
    taken: dict[str, Taken]
    limit: str | None
    """Which of the subjects is the least that has to be done."""
    goal: float | None = None
    """How many times as long as the limit memdown may take."""
    unit: str = "ms"

    def ratio(self, subject: str) -> float | None:
        """How many times as long as the limit, by the shortest times, which others on the machine disturb least."""
        if self.limit is None or self.limit not in self.taken:
            return None
        return self.taken[subject].least / self.taken[self.limit].least


def spent() -> float:
    """Seconds of processor that this process and the processes that it waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def interleaved(
    subjects: Mapping[str, Act],
    rounds: int,
    *,
    warm: int = 1,
    before: Act = lambda: None,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Taken]:
    """The times of each subject; the first rounds write byte code and warm the disk cache, and do not count.

    What is done `before` each turn does not count either. One that takes seconds takes fewer turns, and another program
    that fails takes none: it is named on standard error.
    """
    times: dict[str, list[float]] = {name: [] for name in subjects}
    failed: set[str] = set()
    for number in range(rounds + warm):
        for name, act in subjects.items():
            if name in failed or sum(times[name]) > _ENOUGH:
                continue
            before()
            started = clock()
            try:
                act()
            except (RuntimeError, OSError, subprocess.SubprocessError) as error:
                if name == US:
                    raise
                failed.add(name)
                print(f"bench/run: {name} failed: {str(error)[:200]}", file=sys.stderr)
                continue
            if number >= warm:
                times[name].append(clock() - started)
    return {name: Taken(tuple(each)) for name, each in times.items() if each}


def exponent(points: Mapping[int, float]) -> float | None:
    """How a time grows with the number of notes, as a power of it: 1 is in step, 0 is not at all."""
    known = [(math.log(notes), math.log(taken)) for notes, taken in points.items() if notes > 0 and taken > 0]
    if len({notes for notes, _ in known}) < 2:
        return None
    return statistics.linear_regression(*zip(*known, strict=True)).slope
