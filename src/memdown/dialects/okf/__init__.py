"""`okf`: Open Knowledge Format 0.2, concepts with front matter. Grammar, reader, writer, listings, rules."""

from memdown.dialects.okf.grammar import HOMES, KINDS, holds
from memdown.dialects.okf.listing import beside
from memdown.dialects.okf.read import claims, is_retired, read, read_in
from memdown.dialects.okf.write import insert, place, prepare, update

__all__ = [
    "HOMES",
    "KINDS",
    "beside",
    "claims",
    "holds",
    "insert",
    "is_retired",
    "place",
    "prepare",
    "read",
    "read_in",
    "update",
]
