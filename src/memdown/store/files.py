"""The Markdown files below one root: read at any time, written by one writer at a time, never half."""

import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from memdown import clock
from memdown import text as lossless
from memdown.errors import MemdownError, NotFound, Refused, Unreadable, on_failure, quote, too_large, way
from memdown.lazy import LazyModule
from memdown.limits import MEMORY_MEGABYTES
from memdown.store import steps
from memdown.store.disk import is_temporary
from memdown.store.groups import (
    Group,
    current,
    encoded,
    refuse_unexpected,
    refuse_unwritable,
    state_of,
    unwritten,
)
from memdown.store.jail import STATE, Jail, reason
from memdown.store.locks import RootLock
from memdown.store.names import is_git, same_place
from memdown.store.state import make_state_folder
from memdown.store.steps import Step, StepLog
from memdown.store.wal import Wal, WalChange
from memdown.store.walks import Walk

if TYPE_CHECKING:
    from memdown import secrets
    from memdown.secrets import Secret
else:  # only who writes needs them
    secrets = LazyModule("memdown.secrets")

ALLOWING = "remove it, or allow it under `secrets.allow` in memdown.toml"
"""What to do about a credential, unless whoever acts has another way."""
ASKING = "leave it out, or ask the user to allow it under `secrets.allow` in memdown.toml"
"""The same for an assistant."""


class Observer(Protocol):
    """Who is told of what happens to files."""

    def locked(self) -> None:
        """The lock was taken."""

    def writing(self, changes: list[WalChange]) -> None:
        """Files are about to change; who raises keeps all of them as they are."""

    def wrote(self, name: str, text: str | None) -> None:
        """A file has another text, or is gone."""


class FileEdit(NamedTuple):
    """A file before and after; None is no file."""

    name: str
    before: str | None
    after: str


class CurrentAct(threading.local):
    """Who does what, while it is done; threads may do different things at once."""

    is_declared = adopts = False

    def __init__(self) -> None:
        self.begin("library", "write")

    def begin(self, by: str, title: str) -> None:
        self.by = by
        self.title = title
        self.number = 0
        """Under which the log has it; 0 when it has written nothing."""
        self.joined = 0
        """The step that what it writes further belongs to; a step that takes something back stands alone."""
        self.forced = self.outside = ""
        self.about: list[str] = []
        """The titles of the records that the next change is about."""
        self.allow_secrets = False
        self.takes_credentials = False
        self.hint = ALLOWING
        self.texts: dict[str, tuple[bytes | None, bytes | None]] = {}
        """The files that it changed, before and after."""


class Files:
    """The files of one root, by root-relative names with `/`. Use one object per root and process."""

    def __init__(
        self,
        root: Path,
        *,
        lock_timeout: float = 10.0,
        hidden: frozenset[str] = frozenset(),
        guard: Callable[[str], None] | None = None,
        observer: Observer | None = None,
        log: StepLog | None = None,
        megabytes: int = MEMORY_MEGABYTES,
    ) -> None:
        """`guard` hears the name of every file before it is written, and raises to refuse it; `observer` what was.

        `megabytes` is how large a text may be to be read.
        """
        self._jail = Jail(root, hidden)
        self._guard = guard
        self._observer = observer
        self._megabytes = megabytes
        self.root = self._jail.root
        self.disk = self._jail.disk
        self._lock = RootLock(self.root, lock_timeout)
        self._wal = Wal(self.root / STATE, self._jail, self._lock.note)
        self.log = log or StepLog(str(self.root / STATE))
        """What was done, to be taken back."""
        self._act = CurrentAct()
        self._notices: list[str] = []
        self._strays: set[Path] = set()

    def path(self, name: str) -> Path:
        """The real path of a name, inside the root, whether or not a file is there."""
        return self._jail.path(name)

    def name_of(self, path: str | Path) -> str:
        """The name of a path as a person gives it, absolute or from the current folder; the root is ''."""
        return self._jail.name_of(path, Path.cwd())

    def reveal(self, settled: frozenset[str]) -> None:
        """Let these names with a leading dot be folders of memory too, as settings say that are about to be written."""
        self._jail.hidden |= settled

    def allow(self, name: str) -> None:
        """Refuse a file that may not be written, by its own name or by that of the file it is a link to."""
        if self._guard is not None:
            self._guard(name)
            self._guard(self.path(name).relative_to(self.root).as_posix())

    def state_folder(self) -> Path:
        """`.memdown/`, made when it is missing, for what can be derived again."""
        self._refuse_git()
        return Path(make_state_folder(str(self.root)))

    def keep(self, name: str, data: bytes, what: str) -> None:
        """Write a file of `.memdown/`, under the lock; `what` people call it."""
        with self.derived(what):
            self.disk.write(self.state_folder() / name, data, None, self._lock.note)

    @contextmanager
    def derived(self, what: str) -> Iterator[None]:
        """For what comes after a change that is made, and can be made again: when the disk refuses it, it is told."""
        try:
            yield
        except (OSError, MemdownError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error).rstrip(".")
            self._notices.append(f"{what} cannot be saved ({why}); the memory itself is intact")

    def leave(self, folders: Iterable[Path]) -> None:
        """Remove folders of an act that are empty now, innermost first; one that the disk does not let go is told."""
        for folder in folders:
            refused = self.disk.unmake([folder])
            if refused is not None:
                name = quote(folder.relative_to(self.root).as_posix())
                self._notices.append(f"{name} is empty and could not be removed ({reason(refused)})")
                return

    def begin_act(self, by: str, title: str, *, allow_secrets: bool = False, hint: str = ALLOWING) -> None:
        """What is written from here on is one act; without this, what is written under one lock is.

        `allow_secrets` lets it write credentials; else the refusal of one ends with the `hint`.
        """
        self._act.begin(by, title)
        self._act.is_declared, self._act.allow_secrets, self._act.hint = True, allow_secrets, hint

    @contextmanager
    def act(self, by: str, title: str, *, hint: str = ALLOWING) -> Iterator[None]:
        """What is written in the block is one act."""
        self.begin_act(by, title, hint=hint)
        try:
            yield
        finally:
            self._act.is_declared = False

    @contextmanager
    def adopting(self) -> Iterator[None]:
        """What is written in the block was written elsewhere or before: what it claims is not asked again."""
        self._act.adopts = True
        try:
            yield
        finally:
            self._act.adopts = False

    def rename_act(self, old: str, new: str) -> None:
        """Call this act what it turns out to be, if it is called `old`."""
        if self._act.title == old:
            self._act.title = new

    def force(self, what: str) -> None:
        """Note in the log that this act was allowed something that is refused otherwise."""
        self._act.forced = what

    def note_title(self, title: str | None) -> None:
        """Note in the log what record the next change is about."""
        self._act.about = [" ".join(title.split())] if title else []

    def note_outside(self, changes: str) -> None:
        """Note in the log what this act does beside its files, for whoever can take that back."""
        self._act.outside = changes

    def log_outside(self, changes: str) -> None:
        """Make what an act did outside of the files a step of its own in the log."""
        self.note_outside(changes)
        with self.group():
            pass  # no file changes

    @property
    def step(self) -> int:
        """The number under which the log has this act; 0 when it has written nothing."""
        return self._act.number

    @property
    def takes_credentials(self) -> bool:
        """Whether what this act changed had credentials, which the log does not keep."""
        return self._act.takes_credentials

    def written(self) -> dict[str, tuple[str | None, str | None]]:
        """The files that this act changed, before and after; None is no file."""
        found = self._act.texts.items()
        return {name: (_decoded(before), _decoded(after)) for name, (before, after) in found if before != after}

    def data(self, name: str) -> bytes | None:
        """The bytes of a file; None when there is none."""
        return current(name, self.path(name), self.disk)

    @property
    def hidden(self) -> frozenset[str]:
        """Names with a leading dot that are let in."""
        return self._jail.hidden

    def read(self, name: str) -> str:
        """The text of a file, every byte of it."""
        path = self.path(name)
        self._refuse_large(name, path)
        data = current(name, path, self.disk)
        if data is None:
            raise NotFound(f"{quote(name)} does not exist in {quote(str(self.root))}; check the name")
        return lossless.decode(data)

    def read_ahead(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The texts of files that a walk found, folder by folder; what cannot be had so is left to `read`."""
        folders: dict[str, list[str]] = {}
        for name in names:
            folder, _, last = name.rpartition("/")
            folders.setdefault(folder, []).append(last)
        for folder, inside in folders.items():
            with suppress(OSError, MemdownError):
                read = self.disk.read_folder(self._jail.folder(folder), inside, self._megabytes << 20)
                yield from ((f"{folder}/{last}" if folder else last, lossless.decode(read[last])) for last in read)

    def _refuse_large(self, name: str, path: Path) -> None:
        with suppress(OSError):  # reading it says what is wrong
            if refusal := too_large(path.stat().st_size, self._megabytes):
                raise Unreadable(f"{quote(name)} {refusal}")

    def find(self, name: str) -> str | None:
        """The text of a file; None when there is none."""
        return self.read(name) if self.exists(name) else None

    def exists(self, name: str) -> bool:
        try:
            return state_of(name, self.path(name), self.disk) is not None
        except Unreadable as error:
            if isinstance(error.__cause__, IsADirectoryError):
                return False
            raise

    def walk(
        self,
        folder: str,
        suffixes: tuple[str, ...] = (".md",),
        skipped: Callable[[str], None] | None = None,
    ) -> Iterator[str]:
        """Names of the files below a folder, sorted; '' is the root. `skipped` hears what is passed over."""
        walk = Walk(self._jail, suffixes, skipped)
        names = walk.below(folder)
        self._strays |= walk.strays
        return iter(names)

    @contextmanager
    def lock(self, *, when: bool = True) -> Iterator[None]:
        """Keep other writers out, for a read and the save that follows it, `when` there is one."""
        if not when:
            yield
            return
        self._refuse_git()
        with self._lock.held() as outermost:
            if outermost:
                self._repair()
                if not self._act.is_declared:
                    self._act.begin("library", "write")
                if self._observer is not None:
                    self._observer.locked()
            yield

    def save(self, name: str, text: str, *, over: str | None) -> None:
        """Write a file: a new one when `over` is None, else in the place of that text."""
        with self.group() as group:
            group.save(name, text, over=over)

    def save_all(self, edits: Iterable[FileEdit]) -> list[str]:
        """Write files together, in the order given: all of them or none. The names of those that changed."""
        changed = [each for each in edits if each.after != each.before]
        with self.group() as group:
            for each in changed:
                group.save(each.name, each.after, over=each.before)
        return [each.name for each in changed]

    def delete(self, name: str, *, over: str) -> None:
        with self.group() as group:
            group.delete(name, over=over)

    def rename(self, old: str, new: str, *, over: str, undoes: int = 0) -> None:
        """Give a file another name; the new one must be free. Case alone may change.

        `undoes` is the number of the act that it takes back.
        """
        for name in (old, new):
            self._jail.target(name)
            self.allow(name)
        data = encoded(old, over)
        with self.lock():
            source, target = self._jail.entry(old), self._jail.target(new)
            if source.is_symlink():
                raise Refused(f"{quote(old)} is a symbolic link; rename it yourself, and what it leads to")
            refuse_unexpected(old, current(old, self._jail.target(old), self.disk), data)
            refuse_unwritable(old, source, self.disk)
            if not (_spelled_alike(old, new) and target.exists() and target.samefile(source)):
                refuse_unexpected(new, current(new, target, self.disk), None)
                refuse_unwritable(new, target, self.disk)
            self._jail.refuse_clashes([new], leaving=[old])
            changes = [WalChange(old, data, None, source.stat()), WalChange(new, None, data, None)]
            with self._recorded(changes, undoes):
                self.disk.move(source, target)

    @contextmanager
    def group(self, *, undoes: int = 0) -> Iterator[Group]:
        """Changes wished for in the block are made together when it ends; an error in it makes none.

        `undoes` is the number of the act that they take back.
        """
        group = Group(self._jail, self.allow)
        yield group
        with self.lock():
            changes = group.changes()
            if not changes and not undoes and not self._act.outside:
                return
            with self._recorded(changes, undoes):
                if len(changes) > 1:
                    self._wal.commit(changes)
                for change in changes if len(changes) == 1 else ():
                    if change.after is None:
                        self.disk.remove(self._jail.entry(change.name))
                    else:
                        self.disk.write(self._jail.target(change.name), change.after, change.like, self._lock.note)

    @contextmanager
    def _recorded(self, changes: list[WalChange], undoes: int = 0) -> Iterator[None]:
        """Changes that are made in the block pass the gate before it, and are a step of the log after it."""
        step = self._step(changes, undoes)
        try:
            if self.log.is_pending():
                self._repair()
            self.log.begin(step)
            with on_failure(self._settle):
                yield
        except OSError as error:
            raise unwritten([change.name for change in changes], error) from error
        with self.derived("the number of this step"):  # which the next writer gives it
            number = self.log.done()
            self._act.number = self._act.number or number
            self._act.joined = self._act.joined or (0 if undoes else number)
        for change in changes:
            first = self._act.texts.get(change.name, (change.before, None))[0]
            self._act.texts[change.name] = first, change.after
        self._report(changes)

    def _step(self, changes: list[WalChange], undoes: int) -> Step:
        act = self._act
        step = Step(act.by, act.title, clock.stamp(), 0 if undoes else act.joined, undoes, act.forced)
        step.outside = act.outside
        inserted = []
        for each in changes:
            gone = each.like if each.after is None and isinstance(each.like, os.stat_result) else None
            mode = stat.S_IMODE(gone.st_mode) if gone else 0
            delta, found = steps.delta(each.name, each.before, each.after, mode, self.log.allow)
            step.deltas.append(delta)
            inserted += [(each, secret) for secret in found]
            if each.before is None:
                missing = steps.missing_folders(str(self.root), each.name)
                step.folders += [name for name in missing if name not in step.folders]
        if not undoes:
            self._refuse_credentials(changes, step, inserted)
            if self._observer is not None and not self._act.adopts:
                self._observer.writing(changes)
            taken = any(each.old.holes for each in step.deltas)
            act.takes_credentials |= taken
            if not (inserted or taken or any(each.around.holes for each in step.deltas)):  # which a title may repeat
                step.about = [title for title in act.about if title and not secrets.find(title, self.log.allow)]
        act.about = []
        return step

    def _refuse_credentials(
        self, changes: list[WalChange], step: Step, inserted: "list[tuple[WalChange, Secret]]"
    ) -> None:
        """Those that stand in one of the files already may move; what is allowed is noted in the step."""
        kinds = [self.refuse_credential(each.name, "the name of a file") for each in changes if each.before is None]
        known = {hole.hash for delta in step.deltas for hole in delta.old.holes}
        for change, secret in inserted:
            after = change.after or b""
            value = after[secret.start : secret.end]
            if steps.hash_of(value) in known or any(value in each.before for each in changes if each.before):
                continue
            kinds.append(secret.kind)
            if not self._act.allow_secrets:
                line = after.count(b"\n", 0, secret.start) + 1
                place = f"{quote(change.name)} would contain a credential in line {line}"
                raise Refused(f"{place} ({secret.kind}); {self._act.hint}")
        allowed = " and ".join(dict.fromkeys(filter(None, kinds)))
        if allowed:
            step.forced = "; ".join(filter(None, (step.forced, f"allowed a credential ({allowed})")))

    def refuse_credential(self, text: str, place: str) -> str:
        """Refuse a text that goes somewhere else than into a file; the kind of credential that it may have."""
        found = secrets.find(text, self.log.allow)
        if found and not self._act.allow_secrets:
            raise Refused(f"{place} would contain a credential ({found[0].kind}); {self._act.hint}")
        return found[0].kind if found else ""

    def _settle(self) -> None:
        with suppress(OSError):  # what failed is reported, and the next writer settles the step
            if not self._wal.is_pending():
                number = self.log.settle(self._seen)
                self._act.number = self._act.number or number

    def _seen(self, name: str) -> bytes | None:
        """The bytes of a file that the log names; None also when something else is in its place by now."""
        try:
            return self.data(name)
        except (Refused, Unreadable):
            return None

    def _report(self, changes: list[WalChange]) -> None:
        if self._observer is not None:
            for change in changes:
                self._observer.wrote(change.name, _decoded(change.after))

    def recover(self) -> list[str]:
        """Complete what a crash left undone; a sentence for each change that met with a person's edit."""
        with self.lock():
            return self.notices()

    def notices(self) -> list[str]:
        """What recovery had to say since it was last asked, a sentence each."""
        found, self._notices = self._notices, []
        return found

    def _repair(self) -> None:
        try:
            strays, self._strays = self._strays, set()
            for left in strays.union(self._lock.noted()):
                if is_temporary(left.name) and self._owns(left.parent):
                    self.disk.unlink(left, missing_ok=True)
            self._notices += self._wal.recover()
            self.log.settle(self._seen)
        except OSError as error:
            raise MemdownError(
                f"{quote(STATE)}, where memdown keeps what it completes and undoes, cannot be used"
                f" ({_culprit(error)}); {way('doctor')} says what to do"
            ) from error

    def _owns(self, folder: Path) -> bool:
        return Path(os.path.realpath(folder)).is_relative_to(self.root)

    def _refuse_git(self) -> None:
        if any(is_git(part) for part in self.root.parts):
            raise Refused(f"{quote(str(self.root))} is inside .git, where nothing is written; choose another root")


def _culprit(error: OSError) -> str:
    """What an error is about, where the system says it, and what it is."""
    name = Path(error.filename).name if isinstance(error.filename, str) else ""
    return f"{quote(name)}: {reason(error)}" if name else reason(error)


def _decoded(data: bytes | None) -> str | None:
    return None if data is None else lossless.decode(data)


def _spelled_alike(one: str, other: str) -> bool:
    return [*map(same_place, one.split("/"))] == [*map(same_place, other.split("/"))]
