"""Meaning in the index: a vector for each record, made when somebody first asks, and how near each is to a question.

`vector` holds for each record (rowid) the direction of its text, a signed byte for each part. It is made with the
first vector; a trigger takes a vector away with its record, so that an index that nobody asks by meaning pays nothing.
"""

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from memdown.errors import Locked
from memdown.index import Index
from memdown.index.search import MEANT
from memdown.index.search.minilm import NAME, Array, model, unit
from memdown.index.sqlite import is_busy
from memdown.project import Progress

OWN, AROUND = 0.3, 0.7
"""How much a record's own meaning counts, and that of it with its neighbours."""
BESIDE = (0.5, 0.25)
"""How much of that is the next record on both sides, and the second."""

_AT_ONCE = 32
_TABLES = (
    "create table if not exists vector (record integer primary key, embedding blob not null)",
    """
create trigger if not exists vector_goes after delete on record begin
    delete from vector where record = old.rowid;
end
""",
)
_THERE = "select count(*) from sqlite_master where name = 'vector'"
_MISSING = "select rowid from record where rowid not in (select record from vector)"
_TEXTS = f"""
select rowid, {MEANT}
from words where rowid in (select rowid from record where rowid not in (select record from vector) limit ?)
"""
_VECTORS = """
select v.record, v.embedding, coalesce(r.session, r.rowid), {fits} from vector v join record r on r.rowid = v.record
order by r.session, r.ordinal
"""


def prepare(index: Index, progress: Progress) -> None:
    """Give every record that has none its vector. Others may read meanwhile, and write between two steps."""
    model()
    try:
        _make(index)
        waiting = index.connection.execute(_MISSING).fetchall()
        for _ in progress([str(each) for (each,) in waiting[::_AT_ONCE]], "reading the meaning of text,"):
            while not _step(index):
                continue
    except sqlite3.OperationalError as error:
        if is_busy(error):
            raise Locked("Another process is writing the index; search again in a moment.") from None
        raise


def _make(index: Index) -> None:
    made = index.connection.execute(_THERE).fetchone()[0] and index.meta().get("vectors") == NAME
    if made:
        return
    with index.writing() as db:
        for statement in _TABLES:
            db.execute(statement)
        db.execute("delete from vector")
        index.remember(vectors=NAME)


def _step(index: Index) -> bool:
    """The next vectors; False when somebody changed the index meanwhile, since a number may stand for another text."""
    commits = index.commits()
    rows = index.connection.execute(_TEXTS, (_AT_ONCE,)).fetchall()
    if not rows:
        return True
    made = vectors([text for _, text in rows])
    with index.writing() as db:
        if index.commits() != commits:
            return False
        values = [(rowid, each) for (rowid, _), each in zip(rows, made, strict=True)]
        db.executemany("insert or replace into vector values (?, ?)", values)
    return True


def vectors(texts: Sequence[str]) -> list[bytes]:
    """The directions of texts, as they are kept."""
    rows = model().encode(texts)
    largest = np.maximum(np.abs(rows).max(axis=1, keepdims=True), np.float32(1e-12))
    whole: Array = np.rint(rows / largest * 127)
    return [each.tobytes() for each in whole.astype(np.int8)]


def give(index: Index, known: Mapping[int, bytes]) -> None:
    """Give records the vectors that somebody else keeps; the others have none."""
    _make(index)
    with index.writing() as db:
        db.executemany("insert or replace into vector values (?, ?)", known.items())


def likeness(db: sqlite3.Connection, question: str, fits: str) -> dict[int, float]:
    """How near records are to a question, the nearest first; `fits` is SQL for those that may be found."""
    rows = db.execute(_VECTORS.format(fits=fits)).fetchall()
    if not rows or not question.strip():
        return {}
    stored = np.frombuffer(b"".join(row[1] for row in rows), np.int8).reshape(len(rows), -1)
    own = unit(stored.astype(np.float32))
    wanted = model().encode([question])[0]
    near = OWN * np.maximum(own @ wanted, 0) + AROUND * np.maximum(_with_neighbours(own, rows) @ wanted, 0)
    near[[not row[3] for row in rows]] = 0
    best = np.argsort(-near, kind="stable")
    return {rows[place][0]: float(near[place]) for place in best.tolist() if near[place] > 0}


def _with_neighbours(own: Array, rows: list[tuple[int, bytes, str | int, int]]) -> Array:
    whole = own.copy()
    for distance, weight in enumerate(BESIDE, 1):
        same = np.array([one[2] == two[2] for one, two in zip(rows, rows[distance:], strict=False)], dtype=bool)
        whole[distance:][same] += np.float32(weight) * own[: len(same)][same]
        whole[: len(same)][same] += np.float32(weight) * own[distance:][same]
    return unit(whole)
