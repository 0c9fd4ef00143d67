"""Where the journal of a project is, which of its files are there, and what time it is in them."""

from collections.abc import Iterator, Sequence
from itertools import chain, count

from memdown import git, times
from memdown.acts import add
from memdown.acts.add import Added
from memdown.dialects.journal import names
from memdown.dialects.journal.clock import Clock, clock
from memdown.dialects.journal.edits import chunk, history
from memdown.dialects.journal.lines import lines_of, stamps_of
from memdown.errors import Invalid, Refused, quote
from memdown.index.similar import similar
from memdown.project import Project
from memdown.record import Document, Record
from memdown.store.files import FileEdit

ACTION_OF = {"added": "Created", "deleted": "Deleted"}


class JournalPlace:
    """The folder of a journal."""

    def __init__(self, root: Project) -> None:
        self.root = root

    def home(self) -> str:
        return self.root.journal_home()

    def name(self, kind: str) -> str:
        """The file of a kind, whether or not it is there."""
        return self.root.file_of("journal", names.FILES[kind])

    def below(self) -> list[str]:
        """Every Markdown file of the folder."""
        return list(self.root.below(self.home()))

    def documents(self) -> Iterator[Document]:
        """Every file of the journal."""
        for name in self.below():
            if names.kind_of(name) and self.root.is_readable(name):
                document = self.root.parse(name, self.root.files.read(name))
                if document.dialect == "journal":
                    yield document

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every Markdown file of the folder and what it says, those of a memory bank beside the journal too."""
        for name in self.below():
            if self.root.is_readable(name):
                yield name, self.root.files.read(name) or ""

    def chunks(self, day: str = "") -> list[str]:
        """The files of single edits, below `edits/`; those of a day when it is given."""
        below = f"{self.home()}/edits/{f'{day}/' if day else ''}"
        return [name for name in self.below() if name.startswith(below) and names.kind_of(name) == names.CHUNK]

    def new_chunk(self, clock: Clock, tasks: Sequence[str]) -> str:
        """A name for the file of an edit that no file has."""
        stem = f"{self.home()}/edits/{clock.date}/{clock.time.replace(':', '')}-{'-'.join(tasks) or 'general'}"
        taken = self.chunks(clock.date)
        numbered = (f"{stem}-{number}.md" for number in count(2))
        return next(name for name in chain([f"{stem}.md"], numbered) if name not in taken)

    def source(self) -> dict[str, str]:
        """The branch and the commit that an edit was made on, in a repository that has any."""
        root = self.root.root
        head = git.resolve(root, "HEAD") if git.is_repository(root) else None
        branch = git.output(root, "branch", "--show-current").strip() if head else ""
        return {"source_branch": branch, "source_commit": head.commit} if head else {}

    def text(self, name: str) -> str | None:
        return self.root.files.find(name)

    def clock(self, at: str | None = None) -> Clock:
        """The time with the zone that the journal uses: now, or another one as people write it."""
        if at is None:
            return clock(self.root.now(), self._zones())
        now, moment = self.root.now(), times.read(at.strip())
        if moment is None or moment.precision == "day":
            raise Invalid(f"{quote(at)} is not a date and time like 2026-01-31T09:30:00.")
        then = moment.local.replace(tzinfo=now.tzinfo) if moment.offset is None else moment.instant()
        return clock(then, self._zones())

    def _zones(self) -> Iterator[str]:
        """The zones that chunks and the history use, that of the newest entry first, then of stamps."""
        newest = max(self.chunks(), default="")
        latest = chunk(self.text(newest) or "") if newest else history("")
        yield from (entry.zone for entry in latest.entries if entry.zone)
        text = self.text(self.name(names.HISTORY)) or ""
        yield from dict.fromkeys(entry.zone for entry in history(text).entries if entry.zone)
        for stamp in stamps_of(list(lines_of(text))).values():
            yield stamp.value.rpartition(" ")[2]

    def path_of(self, given: str) -> str:
        """A path as the journal has it: from the root of the project, whether or not a file is there."""
        files = self.root.files
        inner = given.replace("\\", "/").removeprefix(f"{self.root.root.as_posix()}/")
        if any(part.startswith(".") and part.strip(".") for part in inner.split("/")):
            return self._hidden(inner)
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
            yield ACTION_OF.get(each.how, "Modified"), each.path

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
        near = similar(self.root.root, new.record, new.beside)
        return Added(new.record, True, written=written, similar=near, is_new_file=new.before is None)
