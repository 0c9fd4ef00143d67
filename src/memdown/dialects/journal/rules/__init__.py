"""The rules of a journal: the deviations of single lines, order, and what files say about each other."""

from memdown.diagnostics import Rule, rules_of
from memdown.dialects.journal import codes
from memdown.dialects.journal.rules import files, order, tasks
from memdown.dialects.journal.rules.common import deviation_rules

RULES = (*deviation_rules(), *rules_of(tasks, files, order))


def minded(profile: str) -> list[Rule]:
    """The rules without those about forms that a profile allows."""
    return [each for each in RULES if each.name not in codes.CODES or codes.holds(each.name, profile)]
