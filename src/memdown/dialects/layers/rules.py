"""All rules of layers, by code."""

from memdown.diagnostics import Rule
from memdown.dialects.layers import rules_file, rules_history, rules_issue, rules_stamp

RULES: tuple[Rule, ...] = rules_stamp.RULES + rules_file.RULES + rules_history.RULES + rules_issue.RULES
