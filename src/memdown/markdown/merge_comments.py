"""Comments that a merge leaves beside what it kept: for a person to settle, and no part of the memory in a file."""

from collections.abc import Iterator

from memdown.errors import way

MARK = "memdown merge: "
"""What each begins with, in Markdown and in front matter."""
OTHER = MARK + "the other side has: {}"
"""Stands behind a line of which there can be only one."""
NEWER = MARK + "one value is kept; the other side had: {}"
"""The same where one was taken without a question: the newer, as far as dates tell."""
_OTHERS = tuple(form.partition("{")[0] for form in (OTHER, NEWER))
"""How a comment begins that has the other value."""
_OPEN, _CLOSE = f"<!-- {MARK}", "-->"


def merge_comments(text: str) -> Iterator[tuple[int, int]]:
    """Where they begin and end in Markdown; each is on one line."""
    at, end = text.find(_OPEN), 0
    while at >= 0:
        inside = at + len(_OPEN)
        end = end if end >= inside else text.find(_CLOSE, inside)
        if end < 0:
            return
        line = text.find("\n", inside, end)
        if line < 0:
            yield at, end + len(_CLOSE)
            inside = end + len(_CLOSE)
        at = text.find(_OPEN, inside)


def versions() -> str:
    """What is said where both sides of a merge are kept."""
    return f"2 versions after a merge; choose with {way('resolve', '-i')}"


def told(line: str) -> str:
    """What the comment on a line says that the other side has; empty where it says nothing of the kind."""
    value = next((line.partition(begin)[2] for begin in _OTHERS if begin in line), "")
    return value.strip().removesuffix(_CLOSE).strip()


def without_merge_comments(text: str) -> str:
    """A text without them, and without the lines and blanks that only they stood on."""
    kept, at = [], 0
    for start, end in merge_comments(text):
        kept.append(text[at:start].rstrip())
        at = end
    return text if not at else "".join(kept) + text[at:]
