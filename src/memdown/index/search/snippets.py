"""The part of a record's text that meets a question, with the words marked."""

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from memdown.index import inflections
from memdown.index.terms import SearchTerm
from memdown.index.words import is_metadata
from memdown.lazy import LazyModule
from memdown.markdown.line_ends import split_lines
from memdown.patterns import lazy
from memdown.record import Record

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from memdown.markdown import placeholders
else:  # few texts have brackets
    placeholders = LazyModule("memdown.markdown.placeholders")

MARKS = ("\x02", "\x03")
"""What stands before and after a word that was found, until a surface draws it its own way."""
_LENGTH = 200
_TOKENS = 48
_MATCHING = f"""
select rowid, snippet(words, {{}}, char(2), char(3), '…', {_TOKENS}) from words
where words match ? and {{}}rowid in (select value from json_each(?))
"""
_LONG = 20_000
"""Characters of a text from which on SQLite does not look for the best part: it takes the square of the words found."""
_LONG_ONES = f"select rowid, body from words where length(body) > {_LONG} and rowid in (select value from json_each(?))"
_BEFORE, _AFTER = 60, 340
_MARKED = lazy("\x02([^\x02\x03]*)\x03")
_FIELD = lazy(r"^…?[ \t]*(?:[-*+][ \t]+)?(?:\*\*([^*\n]{1,60}?)(:?)\*\*(?=:?))?")
_BEGINNING = (
    "select rowid, substr(coalesce(nullif(body, ''), summary, title, about), 1, 400) from words where rowid = ?"
)


def snippets(db: sqlite3.Connection, rowids: Sequence[int], terms: Iterable[SearchTerm]) -> dict[int, str]:
    """By rowid; where the words are only around a record, its beginning."""
    found: dict[int, str] = {}
    spellings = [spelling for term in terms for spelling in term.spellings]
    match = " OR ".join(spellings)
    if match:
        for rowid, body in db.execute(_LONG_ONES, (msgspec.json.encode(list(rowids)).decode(),)):
            if part := _first(body, spellings):
                found[rowid] = part
    # Words are found anew for each record, which is fast; the beginnings of words once for all, as that is not.
    once = "+" if "*" in match else ""
    for number, column in ((3, "body"), (2, "summary")) if match else ():
        missing = [rowid for rowid in rowids if rowid not in found]
        if missing:
            values = (f"{column} : ({match})", msgspec.json.encode(missing).decode())
            found.update(db.execute(_MATCHING.format(number, once), values))
    for rowid in rowids:
        if rowid not in found:
            found.update(db.execute(_BEGINNING, (rowid,)))
    wanted = {word for spelling in spellings if inflections.is_ambiguous(word := spelling.strip('"*').casefold())}
    return {rowid: _short(_telling(_unmarked(text or "", wanted))) for rowid, text in found.items()}


def _unmarked(text: str, wanted: set[str]) -> str:
    """Without the marks of words that only share a short stem with one that is wanted."""
    forms = set().union(*map(inflections.forms, wanted))
    for word in {each for each in _MARKED.findall(text) if wanted and inflections.is_ambiguous(each.casefold())}:
        if word.casefold() not in forms:
            text = text.replace(word.join(MARKS), word)
    return text


def _first(text: str, spellings: Iterable[str]) -> str:
    """The part of a long text where one of the words stands first, marked; nothing where none stands as it is asked."""
    folded = text.lower()
    if len(folded) != len(text):  # a letter became two, and places would be others
        return ""
    words = [spelling.strip('"*').lower() for spelling in spellings]
    places = [(at, len(word)) for word in words if word and (at := folded.find(word)) >= 0]
    if not places:
        return ""
    at, size = min(places)
    start = text.rfind(" ", 0, max(at - _BEFORE, 0)) + 1
    before, after = text[max(start, at - 2 * _BEFORE) : at], text[at + size : at + size + _AFTER]
    return f"{'…' if start else ''}{before}{MARKS[0]}{text[at : at + size]}{MARKS[1]}{after}…"


def with_reason(snippet: str, record: Record) -> str:
    """What of a record is shown, and why it is so, where that is kept apart from the text."""
    reason = " ".join(record.rationale.split())
    plain = " ".join(snippet.replace(MARKS[0], "").replace(MARKS[1], "").split())
    return _short(f"{snippet} Why: {reason}") if reason and reason[: _LENGTH // 4] not in plain else snippet


def _telling(text: str) -> str:
    """The lines that say something of the matter, without the marks of lists and fields."""
    lines = split_lines(_seen(text))
    kept = [each for each in lines if _says_something(each.replace(MARKS[0], "").replace(MARKS[1], ""))]
    found = kept or [each for each in lines if MARKS[0] in each]  # else a date and a status, which stand above it
    return "\n".join(_FIELD.sub(r"\1\2", each, count=1) for each in found)


def _seen(text: str) -> str:
    """A piece of a text without comments, which no reader of Markdown shows; with those where a word was found."""
    head, opening, rest = text.partition("<!--")
    if not opening:
        return text
    kept = [head, *(each.partition("-->")[2] for each in rest.split("<!--"))]
    seen = "".join(kept)
    return seen if MARKS[0] in seen or MARKS[0] not in text else text


def _says_something(line: str) -> bool:
    return not is_metadata(line) and not ("[" in line and placeholders.is_placeholder(line))


def _short(text: str) -> str:
    """On one line, and not too long."""
    line = " ".join(text.split())
    if len(line) <= _LENGTH + 100:
        return line
    cut = line[:_LENGTH].rpartition(" ")[0] or line[:_LENGTH]
    return cut + (MARKS[1] if cut.count(MARKS[0]) > cut.count(MARKS[1]) else "") + " …"
