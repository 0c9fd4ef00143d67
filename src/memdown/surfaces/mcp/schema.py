"""The schemas of tools, and the check of what arrives against the same schemas."""

from collections.abc import Iterator, Mapping

from memdown.surfaces.mcp.wire import Json

STRING: Json = {"type": "string"}
STRINGS: Json = {"type": "array", "items": STRING}
NUMBER: Json = {"type": "integer"}
BOOLEAN: Json = {"type": "boolean"}

_TYPES: Mapping[object, tuple[type, str]] = {
    "string": (str, "a string"),
    "integer": (int, "a whole number"),
    "boolean": (bool, "true or false"),
    "array": (list, "a list"),
    "object": (dict, "an object"),
}


def string(description: str) -> Json:
    """A string, with a word on what it is for."""
    return {**STRING, "description": description}


def strings(description: str) -> Json:
    return {**STRINGS, "description": description}


def choice(*values: str) -> Json:
    return {**STRING, "enum": list(values)}


def takes(properties: Json, *required: str) -> Json:
    """An object with these properties, of which some must be there."""
    return {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})


def gives(properties: Json) -> Json:
    """An object with all of these properties."""
    return takes(properties, *properties)


def array(properties: Json) -> Json:
    return {"type": "array", "items": gives(properties)}


def faults(schema: Json, value: object, name: str = "arguments") -> Iterator[str]:
    """What is wrong with a value, a sentence each without its period."""
    type_, expected = _TYPES[schema["type"]]
    if not isinstance(value, type_) or (isinstance(value, bool) and type_ is int):
        yield f"{name} must be {expected}"
    elif isinstance(value, dict):
        yield from _faults_of_object(schema, value)
    elif isinstance(value, list):
        items = schema.get("items")
        if isinstance(items, dict):
            for each in value:
                yield from faults(items, each, f"each of {name}")
    else:
        yield from _faults_of_value(schema, value, name)


def _faults_of_object(schema: Json, value: Mapping[str, object]) -> Iterator[str]:
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return
    for name in required if isinstance(required, list) else ():
        if name not in value:
            allowed = properties[name].get("enum")
            listed = f", one of {', '.join(allowed)}" if isinstance(allowed, list) else ""
            yield f"{name} is missing{listed}"
    for name, each in value.items():
        if name in properties:
            yield from faults(properties[name], each, name)
        else:
            known = ", ".join(properties) or "nothing"
            yield f"{name[:80]!r} is not known here, which takes {known}"


def _faults_of_value(schema: Json, value: object, name: str) -> Iterator[str]:
    allowed = schema.get("enum")
    if isinstance(allowed, list) and value not in allowed:
        yield f"{name} must be one of {', '.join(allowed)}"
    least, most = schema.get("minimum"), schema.get("maximum")
    if isinstance(value, int) and isinstance(least, int) and isinstance(most, int) and not least <= value <= most:
        yield f"{name} must be from {least} to {most}"
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            yield f"{name} has an unpaired surrogate, which no file can contain"
