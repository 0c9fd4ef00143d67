"""Memory checked against the code: what it claims, whether that holds, and which commit made it untrue."""

from collections.abc import Sequence

from memdown.acts.verify import mend
from memdown.acts.verify.mend import Confirmation, VerifyDraft
from memdown.errors import Invalid, NotFound, quote
from memdown.evidence import statements
from memdown.evidence.in_force import ClaimInForce, MemoryInForce
from memdown.evidence.model import NOT_COMMITTED
from memdown.git.past import GitPast
from memdown.index import verified
from memdown.project import Project
from memdown.record import UNTRUE, Record, Statement

__all__ = ["Confirmation", "VerifyDraft", "confirm", "draft", "verify"]


def verify(project: Project, wanted: Sequence[str] = (), *, since: str | None = None) -> list[Statement]:
    """Every claim of memory with its state, of these records, files of memory or files of code, or of all.

    `since` keeps those that were made untrue after a revision, or are in the working tree only.
    """
    with project.snapshot():
        after = _after(project, since) if since is not None else None
        return [each for each in _verified(project, wanted) if after is None or _is_after(each, after)]


def draft(project: Project, wanted: Sequence[str] = (), *, write: bool) -> VerifyDraft:
    """Edits for the statements that are no longer true, where it is clear what they are now."""
    with project.snapshot(), project.files.lock(when=write):
        untrue = [each for each in _verified(project, wanted) if each.state in UNTRUE]
        return mend.draft(project, untrue, write=write)


def confirm(project: Project, ids: Sequence[str]) -> list[Confirmation]:
    """Write down that records were looked at and hold."""
    return mend.confirm(project, ids)


def _verified(project: Project, wanted: Sequence[str]) -> list[Statement]:
    if not wanted:
        return verified.every(project)
    in_force = list(MemoryInForce(project).claims())
    return statements.of_claims(project, _chosen(project, in_force, wanted))


def _after(project: Project, revision: str) -> frozenset[str]:
    found = GitPast(project.root).after(revision)
    if found is None:
        raise Invalid(f"Git knows no revision {quote(revision)} here; name a commit, a branch or a tag.")
    return found


def _is_after(each: Statement, after: frozenset[str]) -> bool:
    return each.state in UNTRUE and (each.commit in after if each.commit else (each.note or "").endswith(NOT_COMMITTED))


def _chosen(project: Project, in_force: Sequence[ClaimInForce], wanted: Sequence[str]) -> list[ClaimInForce]:
    found: dict[int, ClaimInForce] = {}
    for given in wanted:
        for number in _meant(project, in_force, given):
            found[number] = in_force[number]
    return [found[number] for number in sorted(found)]


def _meant(project: Project, in_force: Sequence[ClaimInForce], given: str) -> list[int]:
    """What of memory somebody names: a file of it, a file of code that it tells of, or a record."""
    name = project.name_of(given)
    if name is not None:
        inside = [
            number
            for number, each in enumerate(in_force)
            if each.document.path == name or each.document.path.startswith(f"{name}/") or not name
        ]
        about = [number for number, each in enumerate(in_force) if _is_about(each, name)]
        if inside or about:
            return [*inside, *about]
        if (project.root / name).exists() and "/" in given:
            return []
    try:
        record = project.get(given)
    except NotFound:
        if name is not None and (project.root / name).exists():
            return []
        raise
    return [number for number, each in enumerate(in_force) if _is_of(each, record)]


def _is_about(each: ClaimInForce, name: str) -> bool:
    target = each.claim.target.partition("::")[0].removeprefix("./").rstrip("/")
    return each.claim.kind in ("path", "quote", "symbol", "literal") and (
        target == name or ("/" in target and name.endswith(f"/{target}")) or target.startswith(f"{name}/")
    )


def _is_of(each: ClaimInForce, record: Record) -> bool:
    return each.document.path == record.path and record.span.start <= each.claim.span.start < record.span.end
