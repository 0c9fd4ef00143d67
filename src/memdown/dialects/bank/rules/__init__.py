"""All rules of a bank, by topic."""

from memdown.diagnostics import Rule
from memdown.dialects.bank.rules import decisions, file, progress, repository, saving, words

RULES: tuple[Rule, ...] = file.RULES + progress.RULES + decisions.RULES + words.RULES + repository.RULES + saving.RULES
