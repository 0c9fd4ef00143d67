"""`journal`: edit history, tasks, sessions and errors. Grammar, readings with deviations, reader, writer, rules."""

PARTS = {
    "names": "HAS_TEMPLATES KINDS append_only claims holds other_spelling update_order",
    "beside": "beside",
    "briefing": "points read_order",
    "due": "to_archive to_slim",
    "read": "is_unfilled read",
    "remove": "kept remove",
    "write": "begin insert place prepare update",
    "write_sessions": "open_items",
}
"""Which module has what the room offers."""
