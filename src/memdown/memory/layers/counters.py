"""How often each memory was used, in `.memdown/layers.json`; without that nothing is known, and nothing fails."""

from pathlib import Path

import msgspec
from msgspec import Struct

from memdown.dialects.layers.quality import GROWTH_RUNS
from memdown.store import Files, disk


class Counter(Struct):
    """One memory's count of invocations, and its lines at the last of them."""

    invocations: int = 0
    lines: list[int] = []


Counters = dict[str, Counter]


def load(files: Files) -> Counters:
    """All counters; none when they were never written or cannot be read."""
    try:
        return msgspec.json.decode(_path(files).read_bytes(), type=Counters)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return {}


def count(counters: Counters, id: str, lines: int) -> Counter:
    """One more invocation of a memory that has so many lines now."""
    counter = counters.setdefault(id, Counter())
    counter.invocations += 1
    counter.lines = [*counter.lines, lines][-(GROWTH_RUNS + 1) :]
    return counter


def save(files: Files, counters: Counters) -> None:
    """Under the lock; a crash loses at most the last count."""
    path = files.state_folder() / "layers.json"
    draft = path.with_suffix(".draft")
    draft.write_bytes(msgspec.json.encode(counters))
    disk.replace(draft, path)


def _path(files: Files) -> Path:
    return files.root / ".memdown" / "layers.json"
