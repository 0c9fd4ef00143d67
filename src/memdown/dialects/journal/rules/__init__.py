"""The rules of a journal: lines, times, modifications, tables, order, and what files say about each other."""

from memdown.diagnostics import Rule, rules_of
from memdown.dialects.journal import codes
from memdown.dialects.journal.rules import days, entries, files, lines, modifications, order, tables, tasks, times

RULES = rules_of(days, entries, times, modifications, lines, tables, tasks, files, order)


def minded(profile: str) -> list[Rule]:
    """The rules without those about forms that a profile allows."""
    return [each for each in RULES if each.name not in codes.CODES or codes.holds(each.name, profile)]
