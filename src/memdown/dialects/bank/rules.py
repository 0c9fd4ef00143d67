"""All rules of a bank, by code."""

from memdown.diagnostics import Rule
from memdown.dialects.bank import rules_around, rules_decisions, rules_file, rules_progress, rules_words

RULES: tuple[Rule, ...] = (
    rules_file.RULES + rules_progress.RULES + rules_decisions.RULES + rules_words.RULES + rules_around.RULES
)
