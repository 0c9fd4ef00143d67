"""How often each memory was used, in `.memdown/layers.json`; without that nothing is known, and nothing fails."""

from contextlib import suppress

import msgspec
from msgspec import Struct

from memdown.dialects.layers.quality import GROWTH_RUNS
from memdown.store import Files
from memdown.store.state import STATE

_NAME, _WHAT = "layers.json", "the count of uses"


class Counter(Struct):
    """One memory's count of invocations, and its lines at the last of them."""

    invocations: int = 0
    lines: list[int] = []


Counters = dict[str, Counter]


def load(files: Files) -> Counters:
    """All counters; none when they were never written or cannot be read."""
    with files.derived(_WHAT), suppress(FileNotFoundError, ValueError, RecursionError):
        return msgspec.json.decode(files.disk.read(files.root / STATE / _NAME), type=Counters)
    return {}


def count(counters: Counters, id: str, lines: int) -> Counter:
    """One more invocation of a memory that has so many lines now."""
    counter = counters.setdefault(id, Counter())
    counter.invocations += 1
    counter.lines = [*counter.lines, lines][-(GROWTH_RUNS + 1) :]
    return counter


def save(files: Files, counters: Counters) -> None:
    """Under the lock."""
    files.keep(_NAME, msgspec.json.encode(counters), _WHAT)
