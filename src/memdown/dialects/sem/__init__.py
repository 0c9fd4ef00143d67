"""`sem`: logs of decisions, memories, notes and directives. Grammar, splitting, reader, writer, rules."""

from memdown.dialects.sem.grammar import HOMES
from memdown.dialects.sem.read import claims, read
from memdown.dialects.sem.write import insert, new, place, update

__all__ = ["HOMES", "claims", "insert", "new", "place", "read", "update"]
