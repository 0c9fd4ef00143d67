"""In which order the pieces of one parent stand: as ours has them, and what only theirs has where it stood there."""

from itertools import pairwise

from memdown.acts.merge.pairing import PieceMatch
from memdown.acts.merge.pieces import ITEM, MergePiece


def ordered(parent: PieceMatch, matches: list[PieceMatch], *, is_turned: bool) -> list[PieceMatch]:
    """Pieces of one parent: in the order of ours, with those that only theirs has behind what they follow there."""
    mine = [each for each in matches if each.ours and (not each.theirs or is_below(each.ours, parent))]
    known = {id(each) for each in mine}
    others = [each for each in matches if each.theirs and (id(each) not in known or is_below(each.theirs, parent))]
    mine.sort(key=lambda each: each.ours.at if each.ours else 0)
    others.sort(key=lambda each: each.theirs.at if each.theirs else 0)
    if len(mine) == len(matches):
        return mine
    if any(list_number(each.any) for each in matches):  # numbers do not depend on which side is called ours
        is_turned = [each.any.key for each in others if not each.ours] < [
            each.any.key for each in mine if not each.theirs
        ]
    if _is_sorted([each.base.at for each in mine if each.base and each.theirs]) and not _is_sorted(
        [each.base.at for each in others if each.base and each.ours]
    ):
        return _woven(others, mine, _newest_first(others, mine), turned=not is_turned)
    return _woven(mine, others, _newest_first(mine, others), turned=is_turned)


def list_number(piece: MergePiece) -> int:
    """The number of an item of an ordered list; 0 for anything else."""
    mark = ITEM.match(piece.head) if piece.kind == "item" else None
    return int(mark[2][:-1]) if mark and mark[2][:-1] else 0


def _newest_first(*sides: list[PieceMatch]) -> bool | None:
    """Whether dated pieces stand with the newest first; None where that cannot be told."""
    for side in sides:
        dates = [date for each in side if (date := each.any.date[:10])]
        falls = sum(a > b for a, b in pairwise(dates))
        rises = sum(a < b for a, b in pairwise(dates))
        if falls != rises:
            return falls > rises
    return None


def is_below(piece: MergePiece, parent: PieceMatch) -> bool:
    return piece.parent is not None and piece.parent.match is parent


def _is_sorted(numbers: list[int]) -> bool:
    return all(a < b for a, b in pairwise(numbers))


def _woven(
    first: list[PieceMatch], second: list[PieceMatch], newest_first: bool | None, *, turned: bool
) -> list[PieceMatch]:
    """The first list, with what only the second has in its place: runs of new pieces at one place by their dates."""
    known = {id(each) for each in first}
    both = {id(each) for each in second} & known
    runs: dict[int, list[PieceMatch]] = {}
    anchor = 0
    for each in second:
        if id(each) in both:
            anchor = id(each)
        else:
            runs.setdefault(anchor, []).append(each)
    found: list[PieceMatch] = []
    run: list[PieceMatch] = []
    waiting = runs.get(0, [])
    for each in first:
        if id(each) not in both:
            run.append(each)
            continue
        found += [*_by_date(run, waiting, newest_first, turned=turned), each]
        run, waiting = [], runs.get(id(each), [])
    return found + _by_date(run, waiting, newest_first, turned=turned)


def _by_date(
    run: list[PieceMatch], other: list[PieceMatch], newest_first: bool | None, *, turned: bool
) -> list[PieceMatch]:
    if not run or not other:
        return run or other
    mine, others = ([each.any.date for each in side] for side in (run, other))
    if newest_first is None and all(mine) and all(others):
        newest_first = False
    if newest_first is not None and all(mine) and all(others):
        dated = [*zip(mine, run, strict=True), *zip(others, other, strict=True)]
        dated = dated[len(run) :] + dated[: len(run)] if turned else dated
        if all(_is_ordered(dates, newest_first) for dates in (mine, others)):
            return [each for _, each in sorted(dated, key=lambda pair: pair[0], reverse=newest_first)]
        if newest_first and max(others) > max(mine):
            return other + run
    return other + run if turned else run + other


def _is_ordered(dates: list[str], newest_first: bool) -> bool:
    return dates == sorted(dates, reverse=newest_first)
