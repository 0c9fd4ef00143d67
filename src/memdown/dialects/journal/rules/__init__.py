"""The rules of a journal: lines, times, modifications, tables, order, and what files say about each other."""

from memdown.diagnostics import Rule
from memdown.dialects.journal import codes
from memdown.dialects.journal.rules import days, entries, files, lines, modifications, order, tables, tasks, times

RULES: tuple[Rule, ...] = (
    *days.RULES,
    *entries.RULES,
    *times.RULES,
    *modifications.RULES,
    *lines.RULES,
    *tables.RULES,
    *tasks.RULES,
    *files.RULES,
    *order.RULES,
)


def left_out(profile: str) -> tuple[str, ...]:
    """The codes of the rules about forms that a profile does not mind."""
    return tuple(each.code for each in RULES if each.name in codes.CODES and not codes.holds(each.name, profile))
