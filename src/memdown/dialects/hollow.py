"""Records that stand in a file and say nothing: they are checked, and never shown, counted or found."""

from memdown.markdown import placeholders
from memdown.record import Record

_BARE = ("section", "prose")
"""Kinds that are nothing without a text."""


def is_hollow(record: Record) -> bool:
    """Whether a record is a bare heading, or what a template has in the place of text."""
    return "unfilled" in record.extra or (record.kind in _BARE and placeholders.is_hollow(record.body or ""))
