"""What can be asked of cards: add, capture, edit, delete, and keep in order. Reached as `memory.cards`."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext

import msgspec
from msgspec import Struct

from memdown import times
from memdown.acts.capture import message as capture
from memdown.dialects import cards
from memdown.dialects.cards import grammar, upkeep
from memdown.dialects.cards import write as writer
from memdown.errors import Refused, quote
from memdown.project import Project
from memdown.record import Document, Record
from memdown.store import secrets
from memdown.text import apply


class Added(Struct, frozen=True):
    """The card that holds a memory now, and whether it was made for it."""

    record: Record
    created: bool
    notes: list[str]
    """What the caller should know: a time taken as UTC, metadata that was not used, cards of the same content."""


class Captured(Struct, frozen=True):
    """What became of a message."""

    added: Added | None
    reason: str | None


class Hash(Struct, frozen=True):
    """Whether a card's hash is that of its content."""

    id: str
    path: str
    state: str
    """"ok", "mismatch", "missing" or "invalid"."""
    carried: str | None
    computed: str


class Twins(Struct, frozen=True):
    """Cards that are the same memory: the one that stays, and the others."""

    kept: str
    others: list[str]
    differences: list[str]
    """Metadata in which some of the others differ from the one that stays."""


class Cards:
    """The cards of one memory."""

    def __init__(self, root: Project) -> None:
        self._root = root

    def home(self) -> str:
        """The folder for new cards: the configured one, else the first known folder that is there."""
        chosen = self._root.config.cards.folder
        homes = cards.HOMES
        there = (home for home in homes if (self._root.root / home).is_dir())
        return chosen or next(there, homes[0])

    def documents(self) -> Iterator[Document]:
        return (document for document in self._root.documents() if document.dialect == "cards")

    def add(
        self,
        subject: str,
        content: str,
        *,
        keywords: Sequence[str],
        applies_to: str = "global",
        occurred_at: str | None = None,
        id: str | None = None,
        dedupe: str = "memory",
    ) -> Added:
        """Write a card, unless the memory is there already.

        The same memory is the same content of the same time; with `dedupe="content"` the time does not matter.
        """
        stamped = occurred_at or times.stamp(self._root.now())
        card = cards.new(subject, content, keywords=keywords, applies_to=applies_to, occurred_at=stamped, id=id)
        notes = []
        if card.at and card.at.text != stamped.strip():
            notes.append(f"The time {quote(stamped)} has no zone; it was taken as UTC.")
        return self._add(card, notes, by_content=dedupe == "content")

    def capture(self, role: str, content: str, *, occurred_at: str | None = None) -> Captured:
        """Keep an assistant's message as a card if the filtering rules let it."""
        stamped = occurred_at or times.stamp(self._root.now())
        allowed = self._root.config.secrets.allow
        draft = capture.from_message(role, secrets.redact(writer.checked_text(content, "content"), allowed))
        if isinstance(draft, str):
            return Captured(None, draft)
        card = cards.new(
            draft.subject, draft.body, keywords=draft.keywords, applies_to=draft.scope, occurred_at=stamped
        )
        return Captured(self._add(card, [], by_content=False), None)

    def _add(self, card: Record, notes: list[str], *, by_content: bool) -> Added:
        with self._root.files.lock():
            same_content = list(self._with_content(card.body or ""))
            twin = next(
                (each for each in same_content if by_content or upkeep.key_of(each) == upkeep.key_of(card)), None
            )
            if twin:
                ignored = upkeep.differences(twin, card)
                if ignored:
                    notes.append(f"The card that is there already differs in its {' and '.join(ignored)}.")
                return Added(twin, created=False, notes=notes)
            if same_content:
                listed = ", ".join(each.id for each in same_content[:3])
                notes.append(f"The same content is there with another time: {listed}.")
            name = f"{self.home()}/{cards.place(card)}"
            text = apply("", cards.insert("", card))
            self._root.files.save(name, text, over=None)
        return Added(self._root.parse(name, text).records[0], created=True, notes=notes)

    def _with_content(self, content: str) -> Iterator[Record]:
        """Cards with this content, by file name. Only files that have its longest line are parsed."""
        longest = max(content.split("\n"), key=len)
        for name in sorted(self._root.names()):
            text = self._root.files.read(name)
            if longest in text:
                for record in self._root.parse(name, text).records:
                    if record.kind == "card" and record.body == content:
                        yield record

    def edit(
        self,
        id: str,
        *,
        subject: str | None = None,
        keywords: Sequence[str] | None = None,
        add_keywords: Sequence[str] = (),
        remove_keywords: Sequence[str] = (),
        applies_to: str | None = None,
    ) -> Record:
        """Change a card's metadata; only the bytes of the values that change are touched."""
        with self._root.files.lock():
            old = self._card(id)
            text = self._root.files.read(old.path)
            new = old
            if subject is not None:
                new = msgspec.structs.replace(new, title=writer.checked_subject(subject))
            if keywords is not None or add_keywords or remove_keywords:
                dropped = {word.casefold() for word in remove_keywords}
                words = [*(old.tags if keywords is None else keywords), *add_keywords]
                kept = [word for word in words if word.casefold() not in dropped]
                new = msgspec.structs.replace(new, tags=writer.checked_keywords(kept))
            if applies_to is not None:
                new = msgspec.structs.replace(new, scope=writer.checked_scope(applies_to))
            edited = apply(text, cards.update(text, old, new))
            if edited != text:
                self._root.files.save(old.path, edited, over=text)
        return self._root.parse(old.path, edited).records[0]

    def delete(self, id: str) -> Record:
        """Delete a card's file."""
        with self._root.files.lock():
            card = self._card(id)
            self._root.files.delete(card.path, over=self._root.files.read(card.path))
        return card

    def _card(self, id: str) -> Record:
        record = self._root.get(id)
        if record.kind != "card":
            raise Refused(f"{record.id} is a {record.kind}, not a card.")
        return record

    def verify(self, ids: Sequence[str] = ()) -> list[Hash]:
        """Compare every card's hash with its content."""
        return [_hash(document) for document in self._chosen(ids) if document.records]

    def repair(self, ids: Sequence[str] = (), *, write: bool = True) -> list[upkeep.Repair]:
        """Put cards in order: id, hash, quotes, file name. All of it, or nothing."""
        with self._root.files.lock() if write else nullcontext():
            documents = list(self._chosen(ids))
            repairs = [plan for document in documents if (plan := self._plan(document))]
            texts = {document.path: document.text for document in documents}
            if write:
                with self._root.files.group() as group:
                    for plan in repairs:
                        text = texts[plan.path]
                        mended = apply(text, plan.edits)
                        if plan.rename:
                            group.save(plan.rename, mended, over=None)
                            group.delete(plan.path, over=text)
                        elif mended != text:
                            group.save(plan.path, mended, over=text)
        return repairs

    def _plan(self, document: Document) -> upkeep.Repair | None:
        plan = upkeep.repair(document)
        if plan and plan.rename and self._root.files.exists(plan.rename):
            taken = f"{plan.rename} is there already, so {plan.path} keeps its name."
            changes = tuple(change for change in plan.changes if not change.startswith("rename"))
            return msgspec.structs.replace(plan, rename=None, changes=changes, left=(*plan.left, taken))
        return plan

    def dedupe(self, *, delete: bool = False) -> list[Twins]:
        """Cards that are the same memory; with `delete`, all but the first by file name go."""
        with self._root.files.lock() if delete else nullcontext():
            documents = {document.path: document for document in self.documents()}
            groups = upkeep.twins(record for document in documents.values() for record in document.records)
            if delete:
                with self._root.files.group() as group:
                    for same in groups:
                        for record in same[1:]:
                            group.delete(record.path, over=documents[record.path].text)
        return [_twins(same) for same in groups]

    def _chosen(self, ids: Sequence[str]) -> Iterator[Document]:
        if not ids:
            yield from self.documents()
        for id in ids:
            path = self._card(id).path
            yield self._root.parse(path, self._root.files.read(path))


def _twins(same: list[Record]) -> Twins:
    kept, *others = same
    differing = {name for other in others for name in upkeep.differences(kept, other)}
    return Twins(kept.path, [other.path for other in others], sorted(differing))


def _hash(document: Document) -> Hash:
    record = document.records[0]
    carried = str(record.extra.get("content_hash") or "") or None
    computed = grammar.content_hash(record.body or "")
    return Hash(record.id, document.path, upkeep.hash_state(document), carried, computed)
