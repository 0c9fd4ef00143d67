"""How far a record can be relied on: whether git has its file, and whether a person stands behind it.

No git is started: its list of files is read as it is on the disk. Light to import, since hooks ask.
"""

import os
import sqlite3

from memdown import clock, homes

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from memdown.index.lookup import IndexedRecord

UNCOMMITTED = "uncommitted"
UNCONFIRMED = "written by an assistant, not confirmed"
_ASSISTANTS = frozenset(
    """agent agents ai aider assistant bot chatgpt claude cline code codex copilot cursor devin gemini github gpt hook
    kilo llm memdown opus roo sonnet windsurf""".split()
)
"""Words of which the name of an assistant is made."""
_CONFIRMED = frozenset("accepted active approved confirmed final implemented reviewed".split())
_OPEN = frozenset("draft proposed unconfirmed".split())
_LARGEST = 16 << 20
_KEPT = "select 1 from kept where name = ? and size = ? and mtime = ?"
_MODES = (b"\x00\x00\x81\xa4", b"\x00\x00\x81\xed")


class Standings:
    """Where the records of one project stand. What hooks kept is in `db`, the file of their state."""

    def __init__(self, root: str, aging: tuple[int, bool], db: sqlite3.Connection | None = None) -> None:
        """`aging` are the days after which a file is stale, and whether one may be stamped in an older way."""
        self._root = root
        self._aging_days, self._legacy = aging
        self._db = db
        self._listed: tuple[bytes, str] | None = None

    def of(self, record: "IndexedRecord") -> str:
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
        if (kept or is_assistant(record.author)) and status not in _CONFIRMED and not record.confirmed:
            return UNCONFIRMED
        if record.kind == "decision" and status in _OPEN:
            return status
        if record.origin and not record.settled:
            return record.origin
        return UNCOMMITTED if self._is_uncommitted(record.path, seen.st_size, alone=record.alone) else ""

    def age(self, record: "IndexedRecord") -> str:
        """How old a record is whose file was not updated for long; empty for all others."""
        if record.stamped in ("", "none"):
            return "no stamp says when it was updated" if record.stamped and not self._legacy else ""
        days = clock.days_since(record.stamped)
        return f"last updated {days} days ago" if days > self._aging_days else ""

    def _is_uncommitted(self, path: str, size: int, *, alone: bool) -> bool:
        """Whether git does not have a file; of one that is a single record, also whether it changed.

        Not where git has none of the files beside it: such a memory is kept out of it on purpose.
        """
        if self._listed is None:
            self._listed = _list_of_git(self._root)
        data, prefix = self._listed
        name = f"{prefix}{path}".encode("utf-8", "surrogateescape")
        if name.rpartition(b"/")[0] + b"/" not in data:
            return False
        at = data.find(name + b"\0")
        while at >= 0 and not _is_whole(data, at, len(name)):
            at = data.find(name + b"\0", at + 1)
        if at < 0:
            return True
        known = _size(data, at)
        return alone and bool(known) and known != size & 0xFFFFFFFF


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


def _size(data: bytes, at: int) -> int:
    """The size that a file had when git saw it, before its name; 0 where git does not say. Hashes have two lengths."""
    return next(
        (
            int.from_bytes(data[at - hashed - 6 : at - hashed - 2])
            for hashed in (20, 32)
            if data[at - hashed - 18 : at - hashed - 14] in _MODES
        ),
        0,
    )
