"""Questions that the index answers: which records fit, which answer best, what points where."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING

from msgspec import structs

from memdown.errors import Unreadable
from memdown.index import Index, found, query
from memdown.index.found import Found
from memdown.index.query import Filter, Query
from memdown.later import Later
from memdown.memory.root import Progress, Root, only, unwatched
from memdown.record import Link, Mark, Record

if TYPE_CHECKING:
    from memdown import search as searching
    from memdown.index import sql as asking
    from memdown.search import semantic as meanings
    from memdown.sync import past
else:
    meanings = Later("memdown.search.semantic")
    searching, asking, past = Later("memdown.search"), Later("memdown.index.sql"), Later("memdown.sync.past")


class Questions:
    """Asks the index of one project, which is brought up to date before each question."""

    def __init__(
        self, indexed: Callable[[], Index], now: Callable[[], datetime], then: "past.Then | None" = None
    ) -> None:
        """`then` is when, for the index of a past state."""
        self._indexed = indexed
        self._now = now
        self._then = then

    def parse(self, text: str, *, limit: int | None = None) -> Query:
        """The query a text asks."""
        return query.parse(text, self._now(), limit=limit)

    def flag(self, name: str, value: str) -> Filter:
        """A filter that is given apart from the text."""
        return query.flag(name, value, self._now())

    def fitting(self, asked: Query) -> Found:
        """Records that have all that is asked for, the newest first."""
        with self._indexed().reading() as db:
            return found.fitting(db, asked, self._now())

    def search(self, asked: Query, *, semantic: bool = False, progress: Progress = unwatched) -> "searching.Hits":
        """Records that answer, the best first; with `semantic` what they mean counts too, which is an extra."""
        index = self._indexed()
        if semantic:
            _prepare(index, progress)
        with index.reading() as db:
            hits = searching.search(db, asked, self._now(), near=meanings.likeness if semantic else None)
        commit = self._then.commit if self._then else None
        return structs.replace(hits, as_of=searching.AsOf(commit.commit, commit.date)) if commit else hits

    def get(self, id: str) -> Record:
        """The record with this id, or the only one whose id begins so."""
        return only(self.fitting(Query(must=(self.flag("id", id),))).records, id)

    def sql(self, statement: str, given: Mapping[str, str], *, seconds: float, rows: int) -> "asking.Answer":
        """What a statement of SQL answers, within so many seconds; 0 `rows` stands for all of them."""
        return asking.ask(self._indexed(), statement, given, seconds=seconds, rows=rows)

    def tables(self) -> "list[asking.Table]":
        """The tables that SQL can ask, with their columns."""
        return asking.tables(self._indexed())

    def about(self, record: Record) -> tuple[Mark, list[Link]]:
        """A record with what is known of it, and the records that point at it."""
        with self._indexed().reading() as db:
            return found.mark_of(db, record, self._now()), found.pointing(db, record.id)


def _prepare(index: Index, progress: Progress) -> None:
    try:
        meanings.prepare(index, progress)
    except ImportError:
        raise Unreadable(
            "Search by meaning needs an extra; install it with `pip install 'memdown[semantic]'`."
        ) from None


def at(root: Root, said: str) -> Questions:
    """Asks memory as it was at a commit, or at the last one before a date; the clock says what it said then."""
    then = past.then(root.root, said, root.now())

    @cache
    def indexed() -> Index:
        return past.index_at(root.root, root.config, then.commit.commit, root.tell, root.progress)

    return Questions(indexed, lambda: then.at, then)
