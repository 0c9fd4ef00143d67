"""`cards`: one Markdown file per memory, with front matter. Grammar, reader, writer, upkeep, rules."""

PARTS = {
    "claims": "claims",
    "grammar": "ALL_IN_FIELDS ASKS_REPOSITORY COMPARES_COPIES KEYWORDED KINDS",
    "read": "read",
    "upkeep": "apart twin",
    "write": "insert place prepare remove update",
}
"""Which module has what the room offers."""
