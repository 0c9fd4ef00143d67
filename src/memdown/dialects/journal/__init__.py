"""`journal`: edit history, tasks, sessions and errors. Grammar, readings with deviations, reader, writer, rules."""

PARTS = {
    "names": "KINDS append_only claims holds other_spelling",
    "beside": "beside",
    "briefing": "points",
    "read": "read",
    "remove": "kept remove",
    "write": "begin insert place prepare update",
}
"""Which module has what the room offers."""
