"""A hub, as everybody else sees it: asked through PostgreSQL itself, or through a server of ours."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from memdown.hub import calls, connection, proposals, schema, served, store, working
from memdown.hub.calls import (
    HeadsCall,
    HubCall,
    HubInfo,
    InfoCall,
    PassedCall,
    ProposeCall,
    PublishCall,
    VersionsCall,
)
from memdown.hub.connection import HubDown, HubUncertain
from memdown.hub.proposals import HubProposal
from memdown.hub.store import DocumentChange, Head, ProjectFacts, Published
from memdown.project import Project

if TYPE_CHECKING:
    from memdown.hub.connection import Connection

R = TypeVar("R")


class HubLine(Protocol):
    """What answers calls: a connection to the database, or a server."""

    def __call__(self, call: HubCall[R]) -> R: ...


class RemoteProject:
    """A project on a hub."""

    def __init__(self, line: HubLine, name: str) -> None:
        self._line = line
        self._name = name

    def info(self) -> HubInfo:
        return self._line(InfoCall(project=self._name))

    def heads(self, since: int = -1) -> dict[str, Head]:
        return self._line(HeadsCall(project=self._name, since=since))

    def contents(self, digests: Iterable[bytes]) -> dict[bytes, bytes]:
        """The bytes of versions, each of which has the hash it is known by."""
        found = self._line(VersionsCall(project=self._name, digests=list(digests)))
        return store.verified(self._name, found)

    def passed(self, versions: Mapping[str, Collection[bytes]], since: int) -> set[tuple[str, bytes]]:
        asked = {path: list(each) for path, each in versions.items()}
        return self._line(PassedCall(project=self._name, versions=asked, since=since))

    def publish(self, changes: Sequence[DocumentChange], facts: ProjectFacts) -> Published:
        """Make changes, which who calls this has looked at for credentials."""
        return self._line(PublishCall(project=self._name, changes=list(changes), facts=facts, checked=True))

    def propose(self, changes: Sequence[DocumentChange]) -> list[HubProposal]:
        return self._line(ProposeCall(project=self._name, changes=list(changes), checked=True))


class DirectProject(RemoteProject):
    """Through a connection to PostgreSQL."""

    def __init__(self, db: "Connection", name: str) -> None:
        super().__init__(Direct(db), name)


class Direct:
    """PostgreSQL itself."""

    def __init__(self, db: "Connection") -> None:
        self._db = db

    def __call__(self, call: HubCall[R]) -> R:
        try:
            with connection.in_our_words():
                return calls.answered(self._db, call)
        except HubDown as error:
            if call.writes and self._db.closed:
                raise HubUncertain(str(error)) from error
            raise


@contextmanager
def opened(address: str, name: str) -> Iterator[RemoteProject]:
    """A project on a hub, for one exchange."""
    if connection.is_served(address):
        yield RemoteProject(served.Served(address), name)
    else:
        with connection.asked(address) as db:
            yield DirectProject(db, name)


def ask(address: str, call: HubCall[R]) -> R:
    """Ask a hub once. Questions are repeated when the connection is lost; a change is not."""
    if call.writes:
        return _once(address, call)
    return connection.retried(lambda: _once(address, call))


def _once(address: str, call: HubCall[R]) -> R:
    if connection.is_served(address):
        return served.Served(address)(call)
    opening = (
        connection.asked(address) if call.writes or call.primary else connection.reading(address, after=call.after)
    )
    with opening as db:
        if call.checks:
            schema.check(db)
        return Direct(db)(call)


def propose(project: Project, address: str, *, name: str | None = None) -> list[HubProposal]:
    """Propose the files that differ from the hub."""
    called = working.name_of(project, name)

    def once() -> list[HubProposal]:
        with opened(address, called) as remote:
            remote.info()
            changes = proposals.changes_of(project, remote.heads())
            return remote.propose(changes) if changes else []

    return connection.retried(once)
