"""`cards`: one Markdown file per memory, with front matter. Grammar, reader, writer, upkeep, rules."""

from memdown.dialects.cards.grammar import HOMES
from memdown.dialects.cards.read import claims, read
from memdown.dialects.cards.write import insert, new, place, update

__all__ = ["HOMES", "claims", "insert", "new", "place", "read", "update"]
