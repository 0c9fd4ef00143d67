"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

from memdown.dialects.bank.grammar import HOMES
from memdown.dialects.bank.read import claims, read
from memdown.dialects.bank.write import insert, place, update

__all__ = ["HOMES", "claims", "insert", "place", "read", "update"]
