"""Where the journal of a project is, which of its files are there, and what time it is in them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

from msgspec import Struct

from memdown import git
from memdown.acts import add
from memdown.acts.add import Added
from memdown.dialects.journal import names, write_edits, write_tasks
from memdown.dialects.journal.edits import history
from memdown.dialects.journal.lines import lines_of, stamps_of
from memdown.errors import Refused, quote
from memdown.project import Project
from memdown.record import Document, Record
from memdown.store.files import FileEdit

_OFFSETS = {
    "UTC": (0,), "GMT": (0,), "WET": (0,), "WEST": (60,), "BST": (60, 360), "CET": (60,), "CEST": (120,),
    "EET": (120,), "EEST": (180,), "MSK": (180,), "IST": (330, 120, 60), "PKT": (300,), "WIB": (420,), "SGT": (480,),
    "HKT": (480,), "AWST": (480,), "JST": (540,), "KST": (540,), "ACST": (570,), "AEST": (600,), "AEDT": (660,),
    "NZST": (720,), "NZDT": (780,), "EST": (-300,), "EDT": (-240,), "CST": (-360, 480), "CDT": (-300,),
    "MST": (-420,), "MDT": (-360,), "PST": (-480,), "PDT": (-420,),
}  # fmt: skip
"""Minutes east of UTC that a zone's letters may stand for, in places that use them."""


_HOW = {"added": "Created", "deleted": "Deleted"}


class Clock(Struct, frozen=True):
    """Now, as a file of the journal says it."""

    at: datetime
    zone: str

    @property
    def date(self) -> str:
        return f"{self.at:%Y-%m-%d}"

    @property
    def time(self) -> str:
        return f"{self.at:%H:%M:%S}"

    @property
    def stamp(self) -> str:
        return f"{self.date} {self.time} {self.zone}"


class JournalInit(Struct, frozen=True):
    """What was made, or would be made, and what was there already."""

    created: list[str]
    kept: list[str]


class JournalPlace:
    """The folder of a journal."""

    def __init__(self, root: Project) -> None:
        self.root = root

    def home(self) -> str:
        return self.root.journal_home()

    def name(self, kind: str) -> str:
        """The file of a kind, whether or not it is there."""
        return self.root.journal_file(kind)

    def below(self) -> list[str]:
        """Every Markdown file of the folder."""
        return list(self.root.below(self.home()))

    def documents(self) -> Iterator[Document]:
        """Every file of the journal."""
        for name in self.below():
            if names.kind_of(name):
                document = self.root.parse(name, self.root.files.read(name))
                if document.dialect == "journal":
                    yield document

    def text(self, name: str) -> str | None:
        return self.root.files.find(name)

    def clock(self) -> Clock:
        """The time with the zone that the journal uses, when the clock here has its offset; else its own; else UTC.

        A zone is letters in a journal, and no letters are made up for an offset.
        """
        now = self.root.now()
        offset = now.utcoffset()
        minutes = int(offset.total_seconds()) // 60 if offset else 0
        own = now.tzname() or ""
        for zone in (*self._zones(), own):
            fits = minutes in _OFFSETS.get(zone, ()) or zone == own
            if fits and zone.isascii() and zone.isalpha() and zone.isupper() and 3 <= len(zone) <= 4:
                return Clock(now.astimezone(timezone(timedelta(minutes=minutes), zone)), zone)
        return Clock(now.astimezone(UTC), "UTC")

    def _zones(self) -> Iterator[str]:
        """The zones that the history uses, that of its newest entry first, then of its stamps."""
        text = self.text(self.name(names.HISTORY)) or ""
        yield from dict.fromkeys(entry.zone for entry in history(text).entries if entry.zone)
        for stamp in stamps_of(list(lines_of(text))).values():
            yield stamp.value.rpartition(" ")[2]

    def path_of(self, given: str) -> str:
        """A path as the journal has it: from the root of the project, whether or not a file is there."""
        files = self.root.files
        hidden = [part for part in given.replace("\\", "/").split("/") if part.startswith(".") and part.strip(".")]
        if hidden:
            return self._hidden(given)
        name = files.name_of(given)
        if not name:
            raise Refused(f"{quote(given)} is the project itself; name a file in it.")
        files.path(name)
        return name

    def _hidden(self, given: str) -> str:
        """A hidden file is no memory and may well be what was edited; it is only named, never opened."""
        known = set(git.files(self.root.root)) | {path for _, path in self.pending()}
        if given not in known:
            raise Refused(
                f"{quote(given)} is hidden, and git does not know it; give the path of a file of the project."
            )
        return given

    def pending(self) -> Iterator[tuple[str, str]]:
        """What git shows as not committed, beside the memory itself: action and path."""
        root, home = self.root.root, self.home()
        for each in git.pending(root, [home, ".memdown"]):
            yield _HOW.get(each.how, "Modified"), each.path

    # Writing

    def inserted(self, record: Record) -> FileEdit:
        """A file with one more record in it."""
        new = add.inserted(self.root, record)
        return FileEdit(record.path, new.before, new.after)

    def add(self, record: Record) -> Added:
        """Write a new record into its file."""
        with self.root.files.lock():
            new = add.inserted(self.root, record)
            written = self.root.files.save_all([FileEdit(record.path, new.before, new.after)])
        return Added(new.record, True, written=written)

    def begin(self, *, write: bool) -> JournalInit:
        """Make the history and the registry of a new journal; the cache comes with the first session."""
        now = self.clock().stamp
        texts = {
            self.name(names.HISTORY): write_edits.new_history(now),
            self.name(names.REGISTRY): write_tasks.new_registry(now),
        }
        kept = [name for name in texts if self.root.files.exists(name)]
        new = [FileEdit(name, None, text) for name, text in texts.items() if name not in kept]
        if write:
            self.root.files.save_all(new)
        return JournalInit([each.name for each in new], kept)
