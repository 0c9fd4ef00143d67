"""All rules of layers, by code."""

from memdown.diagnostics import Rule
from memdown.dialects.layers.rules import file, history, issue, stamp

RULES: tuple[Rule, ...] = stamp.RULES + file.RULES + history.RULES + issue.RULES
