"""Where two texts differ, line by line."""

from bisect import bisect_left
from itertools import pairwise

from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which a merge driver cannot afford
if TYPE_CHECKING:
    import difflib
else:
    difflib = LazyModule("difflib")

_MOST = 40_000
"""Pairs of lines that are compared one by one, where no line is the only one of its kind."""
LinePlace = tuple[int, int, int, int]
"""Where lines begin and end in one text, and in another."""


def differences(before: list[str], after: list[str]) -> list[LinePlace]:
    """Where two texts differ, by the lines that each has once: where they begin and end in both."""
    found: list[LinePlace] = []
    waiting = [(0, len(before), 0, len(after))]
    while waiting:
        start, end, at, to = waiting.pop()
        while start < end and at < to and before[start] == after[at]:
            start, at = start + 1, at + 1
        while start < end and at < to and before[end - 1] == after[to - 1]:
            end, to = end - 1, to - 1
        if start == end or at == to:
            found += [(start, end, at, to)] if (start, at) != (end, to) else []
        elif anchors := _anchors(before, after, (start, end, at, to)):
            waiting += [
                (one, other, here, there)
                for (one, here), (other, there) in pairwise([(start, at), *anchors, (end, to)])
            ]
        elif (end - start) * (to - at) > _MOST:
            found.append((start, end, at, to))
        else:
            codes = difflib.SequenceMatcher(None, before[start:end], after[at:to], autojunk=False).get_opcodes()
            found += [(start + a, start + b, at + c, at + d) for code, a, b, c, d in codes if code != "equal"]
    return sorted(found)


def _anchors(before: list[str], after: list[str], place: LinePlace) -> list[tuple[int, int]]:
    """The most lines that both have once, in the order of both."""
    start, end, at, to = place
    mine, others = _once(before, start, end), _once(after, at, to)
    pairs = [(number, others[line]) for line, number in mine.items() if line in others and line.strip()]
    ends: list[int] = []
    chain: list[tuple[tuple[int, int], int]] = []
    last: list[int] = []
    for pair in pairs:
        length = bisect_left(ends, pair[1])
        chain.append((pair, last[length - 1] if length else -1))
        ends[length : length + 1] = [pair[1]]
        last[length : length + 1] = [len(chain) - 1]
    found: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        pair, number = chain[number]
        found.append(pair)
    return found[::-1]


def _once(lines: list[str], start: int, end: int) -> dict[str, int]:
    """Lines that stand only once between two places, with where."""
    found: dict[str, int] = {}
    for number in range(start, end):
        line = lines[number]
        found[line] = -1 if line in found else number
    return {line: number for line, number in found.items() if number >= 0}
