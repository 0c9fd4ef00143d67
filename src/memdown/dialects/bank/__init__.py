"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

PARTS = {
    "briefing": "points",
    "change": "update",
    "claims": "claims",
    "grammar": "KINDS append_only holds other_spelling",
    "open_ends": "open_items",
    "read": "is_retired read",
    "remove": "kept reference remove",
    "write": "insert place prepare",
}
"""Which module has what the room offers."""
