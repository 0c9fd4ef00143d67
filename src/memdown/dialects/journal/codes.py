"""The ways in which a line can differ from the contract (codes.json): how bad, whether something is lost, why."""

import msgspec
from msgspec import Struct

from memdown.dialects.journal.model import Deviation
from memdown.lazy import beside
from memdown.text import Edit, Span


class Code(Struct, frozen=True):
    """One kind of deviation."""

    name: str
    severity: str
    """error, warning or info."""
    about: str
    """What is wrong, as a sentence for people."""
    lost: bool = False
    """Whether even the lenient reader cannot say something: a date, a time."""


CODES = {code.name: code for code in msgspec.json.decode(beside(__file__, "codes.json"), type=list[Code])}
"""Every code by name. Those of edit entries and modifications are measured against version 1.0 of the contract."""

PROFILE_1_1 = frozenset({"mod-deleted-unsupported"})
"""What version 1.1 allows."""


def holds(name: str, profile: str) -> bool:
    """Whether a deviation counts under a profile: lenient minds only what is lost."""
    if profile == "lenient":
        return CODES[name].lost
    return profile == "1.0" or name not in PROFILE_1_1


def deviation(name: str, span: Span, *edits: Edit, message: str = "") -> Deviation:
    """A deviation with the sentence of its code, unless another says more."""
    return Deviation(name, span, message or CODES[name].about, edits)
