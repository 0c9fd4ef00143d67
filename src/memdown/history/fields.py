"""What a record says, field by field, and what changed between two versions of it."""

from collections.abc import Mapping

from memdown.record import Record

Value = str | list[str] | None
Fields = Mapping[str, tuple[Value, Value]]
"""Fields that changed, each with its old value and its new one."""

_INNER = frozenset(
    "author_from content_hash depth edit form full_title header layer level position source unfilled".split()
)
"""What readers keep for themselves, or work out from the text."""
_CORE = ("title", "kind", "status", "at", "author", "contributors", "scope", "tags", "links", "summary", "body", "path")
_SAME = frozenset((*_CORE, "date", "occurred_at", "timestamp", "by", "keywords", "subject", "applies_to", "full title"))
"""Names of other fields that only repeat one of these."""


def values(record: Record) -> dict[str, Value]:
    """Every field of a record that has a value, by name."""
    found: dict[str, Value] = {
        "title": record.title,
        "kind": record.kind,
        "status": record.status,
        "at": record.at.rfc3339() if record.at else None,
        "author": record.author,
        "contributors": list(record.contributors) or None,
        "scope": record.scope,
        "tags": list(record.tags) or None,
        "links": [f"{each.type}: {each.target}" for each in record.links] or None,
        "summary": record.summary if record.summary != record.title else None,
        "body": record.body.strip() if record.body else None,
        "path": record.path,
    }
    body = " ".join((record.body or "").split())
    for name, value in record.extra.items():
        text = value if isinstance(value, str) else ", ".join(value)
        if name not in _INNER and name.casefold() not in _SAME and " ".join(text.split()) not in body:
            found[name] = value if isinstance(value, str) else list(value)  # what the body says is not told twice
    return {name: value for name, value in found.items() if value}


def differences(old: Record | None, new: Record | None) -> dict[str, tuple[Value, Value]]:
    """The fields that differ; where there is no record on one side, all of the other's."""
    before, after = values(old) if old else {}, values(new) if new else {}
    found = {
        name: (before.get(name), after.get(name)) for name in {**before, **after} if before.get(name) != after.get(name)
    }
    return {
        name: found[name]
        for name in (*filter(found.__contains__, _CORE), *(each for each in found if each not in _CORE))
    }
