"""The records of documents as a push writes them: those that changed, with the words to find them by."""

from collections.abc import Collection
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from memdown.hub import meanings
from memdown.hub.rows import DerivedRows, Rows, as_json

if TYPE_CHECKING:
    from memdown.hub.connection import Connection

Marks = dict[tuple[str, int], list[Any]]
"""By document and number, what records were derived as, and whether they are replaced."""
_FORGET = """
delete from memdown.records r using unnest(%(of)s::text[], %(numbers)s::integer[]) n (path, number)
where r.project = %(project)s and r.path = n.path and r.number = n.number
"""
_FIELDS = (
    "path text, number integer, id text, dialect text, kind text, line integer, end_line integer, start integer,"
    " stop integer, at text, at_precision text, at_text text, instant bigint, day text, expires bigint, author text,"
    " contributors text, scope text, status text, extra text, session text, ordinal integer, superseded boolean,"
    " hollow boolean, content text, title text, summary text, body text, about text, dated text, parts text,"
    " tags text[], tag_names text[], people text[], names text"
)
_COLUMNS = ", ".join(each.split()[0] for each in _FIELDS.split(", "))
_RECORDS = f"""
insert into memdown.records (project, {_COLUMNS}, mark, words)
select %(project)s, {", ".join(f"n.{each}" for each in _COLUMNS.split(", "))}, decode(n.mark, 'hex'),
    setweight(to_tsvector(n.language, n.names) || to_tsvector('simple', n.names), 'A')
    || setweight(to_tsvector(n.language, n.b) || to_tsvector('simple', n.b), 'B')
    || setweight(to_tsvector(n.language, n.c) || to_tsvector('simple', n.c), 'C')
    || setweight(to_tsvector('simple', n.d), 'D')
from json_to_recordset(%(rows)s::json) n ({_FIELDS}, mark text, language regconfig, b text, c text, d text)
"""
_WRITTEN = blake2b(_RECORDS.encode(), digest_size=16).digest()
_LINKS = """
insert into memdown.links (project, path, number, position, type, target, resolved)
select %(project)s, n.* from json_to_recordset(%(rows)s::json) n
    (path text, number integer, position integer, type text, target text, resolved text)
"""


def write(db: "Connection", project: str, derived: DerivedRows, marks: Marks, *, vectors: bool) -> Rows:
    """Take the place of the records of documents, but for those that stay what they are: of a log, nearly all.

    Some at a time, so that the database writes while the next are made. `marks` are those of the documents; what is
    given back are the links of all.
    """
    links: Rows = []
    written: list[tuple[str, int]] = []
    meant: list[tuple[str, str, str]] = []
    left = set(marks)
    for part in derived.parts():
        linking = {(each["path"], each["number"]) for each in part.links}
        new: dict[tuple[str, int], str] = {}
        for row in part.records:
            key, data = (row["path"], row["number"]), as_json(row)
            # What links lead to is worked out anew, so a record with links is written with them.
            mark = None if key in linking else _mark(data)
            if mark is not None and marks.get(key) == [mark, row["superseded"]]:
                left.discard(key)
            else:
                new[key] = f'{data[:-1]},"mark":{as_json(mark and mark.hex())}}}'
        meant += _forget(db, project, left & new.keys(), vectors=vectors)
        left -= new.keys()
        if new:
            db.execute(_RECORDS.encode(), {"project": project, "rows": f"[{','.join(new.values())}]"})
        if part.links:
            db.execute(_LINKS.encode(), {"project": project, "rows": as_json(part.links)})
        written += new
        links += part.links
    meant += _forget(db, project, left, vectors=vectors)
    meanings.keep(db, project, written, meant)
    return links


def _forget(
    db: "Connection", project: str, gone: Collection[tuple[str, int]], *, vectors: bool
) -> list[tuple[str, str, str]]:
    """Delete records; the vectors that their texts had."""
    if not gone:
        return []
    meant = meanings.kept(db, project, gone) if vectors else []
    of, numbers = zip(*gone, strict=True)
    db.execute(_FORGET, {"project": project, "of": list(of), "numbers": list(numbers)})
    return meant


def _mark(row: str) -> bytes:
    """What a record is written as: its values, and how words are made of them."""
    return blake2b(row.encode(), digest_size=16, key=_WRITTEN).digest()
