"""`sem`: logs of decisions, memories, notes and directives. Grammar, splitting, reader, writer, rules."""

from memdown.dialects.sem.grammar import HOMES, KINDS
from memdown.dialects.sem.read import claims, read
from memdown.dialects.sem.write import insert, known_as, place, prepare, update

__all__ = ["HOMES", "KINDS", "claims", "insert", "known_as", "place", "prepare", "read", "update"]
