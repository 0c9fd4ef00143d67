"""Proposals: a protected project takes what somebody else than its author has taken.

The database holds to that (`memdown.guard_protected`): a document of a protected project can only become a version that
is proposed, and only by another than who proposed it. A proposal that is changed is another one, and the first is over.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memdown.acts import merge as merging
from memdown.errors import Ambiguous, Invalid, NotFound, Refused, Stale, quote, way
from memdown.hub import store
from memdown.hub.rows import as_json
from memdown.hub.store import DocumentChange, Head, ProjectFacts
from memdown.project import Project
from memdown.text import decode, encode

if TYPE_CHECKING:
    from memdown.hub.connection import Connection

_WAITING = """
select project, id::text, path, canonical, base, digest, proposed_by, proposed_at::text from memdown.proposals
where state = 'open' and starts_with(id::text, %s) order by project, path, proposed_at
"""
_PROPOSE = """
insert into memdown.proposals (project, path, canonical, base, digest, proposed_by)
values (%s, %s, %s, %s, %s, memdown.principal()) returning id::text
"""
_REPLACE = """
update memdown.proposals set state = 'replaced', decided_by = memdown.principal(), decided_at = now()
where project = %s and path = %s and state = 'open' and proposed_by = memdown.principal() and digest <> %s
"""
_SAME = """
select id::text from memdown.proposals where project = %s and path = %s and state = 'open' and digest = %s
"""
_DECIDE = """
update memdown.proposals set state = %s, decided_by = memdown.principal(), decided_at = now()
where project = %s and id = %s::uuid and state = 'open'
"""


class HubProposal(Struct, frozen=True):
    """A version of a document that somebody wants a project to have."""

    project: str
    id: str
    path: str
    proposed_by: str
    proposed_at: str


class HubProposed(HubProposal, frozen=True):
    """A proposal with the text that it would replace, as that is now, and its own."""

    before: str
    after: str


def protect(db: "Connection", name: str, wanted: bool) -> None:
    """Protect a project, or open it again; for its admins."""
    with db.transaction():
        if store.revision_of(db, name) is None:
            raise NotFound(f"the hub has no project {quote(name)} that you may see; push it first")
        db.execute("select memdown.protect(%s, %s)", (name, wanted))


def changes_of(project: Project, heads: Mapping[str, Head]) -> list[DocumentChange]:
    """The files that differ from the hub, each over what is there."""
    with project.snapshot():
        files = {each: project.files.data(each) for each in project.names()}
    changes = []
    for path, data in files.items():
        head = heads.get(path)
        if data is None or (head and head.digest == store.digest_of(data)):
            continue
        project.files.refuse_credential(decode(data), f"{quote(path)} on the hub")
        changes.append(DocumentChange(path, project.config.canonical_path(path), data, head.digest if head else None))
    return changes


def propose(db: "Connection", project: str, changes: Sequence[DocumentChange]) -> list[HubProposal]:
    """Propose what documents should be. One that is proposed already stays as it is."""
    with db.transaction():
        store.refuse_others(db, project)
        if store.revision_of(db, project) is None:
            raise NotFound(f"the hub has no project {quote(project)} that you may see; push it first")
        return [_proposed(db, project, each) for each in changes]


def _proposed(db: "Connection", project: str, change: DocumentChange) -> HubProposal:
    if change.content is None:
        raise Invalid(f"The deletion of {quote(change.path)} cannot be proposed; ask for it in the repository.")
    digest = store.digest_of(change.content)
    store.keep(db, project, [change.content])
    db.execute(_REPLACE, (project, change.path, digest))
    same = db.execute(_SAME, (project, change.path, digest)).fetchone()
    given = (project, change.path, change.canonical, change.over, digest)
    row = same or db.execute(_PROPOSE, given).fetchone()
    assert row
    return next(each for each in _listed(db, row[0]))


def _listed(db: "Connection", id: str = "") -> list[HubProposal]:
    return [HubProposal(row[0], row[1], row[2], row[6], row[7]) for row in db.execute(_WAITING, (id,))]


def waiting(db: "Connection") -> list[HubProposal]:
    """Proposals that nobody has decided on."""
    return _listed(db)


def take(db: "Connection", id: str, *, reject: bool = False) -> HubProposal:
    """Bring a proposal into its project, as it was proposed."""
    with db.transaction():
        row = _row(db, id)
        if not reject:
            _bring_in(db, row)
        db.execute(_DECIDE, ("rejected" if reject else "taken", row[0], row[1]))
        db.execute(
            "select memdown.note(%s, %s, %s::jsonb)",
            (row[0], "reject" if reject else "take", as_json({"path": row[2], "by": row[6]})),
        )
    return HubProposal(row[0], row[1], row[2], row[6], row[7])


def proposed(db: "Connection", id: str) -> HubProposed:
    """What a proposal would change."""
    row = _row(db, id)
    project, path, digest = row[0], row[2], row[5]
    head = store.heads(db, project).get(path)
    there = head.digest if head else None
    texts = store.contents(db, project, [each for each in (digest, there) if each])
    before = decode(texts[there]) if there else ""
    return HubProposed(project, row[1], path, row[6], row[7], before, decode(texts[digest]))


def _row(db: "Connection", id: str) -> tuple[Any, ...]:
    found = db.execute(_WAITING, (id,)).fetchall()
    if not found or not id:
        raise NotFound(f"no open proposal has the id {quote(id)}; see {way('hub proposals')}")
    if len(found) > 1:
        raise Ambiguous(f"{len(found)} proposals begin with {quote(id)}; give more of the id")
    return found[0]


def _bring_in(db: "Connection", row: tuple[Any, ...]) -> None:
    project, _, path, canonical, base, digest, proposed_by, _ = row
    me = db.execute("select memdown.principal()").fetchone()
    if me and me[0] == proposed_by:
        raise Refused("you proposed this yourself; someone else has to take it")
    head = store.heads(db, project).get(path)
    there = head.digest if head else None
    texts = store.contents(db, project, [each for each in (base, digest, there) if each])
    if there != base:
        before = decode(texts[base]) if base else ""
        merged = merging.merge(before, decode(texts[digest]), decode(texts[there]) if there else "")
        if encode(merged.text) != texts[digest]:
            raise Stale(f"{quote(path)} changed since this was proposed; propose it again, based on the current text")
    done = store.publish(db, project, [DocumentChange(path, canonical, texts[digest], there)], ProjectFacts())
    if done.moved:
        raise Stale(f"{quote(path)} was changed at the same moment; try again")
