"""Declared claims at the moment they are written: what does not hold is refused, with what was most likely meant."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from memdown.claims import CodeClaim
from memdown.claims.declared import declared
from memdown.errors import Refused, quote
from memdown.evidence.codefiles import names_in, read_bytes
from memdown.evidence.in_force import ClaimInForce
from memdown.evidence.lookup import ClaimLookup
from memdown.project import Project
from memdown.record import Document
from memdown.store.wal import WalChange
from memdown.text import decode

_REFUSED = ("not found", "moved", "changed", "gone")
"""How states begin, or the notes of what is unknown, that are refused; what could not be looked up is not."""


def require(project: Project, changes: Iterable[WalChange]) -> None:
    """Refuse texts that declare a claim which does not hold; what one of the files declared before is not looked at."""
    texts = [(each.name, decode(each.before or b""), decode(each.after or b"")) for each in changes]
    known = {_key(each) for _, before, _ in texts for each in declared(before)}
    new = [(name, after, each) for name, _, after in texts for each in declared(after) if _key(each) not in known]
    new = [each for each in new if project.parse(*each[:2]).dialect is not None]
    if not new:
        return
    with project.snapshot(), ClaimLookup(project, [claim for *_, claim in new]) as lookup:
        for name, after, claim in new:
            answer = lookup.answer(ClaimInForce(claim, Document(name, after), None, None))
            state = "fresh" if answer is None else answer.state if answer.state != "unknown" else answer.note
            if answer and state.startswith(_REFUSED):
                now = f"it is now {answer.now}." if answer.now and not claim.absent else ""
                raise Refused(_sentence(claim, now or _nearest(project, claim, lookup.code), is_there=claim.absent))


def _key(claim: CodeClaim) -> tuple[str, str, bool]:
    return claim.target, claim.value, claim.absent


def _sentence(claim: CodeClaim, instead: str, *, is_there: bool) -> str:
    mark = {"path": "", "symbol": "::"}.get(claim.kind, "=")
    spelled = f"{claim.target}{mark}{claim.value}"
    if is_there:
        return f"The text claims that {quote(spelled)} does not exist, but it does; remove the claim."
    return f"The text claims {quote(spelled)}, which is not true; {instead or 'correct the claim or remove it.'}"


def _nearest(project: Project, claim: CodeClaim, files: Sequence[str]) -> str:
    """What was most likely meant."""
    path = claim.target.partition("::")[0]
    if path not in files:
        by_name = [name for name in files if name.rpartition("/")[2] == path.rpartition("/")[2]]
        near = by_name or get_close_matches(path, files, 1, 0.6)
        return f"did you mean {near[0]}?" if near else ""
    name = claim.value if claim.kind == "symbol" else claim.target.rpartition("::")[2]
    there = names_in(read_bytes(f"{project.root}/{path}"), python=path.endswith(".py"))
    match = get_close_matches(name.rpartition(".")[2], sorted(there), 1, 0.6)
    return f"did you mean {path}::{match[0]}?" if match else ""
