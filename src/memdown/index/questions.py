"""Questions that the index answers: which records fit, which answer best, what points where."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Self, TypeVar

from msgspec import Struct, structs

from memdown.errors import Unreadable, installing, quote
from memdown.index import Index, found, query
from memdown.index.found import Found, Listing
from memdown.index.handle import IndexHandle, indexed
from memdown.index.query import Filter, Query
from memdown.index.schema import REAL
from memdown.index.sqlite import DAMAGED, is_damage
from memdown.lazy import LazyModule
from memdown.project import Progress, Project, unwatched
from memdown.record import Link, Mark, Record

if TYPE_CHECKING:
    from memdown.dialects import named
    from memdown.index import facets as counting
    from memdown.index import search as searching
    from memdown.index import sql as asking
    from memdown.index.search import semantic as meanings
    from memdown.index.sync import past
else:
    named = LazyModule("memdown.dialects.named")
    counting, meanings = LazyModule("memdown.index.facets"), LazyModule("memdown.index.search.semantic")
    searching, asking, past = (
        LazyModule("memdown.index.search"),
        LazyModule("memdown.index.sql"),
        LazyModule("memdown.index.sync.past"),
    )

T = TypeVar("T")
_PATHS = "select path from file where dialect is not null order by path"
_CALLED = """
select r.id, r.kind, r.path, r.dialect, r.hollow, w.title, coalesce(json_extract(r.extra, '$.number'), ''),
    coalesce(json_extract(r.extra, '$.task'), '')
from record r join words w on w.rowid = r.rowid where r.kind != 'prose'
"""
_KINDS = f"select distinct r.kind from record r where {REAL} order by r.kind"


class _Called(Struct):
    """What a record is called by, without the record."""

    id: str
    kind: str
    path: str
    dialect: str
    hollow: int
    title: str | None
    number: str
    task: str


class Questions:
    """Asks the index of one project, which is brought up to date before each question."""

    def __init__(
        self,
        indexed: Callable[[], Index],
        now: Callable[[], datetime],
        tell: Callable[[str], None],
        then: "past.Then | None" = None,
        own: IndexHandle | None = None,
    ) -> None:
        """`tell` hears what a person should know. For a past state, `then` is when, and `own` what to close."""
        self._indexed = indexed
        self._now = now
        self._tell = tell
        self._then = then
        self._own = own

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the index of a past state; that of now is its memory's."""
        if self._own is not None:
            self._own.close()

    def parse(self, text: str, *, limit: int | None = None) -> Query:
        """The query a text asks."""
        return query.parse(text, self._now(), limit=limit)

    def flag(self, name: str, value: str) -> Filter:
        """A filter that is given apart from the text."""
        return query.flag(name, value, self._now())

    def fitting(self, wanted: Query) -> Found:
        """Records that have all that is asked for, the newest first."""
        return self.ask(lambda db: found.fitting(db, wanted, self._now()))

    def page(self, wanted: Query, *, offset: int = 0, limit: int = 50) -> "counting.FoundPage":
        """Some of the records that have all that is asked for, the newest first, and how many there are."""
        return self.ask(lambda db: counting.page(db, wanted, self._now(), offset, limit))

    def oldest(self, wanted: Query, *, limit: int) -> "counting.FoundPage":
        """Some of the same, the oldest first."""
        return self.ask(lambda db: counting.oldest(db, wanted, self._now(), limit))

    def facets(self, wanted: Query) -> "list[counting.Facet]":
        """By what an answer can be narrowed down: kinds, authors, tags, each with its number of records."""
        return self.ask(lambda db: counting.facets(db, wanted, self._now()))

    def days(self, wanted: Query) -> "list[counting.DayCount]":
        """How many records of which kind bear the date of which day."""
        return self.ask(lambda db: counting.days(db, wanted, self._now()))

    def undated(self) -> dict[str, int]:
        """How many records in force that have no date each file holds."""
        wanted = self.parse("is:undated -is:superseded")
        return self.ask(lambda db: counting.undated(db, wanted, self._now()))

    def files(self) -> "list[counting.IndexedFile]":
        """Every file of memory, with its dialect, its size and how many records it has."""
        return self.ask(counting.files)

    def completions(self, text: str) -> list[str]:
        """Queries that go on as a text begins."""
        return self.ask(lambda db: counting.completions(db, text))

    def listing(self, wanted: Query) -> Listing:
        """The same for who shows a line for each, as they are asked for."""
        return self.ask(lambda db: found.listing(db, wanted, self._now()))

    def search(self, wanted: Query, *, semantic: bool = False, progress: Progress = unwatched) -> "searching.Hits":
        """Records that answer, the best first; with `semantic` what they mean counts too, which is an extra."""
        if semantic:
            _prepare(self._indexed(), progress)
        near = meanings.likeness if semantic else None
        hits = self.ask(lambda db: searching.search(db, wanted, self._now(), near=near))
        commit = self._then.commit if self._then else None
        return structs.replace(hits, as_of=searching.AsOf(commit.commit, commit.date)) if commit else hits

    def doubts(self, wanted: Query) -> list[str]:
        """What somebody should know who asks for a kind, a place or by a filter that there is not, or by one alone."""
        bare = [term.text[:-1].casefold() for term in wanted.words if term.text.endswith(":")]
        valueless = [
            f"The filter {name}: without a value is a word; write it as {name}:{query.FILTERS[name][0]}."
            for name in bare
            if name in query.FILTERS
        ]
        asked = wanted.values("kind")
        kinds = [kind for (kind,) in self.ask(lambda db: db.execute(_KINDS).fetchall())] if asked else []
        unknown = [each for each in asked if kinds and each.casefold() not in kinds]
        doubts = [
            f"No memory here has the kind {quote(each)}; the kinds here are {', '.join(kinds)}." for each in unknown
        ]
        places = wanted.values("path")
        files = [path for (path,) in self.ask(lambda db: db.execute(_PATHS).fetchall())] if places else []
        nowhere = [each for place in places if files and (each := _nowhere(place, files))]
        return [*valueless, *doubts, *nowhere, *query.mistaken(wanted)]

    def get(self, id: str) -> Record:
        """The record with this id or title, the only one whose id or title begins so, or the one at `path:line`."""
        path, _, line = id.rpartition(":")
        if path and line.isascii() and line.isdigit():
            below = self.fitting(Query(must=(self.flag("path", path),))).records
            if below:
                return named.at_line(below, int(line), id)
        begin_so = self.fitting(Query(must=(self.flag("id", id),))).records
        return named.only(begin_so or self.fitting(Query()).records, id)

    def files_called(self, name: str) -> dict[str, str]:
        """The files that have a record which a person may mean by a name, each with its dialect."""
        rows = self.ask(lambda db: db.execute(_CALLED).fetchall())
        return {each.path: each.dialect for each in named.considered((_Called(*row) for row in rows), name)}

    def sql(self, statement: str, given: Mapping[str, str], *, seconds: float, rows: int) -> "asking.SqlAnswer":
        """What a statement of SQL answers, within so many seconds; 0 `rows` stands for all of them."""
        return asking.ask(self._indexed(), statement, given, seconds=seconds, rows=rows)

    def tables(self) -> "list[asking.SqlTable]":
        """The tables that SQL can ask, with their columns."""
        return asking.tables(self._indexed())

    def about(self, record: Record) -> tuple[Mark, list[Link]]:
        """A record with what is known of it, and the records that point at it."""
        return self.ask(lambda db: (found.mark_of(db, record, self._now()), found.pointing(db, record.id)))

    def named(self, ids: Sequence[str]) -> list[Mark]:
        """The records with these ids, as far as there are any."""
        return self.ask(lambda db: found.named(db, ids, self._now()))

    def state(self) -> str:
        """Another text since memory, a setting or the history of the project changed, even if it changed back."""
        index = self._indexed()
        return "\n".join(str(index.noted(name)) for name in ("revision", "settings", "history"))

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Ask the index; one that is found to be damaged is made anew, and asked once more."""
        index = self._indexed()
        try:
            with index.reading() as db:
                return question(db)
        except sqlite3.DatabaseError as error:
            if index.path is None or not is_damage(error):
                raise
        index.discard()
        self._tell(f"the index {DAMAGED}, and is rebuilt from the files")
        with self._indexed().reading() as db:
            return question(db)


def _prepare(index: Index, progress: Progress) -> None:
    try:
        meanings.prepare(index, progress)
    except ImportError:
        raise Unreadable(f"Search by meaning needs an extra; install it with {installing('semantic')}.") from None


def of(project: Project) -> Questions:
    """Asks memory as it is now."""
    return Questions(lambda: indexed(project), project.now, project.tell)


def at(project: Project, moment: str) -> Questions:
    """Asks memory as it was at a commit, or at the last one before a date; the clock shows the time of then."""
    then = past.then(project.root, moment, project.now())
    handle = IndexHandle()

    def made() -> Index:
        return handle.index or handle.hold(
            past.index_at(project.root, project.config, then.commit.commit, project.tell, project.progress)
        )

    return Questions(made, lambda: then.at, project.tell, then, handle)


def on_branch(project: Project, commit: str, beside: Mapping[str, str]) -> Questions:
    """Asks what a branch has that differs from the files of another commit; the clock shows the time of now."""
    handle = IndexHandle()

    def made() -> Index:
        return handle.index or handle.hold(
            past.index_at(project.root, project.config, commit, project.tell, project.progress, beside)
        )

    return Questions(made, project.now, project.tell, own=handle)


def _nowhere(place: str, files: Sequence[str]) -> str:
    """What is said of a place without any file; nothing of one that has some."""
    bare = place.removeprefix("./").strip("/")
    if bare in ("", ".") or any(f"{each}/".startswith(f"{bare}/") for each in files):
        return ""
    near = next((each for each in files if bare.casefold() in each.casefold()), files[0])
    return f"No memory file is {quote(place)} or below it; path: takes a file or a folder, as in path:{near}."
