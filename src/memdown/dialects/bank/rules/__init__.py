"""All rules of a bank, by topic."""

from memdown.diagnostics import rules_of
from memdown.dialects.bank.rules import decisions, file, progress, repository, saving, words

RULES = rules_of(file, progress, decisions, words, repository, saving)
