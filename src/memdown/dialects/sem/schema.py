"""An entry as JSON, and the JSON Schema (draft 2020-12) of that, made from the tables of the grammar."""

from collections.abc import Mapping, Sequence

from memdown import times
from memdown.dialects.sem import KINDS, grammar
from memdown.record import Record

Json = Mapping[str, object]

_STAMP = {
    "type": "string",
    "format": "date-time",
    "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$",
}
_DATE = {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
_WORDS = {"type": "string", "minLength": 1}


def _links(type: Json) -> Json:
    properties = {"type": type, "identifier": _WORDS}
    link = {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}
    return {"type": "array", "minItems": 1, "items": link}


_SHAPES: Mapping[str, Json] = {
    "type": {"type": "string", "enum": list(KINDS)},
    "timestamp": _STAMP,
    "author": _WORDS,
    "contributors": {"type": "array", "items": _WORDS, "minItems": 1},
    "scope": {"type": "string", "pattern": f"^(?:{grammar.SCOPE.pattern})$"},
    "tags": {"type": "array", "items": _WORDS, "minItems": 1, "uniqueItems": True},
    "supersedes": {"type": "array", "items": _WORDS, "minItems": 1},
    "expires": {"anyOf": [_STAMP, _DATE]},
    "summary": {"type": "string", "minLength": 1, "maxLength": grammar.SUMMARY_LIMIT},
    "details": _WORDS,
    "rationale": _WORDS,
    "related": _links({"type": "string", "enum": list(grammar.RELATED_TYPES)}),
}
"""What the value of each field is in JSON."""

_LEGACY_SHAPES: Mapping[str, Json] = {
    **_SHAPES,
    "timestamp": {"anyOf": [_STAMP, _DATE]},
    "scope": _WORDS,
    "expires": _WORDS,
    "summary": {"type": "string"},
    "related": _links(_WORDS),
}
"""The same for entries in older formats, which are kept as they are."""


def _object(shapes: Mapping[str, Json], required: Sequence[str]) -> Json:
    properties = {name: {"description": about, **shapes[name]} for name, about in grammar.FIELDS.items()}
    return {"type": "object", "required": list(required), "additionalProperties": False, "properties": properties}


SCHEMA: Json = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "An entry of a log",
    "description": "A decision, memory, note or directive as memdown exports it. Absent fields are left out.",
    **_object(_SHAPES, grammar.REQUIRED),
    "$defs": {
        "legacy": {
            "title": "An entry in an older format, or one with faults",
            "description": "What such an entry says is kept: it may lack author and time, a time may be a date, and"
            " scope, expiry and links may be any text.",
            **_object(_LEGACY_SHAPES, ["type", "summary"]),
        }
    },
}


def entry(record: Record) -> dict[str, object]:
    """An entry as JSON: times as in RFC 3339, lists as lists, and nothing for what it does not say."""
    supersedes = [_time(link.target) for link in record.links if link.type == "supersedes"]
    related = [{"type": link.type, "identifier": link.target} for link in record.links if link.type != "supersedes"]
    expires = str(record.extra.get("expires") or "")
    values: dict[str, object] = {
        "type": record.kind,
        "timestamp": record.at.rfc3339() if record.at else None,
        "author": record.author,
        "contributors": list(record.contributors),
        "scope": record.scope,
        "tags": list(record.tags),
        "supersedes": supersedes,
        "expires": _time(expires) if expires else None,
        "summary": record.summary or record.title or "",
        "details": record.body,
        "rationale": record.rationale,
        "related": related,
    }
    return {name: value for name, value in values.items() if value or name == "summary"}


def _time(text: str) -> str:
    """A timestamp in the spelling of JSON; other text as it is."""
    moment = times.read(text) if grammar.STAMP.fullmatch(text) else None
    return moment.rfc3339() if moment else text
