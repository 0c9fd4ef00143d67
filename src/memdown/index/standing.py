"""How far a record can be relied on: whether git has its text, and whether a person stands behind it.

Git's list of files is read as it is on the disk. Only for a file that differs from it is git started,
once. Light to import, since hooks ask.
"""

import os
import sqlite3

from memdown import clock, homes
from memdown.errors import on_failure
from memdown.index.schema import CONFIRMED, WRITER
from memdown.index.sqlite import Unusable, connect
from memdown.index.words import RULED
from memdown.lazy import LazyModule
from memdown.limits import AGING_DAYS
from memdown.store.state import HOOKS, STATE

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    from msgspec import structs

    from memdown.index import git_output
    from memdown.index.lookup import IndexedRecord
    from memdown.index.search import Hit, Hits

    class Listable(Protocol):
        """What a record is found by."""

        @property
        def id(self) -> str: ...
        @property
        def path(self) -> str: ...
        @property
        def line(self) -> int: ...

else:
    git_output, structs = LazyModule("memdown.index.git_output"), LazyModule("msgspec.structs")

UNCOMMITTED = "uncommitted"
UNCONFIRMED = "written by an assistant, not confirmed"
_ASSISTANTS = frozenset(
    """agent agents ai aider assistant bot chatgpt claude cline code codex copilot cursor devin gemini github gpt hook
    kilo llm memdown opus roo sonnet windsurf""".split()
)
"""Words of which the name of an assistant is made."""
_CONFIRMED_AS = frozenset("accepted active approved confirmed final implemented reviewed".split())
_OPEN = frozenset("draft proposed unconfirmed".split())
_LARGEST = 16 << 20
_KEPT = "select 1 from kept where name = ? and size = ? and mtime = ?"
_STOOD = f"""
select r.path, r.kind, r.status, {WRITER}, {CONFIRMED}, o.note, r.line, r.end_line, r.content is not null, o.settled
from record r left join origin o on o.record = r.rowid where r.id = ? and r.path = ? and r.line = ?
"""
_FIELDS = 42
"""Bytes of an entry of git's list beside a hash and the name: times, device, inode, mode, owners, size, flags."""
_WORD = 0xFFFFFFFF
_POINTER = b"version https://git-lfs.github.com/"
"""What git has in the place of a text that is kept elsewhere."""
_MODES = (b"\x00\x00\x81\xa4", b"\x00\x00\x81\xed")
_RULED = RULED.encode()


class Standings:
    """Where the records of one project stand. What hooks kept is in `db`, the file of their state."""

    def __init__(
        self,
        root: str,
        aging: tuple[int, bool] = (AGING_DAYS, False),
        db: sqlite3.Connection | None = None,
        seconds: float = 10.0,
    ) -> None:
        """`aging` are the days after which a file is stale, and whether one may be stamped in an older way.

        Git may be silent for so many `seconds`: who asks can wait, a hook cannot.
        """
        self._root = root
        self._aging_days, self._legacy = aging
        self._db = db
        self._seconds = seconds
        self._listed: tuple[bytes, str] | None = None
        self._known: dict[str, _Listed | None] = {}
        self._texts: dict[str, tuple[list[bytes], bytes] | None] = {}

    def of(self, record: "IndexedRecord | _Stood") -> str:
        """What speaks against stating a record as a rule; empty for one that is committed and somebody's own."""
        try:
            seen = os.stat(os.path.join(self._root, record.path))
        except OSError:
            return ""
        status = record.status.casefold()
        kept = (
            self._db is not None and self._db.execute(_KEPT, (record.path, seen.st_size, seen.st_mtime_ns)).fetchone()
        )
        kept = kept or (record.kind == "card" and f"/{homes.INBOX}/" in record.path)
        if (kept or is_assistant(record.author)) and status not in _CONFIRMED_AS and not record.confirmed:
            return UNCONFIRMED
        if record.kind == "decision" and status in _OPEN:
            return status
        if record.origin and not record.settled:
            return record.origin
        return UNCOMMITTED if self._is_uncommitted(record, seen) else ""

    def age(self, record: "IndexedRecord") -> str:
        """How old a record is whose file was not updated for long; empty for all others."""
        if record.stamped in ("", "none"):
            return "no stamp says when it was updated" if record.stamped and not self._legacy else ""
        days = clock.days_since(record.stamped)
        return f"last updated {days} days ago" if days > self._aging_days else ""

    def _is_uncommitted(self, record: "IndexedRecord | _Stood", seen: os.stat_result) -> bool:
        """Whether git does not have a record: not its file, or a file without its text.

        Not where git has none of the files beside it: such a memory is kept out of it on purpose.
        """
        if record.path not in self._known:
            self._known[record.path] = self._looked_up(record.path)
        known = self._known[record.path]
        if known is None or known.is_as(seen):
            return False
        if not known.tracked or (record.alone and known.size not in (0, seen.st_size & _WORD)):
            return True
        return not self._has_text(record)

    def _looked_up(self, path: str) -> "_Listed | None":
        """What git's list says of a file; None where it has nothing beside it either."""
        if self._listed is None:
            self._listed = _list_of_git(self._root)
        data, prefix = self._listed
        name = f"{prefix}{path}".encode("utf-8", "surrogateescape")
        if name.rpartition(b"/")[0] + b"/" not in data:
            return None
        at = data.find(name + b"\0")
        while at >= 0 and not _is_whole(data, at, len(name)):
            at = data.find(name + b"\0", at + 1)
        return _Listed(data, at)

    def _has_text(self, record: "IndexedRecord | _Stood") -> bool:
        """Whether git has a record's own lines in its file, wherever; taken for granted where git is silent."""
        path = record.path
        if path not in self._texts:
            self._texts[path] = self._both(path)
        texts = self._texts[path]
        if texts is None:
            return True
        lines, committed = texts
        return _told(lines if record.alone else lines[record.line - 1 : record.end]) in committed

    def _both(self, path: str) -> "tuple[list[bytes], bytes] | None":
        """The lines of a file as it is, and what git has of it."""
        try:
            with open(os.path.join(self._root, path), "rb") as file:
                data = file.read(_LARGEST + 1)
        except OSError:
            return None
        args = ("cat-file", "blob", f":./{path}")
        committed = git_output.output(self._root, args, self._seconds) if self._seconds else None
        if committed is None:
            self._seconds = 0.0  # one that was waited for in vain is not asked again
        if committed is None or len(data) > _LARGEST or committed.startswith(_POINTER):
            return None
        return data.splitlines(), _told(committed.splitlines())


class _Listed:
    """A file in git's list, with how it was when git last saw it."""

    __slots__ = ("mtime", "size", "tracked")

    def __init__(self, data: bytes, at: int) -> None:
        """`at` is where its name stands, or less than 0 for a file that is not there."""
        self.tracked = at >= 0
        self.size, self.mtime = _stated(data, at) if self.tracked else (0, (0, 0))

    def is_as(self, seen: os.stat_result) -> bool:
        """Whether a file is as git saw it: as large, and of the same time. Not every git notes the nanoseconds."""
        seconds, rest = divmod(seen.st_mtime_ns, 1_000_000_000)
        same_time = self.mtime in ((seconds & _WORD, rest), (seconds & _WORD, 0))
        return self.tracked and same_time and self.size == seen.st_size & _WORD


class _Stood:
    """A record of the index, as far as its standing goes."""

    __slots__ = ("alone", "author", "confirmed", "end", "kind", "line", "origin", "path", "settled", "status")

    def __init__(self, row: "Sequence[str | int | None]") -> None:
        texts = [str(each or "") for each in row]
        self.path, self.kind, self.status, self.author, self.confirmed, self.origin = texts[:6]
        self.line, self.end, self.alone, self.settled = int(texts[6]), int(texts[7]), bool(row[8]), bool(row[9])


def of_records(db: sqlite3.Connection, root: str, records: "Iterable[Listable]") -> list[str]:
    """What speaks against stating each of these as a rule, from the project's index; empty where nothing does."""
    with kept_by_hooks(root) as kept:
        standings = Standings(root, db=kept)
        rows = (db.execute(_STOOD, (each.id, each.path, each.line)).fetchone() for each in records)
        return [standings.of(_Stood(row)) if row else "" for row in rows]


def with_standings(db: sqlite3.Connection, root: str, found: "Hits") -> "Hits":
    """What was found, each with what speaks against stating it as a rule."""
    told = of_records(db, root, (hit.mark.record for hit in found.hits))
    hits = [_marked(hit, standing) if standing else hit for hit, standing in zip(found.hits, told, strict=True)]
    return structs.replace(found, hits=hits) if any(told) else found


def _marked(hit: "Hit", standing: str) -> "Hit":
    return structs.replace(hit, mark=structs.replace(hit.mark, standing=standing))


class kept_by_hooks:
    """What hooks kept, open in the block; None if they kept nothing that can be read."""

    __slots__ = ("_db", "_root")

    def __init__(self, root: str) -> None:
        self._root = root

    def __enter__(self) -> sqlite3.Connection | None:
        self._db = self._opened(os.path.join(self._root, STATE, HOOKS))
        return self._db

    def __exit__(self, *_: object) -> None:
        if self._db is not None:
            self._db.close()

    def _opened(self, path: str) -> sqlite3.Connection | None:
        try:
            if not os.path.isfile(path):
                return None
            db = connect(path, "ro")
            with on_failure(db.close):
                db.execute("select 1 from kept limit 1").fetchone()
                return db
        except (Unusable, sqlite3.DatabaseError):
            return None


def is_assistant(author: str) -> bool:
    """Whether an author line names an assistant and no person: "Claude Code", but not "Ann (via Copilot)"."""
    name = author.casefold().partition("(")[0]
    words = "".join(char if char.isalpha() else " " for char in name).split()
    return bool(words) and _ASSISTANTS.issuperset(words)


def _list_of_git(root: str) -> tuple[bytes, str]:
    """The files that git tracks, as its index has them, and where the root is in its tree; nothing where unknown."""
    top = homes.working_tree(root)
    if top is None:
        return b"", ""
    inside = os.path.relpath(root, top).replace(os.sep, "/")
    try:
        with open(os.path.join(homes.git_folder(root), "index"), "rb") as file:
            data = file.read(_LARGEST + 1)
    except (OSError, ValueError):
        return b"", ""
    # Version 4 shortens names, and a split index has most of them in another file.
    readable = data[:4] == b"DIRC" and data[4:8] in (b"\0\0\0\2", b"\0\0\0\3") and b"\0link\0\0\0" not in data
    return data if readable and len(data) <= _LARGEST else b"", "" if inside == "." else f"{inside}/"


def _is_whole(data: bytes, at: int, length: int) -> bool:
    """Whether a name begins here: the two bytes before it, or four of a later kind of entry, tell its length."""
    low = min(length, 0xFFF)
    flags, earlier = (int.from_bytes(data[at - back : at - back + 2]) for back in (2, 4))
    return flags & 0x4FFF == low or (earlier & 0x4000 != 0 and earlier & 0xFFF == low)


def _stated(data: bytes, at: int) -> tuple[int, tuple[int, int]]:
    """The size and the time that a file had when git saw it, before its name; 0 for what git does not say."""
    for hashed in (20, 32):  # hashes have two lengths
        first = at - hashed - _FIELDS
        if data[first + 24 : first + 28] in _MODES:
            seconds, rest, size = (int.from_bytes(data[first + skip : first + skip + 4]) for skip in (8, 12, 36))
            return size, (seconds, rest)
    return 0, (0, 0)


def _told(lines: "Iterable[bytes]") -> bytes:
    """Lines that say something, without the white space around them: how a text is divided is nothing that it says."""
    return b"\n".join((b"", *(line.strip() for line in lines if line.strip(_RULED)), b""))
