"""What can be asked of a memory bank: files, structured operations, validation. Reached as `memory.bank`."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from memdown import times
from memdown.acts import check
from memdown.acts.check import repository
from memdown.acts.check.budget import Suggestion, suggestions
from memdown.diagnostics import Diagnostic
from memdown.dialects import is_merged
from memdown.dialects.bank import grammar, modes, open_ends
from memdown.dialects.bank import write as writer
from memdown.dialects.bank.items import SectionEdit, made, section_of
from memdown.dialects.bank.layouts import Layout, is_beside_journal, layout_of
from memdown.dialects.bank.modes import DEFAULT, refusal
from memdown.dialects.bank.sections import outline
from memdown.dialects.bank.templates import Layer
from memdown.dialects.bank.write import Active, DecisionFields
from memdown.errors import Ambiguous, Invalid, NotFound, Refused, quote
from memdown.homes import parts_of
from memdown.lazy import LazyModule
from memdown.markdown import tokens
from memdown.markdown.tokens import Count
from memdown.memory.bank.updates import dated
from memdown.project import Project
from memdown.record import Document, Record
from memdown.store.spelling import spelled
from memdown.text import Lines, eol_of

if TYPE_CHECKING:
    from memdown.acts import archive
    from memdown.acts.archive import Archived
else:
    archive = LazyModule("memdown.acts.archive")

PLACES = {"in-progress": "In Progress", "upcoming": "Upcoming", "completed": "Completed"}
"""Where a new item of the progress file may go."""


class BankResult(Struct, frozen=True):
    """Where the thing that was asked for stands now, and whether the file changed for it."""

    path: str
    line: int
    changed: bool


class BankValidation(Struct, frozen=True):
    """Whether a bank passes, what its layout has and it has not, and what the rules say about it."""

    valid: bool
    missing_required: list[str]
    missing_recommended: list[str]
    findings: list[Diagnostic]
    documents: list[Document]
    layout: str = "canonical"
    """Whose files it has: canonical, cline, roo, kilo, or journal for those beside a journal."""


class Spent(Struct, frozen=True):
    """What a file costs to read, in tokens."""

    file: str
    path: str
    tokens: int
    limit: int | None
    """How many it should have at most; None for a log that may grow."""
    suggestions: list[Suggestion] = []
    """What would make it shorter, if that was asked for."""


class Bank:
    """The memory bank of one project."""

    def __init__(self, root: Project) -> None:
        self._root = root
        self._mode = modes.named(root.mode) if root.mode else DEFAULT

    # Files

    def home(self) -> str:
        """The bank's folder: one that holds a file of it, else one that is there, else the one for new projects."""
        return self._root.bank_home()

    def files(self) -> dict[str, str]:
        """The seven that are there: the canonical name, and the name in the root; of two the canonical one wins."""
        return self._root.bank_files()

    def name_of(self, layer: Layer) -> str:
        """A file's name in the root, as it is on disk; the canonical one for a file that is not there."""
        return self.files().get(layer.file) or f"{self.home()}/{layer.file}"

    def documents(self) -> list[Document]:
        """All files of the bank, those of the archive and of a journal in its folder too."""
        project = self._root
        homes = spelled(project.root, project.config.homes("bank"))
        names = dict.fromkeys(name for home in homes.values() if home for name in project.below(home))
        parsed = (project.parsed(name) for name in names if not is_merged(name) and project.is_readable(name))
        return [document for document in parsed if document.dialect is not None]

    # Active context

    def focus(self, content: str, *, replace: bool = False) -> BankResult:
        """Set the current focus. Its subsections stay, unless --replace drops them."""
        return self._set("Current Focus", content, replace=replace)

    def state(self, content: str, *, replace: bool = False) -> BankResult:
        """Set the current state. Its subsections stay, unless --replace drops them."""
        return self._set("Current State", content, replace=replace)

    def begin(self, *, unasked: bool = False) -> BankResult | None:
        """Record among the recent changes that a session began today.

        If nobody asked for it, only in an active context that lists recent changes and may be written in this mode.
        """
        if unasked:
            name = self.files().get(writer.ACTIVE.file)
            if name is None or not self._mode.allows(writer.ACTIVE.file):
                return None
            if section_of(outline(self._root.files.read(name)), writer.ACTIVE, "Recent Changes") is None:
                return None
        return self._edit(writer.ACTIVE, partial(open_ends.begin, day=self._day()))

    def close(self, wanted: str) -> BankResult:
        """Close an open question, blocker, next step or pending decision: it is removed from the active context."""
        return self._edit(writer.ACTIVE, partial(open_ends.close, wanted=wanted))

    def add_change(self, content: str) -> BankResult:
        """Add a recent change, with today's date."""
        return self._add("Recent Changes", dated(content, self._day()))

    def add_active_decision(self, content: str) -> BankResult:
        """Add a decision that is pending, or was made in this session."""
        return self._add("Active Decisions", content)

    def add_question(self, content: str) -> BankResult:
        """Add an open question."""
        return self._add("Open Questions", content)

    def add_blocker(self, content: str) -> BankResult:
        """Add a blocker."""
        return self._add("Blockers", content)

    def add_next_step(self, content: str) -> BankResult:
        """Add a next step after the others."""
        return self._add("Next Steps", content)

    def replace_active(self, active: Active) -> BankResult:
        """Write the whole active context anew; what was in it is gone."""
        self._allow(writer.ACTIVE)
        with self._root.files.lock():
            name = self.name_of(writer.ACTIVE)
            before = self._root.files.find(name)
            after = writer.active_text(active, eol_of(before or ""))
            if after != before:
                self._root.files.save(name, after, over=before)
        return BankResult(name, 1, after != before)

    def _set(self, section: str, content: str, *, replace: bool) -> BankResult:
        return self._edit(writer.ACTIVE, partial(writer.set_text, name=section, content=content, replace=replace))

    def _add(self, section: str, content: str) -> BankResult:
        return self._edit(writer.ACTIVE, partial(writer.add_line, name=section, content=content))

    # Progress

    def add_item(self, content: str, *, to: str = "in-progress") -> BankResult:
        """Add an item to In Progress, Upcoming, or (with the date) Completed."""
        if to not in PLACES:
            raise Invalid(f"{quote(to)} is not a place for a new item; use {', '.join(PLACES)}.")
        day = self._day() if to == "completed" else ""
        return self._edit(writer.PROGRESS, partial(writer.new_item, content=content, name=PLACES[to], day=day))

    def start_item(self, wanted: str) -> BankResult:
        """Start an upcoming item: it moves to In Progress."""
        return self._edit(writer.PROGRESS, partial(writer.start, wanted=wanted))

    def complete(self, wanted: str) -> BankResult:
        """Complete an item: it moves to Completed, checked off and dated."""
        return self._edit(writer.PROGRESS, partial(writer.complete, wanted=wanted, day=self._day()))

    def put_back(self, wanted: str, *, to: str) -> BankResult:
        """Put an item back: from Completed to In Progress, or from either to Upcoming."""
        return self._edit(writer.PROGRESS, partial(writer.put_back, wanted=wanted, name=PLACES[to]))

    def note_issue(self, content: str) -> BankResult:
        """Note a known issue."""
        return self._edit(writer.PROGRESS, partial(writer.new_item, content=content, name="Known Issues"))

    def note_debt(self, content: str) -> BankResult:
        """Note a technical debt."""
        return self._edit(writer.PROGRESS, partial(writer.new_item, content=content, name="Technical Debt"))

    def resolve(self, wanted: str) -> BankResult:
        """Resolve a known issue or debt, which moves to Completed, or an open item of the active context.

        A blocker, a question, a next step or a pending decision moves to Recent Changes. Both are dated. A next step
        that the progress has is completed.
        """
        try:
            return self._edit(writer.PROGRESS, partial(writer.resolve, wanted=wanted, day=self._day()))
        except (NotFound, Refused) as first:
            if isinstance(first, Ambiguous):
                raise
            try:
                return self._edit(writer.ACTIVE, partial(open_ends.resolve, wanted=wanted, day=self._day()))
            except Ambiguous:
                raise
            except NotFound:
                pass
            try:
                return self.complete(wanted)
            except Ambiguous:
                raise
            except (NotFound, Refused):
                raise first from None

    def add_milestone(self, name: str, *, status: str = "", summary: str = "") -> BankResult:
        """Add a milestone."""
        make = partial(writer.new_milestone, name=name, status=status, summary=summary)
        return self._edit(writer.PROGRESS, make)

    def set_milestone(self, wanted: str, status: str) -> BankResult:
        """Give a milestone another status."""
        return self._edit(writer.PROGRESS, partial(writer.set_milestone, wanted=wanted, status=status))

    # Decisions

    def add_decision(self, title: str, choice: DecisionFields | None = None, *, date: str | None = None) -> BankResult:
        """Append a decision to the log. No decision is ever removed, reordered or rewritten."""
        make = partial(writer.new_decision, title=title, choice=choice or DecisionFields(), day=self._day(date))
        return self._edit(writer.LOG, make)

    def supersede_decision(
        self, old: str, title: str, choice: DecisionFields | None = None, *, date: str | None = None
    ) -> BankResult:
        """Append a decision in the place of an old one, which is marked as superseded; each names the other."""
        choice, day = choice or DecisionFields(), self._day(date)
        make = partial(writer.supersede, old=old, title=title, choice=choice, day=day, read=self._read_log)
        return self._edit(writer.LOG, make)

    def _read_log(self, text: str) -> Sequence[Record]:
        return self._root.parse(self.name_of(writer.LOG), text).records

    def _day(self, date: str | None = None) -> str:
        if date is None:
            return self._root.now().date().isoformat()
        moment = times.read(date)
        if moment is None or moment.precision != "day":
            raise Invalid(f"{quote(date)} is not a date like 2026-01-31.")
        return moment.text

    def _edit(self, layer: Layer, make: Callable[[str], SectionEdit]) -> BankResult:
        """Read a file, change it, save it over what was read; a change that would be hidden is refused."""
        self._allow(layer)
        with self._root.files.lock():
            name = self.name_of(layer)
            before = self._root.files.find(name)
            text = before or ""
            change = make(text)
            after = made(name, text, change)
            if after != text:
                self._root.files.save(name, after, over=before)
        line = Lines(after).position(change.place())[0]
        return BankResult(name, line, after != text)

    def _allow(self, layer: Layer) -> None:
        if not self._mode.allows(layer.file):
            raise Refused(refusal(self._mode, layer.file))

    def archive(self, *, write: bool = True) -> "Archived":
        """Move completed items of finished milestones to the archive; `write=False` only tells which."""
        if write and writer.PROGRESS.file in self.files():
            self._allow(writer.PROGRESS)
        return archive.archive(self._root, dialects=("bank",), write=write)

    # Validation

    def validate(self) -> BankValidation:
        """Whether the bank passes: what `check` says of its files alone. A required file is there, with a heading."""
        with self._root.snapshot():
            return self._validated(self.documents(), self.files())

    def _validated(self, documents: list[Document], there: dict[str, str]) -> BankValidation:
        found = repository.check(self._root, documents, check.selection(self._root), whole=True)
        layout = self._layout(there)
        return BankValidation(
            valid=bool(there) and not check.fails(self._root, found),
            missing_required=layout.missing(there, required=True),
            missing_recommended=layout.missing(there, required=False),
            findings=found,
            documents=documents,
            layout=layout.name,
        )

    def _layout(self, there: dict[str, str]) -> Layout:
        home = self._root.root / self.home()
        journal = bool(there) and is_beside_journal(lambda name: (home / name).exists())
        return layout_of({file: parts_of(name)[-1] for file, name in there.items()}, journal=journal)

    def budget(self, count: Count = tokens.estimate, *, suggest: bool = False) -> list[Spent]:
        """What each of the seven costs to read, in the order of reading; with `suggest`, how to make it shorter."""
        found = {file: self._root.parsed(name) for file, name in self.files().items()}
        ways = suggestions(list(found.values())) if suggest else {}
        limits = self.limits()
        return [
            Spent(file, doc.path, count(doc.text), limits[doc.path], ways.get(doc.path, []))
            for file, doc in found.items()
        ]

    def limits(self) -> dict[str, int | None]:
        """How many tokens each of the seven should have at most, by its path."""
        return {name: None if file == writer.LOG.file else grammar.FILE_TOKENS for file, name in self.files().items()}
