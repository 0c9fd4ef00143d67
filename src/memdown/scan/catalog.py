"""Names everybody knows: frameworks, drivers of databases, libraries and what they are for, images, folders, languages.

They are in catalog.json. A name that is not there is still listed; only its purpose is not.
"""

from pathlib import Path

import msgspec

_TABLES = msgspec.json.decode(Path(__file__).with_suffix(".json").read_bytes(), type=dict[str, dict[str, str]])

FRAMEWORKS = _TABLES["frameworks"]
DATABASES = _TABLES["databases"]
"""Libraries that speak to a database, with the name of the database."""
LIBRARIES = _TABLES["libraries"]
IMAGES = _TABLES["images"]
FOLDERS = _TABLES["folders"]
LANGUAGES = _TABLES["languages"]
"""The endings of source files, without the dot."""


def key(name: str) -> str:
    """A library's name as these tables spell it: small letters; a Go path without its major version."""
    small = name.lower()
    head, _, last = small.rpartition("/")
    return head if head and last[:1] == "v" and last[1:].isdigit() else small
