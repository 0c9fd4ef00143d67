"""Who may do what on a hub: principals, grants, tokens, the audit, and taking a secret out of every version.

The database decides, row by row (migrations/0002_access.sql). What is asked here without the right fails there.
"""

import os
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from memdown.errors import Invalid, NotFound, Refused, quote, way
from memdown.hub import connection, schema, store
from memdown.hub.rows import as_json
from memdown.hub.store import DocumentChange, ProjectFacts

if TYPE_CHECKING:
    from memdown.hub.connection import Connection

RIGHTS = ("read", "write", "admin")
KINDS = ("person", "agent", "ci")
TOKEN_DAYS = 90
_PREFIX = "mdh_"
_GRANT = """
insert into memdown.grants (project, principal, may, granted_by) values (%s, %s, %s, memdown.principal())
on conflict (project, principal) do update set may = excluded.may, granted_by = excluded.granted_by, granted_at = now()
"""
_ISSUE = """
insert into memdown.tokens (digest, principal, name, client, may, expires_at)
values (%s, %s, %s, %s, %s, now() + make_interval(days => %s))
"""
_TOKENS = """
select principal, name, client, may, created_at, expires_at, last_used_at, revoked_at from memdown.tokens
order by principal, created_at
"""
_CLIENTS = """
select a.client, c.name, a.principal, a.may,
    (select min(f.created_at) from memdown.authorizations f where f.project = a.project and f.family = a.family),
    (select max(t.last_used_at) from memdown.tokens t where t.project = a.project and t.family = a.family)
from memdown.authorizations a join memdown.clients c on c.project = a.project and c.client = a.client
where a.kind = 'refresh' and a.used_at is null and a.revoked_at is null and a.expires_at > now()
order by a.principal, a.created_at
"""
_END_CLIENT = """
update memdown.authorizations set revoked_at = now() where client = %s and revoked_at is null returning family
"""
_REDACTED = """
select d.path, d.canonical, d.digest, v.content from memdown.documents d
join memdown.versions v on v.project = d.project and v.digest = d.digest
where d.project = %s and v.redacted > 0 order by d.path
"""


class Grant(Struct, frozen=True):
    """A right of somebody in a project, a group of projects (a name that ends in /*) or all (*)."""

    project: str
    principal: str
    may: str
    granted_by: str
    granted_at: datetime


class NewToken(Struct, frozen=True):
    """A token, which is shown once."""

    token: str
    principal: str
    may: str
    days: int


class TokenInfo(Struct, frozen=True):
    """What is known of a token, but for itself."""

    principal: str
    name: str
    client: str | None
    may: str
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class HubClient(Struct, frozen=True):
    """An assistant that somebody let in, by OAuth."""

    client: str
    name: str
    principal: str
    may: str
    since: datetime
    last_used_at: datetime | None


class AuditEntry(Struct, frozen=True):
    """Something that somebody did."""

    at: datetime
    project: str
    principal: str
    act: str
    detail: dict[str, Any]


class Redaction(Struct, frozen=True):
    """What became of a secret."""

    versions: int
    """Versions that had it, and do not any more."""
    documents: list[str]
    """Documents that have a new version for that."""


def hash_of(token: str) -> bytes:
    return sha256(token.encode()).digest()


def new_token() -> str:
    """A token that nobody has yet."""
    return _PREFIX + urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")


def grant(dsn: str, principal: str, may: str, project: str, *, kind: str = "person") -> None:
    """Give somebody a right; it takes the place of the one they have there."""
    if may not in RIGHTS:
        raise Invalid(f"{quote(may)} is not a right; use one of {', '.join(RIGHTS)}.")
    with _changing(dsn) as db:
        db.execute(
            "insert into memdown.principals (principal, kind) values (%s, %s) on conflict do nothing", (principal, kind)
        )
        db.execute(_GRANT, (project, principal, may))
        _note(db, project, "grant", principal=principal, may=may)


def revoke(dsn: str, principal: str, project: str) -> None:
    """Take a right away."""
    with _changing(dsn) as db:
        gone = db.execute("delete from memdown.grants where project = %s and principal = %s", (project, principal))
        if not gone.rowcount:
            raise NotFound(f"{quote(principal)} has no right in {quote(project)} that you may revoke.")
        _note(db, project, "revoke", principal=principal)


def grants(dsn: str) -> list[Grant]:
    """Your own rights, and those of others in what you administrate."""
    with connection.asked(dsn, write=False) as db:
        schema.check(db)
        found = db.execute("select project, principal, may, granted_by, granted_at from memdown.grants order by 1, 2")
        return [Grant(*row) for row in found]


def issue(
    dsn: str, principal: str, *, may: str = "read", name: str = "", days: int = TOKEN_DAYS, client: str | None = None
) -> NewToken:
    """A new token for somebody. The hub keeps its hash only."""
    if not 1 <= days <= 3650:
        raise Invalid("A token is valid for 1 to 3650 days.")
    if may not in RIGHTS:
        raise Invalid(f"{quote(may)} is not a right; use one of {', '.join(RIGHTS)}.")
    token = new_token()
    with _changing(dsn) as db:
        db.execute(_ISSUE, (hash_of(token), principal, name, client, may, days))
        _note(db, "*", "token", principal=principal, name=name, may=may)
    return NewToken(token, principal, may, days)


def tokens(dsn: str) -> list[TokenInfo]:
    """Your own tokens; for an admin of the hub, those of all."""
    with connection.asked(dsn, write=False) as db:
        schema.check(db)
        return [TokenInfo(*row) for row in db.execute(_TOKENS)]


def end_tokens(dsn: str, principal: str, name: str | None = None) -> int:
    """Revoke the tokens of somebody, all or those of a name; how many."""
    with _changing(dsn) as db:
        done = db.execute(
            "update memdown.tokens set revoked_at = now()"
            " where principal = %(who)s and revoked_at is null and (%(name)s::text is null or name = %(name)s)",
            {"who": principal, "name": name},
        )
        if not done.rowcount:
            raise NotFound(f"{quote(principal)} has no such valid token.")
        _note(db, "*", "end-token", principal=principal, name=name)
        return done.rowcount


def clients(dsn: str) -> list[HubClient]:
    """The assistants that you have let in; for an admin of the hub, those of all."""
    with connection.asked(dsn, write=False) as db:
        schema.check(db)
        return [HubClient(*row) for row in db.execute(_CLIENTS)]


def revoke_client(dsn: str, client: str) -> int:
    """End what a client may do, by whoever let it in, as far as that is yours to end; how many agreements."""
    with _changing(dsn) as db:
        ended = db.execute(_END_CLIENT, (client,)).fetchall()
        db.execute("update memdown.tokens set revoked_at = now() where client = %s and revoked_at is null", (client,))
        if not ended:
            raise NotFound(f"{quote(client)} is not a client that you authorized; see {way('hub clients')}.")
        _note(db, "*", "revoke-client", client=client)
        return len({family for (family,) in ended})


def audit(dsn: str, project: str | None = None, *, limit: int = 50) -> list[AuditEntry]:
    """Who did what, the newest first, in what you administrate."""
    with connection.asked(dsn, write=False) as db:
        schema.check(db)
        found = db.execute(
            "select at, project, principal, act, detail from memdown.audit"
            " where %(project)s::text is null or project = %(project)s order by at desc limit %(limit)s",
            {"project": project, "limit": limit},
        )
        return [AuditEntry(*row) for row in found]


def redact(dsn: str, project: str, secret: str, *, instead: str = "[redacted]") -> Redaction:
    """Take a text out of every version of a project. Documents that have it now get a new version, for all to pull."""
    if len(secret.encode()) < 4:
        raise Invalid("The secret must have at least four bytes; give all of it.")
    if secret in instead:
        raise Invalid("The replacement contains the secret; use another one.")
    with _changing(dsn) as db:
        row = db.execute("select memdown.redact(%s, %s, %s)", (project, secret.encode(), instead.encode())).fetchone()
        versions = row[0] if row else 0
        changes = [
            DocumentChange(path, canonical, content, digest)
            for path, canonical, digest, content in db.execute(_REDACTED, (project,))
            if store.digest_of(content) != digest
        ]
        done = store.publish(db, project, changes, ProjectFacts()) if changes else None
        if done and done.moved:
            raise Refused("somebody pushed at the same moment; try again")
    return Redaction(versions, done.sent if done else [])


@contextmanager
def _changing(dsn: str) -> Iterator["Connection"]:
    """One transaction of changes, on a hub that this version can use."""
    with connection.asked(dsn) as db:
        schema.check(db)
        with db.transaction():
            yield db


def _note(db: "Connection", project: str, act: str, **detail: str | None) -> None:
    db.execute("select memdown.note(%s, %s, %s::jsonb)", (project, act, as_json(detail)))
