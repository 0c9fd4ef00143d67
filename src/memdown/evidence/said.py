"""Which claims of memory count: those of records in force, each with the record that makes it."""

from collections.abc import Iterable, Iterator
from datetime import UTC

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


def said(project: Project, documents: Iterable[Document]) -> Iterator[Said]:
    """The claims of records in force, in the order of files and places."""
    read = list(documents)
    known = relations.resolve(record for document in read for record in document.records)
    now = project.now().astimezone(UTC)
    for document in read:
        if force.is_aside(document.path):
            continue
        records = sorted(document.records, key=lambda each: (each.span.start, -each.span.end))
        over = [each for each in records if _is_over(each, known, now)]
        for claim, record in force.owned(document.of(find), records):
            if not any(each.span.start <= claim.span.start < each.span.end for each in over):
                yield Said(claim, document, record, _confirmed(document, record))


def _is_over(record: Record, known: relations.Relations, now: object) -> bool:
    if force.tells_of_past(record) or known.is_superseded(record):
        return True
    end = relations.expires(record)
    return end is not None and end < now  # type: ignore[operator]


def _confirmed(document: Document, record: Record | None) -> Confirmed | None:
    return force.confirmed(
        document.text, *((record.span.start, record.span.end) if record else (0, len(document.text)))
    )
