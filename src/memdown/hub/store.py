"""What a hub keeps: the documents of a project as they are, every version they had, and one way to change them.

A change says which version it was made over, and is refused when the document has another by now. Changes of one call
are one transaction. Whoever repeats a call that was made changes nothing, since a version is known by its hash.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memdown.dialects.finder import LINKING
from memdown.errors import NotFound, Refused, Unreadable, quote, way
from memdown.hub import meanings, records, rows
from memdown.hub.records import Marks
from memdown.hub.rows import DerivedRows, HubText, as_json
from memdown.index import Index
from memdown.index.sync import past
from memdown.lazy import LazyModule

if TYPE_CHECKING:
    import psycopg

    from memdown.hub.connection import Connection
else:
    psycopg = LazyModule("psycopg")

CHANNEL = "memdown"
_HEADS = """
select path, digest, revision, published, canonical from memdown.documents where project = %(project)s
    and revision > %(since)s order by path
"""
_DOCUMENT = """
select d.digest, v.content, d.revision, d.changed_by, d.changed_at from memdown.documents d
join memdown.versions v on v.project = d.project and v.digest = d.digest where d.project = %s and d.path = %s
"""
_LOCK = f"""
select revision, {meanings.THERE}, exists (
    select 1 from memdown.links where project = %(project)s and type = any (%(linking)s)
) from memdown.projects where project = %(project)s for update
"""
_REDACTED = (
    "select digest from memdown.versions where project = %(project)s and digest = any (%(digests)s) and redacted > 0"
)
_NEW_VERSIONS = """
insert into memdown.versions (project, digest, content, created_by)
select %(project)s, v.digest, v.content, memdown.principal()
from unnest(%(digests)b::bytea[], %(contents)b::bytea[]) v (digest, content) on conflict do nothing
"""
_UPSERT = """
insert into memdown.documents as d
    (project, path, canonical, digest, published, revision, commit, dialect, language, changed_by)
select %(project)s, n.path, n.canonical, decode(n.digest, 'hex'), decode(n.published, 'hex'), %(revision)s, %(commit)s,
    n.dialect, n.language, memdown.principal()
from json_to_recordset(%(rows)s::json) n
    (path text, canonical text, digest text, published text, dialect text, language text)
on conflict (project, path) do update set digest = excluded.digest, canonical = excluded.canonical,
    published = case when excluded.digest is not null then coalesce(excluded.published, d.published) end,
    revision = excluded.revision,
    commit = coalesce(excluded.commit, d.commit), dialect = excluded.dialect, language = excluded.language,
    changed_at = now(), changed_by = excluded.changed_by
"""
_HISTORY = """
insert into memdown.history (project, path, revision, digest, commit, at, principal)
select d.project, d.path, d.revision, d.digest, %(commit)s, coalesce(%(at)s, now()), d.changed_by
from memdown.documents d where d.project = %(project)s and d.path = any (%(paths)s)
"""
_PASSED = """
select h.path, h.digest from memdown.history h join unnest(%(paths)s::text[], %(digests)s::bytea[]) v (path, digest)
    on h.path = v.path and h.digest = v.digest
where h.project = %(project)s and h.revision > %(since)s
"""
_MARKS = """
select path, number, mark, superseded from memdown.records where project = %(project)s and path = any (%(paths)s)
"""
_FORGET_FINDINGS = "delete from memdown.findings where project = %(project)s and path = any (%(paths)s)"
_FINDINGS = """
insert into memdown.findings (project, path, position, code, severity, line, message)
select %(project)s, n.* from json_to_recordset(%(rows)s::json) n
    (path text, position integer, code text, severity text, line integer, message text)
"""
_LANGUAGES = "insert into memdown.languages (language) select unnest(%s::text[]) on conflict do nothing"
_PROJECT = """
update memdown.projects set revision = %(revision)s, changed_at = now(), url = coalesce(%(url)s, url),
    branch = coalesce(%(branch)s, branch), commit = coalesce(%(commit)s, commit) where project = %(project)s
"""
_TEXTS = """
select d.path, d.canonical, v.content from memdown.documents d
join memdown.versions v on v.project = d.project and v.digest = d.digest where d.project = %s order by d.path
"""
_SUPERSEDED = """
update memdown.records r set superseded = n.superseded
from json_to_recordset(%(rows)s::json) n (path text, number integer, superseded boolean)
where r.project = %(project)s and r.path = n.path and r.number = n.number and r.superseded <> n.superseded
"""
_RESOLVED = """
update memdown.links l set resolved = n.resolved
from json_to_recordset(%(rows)s::json) n (path text, number integer, position integer, resolved text)
where l.project = %(project)s and l.path = n.path and l.number = n.number and l.position = n.position
    and l.resolved is distinct from n.resolved
"""


class Head(Struct, frozen=True):
    """What a document is on the hub."""

    digest: bytes | None
    """None when it is deleted there."""
    revision: int
    published: bytes | None
    canonical: str


class KeptVersion(Struct, frozen=True):
    """A text that a document has or had."""

    digest: bytes
    content: bytes
    redacted: bool
    """Whether something was taken out of it, so that its hash is not that of its content."""


class DocumentChange(Struct, frozen=True):
    """What a document is to be."""

    path: str
    canonical: str
    content: bytes | None
    """None deletes it."""
    over: bytes | None
    """The digest of the version that it takes the place of; None where there is none."""
    published: bytes | None = None
    """The content that a commit has, where one is published."""


class HubDocument(Struct, frozen=True):
    """A document as it is on the hub."""

    project: str
    path: str
    digest: bytes
    content: bytes
    revision: int
    changed_by: str
    changed_at: datetime


class ProjectFacts(Struct, frozen=True):
    """What is known of a repository beside its memory."""

    url: str | None = None
    branch: str | None = None
    commit: str | None = None
    at: datetime | None = None
    """When the commit was made."""


class Published(Struct, frozen=True):
    """What became of changes: all of them were made, or none."""

    revision: int
    sent: list[str]
    moved: list[str]
    """Documents that are others by now than the changes were made over; nothing was changed then."""
    lsn: str | None = None
    """Where the log of the server was after this, for who reads from another."""
    vectors: bool = False
    """Whether the hub keeps what records mean."""


class _Locked(Struct, frozen=True):
    """A project of which nobody else changes anything."""

    revision: int
    vectors: bool
    links: bool
    """Whether a record leads to another."""
    heads: dict[str, Head]
    marks: Marks
    redacted: set[tuple[bytes]]
    """Which of the texts that are sent had something taken out of them."""


def digest_of(content: bytes) -> bytes:
    return sha256(content).digest()


def mark_of(project: str) -> str:
    """What stands for a project where everybody who may log in can listen."""
    return sha256(project.encode()).hexdigest()[:32]


def heads(db: "Connection", project: str, since: int = -1) -> dict[str, Head]:
    """Documents of a project that changed after a revision, the deleted ones too."""
    return _heads(db.execute(_HEADS.encode(), {"project": project, "since": since}))


def _heads(found: Iterable[tuple[Any, ...]]) -> dict[str, Head]:
    return {path: Head(digest, revision, published, name) for path, digest, revision, published, name in found}


def revision_of(db: "Connection", project: str) -> int | None:
    row = db.execute("select revision from memdown.projects where project = %s", (project,)).fetchone()
    return row[0] if row else None


def versions(db: "Connection", project: str, digests: Iterable[bytes]) -> list[KeptVersion]:
    """Versions by their hashes."""
    found = db.execute(
        "select digest, content, redacted > 0 from memdown.versions where project = %s and digest = any (%s)",
        (project, list(digests)),
    )
    return [KeptVersion(*row) for row in found]


def verified(project: str, found: Sequence[KeptVersion]) -> dict[bytes, bytes]:
    """The bytes of versions. What does not have the hash it is known by is refused, unless something was taken out."""
    for each in found:
        if not each.redacted and digest_of(each.content) != each.digest:
            raise Unreadable(f"a version of {quote(project)} on the hub does not match its hash; nothing was done")
    return {each.digest: each.content for each in found}


def contents(db: "Connection", project: str, digests: Iterable[bytes]) -> dict[bytes, bytes]:
    return verified(project, versions(db, project, digests))


def document(db: "Connection", project: str, path: str) -> HubDocument:
    """A document as it is; one that is deleted or not to be seen is not found."""
    row = db.execute(_DOCUMENT, (project, path)).fetchone()
    if row is None:
        raise NotFound(f"the hub has no {quote(path)} in {quote(project)} that you may see; search for it")
    return HubDocument(project, path, *row)


def passed(
    db: "Connection", project: str, versions: Mapping[str, Collection[bytes]], since: int
) -> set[tuple[str, bytes]]:
    """Which of these versions documents had after a revision, though they may have others by now."""
    pairs = [(path, digest) for path, digests in versions.items() for digest in digests]
    given = {"paths": [path for path, _ in pairs], "digests": [digest for _, digest in pairs]}
    return {(path, digest) for path, digest in db.execute(_PASSED, given | {"project": project, "since": since})}


def publish(db: "Connection", project: str, changes: Sequence[DocumentChange], facts: ProjectFacts) -> Published:
    """Make changes, all of them in one transaction, or none where a document has moved on."""
    derived = DerivedRows(
        HubText(each.path, each.canonical, each.content) for each in changes if each.content is not None
    )
    if not derived.is_large or any(each.over for each in changes):
        # Before anything is locked, so that others wait for what is written alone. Where all of much is new, the
        # database has more to do than this takes, and does it meanwhile.
        derived.make()
    try:
        return _publish(db, project, changes, derived, facts)
    except psycopg.errors.InsufficientPrivilege:
        refuse_others(db, project)
        raise


def _publish(
    db: "Connection", project: str, changes: Sequence[DocumentChange], derived: DerivedRows, facts: ProjectFacts
) -> Published:
    with db.transaction(), _together(db):
        was = _locked(db, project, changes)
        due = [each for each in changes if not _is_there(each, was.heads.get(each.path))]
        moved = [each.path for each in due if (head := was.heads.get(each.path)) and head.digest != each.over]
        moved += [each.path for each in due if each.path not in was.heads and each.over is not None]
        if moved:
            return Published(was.revision, [], moved)
        if not due:
            return Published(was.revision, [], [])
        revision = was.revision + 1
        if len(due) < len(changes):
            derived.keep({each.path for each in due})
        _refuse_redacted(was.redacted, _texts_of(due))
        _write(db, project, due, derived, revision, facts, was)
        db.execute("select pg_notify(%s, %s)", (CHANNEL, mark_of(project)))
    changed = [each.path for each in due if each.path not in was.heads or was.heads[each.path].digest != _digest(each)]
    return Published(revision, changed, [], vectors=was.vectors)


def _locked(db: "Connection", project: str, changes: Sequence[DocumentChange]) -> _Locked:
    """A project as it is and stays until the end of the transaction, made where it is not there; asked for at once."""
    given = {"project": project, "since": -1, "paths": [each.path for each in changes], "linking": sorted(LINKING)}
    given |= {"digests": list(_texts_of(changes))}
    db.execute("insert into memdown.projects (project) values (%(project)s) on conflict do nothing", given)
    asked = [db.execute(sql.encode(), given) for sql in (_LOCK, _HEADS, _MARKS, _REDACTED)]
    row, found, marks, redacted = (each.fetchall() for each in asked)
    if not row:
        raise Refused(f"you may not read {quote(project)} on this hub; ask an admin of it for the right to")
    [(revision, vectors, links)] = row
    written = {(path, number): each for path, number, *each in marks}
    return _Locked(revision, vectors, links, _heads(found), written, set(redacted))


def refuse_others(db: "Connection", project: str) -> None:
    """Say it in a sentence where somebody may not write; the database would refuse it too."""
    row = db.execute("select memdown.may('write', %s), coalesce(memdown.principal(), '')", (project,)).fetchone()
    if row is not None and not row[0]:
        who = f"{row[1]} may" if row[1] else "this token is invalid and may"
        ask = f"ask an admin for {way('hub grant', row[1] or 'NAME', 'write', '--project', project)}"
        raise Refused(f"{who} not write to {quote(project)} on this hub; {ask}")


def _digest(change: DocumentChange) -> bytes | None:
    return None if change.content is None else digest_of(change.content)


def _is_there(change: DocumentChange, head: Head | None) -> bool:
    """Whether a change is made already."""
    if change.content is None and head is None:
        return True
    published = change.published is None or (head is not None and head.published == digest_of(change.published))
    return head is not None and head.digest == _digest(change) and published


def _texts_of(due: Sequence[DocumentChange]) -> dict[bytes, bytes]:
    """The versions that changes have, by their hashes."""
    found = (content for each in due for content in (each.content, each.published) if content is not None)
    return {digest_of(content): content for content in found}


def _together(db: "Connection") -> AbstractContextManager[object]:
    """Statements that are sent without waiting for the answer to each, where the client of PostgreSQL can."""
    return db.pipeline() if psycopg.Pipeline.is_supported() else nullcontext()


def _write(
    db: "Connection",
    project: str,
    due: Sequence[DocumentChange],
    derived: DerivedRows,
    revision: int,
    facts: ProjectFacts,
    was: _Locked,
) -> None:
    kept = _texts_of(due)
    paths = [each.path for each in due]
    given: dict[str, Any] = {"project": project, "paths": paths, "revision": revision}
    given |= {"url": facts.url, "branch": facts.branch, "commit": facts.commit, "at": facts.at}
    db.execute(_NEW_VERSIONS, given | {"digests": list(kept), "contents": list(kept.values())})
    documents = [
        {
            "path": each.path,
            "canonical": each.canonical,
            "digest": None if each.content is None else digest_of(each.content).hex(),
            "published": None if each.published is None else digest_of(each.published).hex(),
            "dialect": derived.dialects.get(each.path),
            "language": derived.languages.get(each.path, "simple"),
        }
        for each in due
    ]
    db.execute(_LANGUAGES, (sorted(set(derived.languages.values())),))
    db.execute(_UPSERT, given | {"rows": as_json(documents)})
    db.execute(_HISTORY, given)
    marks = {key: each for key, each in was.marks.items() if key[0] in set(paths)}
    links = records.write(db, project, derived, marks, vectors=was.vectors)
    if any(path in was.heads for path in paths):
        db.execute(_FORGET_FINDINGS, given)
    if findings := derived.findings():
        db.execute(_FINDINGS.encode(), given | {"rows": as_json(findings)})
    # Where there are no other documents, they were related as they were derived.
    may_link = was.links or any(each["type"] in LINKING for each in links)
    if may_link and any(head.digest and path not in paths for path, head in was.heads.items()):
        _relate(db, project, given)
    db.execute(_PROJECT, given)
    detail = {"revision": revision, "paths": paths[:1000], "commit": facts.commit}
    db.execute("select memdown.note(%s, 'push', %s::jsonb)", (project, as_json(detail)))


def keep(db: "Connection", project: str, texts: Sequence[bytes]) -> None:
    """Keep versions that no document has yet."""
    kept = {digest_of(content): content for content in texts}
    given = {"project": project, "digests": list(kept), "contents": list(kept.values())}
    _refuse_redacted(set(db.execute(_REDACTED, given)), kept)
    db.execute(_NEW_VERSIONS, given)


def _refuse_redacted(redacted: set[tuple[bytes]], kept: dict[bytes, bytes]) -> None:
    if any((digest,) in redacted for digest in kept):
        raise Refused("something was removed from one of these texts on the hub; pull first, or remove it here too")


def _relate(db: "Connection", project: str, given: dict[str, Any]) -> None:
    """Which records replace which, anew over the whole project: any document may be the missing end of a link."""
    texts = [HubText(*each) for each in db.execute(_TEXTS, (project,))]
    index = Index.in_memory()
    try:
        past.fill(index, [each for each in rows.documents(texts) if each[0].dialect is not None])
        states, resolved = rows.relations(index)
    finally:
        index.close()
    db.execute(_SUPERSEDED, given | {"rows": as_json(states)})
    db.execute(_RESOLVED, given | {"rows": as_json(resolved)})
