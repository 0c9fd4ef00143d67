"""`layers`: a store of memory files by layer, project and skill. Grammar, reader, writer, pruning, quality, rules."""

from memdown.dialects.layers.grammar import HOMES, SIGNS
from memdown.dialects.layers.reader import claims, read
from memdown.dialects.layers.rules import RULES
from memdown.dialects.layers.writer import insert, place, update

__all__ = ["HOMES", "RULES", "SIGNS", "claims", "insert", "place", "read", "update"]
