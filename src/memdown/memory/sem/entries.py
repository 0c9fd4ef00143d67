"""Writing entries of logs: decisions, memories, notes, directives. Reached as `memory.entries`."""

from typing import Unpack

from msgspec import Struct

from memdown.dialects import sem
from memdown.dialects.sem import write
from memdown.errors import Refused
from memdown.project import Project
from memdown.record import Link, Record
from memdown.text import apply

_TITLES = {"decisions.md": "# Decisions\n\n", "history.md": "# History\n\n"}
"""What a new file begins with."""


class WrittenEntry(Struct, frozen=True):
    """The entry as it stands in its file now."""

    record: Record
    notes: list[str]


class Entries:
    """The entries of one memory, for writing."""

    def __init__(self, root: Project) -> None:
        self._root = root

    def home(self) -> str:
        """The folder of logs: the first known one that is there, else the one for new projects."""
        there = (home for home in self._root.config.homes("sem") if (self._root.root / home).is_dir())
        return next(there, self._root.config.homes("sem")[0])

    def add(self, kind: str, title: str, *, inbox: bool = False, **said: Unpack[write.Fields]) -> WrittenEntry:
        """Append an entry to its log, or with `inbox` write it to a file of its own in the drop box.

        The time is stamped here. An entry of the same kind, time and title moves the new one a second on.
        """
        entry = sem.new(kind, title, at=self._root.now(), **said)
        notes = []
        if kind in ("decision", "directive") and not said.get("rationale"):
            notes.append(f"This {kind} has no rationale; say why with --rationale.")
        if kind == "decision" and (log := self._bank_log()):
            notes.append(f"This begins a log beside the memory bank's {log}, which `memdown bank add-decision` writes.")
        with self._root.files.lock():
            record = self._drop(entry) if inbox else self._append(entry)
        return WrittenEntry(record, notes)

    def _bank_log(self) -> str | None:
        """The memory bank's log of decisions, where that is the only log there is."""
        if (self._root.root / self.home()).is_dir():
            return None
        names = (f"{home}/decisionLog.md" for home in self._root.config.homes("bank"))
        return next((name for name in names if self._root.files.exists(name)), None)

    def _append(self, entry: Record) -> Record:
        name = f"{self.home()}/{self._place(entry)}"
        there = self._root.files.exists(name)
        before = self._root.files.read(name) if there else ""
        taken = {(each.kind, each.at.instant(), each.title) for each in sem.read(name, before) if each.at}
        while entry.at and (entry.kind, entry.at.instant(), entry.title) in taken:
            entry = write.bumped(entry)
        text = before or _TITLES.get(name.rsplit("/", 1)[-1], "")
        after = apply(text, sem.insert(text, entry))
        record = self._found(name, after, entry)
        self._root.files.save(name, after, over=before if there else None)
        return record

    def _place(self, entry: Record) -> str:
        """The entry's file; an agent's folder keeps the capitals it has."""
        place = sem.place(entry)
        folder, _, file = place.rpartition("/")
        agents = self._root.root / self.home() / "agents"
        for existing in sorted(agents.iterdir()) if folder and agents.is_dir() else ():
            if f"agents/{existing.name.lower()}" == folder:
                return f"agents/{existing.name}/{file}"
        return place

    def _drop(self, entry: Record) -> Record:
        """A file of its own, whose name no other has."""
        place = f"{self.home()}/{write.inbox_place(entry)}"
        name, number = place, 2
        while self._root.files.exists(name):
            name = f"{place.removesuffix('.md')}-{number}.md"
            number += 1
        text = apply("", sem.insert("", entry))
        record = self._found(name, text, entry)
        self._root.files.save(name, text, over=None)
        return record

    def _found(self, name: str, text: str, entry: Record) -> Record:
        """The entry as a reader finds it; refuses to write what would not be found."""
        said = ("kind", "title", "summary", "body", "author", "scope", "tags", "contributors")
        for record in self._root.parse(name, text).records[::-1]:
            if record.extra.get("form") == "sem" and all(
                getattr(record, each) == getattr(entry, each) for each in said
            ):
                return record
        raise Refused(
            f"{name} would hide the new entry, most likely with a code fence that is never closed;"
            f" `memdown check {name}` says where."
        )


def related(value: str) -> Link:
    """A link as people write it: `issue: #18`."""
    kind, _, target = value.partition(":")
    return Link(kind.strip().lower(), target.strip())
