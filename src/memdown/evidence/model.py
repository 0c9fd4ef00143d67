"""The answer to a claim."""

from msgspec import Struct

from memdown.git import Commit
from memdown.git.past import GitPast

STATES = ("fresh", "moved", "changed", "gone", "unknown")


class Answer(Struct, frozen=True, gc=False):
    """How a claim stands."""

    state: str
    now: str | None = None
    """What is there instead: a path, a version, a place."""
    commit: Commit | None = None
    """The commit that made it untrue."""
    note: str = ""
    """Why it is unknown, or how sure the answer is."""
    how: str = ""
    """How it was looked up, where there are several ways."""


FRESH = Answer("fresh")


NOT_COMMITTED = "not committed"
"""How the note of what became untrue since the last commit ends."""


def unknown(why: str) -> Answer:
    return Answer("unknown", note=why)


def not_found(past: GitPast, asked: str) -> Answer:
    """The answer for what is not there, nor in git's history: why that could not be asked, else what it said."""
    return unknown(f"not found, and {past.missing or asked}")
