"""How records are ranked: by their words, by the company they keep, and by their dates. Every part of a score is kept.

A record's own words count as BM25 counts them, with weights for title, tags and summary. What stands around a record
tells what it is about, so a part of the score of its neighbours in the same log or session is added, and of how much of
the question the whole passage covers.
"""

import sqlite3
from datetime import date
from itertools import combinations, islice, pairwise
from math import exp, log

from memdown.index.stopwords import BASIC
from memdown.index.words import quoted
from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memdown.index import inflections, untrue
    from memdown.index.search.when import TimeSpan
    from memdown.index.terms import SearchTerm
    from memdown.index.where import Where

    Near = Callable[[sqlite3.Connection, str, str], dict[int, float]]
    """How near records are to a question by what they mean, the nearest first; those for which some SQL holds."""
else:
    inflections, untrue = LazyModule("memdown.index.inflections"), LazyModule("memdown.index.untrue")

CANDIDATES = 400
"""Records that are looked at closely where records have neighbours: a better one may stand beside a good one."""
_ALONE = 60
POSTINGS = 60_000
_BEGINNING = 3
"""How many times as long it takes to find the beginning of a word as the word."""
_COMMON = 10_000
"""Records that may have the rarest word of a phrase that is ranked by."""
_RARE = 3000
"""Records that may have a word which is looked for only once, with what it says of each."""
_READ = 0.1
"""Texts that may be read for each place that may be looked at."""
_TELLING = 1.0
_PASSAGE = 40
_ASKING = 30
_STATED = ("decision", "directive")
_WEEK = 7.0
_FEW_HAVE = 2
"""Records that may have a word which tells them apart by itself, however few there are."""
_FEW_OF_MANY = 10
"""The same where records are many."""
_CLOSE = 12
"""Words that may stand between two which say something together."""
_LEAST = 0.01
_SHORT = 3
"""Words of a query that is looked up as a name is, and does not describe what it is after."""
_MOST_UNKNOWN = 3
"""Words of a question, had by no record, that make what a record has of it less: more of them are a long story."""
_YEAR = 365.25 * 24 * 3600 * 1e6
NEAR, TITLE, NEIGHBOURS = "near each other", "its title", "its neighbours"
AROUND, DAYS = "its passage", "its date"
MEANING = "its meaning"
_NEAREST = 200
"""Records that are looked at because of their meaning alone, …"""
_NEAR_ENOUGH = 0.25
"""… and how near to the question they have to be for that, from 0 to 1."""


class Weights:
    """What counts how much."""

    title = 3.0
    tags = 3.0
    summary = 2.0
    body = 1.0
    about = 1.0
    dated = 0.5
    parts = 1.0
    pair = 0.5
    exact = 0.5
    titled = 1.5
    next = 0.3
    second = 0.25
    passage = 0.35
    day = 0.2
    asking = 0.85
    old = 0.4
    untrue = 0.7
    recent = 0.02
    stated = 1.1
    reason = 1.4
    unknown = 0.5


WEIGHTS = Weights()


class RankFacts:
    """What ranking needs of a record beside its words."""

    __slots__ = ("day", "expires", "hollow", "instant", "kind", "ordinal", "rowid", "session", "superseded")

    def __init__(self, row: "tuple[int, str | None, int, int | None, str | None, int, int | None, int, str]") -> None:
        self.rowid, self.session, self.ordinal, self.instant, self.day, self.superseded, self.expires, *rest = row
        self.hollow, self.kind = rest

    def is_over(self, now: float) -> bool:
        """Whether the record should no longer be relied on; `now` in microseconds since 1970."""
        return self.expires is not None and self.expires <= now


_COST = "bm25(words, {0.title}, {0.tags}, {0.summary}, {0.body}, {0.about}, {0.dated}, {0.parts})"
_BEST = "select rowid from words where words match ?{fits}{others} order by {cost} limit ?"
_TOTAL = """
select count(*) from words where words match ? and rowid not in (select rowid from record where hollow){fits}{others}
"""
_OTHERS = " and +rowid not in (select value from json_each(?))"
_FITS = " and +rowid in (select rowid from temp.fitting)"
_FITTING = "create temp table fitting as select r.rowid as rowid from record r where {}"
_COUNT = "select count(*) from words where words match ?"
# The plus keeps SQLite from asking the full-text index anew for each rowid.
_OWN = "select rowid, {cost} from words where words match ? and +rowid in (select value from json_each(?))"
_FEW = "select rowid, {cost} from words where words match ?"
_HAVE = "select rowid from words where words match ? and +rowid in (select value from json_each(?))"
_HOLLOW = "select rowid from record where hollow"
_BOTH = "select rowid from words where words match ?"
_CALLED = "select 1 from words where words match ? and rowid = ?"
_AROUND = """
select o.rowid, r.rowid, abs(r.ordinal - o.ordinal)
from json_each(?) c join record o on o.rowid = c.value
join record r on r.session = o.session and r.ordinal between o.ordinal - 2 and o.ordinal + 2 and r.rowid != o.rowid
where {fits}
"""
_AMONG = "r.rowid in (select rowid from temp.fitting)"
_QUESTIONS = """
select rowid from words where rowid in (select value from json_each(?)) and substr(rtrim(body), -1) = '?'
"""
_FACTS = """
select rowid, session, ordinal, instant, day, superseded, expires, hollow, kind
from record where rowid in (select value from json_each(?))
"""


class Ranking:
    """Scores of one question, part by part."""

    def __init__(
        self,
        db: sqlite3.Connection,
        weights: Weights = WEIGHTS,
        fits: "Where | None" = None,
        limit: int = 10,
        postings: int = POSTINGS,
    ) -> None:
        """`postings` is how many places of words may be looked at; more take longer."""
        self._db = db
        self._weights = weights
        self._cost = _COST.format(weights)
        self._postings = postings
        self._all = fits is None
        if fits is not None:  # worked out once for all that asks for it
            db.execute("drop table if exists temp.fitting")
            db.execute(_FITTING.format(fits.sql), fits.values)
        [(self._count,)] = db.execute("select count(*) from record")
        self._grouped = bool(db.execute("select 1 from record where session is not null limit 1").fetchone())
        self._candidates = max(CANDIDATES if self._grouped else _ALONE, 3 * limit)
        self._few: dict[str, dict[int, float]] = {}
        self._misread: dict[str, set[int]] = {}
        """By spelling: the records that have only its stem, of another word."""
        self._words: list[dict[int, float]] = []
        self.parts: dict[str, dict[int, float]] = {}
        """By part, by record: what it adds; what multiplies is named so."""
        self.scores: dict[int, float] = {}
        self.facts: dict[int, RankFacts] = {}
        self.total = 0
        """How many records have any of the words, or mean what was asked."""
        self._hollow: set[int] = set()
        self._counts: dict[str, int] = {}
        """By word: how many records have it that say something."""
        self._rare_names: list[str] = []
        self._meant: set[int] = set()
        self._unknown = 0
        self._spelled: dict[str, tuple[str, ...]] = {}
        self._names: dict[str, list[str]] = {}
        self.left_out: list[str] = []
        """Words that are too common to be looked for beside the others."""

    def words(self, terms: "Sequence[SearchTerm]") -> None:
        """The records whose own words answer best, with what these say."""
        terms = [each for each in terms if not each.exact or self._is_quick(each)]
        counts = {each: self._how_many(each) for one in terms for each in one.spellings}
        affordable = self._affordable(terms, counts)
        for spelling in {one for term in affordable for one in term.spellings if counts[one]}:
            if counts[spelling] > self._postings * _READ:
                continue  # so many texts cannot be read in a moment
            if strangers := inflections.misread(self._db, spelling):
                self._misread[spelling] = strangers
                counts[spelling] -= len(strangers)
        kept = [each for each in affordable if any(counts[one] for one in each.spellings)]
        self._unknown = sum(not each.exact and not any(counts[one] for one in each.spellings) for each in terms)
        self._spelled = {each.shown: each.spellings for each in kept}
        if not kept:
            return
        self._hollow = {rowid for (rowid,) in self._run(_HOLLOW)}
        spellings = list(dict.fromkeys(spelling for each in kept for spelling in each.spellings))
        self._look_up(spellings, counts)
        self.scores = dict.fromkeys(self._added_up(spellings) or self._sorted_out(spellings), 0.0)
        for each in kept:
            self._word(each, counts)
        for one, two in pairwise(kept):
            self._pair(one, two, counts)
        words = [each for each in kept if not each.exact]
        if len(words) + self._unknown <= _SHORT:
            self._titles(words, counts)

    def _added_up(self, spellings: "Sequence[str]") -> list[int]:
        """The best of few records: what each word says of all that have it, added up. None when they are many."""
        if not self._all or any(spelling not in self._few for spelling in spellings):
            return []
        costs: dict[int, float] = {}
        for spelling in spellings:
            for rowid, cost in self._few[spelling].items():
                costs[rowid] = costs.get(rowid, 0.0) + cost
        self.total = len(costs.keys() - self._hollow)
        return sorted(costs, key=lambda rowid: (costs[rowid], rowid))[: self._candidates]

    def _sorted_out(self, spellings: "Sequence[str]") -> list[int]:
        """The best of many records, as the index sorts them."""
        match, fits = " OR ".join(spellings), "" if self._all else _FITS
        strangers = self._strangers(spellings)
        others, values = (_OTHERS, [_listed(strangers)]) if strangers else ("", [])
        [(self.total,)] = self._run(_TOTAL.format(fits=fits, others=others), match, *values)
        best = _BEST.format(fits=fits, others=others, cost=self._cost)
        return [rowid for (rowid,) in self._run(best, match, *values, self._candidates)]

    def _strangers(self, spellings: "Iterable[str]") -> set[int]:
        """Records that have none of the words, and only stems that they share with others."""
        found = {rowid for each in self._misread.values() for rowid in each}
        for each in spellings if found else ():
            found -= {rowid for (rowid,) in self._run(_HAVE, each, _listed(found))} - self._misread.get(each, set())
        return found

    def _run(self, sql: str, *values: str | int) -> sqlite3.Cursor:
        return self._db.execute(sql, values)

    def _how_many(self, spelling: str) -> int:
        """How many records have a word."""
        [(count,)] = self._run(_COUNT, spelling)
        return int(count)

    def _look_up(self, spellings: "Sequence[str]", counts: dict[str, int]) -> None:
        """Keep all that rare words say of records: where all are rare, and where records say nothing.

        Beside a common word the index has to sort all records anyway, and only the best are asked about.
        """
        rare = [each for each in spellings if counts[each] <= min(_RARE, self._postings // 4)]
        if self._hollow or len(rare) == len(spellings):
            self._few = {each: dict(self._real(each, self._run(_FEW.format(cost=self._cost), each))) for each in rare}

    def _real(self, spelling: str, costs: "Iterable[tuple[int, float]]") -> "Iterable[tuple[int, float]]":
        """What a word says of the records that have it, and not only its stem."""
        strangers = self._misread.get(spelling)
        return ((rowid, cost) for rowid, cost in costs if rowid not in strangers) if strangers else costs

    def _is_quick(self, phrase: "SearchTerm") -> bool:
        """Whether a phrase can be looked for several times, as ranking does. Its words count one by one too."""
        rarest = min(map(self._how_many, map(quoted, phrase.shown.strip('"').split())))
        if rarest > _COMMON:
            self.left_out.append(phrase.shown)
        return rarest <= _COMMON

    def _affordable(self, terms: "Sequence[SearchTerm]", counts: dict[str, int]) -> "Sequence[SearchTerm]":
        """Of very common words, only the rarest: as many as can be ranked by in a moment."""
        left = self._postings
        kept: set[str] = set()
        for each in sorted(terms, key=lambda one: _most(one, counts)):
            left -= sum(counts[one] * (_BEGINNING if one.endswith("*") else 1) for one in each.spellings)
            if left < 0 and kept:
                self.left_out.append(each.shown)
            else:
                kept.add(each.shown)
        return [each for each in terms if each.shown in kept]

    def _costs(self, spelling: str) -> "Iterable[tuple[int, float]]":
        """What a word says of the candidates."""
        if spelling in self._few:
            return ((rowid, cost) for rowid, cost in self._few[spelling].items() if rowid in self.scores)
        return self._real(spelling, self._run(_OWN.format(cost=self._cost), spelling, _listed(self.scores)))

    def _word(self, term: "SearchTerm", counts: dict[str, int]) -> None:
        found: dict[int, float] = {}
        for spelling in term.spellings:
            count = counts[spelling] + len(self._misread.get(spelling, ()))
            # FTS5's own rarity is next to nothing for words in half of all records, so it is taken out again.
            scale = -max(1e-6, log((self._count - count + 0.5) / (count + 0.5)))
            for rowid, cost in self._costs(spelling):
                found[rowid] = max(found.get(rowid, 0.0), cost / scale)
        having = max(counts[each] - len(self._hollow & self._few.get(each, {}).keys()) for each in term.spellings)
        if term.exact:
            if " " in term.shown and having <= _FEW_HAVE:
                self._rare_names.append(term.shown)
        elif having:
            self._counts[term.shown] = having
        else:  # only a template has it
            self._unknown += 1
        scale = self._rarity(_most(term, counts)) * (self._weights.exact if term.exact else 1.0)
        self.parts[term.shown] = {rowid: value * scale for rowid, value in found.items()}
        self._words.append(self.parts[term.shown])
        self._add(self.parts[term.shown])

    def _rarity(self, count: int) -> float:
        return log(1 + (self._count - count + 0.5) / (count + 0.5))

    def _pair(self, one: "SearchTerm", two: "SearchTerm", counts: dict[str, int]) -> None:
        """Words that stand side by side in the question and in a record."""
        worth = self._rarity(max(_most(one, counts), _most(two, counts)))
        if one.exact or two.exact or worth < _TELLING:
            return
        near = f"NEAR({one.spellings[0]} {two.spellings[0]}, 3)"
        value = self._weights.pair * worth
        having = self.parts[one.shown].keys() & self.parts[two.shown].keys()
        both = {rowid: value for (rowid,) in self._run(_BOTH, near) if rowid in having}
        pairs = self.parts.setdefault(NEAR, {})
        pairs.update({rowid: pairs.get(rowid, 0.0) + value for rowid in both})
        self._add(both)

    def _titles(self, words: "Sequence[SearchTerm]", counts: dict[str, int]) -> None:
        """Add to records whose title has words of a short query, which mostly is the name of what it is after."""
        titled = self.parts[TITLE] = {}
        for each in words:
            value = self._weights.titled / len(words) * self._rarity(_most(each, counts))
            match = " OR ".join(f"title : {one}" for one in each.spellings)
            having = self.parts[each.shown]
            for (rowid,) in self._run(_HAVE, match, _listed(having)):
                titled[rowid] = titled.get(rowid, 0.0) + value
        self._add(titled)

    def around(self) -> None:
        """Add what stands around each of the best records."""
        weights = self._weights
        self._look_at(self.scores)
        own = {rowid: score - self._named(rowid) for rowid, score in self.scores.items()}
        near = self.parts[NEIGHBOURS] = {}
        sql = _AROUND.format(fits="1" if self._all else _AMONG)
        for source, target, distance in self._run(sql, _listed(own)) if self._grouped else ():
            value = own[source] * (weights.next if distance == 1 else weights.second)
            near[target] = near.get(target, 0.0) + value
        for rowid in near:
            self.scores.setdefault(rowid, 0.0)
        self._add(near)
        self._look_at(self.scores)
        self._passages()

    def _named(self, rowid: int) -> float:
        """What words of its file's name say of a record: they are in all records of that file, and of none the more."""
        session = self.facts[rowid].session
        if session is None or "/" not in session:
            return 0.0
        return sum(self.parts[word].get(rowid, 0.0) for word in self._in_name(session))

    def _in_name(self, path: str) -> "list[str]":
        """The words of the question that are in the name of a file."""
        if path not in self._names:
            pieces = path.lower().replace("-", "/").replace("_", "/").replace(".", "/").split("/")
            self._names[path] = [
                word
                for word in self._spelled
                if word in self.parts and any(each.startswith(word.lower().rstrip("s")) for each in pieces)
            ]
        return self._names[path]

    def _look_at(self, rowids: "Iterable[int]") -> None:
        rows = self._run(_FACTS, _listed(rowids))
        self.facts.update({row[0]: RankFacts(row) for row in rows})

    def meanings(self, near: "Near", question: str) -> None:
        """Add how near each record is to the question, and the nearest that have none of its words.

        A record that means just what was asked counts as much as the one whose words fit best.
        """
        found = near(self._db, question, "1" if self._all else _AMONG)
        top = max(self.scores.values(), default=0.0) or 1.0
        nearest = [rowid for rowid, value in islice(found.items(), _NEAREST) if value >= _NEAR_ENOUGH]
        self._meant = set(nearest)
        new = [rowid for rowid in nearest if rowid not in self.scores]
        self.scores.update(dict.fromkeys(new, 0.0))
        self._look_at(new)
        part = self.parts[MEANING] = {rowid: top * found[rowid] for rowid in self.scores if rowid in found}
        self._add(part)

    def _passages(self) -> None:
        """How much of the question the passage covers that a record is part of."""
        passages: dict[tuple[str, int], list[int]] = {}
        for rowid in self.scores:
            facts = self.facts[rowid]
            if facts.session is not None:
                passages.setdefault((facts.session, facts.ordinal // _PASSAGE), []).append(rowid)
        covered = self.parts[AROUND] = {}
        for members in passages.values():
            if len(members) > 1:
                session = self.facts[members[0]].session or ""
                named = [self.parts[word] for word in (self._in_name(session) if "/" in session else ())]
                terms = [term for term in self._words if not any(term is each for each in named)]
                value = sum(max(term.get(each, 0.0) for each in members) for term in terms)
                covered.update(dict.fromkeys(members, self._weights.passage * value))
        self._add(covered)

    def days(self, spans: "Sequence[TimeSpan]") -> None:
        """Add to records of the days a question speaks of, and of those just after, when one writes about them."""
        top = max(self.scores.values(), default=0.0) * self._weights.day
        near = {
            rowid: max((_closeness(self.facts[rowid].day, span) for span in spans), default=0.0)
            for rowid in self.scores
        }
        part = self.parts[DAYS] = {rowid: top * value for rowid, value in near.items() if value > _LEAST}
        self._add(part)

    def ages(self, instant: float) -> None:
        """What is replaced, over or no longer true goes down; of equal records the newer is first.

        `instant` is now in microseconds.
        """
        if self._run("select 1 from claimed limit 1").fetchone():
            for rowid in untrue.of_records(self._db, self.facts):
                self._times(rowid, "times untrue", self._weights.untrue)
        for rowid, facts in self.facts.items():
            if facts.superseded:
                self._times(rowid, "times superseded", self._weights.old)
            if facts.is_over(instant):
                self._times(rowid, "times expired", self._weights.old)
            if facts.instant is not None:
                years = max(0.0, instant - facts.instant) / _YEAR
                self._times(rowid, "times recent", 1 + self._weights.recent * 2 ** -min(years, 99.0))

    def kinds(self, *, why: bool) -> None:
        """What was decided is the answer sooner than what is listed, and more so where a question asks `why`."""
        factor = self._weights.reason if why else self._weights.stated
        for rowid, facts in self.facts.items():
            if facts.kind in _STATED:
                self._times(rowid, "times a decision", factor)

    def questions(self) -> None:
        """A record that ends by asking is seldom the answer."""
        best = sorted(self.scores, key=self.scores.__getitem__)[-_ASKING:]
        for (rowid,) in self._db.execute(_QUESTIONS, (_listed(best),)):
            self._times(rowid, "times a question", self._weights.asking)

    def best(self) -> list[int]:
        """The records that have a word of the question, or its meaning, the best first.

        What stands around a record only changes its place. Of equal ones the newer is first, then the one with the
        smaller number.
        """
        kept = [rowid for rowid in self._answering() if not self.facts[rowid].hollow]
        return sorted(kept, key=lambda rowid: (-self.scores[rowid], -(self.facts[rowid].instant or 0), rowid))

    def is_meant(self, rowid: int) -> bool:
        """Whether a record has none of the words, and is there for its meaning."""
        return rowid in self._meant and not any(rowid in word for word in self._words)

    def _answering(self) -> set[int]:
        own = {rowid for word in self._words for rowid in word} | self._meant
        others = self.scores.keys() - own
        if others and self._spelled:  # a neighbour may have a word too, and was not among the best by it
            match = " OR ".join(each for spellings in self._spelled.values() for each in spellings)
            own.update(rowid for (rowid,) in self._run(_HAVE, match, _listed(others)))
            own -= self._strangers(spelling for spellings in self._spelled.values() for spelling in spellings)
        return own

    def fits(self, rowid: int, *, called: bool) -> float:
        """How much of what was asked a record has, from 0 to 1; 0 when that is one word that many others have too, or
        several that stand in its text far from each other.

        With `called`, one word has to be of what the record is called, and not only of its text, and words that no
        record has count too.
        """
        rarity = {word: self._rarity(count) for word, count in self._counts.items()}
        own = [word for word in rarity if rowid in self.parts[word]]
        if BASIC.issuperset(own):
            if called or not own or not self._is_called(rowid, own):
                return 0.0
        elif len(own) < 2:
            if not self._tells(rowid, own[0], called=called) and (called or not self._has_rare_name(rowid)):
                return 0.0
        elif not self._is_called(rowid, own) and not self._has_near(rowid, own):
            return 0.0
        unknown = self._weights.unknown * min(self._unknown, _MOST_UNKNOWN) * self._rarity(1) if called else 0.0
        return sum(map(rarity.__getitem__, own)) / (sum(rarity.values()) + unknown)

    def is_in_passing(self, rowid: int) -> bool:
        """Whether a record has but one word of several that were asked for, and that in its text alone."""
        own = [word for word in self._counts if rowid in self.parts[word]]
        several = len(self._counts) + self._unknown > 1
        return len(own) == 1 and several and not self._is_called(rowid, own) and not self._has_rare_name(rowid)

    def _tells(self, rowid: int, word: str, *, called: bool) -> bool:
        """Whether few records have a word; or, for a question, whether a record is one of few that are titled so."""
        few = max(_FEW_HAVE, min(self._count // 50, _FEW_OF_MANY))
        if self._counts[word] <= few:
            return not called or self._is_called(rowid, [word])
        if called:
            return False
        match = " OR ".join(f"title : {each}" for each in self._spelled[word])
        titled = {each for (each,) in self._run(_BOTH, match)} - self._hollow
        return rowid in titled and len(titled) <= (few if self.facts[rowid].kind in _STATED else _FEW_HAVE)

    def _has_rare_name(self, rowid: int) -> bool:
        """Whether a record has a name of several parts that few have, as `ts-ignore`, though many have its parts."""
        return any(rowid in self.parts[name] for name in self._rare_names)

    def _is_called(self, rowid: int, words: "Sequence[str]") -> bool:
        """Whether what a record is called has one of some words."""
        match = " OR ".join(f"{{title tags summary}} : {each}" for word in words for each in self._spelled[word])
        return self._run(_CALLED, match, rowid).fetchone() is not None

    def _has_near(self, rowid: int, words: "Sequence[str]") -> bool:
        """Whether two of some words stand close to each other in a record."""
        firsts = [self._spelled[word][0] for word in words]
        match = " OR ".join(f"NEAR({one} {two}, {_CLOSE})" for one, two in combinations(firsts, 2))
        return self._run(_CALLED, match, rowid).fetchone() is not None

    def why(self, rowid: int) -> dict[str, float]:
        """The parts of a score."""
        return {name: round(part[rowid], 4) for name, part in self.parts.items() if rowid in part}

    def _add(self, part: dict[int, float]) -> None:
        for rowid, value in part.items():
            self.scores[rowid] += value

    def _times(self, rowid: int, name: str, factor: float) -> None:
        self.parts.setdefault(name, {})[rowid] = factor
        self.scores[rowid] *= factor


def _listed(rowids: "Iterable[int]") -> str:
    """As SQL takes many at once."""
    return f"[{','.join(map(str, rowids))}]"


def _most(term: "SearchTerm", counts: dict[str, int]) -> int:
    """How many records have a word, whatever its spelling."""
    return max(counts[spelling] for spelling in term.spellings)


def _closeness(day: str | None, span: "TimeSpan") -> float:
    """1 inside a span; after its end less with every day."""
    if day is None:
        return 0.0
    at = date.fromisoformat(day)
    if span.first is not None and at < span.first:
        return 0.0
    return 1.0 if span.last is None or at <= span.last else exp((span.last - at).days / _WEEK)
