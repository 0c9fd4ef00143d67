"""Where the bytes of a change are after further ones: every byte of a file traced through the steps of the log."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from memdown.store.steps import NO_FILE, Delta, Hole, Step, fingerprint


class Stretch(NamedTuple):
    """Bytes that came into the file together, or a part of them; a mark of no length for the place of a change."""

    origin: int
    """The change that brought them, 0 for what was there."""
    start: int
    length: int
    data: bytes | None = None
    """What they are, when they are not in the file."""


class Swap(NamedTuple):
    """Runs that took the place of others; the first of the new ones marks the place."""

    old: list[Stretch]
    new: list[Stretch]


class Trace:
    """A file as runs of bytes, through the steps that changed it one after the other."""

    def __init__(
        self, act: int, changes: "Sequence[tuple[Step, Delta]]", now: bytes, fill: "Callable[[Hole], bytes]"
    ) -> None:
        """`act` is the one that is to be taken back, `now` what the last of the changes left."""
        self._act = act
        self._first = changes[0][0].number
        self._runs = [Stretch(0, 0, _length(changes[0][1].before))]
        self._swaps: dict[int, list[Swap]] = {}
        """By the number of the act."""
        self._origins = _brought(changes, now)
        self._last = 0
        self.blocked: Step | None = None
        """The step that is in the way, having changed what the act brought."""
        for step, delta in changes:
            self._add(step, delta, fill)
            self.blocked = None if self._without(self._swaps.get(act, ())) is not None else self.blocked or step

    def taken_back(self) -> bytes:
        """The file without the act; nothing may be in the way."""
        return self._bytes(self._without(self._swaps[self._act]) or ())

    def _bytes(self, runs: "Sequence[Stretch]") -> bytes:
        return b"".join(
            self._origins[run.origin][run.start : run.start + run.length] if run.data is None else run.data
            for run in runs
        )

    def _add(self, step: Step, delta: Delta, fill: "Callable[[Hole], bytes]") -> None:
        self._last += 1
        if step.act != self._act and self._takes_back(step, delta):
            return
        if NO_FILE in (delta.before, delta.after):
            low, high = 0, len(self._runs)
        else:
            low, high = self._cut(delta.start, delta.start + delta.old.length)
        old = self._runs[low:high]
        if step.act == self._act:
            old = _filled(old, delta.old.filled(fill))
        new = [Stretch(self._last, 0, length) for length in (0, delta.added)]
        self._put(step.act, low, high, Swap(old, new if delta.added else new[:1]))

    def _takes_back(self, step: Step, delta: Delta) -> bool:
        """Whether a step takes back changes that are traced, where they are; then it is, run by run."""
        swaps = self._swaps.get(step.undoes, ()) if step.undoes >= self._first else ()
        runs = self._without(swaps)
        if not swaps or runs is None:
            return False
        data = self._bytes(runs)
        if (fingerprint(data) if data or delta.after != NO_FILE else NO_FILE) != delta.after:
            return False
        for number, swap in enumerate(reversed(swaps)):
            low, high = _found(self._runs, swap) or (0, 0)
            mark = Stretch(self._last, -1 - number, 0)
            self._put(step.act, low, high, Swap(self._runs[low:high], [mark, *swap.old]))
        return True

    def _without(self, swaps: "Sequence[Swap]") -> list[Stretch] | None:
        """The runs with some changes taken back; None when that cannot be."""
        runs = self._runs
        for swap in reversed(swaps):
            found = _found(runs, swap)
            if found is None:
                return None
            runs = [*runs[: found[0]], *swap.old, *runs[found[1] :]]
        return runs

    def _put(self, act: int, low: int, high: int, swap: Swap) -> None:
        self._runs[low:high] = swap.new
        self._swaps.setdefault(act, []).append(swap)

    def _cut(self, start: int, end: int) -> tuple[int, int]:
        """Which runs a range of bytes is. What is inserted stands before the marks of its place, but at the end."""
        low = self._split(start)
        if start == end:
            low = low if any(run.length for run in self._runs[low:]) else len(self._runs)
            return low, low
        while not self._runs[low].length:
            low += 1
        return low, self._split(end)

    def _split(self, place: int) -> int:
        """The first run that begins at a place."""
        at = 0
        for number, run in enumerate(self._runs):
            if at == place:
                return number
            if place < at + run.length:
                head = run._replace(length=place - at)
                tail = run._replace(start=run.start + place - at, length=at + run.length - place)
                self._runs[number : number + 1] = [head, tail]
                return number + 1
            at += run.length
        return len(self._runs)


def _found(runs: "Sequence[Stretch]", swap: Swap) -> tuple[int, int] | None:
    """Where the new runs of a change stand together."""
    mark = next((place for place, run in enumerate(runs) if run[:3] == swap.new[0][:3]), None)
    if mark is None:
        return None
    wanted, marks = _joined(swap.new), {run[:2] for run in swap.new if not run.length}
    place, left = mark, sum(run.length for run in wanted)
    while place < len(runs) and (left > 0 or (not runs[place].length and runs[place][:2] in marks)):
        left -= runs[place].length
        place += 1
    return (mark, place) if _joined(runs[mark:place]) == wanted else None


def _joined(runs: "Sequence[Stretch]") -> list[Stretch]:
    """Without marks, and with what was cut put together."""
    found: list[Stretch] = []
    for run in runs:
        if found and (found[-1].origin, found[-1].start + found[-1].length) == run[:2]:
            run = Stretch(run.origin, found[-1].start, found.pop().length + run.length)
        if run.length:
            found.append(Stretch(*run[:3]))
    return found


def _brought(changes: "Sequence[tuple[Step, Delta]]", now: bytes) -> list[bytes]:
    """What each change brought, and before these what was there at first. Credentials are left out."""
    found = []
    for _, delta in reversed(changes):
        end = delta.start + delta.added
        found.append(now[delta.start : end])
        now = now[: delta.start] + delta.old.filled(lambda hole: b"\0" * hole.length) + now[end:]
    return [now, *reversed(found)]


def _filled(runs: "Sequence[Stretch]", data: bytes) -> list[Stretch]:
    """Runs with what they are."""
    if sum(run.length for run in runs) != len(data):  # a credential is lost, and something shorter in its place
        return [Stretch(-1, 0, len(data), data)]
    found, place = [], 0
    for run in runs:
        found.append(run._replace(data=data[place : place + run.length]))
        place += run.length
    return found


def _length(seen: str) -> int:
    """Of a file with a fingerprint."""
    return 0 if seen == NO_FILE else int(seen.partition(".")[0], 16)
