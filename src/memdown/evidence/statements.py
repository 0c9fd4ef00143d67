"""What memory says of the code, each with how it stands."""

from collections.abc import Sequence
from datetime import UTC, datetime

from memdown.claims import CodeClaim
from memdown.evidence.contradictions import Asserted, contradictions
from memdown.evidence.lookup import ClaimLookup
from memdown.evidence.model import Answer
from memdown.evidence.said import RecordsInForce, Said, said
from memdown.project import Project
from memdown.record import UNTRUE, Statement

CONTRADICTION = "contradiction"
"""The kind of a statement that another record in force denies."""


def every(project: Project) -> list[Statement]:
    """Every claim of memory with its state, and what records say that others deny."""
    documents = list(project.documents())
    claims = list(said(project, documents))
    lookup = ClaimLookup(project, [each.claim for each in claims])
    opposed = contradictions(documents, RecordsInForce(project, documents).of, lambda: lookup.manifests.now.versions)
    return [*_answered(lookup, claims), *(denied(one, other) for one, other in opposed)]


def of_claims(project: Project, chosen: Sequence[Said]) -> list[Statement]:
    """The same of some claims; what turns out to be none is left out."""
    return _answered(ClaimLookup(project, [each.claim for each in chosen]), chosen)


def _answered(lookup: ClaimLookup, claims: Sequence[Said]) -> list[Statement]:
    answered = ((each, lookup.answer(each)) for each in claims)
    return [statement(each, answer) for each, answer in answered if answer is not None]


def denied(one: Asserted, other: Asserted) -> Statement:
    """What a record says and another one denies; which of them is right, nobody can look up."""
    span, text = one.assertion.span, one.document.text
    line = one.document.lines.span(one.line - 1).of(text).strip()
    theirs = other.document.lines.span(other.line - 1).of(other.document.text).strip()
    return Statement(
        *(one.record.id, one.document.path, one.line, span.of(text).strip(), CONTRADICTION, one.assertion.subject),
        *("unknown", None, None, None, None, None, f"{other.document.path}:{other.line} says: {theirs}"),
        *(1.0, one.record.title, line, span.start, span.end),
    )


def statement(each: Said, answer: Answer) -> Statement:
    """What a claim says, and how it stands, unless a person said since that it holds."""
    claim, document = each.claim, each.document
    confirmed = each.confirmed
    if confirmed and answer.state in UNTRUE and _is_older(answer, confirmed.day):
        answer = Answer("fresh", note=f"confirmed by {confirmed.by} on {confirmed.day}")
    line = document.lines.at(claim.span.start)
    commit = answer.commit
    return Statement(
        *(each.id, document.path, line + 1, claim.span.of(document.text).strip(), claim.kind, target(each.claim)),
        *(answer.state, answer.now, commit.commit if commit else None, commit.date if commit else None),
        *(commit.author if commit else None, commit.title if commit else None, answer.note or None, claim.sure),
        *(each.title, document.lines.span(line).of(document.text).strip(), claim.span.start, claim.span.end),
    )


def _is_older(answer: Answer, day: str) -> bool:
    """Whether something was so already on the day when a person confirmed the record."""
    if answer.commit is None:
        return answer.note != "not committed"
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
