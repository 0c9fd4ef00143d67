"""Which pieces of two lists are the same: by what they are known by, then by wording."""

from collections.abc import Callable

from memdown.acts.merge.pieces import (
    DATE,
    SAME,
    MergePiece,
    alike,
    identifiers,
    normal,
    same_title,
    words,
)
from memdown.patterns import lazy

_MOST = 4000
"""Comparisons of wordings among the pieces of one parent; beyond that only keys count."""
_ALIKE = SAME
_TITLE = 3
"""Words of a title that are enough to know it again in a longer one."""
LEAST = {"section": 5, "item": 12, "paragraph": 12, "line": 25, "row": 25, "comment": 12, "fence": 12}
"""How many characters a key has at least by which a piece is found again under another heading."""
_NUMBERS = lazy(r"\d+")
_TOLD = ("paragraph", "fence", "comment")
"""What both sides may have written of one thing in different words."""
_SAME = 20
"""Of how many pieces one line may be part and still tell one from another."""
_UNIQUE = ("title", "table", "front", "end", "comment")


def pairs(before: list[MergePiece], after: list[MergePiece], *, new: bool = False) -> dict[int, MergePiece]:
    """For the pieces of one list, by identity, the same piece of the other; `new` ones are no two versions of one."""
    found: dict[int, MergePiece] = {}
    left, right = before, after
    for name in (_text, _new_key, _told_again, _words, field_of, _only_new) if new else (_text, key_of, _loose, _only):
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


def pairs_of_new(ours: list[MergePiece], theirs: list[MergePiece]) -> dict[int, MergePiece]:
    """For what one side put in, by identity, what the other put in that is the same."""
    both = pairs(ours, theirs, new=True)
    _pair_shared(ours, theirs, both, _lines)
    mine, others = ([each for each in side if each.kind == "section"] for side in (ours, theirs))
    for name in (_numbered, _retold):
        _pair_by(name, mine, others, both)
    return both


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


def key_of(piece: MergePiece) -> str:
    return f"{piece.kind}:{piece.key}"


def _new_key(piece: MergePiece) -> str:
    return key_of(piece)


def _loose(piece: MergePiece) -> str:
    return piece.loose and f"{piece.kind}:{piece.loose}"


def field_of(piece: MergePiece) -> str:
    """The name of a field, with the day that an item begins with: of two days there are two."""
    if piece.kind in ("section", "fence") or not piece.loose:
        return ""
    begins = piece.kind == "item" and piece.date in piece.head[: LEAST["line"]]
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
        mine, others = ({key_of(each) for each in _around(piece).children} for piece in (one, other))
    else:  # headings alone, as in every file of their kind, do not make it one
        mine, others = (
            {key_of(each) for each in _around(piece).all() if each.kind not in ("section", "title")}
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
        if not key or not others or (name not in (_text, key_of, _new_key) and (len(others) > 1 or counts[key] > 1)):
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
    return {name for line in piece.head.split("\n") if len(line) >= LEAST["item"] and (name := normal(line))}


def _below_heading(piece: MergePiece) -> set[str]:
    """What stands below a section, by which it is known when its heading changed."""
    return long_pieces(piece) if piece.kind == "section" else set()


def _is_renumbered(one: MergePiece, other: MergePiece) -> bool:
    """Whether half of what stands below one section stands below the other, of another number."""
    mine, others = long_pieces(one), long_pieces(other)
    return 2 * len(mine & others) >= max(min(len(mine), len(others)), 1)


def long_pieces(piece: MergePiece) -> set[str]:
    """The long pieces right below one."""
    return {each.key for each in piece.children if len(each.head) >= LEAST["line"]}
