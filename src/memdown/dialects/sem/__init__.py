"""`sem`: logs of decisions, memories, notes and directives. Grammar, splitting, reader, writer, rules."""

KINDS = {
    "decision": "decisions.md",
    "memory": "agents/*/history.md",
    "note": "decisions.md",
    "directive": "decisions.md",
}
"""What an entry may be, and the file that new ones stand in."""
PARTS = {
    "briefing": "points points_beside",
    "claims": "claims",
    "due": "to_archive to_slim",
    "grammar": "DATA FIELD_NAME HAS_TEMPLATES READ_WHOLE SIGNED WHY_LATER append_only is_mention",
    "read": "entries is_retired read",
    "transfer": "apart collection pack packs passages unpack",
    "upgrade.draft": "drafts",
    "upgrade.proof": "first_difference",
    "write": "insert other_spelling place prepare reference remove update",
}
"""Which module has what the room offers."""
