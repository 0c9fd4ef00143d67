"""The rules of a journal: the deviations of single lines, order, and what files say about each other."""

from memdown.diagnostics import Rule, rules_of
from memdown.dialects.journal import codes
from memdown.dialects.journal.rules import files, order, tasks
from memdown.dialects.journal.rules.common import deviation_rules

RULES = (*deviation_rules(), *rules_of(tasks, files, order))

_HEADS = ("head-missing", "stamp-form")
"""Rules about the head of a file, which the lenient profile does not mind."""


def minded(profile: str) -> list[Rule]:
    """The rules without those about forms that a profile allows."""
    left = _HEADS if profile == "lenient" else ()
    found = (each for each in RULES if each.name not in left)
    return [each for each in found if each.name not in codes.CODES or codes.holds(each.name, profile)]
