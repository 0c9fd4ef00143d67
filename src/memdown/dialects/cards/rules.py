"""All rules of cards, by code."""

from memdown.diagnostics import Rule
from memdown.dialects.cards import rules_content, rules_identity, rules_scope, rules_words

RULES: tuple[Rule, ...] = rules_identity.RULES + rules_words.RULES + rules_scope.RULES + rules_content.RULES
