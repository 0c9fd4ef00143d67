"""What each side changed apart from the other: such lines are merged as git does it, and only the rest by entry.

A change is apart when a line that nobody touched stands between it and every change of the other side, when it puts no
line of theirs below another heading, and when nothing in it is named in a change of the other side: what moved, or what
both wrote at two places, is for those who know entries.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator

from memdown.acts.merge.lines import LinePlace, differences
from memdown.acts.merge.pieces import HEADING, ITEM, MergePiece, alike, cells, field, normal, tasks_once, unstamped
from memdown.patterns import lazy

_LONG = 12
"""Characters of a line that is known again under another heading."""
_OWN = 25
"""The same for a line of an entry that is new."""
_FURTHEST = 1000
"""Lines up or down that the same text may stand."""
_OURS, _THEIRS = 1, 2
_Lines = list[str]
_Headings = list[int]
"""The numbers of the lines that are headings."""
_MARKS = lazy(r"^ {0,3}(#(?=#{0,5}(?:[ \t]|$))|```|~~~)", re.MULTILINE)
"""Lines that are headings, and such as begin or end a code block."""


class _TextChange:
    """Lines of the base from `start` to `end` that became `new`, which a side, or both, did."""

    __slots__ = ("at", "end", "first", "group", "is_apart", "is_renamed", "last", "new", "place", "side", "start")

    def __init__(self, start: int, end: int, at: int, new: _Lines, side: int) -> None:
        self.start = start
        self.end = end
        self.at = at
        """Where its lines begin on its side."""
        self.new = new
        self.side = side
        self.place = start, end
        """The lines among which it may be said to stand: the same text comes of it a few lines up or down."""
        self.first, self.last = start, end
        """The same with the blank lines around."""
        self.is_apart = True
        self.is_renamed = False
        """Whether it is one heading in other words."""
        self.group = self


def settled(base: str, ours: str, theirs: str) -> tuple[str, str, str]:
    """The three texts, with what either side did apart from the other in all of them."""
    texts = [each.split("\n") for each in (base, ours, theirs)]
    changes = _changes(texts)
    _mark_touching(changes)
    if not any(each.is_apart for each in changes):
        return base, ours, theirs
    headings = [_headings(each) for each in (base, ours, theirs)]
    _mark_below_headings(texts[0], headings[0], changes)
    _mark_named(texts, headings, changes)
    if not any(each.is_apart for each in changes):
        return base, ours, theirs
    before, mine, others = (
        _applied(texts[0], [each for each in changes if each.is_apart or each.side & side])
        for side in (0, _OURS, _THEIRS)
    )
    return before, mine, others


def _applied(lines: _Lines, changes: list[_TextChange]) -> str:
    found, done = [], 0
    for each in changes:
        found += lines[done : each.start]
        found += each.new
        done = each.end
    return "\n".join(found + lines[done:])


def _changes(texts: list[_Lines]) -> list[_TextChange]:
    """What both sides changed, in the order of the base; what both did alike is one change."""
    found: dict[tuple[int, int, str], _TextChange] = {}
    for side in (_OURS, _THEIRS):
        for start, end, at, to in _grown(texts[0], differences(texts[0], texts[side])):
            new = texts[side][at:to]
            change = found.setdefault((start, end, "\n".join(new)), _TextChange(start, end, at, new, side))
            change.side |= side
    changes = sorted(found.values(), key=lambda each: (each.start, each.end))
    for each in changes:
        old = texts[0][each.start : each.end]
        each.is_renamed = len(old) == len(each.new) == 1 and bool(_levels(old)) and _levels(old) == _levels(each.new)
        _widen(texts[0], each)
    return changes


def _widen(lines: _Lines, change: _TextChange) -> None:
    """Reckon with the other places at which the same lines could have been put in, or taken out."""
    moved = change.new if change.start == change.end else lines[change.start : change.end] if not change.new else []
    size, step = len(moved), 0
    while size and step < _FURTHEST and change.first > 0 and lines[change.first - 1] == moved[-1 - step % size]:
        change.first, step = change.first - 1, step + 1
    step = 0
    while size and step < _FURTHEST and change.last < len(lines) and lines[change.last] == moved[step % size]:
        change.last, step = change.last + 1, step + 1
    change.place = change.first, change.last
    while change.first > 0 and not lines[change.first - 1].strip():
        change.first -= 1
    while change.last < len(lines) and not lines[change.last].strip():
        change.last += 1


def _mark_touching(changes: list[_TextChange]) -> None:
    """Changes of different sides between which no line stays as it was."""
    near: list[_TextChange] = []
    for each in sorted(changes, key=lambda each: (each.first, each.last)):
        near = [other for other in near if other.last >= each.first]
        for other in near:
            if other.side != each.side and _is_touching(each, other):
                other.is_apart = each.is_apart = False
        near.append(each)


def _is_touching(one: _TextChange, other: _TextChange) -> bool:
    """Whether two changes are at one place; blank lines are none between two that only put something in."""
    if one.start == one.end and other.start == other.end:
        return True
    if one.is_renamed or other.is_renamed:  # what the other side puts in before or behind it has its place
        return one.start < other.end and other.start < one.end
    return one.place[0] <= other.place[1] and other.place[0] <= one.place[1]


def _mark_below_headings(lines: _Lines, known: _Headings, changes: list[_TextChange]) -> None:
    """What a side put in below a heading that the other put in or took out, up to the next one that stays."""
    gone = {number for each in changes for number in range(each.start, each.end)}
    headings = [each for each in known if each not in gone]
    places = [each.start for each in changes]
    moving = {
        id(each)
        for each in changes
        if not (each.is_renamed or _has_same_headings(lines[each.start : each.end], each.new))
    }
    for each in changes:
        if id(each) in moving:
            following = bisect_left(headings, each.end)
            end = headings[following] + 1 if following < len(headings) else len(lines) + 1
            for other in changes[bisect_left(places, each.start) : bisect_left(places, end)]:
                if other.side != each.side and (id(other) in moving or not _is_edit(lines, other)):
                    other.is_apart = each.is_apart = False


def _is_edit(lines: _Lines, change: _TextChange) -> bool:
    """Whether a change is about lines that were there, and puts in none that is new."""
    old, new = ([line for line in text if line.strip()] for text in (lines[change.start : change.end], change.new))
    return not new or (
        len(old) == len(new)
        and all(
            (field(one) and field(one) == field(other)) or alike(one, other)
            for one, other in zip(old, new, strict=True)
        )
    )


def _has_same_headings(old: _Lines, new: _Lines) -> bool:
    """Whether the headings of two texts stand for the same, with other words at most."""
    before, after = ([line for line in text if HEADING.match(line)] for text in (old, new))
    return _levels(before) == _levels(after) and all(alike(*pair) for pair in zip(before, after, strict=True))


def _levels(lines: _Lines) -> list[int]:
    return [len(found[1]) for line in lines if (found := HEADING.match(line))]


def _headings(text: str) -> _Headings:
    found: _Headings = []
    fence, line, last = "", 0, 0
    for mark in _MARKS.finditer(text):
        line, last = line + text.count("\n", last, mark.start()), mark.start()
        if mark[1] == "#":
            found += [] if fence else [line]
        else:
            fence = "" if fence == mark[1] else fence or mark[1]
    return found


def _above(headings: _Headings, line: int) -> int:
    """The number of the heading that a line is, or stands below; -1 for none."""
    place = bisect_right(headings, line)
    return headings[place - 1] if place else -1


def _mark_named(texts: list[_Lines], headings: list[_Headings], changes: list[_TextChange]) -> None:
    """Changes that have a name in common are one, which is apart when one side did all of it."""
    known: dict[str, _TextChange] = {}
    tasks = {name for each in tasks_once(texts[0]) if (name := unstamped(each))}
    for each in changes:
        side = _OURS if each.side & _OURS else _THEIRS
        names = {
            *_names(texts[0], headings[0], each.start, each.end, tasks=tasks, is_apart=each.is_apart),
            *_names(texts[side], headings[side], each.at, each.at + len(each.new), tasks=tasks, is_apart=each.is_apart),
        }
        for name in names:
            _root(each).group = _root(known.setdefault(name, each))
    sides: dict[int, int] = {}
    for each in changes:
        root = id(_root(each))
        sides[root] = sides.get(root, each.side) if each.is_apart and sides.get(root, each.side) == each.side else -1
    for each in changes:
        each.is_apart = sides[id(_root(each))] != -1


def _root(change: _TextChange) -> _TextChange:
    while change.group is not change:
        change.group = change.group.group
        change = change.group
    return change


def _names(
    lines: _Lines, headings: _Headings, start: int, end: int, *, tasks: Collection[str], is_apart: bool
) -> Iterator[str]:
    """What the lines of a change are known by: wherever they stand, or among those of their section."""
    for number in range(start, end):
        line, heading = lines[number], _above(headings, number)
        key = normal(line)
        if not key:
            continue
        if heading == number:
            yield MergePiece("section", line, 1).loose or key
            yield key
            continue
        if tasks and ITEM.match(line) and (task := unstamped(key)) in tasks:
            yield task
        named = field(line)
        if is_apart and heading >= start and (named or len(key) < _OWN):
            continue  # it belongs to its entry, which is all in this change
        if len(key) >= _LONG:
            yield key
        place = normal(lines[heading]) if heading >= 0 else ""
        yield f"{place}\n{key}"
        if named or heading < 0:
            yield f"{place}\n{named or key.partition(':')[0]}:"
        if key.startswith("|"):
            yield f"|{normal(cells(line)[0])}"


def _grown(lines: _Lines, differences: list[LinePlace]) -> list[LinePlace]:
    """The same, as one where only blank lines are between two: text that was written anew."""
    found: list[LinePlace] = []
    for start, end, at, to in differences:
        if found and not any(line.strip() for line in lines[found[-1][1] : start]):
            start, at = found[-1][0], found[-1][2]
            found.pop()
        found.append((start, end, at, to))
    return found
