"""What hooks write under the lock of a root: the same lock, the same jail, the same way of writing as `Files`.

`Files` changes files too, compares them and completes what a crash left; a hook that adds a card cannot wait until
all of that is loaded.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memdown import clock
from memdown.errors import Exists, Refused, on_failure, quote
from memdown.lazy import LazyModule
from memdown.store import steps
from memdown.store.disk import is_temporary
from memdown.store.jail import STATE, Jail
from memdown.store.locks import RootLock
from memdown.store.names import is_git
from memdown.store.steps import Step, StepLog

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from memdown.store import files
else:
    files = LazyModule("memdown.store.files")


class Adding:
    """The one root that new files are added to."""

    def __init__(
        self, root: Path, log: StepLog, title: str, *, lock_timeout: float, hidden: frozenset[str] = frozenset()
    ) -> None:
        """`title` is what the log says of it."""
        self._jail = Jail(root, hidden)
        self._disk = self._jail.disk
        self._log = log
        self._title = title
        self._act = 0
        self._timeout = lock_timeout
        self._lock = RootLock(self._jail.root, lock_timeout)
        if any(is_git(part) for part in self._jail.root.parts):
            raise Refused(f"{quote(str(root))} is inside .git, where nothing is written; choose another root")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other writers out, after completing what a writer that died left."""
        for patience in (True, False):
            if self._unfinished():
                files.Files(
                    self._jail.root, lock_timeout=self._timeout, hidden=self._jail.hidden, log=self._log
                ).recover()
            with self._lock.held():
                if patience and self._unfinished():
                    continue  # one more died, between the two
                for left in self._lock.noted():
                    if is_temporary(left.name) and self._owns(left.parent):
                        self._disk.unlink(left, missing_ok=True)
                yield
                return

    def _owns(self, folder: Path) -> bool:
        return Path(os.path.realpath(folder)).is_relative_to(self._jail.root)

    def add(self, name: str, data: bytes) -> None:
        """Write a new file; whole, or not at all."""
        path = self._jail.target(name)
        if os.path.lexists(path):
            raise Exists(f"{quote(name)} exists already; choose another name")
        self._write(name, path, None, data)

    def replace(self, name: str, data: bytes, over: bytes) -> bool:
        """Write a file anew when it still has these bytes; whether it had."""
        path = self._jail.target(name)
        if not path.is_file() or self._disk.read(path) != over:
            return False
        self._write(name, path, over, data)
        return True

    def _write(self, name: str, path: Path, before: bytes | None, data: bytes) -> None:
        step = Step("hook", self._title, clock.stamp(), self._act)
        delta, found = steps.delta(name, before, data, 0, self._log.allow)
        if found:  # hooks take credentials out of what they add; this is for one that does not
            raise Refused(f"{quote(name)} would contain a credential ({found[0].kind}); take it out before it is added")
        step.deltas.append(delta)
        step.folders = steps.missing_folders(str(self._jail.root), name)
        self._log.begin(step)
        with on_failure(lambda: self._log.settle(lambda _: self._disk.read(path) if path.exists() else None)):
            self._disk.write(path, data, None if before is None else self._disk.stat(path), self._lock.note)
        number = self._log.done()
        self._act = self._act or number

    def _unfinished(self) -> bool:
        """Whether a group of changes, or a step of the log, waits to be completed."""
        try:
            names = os.listdir(self._jail.root / STATE)  # noqa: PTH208 - pathlib's is slower
        except FileNotFoundError:
            return False
        return any(name.startswith("group-") for name in names) or self._log.is_pending()
