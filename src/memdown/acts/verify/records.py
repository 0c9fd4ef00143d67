"""Which claims of memory count: those of records in force, each with the record that makes it."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC

from msgspec import Struct

from memdown.claims import CodeClaim, find
from memdown.dialects import relations
from memdown.patterns import lazy
from memdown.project import Project
from memdown.record import LISTS, Document, Record

_HISTORY = frozenset(("edit", "modification", "session", "cache", "error", "commit", "review", *LISTS))
"""Kinds of records that tell of what was done: an edit of a file that is gone today is still right."""
_OVER = frozenset(
    "completed complete done finished closed resolved superseded rejected deprecated cancelled canceled abandoned"
    " archived expired withdrawn obsolete proposed draft planned pending".split()
)
_ASIDE = lazy(
    r"(?:^|/)(?:archives?|archived|templates?|examples?|sessions?|edits|changelogs?)/"
    r"|(?:^|/)[^/]*(?:changelog|history|archive|edit_|_edits|session|commit-message|template|plan)[^/]*$"
)
"""Files of what was, of what is planned, and of examples."""
CONFIRMED = lazy(
    r"(?:<!--\s{0,9}|^# )memdown: verified (\d{4}-\d\d-\d\d)(?: by ([^\n>]{1,80}?))?(?:\s{0,9}-->|[ \t]*\r?$)", re.M
)
"""That somebody confirmed a record: a comment of Markdown, or of front matter."""


class Confirmed(Struct, frozen=True):
    """That somebody looked at a record and found it right."""

    day: str
    by: str


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
        if _ASIDE.search(document.path.lower()):
            continue
        records = sorted(document.records, key=lambda each: (each.span.start, -each.span.end))
        over = [each for each in records if _is_over(each, known, now)]
        for claim, record in _owned(document.of(find), records):
            if not any(each.span.start <= claim.span.start < each.span.end for each in over):
                yield Said(claim, document, record, _confirmed(document, record))


def _owned(claims: Iterable[CodeClaim], records: list[Record]) -> Iterator[tuple[CodeClaim, Record | None]]:
    """Each claim with the innermost record around it; both come in the order of their places."""
    stack: list[Record] = []
    at = 0
    for claim in claims:
        while at < len(records) and records[at].span.start <= claim.span.start:
            stack.append(records[at])
            at += 1
        while stack and stack[-1].span.end <= claim.span.start:
            stack.pop()
        yield claim, stack[-1] if stack else None


def _is_over(record: Record, known: relations.Relations, now: object) -> bool:
    if record.kind in _HISTORY or known.is_superseded(record):
        return True
    status = (record.status or "").casefold().strip(" *_✅")
    if status.partition(" ")[0] in _OVER:
        return True
    end = relations.expires(record)
    return end is not None and end < now  # type: ignore[operator]


def _confirmed(document: Document, record: Record | None) -> Confirmed | None:
    if "memdown: verified" not in document.text:
        return None
    spans = (record.span.start, record.span.end) if record else (0, len(document.text))
    found = list(CONFIRMED.finditer(document.text, *spans))
    return Confirmed(found[-1][1], found[-1][2] or "somebody") if found else None
