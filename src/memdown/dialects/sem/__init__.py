"""`sem`: logs of decisions, memories, notes and directives. Grammar, splitting, reader, writer, rules."""

PARTS = {
    "claims": "claims",
    "grammar": "KINDS append_only",
    "read": "is_retired read",
    "write": "insert other_spelling place prepare reference remove update",
}
"""Which module has what the room offers."""
