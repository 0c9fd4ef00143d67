"""What memory says of the code, each with how it stands."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial

from memdown.claims import CodeClaim, force
from memdown.claims.declared import reviews
from memdown.evidence.codefiles import NamesBefore
from memdown.evidence.contradictions import Asserted, contradictions
from memdown.evidence.in_force import ClaimInForce, MemoryInForce
from memdown.evidence.lookup import ClaimLookup
from memdown.evidence.model import NOT_COMMITTED, Answer
from memdown.evidence.symbols import PATTERN
from memdown.project import Project
from memdown.record import CONTRADICTION, REVIEW, UNTRUE, Document, Record, Statement
from memdown.text import Span

_EVIDENCE = {
    "path": "files",
    "url": "files",
    "quote": "files",
    "version": "manifests",
    "command": "manifests",
    "commit": "git",
    **dict.fromkeys(("symbol", "literal", "variable", "port"), PATTERN),
}
"""By kind, what was asked, where the answer does not say."""


def every(
    project: Project, documents: Iterable[Document] | None = None, before: NamesBefore | None = None
) -> list[Statement]:
    """Every claim of memory with its state, and what records say that others deny.

    `documents` are the files of memory, where somebody read them already, and `before` is what was found in the code.
    """
    memory = MemoryInForce(project, documents)
    claims = list(memory.claims())
    with ClaimLookup(project, [each.claim for each in claims], before) as lookup:
        opposed = contradictions(memory.documents, memory.records, lambda: lookup.manifests.now.versions)
        return [
            *_answered(lookup, claims),
            *(denied(one, other) for one, other in opposed),
            *overdue(memory.documents, partial(memory.is_over, or_expired=False), project.now().date().isoformat()),
        ]


def of_claims(project: Project, chosen: Sequence[ClaimInForce]) -> list[Statement]:
    """The same of some claims; what turns out to be none is left out."""
    with ClaimLookup(project, [each.claim for each in chosen]) as lookup:
        return _answered(lookup, chosen)


def _answered(lookup: ClaimLookup, claims: Sequence[ClaimInForce]) -> list[Statement]:
    answered = ((each, lookup.answer(each)) for each in claims)
    return [statement(each, answer) for each, answer in answered if answer is not None]


def overdue(documents: Iterable[Document], is_over: Callable[[Record], bool], today: str) -> Iterator[Statement]:
    """The records that somebody wanted looked at by a day that is over, unless somebody did since."""
    for document in documents:
        dates = document.of(reviews) if not force.is_aside(document) else []
        for each, record in force.innermost(dates, document.records if dates else ()):
            span = record.span if record else Span(0, len(document.text))
            seen = force.confirmed(document.text, span.start, span.end)
            is_told = record is None or not is_over(record)
            if each.day < today and is_told and (seen is None or seen.day < each.day):
                owner = f" by {each.by}" if each.by else ""
                note = f"due for review{owner} since {each.day}"
                yield _noted(document, record, each.span, REVIEW, each.day, note)


def denied(one: Asserted, other: Asserted) -> Statement:
    """What a record says and another one denies; which of them is right, nobody can look up."""
    theirs = other.document.lines.span(other.line - 1).of(other.document.text).strip()
    note = f"{other.document.path}:{other.line} says: {theirs}"
    return _noted(one.document, one.record, one.assertion.span, CONTRADICTION, one.assertion.subject, note)


def _noted(document: Document, record: Record | None, span: Span, kind: str, target: str, note: str) -> Statement:
    """A statement that cannot be looked up in the code, with what there is to say of it."""
    return _stated(document, record, span, kind, target, Answer("unknown", note=note))


def statement(each: ClaimInForce, answer: Answer) -> Statement:
    """What a claim says, and how it stands, unless a person said since that it holds."""
    confirmed = each.confirmed
    if confirmed and answer.state in UNTRUE and _is_older(answer, confirmed.day):
        answer = Answer("fresh", note=f"confirmed by {confirmed.by} on {confirmed.day}")
    claim = each.claim
    return _stated(each.document, each.record, claim.span, claim.kind, target(claim), answer, claim.sure)


def _stated(
    document: Document, record: Record | None, span: Span, kind: str, target: str, answer: Answer, sure: float = 1.0
) -> Statement:
    line = document.lines.at(span.start)
    commit = answer.commit
    return Statement(
        id=record.id if record else f"{document.path}:{line + 1}",
        path=document.path,
        line=line + 1,
        claim=span.of(document.text).strip(),
        kind=kind,
        target=target,
        state=answer.state,
        now=answer.now,
        commit=commit.commit if commit else None,
        since=commit.date if commit else None,
        author=commit.author if commit else None,
        subject=commit.title if commit else None,
        note=answer.note or None,
        sure=sure,
        title=record.title if record else None,
        text=document.lines.span(line).of(document.text).strip(),
        start=span.start,
        end=span.end,
        evidence=answer.how or _EVIDENCE.get(kind),
    )


def _is_older(answer: Answer, day: str) -> bool:
    """Whether something was so already on the day when a person confirmed the record."""
    if answer.commit is None:
        return not answer.note.endswith(NOT_COMMITTED)
    return datetime.fromisoformat(answer.commit.date).astimezone(UTC).date().isoformat() <= day


def target(claim: CodeClaim) -> str:
    """What a claim is about, on one line."""
    if claim.kind == "version":
        return f"{claim.target} {claim.value}"
    if claim.kind == "command":
        return f"{claim.value} {claim.target}"
    if claim.kind == "literal":
        return f"{claim.target}={claim.value}"
    if claim.kind == "symbol" and claim.value:
        return f"{claim.target}::{claim.value}"
    return f"!{claim.target}" if claim.absent else claim.target
