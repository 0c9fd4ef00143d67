"""From the bytes of documents to the rows of a hub: what the index of a working copy would have, for PostgreSQL.

The rows are made by the code that fills the index of a working copy, so that both hold the same of the same file.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from memdown.acts.check import engine
from memdown.index import Index
from memdown.index.sync import past
from memdown.index.sync.update import parsed
from memdown.lazy import beside
from memdown.patterns import lazy
from memdown.record import Document
from memdown.settings.config import Config

Rows = list[dict[str, Any]]
_RUN = lazy(r"[^\W_]+")
_LONGEST = 200_000
"""Characters of one field of a record that are indexed; PostgreSQL takes a megabyte of different words."""
_SAMPLE = 4000
_RECORDS = """
select r.rowid, r.path, r.id, r.dialect, r.kind, r.line, r.end_line, r.start, r.end as stop, r.at, r.at_precision,
    r.at_text, r.instant, r.day, r.expires, r.author, r.contributors, r.scope, r.status, r.extra, r.session, r.ordinal,
    r.superseded, r.hollow, r.content, w.title, w.summary, w.body, w.about, w.dated, w.parts
from record r join words w on w.rowid = r.rowid order by r.path, r.rowid
"""
_TAGS = "select record, name, folded from tag order by record, position"
_PEOPLE = "select record, name from person order by record, name"
_LINKS = "select record, position, type, target, resolved from link order by record, position"


class DerivedRows(Struct, frozen=True):
    """What the tables have for some documents."""

    records: Rows
    links: Rows
    findings: Rows
    dialects: dict[str, str | None]
    languages: dict[str, str]

    def of(self, paths: Collection[str]) -> "DerivedRows":
        """Those of some of the documents."""
        records, links, findings = (
            [row for row in each if row["path"] in paths] for each in (self.records, self.links, self.findings)
        )
        languages = {path: each for path, each in self.languages.items() if path in paths}
        return DerivedRows(records, links, findings, self.dialects, languages)


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


def derive(texts: Sequence[HubText]) -> DerivedRows:
    """The rows of documents: their records and links, what is wrong with them, and the language of each."""
    read = list(documents(texts))
    found = [document for document, _ in read if document.dialect is not None]
    languages = {document.path: language(document.text) for document, _ in read}
    index = Index.in_memory()
    try:
        past.fill(index, [each for each in read if each[0].dialect is not None])
        records, numbers = _records(index, languages)
        links = _links(index, numbers)
    finally:
        index.close()
    dialects = {document.path: document.dialect for document, _ in read}
    return DerivedRows(records, links, list(_findings(found)), dialects, languages)


def _records(index: Index, languages: dict[str, str]) -> tuple[Rows, dict[int, tuple[str, int]]]:
    db = index.connection
    tags: dict[int, list[tuple[str, str]]] = {}
    for rowid, name, folded in db.execute(_TAGS):
        tags.setdefault(rowid, []).append((name, folded))
    people: dict[int, list[str]] = {}
    for rowid, name in db.execute(_PEOPLE):
        people.setdefault(rowid, []).append(name)
    cursor = db.execute(_RECORDS)
    columns = [each[0] for each in cursor.description]
    numbers: dict[int, tuple[str, int]] = {}
    counts: dict[str, int] = {}
    rows: Rows = []
    for values in cursor:
        row = dict(zip(columns, values, strict=True))
        rowid, path = row.pop("rowid"), row["path"]
        number = row["number"] = counts.get(path, 0)
        counts[path] = number + 1
        numbers[rowid] = (path, number)
        own = tags.get(rowid, [])
        named = [name for name, _ in own]
        row["superseded"], row["hollow"] = bool(row["superseded"]), bool(row["hollow"])
        row["tags"] = [folded for _, folded in own]
        row["people"] = people.get(rowid, [])
        row["names"] = words(" ".join(filter(None, (row["title"], *named))))
        row["tag_names"] = named
        row["language"] = languages[path]
        row["a"] = row["names"]
        row["b"], row["c"] = words(row["summary"]), words(row["body"])
        row["d"] = words(" ".join(filter(None, (row["about"], row["dated"], row["parts"]))))
        rows.append(row)
    return rows, numbers


def _links(index: Index, numbers: dict[int, tuple[str, int]]) -> Rows:
    names = ("position", "type", "target", "resolved")
    return [
        {"path": numbers[rowid][0], "number": numbers[rowid][1]} | dict(zip(names, values, strict=True))
        for rowid, *values in index.connection.execute(_LINKS)
    ]


def relations(index: Index) -> tuple[Rows, Rows]:
    """What is replaced, and what links lead to, in an index of a whole project."""
    counts: dict[str, int] = {}
    numbers: dict[int, tuple[str, int]] = {}
    states: Rows = []
    for rowid, path, superseded in index.connection.execute("select rowid, path, superseded from record order by 2, 1"):
        number = counts.get(path, 0)
        counts[path] = number + 1
        numbers[rowid] = (path, number)
        states.append({"path": path, "number": number, "superseded": bool(superseded)})
    return states, _links(index, numbers)


def _findings(found: Sequence[Document]) -> Iterator[dict[str, Any]]:
    """Errors and warnings of each document by itself."""
    lines = {document.path: document.lines for document in found}
    positions: dict[str, int] = {}
    for each in engine.check(found, engine.Selection(), whole=False):
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
    """The words of a text as the index of a working copy parts and folds them."""
    if not text:
        return ""
    text = text[:_LONGEST]
    if not text.isascii():
        folded = unicodedata.normalize("NFKD", text)
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
