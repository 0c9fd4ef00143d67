"""A query as a condition of SQL. Every value is a parameter, and every text is quoted for the full-text index."""

import sqlite3
from datetime import datetime, timedelta

from msgspec import Struct

from memdown.errors import Invalid
from memdown.homes import ARCHIVES
from memdown.index import inflections
from memdown.index.query import SHORTEST, All, Any, Filter, Node, Not, Query, Term
from memdown.index.words import quoted, spelled
from memdown.limits.settings import DEFAULTS
from memdown.patterns import lazy

_WORK = 1_000_000
"""Words of phrases, each times the records that may have it: how much is looked at for one query."""
_QUOTED = 24
_RUN = lazy(r"[^\W_]+")
_HOW_MANY = "select count(*) from words where words match ?"
_TEXT = "r.rowid in (select rowid from words where words match ?)"
_REAL = f"r.rowid in (select rowid from words where words match ? and really(?, {', '.join(inflections.COLUMNS)}))"
_ARCHIVED = "({})".format(" or ".join(f"'/' || r.path like '{each}' escape '^'" for each in ARCHIVES))
"""By the name of the folder or of the file."""
_HAS = {
    "author": "r.rowid in (select record from person)",
    "date": "r.at is not null",
    "expiry": "r.expires is not null",
    "link": "r.rowid in (select record from link)",
    "scope": "r.scope is not null",
    "session": "r.session is not null",
    "status": "r.status is not null",
    "summary": "r.rowid in (select rowid from words where summary is not null and summary != '')",
    "tag": "r.rowid in (select record from tag)",
    "title": "r.rowid in (select rowid from words where title is not null and title != '')",
}


class Where(Struct, frozen=True):
    """A condition on `record r`, and the values it asks for."""

    sql: str
    values: tuple[str | int, ...] = ()


EVERYTHING = Where("1")
"""The condition that every record fulfils."""


def condition(query: Query, now: datetime, *, words: bool) -> Where:
    """What a record must fulfil; `words` says whether plain words are part of that."""
    return where(All((*query.must, *(_beginnings(query) if words else ()))), now)


def undated(query: Query, now: datetime) -> Where:
    """The same for records that fit but for their missing date."""
    kept = tuple(node for node in query.must if not _is_time(node))
    return _joined((where(All((*kept, *_beginnings(query))), now), Where("r.at is null")), "and")


def _beginnings(query: Query) -> list[Term]:
    """Plain words as a list wants them; a short one is only itself."""
    return [
        Term(term.text, "prefix") if term.form == "word" and len(term.text) >= SHORTEST else term
        for term in query.words
    ]


def where(node: Node, now: datetime) -> Where:
    """The condition a part of a query stands for."""
    match node:
        case Term():
            return _text(fts(node))
        case Filter():
            return _filter(node, now)
        case Not(of=inner):
            found = where(inner, now)
            return Where(f"(not coalesce({found.sql}, 0))", found.values)
        case All(of=parts):
            return _joined(tuple(where(each, now) for each in parts), "and")
        case Any(of=parts):
            texts = [fts(each) for each in parts if isinstance(each, Term)]
            others = tuple(where(each, now) for each in parts if not isinstance(each, Term))
            # One question to the full-text index instead of many, but for words that it may misread.
            plain = [each for each in texts if inflections.pattern(each) is None]
            together = (Where(_TEXT, (" OR ".join(plain),)),) if plain else ()
            return _joined((*together, *(_text(each) for each in texts if each not in plain), *others), "or")


def _text(match: str) -> Where:
    """Records that have a text, and not only the stem of a word of it."""
    return Where(_TEXT, (match,)) if inflections.pattern(match) is None else Where(_REAL, (match, match))


def fts(term: Term) -> str:
    """A text as the full-text index reads it: always inside quotes, in any of the spellings it is found under."""
    star = "*" if term.form == "prefix" else ""
    return " OR ".join(each if each.endswith("*") else each + star for each in spelled(term.text))


def prepare(db: sqlite3.Connection) -> None:
    """Give a connection the functions that conditions compare with."""
    try:
        db.execute("select folded('')").close()
    except sqlite3.OperationalError:  # there is none yet; giving it again would fail while a statement runs
        db.create_function("folded", 1, _folded, deterministic=True)
        db.create_function("really", 1 + len(inflections.COLUMNS), _really, deterministic=True)


def check(db: sqlite3.Connection, query: Query) -> None:
    """Refuse phrases that would take long: the more records have all of the words, the more are looked at."""
    phrases = [runs for term in query.terms() if len(runs := _RUN.findall(term.text)) > 1]
    if sum(map(len, phrases)) > _QUOTED:
        raise Invalid(f"The phrases of the query have more than {_QUOTED} words together; put fewer of them in quotes.")
    if sum(len(phrase) * _rarest(db, phrase) for phrase in phrases) > _WORK:
        raise Invalid("The words of the phrases are in too many records; put fewer of them in quotes.")


def _rarest(db: sqlite3.Connection, phrase: list[str]) -> int:
    """How many records have the rarest word of a phrase."""
    return min(int(count) for word in set(phrase) for (count,) in db.execute(_HOW_MANY, (quoted(word),)))


def _folded(text: object) -> str | None:
    return text.casefold() if isinstance(text, str) else None


def _really(match: str, *texts: str | None) -> bool:
    real = inflections.pattern(match)
    return real is None or inflections.has(real, texts)


def _joined(parts: tuple[Where, ...], joined: str) -> Where:
    sql = f" {joined} ".join(each.sql for each in parts)
    return Where(f"({sql})", tuple(value for each in parts for value in each.values)) if parts else EVERYTHING


def _is_time(node: Node) -> bool:
    return isinstance(node, Filter) and node.moment is not None


def _filter(wanted: Filter, now: datetime) -> Where:
    value = wanted.value.casefold()
    match wanted.name:
        case "kind":
            return _same("r.kind", value)
        case "tag":
            return Where("r.rowid in (select record from tag where folded = ?)", (value.lstrip("#"),))
        case "author":
            return Where("r.rowid in (select record from person where name = ?)", (value.lstrip("@"),))
        case "scope":
            return _same("r.scope", value)
        case "project":
            return _joined((_same("r.scope", value), _same("r.scope", f"project:{value}")), "or")
        case "status":
            return Where("instr(folded(r.status), ?)" if not value.isascii() else "instr(lower(r.status), ?)", (value,))
        case "dialect":
            return Where("r.dialect = ?", (value,))
        case "path":
            return _below(wanted.value)
        case "id":
            return Where("(r.id >= ? and r.id < ?)", (wanted.value, wanted.value + "\U0010ffff"))
        case "has":
            return Where(_HAS[value])
        case "is":
            return _is(value, now)
        case _:
            return _in_time(wanted)


def _same(column: str, value: str) -> Where:
    """Whatever the case. SQLite knows only that of ASCII, and is faster there."""
    return Where(f"{column} = ? collate nocase" if value.isascii() else f"folded({column}) = ?", (value,))


def _below(path: str) -> Where:
    """A file, or a folder and all below it; the empty name is the root."""
    bare = path.removeprefix("./").strip("/")
    if bare in ("", "."):
        return EVERYTHING
    return Where("(r.path = ? or (r.path > ? and r.path < ?))", (bare, f"{bare}/", f"{bare}0"))


def _is(value: str, now: datetime) -> Where:
    if value == "expired":
        return Where("r.expires <= ?", (micros(now),))
    if value == "stale":
        return Where("r.instant < ?", (micros(now - timedelta(days=DEFAULTS.layers.aging_days)),))
    if value == "archived":
        return Where(_ARCHIVED)
    return Where("r.superseded" if value == "superseded" else "r.at is null")


def _in_time(wanted: Filter) -> Where:
    """A day counts as a whole, as it was written; two times are compared as instants."""
    assert wanted.moment is not None
    sign = ">=" if wanted.name == "after" else "<="
    day = wanted.moment.local.date().isoformat()
    if wanted.moment.precision == "day":
        return Where(f"r.day {sign} ?", (day,))
    return Where(
        f"case r.at_precision when 'day' then r.day {sign} ? else r.instant {sign} ? end",
        (day, micros(wanted.moment.instant())),
    )


def micros(moment: datetime) -> int:
    """Microseconds since 1970, as the index keeps instants."""
    return round(moment.timestamp() * 1_000_000)
