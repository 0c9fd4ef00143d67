"""Reading a file a person points at, wherever it is. Nothing outside the root is ever written."""

import os
from pathlib import Path

from memdown.errors import Unreadable, quote
from memdown.store.disk import Disk
from memdown.store.jail import STATE, reason
from memdown.text import decode


def read_any(path: Path) -> str:
    """The text of any ordinary file, every byte of it."""
    try:
        real = path.resolve(strict=True)
        return decode(Disk(real.parent).read(real))
    except FileNotFoundError:
        raise Unreadable(f"there is no file {quote(str(path))}; check the path") from None
    except (OSError, RuntimeError, ValueError) as error:  # a loop of links; a NUL in the path
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise Unreadable(f"{quote(str(path))} cannot be read: {why}") from None


def files_below(path: str) -> list[str]:
    """The Markdown files below a folder, in order; a path that is no folder stands for itself."""
    if not os.path.isdir(path):  # noqa: PTH112 - unlike a Path's method, it says no to what cannot be a path at all
        return [path]
    found = []
    for folder, inner, names in os.walk(path, onerror=_unreadable):
        inner[:] = sorted(name for name in inner if name not in (".git", STATE))
        found += [os.path.join(folder, name) for name in sorted(names) if name.lower().endswith(".md")]  # noqa: PTH118
    return found


def _unreadable(error: OSError) -> None:
    raise Unreadable(f"{quote(str(error.filename))} cannot be read: {reason(error)}") from None
