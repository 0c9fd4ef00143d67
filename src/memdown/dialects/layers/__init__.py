"""`layers`: a store of memory files by layer, project and skill. Grammar, reader, writer, pruning, quality, rules."""

PARTS = {
    "briefing": "points read_order",
    "claims": "claims",
    "due": "to_slim",
    "grammar": "AGED KINDS called",
    "read": "append_only read",
    "touch": "staged stale_since touched",
    "write": "insert place prepare remove update",
}
"""Which module has what the room offers."""
