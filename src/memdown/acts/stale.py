"""What nobody has touched for long: records by their date, files whose records have none by their last commit."""

from collections.abc import Iterator
from datetime import UTC, datetime

from msgspec import Struct

from memdown.claims import force
from memdown.index import questions
from memdown.index.facets import STALE
from memdown.project import Project
from memdown.record import Mark


class StaleMemory(Struct, frozen=True):
    """A record, or a file whose records have no date."""

    id: str
    """The path, for a file."""
    kind: str
    """`file` for a file."""
    path: str
    line: int | None
    title: str | None
    at: str
    """Its date; for a file, when it was last committed."""
    days: int
    records: int
    """How many records are that old."""


class StaleList(Struct, frozen=True):
    """What is stale, the oldest first."""

    found: list[StaleMemory]
    total: int
    """How many there are, with those that were left out."""


def stale(project: Project, limit: int, *, dated: bool = True) -> StaleList:
    """The oldest, at most `limit`; without `dated`, files alone.

    Archives, files with uncommitted changes, and files that git does not know are left out.
    """
    now = project.now().astimezone(UTC)
    asked = questions.of(project)
    oldest = asked.oldest(asked.parse(STALE), limit=limit) if dated else None
    records = [_record(mark, now) for mark in oldest.found.marks] if oldest else []
    files = list(_files(project, asked.undated(), now))
    found = sorted((*records, *files), key=lambda each: (each.at, each.path))
    return StaleList(found[:limit], (oldest.total if oldest else 0) + len(files))


def _record(mark: Mark, now: datetime) -> StaleMemory:
    record = mark.record
    assert record.at is not None
    days = (now.date() - record.at.local.date()).days
    return StaleMemory(record.id, record.kind, record.path, record.line, record.title, record.at.rfc3339(), days, 1)


def _files(project: Project, undated: dict[str, int], now: datetime) -> Iterator[StaleMemory]:
    wanted = [path for path in undated if not force.is_aside_path(path)]
    with project.snapshot():
        changing = {*project.repository.differing()}
        changes = project.repository.last_changes(wanted)
    for path in wanted:
        at = changes[path].commit.date if path in changes and path not in changing else None
        days = (now - datetime.fromisoformat(at)).days if at else 0
        if at and project.config.layers.staleness(days) == "stale":
            yield StaleMemory(path, "file", path, None, None, at, days, undated[path])
