"""All rules of cards, by code."""

from memdown.diagnostics import Rule
from memdown.dialects.cards.rules import content, identity, scope, words

RULES: tuple[Rule, ...] = identity.RULES + words.RULES + scope.RULES + content.RULES
