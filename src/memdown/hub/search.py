"""Search over all projects: PostgreSQL finds records that may answer, and the ranking of working copies sorts them.

The database answers with the best few hundred by its own measure. Their rows go into an index in memory, which is asked
the same question as the index of a working copy is, so that an answer looks the same and is explained the same way.
"""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from memdown.errors import Invalid, NotFound, Refused, quote, way
from memdown.hub import conditions, meanings, rows
from memdown.hub.meanings import Key
from memdown.hub.rows import HubText
from memdown.index import Index, query, search
from memdown.index.query import All, Filter, Not, Query
from memdown.index.search import Hit, Hits
from memdown.index.sync import past
from memdown.lazy import LazyModule

if TYPE_CHECKING:
    from memdown.hub.connection import Connection
    from memdown.index.search import semantic as meaning
else:
    meaning = LazyModule("memdown.index.search.semantic")

CANDIDATES = 200
_MOST_DOCUMENTS = 20_000
"""Documents of the past that are read for one question."""
_BETWEEN = "\x1f"
"""Stands between project and path while records of several projects are ranked together."""
_FIELDS = (
    "id dialect kind path line end_line start stop at at_precision at_text instant day expires author contributors"
    " scope status extra session ordinal superseded hollow content"
).split()
_PATH = 1 + _FIELDS.index("path")
_RECORD = f"insert into record values ({', '.join('?' * (len(_FIELDS) + 2))})"
_WORDS = "insert into words (rowid, title, tags, summary, body, about, dated, parts) values (?, ?, ?, ?, ?, ?, ?, ?)"
_CANDIDATES = "select project, path, number, total from memdown.candidates(%s::jsonb, %s::jsonb, %s, %s)"
_SPELLED = "select project, path, number, total from memdown.spelled_like(%s, %s::jsonb, %s, %s)"
_ROWS = f"""
select r.project, {", ".join(f"r.{each}" for each in _FIELDS)}, r.title, r.summary, r.body, r.about, r.dated, r.parts,
    r.tag_names, coalesce(d.commit, p.commit), p.url, p.branch, r.number
from unnest(%s::text[], %s::text[], %s::integer[]) with ordinality k (project, path, number, place)
cross join lateral (
    select * from memdown.records r where r.project = k.project and r.path = k.path and r.number = k.number limit 1
) r
cross join lateral (
    select d.commit from memdown.documents d where d.project = k.project and d.path = k.path limit 1
) d
join memdown.projects p on p.project = k.project
order by k.place
"""
"""One by one, by their keys: a join would read whole projects."""
_NAMED = "select memdown.named(%s)"
_THEN = """
select distinct on (h.project, h.path) h.project, h.path, d.canonical, h.digest, h.commit, p.url, p.branch
from memdown.history h join memdown.documents d on d.project = h.project and d.path = h.path
join memdown.projects p on p.project = h.project
where h.at <= %(at)s and (%(one)s::text is null or h.project = %(one)s)
order by h.project, h.path, h.at desc, h.revision desc limit %(most)s
"""


class HubPlace(Struct, frozen=True):
    """Where a record of a hub stands."""

    project: str
    commit: str | None
    link: str | None
    """The address that opens the file in a browser, at its line."""


class HubHits(Struct, frozen=True):
    """The answer of a hub: hits as everywhere, and the place of each."""

    hits: Hits
    places: list[HubPlace]
    note: str | None = None
    """What whoever asked should know of the answer."""


def find(db: "Connection", asked: Query, now: datetime, *, as_of: str | None = None, semantic: bool = False) -> HubHits:
    """The best records of all projects that may be seen; with `as_of`, as they were at a moment.

    With `semantic` what they mean counts too, where the hub can tell; `note` says where it cannot.
    """
    started = time.perf_counter()
    limit = search.LIMIT if asked.limit is None else min(asked.limit, search.MOST)
    terms = conditions.terms(asked)
    if not terms and not asked.must:
        raise Invalid("There is nothing to search for; give words, or a filter such as kind:decision.")
    if as_of is not None:
        if semantic:
            raise Invalid(
                f"The past of a hub is searched by words only; leave out {way('--semantic')} or {way('--as-of')}."
            )
        found = _in_the_past(db, asked, now, as_of)
        return HubHits(_timed(found.hits, started), found.places)
    only = _only_project(db, asked)
    most = max(CANDIDATES, 3 * limit)
    must = _json(conditions.tree(_without_project(asked) if only else asked, now))
    note = meanings.lacking(db) if semantic and terms else None
    with db.transaction():
        keys, total = _keys(db, terms, must, only, most)
        near: dict[Key, bytes] = {}
        if semantic and terms and note is None:
            question = " ".join(term.text for term in asked.ranking())
            meant = meanings.nearest(db, question, must, only, most)
            near = meanings.vectors(db, [*dict.fromkeys((*keys, *meant))])
            note = _unknown(len(keys), sum(key not in near for key in keys))
        found_rows = _rows(db, [*dict.fromkeys((*keys, *near))])
    hits, places = _ranked(found_rows, asked, now, limit, near)
    if near and not hits.hits:  # a typo, and nothing means that
        hits, places = _ranked(found_rows[: len(keys)], asked, now, limit)
    if not hits.hits and db.execute("select 1 from memdown.granted('read') limit 1").fetchone() is None:
        note = "You have no right to read anything on this hub; ask an admin for it."
    hits = structs.replace(hits, total=max(total, len(hits.hits)), query=asked.text)
    return HubHits(_timed(hits, started), places, note)


def _unknown(whole: int, without: int) -> str | None:
    if not without:
        return None
    made = f"{way('hub upgrade', 'DSN')} creates them if the extra `semantic` is installed"
    return f"{without:,} of {whole:,} matching records have no vectors yet and are ranked by words only; {made}."


def _rows(db: "Connection", keys: Sequence[Key]) -> list[tuple[Any, ...]]:
    values = [list(column) for column in zip(*keys, strict=True)] if keys else [[], [], []]
    return db.execute(_ROWS.encode(), values).fetchall()


def _timed(hits: Hits, started: float) -> Hits:
    return structs.replace(hits, took_ms=round((time.perf_counter() - started) * 1000, 2))


def _only_project(db: "Connection", asked: Query) -> str | None:
    """The one project that a question is about, so that the others are not looked at."""
    named = [each.value for each in asked.must if isinstance(each, Filter) and each.name == "project"]
    if len(named) != 1:
        return None
    known = [name for (name,) in db.execute(_NAMED, (named[0],))]
    return known[0] if len(known) == 1 else None


def _keys(
    db: "Connection", terms: Sequence[conditions.Tree], must: str, only: str | None, most: int
) -> tuple[list[Key], int]:
    found = db.execute(_CANDIDATES, (_json(terms), must, only, most)).fetchall()
    total = found[0][3] if found else 0
    if not found and terms:  # a typo, or a part of a word
        text = " ".join(each["value"] for each in terms[:4])
        found = db.execute(_SPELLED, (text, must, only, most)).fetchall()
    return [(project, path, number) for project, path, number, _ in found], total


def _without_project(asked: Query) -> Query:
    kept = tuple(each for each in asked.must if not (isinstance(each, Filter) and each.name == "project"))
    return structs.replace(asked, must=kept)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _ranked(
    found: Sequence[tuple[Any, ...]], asked: Query, now: datetime, limit: int, near: Mapping[Key, bytes] | None = None
) -> tuple[Hits, list[HubPlace]]:
    """The best of the candidates, by the ranking of a working copy; with the vectors of some, by meaning too."""
    index = Index.in_memory()
    try:
        places: dict[str, HubPlace] = {}
        with index.writing() as db:
            index.clear()
            records, texts, tagged = [], [], []
            for rowid, row in enumerate(found, 1):
                values = dict(zip(_FIELDS, row[1 : len(_FIELDS) + 1], strict=True))
                title, summary, body, about, dated, parts, tags, commit, url, branch, _ = row[len(_FIELDS) + 1 :]
                project, path = row[0], values["path"]
                values["path"] = f"{project}{_BETWEEN}{path}"
                if values["session"] is not None:
                    values["session"] = f"{project}{_BETWEEN}{values['session']}"
                records.append((rowid, 0, *values.values()))
                texts.append((rowid, title, ", ".join(tags) or None, summary, body, about, dated, parts))
                tagged += [(rowid, at, tag, tag.casefold()) for at, tag in enumerate(tags)]
                places[f"{values['path']}:{values['line']}"] = HubPlace(
                    project, commit, link_to(project, url, commit or branch, path, values["line"])
                )
            db.executemany(_RECORD, records)
            db.executemany(_WORDS, texts)
            db.executemany("insert into tag values (?, ?, ?, ?)", tagged)
            index.add_indexes()
        if near:
            numbers = ((rowid, near.get((row[0], row[_PATH], row[-1]))) for rowid, row in enumerate(found, 1))
            meaning.give(index, {rowid: vector for rowid, vector in numbers if vector is not None})
        hits = _searched(index, asked, now, limit, any_found=bool(found), by_meaning=bool(near))
    finally:
        index.close()
    return _placed(hits, places)


def _searched(index: Index, asked: Query, now: datetime, limit: int, *, any_found: bool, by_meaning: bool) -> Hits:
    # What must hold holds: the database has seen to it, and knows the projects.
    local = Query(text=asked.text, words=asked.ranking(), must=(All(()),), limit=limit, unknown=asked.unknown)
    with index.reading() as db:
        hits = search.search(db, local, now, near=meaning.likeness if by_meaning else None)
        if hits.hits or by_meaning or not any_found:
            return hits
        # Found by a part of a word or in spite of a typo: then the order of the database counts.
        return structs.replace(search.search(db, structs.replace(local, words=()), now), did_you_mean=())


def _placed(hits: Hits, places: dict[str, HubPlace]) -> tuple[Hits, list[HubPlace]]:
    found = [places[f"{hit.mark.record.path}:{hit.mark.record.line}"] for hit in hits.hits]
    return structs.replace(hits, hits=[_own(hit) for hit in hits.hits]), found


def _own(hit: Hit) -> Hit:
    """A hit with the path that its project knows."""
    path = hit.mark.record.path.partition(_BETWEEN)[2]
    return structs.replace(hit, mark=structs.replace(hit.mark, record=structs.replace(hit.mark.record, path=path)))


def link_to(project: str, url: str | None, revision: str | None, path: str, line: int) -> str | None:
    """The address of a file in a browser."""
    if not url or not revision:
        return None
    below = project.removeprefix(url.removeprefix("https://")).strip("/")
    way = "-/blob" if "gitlab" in url else "src" if "bitbucket" in url else "blob"
    return f"{url}/{way}/{revision}/{'/'.join(filter(None, (below, path)))}#L{line}"


def _in_the_past(db: "Connection", asked: Query, now: datetime, as_of: str) -> HubHits:
    """What documents were is read and ranked anew; that takes longer, so it is asked of one project, or of few."""
    moment = query.moment(as_of, now)
    at = moment.instant() if moment.precision != "day" else moment.instant().replace(hour=23, minute=59, second=59)
    only = _only_project(db, asked)
    given = {"at": at, "one": only, "most": _MOST_DOCUMENTS + 1}
    then = db.execute(_THEN, given).fetchall()
    if len(then) > _MOST_DOCUMENTS:
        raise Refused(
            f"more than {_MOST_DOCUMENTS:,} documents of the past to search; name a project with project:NAME"
        )
    if not then:
        raise NotFound(f"the hub has nothing from before {quote(as_of)}; ask for a later day")
    index = Index.in_memory()
    try:
        places = _fill_past(db, index, then)
        local = structs.replace(_without_project(asked), limit=asked.limit)
        with index.reading() as local_db:
            hits = search.search(local_db, local, now)
    finally:
        index.close()
    hits, found = _placed(hits, places)
    return HubHits(hits, found)


def _fill_past(db: "Connection", index: Index, then: Sequence[tuple[Any, ...]]) -> dict[str, HubPlace]:
    places: dict[str, HubPlace] = {}
    documents = []
    for project, path, canonical, digest, commit, url, branch in then:
        if digest is None:
            continue
        row = db.execute("select content from memdown.versions where project = %s and digest = %s", (project, digest))
        [(content,)] = row.fetchall()
        for document, data in rows.documents([HubText(path, canonical, content)]):
            if document.dialect is None:
                continue
            name = f"{project}{_BETWEEN}{path}"
            document.path = name
            document.records = [structs.replace(each, path=name) for each in document.records]
            documents.append((document, data))
            for each in range(document.lines.at(len(document.text)) + 2):
                places[f"{name}:{each}"] = HubPlace(
                    project, commit, link_to(project, url, commit or branch, path, each)
                )
    past.fill(index, documents)
    return places


def in_force(asked: Query) -> Query:
    """The same question, of what is neither replaced nor over."""
    valid = (Not(Filter("is", "superseded")), Not(Filter("is", "expired")))
    return structs.replace(asked, must=(*asked.must, *valid))
