"""A project on a hub, as a working copy sees it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from memdown.hub import connection, schema, store
from memdown.hub.store import DocumentChange, Head, ProjectFacts, Published

if TYPE_CHECKING:
    from memdown.hub.connection import Connection


class HubInfo(Struct, frozen=True):
    """What a working copy has to know before it exchanges anything."""

    id: str
    revision: int
    """0 for a project that is not there yet."""
    commit: str | None


class RemoteProject(Protocol):
    """What can be asked of a project on a hub."""

    def info(self) -> HubInfo: ...

    def heads(self, since: int = -1) -> dict[str, Head]: ...

    def contents(self, digests: Iterable[bytes]) -> dict[bytes, bytes]: ...

    def passed(self, versions: Mapping[str, Collection[bytes]], since: int) -> set[tuple[str, bytes]]: ...

    def publish(self, changes: Sequence[DocumentChange], facts: ProjectFacts) -> Published: ...


class DirectProject:
    """Through PostgreSQL."""

    def __init__(self, db: "Connection", name: str) -> None:
        self._db = db
        self._name = name

    def info(self) -> HubInfo:
        id = schema.check(self._db)
        row = self._db.execute(
            "select revision, commit from memdown.projects where project = %s", (self._name,)
        ).fetchone()
        return HubInfo(id, *(row or (0, None)))

    def heads(self, since: int = -1) -> dict[str, Head]:
        return store.heads(self._db, self._name, since)

    def contents(self, digests: Iterable[bytes]) -> dict[bytes, bytes]:
        return store.contents(self._db, self._name, digests)

    def passed(self, versions: Mapping[str, Collection[bytes]], since: int) -> set[tuple[str, bytes]]:
        return store.passed(self._db, self._name, versions, since)

    def publish(self, changes: Sequence[DocumentChange], facts: ProjectFacts) -> Published:
        return store.publish(self._db, self._name, changes, facts)


@contextmanager
def opened(dsn: str, name: str) -> Iterator[RemoteProject]:
    """A project on a hub, for one exchange."""
    with connection.asked(dsn) as db:
        yield DirectProject(db, name)
