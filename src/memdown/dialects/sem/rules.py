"""Rules of logs; see the modules of the same beginning."""

from memdown.diagnostics import Rule

RULES: tuple[Rule, ...] = ()
