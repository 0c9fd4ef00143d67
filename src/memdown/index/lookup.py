"""What hooks ask the index, which is brought up to date first. Nothing of the engine is loaded unless files changed."""

import os
import sqlite3

from memdown import clock
from memdown.errors import MemdownError
from memdown.homes import ARCHIVES
from memdown.index import sync
from memdown.index.hook_state import State, bare
from memdown.index.rank import Ranking
from memdown.index.schema import CONFIRMED, IN_FILE, WRITER
from memdown.index.sqlite import NAME, Index, Unusable, is_damage
from memdown.index.sync.scan import Scan
from memdown.index.words import is_metadata, labelled, quoted
from memdown.lazy import LazyModule
from memdown.markdown.fence import line

TYPE_CHECKING = False  # as typing's, which hooks cannot afford
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeVar

    from memdown.index import untrue
    from memdown.index.terms import SearchTerm
    from memdown.markdown import blocks, cardfile, merge_comments, placeholders

    T = TypeVar("T")
else:
    cardfile, untrue = LazyModule("memdown.markdown.cardfile"), LazyModule("memdown.index.untrue")
    placeholders = LazyModule("memdown.markdown.placeholders")
    blocks, merge_comments = LazyModule("memdown.markdown.blocks"), LazyModule("memdown.markdown.merge_comments")

Key = tuple[str, str]
"""The instant and the hash of a message; the instant is empty for one that does not say when it was."""
_POSTINGS = 2000
"""Places of words that are looked at for a prompt."""
_BEST = 40
"""Records that are looked at closely for a prompt."""
_PATIENCE = 30.0
"""Seconds for an index that has to be whole, so that no message is kept twice."""
_REACH = 20
"""Lines below a heading that may be what it says of now."""
_LENGTH = 300
"""Characters from which a claim is long enough."""
_CLAIMED = ("decision", "directive", "summary", "what")
"""Labels of lines that say what was decided."""
_REASONS = ("rationale", "reason", "why")
"""Labels of lines that say why."""
_MADE = ("nitial", "reated", "was made", "ession started")
"""Parts of words by which a record may say no more than that its file was made."""
_IN_FORCE = "r.superseded = 0 and (r.expires is null or r.expires > :now)"
_STATED = f"{_IN_FORCE} and not r.hollow"
"""A template's placeholder is never stated as a fact."""
_CARDS = f"select r.rowid from record r where r.dialect = 'cards' and r.kind <> 'prose' and {_IN_FORCE}"
_OF_KIND = f"""
select r.rowid from record r where r.kind = :kind and coalesce(r.day, '') >= :since and {_STATED}
"""
_UNARCHIVED = "".join((_OF_KIND, *(f" and '/' || r.path not like '{each}' escape '^'" for each in ARCHIVES)))
"""What was moved to an archive is over, whatever it says of itself."""
_ENTRIES = f"""
select r.rowid from record r where r.dialect <> 'cards' and r.instant is not null and {_STATED} and r.kind not in
    ('prose', 'section', 'directive', 'decision', 'task', 'step', 'session', 'cache', 'modification')
"""
_NEWEST = f" order by r.instant desc, r.path, {IN_FILE}"
"""The newest first; of those of one day, or of none, the last of a file, unless its dates say that it grows upwards."""
_POINTS = """
select p.part, f.path, p.line, p.text, f.size, f.mtime_ns, f.number from point p join file f on f.number = p.file
order by length(f.path) - length(replace(f.path, '/', '')), f.path, p.position
"""
_MERGED = "select f.path, p.line from point p join file f on f.number = p.file where p.part = 'merged' limit 100"
"""Where a merge kept both sides."""
_FIRST = f"""
select r.rowid, min(r.start) from record r join file f on f.number = r.file
where r.kind <> 'prose' and {_STATED} group by r.file order by f.mtime_ns desc, f.path
"""
_TITLED = f"""
select r.rowid, words.title from words join record r on r.rowid = words.rowid
where words match :match and {_STATED} order by length(words.title), r.instant desc, r.path, r.start limit 500
"""
_TOLD = f"r.kind not in ('prose', 'index', 'log') and {_STATED}"
_SCOPED = f"""
select r.rowid, case l.type when 'area' then 'area:' || lower(l.target) else l.target end as named
from link l join record r on r.rowid = l.record
where l.type in ('file', 'area') and named in (select value from json_each(:targets)) and {_TOLD}
union select r.rowid, s.value from json_each(:targets) s join record r on r.scope = s.value where {_TOLD}
"""
_WITH_TEXT = f"""
select r.rowid, words.title, words.summary, words.body, words.about from words join record r on r.rowid = words.rowid
where words match :match and {_TOLD} order by r.instant desc limit 500
"""
_RECORD = f"""
select r.id, r.dialect, r.kind, r.path, r.line, r.end_line, r.instant, r.day, r.scope, w.title, w.summary, w.body,
    coalesce(json_extract(r.extra, '$.rationale'), json_extract(r.extra, '$.Why')), r.status,
    {WRITER},
    {CONFIRMED}, r.content,
    case when r.dialect = 'layers' and r.path not like '%^_archive.md' escape '^' then
        coalesce((select m.day from record m where m.file = r.file and m.kind = 'memory'), 'none') end,
    o.note, o.settled
from record r join words w on w.rowid = r.rowid left join origin o on o.record = r.rowid where r.rowid = ?
"""
_SNIPPET = """
select snippet(words, 3, '', '', '…', 48), iif(instr(body, '<!--'), body, '')
from words where words match ? and rowid = ?
"""
_FRESH = "select f.path, f.size, f.mtime_ns from record r join file f on f.number = r.file where r.rowid = ?"
_FILES = "select path, size, mtime_ns from file"
_OWN = "select name, size, mtime from kept"
_SAME = """
select json_extract(r.extra, '$.content_hash'), w.body from record r join words w on w.rowid = r.rowid
where r.dialect = 'cards' and r.kind <> 'prose' and (:at = ''
    or r.instant = cast(strftime('%s', substr(:at, 1, 19)) as integer) * 1000000 + cast(substr(:at, 21) as integer))
"""


class IndexedRecord:
    """A record as the index has it, as far as hooks say something of it."""

    __slots__ = (
        *("alone", "author", "body", "confirmed", "day", "dialect", "end", "id", "instant", "kind", "line", "number"),
        *("merged", "origin", "path", "reason", "scope", "settled", "stamped", "status", "summary", "title", "untrue"),
    )

    def __init__(self, number: int, row: "tuple[str | int | None, ...]") -> None:
        texts = [str(each or "") for each in row]
        self.number = number
        self.id, self.dialect, self.kind, self.path = texts[:4]
        self.line, self.end, self.instant = int(texts[4]), int(texts[5]), int(texts[6] or 0)
        self.day, self.scope, self.status = texts[7], texts[8], texts[13]
        self.title, self.summary, self.body, self.reason = map(_shown, texts[9:13])
        self.author, self.confirmed, self.alone = texts[14], texts[15], bool(texts[16])
        self.stamped = texts[17]
        """The day its file says it was updated, or none; empty where files say no such thing."""
        self.origin, self.settled = texts[18], texts[19] == "1"
        """How it came here, where that is not by the user's own commit, and whether that is no reason for doubt."""
        self.untrue: list[untrue.Untrue] = []
        """What it says of the code that is no longer so."""
        self.merged = False
        """Whether a merge kept both sides of it."""

    @property
    def key(self) -> str:
        """What it is known by during a session."""
        return f"{self.path}#{self.id}"

    def named(self) -> str:
        """The record on one line: its day, its title, the scope of a card."""
        scope = f" [{line(self.scope)}]" if self.dialect == "cards" and self.scope not in ("", "global") else ""
        title = line(self.title or self.path)
        day = f"{line(self.day)} " if self.day and self.day not in title else ""
        return f"{day}{title}{scope}"

    def doubt(self) -> str:
        """What of it is no longer so, on one line; empty when all holds, as far as that is known."""
        return line(untrue.sentence(self.untrue)) if self.untrue else ""

    def headline(self, standing: str = "", age: str = "") -> str:
        """The same as an item of a list, with its place, and with what speaks against relying on it."""
        word = "unconfirmed: " if standing else "stale: " if age or self.untrue else ""
        came = line(self.origin) if self.origin != standing else ""
        merged = merge_comments.versions() if self.merged else ""
        place = "; ".join(filter(None, (f"{self.path}:{self.line}", line(standing), came, age, self.doubt(), merged)))
        return f"- {word}{self.named()} ({place})" if self.title else f"- {word}{place}"

    def claim(self, text: str) -> "list[str]":
        """Its summary, else what a part of its text says, in a line or a few."""
        if self.summary and self.summary != self.title:
            return [self._doubted(line(self.summary))]
        return [self._doubted(each) for each in _telling(text) if bare(each) != line(self.title)]

    def _doubted(self, text: str) -> str:
        """A line with a word behind each thing that is no longer there, so that nothing is stated that is not so."""
        for each in self.untrue:
            at = text.find(each.target) + len(each.target)
            if at >= len(each.target):
                at += text[at : at + 1] == "`"
                text = f"{text[:at]} [{each.state}]{text[at:]}"
        return text

    def says_made(self) -> bool:
        """Whether it says no more than that a file was made, which is no news and answers nothing."""
        text = bare(self.body) or bare(self.title)
        if not any(word in text for word in _MADE) or (self.kind != "section" and text != bare(self.title)):
            return False
        return placeholders.says_made(text)

    def overlaps(self, other: "IndexedRecord") -> bool:
        """Whether both stand in the same lines, as a section and its item do."""
        return self.path == other.path and self.line <= other.end and other.line <= self.end

    def copies(self, other: "IndexedRecord") -> bool:
        """Whether both say the same of the same day, as where agents hand their histories on."""
        return (self.title, self.body, self.day) == (other.title, other.body, other.day)


def _shown(text: str) -> str:
    """Text without comments, which no reader of Markdown shows."""
    return blocks.without_comments(text) if "<!--" in text else text


def _shown_part(text: str, part: str) -> str:
    """A part of a text without the comments of the whole, of which it may have a piece."""
    at = text.find(part)
    return _shown(part) if at < 0 else blocks.blanked(text)[at : at + len(part)]


def is_same_title(title: str, other: str) -> bool:
    """Whether two titles differ in case, markup and punctuation alone."""
    return _letters(title) == _letters(other)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _telling(text: str) -> "list[str]":
    """The first lines that are more than metadata and placeholders; headings only where there is nothing else."""
    lines: list[str] = []
    every = text.splitlines()
    for raw in [each for each in every if not each.startswith("#")] or every:
        label, rest = labelled(raw)
        is_open = "[" in raw and placeholders.is_placeholder(raw)
        if any(map(str.isalnum, raw)) and not is_metadata(raw) and not is_open:
            said = rest if label in _CLAIMED else f"Why: {rest}" if label in _REASONS else ""
            lines.append(line(said if said and rest.strip() else raw))
        if sum(map(len, lines)) > _LENGTH:
            break
    return lines


class Lookup:
    """The index during one question."""

    def __init__(self, db: sqlite3.Connection, root: str, *, behind: bool) -> None:
        """`behind` says that files changed which the index does not have yet."""
        self._db = db
        self.root = root
        self._behind = behind
        self._now = clock.microseconds()
        self._has_claims = db.execute("select 1 from claimed limit 1").fetchone() is not None
        self._merged = db.execute(_MERGED).fetchall()

    def cards(self) -> "Iterator[IndexedRecord]":
        """The newest first."""
        return self._records(self._db.execute(_CARDS + _NEWEST, {"now": self._now}))

    def card_count(self) -> int:
        count: int = self._db.execute(f"select count(*) from ({_CARDS})", {"now": self._now}).fetchone()[0]
        return count

    def of_kind(self, kind: str, since: str = "") -> "Iterator[IndexedRecord]":
        """Records of a kind that are in force, the newest first; those of a day or later.

        Directives and decisions of an archive are not among them.
        """
        given = {"kind": kind, "since": since, "now": self._now}
        rows = _UNARCHIVED if kind in ("directive", "decision") else _OF_KIND
        return self._records(self._db.execute(rows + _NEWEST, given))

    def entries(self) -> "Iterator[IndexedRecord]":
        """Entries of everything but cards and what has a part of its own in a briefing, the newest first."""
        return self._records(self._db.execute(_ENTRIES + _NEWEST, {"now": self._now}))

    def firsts(self) -> "Iterator[IndexedRecord]":
        """The first record of each file, those of the file that was changed last first."""
        rows = self._db.execute(_FIRST, {"now": self._now})
        return self._records((number,) for number, _ in rows)

    def points(self) -> "list[tuple[str, str, int, str]]":
        """What files say of now: the part of a briefing it is, the file, the line, the text."""
        rows = self._db.execute(_POINTS).fetchall()
        fresh = [row for row in rows if not self._behind or self._is_same(row[1], row[4], row[5])]
        return [(part, path, at, self._doubted(file, at, text)) for part, path, at, text, _, _, file in fresh]

    def _doubted(self, file: int, at: int, text: str) -> str:
        """What stands at a line of a file, or right below its heading, with what of it is no longer so."""
        below = untrue.of_lines(self._db, self.root, file, at, at + _REACH) if self._has_claims else ()
        found = [each for each in below if each.target in text]
        return f"{text} [{untrue.sentence(found)}]" if found else text

    def lacking(self) -> "list[str]":
        """The files that a home should have and has not."""
        row = self._db.execute("select value from meta where key = 'lacking'").fetchone()
        return str(row[0]).splitlines() if row else []

    def paths(self) -> "dict[str, int]":
        """The files that a dialect reads, and how many bytes they have."""
        return dict(self._db.execute("select path, size from file where dialect is not null"))

    def dialects(self, home: str) -> "list[str]":
        """The dialects that read files in a folder."""
        rows = self._db.execute(
            "select distinct dialect from file where substr(path, 1, ?) = ?", (len(home) + 1, f"{home}/")
        )
        return [dialect for (dialect,) in rows if dialect]

    def kept(self) -> "list[str]":
        """All files in folders of memory that have text."""
        return [path for (path,) in self._db.execute("select path from file where size > 0")]

    def called(self, text: str) -> "list[tuple[int, str]]":
        """The records in force whose titles have this text, the shortest title first, then the newest."""
        given = {"match": f"title : {quoted(text)}", "now": self._now}
        return self._db.execute(_TITLED, given).fetchall() if any(map(str.isalnum, text)) else []

    def numbered(self, numbers: "list[int]") -> "Iterator[IndexedRecord]":
        """The records with these numbers, as far as they are what the files have."""
        return self._records((number,) for number in numbers)

    def best(self, words: "list[SearchTerm]", *, called: bool, enough: float) -> "Iterator[IndexedRecord]":
        """The records that answer best and are still in force: those that have `enough` of what was asked, from 0 to 1.

        With `called`, one word in common counts only where the record is called by it. So it is beside a record that
        has more in common.
        """
        ranking = Ranking(self._db, limit=_BEST // 3, postings=_POSTINGS)
        ranking.words(words)
        ranking.around()
        ranking.ages(self._now)
        ranking.kinds(why=False)
        answered = False
        for number in ranking.best()[:_BEST]:
            facts = ranking.facts[number]
            if facts.superseded or facts.is_over(self._now):
                continue
            if ranking.fits(number, called=called) < enough:
                continue
            in_passing = ranking.is_in_passing(number)
            if not (in_passing and answered):
                answered |= not in_passing
                yield from self._records([(number,)])

    def scoped(self, targets: "list[str]") -> "Iterator[tuple[IndexedRecord, str]]":
        """Records in force whose scope or link to a file or area is one of these, each with which."""
        listed = self._db.execute(f"select json_array({', '.join('?' * len(targets))})", targets).fetchone()[0]
        for number, target in self._db.execute(_SCOPED, {"targets": listed, "now": self._now}).fetchall():
            for record in self._records([(number,)]):
                yield record, target

    def with_text(self, text: str) -> "Iterator[tuple[IndexedRecord, list[str]]]":
        """Records in force that have the words of a text side by side, the newest first, with all their texts."""
        for number, *texts in self._db.execute(_WITH_TEXT, {"match": quoted(text), "now": self._now}).fetchall():
            for record in self._records([(number,)]):
                yield record, [each or "" for each in texts]

    def snippet(self, record: IndexedRecord, words: "list[SearchTerm]") -> str:
        """The part of its body that has most of the words."""
        match = " OR ".join(spelling for each in words for spelling in each.spellings)
        row = self._db.execute(_SNIPPET, (match, record.number)).fetchone() if match else None
        if not row:
            return record.body
        part, commented = row[0] or "", row[1] or ""
        return _shown_part(commented, part.strip("…")) if commented else part

    def _records(self, rows: "Iterable[tuple[int]]") -> "Iterator[IndexedRecord]":
        for (number,) in rows:
            if not self._behind or self._is_fresh(number):
                record = IndexedRecord(number, self._db.execute(_RECORD, (number,)).fetchone())
                if self._has_claims:
                    record.untrue = untrue.of_records(self._db, (number,)).get(number, [])
                record.merged = any(
                    path == record.path and record.line <= at <= record.end for path, at in self._merged
                )
                yield record

    def _is_fresh(self, number: int) -> bool:
        return self._is_same(*self._db.execute(_FRESH, (number,)).fetchone())

    def _is_same(self, path: str, size: int, mtime: int) -> bool:
        try:
            seen = os.stat(os.path.join(self.root, path))
        except OSError:
            return False
        return bool((seen.st_size, seen.st_mtime_ns) == (size, mtime))


def patience(state: State) -> float:
    """How many seconds of work a refresh may take; `MEMDOWN_REFRESH_MS` counts before the settings."""
    wanted = os.environ.get("MEMDOWN_REFRESH_MS", "")
    if wanted and not (wanted.isascii() and wanted.isdigit()):
        state.messages.append(f"MEMDOWN_REFRESH_MS is ignored: set it to milliseconds such as 150, not to {wanted!a}")
        wanted = ""
    return int(wanted or state.settings.refresh_ms) / 1000


def ask(state: State, question: "Callable[[Lookup], T]", wanted: "Iterable[str]" = ()) -> "T":
    """Ask the index as it is after as much refreshing as there is time for; a damaged one is made anew.

    Where not all can be read in time, files that have the `wanted` texts come first.
    """
    limit = patience(state)
    for _ in range(2):
        index, counts = sync.refresh(state.root, limit=limit, wanted=wanted, tell=state.messages.append)
        try:
            with index.reading() as db:
                return question(Lookup(db, state.root, behind=counts.get("left", 0) > 0))
        except sqlite3.DatabaseError as error:
            fault = error
        finally:
            index.close()
        if is_damage(fault):
            index.discard()
    raise MemdownError(f"the index cannot be queried: {fault}")


def known_messages(state: State, keys: "Iterable[Key]") -> set[Key]:
    """Which of these messages are cards already, whoever wrote them."""
    index = _with_all_cards(state)
    if index is None:
        return set()
    try:
        return {key for key in keys if _is_card(index.connection, *key)}
    except sqlite3.DatabaseError as error:
        index.discard()  # the next one is made from the files
        raise MemdownError(f"the index cannot be queried: {error}") from error
    finally:
        index.close()


def _is_card(db: sqlite3.Connection, instant: str, hash: str) -> bool:
    """Whether a card has this content of this time; without a time, the content alone says that it is the same."""
    rows = db.execute(_SAME, {"at": instant})
    return any((own or cardfile.content_hash(cardfile.canonical(body or ""))) == hash for own, body in rows)


def _with_all_cards(state: State) -> Index | None:
    """An index that has every card but those that hooks kept since; None when there are no others."""
    scan = Scan(state.root, dict.fromkeys(state.settings.homes("cards")))
    own = {name: (size, mtime) for name, size, mtime in state.db.execute(_OWN)}
    others = {name: seen[:2] for name, seen in scan.states().items() if own.get(name) != seen[:2] and "/." not in name}
    if scan.simple and not others:
        return None
    index = None
    try:
        index = Index.open(os.path.join(state.root, ".memdown", NAME))
        if index is not None and not index.outdated:
            known = {path: (size, mtime) for path, size, mtime in index.connection.execute(_FILES)}
            if scan.simple and all(known.get(name) == seen for name, seen in others.items()):
                return index
    except (Unusable, sqlite3.DatabaseError):
        pass  # the refresh finds out why, and mends it
    if index is not None:
        index.close()
    return sync.refresh(state.root, limit=_PATIENCE, tell=state.messages.append)[0]
