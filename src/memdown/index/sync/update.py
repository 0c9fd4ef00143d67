"""Reading what changed into the index: one transaction, after which it holds what the files hold."""

import os
import sqlite3
import time
from collections.abc import Callable, Container, Iterable
from pathlib import Path
from stat import S_ISREG

import msgspec
from msgspec import Struct

from memdown import dialects
from memdown.dialects import DIALECTS, is_merged, offered, offering, relations
from memdown.errors import MemdownError, Refused, Unreadable, on_failure, quote, too_large
from memdown.homes import HOMES, bank_of
from memdown.index import Index, findings, rebuild
from memdown.index.rows import Rows
from memdown.index.schema import REAL
from memdown.index.sqlite import PARTIAL, fault, is_busy
from memdown.index.storable import storable
from memdown.index.sync import opening
from memdown.index.sync.ahead import ReadAhead
from memdown.index.sync.scan import Scan, State, history, settings, state_of
from memdown.index.sync.sessions import renumber
from memdown.index.sync.wanted import Wanted
from memdown.index.sync.writer import IndexWriter, KnownFile, Tell, relate
from memdown.lazy import LazyModule
from memdown.record import Document
from memdown.settings import config
from memdown.settings.config import Config
from memdown.store import Files
from memdown.store.jail import reason
from memdown.store.spelling import spelled
from memdown.store.walks import is_found
from memdown.text import decode, legible

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from memdown.index import journal
    from memdown.index.sync import claimed, origins
else:
    journal, origins = LazyModule("memdown.index.journal"), LazyModule("memdown.index.sync.origins")
    claimed = LazyModule("memdown.index.sync.claimed")

Progress = Callable[[Iterable[str], str], Iterable[str]]
Counts = dict[str, int | float]

TICK_NS = 50_000_000
"""A change this shortly after another may have the same time on disks that count in nanoseconds …"""
COARSE_NS = 2_000_000_000
"""… and on those that count in seconds, or in pairs of them."""

_SETTLING = 1e-5
"""Seconds that each record takes when all files are in, to see what replaces what."""

ATTEMPTS = 3
"""How often to try a file that is deleted, or found damaged, while we write it."""

KNOWN = "select path, number, size, mtime_ns, ctime_ns, inode, racy, digest from file"
KNOWN_OF = f"{KNOWN} where path in (select value from json_each(?))"
COUNTS_OF = f"""
with these as (select number, dialect from file where path in (select value from json_each(?)))
select (select count(*) from these where dialect is not null),
    (select count(*) from record r where {REAL} and file in (select number from these))
"""
NEXT_NUMBER = "select coalesce(max(number), 0) + 1 from file"
COUNTS = f"""
select (select count(*) from file where dialect is not null),
    (select count(*) from file where racy),
    (select count(*) from record r where {REAL})
"""


class RefreshOptions(Struct, frozen=True):
    """What was asked for beside the usual."""

    rebuild: bool = False
    shrink: bool = False
    """Whether a journal may lose most of its rows."""
    until: float | None = None
    """When to leave the rest for the next time, as `time.process_time` counts: on a machine that is busy with other
    things as much is done as on an idle one. None reads all there is."""
    wanted: tuple[str, ...] = ()
    """Texts that somebody asks for: the files that have them are read first."""

    def is_over(self, reserve: float = 0.0) -> bool:
        """Whether the time is up, but for so many seconds."""
        return self.until is not None and time.process_time() >= self.until - reserve


def refresh(
    root: str,
    index: Index | None,
    seen: tuple[int, Scan] | None,
    how: RefreshOptions,
    *,
    tell: Tell,
    progress: Progress,
) -> tuple[Index, Counts]:
    """The index of a root, made when there is none, mended when it is damaged, and brought up to date.

    `index` is closed when another takes its place, and when this fails.
    """

    def close() -> None:
        if index is not None:
            index.close()

    with on_failure(close):
        place = Path(root)
        settled = _settled(place, how, tell)
        files = Files(
            place, megabytes=settled.max_file_megabytes, lock_timeout=settled.lock_timeout, hidden=settled.hidden()
        )
        index = index or opening.opened(files, tell)
        if index.outdated and index.connection.execute("pragma user_version").fetchone()[0]:
            tell("the index was made by another version of memdown and is rebuilt from the files")
        for _ in range(ATTEMPTS):
            try:
                return IndexUpdate(files, settled, index, tell, progress).run(seen, how)
            except sqlite3.DatabaseError as error:
                found = fault(error)
            if is_busy(found) and not index.outdated:
                tell("another process is writing the index, so this answer may be out of date")
                return index, _counts(index)
            deleted = rebuild.is_moved(found) or not index.is_current()
            index.close()
            seen = None
            index = opening.opened(files, tell) if deleted else opening.after(found, files, tell)
        index.close()
        index = opening.in_memory(files, found, tell)
        return IndexUpdate(files, settled, index, tell, progress).run(None, how)


def refresh_some(root: str, index: Index, names: Iterable[str], *, tell: Tell, progress: Progress) -> Counts | None:
    """Bring in these files alone; None when all have to be looked at."""
    place = Path(root)
    settled = config.load(place)
    files = Files(
        place, megabytes=settled.max_file_megabytes, lock_timeout=settled.lock_timeout, hidden=settled.hidden()
    )
    return IndexUpdate(files, settled, index, tell, progress).run_for(names)


def _settled(root: Path, how: RefreshOptions, tell: Tell) -> Config:
    """The settings of a project. Who has little time is not held up by those that cannot be read."""
    try:
        return config.load(root)
    except MemdownError as error:
        if how.until is None:
            raise
        tell(str(error).rstrip("."))
        return Config()


def _counts(index: Index) -> Counts:
    files, _, records = index.connection.execute(COUNTS).fetchone()
    return {"files": files, "records": records, "changed": 0, "removed": 0, "renamed": 0, "behind": 1}


class IndexUpdate:
    """One pass over the files of a root."""

    def __init__(self, files: Files, settled: Config, index: Index, tell: Tell, progress: Progress) -> None:
        self._files = files
        self._settled = settled
        self._index = index
        self._tell = tell
        self._progress = progress
        self._homes = [home for dialect in DIALECTS for home in settled.read_homes(dialect)]
        self._elsewhere = any(settled.read_homes(dialect) != HOMES[dialect] for dialect in DIALECTS)
        self._unseen: list[str] = []
        self._skipped: list[str] = []
        """Files, and folders with a slash at their end, that could not be looked at: nothing is inferred from that."""

    def run(self, seen: tuple[int, Scan] | None, how: RefreshOptions) -> tuple[Index, Counts]:
        """The index, which is another where it is made anew, and what was done."""
        index = self._index
        self._how = how
        if how.until is not None:
            left = max(0, round((how.until - time.process_time()) * 1000))
            index.connection.execute(f"pragma busy_timeout = {left}").fetchone()
        if how.rebuild or index.outdated or self._set_otherwise():
            new = rebuild.rebuilt(index, self._fill)
            if new is not None:
                return new, self._counts
        self._index = index
        with index.writing():
            # Another process may have been faster; what it knows counts from here on.
            if how.rebuild or index.outdated or self._set_otherwise():
                index.clear()
                self._fill(index)
            else:
                # What was seen before we had the lock counts if nobody had it in between.
                same = seen is not None and seen[0] == index.commits()
                self._run(seen[1] if seen is not None and same else None, fresh=False)
        index.outdated = False
        return index, self._counts

    def _fill(self, index: Index) -> None:
        """Put all files into an empty index."""
        self._index = index
        self._run(None, fresh=True)

    def _run(self, scan: Scan | None, *, fresh: bool) -> None:
        self._scan = scan or Scan(str(self._files.root), self._homes)
        self._seen = self._scan.states()
        self._started = self._scan.started
        known = {row[0]: KnownFile(*row[1:]) for row in self._index.connection.execute(KNOWN)}
        self._counts = self._bring_in(known, self._states(known), fresh=fresh)
        self._trace(self._counts)
        self._remember(self._counts)
        if fresh or self._counts["changed"] or self._counts["removed"]:
            self._note_lacking({*known, *self._seen})

    def run_for(self, names: Iterable[str]) -> Counts | None:
        """The same for these files alone, where all others are as the index has them; None when that is not enough."""
        index, self._how, self._started = self._index, RefreshOptions(), time.time_ns()
        self._shared, changing = False, [*names]
        with index.writing() as connection:
            if index.outdated or self._set_otherwise() or not index.has_scan():
                return None
            asked = (msgspec.json.encode(sorted(changing)).decode(),)
            known = {row[0]: KnownFile(*row[1:]) for row in connection.execute(KNOWN_OF, asked)}
            homes = self._on_disk()
            self._seen = {name: state for name in changing if (state := self._plain_state(name))}
            states = {
                name: state for name, state in self._seen.items() if name in known or self._is_memory(name, homes)
            }
            before = connection.execute(COUNTS_OF, asked).fetchone()
            counts = self._bring_in(known, states)
            if self._unseen or self._left or self._shared:
                index.remember(scan=b"")
                return None
            after = connection.execute(COUNTS_OF, asked).fetchone()
            files, records = (
                int(index.noted(key) or 0) + now - then
                for key, now, then in zip(("files", "records"), after, before, strict=True)
            )
            if known:
                self._trace(counts)
            if counts["changed"] or counts["removed"]:
                self._note_lacking(changing)
            # Who has not heard of the change compares all states, and finds nothing to read.
            index.remember(scan=PARTIAL, files=files, records=records)
        return counts | {"files": files, "records": records}

    def _note_lacking(self, changed: Iterable[str]) -> None:
        """Keep which files are missing beside those that there are, where it may be others than before."""
        if not any(map(bank_of, changed)):
            return
        kept = [name for (name,) in self._index.connection.execute("select path from file")]
        lacks = (each for dialect in offering("lacking") for each in offered(dialect, "lacking")(kept))
        self._index.remember(lacking="\n".join(lacks))

    def _plain_state(self, name: str) -> State | None:
        """The state of an ordinary file; None for one that is gone."""
        try:
            found = os.lstat(f"{self._files.root}/{name}")
        except OSError:
            return None
        self._shared |= found.st_nlink > 1
        return state_of(found) if S_ISREG(found.st_mode) else None

    def _trace(self, counts: Counts) -> None:
        """Ask git how records came here, when files or history are others than before, and whether they still hold."""
        seen = history(str(self._files.root))
        claimed.look_up(
            self._index.connection,
            self._files.root,
            anew=self._index.noted("history") != seen,
            seconds=None if self._how.until is None else self._how.until - time.process_time(),
        )
        if seen and (counts["changed"] or counts["removed"] or self._index.noted("history") != seen):
            origins.trace(self._index.connection, self._files.root, self._how.is_over)
        self._index.remember(history=seen)

    def _set_otherwise(self) -> bool:
        """Whether folders of memory or offsets of zones are others than before, so that files may read otherwise."""
        noted = self._index.noted
        return noted("homes") != "\n".join(self._homes) or (noted("zones") or "") != self._zones()

    def _zones(self) -> str:
        return " ".join(f"{letters}{offset}" for letters, offset in sorted(self._settled.times.zones.items()))

    def _is_memory(self, name: str, homes: Iterable[str]) -> bool:
        """Whether a file that no link leads to is memory by its name."""
        home = next((home for home in homes if name.startswith(f"{home}/")), None)
        return home is not None and is_found(name, home, self._files.hidden, self._skip) and not is_merged(name)

    def _on_disk(self) -> list[str]:
        """The folders of memory as they are spelled on the disk."""
        return [on_disk or home for home, on_disk in spelled(self._files.root, self._homes).items()]

    def _states(self, known: Container[str]) -> dict[str, State]:
        """Every file that may hold memory, with its state."""
        if self._scan.simple:
            new = [name for name in self._seen if name not in known]
            homes = self._on_disk() if new else []
            strange = {name for name in new if not self._is_memory(name, homes)}
            # All others have been found to be memory before.
            return {name: state for name, state in self._seen.items() if name not in strange}
        found: dict[str, State] = {}
        for home, on_disk in spelled(self._files.root, self._homes).items():
            try:
                names = list(self._files.walk(on_disk or home, skipped=self._skip))
            except (Unreadable, Refused) as error:
                self._unseen.append(f"{on_disk or home}/")
                self._tell(f"{str(error).rstrip('.')}; what the index has of it is kept")
                continue
            for name in names:
                if not is_merged(name) and (state := self._seen.get(name) or self._state(name)):
                    found[name] = state
        return found

    def _skip(self, sentence: str) -> None:
        """Tell of something that is passed over, now and whenever somebody asks for all that is wrong."""
        self._skipped.append(sentence)
        self._tell(sentence)

    def _state(self, name: str) -> State | None:
        """The state of a file that the scan did not see, as behind a link."""
        try:
            return state_of(self._files.path(name).stat())
        except FileNotFoundError:
            return None
        except (OSError, MemdownError):
            self._unseen.append(name)
            return None

    def _bring_in(self, known: dict[str, KnownFile], states: dict[str, State], *, fresh: bool = False) -> Counts:
        """Compare what the index knows of files with their states, and read those that differ."""
        connection = self._index.connection
        changed = [name for name, state in states.items() if name not in known or known[name].state() != state]
        gone = {name: known[name] for name in known if name not in states and not self._is_unseen(name)}
        rows = Rows(connection, relations.expires)
        writer = IndexWriter(rows, known, gone, connection.execute(NEXT_NUMBER).fetchone()[0])
        self._left = len(changed)
        reserve = float(self._index.noted("records") or 0) * _SETTLING
        if self._how.until is not None:
            self._sort(changed, states)
        ahead = ReadAhead(self._files, self._seen, changed, self._settled.max_file_megabytes)
        for at, name in enumerate(self._progress(changed, "indexing")):
            data = ahead.take(at) or self._read(name)
            if data is not None:
                writer.take(name, data, states[name], is_racy(states[name], self._started), self._parse)
            self._left -= 1
            if self._how.is_over(reserve):
                break
        self._left += writer.forget_rest(lambda: self._how.is_over(reserve))
        self._unseen += writer.settle(shrink=self._how.shrink, tell=self._tell)
        rows.flush()
        if fresh:
            self._index.add_indexes()
        renumber(connection, rows.touched)
        if writer.changed or writer.removed:
            relate(connection)
        if writer.guard.touched:
            journal.fill(connection)
        findings.forget(connection, rows.dialects)
        counts: Counts = {"changed": writer.changed, "removed": writer.removed, "renamed": writer.renamed}
        # One that holds what it held may have been read meanwhile, as it was in between.
        written = (known[name].seen() != states[name] for name in changed if name in known)
        if fresh or any(counts.values()) or any(written):
            self._index.remember(revision=os.urandom(8).hex())
        return counts if self._how.until is None else counts | {"left": self._left}

    def _sort(self, changed: list[str], states: dict[str, State]) -> None:
        """Put the files first that there should be time for."""
        changed.sort(key=lambda name: -states[name][1])
        wanted = Wanted(self._how.wanted)
        half = (self._how.until - time.process_time()) / 2 if self._how.until is not None else 0.0
        for name in changed if wanted and len(changed) > 1 else ():
            try:
                wanted.look(name, self._bytes(name))
            except (OSError, MemdownError):
                continue  # the reason is reported when it is its turn
            if self._how.is_over(half):
                break
        wanted.sort(changed)

    def _is_unseen(self, name: str) -> bool:
        return any(name == each or (each.endswith("/") and name.startswith(each)) for each in self._unseen)

    def _read(self, name: str) -> bytes | None:
        try:
            return self._bytes(name)
        except FileNotFoundError:
            return None  # the next scan sees that it is gone
        except (OSError, MemdownError) as error:
            # The same sentence as that of other readers of a file that is too large, so that it is said once.
            kept = f"{quote(name)} cannot be read: {{}}; what the index has of it is kept"
            self._unseen.append(name)
            self._tell(kept.format(reason(error)) if isinstance(error, OSError) else str(error))
            return None

    def _bytes(self, name: str) -> bytes:
        # The walk has just found these as ordinary files that no link leads to.
        straight = name in self._seen
        path = f"{self._files.root}/{name}" if straight else self._files.path(name)
        size = self._seen[name][0] if straight else Path(path).stat().st_size
        if refusal := too_large(size, self._settled.max_file_megabytes):
            raise Unreadable(f"{quote(name)} {refusal}")
        return self._files.disk.read(path, seen=straight)

    def _parse(self, name: str, data: bytes) -> Document:
        return parsed(name, data, self._settled.canonical_path(name) if self._elsewhere else None, self._settled)

    def _remember(self, counts: Counts) -> None:
        files, racy, records = self._index.connection.execute(COUNTS).fetchone()
        simple = self._scan.simple and not self._unseen and not self._left
        self._index.remember(
            homes="\n".join(self._homes),
            settings=settings(str(self._files.root)),
            zones=self._zones(),
            scan=self._scan.signature() if simple else b"",
            skipped="\n".join(self._skipped),
            shared=int(self._scan.shared),
            files=files,
            racy=racy,
            records=records,
        )
        counts.update(files=files, records=records)


def parsed(name: str, data: bytes, canonical_path: str | None, settled: Config) -> Document:
    """A file as the index can hold it."""
    text = decode(data)
    document = dialects.parse(name, text, canonical_path=canonical_path, settings=settled)
    return document if legible(text) == text else storable(document)


def is_racy(state: State, now: int) -> bool:
    """Whether the file may change again without a trace, as it changed so shortly before it was scanned."""
    _, mtime, ctime, _ = state
    window = TICK_NS if mtime % 1_000_000_000 else COARSE_NS
    # Elsewhere the second is when it was made.
    return (ctime if os.name == "posix" else mtime) >= now - window
