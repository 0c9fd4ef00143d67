"""From the bytes of documents to the rows of a hub: what the index of a working copy would have, for PostgreSQL.

The rows are made by the code that fills the index of a working copy, so that both hold the same of the same file.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from memdown.acts.check import engine
from memdown.dialects import relations as relating
from memdown.dialects.finder import LINKING
from memdown.index import Index
from memdown.index.rows import GatheredRows
from memdown.index.sync import past
from memdown.index.sync.update import parsed
from memdown.lazy import beside
from memdown.patterns import lazy
from memdown.record import Document, Record
from memdown.settings.config import Config

Rows = list[dict[str, Any]]
_RUN = lazy(r"[^\W_]+")
_PARTED = "".join(char.lower() if char.isalnum() else " " for char in map(chr, range(128)))
"""What parts and folds words, for texts that have ASCII alone: the same, and faster."""
_LONGEST = 200_000
"""Characters of one field of a record that are indexed; PostgreSQL takes a megabyte of different words."""
_SAMPLE = 4000
_SOME = 40
"""Records whose rows are made before the database gets them."""
_GIVEN = (
    *("rowid", "file", "id", "dialect", "kind", "path", "line", "end_line", "start", "stop", "at", "at_precision"),
    *("at_text", "instant", "day", "expires", "author", "contributors", "scope", "status", "extra", "session"),
    *("ordinal", "superseded", "hollow", "content"),
)
"""The columns of a record in an index, in their order."""
_TABLES = {
    "record": "select * from record",
    "words": "select rowid, title, tags, summary, body, about, dated, parts from words",
    "tag": "select record, position, name, folded from tag order by 1, 2",
    "person": "select record, name from person order by 1, 2",
    "link": "select record, position, type, target, resolved from link order by 1, 2",
}
_STATES = "select rowid, path, superseded from record order by 2, 1"
Tables = Mapping[str, Sequence[tuple[Any, ...]]]
"""Rows of an index, by table."""


class RecordRows(Struct, frozen=True):
    """Rows of some records, and of their links."""

    records: Rows
    links: Rows


class HubText(Struct, frozen=True):
    """A document: its name, the name its dialect expects, its bytes."""

    path: str
    canonical: str
    content: bytes


def documents(texts: Iterable[HubText]) -> Iterator[tuple[Document, bytes]]:
    """As the dialects read them."""
    settled = Config()
    for each in texts:
        yield parsed(each.path, each.content, each.canonical, settled), each.content


class DerivedRows:
    """The rows of documents: their records and links, what is wrong with them, and the language of each.

    They are made as they are taken, so that the database writes some while others are made; `make` makes them at once.
    """

    def __init__(self, texts: Iterable[HubText]) -> None:
        self._read = list(documents(texts))
        self._parts: list[RecordRows] | None = None
        self._findings: Rows | None = None
        self.dialects = {document.path: document.dialect for document, _ in self._read}
        self.languages = {document.path: language(document.text) for document, _ in self._read}

    @property
    def is_large(self) -> bool:
        return sum(len(document.records) for document, _ in self._read) > _SOME

    def make(self) -> None:
        self._parts, self._findings = list(self.parts()), self.findings()

    def keep(self, paths: Collection[str]) -> None:
        """Forget all documents but some."""
        self._read = [each for each in self._read if each[0].path in paths]
        self.languages = {path: each for path, each in self.languages.items() if path in paths}
        if self._parts is not None:
            self._parts = [RecordRows(_of(each.records, paths), _of(each.links, paths)) for each in self._parts]
        if self._findings is not None:
            self._findings = _of(self._findings, paths)

    def parts(self) -> Iterator[RecordRows]:
        """Records with their links, some at a time."""
        if self._parts is not None:
            yield from self._parts
            return
        numbers = Numbers()
        for tables in _tables([each for each in self._read if each[0].dialect is not None]):
            yield RecordRows(_records(tables, self.languages, numbers), _links(tables["link"], numbers))

    def findings(self) -> Rows:
        if self._findings is not None:
            return self._findings
        return list(_findings([document for document, _ in self._read if document.dialect is not None]))


def _of(found: Rows, paths: Collection[str]) -> Rows:
    return [row for row in found if row["path"] in paths]


def _tables(read: Sequence[tuple[Document, bytes]]) -> Iterator[Tables]:
    """What an index would have; a real one is filled where records of several documents bear on each other."""
    if any(map(_bears, (record for document, _ in read for record in document.records))):
        with closing(Index.in_memory()) as index:
            past.fill(index, read)
            yield {table: index.connection.execute(sql).fetchall() for table, sql in _TABLES.items()}
        return
    gathered = GatheredRows(relating.expires)
    for number, (document, _) in enumerate(read):
        for _ in gathered.adding(number, document, (None,)):
            if len(gathered.waiting["record"]) >= _SOME:
                yield _unresolved(gathered)
    yield _unresolved(gathered)


def _bears(record: Record) -> bool:
    """Whether what a record is may depend on records of other documents."""
    return bool(record.session) or not LINKING.isdisjoint(link.type for link in record.links)


def _unresolved(gathered: GatheredRows) -> Tables:
    found = gathered.take()
    return found | {"link": [(*link, None) for link in found["link"]]}


def _records(tables: Tables, languages: Mapping[str, str], numbers: "Numbers") -> Rows:
    """Records, for PostgreSQL."""
    tags: dict[int, list[tuple[str, str]]] = {}
    for rowid, _, name, folded in tables["tag"]:
        tags.setdefault(rowid, []).append((name, folded))
    people: dict[int, set[str]] = {}
    for rowid, name in tables["person"]:
        people.setdefault(rowid, set()).add(name)
    texts = {text[0]: text for text in tables["words"]}
    found: Rows = []
    for values in sorted(tables["record"], key=_place):
        row = dict(zip(_GIVEN, values, strict=True))
        rowid, path = row.pop("rowid"), row["path"]
        del row["file"]
        _, row["title"], _, row["summary"], row["body"], row["about"], row["dated"], row["parts"] = texts[rowid]
        row["number"] = numbers.give(rowid, path)
        own = tags.get(rowid, [])
        named = [name for name, _ in own]
        row["superseded"], row["hollow"] = bool(row["superseded"]), bool(row["hollow"])
        row["tags"] = [folded for _, folded in own]
        row["people"] = sorted(people.get(rowid, ()))
        row["names"] = words(" ".join(filter(None, (row["title"], *named))))
        row["tag_names"] = named
        row["language"] = languages[path]
        # A summary that is the title has no words of its own.
        row["b"] = words(row["summary"]) if row["summary"] != row["title"] else ""
        row["c"] = words(row["body"])
        row["d"] = words(" ".join(filter(None, (row["about"], row["dated"], row["parts"]))))
        found.append(row)
    return found


def _place(values: tuple[Any, ...]) -> tuple[str, int]:
    return values[5], values[0]


class Numbers:
    """How the records of each document count, by what they are called in an index."""

    def __init__(self) -> None:
        self._places: dict[int, tuple[str, int]] = {}
        self._counts: dict[str, int] = {}

    def give(self, rowid: int, path: str) -> int:
        number = self._counts.get(path, 0)
        self._counts[path] = number + 1
        self._places[rowid] = (path, number)
        return number

    def __getitem__(self, rowid: int) -> tuple[str, int]:
        return self._places[rowid]


def _links(found: Iterable[tuple[Any, ...]], numbers: Numbers) -> Rows:
    names = ("path", "number", "position", "type", "target", "resolved")
    return [dict(zip(names, (*numbers[rowid], *values), strict=True)) for rowid, *values in found]


def relations(index: Index) -> tuple[Rows, Rows]:
    """What is replaced, and what links lead to, in an index of a whole project."""
    numbers = Numbers()
    states: Rows = [
        {"path": path, "number": numbers.give(rowid, path), "superseded": bool(superseded)}
        for rowid, path, superseded in index.connection.execute(
            "select rowid, path, superseded from record order by 2, 1"
        )
    ]
    return states, _links(index.connection.execute(_TABLES["link"]), numbers)


def _findings(found: Sequence[Document]) -> Iterator[dict[str, Any]]:
    """Errors and warnings of each document by itself."""
    lines = {document.path: document.lines for document in found}
    positions: dict[str, int] = {}
    for each in engine.check(found, engine.Selection(), whole=False, hints=False):
        if each.severity == "info":
            continue
        position = positions[each.path] = positions.get(each.path, -1) + 1
        line = lines[each.path].at(each.span.start) + 1
        fields = {"code": each.code, "severity": each.severity, "line": line, "message": each.message}
        yield {"path": each.path, "position": position, **fields}


def as_json(value: object) -> str:
    """Rows as PostgreSQL can take them: without the character NUL."""
    data = msgspec.json.encode(value)
    if b"\\u0000" in data:  # it, or a text that spells it so
        data = msgspec.json.encode(_plain(value))
    return data.decode()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def words(text: str | None) -> str:
    """The words of a text as the index of a working copy parts and folds them, whatever the locale of the database."""
    if not text:
        return ""
    text = text[:_LONGEST]
    if text.isascii():
        return " ".join(text.translate(_PARTED).split())
    folded = unicodedata.normalize("NFKD", text.lower())
    text = unicodedata.normalize("NFC", "".join(char for char in folded if not unicodedata.combining(char)))
    return " ".join(_RUN.findall(text))


def language(text: str) -> str:
    """The language whose small words a text has most of; `simple` where there are too few to tell."""
    names, spoken = _languages()
    counts = dict.fromkeys(names, 0)
    for word in _RUN.findall(text[:_SAMPLE].casefold()):
        for name in spoken.get(word, ()):
            counts[name] += 1
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] >= 2 else "english" if text.isascii() else "simple"


@cache
def _languages() -> tuple[list[str], dict[str, list[str]]]:
    """All of them, and by a small word those that have it."""
    rows = [line.split() for line in beside(__file__, "languages.txt").splitlines()]
    spoken: dict[str, list[str]] = {}
    for name, *small in rows:
        for word in dict.fromkeys(small):
            spoken.setdefault(word, []).append(name)
    return [name for name, *_ in rows], spoken
