"""Which pieces of three texts are the same: by what they are known by, then by wording, wherever they moved to."""

from collections.abc import Callable, Collection, Iterator

from memdown.acts.merge.lines import differences
from memdown.acts.merge.pieces import (
    DATE,
    SAME,
    MergePiece,
    alike,
    counts,
    field,
    identifiers,
    is_label,
    normal,
    same_title,
    tasks_once,
    unstamped,
    words,
)
from memdown.patterns import lazy

_MOST = 4000
"""Comparisons of wordings among the pieces of one parent; beyond that only keys count."""
_ALIKE = SAME
_TITLE = 3
"""Words of a title that are enough to know it again in a longer one."""
_LEAST = {"section": 5, "item": 12, "paragraph": 12, "line": 25, "row": 25, "comment": 12, "fence": 12}
"""How many characters a key has at least by which a piece is found again under another heading."""
_LEAVES = tuple(kind for kind in _LEAST if kind != "section")
_ID = lazy(r"\[?[a-z]{1,10}-?\d+[a-z]?\]?")
"""The key of a row that is the same task in whatever table."""
_NUMBERS = lazy(r"\d+")
SIDES = ("base", "ours", "theirs")
_TOLD = ("paragraph", "fence", "comment")
"""What both sides may have written of one thing in different words."""
_SAME = 20
"""Of how many pieces one line may be part and still tell one from another."""
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
    in_ours, in_theirs = _pairs(base, ours), _pairs(base, theirs)
    known = {id(piece) for found in (in_ours, in_theirs) for piece in found.values()}
    new_ours = [each for each in ours if id(each) not in known]
    new_theirs = [each for each in theirs if id(each) not in known]
    both = _pairs(new_ours, new_theirs, new=True)
    _pair_shared(new_ours, new_theirs, both, _lines)
    mine, others = ([each for each in side if each.kind == "section"] for side in (new_ours, new_theirs))
    for name in (_numbered, _retold):
        _pair_by(name, mine, others, both)
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
    for name in (_text, _new_key, _told_again, _words, _field, _only_new) if new else (_text, _key, _loose, _only):
        if left and right:
            _pair_by(name, left, right, found)
            taken = {id(piece) for piece in found.values()}
            left = [each for each in left if id(each) not in found]
            right = [each for each in right if id(each) not in taken]
    if not new and left and right:
        _pair_shared(left, right, found, _below_heading)
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
    if piece.kind in ("section", "fence") or not piece.loose:
        return ""
    begins = piece.kind == "item" and piece.date in piece.head[: _LEAST["line"]]
    return f"{_loose(piece)}:{piece.date[:10] if begins else ''}"


def _words(piece: MergePiece) -> str:
    """The words of a line, whether it is an item of a list or not."""
    return piece.key if piece.kind in ("item", "line", "paragraph") and not piece.children else ""


def _told_again(piece: MergePiece) -> str:
    """The title of a section that names one thing, whatever its state: one event, of which both sides tell."""
    named = piece.kind == "section" and any(not DATE.match(each) for each in identifiers(piece.head))
    return _loose(piece) if named and len(words(piece.key)) > _TITLE else ""


def _numbered(piece: MergePiece) -> str:
    """The title of a section, whatever its place in a list."""
    return _NUMBERS.sub("0", piece.key)


def _retold(piece: MergePiece) -> str:
    """The title of a section, whatever its place in a list and its state."""
    return _loose(piece) if len(words(piece.key)) > _TITLE else ""


def _only_new(piece: MergePiece) -> str:
    return _only(piece)


def _share(one: MergePiece, other: MergePiece) -> bool:
    """Whether two titles of a file that was made twice stand for the same file: something below them is the same."""
    if same_title(one.key, other.key):
        mine, others = ({_key(each) for each in _around(piece).children} for piece in (one, other))
    else:  # headings alone, as in every file of their kind, do not make it one
        mine, others = (
            {_key(each) for each in _around(piece).all() if each.kind not in ("section", "title")}
            for piece in (one, other)
        )
    return alike(one.key, other.key) and not mine.isdisjoint(others)


def _around(piece: MergePiece) -> MergePiece:
    """What holds the pieces below a title."""
    return piece.parent if piece.kind == "title" and piece.parent else piece


def _only(piece: MergePiece) -> str:
    """Of some kinds a parent has only one, as a rule: then that is the same one, whatever it says."""
    return piece.kind if piece.kind in _UNIQUE or (piece.kind == "section" and piece.level == 1) else ""


def _pair_by(
    name: Callable[[MergePiece], str], left: list[MergePiece], right: list[MergePiece], found: dict[int, MergePiece]
) -> None:
    by_name: dict[str, list[MergePiece]] = {}
    counts: dict[str, int] = {}
    left = [each for each in left if id(each) not in found]
    taken = {id(piece) for piece in found.values()}
    for each in left:
        counts[name(each)] = counts.get(name(each), 0) + 1
    for each in right if not taken else [each for each in right if id(each) not in taken]:
        by_name.setdefault(name(each), []).append(each)
    for each in left:
        key = name(each)
        others = by_name.get(key)
        if not key or not others or (name not in (_text, _key, _new_key) and (len(others) > 1 or counts[key] > 1)):
            continue
        if name is _new_key and each.kind == "row" and not alike(each.head, others[0].head):
            continue  # two branches gave one number to different tasks
        if name in (_numbered, _retold) and not _is_renumbered(each, others[0]):
            continue
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
            if one.kind == "section" and min(len(a), len(b)) >= _TITLE and (a <= b or b <= a):
                score = max(score, _ALIKE)  # a title that was made longer
            if score >= _ALIKE:
                scores.append((-score, number, place))
    used: set[int] = set()
    for _, number, place in sorted(scores):
        if id(left[number]) not in found and place not in used:
            found[id(left[number])] = right[place]
            used.add(place)


def _pair_shared(
    left: list[MergePiece],
    right: list[MergePiece],
    found: dict[int, MergePiece],
    parts: Callable[[MergePiece], set[str]],
) -> None:
    """Take pieces for one that have half of their parts in common: those with the most first."""
    taken = {id(piece) for piece in found.values()}
    mine = [(each, own) for each in left if id(each) not in found and (own := parts(each))]
    by_part: dict[str, list[tuple[MergePiece, set[str]]]] = {}
    for each in right:
        if mine and id(each) not in taken:
            own = parts(each)
            for part in own:
                by_part.setdefault(part, []).append((each, own))
    scores = []
    for number, (each, own) in enumerate(mine):
        others = {id(other): (other, theirs) for part in own for other, theirs in by_part.get(part, ())[:_SAME]}
        for other, theirs in others.values():
            if _are_most_shared(each, own, other, theirs):
                scores.append((-len(own & theirs), number, other.at, each, other))
    for *_, each, other in sorted(scores, key=lambda score: score[:3]):
        if id(each) not in found and id(other) not in taken:
            found[id(each)] = other
            taken.add(id(other))


def _are_most_shared(one: MergePiece, own: set[str], other: MergePiece, theirs: set[str]) -> bool:
    share, least = len(own & theirs), min(len(own), len(theirs))
    if one.kind == "fence" and share < least:
        return False  # lines of two programs make none
    if (one.kind, one.level) != (other.kind, other.level) or (one.kind == "section" and not alike(one.key, other.key)):
        return False
    return 2 * share >= least and share > 1


def _lines(piece: MergePiece) -> set[str]:
    """The lines of a paragraph or a fence by which it is known."""
    if piece.kind not in _TOLD:
        return set()
    return {name for line in piece.head.split("\n") if len(line) >= _LEAST["item"] and (name := normal(line))}


def _below_heading(piece: MergePiece) -> set[str]:
    """What stands below a section, by which it is known when its heading changed."""
    return _heads(piece) if piece.kind == "section" else set()


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
        if any(mine[line] == others[line] == 1 and len(line) >= _LEAST["line"] and not field(line) for line in row):
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
        is_long = not name and (len(key) >= _LEAST[kind] or (kind == "row" and _ID.fullmatch(key)))
        if is_long or (kind == "item" and key in tasks):
            by_key.setdefault(key, []).append(each)
    gone: set[int] = set()
    again: list[PieceMatch] = []
    for key, matches in by_key.items():
        if len(key) < _LEAST[kind] and key in tasks and not any(_has_stayed(each) for each in matches):
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
        if not (match.ours and match.theirs) and _field(match.any) and id(match) not in gone:
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
        return _key(one.any) == _key(other.any)
    return _field(one.any) == _field(other.any) and _parent(one.any) is _parent(other.any)


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
    if not is_same or len(mine.head) < _LEAST["line"] or mine.parent is None or others.parent is None:
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
    mine, others = _heads(one), _heads(other)
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
    is_one = outer.kind == "section" or (outer.kind == "root" and len(_heads(outer) & _heads(inner)) > 1)
    return above is not None and is_one and outer.match is not None


def _is_renumbered(one: MergePiece, other: MergePiece) -> bool:
    """Whether half of what stands below one section stands below the other, of another number."""
    mine, others = _heads(one), _heads(other)
    return 2 * len(mine & others) >= max(min(len(mine), len(others)), 1)


def _heads(piece: MergePiece) -> set[str]:
    """The long pieces right below one."""
    return {each.key for each in piece.children if len(each.head) >= _LEAST["line"]}


def _parent(piece: MergePiece) -> object:
    return piece.parent.match if piece.parent else None


def _is_in_new(piece: MergePiece) -> bool:
    """Whether what a piece stands in is new on its side alone, too: then it belongs to that."""
    parent = _parent(piece)
    return isinstance(parent, PieceMatch) and parent.base is None and not (parent.ours and parent.theirs)
