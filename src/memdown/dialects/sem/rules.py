"""All rules of logs, by topic."""

from memdown.diagnostics import Rule
from memdown.dialects.sem import (
    rules_body,
    rules_fields,
    rules_file,
    rules_head,
    rules_links,
    rules_time,
    rules_twins,
)

RULES: tuple[Rule, ...] = (
    rules_file.RULES
    + rules_time.RULES
    + rules_head.RULES
    + rules_fields.RULES
    + rules_body.RULES
    + rules_links.RULES
    + rules_twins.RULES
)
