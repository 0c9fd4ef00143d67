"""What can be asked of a hub: each call with what it takes, and how the database is asked for the answer.

A call goes to the database itself, or as JSON to a server, which asks the database in the same way.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, get_type_hints

from msgspec import Struct, structs

from memdown import secrets
from memdown.acts.context.pack import Context
from memdown.errors import Refused, quote
from memdown.hub import meanings, proposals, questions, schema, search, store, working
from memdown.hub.connection import position
from memdown.hub.proposals import HubProposal, HubProposed
from memdown.hub.questions import Contradiction, HubStats, Knower
from memdown.hub.schema import HubStatus
from memdown.hub.search import HubHits
from memdown.hub.store import DocumentChange, Head, HubDocument, KeptVersion, ProjectFacts, Published
from memdown.index import query
from memdown.index.query import Query
from memdown.lazy import LazyModule
from memdown.store.names import check_name
from memdown.text import decode

if TYPE_CHECKING:
    import psycopg

    from memdown.hub.connection import Connection
else:
    psycopg = LazyModule("psycopg")

R = TypeVar("R")


class HubInfo(Struct, frozen=True):
    """What a working copy has to know before it exchanges anything."""

    id: str
    revision: int
    """0 for a project that is not there yet."""
    commit: str | None
    protected: bool = False


class HubCall(Struct, Generic[R], frozen=True, kw_only=True):
    """Something that is asked of a hub."""

    name: ClassVar[str]
    writes: ClassVar[bool] = False
    primary: ClassVar[bool] = False
    """Whether no standby is asked, though nothing is written: a change follows that is made over the answer."""
    checks: ClassVar[bool] = True
    """Whether a hub of another version cannot answer it."""

    after: str | None = None
    """Where the log of the server was after the last push of who asks, which a standby has to have."""

    def refuse(self) -> None:
        """What a server refuses before it asks the database, as it does not know who sends this."""

    def answer(self, db: "Connection") -> R:
        raise NotImplementedError

    def committed(self, db: "Connection", answer: R) -> R:  # noqa: ARG002 - for those that need it
        """The answer as it is once all is committed."""
        return answer

    def settles(self, answer: R) -> bool:  # noqa: ARG002 - for those that need it
        """Whether there is something to do once the answer is certain."""
        return False

    def settle(self, db: "Connection", answer: R) -> None:
        """That, which may also be left for later."""

    @classmethod
    def answers(cls) -> Any:
        """The type of the answer."""
        return get_type_hints(cls.answer, localns={"Connection": object})["return"]


def answered(db: "Connection", call: HubCall[R]) -> R:
    """The answer of a database to a call."""
    found = call.committed(db, call.answer(db))
    if call.settles(found):
        with suppress(psycopg.OperationalError):  # a connection that is lost now takes nothing of the answer away
            call.settle(db, found)
    return found


class ProjectCall(HubCall[R], Generic[R], frozen=True, kw_only=True):
    """Something about one project."""

    project: str


class InfoCall(ProjectCall[HubInfo], frozen=True, kw_only=True):
    name = "info"
    primary = True

    def answer(self, db: "Connection") -> HubInfo:
        id = schema.check(db)  # first, as it says what a database lacks that is no hub
        row = db.execute(
            "select revision, commit, protected from memdown.projects where project = %s", (self.project,)
        ).fetchone()
        return HubInfo(id, *(row or (0, None)))


class HeadsCall(ProjectCall[dict[str, Head]], frozen=True, kw_only=True):
    name = "heads"
    primary = True

    since: int = -1

    def answer(self, db: "Connection") -> dict[str, Head]:
        return store.heads(db, self.project, self.since)


class VersionsCall(ProjectCall[list[KeptVersion]], frozen=True, kw_only=True):
    name = "versions"
    primary = True

    digests: list[bytes]

    def answer(self, db: "Connection") -> list[KeptVersion]:
        return store.versions(db, self.project, self.digests)


class PassedCall(ProjectCall[set[tuple[str, bytes]]], frozen=True, kw_only=True):
    name = "passed"
    primary = True

    versions: dict[str, list[bytes]]
    since: int

    def answer(self, db: "Connection") -> set[tuple[str, bytes]]:
        return store.passed(db, self.project, self.versions, self.since)


class PublishCall(ProjectCall[Published], frozen=True, kw_only=True):
    name = "publish"
    writes = True

    changes: list[DocumentChange]
    facts: ProjectFacts = ProjectFacts()
    checked: bool = False
    """Whether the sender has looked for credentials, by the rules of the project."""

    def refuse(self) -> None:
        refuse_changes(self.project, self.changes, checked=self.checked)

    def answer(self, db: "Connection") -> Published:
        return store.publish(db, self.project, self.changes, self.facts)

    def committed(self, db: "Connection", answer: Published) -> Published:
        return structs.replace(answer, lsn=position(db)) if answer.sent else answer

    def settles(self, answer: Published) -> bool:
        return answer.vectors and bool(answer.sent)

    def settle(self, db: "Connection", answer: Published) -> None:
        meanings.fill(db, self.project, answer.sent, meanings.PATIENCE)


class ProposeCall(ProjectCall[list[HubProposal]], frozen=True, kw_only=True):
    name = "propose"
    writes = True

    changes: list[DocumentChange]
    checked: bool = False

    def refuse(self) -> None:
        refuse_changes(self.project, self.changes, checked=self.checked)

    def answer(self, db: "Connection") -> list[HubProposal]:
        return proposals.propose(db, self.project, self.changes)


class ProtectCall(ProjectCall[None], frozen=True, kw_only=True):
    name = "protect"
    writes = True

    protected: bool = True

    def answer(self, db: "Connection") -> None:
        proposals.protect(db, self.project, self.protected)


class ProposalsCall(HubCall[list[HubProposal]], frozen=True, kw_only=True):
    name = "proposals"

    def answer(self, db: "Connection") -> list[HubProposal]:
        return proposals.waiting(db)


class ProposedCall(HubCall[HubProposed], frozen=True, kw_only=True):
    name = "proposed"

    id: str

    def answer(self, db: "Connection") -> HubProposed:
        return proposals.proposed(db, self.id)


class TakeCall(HubCall[HubProposal], frozen=True, kw_only=True):
    name = "take"
    writes = True

    id: str
    reject: bool = False

    def answer(self, db: "Connection") -> HubProposal:
        return proposals.take(db, self.id, reject=self.reject)


class DocumentCall(ProjectCall[HubDocument], frozen=True, kw_only=True):
    name = "document"

    path: str

    def answer(self, db: "Connection") -> HubDocument:
        return store.document(db, self.project, self.path)


class SearchCall(HubCall[HubHits], frozen=True, kw_only=True):
    name = "search"

    query: Query | str
    limit: int | None = None
    now: datetime | None = None
    as_of: str | None = None
    semantic: bool = False

    def answer(self, db: "Connection") -> HubHits:
        now = _now(self.now)
        asked = query.parse(self.query, now, limit=self.limit) if isinstance(self.query, str) else self.query
        return search.find(db, asked, now, as_of=self.as_of, semantic=self.semantic)


class WhoCall(HubCall[list[Knower]], frozen=True, kw_only=True):
    name = "who"

    question: str
    now: datetime | None = None
    limit: int = 10

    def answer(self, db: "Connection") -> list[Knower]:
        return questions.who(db, self.question, _now(self.now), limit=self.limit)


class ContextCall(HubCall[Context], frozen=True, kw_only=True):
    name = "context"

    task: str
    now: datetime | None = None
    budget: int | None = None

    def answer(self, db: "Connection") -> Context:
        return questions.context(db, self.task, _now(self.now), self.budget)


class StatsCall(HubCall[HubStats], frozen=True, kw_only=True):
    name = "stats"

    top: int = 10

    def answer(self, db: "Connection") -> HubStats:
        return questions.stats(db, top=self.top)


class ContradictionsCall(HubCall[list[Contradiction]], frozen=True, kw_only=True):
    name = "contradictions"

    def answer(self, db: "Connection") -> list[Contradiction]:
        return questions.contradictions(db)


class StatusCall(HubCall[HubStatus], frozen=True, kw_only=True):
    name = "status"
    checks = False

    def answer(self, db: "Connection") -> HubStatus:
        return schema.status(db)


CALLS: Mapping[str, type[HubCall[Any]]] = {
    each.name: each
    for each in (
        *(InfoCall, HeadsCall, VersionsCall, PassedCall, PublishCall, ProposeCall, ProtectCall, ProposalsCall),
        *(
            ProposedCall,
            TakeCall,
            DocumentCall,
            SearchCall,
            WhoCall,
            ContextCall,
            StatsCall,
            ContradictionsCall,
            StatusCall,
        ),
    )
}


def _now(given: datetime | None) -> datetime:
    if given is None:
        return datetime.now(UTC)
    return given if given.tzinfo else given.replace(tzinfo=UTC)


def refuse_changes(project: str, changes: Sequence[DocumentChange], *, checked: bool) -> None:
    """Refuse names that no working copy would take, and what looks like a credential."""
    working.check_project(project)
    for each in changes:
        for name in (each.path, each.canonical):
            # Which folders with a dot hold memory is a setting of the project; git's own is refused everywhere.
            check_name(name, frozenset(part for part in name.split("/") if part.strip(".") and part[0] == "."))
        found = secrets.find(decode(each.content)) if each.content is not None and not checked else []
        if found:
            raise Refused(f"{quote(each.path)} would contain a credential ({found[0].kind}); leave it out")
