"""One statement of memory about the code, and how it stands."""

from msgspec import Struct

UNTRUE = ("moved", "changed", "gone")
"""States that are an alarm."""


class Statement(Struct, frozen=True):
    """A claim of a record, and how it stands."""

    id: str
    path: str
    line: int
    claim: str
    """As the record spells it."""
    kind: str
    target: str
    state: str
    now: str | None
    commit: str | None
    since: str | None
    """When that commit was made."""
    author: str | None
    subject: str | None
    """Of that commit."""
    note: str | None
    sure: float
    title: str | None
    """Of the record."""
    text: str
    """The line that says so."""
    start: int
    end: int
    """Where it stands in the file."""
