"""Search: the records that answer a question, the best first, and why. Everything comes from the index."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from datetime import date, datetime

from msgspec import Struct, json

from memdown.errors import Invalid
from memdown.index import found, where
from memdown.index.query import Query, Term
from memdown.index.rank import WEIGHTS, Ranking, Weights
from memdown.index.schema import NEWEST, SEARCHED
from memdown.index.search import miss, when
from memdown.index.search.near_duplicates import NearDuplicates
from memdown.index.search.snippets import snippets, with_reason
from memdown.index.terms import SearchTerm, asks_why, search_terms
from memdown.record import Mark

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from memdown.index.rank import Near

WORDS, MEANING = "words", "words+semantic"
"""The modes: by words alone, or by words and by what they mean."""
MEANT = "coalesce(title, '') || '\n' || coalesce(summary, '') || '\n' || substr(coalesce(body, ''), 1, 2048)"
"""What of a record is read for its meaning, as SQL that SQLite and PostgreSQL understand."""
LIMIT = 10
MOST = 1000
"""Hits that can be asked for at once."""
_NEWEST = f"""
select r.rowid from record r where {SEARCHED} and {{}} and r.rowid not in (select value from json_each(?))
order by {NEWEST} limit ?
"""
_HOW_MANY = f"select count(*) from record r where {SEARCHED} and {{}}"


class Hit(Struct, frozen=True):
    """A record that was found, and why."""

    mark: Mark
    score: float
    snippet: str
    """Where its text meets the question; the words found stand between `snippets.MARKS`."""
    why: dict[str, float]
    """The parts of the score by name; those of `times …` multiply the rest."""
    near_duplicates: tuple[str, ...] = ()
    """Ids of records with nearly the same text, which are not shown."""
    meant: bool = False
    """Whether it has none of the words, and was found by its meaning."""
    branches: tuple[str, ...] = ()
    """The other branches that have it so; empty for what the checked-out one has."""
    source: str = ""
    """The source that it is from; empty for the project itself."""
    level: str = ""
    """How far away that is: assistant, personal, team, company or project."""
    overridden_by: str = ""
    """The id of a record of the same title in a more specific place, which counts here."""


class AsOf(Struct, frozen=True):
    """The commit that a past state is from."""

    commit: str
    date: str


class Hits(Struct, frozen=True):
    """The answer to a search."""

    query: str
    mode: str
    took_ms: float
    total: int
    """Records that have any of the words (or the meaning, where that was asked for), and all that is required."""
    hits: list[Hit]
    when: tuple[str, ...] = ()
    """How words about time were understood."""
    left_out: tuple[str, ...] = ()
    """Words that are too common here to be ranked by."""
    as_of: AsOf | None = None
    """Set when memory was asked as it was."""
    did_you_mean: tuple[str, ...] = ()
    """Words and filters near those that were asked for, when no record has these."""

    def __iter__(self) -> Iterator[Hit]:
        """The records that were found, the best first."""
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


def search(
    db: sqlite3.Connection,
    query: Query,
    now: datetime,
    weights: Weights = WEIGHTS,
    near: "Near | None" = None,
    *,
    guess: bool = True,
) -> Hits:
    """The best records for a query; `near` tells how near their meaning is, where that is to count too.

    With `guess`, words near those that nothing has are looked for.
    """
    started = time.perf_counter()
    where.prepare(db)
    where.check(db, query)
    limit = LIMIT if query.limit is None else min(query.limit, MOST)
    terms = search_terms(query.ranking())
    if not terms and not query.must:
        raise Invalid("There is nothing to search for; give words, or a filter such as kind:decision.")
    answer = _ranked(db, query, terms, limit, now, weights, near) if terms else _newest(db, query, limit, now)
    mode = MEANING if near and terms else WORDS
    meant = miss.filters(query.unknown)
    if guess and not answer[1]:
        meant += miss.meant(db, (term.shown for term in terms))
    took = round((time.perf_counter() - started) * 1000, 2)
    return Hits(query.text, mode, took, *answer, did_you_mean=tuple(meant))


Answer = tuple[int, list[Hit], tuple[str, ...], tuple[str, ...]]


def _newest(db: sqlite3.Connection, query: Query, limit: int, now: datetime, *, but: Sequence[int] = ()) -> Answer:
    """Where there is nothing to rank by but the date."""
    fits = where.condition(query, now, words=False)
    [(total,)] = db.execute(_HOW_MANY.format(fits.sql), fits.values)
    rows = db.execute(_NEWEST.format(fits.sql), (*fits.values, json.encode(but).decode(), limit))
    rowids = [rowid for (rowid,) in rows]
    known, shown = found.marks(db, rowids, now), snippets(db, rowids, ())
    return total, [Hit(known[rowid], 0.0, shown[rowid], {}) for rowid in rowids], (), ()


def _ranked(
    db: sqlite3.Connection,
    query: Query,
    terms: Sequence[SearchTerm],
    limit: int,
    now: datetime,
    weights: Weights,
    near: "Near | None",
) -> Answer:
    fits = where.condition(query, now, words=False)
    ranking = Ranking(db, weights, None if fits == where.EVERYTHING else fits, limit)
    ranking.words(terms)
    ranking.around()
    spans = _spans(db, query, now, weights)
    ranking.days(spans)
    if near:
        ranking.meanings(near, " ".join(term.text for term in query.ranking()))
    ranking.ages(now.timestamp() * 1e6)
    ranking.kinds(why=asks_why(term.text for term in query.words))
    ranking.questions()
    best = ranking.best()
    near_duplicates = NearDuplicates(db, best, limit)
    known, shown = found.marks(db, near_duplicates.chosen, now), snippets(db, near_duplicates.chosen, terms)
    hits = [
        Hit(
            *(known[rowid], round(ranking.scores[rowid], 4)),
            *(with_reason(shown[rowid], known[rowid].record), ranking.why(rowid)),
            *(near_duplicates.ids(rowid), ranking.is_meant(rowid)),
        )
        for rowid in near_duplicates.chosen
    ]
    total = max(ranking.total, len(best))
    if not query.words and len(hits) < limit:  # as in `tag:db OR pool`: what fits may have none of the words
        total, others, *_ = _newest(db, query, limit - len(hits), now, but=best)
        hits += others
    return total, in_force_first(hits), tuple(_interpreted(span) for span in spans), tuple(ranking.left_out)


def in_force_first(hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order, but that what is replaced or over is not the first where anything that holds answers."""
    held = (place for place, hit in enumerate(hits) if not (hit.mark.superseded or hit.mark.expired))
    first = next(held, 0)
    return [*hits[first : first + 1], *hits[:first], *hits[first + 1 :]]


def _spans(db: sqlite3.Connection, query: Query, now: datetime, weights: Weights) -> list[when.TimeSpan]:
    """The days a question speaks of; an event it names stands on the day of the best record about it."""
    text = " ".join(term.text for term in query.words)
    spans = when.spans(text, now.date())
    event = None if spans else when.event(text)
    terms = search_terms(Term(word) for word in event.words.split()) if event else []
    if not event or not terms:
        return spans
    ranking = Ranking(db, weights, limit=1)
    ranking.words(terms)
    ranking.around()
    best = next((ranking.facts[rowid].day for rowid in ranking.best() if ranking.facts[rowid].day), None)
    day = date.fromisoformat(best) if best else None
    return [when.beside(event.side, day, day, f"{event.side} {event.words}")] if day else []


def _interpreted(span: when.TimeSpan) -> str:
    first, last = (day.isoformat() if day else "…" for day in (span.first, span.last))
    return f"{span.text}: {first}" if first == last else f"{span.text}: {first} to {last}"
