"""All rules of okf, by code."""

from memdown.diagnostics import Rule
from memdown.dialects.okf.rules import form, life, sources

RULES: tuple[Rule, ...] = form.RULES + life.RULES + sources.RULES
