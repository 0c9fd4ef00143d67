"""From the pieces that a merge keeps to its text: what stands between two of them."""

from collections.abc import Sequence

from memdown.acts.merge.pieces import MergePiece, closing
from memdown.markdown.merge_comments import MARK

_TIGHT = ("item", "row", "line", "key")
Orders = Sequence[list[MergePiece]]
"""The pieces of base, ours and theirs, each in the order of its text."""


class MergedChunk:
    """The lines of one piece in the result."""

    __slots__ = ("head", "kind", "level", "sources")

    def __init__(
        self, head: str, piece: MergePiece, sources: tuple[MergePiece | None, MergePiece | None, MergePiece | None]
    ) -> None:
        self.head = head
        self.kind = piece.kind
        self.level = piece.level
        self.sources = sources


def written(chunks: list[MergedChunk], orders: Orders) -> str:
    parts = []
    for number, chunk in enumerate(chunks):
        parts.append(chunk.head)
        after = chunks[number + 1] if number + 1 < len(chunks) else None
        if after and (line := closing(chunk.kind, chunk.head.partition(f"\n<!-- {MARK}")[0])):
            parts.append(f"\n{line}")  # it was the end of its text, and is not that of this one
        parts.append(_gap(chunk, after, orders))
    return "".join(parts)


def _gap(chunk: MergedChunk, after: MergedChunk | None, orders: Orders) -> str:
    """What stands between two pieces: as a text has it where they are neighbours, else as between such pieces."""
    if after is None:
        ends = [order[-1].gap for order in orders]
        return ends[2] if ends[1] == ends[0] else ends[1]
    known: list[str | None] = []
    for side in range(3):
        first, second = chunk.sources[side], after.sources[side]
        known.append(first.gap if first and second and second.at == first.at + 1 else None)
    was, mine, others = known
    if mine is not None or others is not None:
        found = others if mine is None or (others is not None and mine == was) else mine
        if was is None and mine and others:
            found = max(mine, others, key=len)
        return found or ("" if chunk.kind == "root" else "\n")
    return _new_gap(chunk, after, orders)


def _new_gap(chunk: MergedChunk, after: MergedChunk, orders: Orders) -> str:
    fitting: list[str] = []
    found: list[str] = []
    for side in (1, 2, 0):
        order = orders[side]
        first, second = chunk.sources[side], after.sources[side]
        if first and first.at + 1 < len(order):
            following = order[first.at + 1]
            (fitting if (following.kind, following.level) == (after.kind, after.level) else found).append(first.gap)
        if second and second.at:
            previous = order[second.at - 1]
            (fitting if previous.kind == chunk.kind else found).append(previous.gap)
    if chunk.kind == "root":
        return min(found + fitting, key=len, default="")
    gap = max(fitting or found or ["\n"], key=len)
    if fitting and chunk.kind == after.kind and chunk.kind in _TIGHT:
        gap = fitting[0]
    elif not fitting and chunk.kind == after.kind and chunk.kind in ("item", "row"):
        gap = "\n"
    elif "\n\n" not in gap and not (chunk.kind in _TIGHT and after.kind == chunk.kind) and not fitting:
        gap = "\n\n"
    return gap or "\n"
