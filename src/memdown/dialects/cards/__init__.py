"""`cards`: one Markdown file per memory, with front matter. Grammar, reader, writer, upkeep, rules."""

KINDS = {"card": "*.md"}
"""What is kept here: each card is a file of its own, named by its id."""
PARTS = {
    "claims": "claims",
    "grammar": "ALL_IN_FIELDS ASKS_REPOSITORY COMPARES_COPIES KEYWORDED",
    "read": "read",
    "upkeep": "apart twin",
    "write": "insert place prepare remove update",
}
"""Which module has what the room offers."""
