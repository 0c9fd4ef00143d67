"""Changing one value of one record, over the text that was read and no other."""

from typing import TYPE_CHECKING

from memdown.errors import Invalid, Stale, quote
from memdown.memory.bank.files import hash_of
from memdown.record import Record

if TYPE_CHECKING:
    from memdown.memory import Memory

FIELDS = ("title", "tags", "scope")


def set_field(memory: "Memory", id: str, field: str, value: str, *, expected: str) -> Record:
    """Give a card another title, other tags (with commas between them) or another scope."""
    if field not in FIELDS:
        raise Invalid(f"{quote(field)} cannot be changed; {', '.join(FIELDS)} can.")
    with memory.files.lock():
        path = memory.get(id).path
        now = hash_of(memory.files.read(path))
        if now != expected:
            raise Stale(f"{quote(path)} changed since it was read: its hash is now {now}; read it again.")
        return memory.cards.edit(
            id,
            subject=value if field == "title" else None,
            keywords=[word.strip() for word in value.split(",")] if field == "tags" else None,
            applies_to=value if field == "scope" else None,
        )
