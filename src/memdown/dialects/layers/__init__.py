"""`layers`: a store of memory files by layer, project and skill. Grammar, reader, writer, pruning, quality, rules."""

from memdown.dialects.layers.grammar import HOMES, KINDS
from memdown.dialects.layers.read import claims, read
from memdown.dialects.layers.write import insert, place, prepare, update

__all__ = ["HOMES", "KINDS", "claims", "insert", "place", "prepare", "read", "update"]
