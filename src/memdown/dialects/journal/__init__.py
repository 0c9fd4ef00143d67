"""`journal`: edit history, tasks, sessions and errors. Grammar, readings with deviations, reader, writer, rules."""

KINDS = {"edit": "edit_history.md", "task": "tasks.md", "error": "errorLog.md", "session": "sessions/*.md"}
"""What is kept here, and the file that new records stand in; a task has a file of its own too, in `tasks/`."""
PARTS = {
    "names": "HAS_TEMPLATES append_only claims holds other_spelling update_order",
    "beside": "beside",
    "briefing": "points read_order",
    "due": "to_archive to_slim",
    "read": "is_unfilled read",
    "remove": "kept remove",
    "write": "begin insert place prepare update",
    "write_sessions": "open_items",
}
"""Which module has what the room offers."""
