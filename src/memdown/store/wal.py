"""Several changes as one: staged and listed in `.memdown/`, then carried out, whatever happens in between.

A group has a folder `group-…` with the new texts. It is decided the moment its `manifest` is in place:
before, a crash drops the folder; after, the next writer carries out what the manifest lists. A change is
made only while its file is as the group found it, so carrying out twice is the same as once, and what a
person wrote in between stays.
"""

import errno
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from memdown.errors import MemdownError, Refused, Stale, on_failure, quote
from memdown.hashes import sha256
from memdown.store.jail import Jail, reason

_FOLDER = "group-"
_MANIFEST = "manifest"
HALF_DONE = "a group of changes is half done"
"""What an error says that leaves a group for the next write to complete."""


class WalChange(msgspec.Struct, frozen=True):
    """What one file is and is to become; None is no file."""

    name: str
    before: bytes | None
    after: bytes | None
    like: os.stat_result | int | None = None


class WalStep(msgspec.Struct, frozen=True):
    """A change as the manifest has it: hashes for texts, empty for no file."""

    name: str
    before: str
    after: str
    staged: str


class Wal:
    """The groups of one root. Whoever calls holds the lock."""

    def __init__(self, state: Path, jail: Jail, note: Callable[[Path], None]) -> None:
        self._state = state
        self._jail = jail
        self._disk = jail.disk
        self._note = note
        self._made: list[Path] = []

    def commit(self, changes: Sequence[WalChange]) -> None:
        """Make all changes, or none. OSError means none."""
        folder = self._state / f"{_FOLDER}{os.urandom(8).hex()}"
        with on_failure(partial(self._discard, folder)):
            steps = self._stage(folder, changes)
        done, self._made = 0, []
        try:
            for step in steps:
                done += 1  # counted first: a step that fails may have been made
                if not self._carry_out(folder, step):
                    raise Stale(f"{quote(step.name)} changed while it was written; read it again and repeat")
            self._finish(folder, steps)
        except (OSError, MemdownError):
            self._undo(folder, changes[:done])
            self._disk.unmake(self._made)
            raise

    def recover(self) -> list[str]:
        """Finish or drop what a crash left; a sentence for each change that could not be made."""
        self._disk.drop_temporaries(self._state)  # of what is derived, which nobody notes
        return [sentence for folder in folders(self._state) for sentence in self._recover(folder)]

    def is_pending(self) -> bool:
        """Whether a group is there that has to be completed."""
        return bool(folders(self._state))

    def _stage(self, folder: Path, changes: Sequence[WalChange]) -> list[WalStep]:
        self._disk.make_folder(folder)
        steps = list(self._staged(folder, changes))
        self._put_manifest(folder, steps)
        return steps

    def _staged(self, folder: Path, changes: Sequence[WalChange], prefix: str = "") -> Iterator[WalStep]:
        for number, change in enumerate(changes):
            staged = "" if change.after is None else f"{prefix}{number}"
            if change.after is not None:
                self._disk.fill(folder / staged, change.after, change.like)
            yield WalStep(change.name, _hash(change.before), _hash(change.after), staged)

    def _put_manifest(self, folder: Path, steps: Sequence[WalStep]) -> None:
        draft = folder / f"{_MANIFEST}-{os.urandom(4).hex()}"
        self._disk.fill(draft, msgspec.json.encode(steps), None)
        self._disk.sync_folder(folder)  # a manifest that is there without its texts would pass for carried out
        self._disk.replace(draft, folder / _MANIFEST)
        self._disk.sync_folder(folder)

    def _undo(self, folder: Path, changes: Sequence[WalChange]) -> None:
        """Decide the opposite in one act, then carry that out; a crash on the way is a crash of that."""
        back = [WalChange(change.name, change.after, change.before, change.like) for change in reversed(changes)]
        try:
            steps = list(self._staged(folder, back, "back-"))
            self._put_manifest(folder, steps)
            for step in steps:
                self._carry_out(folder, step)
            self._finish(folder, steps)
        except OSError as error:
            raise MemdownError(
                f"{HALF_DONE}, and reverting it failed: {reason(error)}; fix that, and the next write completes it"
            ) from error

    def _carry_out(self, folder: Path, step: WalStep) -> bool:
        """Make one change unless it is made; False when the file is in neither of the two states."""
        staged = folder / step.staged if step.staged else None
        path = self._jail.target(step.name)
        now = self._hash_of(path)
        if staged is not None and not staged.exists():
            return True  # it was moved into place; what the file is now was written later
        if now == step.after:
            return True
        if now != step.before:
            return False
        if staged is None:
            self._disk.unlink(self._jail.entry(step.name))
        else:
            self._put(staged, step.after, path)
        return True

    def _put(self, staged: Path, expected: str, path: Path) -> None:
        self._made = self._disk.make_folders(path.parent) + self._made
        data = self._disk.read(staged)
        if _hash(data) != expected:
            raise Refused("what was staged for it is damaged")
        try:
            self._disk.replace(staged, path)
        except OSError as error:
            if error.errno != errno.EXDEV:  # a folder of the root may be on another disk
                raise
            self._disk.write(path, data, self._disk.stat(staged), self._note)

    def _finish(self, folder: Path, steps: Sequence[WalStep]) -> None:
        for parent in {self._jail.entry(step.name).parent for step in steps}:
            if parent.is_dir():
                self._disk.sync_folder(parent)
        self._revoke(folder)
        with suppress(OSError):  # all is done; the next writer drops what is left here
            self._drop(folder)

    def _recover(self, folder: Path) -> Iterator[str]:
        try:
            steps = msgspec.json.decode(self._disk.read(folder / _MANIFEST), type=list[WalStep])
        except FileNotFoundError:
            self._drop(folder)
            return
        except (ValueError, RecursionError):  # bytes that are not UTF-8 are no DecodeError
            yield f"the list of an interrupted group is damaged; its texts are in {self._keep(folder, '')}"
            return
        for step in steps:
            yield from self._recover_step(folder, step)
        self._finish(folder, [step for step in steps if self._reachable(step)])

    def _recover_step(self, folder: Path, step: WalStep) -> Iterator[str]:
        if step.staged and step.staged not in (each.name for each in self._disk.listing(folder)):
            return
        try:
            if self._carry_out(folder, step):
                self._disk.drop_temporaries(self._jail.entry(step.name).parent)
                return
            why = "was changed before an interrupted group of changes could be completed"
        except Refused as error:
            why = f"can no longer be written ({error})"
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            why = f"can no longer be written ({reason(error)})"
        kept = f"; what was to be written is in {self._keep(folder, step.staged)}" if step.staged else ""
        yield f"{quote(step.name)} {why} and was left as it is{kept}"

    def _reachable(self, step: WalStep) -> bool:
        try:
            self._jail.entry(step.name)
        except Refused:
            return False
        return True

    def _keep(self, folder: Path, staged: str) -> str:
        """Move a staged text, or all of them, to where a person finds it."""
        kept = self._state / "recovered"
        self._disk.make_folders(kept)
        target = kept / (f"{folder.name}-{staged}.md" if staged else folder.name)
        self._disk.replace(folder / staged, target)
        self._disk.sync_folder(kept)
        return quote(target.relative_to(self._jail.root).as_posix())

    def _revoke(self, folder: Path) -> None:
        """End a group before what it staged goes: a manifest without its texts would pass for carried out."""
        manifest = folder / _MANIFEST
        if manifest.exists():
            self._disk.unlink(manifest)
            self._disk.sync_folder(folder)

    def _discard(self, folder: Path) -> None:
        self._revoke(folder)
        self._drop(folder)

    def _drop(self, folder: Path) -> None:
        if folder.is_dir():
            for each in self._disk.listing(folder):
                self._disk.unlink(folder / each.name)
            self._disk.unmake([folder])
            self._disk.sync_folder(folder.parent)

    def _hash_of(self, path: Path) -> str:
        try:
            return _hash(self._disk.read(path))
        except (FileNotFoundError, NotADirectoryError):
            return ""


def folders(state: Path) -> list[Path]:
    """The groups that a crash left in the folder of state."""
    with os.scandir(state) as entries:
        return sorted(
            Path(entry.path)
            for entry in entries
            if entry.name.startswith(_FOLDER) and entry.is_dir(follow_symlinks=False)
        )


def is_decided(folder: Path) -> bool:
    """Whether a group is to be completed; else it changed nothing."""
    return (folder / _MANIFEST).exists()


def _hash(data: bytes | None) -> str:
    return "" if data is None else sha256(data)
