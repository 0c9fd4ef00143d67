"""Questions that the index answers: which records fit, which answer best, what points where."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from memdown.index import Index, found, query
from memdown.index.found import Found
from memdown.index.query import Filter, Query
from memdown.later import Later
from memdown.record import Link, Mark, Record

if TYPE_CHECKING:
    from memdown import search as searching
else:
    searching = Later("memdown.search")


class Questions:
    """Asks the index of one project, which is brought up to date before each question."""

    def __init__(self, indexed: Callable[[], Index], now: Callable[[], datetime]) -> None:
        self._indexed = indexed
        self._now = now

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

    def search(self, asked: Query) -> "searching.Hits":
        """Records that answer, the best first."""
        with self._indexed().reading() as db:
            return searching.search(db, asked, self._now())

    def about(self, record: Record) -> tuple[Mark, list[Link]]:
        """A record with what is known of it, and the records that point at it."""
        with self._indexed().reading() as db:
            return found.mark_of(db, record, self._now()), found.pointing(db, record.id)
