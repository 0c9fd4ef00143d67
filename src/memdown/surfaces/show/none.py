"""What is said where nothing was found. Imports next to nothing, for searches."""

from memdown import homes
from memdown.errors import quote, way

_DEEPEST, _MOST_FOLDERS = 8, 5000
"""How far memory is looked for by who has none nearby."""


def nothing_found(root: object) -> str:
    """What is said where there is no memory: how to begin one, or where a deeper folder has some."""
    deeper = homes.nested(str(root), _DEEPEST, _MOST_FOLDERS)
    if not deeper:
        begin = f"Run {way('init')} to create a memory bank, or use --root DIR to look elsewhere."
        return f"No memory found in {root}. {begin}"
    more = f" and {len(deeper) - 1} more" if len(deeper) > 1 else ""
    read = "Use --root with the folder above it, or list it under `nested` in memdown.toml."
    return f"No memory found in {root}, but there is {quote(deeper[0])}{more} below it. {read}"


def none_of(root: object, sentence: str) -> str:
    """A sentence about memory that has nothing of what was asked for; where there is no memory at all, that instead."""
    return sentence if homes.holds_memory(str(root)) else nothing_found(root)
