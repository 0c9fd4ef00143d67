"""`journal`: edit history, tasks, sessions and errors. Grammar, readings with deviations, reader, writer, rules."""

from memdown.dialects.journal.names import HOMES, KINDS, claims, holds, known_as
from memdown.dialects.journal.read import read
from memdown.dialects.journal.write import insert, place, prepare, update

__all__ = ["HOMES", "KINDS", "claims", "holds", "insert", "known_as", "place", "prepare", "read", "update"]
