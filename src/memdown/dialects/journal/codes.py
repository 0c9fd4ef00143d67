"""The ways in which a line can differ from the contract (codes.json): how bad, whether something is lost, why."""

import msgspec
from msgspec import Struct

from memdown.dialects.journal.model import Deviation, FileReading
from memdown.lazy import beside
from memdown.text import Edit, Span


class Code(Struct, frozen=True):
    """One kind of deviation."""

    name: str
    severity: str
    """error, warning or info."""
    about: str
    """What the contract asks for, as a sentence."""
    lost: bool = False
    """Whether even the lenient reader cannot say something: a date, a time."""
    beside: bool = False
    """Whether it is a word of a later version or a form that people use beside the contract's, without a loss."""
    says: str = ""
    """What is wrong, with `{found}` for the text it is about; empty when the reader says it."""
    instead: str = ""
    """What to do, unless a fix shows it."""


CODES = {code.name: code for code in msgspec.json.decode(beside(__file__, "codes.json"), type=list[Code])}
"""Every code by name. Those of edit entries and modifications are measured against version 1.0 of the contract."""

PROFILE_1_1 = frozenset({"mod-deleted-unsupported"})
"""What version 1.1 allows."""


_SOME = 3


def holds(name: str, profile: str) -> bool:
    """Whether a deviation counts under a profile: lenient minds only what is lost."""
    if profile == "lenient":
        return CODES[name].lost
    return profile in ("auto", "1.0") or name not in PROFILE_1_1


def is_habit(reading: FileReading, entries: int) -> bool:
    """Whether a file goes its own way, so that the lenient profile is its own: a tenth of what it holds deviates."""
    lines = {each.span.start for each in reading.deviations if CODES[each.name].severity != "info"}
    return len(lines) >= _SOME and len(lines) * 10 > entries


def detected(name: str, *, habit: bool) -> str:
    """How bad a deviation is where no profile is set: what is read all the same is no error.

    It is a warning in a file that keeps the format otherwise, and info in one that has a habit of its own; so are
    words and forms that people use beside those of the contract, as Added or Fixed.
    """
    code = CODES[name]
    if code.lost or name == "conflict-mark":
        return code.severity
    return "info" if habit or code.beside or code.severity == "info" else "warning"


def deviation(name: str, span: Span, *edits: Edit, message: str = "") -> Deviation:
    """A deviation with the sentence of its code, unless another says more."""
    return Deviation(name, span, message or CODES[name].about, edits)
