"""All rules of okf, by code."""

from memdown.diagnostics import rules_of
from memdown.dialects.okf.rules import form, life, sources

RULES = rules_of(form, life, sources)
