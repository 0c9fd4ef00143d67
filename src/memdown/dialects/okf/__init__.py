"""`okf`: Open Knowledge Format 0.2, concepts with front matter. Grammar, reader, writer, listings, rules."""

PARTS = {
    "briefing": "points read_order",
    "claims": "claims",
    "grammar": "KINDS append_only holds",
    "listing": "begin beside",
    "read": "is_retired read read_in",
    "write": "insert kept place prepare remove update",
}
"""Which module has what the room offers."""
