"""What is unwell in a memory as a whole: what `check` finds, put together by kind.

The rules of the table are about what records say together. Whatever else the check shows is told as "other", so that
the two never disagree. Nothing is changed.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from msgspec import Struct

from memdown.acts import check
from memdown.diagnostics import SEVERITIES, Diagnostic
from memdown.project import Project
from memdown.record import Document, Record


class HealthKind(Struct, frozen=True):
    """One kind of trouble, and the rules that find it."""

    codes: tuple[str, ...]
    whole: bool = False
    """Whether it is about a file, not about a record of it."""
    once: bool = False
    """Whether a sentence that holds for several records is told at the first."""


KINDS = {
    "ambiguous-supersedes": HealthKind(("SEM065",)),
    "cyclic-supersedes": HealthKind(("SEM066",), once=True),
    "dangling-supersedes": HealthKind(("SEM064", "BNK035")),
    "duplicate": HealthKind(("SEM070", "SEM072", "SEM076", "BNK063", "CRD080", "CRD081", "JNL083", "MD031")),
    "expired": HealthKind(("SEM060", "CRD053")),
    "expires-too-early": HealthKind(("SEM062",)),
    "inbox": HealthKind(("SEM078",), whole=True),
    "legacy": HealthKind(("SEM001",), whole=True),
    "oversize": HealthKind(("BNK009", "SEM007", "SEM008", "SEM009"), whole=True),
    "same-title": HealthKind(("SEM071", "SEM077")),
    "superseded-twice": HealthKind(("SEM074",)),
    "supersedes-newer": HealthKind(("SEM075",)),
    "undated": HealthKind(("SEM002", "CRD050", "BNK030")),
}
OTHER = "other"
"""What the check shows without being of one of these kinds."""
_WHOLE = HealthKind((), whole=True)
_KIND_OF = {code: name for name, kind in KINDS.items() for code in kind.codes}


class HealthFinding(Struct, frozen=True):
    """One thing that is unwell, and where."""

    kind: str
    severity: str
    """"error", "warning" or "info"."""
    path: str
    line: int | None
    id: str | None
    title: str | None
    message: str
    """A sentence that says what to do."""
    code: str
    """The rule that says so."""


def health(project: Project) -> list[HealthFinding]:
    """All findings, the worst first, then by kind and place."""
    failing = check.failing(project)
    checked = check.check(project, (), check.selection(project))
    shown = {*failing, "error", "warning"}
    wanted = [each for each in checked.diagnostics if each.code in _KIND_OF or each.severity in shown]
    found = _findings(checked.documents, wanted)
    return sorted(found, key=lambda each: (SEVERITIES.index(each.severity), each.kind, each.path, each.line or 0))


def _findings(documents: Sequence[Document], diagnostics: Sequence[Diagnostic]) -> Iterator[HealthFinding]:
    by_path = {doc.path: doc for doc in documents}
    records: dict[str, list[Record]] = {}
    reported: set[tuple[str, str]] = set()
    for each in diagnostics:
        name = _KIND_OF.get(each.code, OTHER)
        kind = KINDS.get(name, _WHOLE)
        if kind.once and (name, each.message) in reported:
            continue
        reported.add((name, each.message))
        if not kind.whole and each.path not in records:
            records[each.path] = sorted(by_path[each.path].records, key=lambda record: record.span.start)
        record = None if kind.whole else _record_at(records[each.path], each.span.start)
        line, id, title = (record.line, record.id, record.title) if record else (None, None, None)
        if name == OTHER:
            line = by_path[each.path].lines.position(each.span.start)[0]
        yield HealthFinding(name, each.severity, each.path, line, id, title, each.message, each.code)


def _record_at(records: Sequence[Record], offset: int) -> Record | None:
    """The innermost record around a place."""
    for record in reversed(records[: bisect_right(records, offset, key=lambda record: record.span.start)]):
        if offset <= record.span.end:
            return record
    return records[0] if records else None
