"""Which pieces of three texts are the same: by what they are known by, then by wording, wherever they moved to."""

from collections.abc import Callable

from memdown.acts.merge.pieces import MergePiece, alike, identifiers, words
from memdown.patterns import lazy

_MOST = 4000
"""Comparisons of wordings among the pieces of one parent; beyond that only keys count."""
_ALIKE = 0.6
_LEAST = {"section": 5, "item": 12, "paragraph": 12, "line": 25, "row": 25}
"""How many characters a key has at least by which a piece is found again under another heading."""
_ID = lazy(r"\[?[a-z]{1,10}-?\d+[a-z]?\]?")
"""The key of a row that is the same task in whatever table."""
SIDES = ("base", "ours", "theirs")
_UNIQUE = ("title", "table", "front", "end", "comment")


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
    for kind, least in (*_LEAST.items(), *_LEAST.items()):  # what stands below a piece that moved may have moved, too
        found = _moved(found, kind, least)
    return found


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
    in_ours, in_theirs = _pairs(base, ours), _pairs(base, theirs)
    known = {id(piece) for found in (in_ours, in_theirs) for piece in found.values()}
    new_ours = [each for each in ours if id(each) not in known]
    new_theirs = [each for each in theirs if id(each) not in known]
    both = _pairs(new_ours, new_theirs, new=True)
    known |= {id(piece) for piece in both.values()}
    return [
        *(PieceMatch(each, in_ours.get(id(each)), in_theirs.get(id(each))) for each in base),
        *(PieceMatch(None, each, both.get(id(each))) for each in new_ours),
        *(PieceMatch(None, None, each) for each in new_theirs if id(each) not in known),
    ]


def _pairs(before: list[MergePiece], after: list[MergePiece], *, new: bool = False) -> dict[int, MergePiece]:
    """For the pieces of one list, by identity, the same piece of the other; `new` ones are no two versions of one."""
    found: dict[int, MergePiece] = {}
    left, right = before, after
    for name in (_text, _new_key, _field, _only_new) if new else (_text, _key, _loose, _only):
        if left and right:
            _pair_by(name, left, right, found)
            taken = {id(piece) for piece in found.values()}
            left = [each for each in left if id(each) not in found]
            right = [each for each in right if id(each) not in taken]
    if not new and left and right and len(left) * len(right) <= _MOST:
        _pair_alike(left, right, found)
        _pair_replaced(before, after, found)
    return found


def _pair_replaced(before: list[MergePiece], after: list[MergePiece], found: dict[int, MergePiece]) -> None:
    """Take one paragraph for another that stands between the same neighbours now."""
    back = {id(piece): number for number, each in enumerate(before) if (piece := found.get(id(each))) is not None}
    places = [back.get(id(each)) for each in after]
    for number, each in enumerate(after):
        previous = places[number - 1] if number else -1
        following = places[number + 1] if number + 1 < len(after) else len(before)
        if each.kind == "paragraph" and places[number] is None and previous is not None and following == previous + 2:
            old = before[previous + 1]
            if old.kind == "paragraph" and id(old) not in found:
                found[id(old)] = each


def _text(piece: MergePiece) -> str:
    return f"{piece.kind}:{piece.whole}"


def _key(piece: MergePiece) -> str:
    return f"{piece.kind}:{piece.key}"


def _new_key(piece: MergePiece) -> str:
    return _key(piece)


def _loose(piece: MergePiece) -> str:
    return piece.loose and f"{piece.kind}:{piece.loose}"


def _field(piece: MergePiece) -> str:
    """The name of a field, with the day that an item begins with: of two days there are two."""
    if piece.kind == "section" or not piece.loose:
        return ""
    begins = piece.kind == "item" and piece.date in piece.head[: _LEAST["line"]]
    return f"{_loose(piece)}:{piece.date[:10] if begins else ''}"


def _only_new(piece: MergePiece) -> str:
    return _only(piece)


def _share(one: MergePiece, other: MergePiece) -> bool:
    """Whether two titles of a file that was made twice stand for the same file: something below them is the same."""
    mine, others = (
        each.parent.children if each.kind == "title" and each.parent else each.children for each in (one, other)
    )
    return alike(one.key, other.key) and not {_key(each) for each in mine}.isdisjoint(_key(each) for each in others)


def _only(piece: MergePiece) -> str:
    """Of some kinds a parent has only one, as a rule: then that is the same one, whatever it says."""
    return piece.kind if piece.kind in _UNIQUE or (piece.kind == "section" and piece.level == 1) else ""


def _pair_by(
    name: Callable[[MergePiece], str], left: list[MergePiece], right: list[MergePiece], found: dict[int, MergePiece]
) -> None:
    by_name: dict[str, list[MergePiece]] = {}
    counts: dict[str, int] = {}
    for each in left:
        counts[name(each)] = counts.get(name(each), 0) + 1
    for each in right:
        by_name.setdefault(name(each), []).append(each)
    for each in left:
        key = name(each)
        others = by_name.get(key)
        if not key or not others or (name not in (_text, _key, _new_key) and (len(others) > 1 or counts[key] > 1)):
            continue
        if name is _new_key and each.kind == "row" and not alike(each.head, others[0].head):
            continue  # two branches gave one number to different tasks
        if name is _only_new and each.kind in ("section", "title") and not _share(each, others[0]):
            continue
        found[id(each)] = others.pop(0)


def _pair_alike(left: list[MergePiece], right: list[MergePiece], found: dict[int, MergePiece]) -> None:
    scores = []
    bags = {id(each): set(words(each.head)) for each in (*left, *right)}
    marks = {id(each): identifiers(each.head) for each in (*left, *right)}
    for number, one in enumerate(left):
        for place, other in enumerate(right):
            if one.kind != other.kind or one.level != other.level or one.kind == "row":
                continue
            if marks[id(one)] and marks[id(other)] and not marks[id(one)] & marks[id(other)]:
                continue
            a, b = bags[id(one)], bags[id(other)]
            score = len(a & b) / max(len(a | b), 1)
            if score >= _ALIKE:
                scores.append((-score, number, place))
    used: set[int] = set()
    for _, number, place in sorted(scores):
        if id(left[number]) not in found and place not in used:
            found[id(left[number])] = right[place]
            used.add(place)


def _moved(found: list[PieceMatch], kind: str, least: int) -> list[PieceMatch]:
    """The same with pieces brought together that a side moved, or that both put under different headings."""
    by_key: dict[str, list[PieceMatch]] = {}
    for each in found:
        piece = each.any
        long = len(piece.key) >= least or (kind == "row" and _ID.fullmatch(piece.key))
        if piece.kind == kind and long and not (each.ours and each.theirs):
            by_key.setdefault(piece.key, []).append(each)
    gone: set[int] = set()
    again: list[PieceMatch] = []
    for matches in by_key.values():
        for parts in _joined([each for each in matches if id(each) not in gone]):
            gone |= {id(piece.match) for part in parts for piece in _pieces(part)}
            whole = PieceMatch(*(next(filter(None, (getattr(each, side) for each in parts)), None) for side in SIDES))
            again += _all_below([whole])
    return [each for each in (*found, *again) if id(each) not in gone]


def _pieces(match: PieceMatch) -> list[MergePiece]:
    return [piece for each in (match.base, match.ours, match.theirs) if each for piece in each.all()]


def _joined(matches: list[PieceMatch]) -> list[list[PieceMatch]]:
    """Which of the matches of one key are one piece, if that is sure."""
    old = [each for each in matches if each.base]
    mine = [each for each in matches if not each.base and each.ours]
    others = [each for each in matches if not each.base and each.theirs]
    if len(old) > 1 or len(mine) > 1 or len(others) > 1 or len(matches) < 2:
        return []
    if old:
        mine = mine if not old[0].ours else []
        others = others if not old[0].theirs else []
        return [[*old, *mine, *others]] if mine or others else []
    both = [*mine, *others]
    if len(both) == 2 and both[0].any.kind == "row":
        return [both] if alike(both[0].any.head, both[1].any.head) else []
    if len(both) < 2 or (any(_is_in_new(each.any) for each in both) and not _are_equal(*both)):
        return []
    return [both]


def _are_equal(one: PieceMatch, other: PieceMatch) -> bool:
    """Whether both sides wrote the same of one thing under two headings of much the same words, both new.

    Fields belong to their entry, however often others have the same value.
    """
    mine, others = one.any, other.any
    above = [each.parent.key for each in (mine, others) if each.parent]
    is_same = " ".join(mine.head.split()) == " ".join(others.head.split())
    is_long = mine.kind != "section" and not mine.loose and len(mine.head) >= _LEAST["line"]
    return is_same and is_long and len(above) == 2 and alike(*above)


def _is_in_new(piece: MergePiece) -> bool:
    """Whether what a piece stands in is new, too: then it belongs to that."""
    parent = piece.parent.match if piece.parent else None
    return isinstance(parent, PieceMatch) and parent.base is None
