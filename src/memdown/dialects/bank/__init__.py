"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

from memdown.dialects.bank.grammar import HOMES, KINDS, holds, known_as
from memdown.dialects.bank.read import claims, read
from memdown.dialects.bank.write import insert, place, prepare, update

__all__ = ["HOMES", "KINDS", "claims", "holds", "insert", "known_as", "place", "prepare", "read", "update"]
