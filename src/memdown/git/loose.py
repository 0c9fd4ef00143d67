"""Files that somebody renamed without telling git: one is missing, and a new one, not tracked yet, has its lines."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from memdown import git

_MOST = 200
"""Files that are missing, or new, and are compared."""
_MOST_BYTES = 1_000_000
_SAME = 0.5
"""The part of the lines that has to be the same, as git wants it of a rename."""
Lines = Counter[bytes]


def renames(root: Path, missing: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """By the name of a missing file, the new one that is most like it, if any is like it enough."""
    chosen = [name for name in missing[:_MOST] if "\n" not in name] if new else []
    texts = git.texts_of(root, [f":./{name}" for name in chosen])
    old = {name: _lines(data or b"") for name, data in zip(chosen, texts, strict=True)}
    now = {name: _lines(_read(root / name)) for name in new[:_MOST]} if any(old.values()) else {}
    alike = [
        (share, before, after)
        for before, lines in old.items()
        for after, others in now.items()
        if _ending(before) == _ending(after) and (share := _share(lines, others)) >= _SAME
    ]
    found: dict[str, str] = {}
    for _, before, after in sorted(alike, reverse=True):
        if before not in found and after not in found.values():
            found[before] = after
    return found


def _lines(data: bytes) -> Lines:
    return (
        Counter(line for each in data.split(b"\n") if (line := each.strip())) if len(data) <= _MOST_BYTES else Counter()
    )


def _share(one: Lines, other: Lines) -> float:
    most = max(one.total(), other.total())
    return (one & other).total() / most if most else 0.0


def _ending(name: str) -> str:
    return name.rpartition("/")[2].rpartition(".")[2]


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError:
        return b""
