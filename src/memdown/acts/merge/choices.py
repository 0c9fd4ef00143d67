"""Places in a text where a merge kept both sides, and the text that each choice gives."""

from msgspec import Struct

from memdown.acts.merge import dressed, plain
from memdown.acts.merge.comments import BOTH
from memdown.acts.merge.pieces import MergePiece, cells, normal, read
from memdown.markdown.merge_comments import MARK, told
from memdown.text import Edit, Span, apply

_LONG = ("paragraph", "fence", "comment", "root")
"""What a value may be part of, so that it does not stand for the whole."""


class MergeChoice(Struct, frozen=True):
    """Two texts of which one may stay."""

    line: int
    """Where the comment is that says so."""
    kept: str
    other: str
    keep: tuple[Edit, ...]
    """What leaves the first and takes out the comment."""
    take: tuple[Edit, ...]
    """What leaves the other."""


def choices(text: str) -> list[MergeChoice]:
    """The places of a text where a person can choose; its edits are for the text with plain line ends."""
    if MARK not in text:
        return []
    bare = plain(text)
    pieces = read(bare)[0].all()
    starts, at = [], 0
    for piece in pieces:
        starts.append(at)
        at += len(piece.head) + len(piece.gap)
    found = []
    for number, piece in enumerate(pieces):
        if piece.kind == "comment" and piece.head.strip() == BOTH:
            choice = _between(pieces, starts, number)
        elif piece.kind == "comment" and told(piece.head):
            choice = _instead(pieces, starts, number)
        else:
            choice = _in_front(piece, starts[number]) if piece.kind == "key" else None
        if choice is not None:
            kept, other, keep, take = choice
            line = bare.count("\n", 0, starts[number] + piece.head.index(MARK)) + 1
            found.append(MergeChoice(line, kept, other, keep, take))
    return found


def chosen(text: str, edits: list[Edit]) -> str:
    """The text with what was chosen."""
    return dressed(apply(plain(text), edits), text, text, text)


_Choice = tuple[str, str, tuple[Edit, ...], tuple[Edit, ...]]


def _between(pieces: list[MergePiece], starts: list[int], number: int) -> _Choice | None:
    """One of the two pieces before a comment."""
    first, second = pieces[number - 2 : number] if number > 1 else (pieces[0], pieces[0])
    if first.kind != second.kind or first.kind == "root":
        return None
    end = starts[number] + len(pieces[number].head)
    after_first, after_second = (starts[n] + len(pieces[n].head) for n in (number - 2, number - 1))
    keep = (Edit(Span(after_first, end), ""),)
    take = (Edit(Span(starts[number - 2], starts[number - 1]), ""), Edit(Span(after_second, end), ""))
    return first.head, second.head, keep, take


def _instead(pieces: list[MergePiece], starts: list[int], number: int) -> _Choice | None:
    """What a comment has, instead of the piece it stands behind, or of the row of its key."""
    other = told(pieces[number].head).replace("--&gt;", "-->")
    place = number - 1
    while pieces[place].kind == "comment" and MARK in pieces[place].head:
        place -= 1
    kept = pieces[place]
    if kept.kind == "row" and kept.parent:
        key = normal(cells(other)[0])
        kept = next((each for each in kept.parent.children if each.key == key), kept)
    if kept.kind in _LONG:
        return None
    indent = kept.head[: len(kept.head) - len(kept.head.lstrip())]
    before = starts[number - 1] + len(pieces[number - 1].head)
    gone = Edit(Span(before, starts[number] + len(pieces[number].head)), "")
    start = starts[kept.at]
    return kept.head, other, (gone,), (Edit(Span(start, start + len(kept.head)), indent + other), gone)


def _in_front(key: MergePiece, start: int) -> _Choice | None:
    """The same in front matter, where a key has one line."""
    lines = key.head.split("\n")
    if len(lines) != 2:
        return None
    other = told(lines[1])
    if not other:
        return None
    end = start + len(key.head)
    keep = (Edit(Span(start + len(lines[0]), end), ""),)
    return lines[0], other, keep, (Edit(Span(start, end), other),)
