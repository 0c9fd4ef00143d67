"""The protocol of a session with a memory bank: start, update, end. Reached as `memory.bank`."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, structs

from memdown import git
from memdown.acts import add
from memdown.acts.brief import BriefPart
from memdown.acts.recall import triggers
from memdown.dialects import DIALECTS
from memdown.dialects.bank import write
from memdown.dialects.bank.grammar import layer_named
from memdown.dialects.bank.items import made
from memdown.dialects.bank.rules.saving import not_filled_in
from memdown.dialects.bank.sections import outline
from memdown.dialects.bank.templates import LAYERS, UPDATE_ORDER
from memdown.errors import Invalid, MemdownError, NotFound, Refused, quote, some, way
from memdown.git import Commit
from memdown.index import none
from memdown.memory import briefing
from memdown.memory.bank import drafts, updates
from memdown.memory.bank.drafts import UpdateDraft
from memdown.memory.bank.operations import Bank, BankValidation, Spent
from memdown.memory.bank.updates import BankUpdate, Ending
from memdown.memory.journal.discovery import undocumented
from memdown.memory.journal.edits import Edits
from memdown.memory.journal.place import JournalPlace
from memdown.memory.journal.sessions import JournalSessions
from memdown.scan import changes
from memdown.scan.changes import Impact, Since
from memdown.store.files import FileEdit
from memdown.text import eol_of, is_blank

journal = DIALECTS["journal"]

_BRIEF, _PATTERNS = LAYERS[0].file, LAYERS[2].file
_NAMED = 3


class Read(Struct, frozen=True):
    """One of the seven, in the order of reading."""

    file: str
    path: str
    present: bool
    tokens: int


class Briefing(Struct, frozen=True):
    """What a session should know before it begins."""

    order: list[Read]
    missing_required: list[str]
    missing_recommended: list[str]
    focus: str | None
    state: str | None
    blockers: list[str]
    in_progress: list[str]
    next_steps: list[str]
    since_last_update: Since
    warnings: list[str]
    impact: Impact | None
    parts: list[BriefPart] = []
    """The same and more, from the files of every dialect."""

    @property
    def has_bank(self) -> bool:
        """Whether there is a bank with one of its files."""
        return any(read.present for read in self.order)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to say."""
        return not self.has_bank and not self.parts


class BankUpdated(Struct, frozen=True):
    """What an update wrote, in the order of writing, and how the bank is now."""

    written: list[str]
    validation: BankValidation
    warnings: list[str]
    since_last_update: Since
    """What git showed before it."""
    impact: Impact | None
    """What is left of it."""
    commit: Commit | None = None
    undocumented: list[str] = []
    """Files that git shows as changed and no entry of the journal names, where there is one."""


class BankSessions(Bank):
    """The memory bank of one project, with the protocol of its sessions."""

    def start(self) -> Briefing:
        """Where the work stands, from the bank and all other memory of the project. No file of memory is written."""
        with self._root.snapshot():
            return self._briefing()

    def _briefing(self) -> Briefing:
        spent = {each.file: each for each in self.budget()}
        found = self.validate()
        there = self.files()
        since, impact = self._since(), self._impact()
        parts = briefing.parts(self._root)
        said = {part.name: [item.text for item in part.items] for part in parts}
        return Briefing(
            order=[self._read_of(layer.file, spent) for layer in LAYERS],
            missing_required=found.missing_required,
            missing_recommended=found.missing_recommended,
            focus="\n".join(said.get("focus", ())) or None,
            state="\n".join(said.get("state", ())) or None,
            blockers=said.get("blocker", []),
            in_progress=said.get("doing", []),
            next_steps=said.get("next", []),
            since_last_update=since,
            warnings=[*self._warnings(found, impact)] if there else [] if parts else [self._nothing()],
            impact=impact,
            parts=parts,
        )

    def update(self, wanted: BankUpdate | None = None, **fields: object) -> BankUpdated:
        """Make several changes at once: all of them, in the order of the contract, or none.

        Without any change, nothing is written, and the answer tells what git shows that the memory does not.
        """
        update = wanted or updates.made(BankUpdate, fields)
        acts = updates.acts(update, self._day, self._read_log)
        if acts:
            self._require_files()
        with self._root.snapshot(), self._root.files.lock(when=bool(acts)):
            self._allow_all(acts)
            since = self._since()
            new = [*self._edited(acts)]
            written = self._save(new) if acts else []
            done = self._updated(update, written, since)
            missed = [each.path for each in undocumented(JournalPlace(self._root))]
            return structs.replace(done, undocumented=missed)

    def draft(self, *, apply: bool = False) -> UpdateDraft:
        """What git shows since the memory was last touched, as an update; written only with `apply`, in one step."""
        with self._root.snapshot(), self._root.files.lock(when=apply):
            draft, entry, more = UpdateDraft(), None, list[str]()
            if self.files():
                texts = {document.path: document for document in self.validate().documents}
                documents = {file: texts[name] for file, name in self.files().items() if name in texts}
                draft = drafts.of_bank(documents, self._since(), self._root.repository.is_known)
            elif not self.takes_updates():
                more = [self._offer()]
            try:
                entry, more = Edits(JournalPlace(self._root)).draft() if self._has_journal() else (None, more)
            except (Invalid, Refused) as error:
                more = [str(error)]
            edits = [*draft.edits, entry] if entry else draft.edits
            draft = structs.replace(draft, edits=edits, notes=[*draft.notes, *more])
            if apply:
                for file, name in self.files().items():
                    if any(edit.name == name for edit in draft.edits):
                        self._allow(layer_named(file))
                draft = structs.replace(draft, written=self._save(draft.edits))
            return draft

    def end(
        self, wanted: Ending | None = None, *, commit: bool = False, message: str | None = None, **fields: object
    ) -> BankUpdated:
        """End a session: the same with a summary, and a commit of the memory if asked for.

        The active context keeps what it has, open questions, blockers and next steps above all, but for what the
        ending closes or clears; with `replace` it is written anew.
        """
        ending = wanted or updates.made(Ending, fields)
        active = updates.whole(ending, self._day())
        acts = updates.acts(ending, self._day, self._read_log)
        in_journal = not self.files() and self._has_journal()
        if active == write.Active() and (ending.replace or in_journal or not acts):
            raise Invalid("Nothing to record; describe the session with at least a summary.")
        add.require(self._root, "bank", "journal")
        if in_journal:
            return self._end_in_journal(ending)
        self._require_files()
        if commit:
            message = self._message(message, ending.summary)
            self._root.files.refuse_credential(message, "the commit message")
            self._refuse_commit()
        if ending.replace:
            acts[write.ACTIVE.file] = []
        with self._root.snapshot(), self._root.files.lock():
            self._allow_all(acts)
            since = self._since()
            new = {each.name: each for each in self._edited(acts)}
            name = self.name_of(write.ACTIVE)
            before = self._root.files.find(name)
            if ending.replace or (active != write.Active() and is_blank(before or "")):
                new[name] = FileEdit(name, before, write.active_text(active, eol_of(before or "")))
            written = self._save(list(new.values()))
        # Outside of the lock, since the hooks of a repository may ask memdown too.
        recorded = self._commit(message) if commit and message else None
        with self._root.snapshot():
            return self._updated(ending, written, since, recorded)

    def _end_in_journal(self, ending: Ending) -> BankUpdated:
        """End the session of a journal, which is begun where none is open; what its file has no place for is told."""
        sessions = JournalSessions(JournalPlace(self._root))
        try:
            done = sessions.end(summary=ending.summary)
            written = done.written
        except NotFound:
            begun = sessions.start(focus=ending.focus or ending.summary)
            done = sessions.end(summary=ending.summary)
            written = [*dict.fromkeys((*begun.written, *done.written))]
        given = (name for name in ending.__struct_fields__ if name != "summary" and getattr(ending, name))
        left = ", ".join(name for name in given if name != "focus")
        warnings = [f"A session of the journal has no place for {left}; that was not written."] if left else []
        return BankUpdated(written, self.validate(), warnings, Since([], []), None)

    # Writing

    def _allow_all(self, acts: Mapping[str, Sequence[updates.Make]]) -> None:
        for file in acts:
            self._allow(layer_named(file))

    def _edited(self, acts: Mapping[str, Sequence[updates.Make]]) -> Iterator[FileEdit]:
        """Each file that is touched, before and after."""
        for file, makes in acts.items():
            name = self.name_of(layer_named(file))
            before = self._root.files.find(name)
            text = before or ""
            for make in makes:
                text = made(name, text, make(text))
            yield FileEdit(name, before, text)

    def _save(self, new: Sequence[FileEdit]) -> list[str]:
        """Write files together, in the order of the contract."""
        rank = {self.name_of(layer): number for number, layer in enumerate(UPDATE_ORDER)}
        changed = sorted(
            (each for each in new if each.after != each.before), key=lambda each: rank.get(each.name, len(rank))
        )
        with self._root.files.group() as group:
            for each in changed:
                group.save(each.name, each.after, over=each.before)
        return [each.name for each in changed]

    def _updated(
        self, update: BankUpdate, written: list[str], since: Since, commit: Commit | None = None
    ) -> BankUpdated:
        found, impact = self.validate(), self._impact()
        warnings = [
            *self._consequences(update, written),
            *([*self._standing(found, impact)] if self.files() else [] if self._has_journal() else [self._offer()]),
        ]
        return BankUpdated(written, found, warnings, since, impact, commit)

    def _require_files(self) -> None:
        """Refuse to begin a bank with the one or two files that a session touches; all of it is begun at once."""
        if not self.files():
            raise NotFound(self._offer())

    def _offer(self) -> str:
        """What is said of an update where there may be memory, and none that has a place for it."""
        here = f"No memory bank or journal here; run {way('init')} to create a bank."
        return here if self._root.names() else self._nothing()

    def _nothing(self) -> str:
        """What is said where there is nothing to say."""
        return none.offer(self._root.root, "a memory bank")

    def takes_updates(self) -> bool:
        """Whether there is a bank or a journal, which an update can be written to."""
        return bool(self.files()) or self._has_journal()

    def _has_journal(self) -> bool:
        """Whether the folder is kept as a journal alone, which needs no bank."""
        return any(journal.claims(name, self._root.text(name)) for name in self._root.below(self.home()))

    def _consequences(self, update: BankUpdate, written: Sequence[str]) -> Iterator[str]:
        """What a change of one file asks of others."""
        names = self.files()
        others = ", ".join(file for file, name in names.items() if name not in written)
        if names.get(_BRIEF) in written and others:
            yield f"{_BRIEF} changed: everything else builds on it, so review {others}."
        if names.get(_PATTERNS) in written and not update.decisions:
            yield f"{_PATTERNS} changed without a decision in the log; add one."

    # Committing

    def _message(self, message: str | None, summary: str) -> str:
        title = "Update memory bank" if message is None else message.strip()
        if not title or "\0" in title:
            raise Invalid("The message of the commit is empty, or has a character that git does not take.")
        return f"{title}\n\n{summary.strip()}" if message is None and summary.strip() else title

    def _refuse_commit(self) -> None:
        names = [*self.files().values()] or [self.name_of(write.ACTIVE)]
        reason = git.no_commit(self._root.root, names)
        if reason:
            raise Refused(f"The memory cannot be committed: {reason}; nothing was written.")

    def _commit(self, message: str) -> Commit | None:
        """A commit of the memory files that changed, and of nothing else; None when none did."""
        with self._root.snapshot():
            memory = set(self._root.below(self.home()))
            changed = [name for name in self._root.repository.uncommitted(self._whole()) if name in memory]
        if not changed:
            return None
        done = git.commit(self._root.root, changed, message)
        if isinstance(done, str):
            raise MemdownError(f"The memory is written, but git did not commit it: {quote(done)}; commit it yourself.")
        return done

    # What git shows

    def _since(self) -> Since:
        if not self.files():
            return Since([], [])
        since = changes.since(self._root.repository, self._whole(), self.home()) or Since([], [])
        own = set(self._root.names())  # cards, say, that stand elsewhere
        return structs.replace(since, files=[name for name in since.files if name not in own])

    def _impact(self) -> Impact | None:
        name = self.files().get(_PATTERNS)
        return changes.impact(self._root.repository, name, self.home()) if name else None

    def _whole(self) -> list[str]:
        """The bank's folder, with its files, which git may be told to ignore."""
        return [self.home(), *self._root.below(self.home())]

    def _warnings(self, found: BankValidation, impact: Impact | None) -> Iterator[str]:
        """All that a session should know of its memory before it relies on it."""
        yield from self._blank(found)
        yield from self._stale()
        yield from self._standing(found, impact)

    def _standing(self, found: BankValidation, impact: Impact | None) -> Iterator[str]:
        """What stays true until somebody mends it."""
        if not found.valid:
            yield f"The bank is not valid; see {way('validate')}."
        errors = sum(each.severity == "error" for each in found.findings)
        if found.valid and errors:
            yield f"{way('validate')} finds errors: {errors}."
        if impact and impact.per_cent >= triggers.IMPACT:
            yield (
                f"{impact.per_cent}% of the source files ({impact.files} of {impact.of}: {impact.added} added,"
                f" {impact.deleted} deleted, {impact.renamed} renamed, {impact.changed} changed) are not as they were"
                f" when {_PATTERNS} was last changed: review it, and log the decision."
            )
        names = self.files()
        if _BRIEF in names:
            others = {name: file for file, name in names.items() if file != _BRIEF}
            left = changes.behind(self._root.repository, names[_BRIEF], list(others))
            if left:
                yield f"{_BRIEF} changed after {', '.join(others[name] for name in left)}: review them."

    def _blank(self, found: BankValidation) -> Iterator[str]:
        """Files that are missing, empty, or not filled in."""
        for file in (*found.missing_required, *found.missing_recommended):
            yield f"{file} is missing ({'required' if file in found.missing_required else 'recommended'})."
        texts = {document.path: document for document in found.documents}
        unfilled: dict[str, list[str]] = {}
        for name in self.files().values():
            text = texts[name].text if name in texts else ""
            doc = outline(text)
            if is_blank(text):
                yield f"{name} is empty."
            elif not doc.sections:
                yield f"{name} has no heading."
            starts = {
                each.span.start for each in found.findings if (each.path, each.code) == (name, not_filled_in.code)
            }
            if starts:
                unfilled[name] = [section.title for section in doc.sections if section.head.start in starts]
        if len(unfilled) > _NAMED:  # a new bank: a line for each of its files would hide what else there is to say
            number = sum(map(len, unfilled.values()))
            what = f"{number} sections are not filled in yet" if number > 1 else "Placeholders are not filled in yet"
            yield f"{what}, in {some([*unfilled], _NAMED)}."
            return
        for name, titles in unfilled.items():
            yield f"{name} is not filled in: {some(titles, _NAMED) or 'it has placeholders'}."

    def _stale(self) -> Iterator[str]:
        name = self.files().get(write.ACTIVE.file)
        since = changes.since(self._root.repository, [name], self.home()) if name else None
        if since and since.commits:
            number = len(since.commits)
            yield f"{name} looks stale: {number} commit{'s' if number > 1 else ''} of code since it last changed."

    def _read_of(self, file: str, spent: Mapping[str, Spent]) -> Read:
        there = spent.get(file)
        if there is None:
            return Read(file, f"{self.home()}/{file}", False, 0)
        return Read(file, there.path, True, there.tokens)
