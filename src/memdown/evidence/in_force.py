"""Which claims of memory count: those of records in force, each with the record that makes it."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import UTC

from msgspec import Struct

from memdown.claims import CodeClaim, find, force
from memdown.claims.force import Confirmed
from memdown.dialects import relations
from memdown.evidence import digest
from memdown.project import Project
from memdown.record import Document, Record
from memdown.text import Span


class ClaimInForce(Struct, frozen=True, gc=False):
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


class MemoryInForce:
    """The records of memory that hold now: not those of archives, nor what is superseded, expired or over."""

    def __init__(self, project: Project, documents: Iterable[Document] | None = None) -> None:
        """`documents` are those of the project, where somebody read them already."""
        self.documents = list(_read(project) if documents is None else documents)
        self._known = relations.resolve(record for document in self.documents for record in document.records)
        self._now = project.now().astimezone(UTC)

    def claims(self) -> Iterator[ClaimInForce]:
        """The claims of these records, in the order of files and places."""
        for document in self.documents:
            if force.is_aside(document):
                continue
            over = self._over(document)
            for claim, record in force.owned(find(document), document.records):
                if not over.has(claim.span.start):
                    yield ClaimInForce(claim, document, record, _confirmed(document, record))

    def records(self, document: Document) -> list[Record]:
        """Those of a document, but for what is inside another that no longer holds."""
        if force.is_aside(document):
            return []
        over = self._over(document)
        return [each for each in document.records if not over.has(each.span.start)]

    def is_over(self, record: Record, *, or_expired: bool = True) -> bool:
        """Whether a record tells of the past, is superseded, or has expired."""
        if force.tells_of_past(record) or self._known.is_superseded(record):
            return True
        end = relations.expires(record) if or_expired else None
        return end is not None and end < self._now

    def _over(self, document: Document) -> "_Covered":
        return _Covered(each.span for each in document.records if self.is_over(each))


def _read(project: Project) -> Iterator[Document]:
    """Every file that a dialect claims."""
    names = project.names()
    project.read_ahead(names)
    found = digest.documents(project, names)
    return (document for _ in project.progress(names, "reading") if (document := next(found)).dialect is not None)


class _Covered:
    """Parts of a text, however they overlap."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for span in sorted(spans, key=lambda each: each.start):
            if self._ends and span.start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], span.end)
            else:
                self._starts.append(span.start)
                self._ends.append(span.end)

    def has(self, at: int) -> bool:
        found = bisect_right(self._starts, at) - 1
        return found >= 0 and at < self._ends[found]


def _confirmed(document: Document, record: Record | None) -> Confirmed | None:
    return force.confirmed(
        document.text, *((record.span.start, record.span.end) if record else (0, len(document.text)))
    )
