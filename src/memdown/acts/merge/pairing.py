"""Which pieces of three texts are the same, wherever they moved to."""

from collections.abc import Callable, Collection, Iterator

from memdown.acts.merge.lines import differences
from memdown.acts.merge.pairs import LEAST, field_of, key_of, long_pieces, pairs, pairs_of_new
from memdown.acts.merge.pieces import (
    MergePiece,
    alike,
    counts,
    field,
    identifiers,
    is_label,
    normal,
    tasks_once,
    unstamped,
)
from memdown.patterns import lazy

_LEAVES = tuple(kind for kind in LEAST if kind != "section")
_ID = lazy(r"\[?[a-z]{1,10}-?\d+[a-z]?\]?")
"""The key of a row that is the same task in whatever table."""
SIDES = ("base", "ours", "theirs")


class PieceMatch:
    """One piece, as the base and both sides have it."""

    __slots__ = ("base", "ours", "theirs")

    def __init__(self, base: MergePiece | None, ours: MergePiece | None, theirs: MergePiece | None) -> None:
        self.base = base
        self.ours = ours
        self.theirs = theirs
        for each in (base, ours, theirs):
            if each is not None:
                each.match = self

    @property
    def any(self) -> MergePiece:
        found = self.ours or self.theirs or self.base
        assert found is not None
        return found


def matched(base: MergePiece, ours: MergePiece, theirs: MergePiece) -> list[PieceMatch]:
    """All pieces of three texts, each once; the first is the whole."""
    found = _all_below([PieceMatch(base, ours, theirs)])
    for _ in range(2):  # what stands below a piece that moved may have moved, too
        found = _moved(found, "section", ())
    for side, root in (("ours", ours), ("theirs", theirs)):
        found = _in_place(found, side, base, root)
    tasks = tasks_once(each.head for each in base.all() if each.kind == "item")
    for kind in (*_LEAVES, *_LEAVES):
        found = _moved(found, kind, tasks)
    found = _moved(found, "item", {name for each in tasks if (name := unstamped(each))}, unstamped)
    return _moved_along(found)


def _all_below(waiting: list[PieceMatch]) -> list[PieceMatch]:
    found: list[PieceMatch] = []
    while waiting:
        match = waiting.pop()
        found.append(match)
        waiting += _below(match)
    return found


def _below(match: PieceMatch) -> list[PieceMatch]:
    """The matches among the pieces below one."""
    base, ours, theirs = (each.children if each else [] for each in (match.base, match.ours, match.theirs))
    in_ours, in_theirs = pairs(base, ours), pairs(base, theirs)
    known = {id(piece) for found in (in_ours, in_theirs) for piece in found.values()}
    new_ours = [each for each in ours if id(each) not in known]
    new_theirs = [each for each in theirs if id(each) not in known]
    both = pairs_of_new(new_ours, new_theirs)
    known |= {id(piece) for piece in both.values()}
    return [
        *(PieceMatch(each, in_ours.get(id(each)), in_theirs.get(id(each))) for each in base),
        *(PieceMatch(None, each, both.get(id(each))) for each in new_ours),
        *(PieceMatch(None, None, each) for each in new_theirs if id(each) not in known),
    ]


def _in_place(found: list[PieceMatch], side: str, base: MergePiece, root: MergePiece) -> list[PieceMatch]:
    """The same with pieces brought together that stand where they stood, while headings around them came or went."""
    new = {piece.line: each for each in found if not each.base and (piece := getattr(each, side))}
    lacking = [each for each in found if each.base and not getattr(each, side)]
    places = _places(_text_lines(base), _text_lines(root)) if new and lacking else {}
    gone: set[int] = set()
    again: list[PieceMatch] = []
    for match in lacking if places else ():
        other = new.get(places.get(match.base.line if match.base else -1, -1))
        if other and id(match) not in gone and id(other) not in gone and _is_same_place(match, other):
            again += _one([match, other], gone)
    return [each for each in (*found, *again) if id(each) not in gone]


def _is_same_place(one: PieceMatch, other: PieceMatch) -> bool:
    is_free = not any(getattr(one, side) and getattr(other, side) for side in SIDES)
    return is_free and one.any.kind == other.any.kind and one.any.kind not in ("root", "section", "title", "end")


def _text_lines(root: MergePiece) -> list[str]:
    return "".join(each.head + each.gap for each in root.all()).split("\n")


def _places(before: list[str], after: list[str]) -> dict[int, int]:
    """Where lines stand in another text, in rows that stayed as they were and have a line that no other place has."""
    mine, others = counts(before), counts(after)
    found: dict[int, int] = {}
    start = at = 0
    for end, following, to, resumed in [*differences(before, after), (len(before), 0, len(after), 0)]:
        row = before[start:end]
        if any(mine[line] == others[line] == 1 and len(line) >= LEAST["line"] and not field(line) for line in row):
            found.update(zip(range(start, end), range(at, to), strict=True))
        start, at = following, resumed
    return found


def _moved(
    found: list[PieceMatch],
    kind: str,
    tasks: Collection[str],
    name: Callable[[str], str] | None = None,
) -> list[PieceMatch]:
    """The same with pieces brought together that a side moved, or that both put under different headings.

    One of `tasks`, which the base has, is the same one however short it is; with a `name` for keys, only those are.
    """
    by_key: dict[str, list[PieceMatch]] = {}
    for each in found:
        piece = each.any
        if piece.kind != kind or (each.ours and each.theirs) or (kind == "line" and is_label(piece.head)):
            continue  # what a label says stands below it
        key = name(piece.key) if name else piece.key
        is_long = not name and (len(key) >= LEAST[kind] or (kind == "row" and _ID.fullmatch(key)))
        if is_long or (kind == "item" and key in tasks):
            by_key.setdefault(key, []).append(each)
    gone: set[int] = set()
    again: list[PieceMatch] = []
    for key, matches in by_key.items():
        if len(key) < LEAST[kind] and key in tasks and not any(_has_stayed(each) for each in matches):
            continue
        for parts in _joined([each for each in matches if id(each) not in gone]):
            again += _one(parts, gone)
    return [each for each in (*found, *again) if id(each) not in gone]


def _has_stayed(match: PieceMatch) -> bool:
    """Whether the base has a piece, and both sides what it stands in: the parts of an entry that is gone are gone."""
    parent = _parent(match.base) if match.base else None
    return isinstance(parent, PieceMatch) and bool(parent.ours and parent.theirs)


def _one(parts: list[PieceMatch], gone: set[int]) -> list[PieceMatch]:
    """Matches of different sides as one, with all below it; those that were are `gone`."""
    gone |= {id(piece.match) for part in parts for piece in _pieces(part)}
    sides = (next(filter(None, (getattr(each, side) for each in parts)), None) for side in SIDES)
    return _all_below([PieceMatch(*sides)])


def _moved_along(found: list[PieceMatch]) -> list[PieceMatch]:
    """The same with fields brought together that are too short to be known elsewhere, by what stands beside them.

    That is a line that moved along with its neighbour, or a field of which a side has several of one name.
    """
    gone: set[int] = set()
    again: list[PieceMatch] = []
    for match in found:
        if not (match.ours and match.theirs) and field_of(match.any) and id(match) not in gone:
            other = next((each for each in _across(match) if _is_same_field(match, each)), None)
            if other is not None:
                again += _one([match, other], gone)
    return [each for each in (*found, *again) if id(each) not in gone]


def _across(match: PieceMatch) -> Iterator[PieceMatch]:
    """What stands on the other sides beside the neighbours of a piece, at the place that it has here."""
    for piece in filter(None, (match.base, match.ours, match.theirs)):
        for step in (-1, 1):
            neighbour = piece.sibling(step)
            together = neighbour.match if neighbour else None
            if isinstance(together, PieceMatch):
                for twin in (together.base, together.ours, together.theirs):
                    there = twin.sibling(-step) if twin and twin is not neighbour else None
                    if there is not None and isinstance(there.match, PieceMatch):
                        yield there.match


def _is_same_field(one: PieceMatch, other: PieceMatch) -> bool:
    """Whether two matches of different sides may be one field: with the value that it had, or both new."""
    if any(getattr(one, side) and getattr(other, side) for side in SIDES):
        return False
    if one.base or other.base:
        return key_of(one.any) == key_of(other.any)
    return field_of(one.any) == field_of(other.any) and _parent(one.any) is _parent(other.any)


def _pieces(match: PieceMatch) -> list[MergePiece]:
    return [piece for each in (match.base, match.ours, match.theirs) if each for piece in each.all()]


def _joined(matches: list[PieceMatch]) -> list[list[PieceMatch]]:
    """Which of the matches of one key are one piece, if that is sure."""
    old = [each for each in matches if each.base]
    mine = [each for each in matches if not each.base and each.ours]
    others = [each for each in matches if not each.base and each.theirs]
    if not old and len(mine) + len(others) > 2 and min(len(mine), len(others)) == 1:
        mine, others = _beside(mine, others)
    if len(old) > 1 or len(mine) > 1 or len(others) > 1 or len(matches) < 2:
        return []
    if old:
        mine = mine if not old[0].ours else []
        others = others if not old[0].theirs else []
        return [[*old, *mine, *others]] if mine or others else []
    both = [*mine, *others]
    if len(both) == 2 and both[0].any.kind == "row":
        return [both] if alike(both[0].any.head, both[1].any.head) and _are_rows_of_one(*both) else []
    if len(both) < 2 or (any(_is_in_new(each.any) for each in both) and not _are_equal(*both)):
        return []
    return [both]


def _beside(mine: list[PieceMatch], others: list[PieceMatch]) -> tuple[list[PieceMatch], list[PieceMatch]]:
    """Of several new sections of one heading, the one that stands where the other side has put its only one."""
    one, several = (mine[0], others) if len(mine) == 1 else (others[0], mine)
    places = {id(each) for each in _neighbours(one.any)}
    found = [each for each in several if not places.isdisjoint(map(id, _neighbours(each.any)))]
    return ([one], found) if len(mine) == 1 else (found, [one])


def _neighbours(piece: MergePiece) -> list[object]:
    """The sections of all texts that stand beside one."""
    siblings = piece.parent.children if piece.parent else []
    return [each.match for each in siblings if each.kind == "section" and each is not piece]


def _are_equal(one: PieceMatch, other: PieceMatch) -> bool:
    """Whether both sides wrote the same of one thing under two headings, both new: a list that was told twice.

    Fields belong to their entry, however often others have the same value, unless the entries are one.
    """
    mine, others = one.any, other.any
    if mine.kind == "section":
        if mine.whole == others.whole and (_has_lost_parent(mine) or _has_lost_parent(others)):
            return True
        return any(
            isinstance(each, PieceMatch) and each.base and each.ours and each.theirs and each in _neighbours(others)
            for each in _neighbours(mine)
        )
    is_same = " ".join(mine.head.split()) == " ".join(others.head.split()) or (
        mine.kind == others.kind == "item" and normal(mine.head) == normal(others.head)
    )
    if not is_same or len(mine.head) < LEAST["line"] or mine.parent is None or others.parent is None:
        return False
    if _is_around(mine.parent, others.parent) or _is_around(others.parent, mine.parent):
        return True
    if mine.loose and (mine.kind == "line" or "**" in mine.head):
        return mine.parent.match is others.parent.match
    return _are_one_entry(mine.parent, others.parent)


def _has_lost_parent(piece: MergePiece) -> bool:
    """Whether one side took out what a piece stands in."""
    parent = _parent(piece)
    return isinstance(parent, PieceMatch) and parent.base is not None and not (parent.ours and parent.theirs)


def _are_one_entry(one: MergePiece, other: MergePiece) -> bool:
    """Whether two new pieces are one that both sides wrote, so that what is equal below them is one addition.

    Half of what the shorter has is in the other, or their titles are the same but for number and state; and neither
    these nor those above them tell of two things.
    """
    mine, others = long_pieces(one), long_pieces(other)
    if 2 * len(mine & others) < min(len(mine), len(others)) and not (one.loose and one.loose == other.loose):
        return False
    above: MergePiece | None = one
    beside: MergePiece | None = other
    while above and beside and above.match is not beside.match:
        marks = identifiers(above.head), identifiers(beside.head)
        if not alike(above.key, beside.key) or (all(marks) and marks[0].isdisjoint(marks[1])):
            return False
        above, beside = above.parent, beside.parent
    return above is not None and beside is not None


def _are_rows_of_one(one: PieceMatch, other: PieceMatch) -> bool:
    """Whether two new rows are one: each new entry has its own, though it tells of the same task."""
    mine, others = (each.any.parent for each in (one, other))
    tables = [each for each in (mine, others) if each and each.kind == "table"]
    if len(tables) < 2 or not all(map(_is_in_new, tables)):
        return True
    return _are_one_entry(*(each.parent or each for each in tables))


def _is_around(outer: MergePiece, inner: MergePiece) -> bool:
    """Whether one piece stands in a section, and another deeper in the same; at the top of a file with its list."""
    above: MergePiece | None = inner
    while above is not None and above.match is not outer.match:
        above = above.parent
    is_one = outer.kind == "section" or (outer.kind == "root" and len(long_pieces(outer) & long_pieces(inner)) > 1)
    return above is not None and is_one and outer.match is not None


def _parent(piece: MergePiece) -> object:
    return piece.parent.match if piece.parent else None


def _is_in_new(piece: MergePiece) -> bool:
    """Whether what a piece stands in is new on its side alone, too: then it belongs to that."""
    parent = _parent(piece)
    return isinstance(parent, PieceMatch) and parent.base is None and not (parent.ours and parent.theirs)
