"""Whether the files that memory names are there: looked up when the index changes, so that no hook has to.

The working tree answers for almost all; for the rest git is asked, as long as there is time.
"""

import os
import sqlite3
from datetime import datetime
from pathlib import Path
from posixpath import normpath

from memdown import homes
from memdown.evidence.model import Answer
from memdown.evidence.paths import PathEvidence
from memdown.git.past import SECONDS, GitPast

_LEAST = 0.2
"""Seconds of git's history that are looked at even when there is no time."""
_ALL = """
select c.file, c.line, c.target, c.sure, c.confirmed, f.path from claimed c join file f on f.number = c.file
where c.kind = 'path'
"""
_NEW = f"{_ALL} and c.state = ''"
_SEEN = "update claimed set found = ?, state = ?, now = ?, since = ? where file = ? and line = ? and target = ?"
_HASH = 7


def look_up(db: sqlite3.Connection, root: Path, *, anew: bool, seconds: float | None) -> None:
    """Note for each path that memory names whether it is there; `anew` also for those of which that was known."""
    seen: list[tuple[object, ...]] = []
    missing = []
    for row in db.execute(_ALL if anew else _NEW).fetchall():
        file, line, target, _, _, path = row
        found = _there(root, target, path)
        if found:
            seen.append((found, "fresh", "", "", file, line, target))
        else:
            missing.append(row)
    if missing:
        evidence = _evidence(root, SECONDS if seconds is None else max(seconds, _LEAST))
        for file, line, target, sure, confirmed, path in missing:
            found, answer = _asked(evidence, target, path, sure) if evidence else ("", Answer("unknown"))
            state = answer.state if _counts(answer, confirmed) else "unknown"
            if state == "unknown" and evidence and not evidence.past.in_time:
                state = ""  # it is asked again when there is more time
            commit = answer.commit.commit[:_HASH] if answer.commit else ""
            seen.append((found, state, answer.now or "", commit, file, line, target))
    db.executemany(_SEEN, seen)


def _there(root: Path, target: str, beside: str) -> str:
    """The path that a target means, from the root or from the file that names it; empty when neither is there."""
    bare = target.rstrip("/")
    for each in (normpath(bare), normpath(f"{beside.rpartition('/')[0]}/{bare}").lstrip("/")):
        if not each.startswith("..") and os.path.lexists(f"{root}/{each}"):
            return each
    return ""


def _evidence(root: Path, seconds: float) -> PathEvidence | None:
    """What git knows of files; None where there is no git."""
    top = homes.working_tree(str(root))
    past = GitPast(root, seconds)
    if top is None or not past.is_known:
        return None
    return PathEvidence.of_repository(root, past, Path(top))


def _asked(evidence: PathEvidence, target: str, path: str, sure: float) -> tuple[str, Answer]:
    left = evidence.left(target, path, lambda bare: _is_older(evidence.past, path, bare))
    if left:
        return "", left
    found = evidence.find(target, path)
    if found and os.path.lexists(f"{evidence.root}/{found}"):
        return found, Answer("fresh")
    if found:
        above = homes.working_tree(str(evidence.root))
        return "", Answer("fresh" if os.path.lexists(f"{above}/{found}") else "gone")
    return "", evidence.answer(target, path, sure=sure)


def _is_older(past: GitPast, memory: str, path: str) -> bool:
    """Whether a file of memory is as it was when a path was deleted, so that it meant that one."""
    deleted = past.deleted.get(path)
    changed = past.last_change(memory) if deleted else ""
    if not deleted or not changed:
        return False
    return datetime.fromisoformat(changed) < datetime.fromisoformat(deleted.date)


def _counts(answer: Answer, confirmed: str) -> bool:
    """Whether nobody said after it happened that the record holds all the same."""
    return not confirmed or answer.commit is None or answer.commit.date[:10] > confirmed
