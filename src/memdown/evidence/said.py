"""Which claims of memory count: those of records in force, each with the record that makes it."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from msgspec import Struct

from memdown.claims import CodeClaim, find, force
from memdown.claims.force import Confirmed
from memdown.dialects import relations
from memdown.project import Project
from memdown.record import Document, Record


class Said(Struct, frozen=True):
    """A claim, and who makes it."""

    claim: CodeClaim
    document: Document
    record: Record | None
    confirmed: Confirmed | None

    @property
    def id(self) -> str:
        if self.record:
            return self.record.id
        return f"{self.document.path}:{self.document.lines.at(self.claim.span.start) + 1}"

    @property
    def title(self) -> str | None:
        return self.record.title if self.record else None


class RecordsInForce:
    """Which records of memory hold now: not those of archives, nor what is superseded, expired or over."""

    def __init__(self, project: Project, documents: Iterable[Document]) -> None:
        self.known = relations.resolve(record for document in documents for record in document.records)
        self._now = project.now().astimezone(UTC)

    def over(self, document: Document) -> list[Record]:
        """Those of a document that do not."""
        return [each for each in document.records if _is_over(each, self.known, self._now)]

    def of(self, document: Document) -> list[Record]:
        """Those of a document that do, and are inside no other that does not."""
        over = self.over(document)
        if force.is_aside(document.path):
            return []
        return [each for each in document.records if not _is_inside(each.span.start, over)]


def said(project: Project, documents: Iterable[Document]) -> Iterator[Said]:
    """The claims of records in force, in the order of files and places."""
    read = list(documents)
    in_force = RecordsInForce(project, read)
    for document in read:
        if force.is_aside(document.path):
            continue
        records = sorted(document.records, key=lambda each: (each.span.start, -each.span.end))
        over = in_force.over(document)
        for claim, record in force.owned(document.of(find), records):
            if not _is_inside(claim.span.start, over):
                yield Said(claim, document, record, _confirmed(document, record))


def _is_inside(start: int, records: list[Record]) -> bool:
    return any(each.span.start <= start < each.span.end for each in records)


def _is_over(record: Record, known: relations.Relations, now: datetime) -> bool:
    if force.tells_of_past(record) or known.is_superseded(record):
        return True
    end = relations.expires(record)
    return end is not None and end < now


def _confirmed(document: Document, record: Record | None) -> Confirmed | None:
    return force.confirmed(
        document.text, *((record.span.start, record.span.end) if record else (0, len(document.text)))
    )
