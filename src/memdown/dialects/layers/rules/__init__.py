"""All rules of layers, by code."""

from memdown.diagnostics import rules_of
from memdown.dialects.layers.rules import file, history, issue, stamp

RULES = rules_of(stamp, file, history, issue)
