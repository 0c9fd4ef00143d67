"""Reviewing what hooks captured: a person keeps, drops, edits, merges or scopes it; each is a step that undo knows.

What waits is what lies in the inbox, and the cards that hooks wrote and git has not got yet, until they are kept.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from msgspec import Struct, structs

from memdown.dialects.cards import KINDS, upkeep, write
from memdown.dialects.named import only
from memdown.errors import Invalid, NotFound, quote
from memdown.homes import INBOX
from memdown.index import questions
from memdown.index.hook_state import State
from memdown.index.similar import SimilarRecord, similar
from memdown.markdown import cardfile
from memdown.markdown.line_ends import split_lines
from memdown.project import Project
from memdown.record import Document, Record
from memdown.store import Group
from memdown.store.state import HOOKS, STATE
from memdown.text import apply
from memdown.times import stamp

_KEPT = "select name from kept"
_NUMBERED = "create table if not exists numbered (number integer primary key, path blob not null)"
"""Which card was listed with which number; made by the first list, as an earlier version may have made the file."""


class UnreviewedCard(Struct, frozen=True):
    """A card that waits."""

    number: int
    id: str
    title: str
    path: str
    scope: str
    at: str
    lines: int
    inbox: bool
    """Whether it lies in the inbox, and not among the cards yet."""
    similar: list[SimilarRecord]
    """Cards that say nearly the same."""


class ReviewedCards(Struct, frozen=True):
    """What was done with some of them."""

    done: str
    ids: list[str]
    titles: list[str]
    paths: list[str]
    """Where they are now; for what was dropped, where it was."""


class Review:
    """The captured cards of one project."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def pending(self, *, noted: bool = True) -> list[UnreviewedCard]:
        """What waits, the oldest first. If the list is `noted`, its numbers stand for these cards until the next."""
        with self._project.snapshot():
            waiting = [record for _, record in self._waiting()]
            asked = questions.of(self._project)
            everyone = asked.fitting(asked.parse("dialect:cards")).records if waiting else []
        if noted and (waiting or self._has_state()):
            self._number([record.path for record in waiting])
        return [
            _shown(
                number,
                record,
                similar(self._project.root, record, (each for each in everyone if each.path != record.path)),
            )
            for number, record in enumerate(waiting, 1)
        ]

    def keep(self, names: Sequence[str]) -> ReviewedCards:
        """Keep cards: one of the inbox goes to the others, any other gets the time at which it was confirmed."""
        with self._project.snapshot(), self._project.files.lock():
            chosen = self._chosen(names)
            home, now = self._project.home("cards"), stamp(self._project.now())
            paths = []
            with self._project.files.group() as group:
                for document, record in chosen:
                    inside = self._is_inside(document.path)
                    target = f"{home}/{write.place(record)}" if inside else document.path
                    if inside:
                        group.rename(document.path, target, over=document.text)
                    else:
                        group.save(target, apply(document.text, upkeep.confirm(document, now)), over=document.text)
                    paths.append(target)
        return _done("kept", [record for _, record in chosen], paths)

    def drop(self, names: Sequence[str]) -> ReviewedCards:
        """Delete cards that nobody needs; hooks do not capture them again."""
        with self._project.snapshot(), self._project.files.lock():
            chosen = self._chosen(names)
            with self._project.files.group() as group:
                for document, _ in chosen:
                    group.delete(document.path, over=document.text)
        return _done("dropped", [record for _, record in chosen], [each.path for each, _ in chosen])

    def edit(self, name: str, *, title: str | None = None, content: str | None = None) -> ReviewedCards:
        """Change the title or the text of a card; it still waits."""
        if title is None and content is None:
            raise Invalid("Nothing to change; give --title or --content.")
        with self._project.snapshot(), self._project.files.lock():
            [(document, record)] = self._chosen([name])
            new = structs.replace(record, title=record.title if title is None else title)
            with self._project.files.group() as group:
                self._save(group, document, record, new, content)
        return _done("edited", [new], [document.path])

    def scope(self, name: str, scope: str) -> ReviewedCards:
        """Say what a card is about; a file has to be there."""
        kind, _, path = scope.partition(":")
        if kind == "file" and not (self._project.root / path.strip()).is_file():
            raise NotFound(f"There is no file {quote(path.strip())} here; give its path from {self._project.root}.")
        with self._project.snapshot(), self._project.files.lock():
            [(document, record)] = self._chosen([name])
            with self._project.files.group() as group:
                self._save(group, document, record, structs.replace(record, scope=scope))
        return _done("scoped", [record], [document.path])

    def merge(self, name: str, into: str) -> ReviewedCards:
        """Add what a card says to another that says nearly the same, and delete it."""
        with self._project.snapshot(), self._project.files.lock():
            [(document, record)] = self._chosen([name])
            target, kept = self._card(into)
            if target.path == document.path:
                raise Invalid(f"{record.id} cannot be merged with itself; name the card that it repeats.")
            tags = tuple(dict.fromkeys((*kept.tags, *record.tags)))[: cardfile.KEYWORDS_LIMIT]
            body = upkeep.merged(kept.body or "", record.body or "")
            with self._project.files.group() as group:
                self._save(group, target, kept, structs.replace(kept, tags=tags), body)
                group.delete(document.path, over=document.text)
        return _done("merged", [record, kept], [target.path])

    def _save(self, group: Group, document: Document, old: Record, new: Record, content: str | None = None) -> None:
        edits = write.update(document.text, old, new)
        if content is not None and cardfile.canonical(content) != old.body:
            edits += upkeep.with_content(document, content)
        group.save(document.path, apply(document.text, edits), over=document.text)

    # Which cards

    def _waiting(self) -> list[tuple[Document, Record]]:
        captured = {each for each in self._captured() if self._project.files.exists(each)}
        if self._project.repository.is_known:
            captured = set(self._project.repository.uncommitted(captured))
        candidates = {name for name in self._project.names() if name in captured or self._is_inside(name)}
        found = [
            (document, document.records[0])
            for document in map(self._project.parsed, sorted(candidates))
            if document.dialect == "cards"
            and document.records
            and (self._is_inside(document.path) or not upkeep.is_confirmed(document))
        ]
        return sorted(found, key=lambda each: (each[1].at.text if each[1].at else "", each[1].path))

    def _captured(self) -> list[str]:
        """Names of the cards that hooks wrote here."""
        if not self._has_state():
            return []
        with self._state() as db:
            return [name for (name,) in db.execute(_KEPT)]

    def _has_state(self) -> bool:
        return (self._project.root / STATE / HOOKS).is_file()

    @contextmanager
    def _state(self) -> Iterator[sqlite3.Connection]:
        """What hooks and the last list noted here."""
        with closing(State(str(self._project.root))) as state, state.db:
            yield state.db

    def _number(self, paths: Sequence[str]) -> None:
        """Note which card was listed with which number."""
        try:
            with self._state() as db:
                db.execute(_NUMBERED)
                db.execute("delete from numbered")
                rows = ((number, path.encode("utf-8", "surrogatepass")) for number, path in enumerate(paths, 1))
                db.executemany("insert into numbered values (?, ?)", rows)
        except sqlite3.OperationalError as error:
            self._project.tell(f"the numbers of this list cannot be saved ({error}); name cards by their ids")

    def _numbered(self, waiting: Sequence[str]) -> dict[int, str]:
        """The card that each number stands for, since a command before this one changes what waits."""
        if self._has_state():
            with self._state() as db:
                db.execute(_NUMBERED)
                rows = db.execute("select number, path from numbered").fetchall()
            if rows:
                return {number: path.decode("utf-8", "surrogatepass") for number, path in rows}
        self._number(waiting)
        return dict(enumerate(waiting, 1))

    def _is_inside(self, path: str) -> bool:
        return path.startswith(tuple(f"{home}/{INBOX}/" for home in self._project.config.homes("cards")))

    def _chosen(self, names: Sequence[str]) -> list[tuple[Document, Record]]:
        """The cards that a person names, by the number in the list, or by id or title; each has to wait."""
        waiting = self._waiting()
        by_path = {document.path: (document, record) for document, record in waiting}
        numbered = self._numbered([*by_path]) if any(map(_is_number, names)) else {}
        found: dict[str, tuple[Document, Record]] = {}
        for name in names:
            if _is_number(name):
                path = numbered.get(int(name))
                if path is None:
                    raise NotFound(
                        f"There is no number {name}; {len(waiting)} cards are pending; `memdown review` lists them."
                    )
                if path not in by_path:
                    raise NotFound(
                        f"{name} was {quote(path)}, which is no longer pending; `memdown review` lists those that are."
                    )
                each = by_path[path]
            else:
                record = only([record for _, record in waiting], name)
                each = next(pair for pair in waiting if pair[1] is record)
            found[each[0].path] = each
        return list(found.values())

    def _card(self, name: str) -> tuple[Document, Record]:
        """Any card, also one that does not wait."""
        if _is_number(name):
            return self._chosen([name])[0]
        record = self._project.get(name)
        if record.kind not in KINDS:
            raise Invalid(f"{record.id} is a {record.kind}; a card is merged into a card.")
        return self._project.parsed(record.path), record


def _is_number(name: str) -> bool:
    return name.isdecimal() and len(name) < 4


def _done(what: str, records: Sequence[Record], paths: list[str]) -> ReviewedCards:
    return ReviewedCards(what, [each.id for each in records], [each.title or "" for each in records], paths)


def _shown(number: int, record: Record, near: list[SimilarRecord]) -> UnreviewedCard:
    return UnreviewedCard(
        number,
        record.id,
        record.title or "",
        record.path,
        record.scope or "",
        record.at.text if record.at else "",
        len(split_lines(record.body or "")),
        f"/{INBOX}/" in record.path,
        near,
    )
