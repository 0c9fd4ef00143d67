"""The rules of a journal: lines, times, modifications, tables, order, and what files say about each other."""

from memdown.diagnostics import Rule
from memdown.dialects.journal import (
    codes,
    rules_days,
    rules_entries,
    rules_files,
    rules_lines,
    rules_modifications,
    rules_order,
    rules_tables,
    rules_tasks,
    rules_times,
)

RULES: tuple[Rule, ...] = (
    *rules_days.RULES,
    *rules_entries.RULES,
    *rules_times.RULES,
    *rules_modifications.RULES,
    *rules_lines.RULES,
    *rules_tables.RULES,
    *rules_tasks.RULES,
    *rules_files.RULES,
    *rules_order.RULES,
)


def left_out(profile: str) -> tuple[str, ...]:
    """The codes of the rules about forms that a profile does not mind."""
    return tuple(each.code for each in RULES if each.name in codes.CODES and not codes.holds(each.name, profile))
