"""The comments of a merge: what both sides had, and what an earlier merge said of it."""

from memdown.acts.merge.pieces import MergePiece, normal
from memdown.markdown.merge_comments import MARK, told

BOTH = f"<!-- {MARK}both sides changed this, and both are kept -->"
"""Stands behind the second of two texts that a merge could not decide between."""
LINES = f"<!-- {MARK}both sides changed this, and the lines of both are kept -->"
"""Stands behind one text that has the lines of both."""


def comment_of(form: str, text: str) -> str:
    return f"<!-- {form.format(in_comment(text))} -->"


def in_comment(text: str) -> str:
    return " ".join(text.split()).replace("-->", "--&gt;")


def values_told(pieces: list[MergePiece]) -> set[str]:
    """The values that comments of earlier merges have, and the texts that they say are both kept."""
    found: set[str] = set()
    for number, piece in enumerate(pieces):
        if MARK not in piece.head:
            continue
        if piece.head.strip() == BOTH:
            found |= {in_comment(each.head) for each in pieces[max(number - 2, 0) : number]}
        elif piece.head.strip() == LINES:
            found |= {in_comment(line) for line in pieces[number - 1].head.split("\n")}
        found |= {value for line in piece.head.split("\n") if (value := told(line))}
    return found


def is_told(one: MergePiece, other: MergePiece, base: MergePiece | None, values: set[str]) -> bool:
    """Whether all that another side has instead of a piece stands in it, or in the comments beside it."""
    if not values:
        return False
    if in_comment(other.head) in values:
        return True
    known = {normal(line) for line in (f"{one.head}\n{base.head}" if base else one.head).split("\n")}
    return all(normal(line) in known or in_comment(line) in values for line in other.head.split("\n"))
