"""Whether a history of calls that overlap is linearizable: the search of Wing and Gong, with Lowe's memory.

Each call began and ended, and says what it came to. A linearization puts all of them in one order in which a simple
object would have said the same, and in which no call comes before one that had ended when it began. The search takes
one of the calls that may come next, and goes back when it gets no further; a set of calls that are done and the state
they led to is tried once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

State = tuple[str, ...]
"""What stands, in the order in which it came."""
MOST = 200_000
"""States after which a search is given up, which is told as a failure."""


class Timed(NamedTuple):
    """A call, and what it is."""

    began: float
    ended: float
    what: str
    """What it did: write, undo, read."""
    value: str = ""
    """What it wrote, took back or read."""


class Stuck(NamedTuple):
    """No order fits: how many calls the longest attempt has in order, and what could have come next."""

    done: int
    following: list[Timed]


def search(calls: Sequence[Timed], start: State, after: Callable[[State, Timed], State | None]) -> list[Timed] | Stuck:
    """An order that fits, or where it ends; `after` is the state after a call, None where it says something else.

    Of calls that may come next, the first given is tried first. One that changes nothing comes as soon as it fits,
    which closes no way that would be open later.
    """
    everything = (1 << len(calls)) - 1
    tried: set[tuple[int, State]] = set()
    order: list[int] = []
    best = Stuck(-1, [])
    done, state = 0, start
    ways = [_ways(calls, done, state, after)]
    while True:
        if done == everything:
            return [calls[number] for number in order]
        if len(order) > best.done:
            best = Stuck(len(order), [calls[number] for number in _next(calls, done)])
        for number, new in ways[-1]:
            key = (done | 1 << number, new)
            if key not in tried:
                tried.add(key)
                order.append(number)
                done, state = key
                ways.append(_ways(calls, done, state, after))
                break
        else:
            ways.pop()
            if not ways or len(tried) > MOST:
                return best
            done &= ~(1 << order.pop())


def _ways(
    calls: Sequence[Timed], done: int, state: State, after: Callable[[State, Timed], State | None]
) -> Iterator[tuple[int, State]]:
    """What may come next, and the state after it."""
    ways = [(number, new) for number in _next(calls, done) if (new := after(state, calls[number])) is not None]
    same = [way for way in ways if way[1] == state]
    yield from same[:1] or ways


def _next(calls: Sequence[Timed], done: int) -> list[int]:
    """Calls that are not done and began before any other of these ended."""
    left = [number for number in range(len(calls)) if not done >> number & 1]
    first = min((calls[number].ended for number in left), default=0.0)
    return [number for number in left if calls[number].began <= first]


# Objects


def register(stands: State, call: Timed) -> State | None:
    """A value that is written, taken back and read: the newest that stands, or an empty one."""
    if call.what == "read":
        return stands if call.value == (stands[-1] if stands else "") else None
    return log(stands, call)


def log(stands: State, call: Timed) -> State | None:
    """Acts that stand: one more is done, one of them is taken back, or the newest of them is."""
    if call.what == "write":
        return (*stands, call.value)
    if call.value not in stands or (call.what == "undo newest" and stands[-1] != call.value):
        return None
    return tuple(each for each in stands if each != call.value)
