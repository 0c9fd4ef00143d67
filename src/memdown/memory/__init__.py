"""`Memory`: one method for each thing a user can ask for. All surfaces call it, and nothing else."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC
from pathlib import Path

from msgspec import Struct

from memdown import account, config, lint, query, relations, undo
from memdown.account import Counts, Run
from memdown.diagnostics import Diagnostic, Rule
from memdown.dialects import DIALECTS
from memdown.errors import NotFound, Unreadable, quote
from memdown.memory.bank import Bank
from memdown.memory.cards import Cards
from memdown.memory.entries import Entries
from memdown.memory.layers import Layers
from memdown.memory.ledger import Ledger
from memdown.memory.logs import Logs
from memdown.memory.root import Progress, Root, unwatched
from memdown.query import Found, Mark
from memdown.record import Document, Query, Record
from memdown.store import find_root
from memdown.store.outside import files_below, read_any
from memdown.times import Moment

CHARACTERS_PER_TOKEN = 4
"""The offline estimate of tokens: half of all real files are within 6 % of it, nine in ten within 16 %."""

FRESH_DAYS, AGING_DAYS = 30, 90
"""A record is fresh up to the first, aging up to the second, stale after that."""


class Reading(Struct, frozen=True):
    """A file as it was read, and what became of its lines."""

    document: Document
    diagnostics: list[Diagnostic]
    lines: Counts
    kinds: str
    """What each line is, a letter a line: r for record, p for prose, d for diagnostic, - for blank."""

    def runs(self) -> Iterator[Run]:
        """The same with neighbours put together, and the names of records and prose."""
        return account.runs(self.document, self.kinds)


class Checked(Struct, frozen=True):
    """What `check` looked at and found; `before` are the files that fixes changed."""

    documents: list[Document]
    diagnostics: list[Diagnostic]
    before: list[Document] = []


class Status(Struct, frozen=True):
    """What a root holds, in one screen."""

    root: str
    dialects: dict[str, dict[str, int]]
    tokens: int
    staleness: dict[str, int]
    findings: dict[str, int]


class Memory(Root):
    """The memory of one project."""

    @classmethod
    def open(cls, root: Path | None = None, *, start: Path | None = None, progress: Progress = unwatched) -> "Memory":
        """The memory at `root`, or of the project that `start` (the current folder) belongs to."""
        if root is None:
            root = find_root(start or Path.cwd(), config.holds_memory)
        if not root.is_dir():
            raise Unreadable(f"{root} is not a folder.")
        return cls(root.resolve(), progress=progress)

    @property
    def bank(self) -> Bank:
        """The memory bank of seven files."""
        return Bank(self)

    @property
    def cards(self) -> Cards:
        """What can be asked of cards."""
        return Cards(self)

    @property
    def layers(self) -> Layers:
        """The layered store."""
        return Layers(self)

    @property
    def logs(self) -> Logs:
        """What can be done with whole logs: convert, merge the drop box, archive."""
        return Logs(self)

    @property
    def entries(self) -> Entries:
        """Writing entries of logs."""
        return Entries(self)

    @property
    def ledger(self) -> Ledger:
        """Health, statistics, export and import."""
        return Ledger(self)

    # Reading

    def files_at(self, paths: Sequence[str]) -> list[str]:
        """The files that paths a person gave stand for: a folder stands for the Markdown files below it."""
        return list(dict.fromkeys(below for path in paths for below in files_below(path)))

    def document(self, path: str) -> Document:
        """Any file, inside the root or not, under its name in the root if it has one."""
        name = self.name_of(path) or Path(path).as_posix()
        return self.parse(name, read_any(Path(path)))

    def text_of(self, path: str) -> str:
        """The text of a file of the project; others are refused."""
        self.inside(path)
        return read_any(Path(path))

    def inside(self, path: str) -> None:
        """Refuse a path that is outside the project, or that a link leads out of it."""
        name = self.files.name_of(path)
        if name:  # the root itself has none
            self.files.path(name)

    def read(self, path: str) -> Reading:
        """A file with the account of its lines."""
        document = self.document(path)
        diagnostics = lint.check([document], lint.Selection(), whole=False)
        kinds = account.kinds(document, lint.unread(diagnostics))
        return Reading(document, diagnostics, account.counts(kinds), kinds)

    def find(
        self,
        words: Sequence[str] = (),
        *,
        kind: str | None = None,
        scope: str | None = None,
        tag: str | None = None,
    ) -> list[Record]:
        """Records that have all the words and match the filters, the newest first."""
        tags = () if tag is None else (tag,)
        kinds = () if kind is None else (kind,)
        return self.query(Query(words=tuple(words), kinds=kinds, scope=scope, tags=tags)).records

    def query(self, asked: Query) -> Found:
        """Records that fit, the newest first, with what is known of them: replaced, expired."""
        query.checked(asked)
        records = list(self.records())
        known = relations.resolve(records)
        now = self.now()
        marks = (
            Mark(
                known.linked(record),
                superseded=known.is_superseded(record),
                superseded_by=tuple(each.id for each in known.replaced_by(record)),
                expired=relations.is_expired(record, now),
            )
            for record in records
        )
        return query.select(marks, asked)

    def moment(self, text: str) -> Moment:
        """A date, a time or an age (7d) as a person gives it to a query."""
        return query.moment(text, self.now())

    def status(self) -> Status:
        """What is here, how old it is, and what is wrong with it."""
        documents = list(self.documents())
        held = {name: {"files": 0, "records": 0} for name in DIALECTS}
        for document in documents:
            held[document.dialect or ""]["files"] += 1
            held[document.dialect or ""]["records"] += len(document.records)
        found = lint.check(documents, self.selection())
        return Status(
            root=str(self.root),
            dialects=held,
            tokens=sum(-(-len(document.text) // CHARACTERS_PER_TOKEN) for document in documents),
            staleness=self._staleness(documents),
            findings={
                severity: sum(each.severity == severity for each in found) for severity in ("error", "warning", "info")
            },
        )

    def _staleness(self, documents: Iterable[Document]) -> dict[str, int]:
        today = self.now().astimezone(UTC).date()
        ages = {"fresh": 0, "aging": 0, "stale": 0, "undated": 0}
        for record in (record for document in documents for record in document.records):
            if record.at is None:
                ages["undated"] += 1
                continue
            days = (today - record.at.instant().date()).days
            ages["fresh" if days <= FRESH_DAYS else "aging" if days <= AGING_DAYS else "stale"] += 1
        return ages

    def undo(self, *, write: bool = True) -> undo.Step:
        """Take back the last act that shortened memory; `write=False` only tells which one that is."""
        return undo.take_back(self.files, write=write)

    # Checking

    def selection(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> lint.Selection:
        """The rules to apply: those asked for, else those the configuration names."""
        chosen = self.config.check
        return lint.selection(select or chosen.select, (*chosen.ignore, *ignore))

    def rule(self, code: str) -> Rule:
        """A rule by its code or its name."""
        for rule in self.rules():
            if code.upper() == rule.code or code.lower() == rule.name:
                return rule
        raise NotFound(f"No rule has the code {quote(code)}; `memdown explain` lists them.")

    def rules(self) -> list[Rule]:
        return lint.all_rules()

    def check(self, paths: Sequence[str] = (), *, chosen: lint.Selection) -> Checked:
        """What is wrong with the files given, or with all memory of the project."""
        documents = list(self._chosen(paths))
        return Checked(documents, lint.check(documents, chosen, whole=not paths))

    def fix(
        self, paths: Sequence[str] = (), *, chosen: lint.Selection, unsafe: bool = False, write: bool = True
    ) -> Checked:
        """The same after every fix that applies; `write=False` only shows what would change."""
        if write:
            for path in paths:
                self.inside(path)
        with self.files.lock() if write else nullcontext():
            before = list(self._chosen(paths))
            after = [lint.fixed(document, chosen, self.parse, unsafe=unsafe) for document in before]
            changed = [old for old, new in zip(before, after, strict=True) if old.text != new.text]
            if write:
                with self.files.group() as group:
                    for old, new in zip(before, after, strict=True):
                        if old.text != new.text:
                            group.save(old.path, new.text, over=old.text)
        return Checked(after, lint.check(after, chosen, whole=not paths), changed)

    def _chosen(self, paths: Sequence[str]) -> Iterable[Document]:
        if not paths:
            return self.documents()
        return (self.document(path) for path in self.progress(self.files_at(paths), "reading"))
