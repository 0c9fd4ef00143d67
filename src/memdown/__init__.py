"""memdown: one engine for the Markdown memory of coding assistants.

The public names are loaded when they are first asked for, so that `memdown --version` and hooks do not pay for
what they do not use.
"""

import sys

VERSION = "0.1.0"
"""The version, once: the build, the command line and the library all read it here."""
__version__ = VERSION

TYPE_CHECKING = False  # as typing's, which takes as long to import as Python itself
if TYPE_CHECKING:
    from memdown.errors import MemdownError
    from memdown.memory import Memory
    from memdown.record import Document, Link, Record

__all__ = ["VERSION", "Document", "Link", "MemdownError", "Memory", "Record", "__version__"]

_HOMES = {
    "Document": "memdown.record",
    "Link": "memdown.record",
    "MemdownError": "memdown.errors",
    "Memory": "memdown.memory",
    "Record": "memdown.record",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'memdown' has no attribute {name!r}")
    __import__(_HOMES[name])
    return getattr(sys.modules[_HOMES[name]], name)
