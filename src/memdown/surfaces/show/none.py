"""What is said where nothing was found. Imports next to nothing, for searches."""

from memdown import homes
from memdown.errors import way


def nothing_found(root: object) -> str:
    """What is said where there is no memory."""
    return f"No memory found in {root}. Run {way('init')} to create a memory bank, or use --root DIR to look elsewhere."


def none_of(root: object, sentence: str) -> str:
    """A sentence about memory that has nothing of what was asked for; where there is no memory at all, that instead."""
    return sentence if homes.holds_memory(str(root)) else nothing_found(root)
