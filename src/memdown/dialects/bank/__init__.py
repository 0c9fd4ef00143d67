"""`bank`: the memory of a project in seven files. Grammar, reader, writer, rules."""

KINDS = {"decision": "decisionLog.md", "task": "progress.md", "milestone": "progress.md", "note": "notes.md"}
"""The records that can be added one by one, and the file that each stands in."""
PARTS = {
    "briefing": "points read_order",
    "change": "update",
    "claims": "claims",
    "due": "to_archive",
    "grammar": """ASKS_REPOSITORY HAS_TEMPLATES LOST READ_WHOLE WHY_LATER append_only committed_part holds
        other_spelling update_order""",
    "grown": "to_slim",
    "lacking": "lacking",
    "laid_out": "laid_out",
    "open_ends": "open_items",
    "read": "is_retired read",
    "remove": "kept reference remove",
    "write": "insert place prepare",
}
"""Which module has what the room offers."""
