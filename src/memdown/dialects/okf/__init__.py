"""`okf`: Open Knowledge Format 0.2, concepts with front matter. Grammar, reader, writer, listings, rules."""

KINDS = {
    "decision": "decisions/*.md",
    "note": "notes/*.md",
    "directive": "directives/*.md",
    "memory": "memories/*.md",
}
"""What can be added: each concept is a file of its own, named by its title."""
PARTS = {
    "briefing": "points read_order",
    "claims": "claims",
    "grammar": "append_only holds",
    "listing": "begin beside",
    "read": "is_retired read read_in",
    "write": "insert kept place prepare remove update",
}
"""Which module has what the room offers."""
