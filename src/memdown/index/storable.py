"""Documents as SQLite can hold them: it has no lone surrogates, which are bytes that are not UTF-8."""

from collections.abc import Mapping
from typing import TypeVar

from msgspec import Struct, structs

from memdown.record import Document
from memdown.text import legible

T = TypeVar("T")


def storable(document: Document) -> Document:
    """The same document, read from its own bytes, so that ids are those of the file, with U+FFFD for each surrogate."""
    return Document(
        document.path,
        legible(document.text),
        dialect=document.dialect,
        records=[_storable(each) for each in document.records],
        settings=document.settings,
        canonical_path=document.canonical_path,
    )


def _storable(value: T) -> T:
    made: object = value
    if isinstance(value, str):
        made = legible(value)
    elif isinstance(value, Struct):
        made = structs.replace(value, **{name: _storable(getattr(value, name)) for name in value.__struct_fields__})
    elif isinstance(value, Mapping):
        made = {_storable(key): _storable(each) for key, each in value.items()}
    elif isinstance(value, list | tuple):
        made = type(value)(map(_storable, value))
    return made  # type: ignore[return-value]
