"""`layers`: a store of memory files by layer, project and skill. Grammar, reader, writer, pruning, quality, rules."""

KINDS = {"memory": "*/*.md"}
"""What is kept here: each memory is a file of its own, at the address that its id is."""
PARTS = {
    "briefing": "points read_order",
    "claims": "claims",
    "due": "to_slim",
    "grammar": "AGED called",
    "read": "append_only read",
    "touch": "staged stale_since touched",
    "write": "insert place prepare remove update",
}
"""Which module has what the room offers."""
