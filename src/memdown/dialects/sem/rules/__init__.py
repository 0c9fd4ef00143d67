"""All rules of logs, by topic."""

from memdown.diagnostics import Rule
from memdown.dialects.sem.rules import body, fields, file, head, links, time, twins

RULES: tuple[Rule, ...] = file.RULES + time.RULES + head.RULES + fields.RULES + body.RULES + links.RULES + twins.RULES
