"""A graph beside a list: each edge is a rail from one row to another, in lanes that rarely cross.

Laid out in time that grows with rows and edges, so that thousands of rows can be read.
"""

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise

from msgspec import Struct

LANES = 7
"""Rails beside each other; more share the outermost."""
ROW, GAP, EDGE = 26, 11, 13
"""The height of a row, the width of a lane, and what is left free at the side of the list."""


class Rail(Struct, frozen=True):
    """One row that points at another."""

    type: str
    source: str
    target: str


class DrawnRail(Struct, frozen=True):
    """A rail with the line that draws it."""

    rail: Rail
    path: str


class Rails(Struct, frozen=True):
    """The picture."""

    width: int
    height: int
    rows: int
    rails: list[DrawnRail]
    linked: str
    """The line that draws a point beside each row that some rail touches."""
    alone: str
    """The same for the other rows."""


def lay_out(rows: Sequence[str], edges: Iterable[Rail]) -> Rails:
    """The rails between rows, which are named by id; an empty name is a row that nothing points at."""
    place = {id: number for number, id in enumerate(rows) if id}
    ends = [(min(pair), max(pair), edge) for edge in edges if (pair := _pair(place, edge))]
    ends.sort(key=lambda each: (each[0], each[1] - each[0]))
    lanes = _lanes([(top, bottom) for top, bottom, _ in ends])
    used = max(lanes, default=-1) + 1
    width = 2 * EDGE + used * GAP
    dot = width - EDGE
    drawn = [
        DrawnRail(edge, _path(dot, _middle(top), _middle(bottom), dot - (lane + 1) * GAP))
        for (top, bottom, edge), lane in zip(ends, lanes, strict=True)
    ]
    touched = {end for _, _, edge in ends for end in (edge.source, edge.target)}
    linked, alone = ([number for id, number in place.items() if (id in touched) is each] for each in (True, False))
    return Rails(width, ROW * len(rows), len(rows), drawn, _points(dot, linked), _points(dot, alone))


def _pair(place: dict[str, int], edge: Rail) -> tuple[int, int] | None:
    if edge.source in place and edge.target in place and edge.source != edge.target:
        return place[edge.source], place[edge.target]
    return None


def _lanes(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The lane of each span, by where it begins: the innermost that is free there."""
    free, busy, found = list(range(LANES)), list[tuple[int, int]](), list[int]()
    for top, bottom in spans:
        while busy and busy[0][0] <= top:
            heappush(free, heappop(busy)[1])
        lane = heappop(free) if free else LANES - 1
        found.append(lane)
        if lane < LANES - 1 or free:
            heappush(busy, (bottom, lane))
    return found


def _middle(row: int) -> float:
    return row * ROW + ROW / 2


def _path(x: float, top: float, bottom: float, lane: float) -> str:
    bend = min(GAP, (bottom - top) / 2)
    return f"M{x} {top}Q{lane} {top} {lane} {top + bend}V{bottom - bend}Q{lane} {bottom} {x} {bottom}"


def _points(x: float, rows: Sequence[int]) -> str:
    """Points, each from the one above it: most of thousands are then written alike, and weigh next to nothing."""
    steps = (f"m0 {(row - above) * ROW}h0" for above, row in pairwise(rows))
    return f"M{x} {_middle(rows[0])}h0{''.join(steps)}" if rows else ""
