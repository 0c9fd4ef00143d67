"""The texts that open pages were made from, so that a page which is too old can be told what changed since."""

from collections import OrderedDict

from memdown.memory import Memory
from memdown.surfaces.web.views.model import difference

_MOST = 100
_LARGEST = 1 << 20
_texts: OrderedDict[str, str] = OrderedDict()
"""By hash, the last ones that were shown; shared by the threads of one server."""


def fingerprint(memory: Memory, path: str) -> str:
    """The hash of a file that a page shows, which a form of that page sends back.

    The page is made within one snapshot: of a text that came later, the hash would let through what nobody saw.
    """
    known = memory.hash_of(path)
    text = memory.text(path)
    if len(text) <= _LARGEST:
        _texts[known] = text
        while len(_texts) > _MOST:
            _texts.popitem(last=False)
    return known


def since(memory: Memory, path: str, known: str) -> str:
    """What changed in a file since a page showed it, as a unified diff; empty where that is not known any more."""
    before = _texts.get(known)
    if before is None:
        return ""
    there = path in {each.path for each in memory.questions.files()}
    return difference(before, memory.files.find(path) or "" if there else "", path)
