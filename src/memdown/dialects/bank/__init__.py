"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

PARTS = {
    "change": "update",
    "claims": "claims",
    "grammar": "KINDS holds other_spelling",
    "read": "read",
    "remove": "kept reference remove",
    "write": "insert place prepare",
}
"""Which module has what the room offers."""
