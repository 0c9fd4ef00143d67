"""`journal`: edit history, tasks, sessions and errors. Grammar, readings with deviations, reader, writer, rules."""

from memdown.dialects.journal.names import HOMES, claims
from memdown.dialects.journal.read import read
from memdown.dialects.journal.write import insert, place, update

__all__ = ["HOMES", "claims", "insert", "place", "read", "update"]
