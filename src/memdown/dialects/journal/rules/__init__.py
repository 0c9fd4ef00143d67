"""The rules of a journal: lines, times, modifications, tables, order, and what files say about each other."""

from memdown.diagnostics import Rule
from memdown.dialects.journal import codes
from memdown.dialects.journal.rules import days, entries, files, lines, modifications, order, tables, tasks, times

_MODULES = (days, entries, times, modifications, lines, tables, tasks, files, order)
RULES = tuple(each for module in _MODULES for each in vars(module).values() if isinstance(each, Rule))


def minded(profile: str) -> list[Rule]:
    """The rules without those about forms that a profile allows."""
    return [each for each in RULES if each.name not in codes.CODES or codes.holds(each.name, profile)]
