"""What is said where nothing was found. Imports next to nothing, for searches."""

from memdown import homes
from memdown.errors import quote, way

_DEEPEST, _MOST_FOLDERS = 8, 5000
"""How far memory is looked for by who has none nearby."""


def nothing_found(root: object) -> str:
    """What is said where there is no memory: how to begin one, or where a deeper folder has some."""
    begin = f"Run {way('init')} to create a memory bank, or use {way('--root DIR')} to look elsewhere."
    return f"No memory found in {root}" + (_deeper(root) or f". {begin}")


def offer(root: object, begin: str = "one") -> str:
    """The same, where somebody is about to begin and the folder need not be named."""
    return "No memory here" + (_deeper(root) or f" yet; run {way('init')} to create {begin}.")


def none_of(root: object, sentence: str) -> str:
    """A sentence about memory that has nothing of what was asked for; where there is no memory at all, that instead."""
    return sentence if homes.holds_memory(str(root)) else nothing_found(root)


def _deeper(root: object) -> str:
    """Where a deeper folder has memory, as the end of a sentence; empty where none has."""
    found = homes.nested(str(root), _DEEPEST, _MOST_FOLDERS)
    if not found:
        return ""
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    read = f"Use {way('--root DIR')} with the folder above it, or list it under `nested` in memdown.toml."
    return f", but there is {quote(found[0])}{more} below it. {read}"
