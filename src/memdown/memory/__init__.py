"""`Memory`: one method for each thing a user can ask for. All surfaces call it, and nothing else.

What a method needs is loaded when it is called: a question that the files or the index answer should not wait for
the rules, the converters and all five dialects.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown import config
from memdown.dialects import DIALECTS
from memdown.errors import Unreadable
from memdown.later import Later
from memdown.memory.root import Progress, Root, unwatched
from memdown.record import Document, Query, Record
from memdown.store import find_root
from memdown.store.outside import read_any
from memdown.times import Moment

if TYPE_CHECKING:
    from memdown import lint, query, relations, undo
    from memdown.diagnostics import Rule
    from memdown.memory import cards, checks, entries, layers, ledger, logs, sessions
    from memdown.query import Found
else:
    lint, query, relations, undo = (Later(f"memdown.{name}") for name in ("lint", "query", "relations", "undo"))
    cards, checks, entries, layers, ledger, logs, sessions = (
        Later(f"memdown.memory.{name}")
        for name in ("cards", "checks", "entries", "layers", "ledger", "logs", "sessions")
    )

CHARACTERS_PER_TOKEN = 4
"""The offline estimate of tokens: half of all real files are within 6 % of it, nine in ten within 16 %."""

FRESH_DAYS, AGING_DAYS = 30, 90
"""A record is fresh up to the first, aging up to the second, stale after that."""


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
    def open(
        cls,
        root: Path | None = None,
        *,
        start: Path | None = None,
        progress: Progress = unwatched,
        mode: str | None = None,
    ) -> "Memory":
        """The memory at `root`, or of the project that `start` (the current folder) belongs to.

        Every write is held to `mode`, else to the one that `MEMDOWN_MODE` names.
        """
        if root is None:
            root = find_root(start or Path.cwd(), config.holds_memory)
        if not root.is_dir():
            raise Unreadable(f"{root} is not a folder.")
        return cls(root.resolve(), progress=progress, mode=mode)

    @property
    def bank(self) -> "sessions.Sessions":
        """The memory bank of seven files."""
        return sessions.Sessions(self)

    @property
    def cards(self) -> "cards.Cards":
        """What can be asked of cards."""
        return cards.Cards(self)

    @property
    def layers(self) -> "layers.Layers":
        """The layered store."""
        return layers.Layers(self)

    @property
    def logs(self) -> "logs.Logs":
        """What can be done with whole logs: convert, merge the drop box, archive."""
        return logs.Logs(self)

    @property
    def entries(self) -> "entries.Entries":
        """Writing entries of logs."""
        return entries.Entries(self)

    @property
    def ledger(self) -> "ledger.Ledger":
        """Health, statistics, export and import."""
        return ledger.Ledger(self)

    # Reading

    def text_of(self, path: str) -> str:
        """The text of a file of the project; others are refused."""
        self.inside(path)
        return read_any(Path(path))

    def read(self, path: str) -> "checks.Reading":
        """A file with the account of its lines."""
        return checks.read(self.document(path))

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

    def query(self, asked: Query) -> "Found":
        """Records that fit, the newest first, with what is known of them: replaced, expired."""
        query.checked(asked)
        records = list(self.records())
        known = relations.resolve(records)
        now = self.now()
        marks = (
            query.Mark(
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

    def undo(self, *, write: bool = True) -> "undo.Step":
        """Take back the last act that shortened memory; `write=False` only tells which one that is."""
        return undo.take_back(self.files, write=write)

    # Checking

    def selection(self, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> "lint.Selection":
        """The rules to apply: those asked for, else those the configuration names."""
        return checks.selection(self, select, ignore)

    def rule(self, code: str) -> "Rule":
        """A rule by its code or its name."""
        return checks.rule(code)

    def rules(self) -> "list[Rule]":
        return lint.all_rules()

    def check(self, paths: Sequence[str] = (), *, chosen: "lint.Selection") -> "checks.Checked":
        """What is wrong with the files given, or with all memory of the project."""
        return checks.check(self, paths, chosen)

    def fix(
        self, paths: Sequence[str] = (), *, chosen: "lint.Selection", unsafe: bool = False, write: bool = True
    ) -> "checks.Checked":
        """The same after every fix that applies; `write=False` only shows what would change."""
        return checks.fix(self, paths, chosen, unsafe=unsafe, write=write)
