"""`memdown merge-driver O A B L P`: git calls it for each memory file that both sides of a merge changed.

It starts as fast as a hook does. The result goes into A, whole; a file that cannot be read stays as it is.
"""

import os
import sys

from memdown.acts.merge import merge

_SHOWN = 5
_TOLD = 3
"""What it exits with when something is kept twice, for a caller that has to know that from a failure."""


def run(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge three files into `ours`; 0 when all was decided, 1 when something is kept twice, 4 when nothing was done.

    `path` is the file's name in the repository.
    """
    try:
        merged = merge(_read(base), _read(ours), _read(theirs))
        _write(ours, merged.text)
    except OSError as error:
        _tell(f"{path} was not merged: {error.filename}: {error.strerror}; run `memdown resolve {path}`")
        return 4
    for what in merged.notes[:_SHOWN]:
        _tell(f"{path}: {what}")
    if len(merged.notes) > _SHOWN:
        _tell(f"{path}: and {len(merged.notes) - _SHOWN} more decisions")
    if merged.questions:
        _tell(f"{path}: {len(merged.questions)} kept from both sides; `memdown check` shows where")
    kept = _TOLD if os.environ.get("MEMDOWN_KEPT") == str(_TOLD) else 1
    return kept if merged.questions else 0


def _read(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123 - a driver cannot afford pathlib
        return file.read().decode("utf-8", "surrogateescape")


def _write(path: str, text: str) -> None:
    """Through a file beside it, so that git finds the old text or the new one."""
    beside = f"{path}.memdown"
    with open(beside, "wb") as file:  # noqa: PTH123
        file.write(text.encode("utf-8", "surrogateescape"))
    os.replace(beside, path)  # noqa: PTH105


def _tell(sentence: str) -> None:
    line = " ".join(sentence.split())
    shown = "".join(char if char.isprintable() else "?" for char in line)
    sys.stderr.buffer.write(f"memdown: {shown}\n".encode("utf-8", "replace"))
    sys.stderr.flush()
