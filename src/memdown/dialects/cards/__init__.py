"""`cards`: one Markdown file per memory, with front matter. Grammar, reader, writer, upkeep, rules."""

from memdown.dialects.cards.grammar import HOMES, KINDS
from memdown.dialects.cards.read import claims, read
from memdown.dialects.cards.upkeep import twin
from memdown.dialects.cards.write import insert, place, prepare, update

__all__ = ["HOMES", "KINDS", "claims", "insert", "place", "prepare", "read", "twin", "update"]
