"""Other words for what tools take: those of the command line, and names in another case.

What a tool lists is what it says of itself; these are accepted beside it, so that nobody has to ask twice.
"""

from collections.abc import Mapping

from memdown.surfaces.mcp.wire import Json

_NAMES: Mapping[str, tuple[str, ...]] = {
    "rationale": ("why", "reason"),
    "text": ("details", "body", "content", "focus", "note", "summary"),
    "words": ("query", "q", "text"),
    "id": ("record", "ref", "title"),
    "content": ("value", "text"),
    "state": ("status",),
    "task": ("id", "title", "item"),
    "fileName": ("file", "path", "name"),
    "file": ("fileName", "path"),
    "projectPath": ("projectName", "project", "root"),
    "expectedHash": ("hash",),
    "tags": ("keywords",),
    "scope": ("applies_to",),
    "options": ("option", "alternatives"),
    "depends": ("dependencies", "depends_on"),
    "next_steps": ("next",),
    "complete": ("completed", "done"),
    "do": ("action",),
}
"""Of an argument, in the order in which they are tried; one that the tool itself has means what it says."""
_VALUES: Mapping[str, Mapping[str, str]] = {
    "state": {
        "start": "started",
        "in_progress": "started",
        "complete": "done",
        "completed": "done",
        "resolve": "resolved",
        "pause": "paused",
        "resume": "resumed",
        "cancel": "cancelled",
        "canceled": "cancelled",
    },
    "field": {"why": "rationale", "details": "text", "body": "text", "content": "text", "keywords": "tags"},
}


def spelled(schema: Json, given: Mapping[str, object]) -> dict[str, object]:
    """What was given, under the names and in the words of a tool; what fits none of them stays as it is."""
    own = schema.get("properties")
    if not isinstance(own, dict):
        return dict(given)
    known = {_folded(name): name for name in own}
    made: dict[str, object] = {}
    for name, value in given.items():
        same = name if name in own else known.get(_folded(name), name)
        made[name if same in given else same] = value
    for name in own:
        spare = {_folded(each): each for each in made if each not in own}
        other = next((spare[each] for each in map(_folded, _NAMES.get(name, ())) if each in spare), None)
        if name not in made and other is not None:
            made[name] = made.pop(other)
    return {name: _value(own.get(name), name, value) for name, value in made.items()}


def _value(schema: object, name: str, value: object) -> object:
    if not isinstance(schema, dict):
        return value
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict) and items.get("type") == "object":
        return [spelled(items, each) if isinstance(each, dict) else each for each in value]
    allowed = schema.get("enum")
    if isinstance(value, str) and isinstance(allowed, list) and value not in allowed:
        word = value.strip().lower().replace("-", "_")
        word = _VALUES.get(name, {}).get(word, word)
        return word if word in allowed else value
    return value


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
