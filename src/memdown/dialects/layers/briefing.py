"""What a session reads first of a layered store: what is known of a project, then what the skills know of it."""

from collections.abc import Iterator

from memdown.dialects.layers import grammar
from memdown.dialects.layers.read import address_of
from memdown.markdown.placeholders import is_untouched
from memdown.record import BriefPoint, Document

_FIRST = {"project_profile": 12, "project_overview": 13}
_LAYERS = {"shared-project": 14, "skill-specific": 15, "command": 16, "agent": 16}
"""Behind the files of all dialects that say what is worked on now."""


def read_order(document: Document) -> int | None:
    """Which place a file has among those that are read first."""
    path = document.canonical_path or document.path
    address = address_of(path)
    if address.layer not in _LAYERS or address.is_archive or grammar.is_structural(grammar.place_of(path) or path):
        return None
    place = _LAYERS[address.layer]
    return _FIRST.get(address.file_type, place) if address.layer == "shared-project" else place


def points(document: Document) -> Iterator[BriefPoint]:
    """A memory that is filled in is read, the project's own first."""
    order = read_order(document)
    if order is not None and not is_untouched(document.text):
        yield BriefPoint("read", 0, f"{order}")
