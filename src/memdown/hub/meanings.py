"""What records of a hub mean, where its PostgreSQL has pgvector and the extra `semantic` is installed.

Vectors are those of a working copy, number for number: pgvector finds the nearest records, and the ranking of a working
copy sorts them among those that have the words. A text that is pushed again keeps its vector; others are made after the
push, for a few seconds, and all that are missing by `hub upgrade`.
"""

import time
from array import array
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from memdown.errors import installing, way
from memdown.index.search import MEANT
from memdown.lazy import LazyModule

if TYPE_CHECKING:
    from memdown.hub.connection import Connection
    from memdown.index.search import minilm, semantic
else:
    minilm, semantic = LazyModule("memdown.index.search.minilm"), LazyModule("memdown.index.search.semantic")

Key = tuple[str, str, int]
"""A record: project, path, number."""
PATIENCE = 5.0
"""Seconds that a push spends on vectors."""
_AT_ONCE = 32
THERE = "to_regclass('memdown.meanings') is not null"
"""Whether a hub can keep vectors, as SQL."""
_KEPT = """
select distinct on (m.digest) m.digest, m.model, m.embedding::text from memdown.meanings m
join unnest(%(paths)s::text[], %(numbers)s::integer[]) n (path, number) on n.path = m.path and n.number = m.number
where m.project = %(project)s
"""
_KEEP = f"""
insert into memdown.meanings (project, path, number, model, digest, embedding)
select r.project, r.path, r.number, n.model, n.digest, n.embedding::public.vector
from memdown.records r join unnest(%(digests)s::text[], %(models)s::text[], %(embeddings)s::text[])
    n (digest, model, embedding) on n.digest = md5({MEANT})
join unnest(%(paths)s::text[], %(numbers)s::integer[]) w (path, number) on w.path = r.path and w.number = r.number
where r.project = %(project)s and not r.hollow
"""
_MISSING = f"""
select r.project, r.path, r.number, md5({MEANT}), {MEANT} from memdown.records r
where not r.hollow and (%(project)s::text is null or r.project = %(project)s and r.path = any (%(paths)s))
    and not exists (
        select 1 from memdown.meanings m
        where m.project = r.project and m.path = r.path and m.number = r.number and m.model = %(model)s
    ) and (
        r.project = any ((select memdown.names('write'))::text[])
        or r.project like any ((select memdown.patterns('write'))::text[])
    )
limit {_AT_ONCE}
"""
_FORGET = """
delete from memdown.meanings m using unnest(%(projects)s::text[], %(paths)s::text[], %(numbers)s::integer[])
    n (project, path, number) where m.project = n.project and m.path = n.path and m.number = n.number
"""
_INSERT = f"""
with same as (
    select r.project, r.path, r.number, n.digest, n.embedding from memdown.records r join unnest(
        %(projects)s::text[], %(paths)s::text[], %(numbers)s::integer[], %(digests)s::text[], %(embeddings)s::text[]
    ) n (project, path, number, digest, embedding) on n.project = r.project and n.path = r.path and n.number = r.number
    where md5({MEANT}) = n.digest for key share of r
)
insert into memdown.meanings (project, path, number, model, digest, embedding)
select project, path, number, %(model)s, digest, embedding::public.vector from same on conflict do nothing
"""
"""Of a record that changed meanwhile none is kept: whoever changed it makes another."""
_NEAREST = "select project, path, number from memdown.nearest(%s, %s, %s::jsonb, %s, %s)"
_VECTORS = """
select m.project, m.path, m.number, m.embedding::text
from unnest(%s::text[], %s::text[], %s::integer[]) k (project, path, number)
join memdown.meanings m on m.project = k.project and m.path = k.path and m.number = k.number where m.model = %s
"""


def lacking(db: "Connection") -> str | None:
    """Why a hub cannot be asked by meaning from here; None where it can."""
    row = db.execute(f"select {THERE}".encode()).fetchone()
    if not row or not row[0]:
        made = f"once its database has pgvector (`create extension vector`), {way('hub upgrade', 'DSN')} creates them"
        return f"Searched by words only: this hub has no vectors; {made}."
    try:
        minilm.model()
    except ImportError:
        return f"Searched by words only: searching by meaning needs an extra; install it with {installing('semantic')}."
    return None


def kept(db: "Connection", project: str, records: Collection[tuple[str, int]]) -> list[tuple[str, str, str]]:
    """The vectors of records: the md5 of a text, by which model, and the vector."""
    return [(*row,) for row in db.execute(_KEPT, _named(project, records))]


def keep(
    db: "Connection", project: str, records: Collection[tuple[str, int]], vectors: Sequence[tuple[str, str, str]]
) -> None:
    """Give records that are written anew the vectors their texts had."""
    if vectors and records:
        digests, models, embeddings = (list(column) for column in zip(*vectors, strict=True))
        given = _named(project, records) | {"digests": digests, "models": models}
        db.execute(_KEEP.encode(), given | {"embeddings": embeddings})


def _named(project: str, records: Collection[tuple[str, int]]) -> dict[str, object]:
    paths, numbers = zip(*records, strict=True)
    return {"project": project, "paths": list(paths), "numbers": list(numbers)}


def fill(
    db: "Connection", project: str | None = None, paths: Collection[str] = (), patience: float | None = None
) -> int:
    """Make the vectors that are missing, of some documents or of all that may be written; how many were made."""
    if lacking(db):
        return 0
    until = None if patience is None else time.monotonic() + patience
    given = {"project": project, "paths": list(paths), "model": minilm.NAME}
    done = 0
    while until is None or time.monotonic() < until:
        found = db.execute(_MISSING.encode(), given).fetchall()
        if not found or not (made := _make(db, found)):
            break
        done += made
    return done


def _make(db: "Connection", found: Sequence[tuple[str, str, int, str, str]]) -> int:
    projects, paths, numbers, digests, texts = (list(column) for column in zip(*found, strict=True))
    given = {"projects": projects, "paths": paths, "numbers": numbers, "digests": digests, "model": minilm.NAME}
    embeddings = [_literal(each) for each in semantic.vectors(texts)]
    with db.transaction():
        db.execute(_FORGET, given)
        return db.execute(_INSERT.encode(), given | {"embeddings": embeddings}).rowcount


def _literal(vector: bytes) -> str:
    return f"[{','.join(map(str, array('b', vector)))}]"


def nearest(db: "Connection", question: str, must: str, only: str | None, most: int) -> list[Key]:
    """The records that mean most nearly what is asked, of those that fulfil `must`."""
    [wanted] = semantic.vectors([question])
    return [(*row,) for row in db.execute(_NEAREST, (_literal(wanted), minilm.NAME, must, only, most))]


def vectors(db: "Connection", keys: Sequence[Key]) -> dict[Key, bytes]:
    """The vectors of records, of those that have one, as an index keeps them."""
    columns = [list(column) for column in zip(*keys, strict=True)] if keys else [[], [], []]
    found = db.execute(_VECTORS, (*columns, minilm.NAME)).fetchall()
    return {
        (project, path, at): array("b", msgspec.json.decode(value, type=list[int])).tobytes()
        for project, path, at, value in found
    }
