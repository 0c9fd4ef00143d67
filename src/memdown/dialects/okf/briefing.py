"""What a session reads first of a bundle: its own list, which leads to all the rest."""

from collections.abc import Iterator

from memdown.dialects.okf import grammar
from memdown.record import BriefPoint, Document

_LIST = 11
"""Behind the files of a memory bank, a journal and a team."""


def read_order(document: Document) -> int | None:
    """Which place a file has among those that are read first."""
    folder, _, name = document.path.rpartition("/")
    bundle = grammar.bundle_of(document.path, document.canonical_path)
    # Where the project itself is the bundle, its folders are what is read.
    is_first = folder == bundle if bundle else "/" not in folder
    return _LIST if name == grammar.INDEX and is_first else None


def points(document: Document) -> Iterator[BriefPoint]:
    """The list of a bundle says what there is to read."""
    order = read_order(document)
    if order is not None:
        yield BriefPoint("read", 0, f"{order}")
