"""Names everybody knows: frameworks, drivers of databases, libraries and what they are for, folders, services.

They are in catalog.json. A name that is not there is still listed; only its purpose is not.
"""

import msgspec

from memdown.lazy import beside

_TABLES = msgspec.json.decode(beside(__file__, "catalog.json"), type=dict[str, dict[str, str]])

FRAMEWORKS = _TABLES["frameworks"]
DATABASES = _TABLES["databases"]
"""Libraries that speak to a database, with the name of the database."""
LIBRARIES = _TABLES["libraries"]
IMAGES = _TABLES["images"]
FOLDERS = _TABLES["folders"]
LANGUAGES = _TABLES["languages"]
"""The endings of source files, without the dot."""
PIPELINES = _TABLES["pipelines"]
"""Files of continuous integration, with the name of the service."""
HOSTS = _TABLES["hosts"]
"""Files that say where a project is deployed."""
TOOLS = _TABLES["tools"]
"""What `.tool-versions` and its kind call a language."""


def key(name: str) -> str:
    """A library's name as these tables spell it: small letters; a Go path without its major version."""
    small = name.lower()
    head, _, last = small.rpartition("/")
    return head if head and last[:1] == "v" and last[1:].isdigit() else small
