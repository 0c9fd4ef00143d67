"""All rules of cards, by code."""

from memdown.diagnostics import rules_of
from memdown.dialects.cards.rules import content, identity, scope, words

RULES = rules_of(identity, words, scope, content)
