"""All rules of logs, by topic."""

from memdown.diagnostics import rules_of
from memdown.dialects.sem.rules import body, fields, file, head, hidden, links, time, twins

RULES = rules_of(file, time, head, fields, body, hidden, links, twins)
