"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

PARTS = {
    "claims": "claims",
    "grammar": "KINDS holds known_as",
    "read": "read",
    "write": "insert place prepare update",
}
"""Which module has what the room offers."""
