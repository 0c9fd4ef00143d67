"""What can be done with cards alone: add, capture, and keep in order. Reached as `memory.cards`."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import reduce

import msgspec
from msgspec import Struct

from memdown import secrets
from memdown.acts import add
from memdown.acts.add import Added
from memdown.acts.capture import message as capture
from memdown.dialects.cards import upkeep
from memdown.dialects.draft import DraftFields, checked_text
from memdown.errors import Refused
from memdown.index.similar import similar_groups
from memdown.markdown import cardfile
from memdown.project import Project
from memdown.record import Document, Record
from memdown.text import apply


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
        given = DraftFields(text=content, tags=keywords, scope=applies_to, at=occurred_at, id=id)
        return add.add(self._root, "card", subject, dialect="cards", dedupe=dedupe, **given)

    def capture(self, role: str, content: str, *, occurred_at: str | None = None) -> Captured:
        """Keep an assistant's message as a card if the filtering rules let it."""
        allowed = self._root.config.secrets.allow
        text = secrets.redact(checked_text(content, "content"), allowed)
        draft = capture.from_message(role, text, capture.ProjectPaths(str(self._root.root)))
        if isinstance(draft, str):
            return Captured(None, draft)
        added = self.add(
            draft.subject, draft.body, keywords=draft.keywords, applies_to=draft.scope, occurred_at=occurred_at
        )
        return Captured(added, None)

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
        with self._root.files.lock(when=write):
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
            reason = f"{plan.rename} already exists, so {plan.path} keeps its name."
            changes = tuple(change for change in plan.changes if not change.startswith("rename"))
            return msgspec.structs.replace(plan, rename=None, changes=changes, left=(*plan.left, reason))
        return plan

    def dedupe(self, *, delete: bool = False, near: bool = False) -> list[Twins]:
        """Cards that are the same memory; with `delete`, all but the first by file name go.

        With `near`, cards that say nearly the same: the newest stays, and gets what only the others say.
        """
        with self._root.files.lock(when=delete):
            documents = {document.path: document for document in self.documents()}
            records = [record for document in documents.values() for record in document.records]
            groups = similar_groups(each for each in records if each.kind == "card") if near else upkeep.twins(records)
            if delete:
                with self._root.files.group() as group:
                    for same in groups:
                        kept = documents[same[0].path]
                        body = reduce(upkeep.merged, (each.body or "" for each in same))
                        if body != same[0].body:
                            group.save(kept.path, apply(kept.text, upkeep.with_content(kept, body)), over=kept.text)
                        for record in same[1:]:
                            group.delete(record.path, over=documents[record.path].text)
        return [_twins(same) for same in groups]

    def prune(self, older_than: int, *, write: bool = True) -> list[str]:
        """Delete cards of more than so many days ago; the paths of what went, or would go."""
        limit = self._root.now() - timedelta(days=older_than)
        with self._root.files.lock(when=write):
            old = [
                document for document in self.documents() if any(_is_before(each, limit) for each in document.records)
            ]
            if write:
                with self._root.files.group() as group:
                    for document in old:
                        group.delete(document.path, over=document.text)
        return [document.path for document in old]

    def _chosen(self, ids: Sequence[str]) -> Iterator[Document]:
        if not ids:
            yield from self.documents()
        for id in ids:
            path = self._card(id).path
            yield self._root.parse(path, self._root.files.read(path))


def _is_before(record: Record, limit: datetime) -> bool:
    return record.kind == "card" and record.at is not None and record.at.instant() < limit


def _twins(same: list[Record]) -> Twins:
    kept, *others = same
    differing = {name for other in others for name in upkeep.differences(kept, other)}
    return Twins(kept.path, [other.path for other in others], sorted(differing))


def _hash(document: Document) -> Hash:
    record = document.records[0]
    computed = cardfile.content_hash(record.body or "")
    return Hash(record.id, document.path, upkeep.hash_state(document), record.content_hash or None, computed)
