"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

PARTS = {
    "claims": "claims",
    "grammar": "KINDS append_only holds other_spelling",
    "open_ends": "open_items",
    "read": "read",
    "write": "insert place prepare update",
}
"""Which module has what the room offers."""
