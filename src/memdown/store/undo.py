"""Taking back the last act that shortened memory: what the files were is kept in `.memdown/undo/`, newest last.

A step is written before its changes are made, so a crash in between leaves a step that never happened. Files that
changed since are not touched.
"""

import os
from collections.abc import Sequence
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from memdown.errors import NotFound, Stale, quote
from memdown.store import Files, disk
from memdown.text import decode, encode
from memdown.times import stamp

KEPT = 10
"""Steps that can be taken back, one after the other."""

_STEP, _UNDOING = ".json", ".undoing"


class UndoChange(Struct, frozen=True):
    """One file: what it was, and a hash of what it became; None is no file."""

    name: str
    before: bytes | None
    after: str | None


class UndoStep(Struct, frozen=True):
    """Changes that were made together."""

    title: str
    at: str
    changes: tuple[UndoChange, ...]


def change(name: str, before: str | None, after: str | None) -> UndoChange:
    return UndoChange(name, None if before is None else encode(before), _hash(None if after is None else encode(after)))


def remember(files: Files, title: str, at: datetime, changes: Sequence[UndoChange]) -> None:
    """Write down what is about to be done. Whoever calls holds the lock."""
    for each in changes:
        files.allow(each.name)
    folder = files.state_folder() / "undo"
    folder.mkdir(exist_ok=True)
    for left in folder.glob("draft-*"):  # of a writer that died
        left.unlink(missing_ok=True)
    known = _steps(folder)
    number = int(known[-1].name.partition(".")[0]) + 1 if known else 1
    draft = folder / f"draft-{os.urandom(4).hex()}"
    disk.fill(draft, msgspec.json.encode(UndoStep(title, stamp(at), tuple(changes))), None)
    disk.replace(draft, folder / f"{number:09}{_STEP}")
    disk.sync_folder(folder)
    for old in known[: max(len(known) + 1 - KEPT, 0)]:
        old.unlink(missing_ok=True)


def left_so(files: Files, name: str, text: str) -> bool:
    """Whether the last step that changed a file left it with this text."""
    folder = files.root / ".memdown" / "undo"
    for path in reversed(_steps(folder)):
        for each in _read(path).changes:
            if each.name == name:
                return each.after == _hash(encode(text))
    return False


def take_back(files: Files, *, write: bool = True) -> UndoStep:
    """Make the files what they were before the last step; the step that was taken back."""
    with files.lock():
        folder = files.state_folder() / "undo"
        for path in reversed(_steps(folder)):
            step = _read(path)
            pending = [each for each in step.changes if not _is_before(files, each)]
            if not pending and path.suffix != _UNDOING:
                if write:
                    path.unlink()  # a crash came before it was done, or it was undone by hand
                continue
            _refuse_changed(files, pending)
            if write:
                _undo(files, path, pending)
            return step
    raise NotFound("There is nothing to undo: no prune, archive or end of a session is left here.")


def _undo(files: Files, path: Path, pending: Sequence[UndoChange]) -> None:
    for each in pending:
        files.allow(each.name)
    # Renamed first, so that a crash on the way ends in this step's undoing, not in that of the one before.
    started = path.with_suffix(_UNDOING)
    disk.replace(path, started)
    with files.group() as group:
        for each in pending:
            now = files.find(each.name)
            if each.before is not None:
                group.save(each.name, decode(each.before), over=now)
            elif now is not None:
                group.delete(each.name, over=now)
    started.unlink()


def _refuse_changed(files: Files, pending: Sequence[UndoChange]) -> None:
    for each in pending:
        if _current(files, each.name) != each.after:
            raise Stale(
                f"{quote(each.name)} changed since, so nothing was undone; take what you need from its archive."
            )


def _is_before(files: Files, change: UndoChange) -> bool:
    return _current(files, change.name) == _hash(change.before)


def _current(files: Files, name: str) -> str | None:
    return _hash(encode(files.read(name))) if files.exists(name) else None


def _hash(data: bytes | None) -> str | None:
    return None if data is None else sha256(data).hexdigest()


def _steps(folder: Path) -> list[Path]:
    """Oldest first."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in (_STEP, _UNDOING))


def _read(path: Path) -> UndoStep:
    try:
        return msgspec.json.decode(path.read_bytes(), type=UndoStep)
    except msgspec.DecodeError:
        return UndoStep("unreadable", "", ())
