"""Logs of decisions, memories, notes and directives: entries written, whole logs converted, merged and archived."""
