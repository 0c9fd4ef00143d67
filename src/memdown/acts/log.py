"""The history of records: every version that git has, the newest first."""

from collections.abc import Iterator
from contextlib import closing
from itertools import islice

from memdown import git
from memdown.dialects import named
from memdown.errors import Ambiguous, NotFound, Refused
from memdown.git.walk import HistoryCommit
from memdown.history import trail
from memdown.history.past import Past
from memdown.history.trail import LoggedChange
from memdown.index import questions
from memdown.index.query import moment
from memdown.project import Project
from memdown.record import Record
from memdown.times import stamp

RECENT = 20
"""Changes that are told where nobody names a record and says how many."""
_RECORDS = 50
"""Records that a query stands for."""


def log(project: Project, name: str = "", *, limit: int | None = None, since: str | None = None) -> list[LoggedChange]:
    """The versions of a record, of all in a file, or of those that fit a query; without a name, the latest of all."""
    earliest = stamp(moment(since, project.now()).limits()[0]) if since else ""
    most = RECENT if limit is None and not name and not since else limit
    with project.snapshot(), Past(project.root, project.config, project.tell, project.files.find) as past:
        head = past.head()
        uncommitted = past.uncommitted(head, git.untracked(project.root))
        with closing(past.commits(head)) as commits:
            found = _versions(project, past, trail.with_uncommitted(uncommitted, commits), name)
            return list(islice((each for each in found if not each.at or each.at >= earliest), most))


def _versions(project: Project, past: Past, commits: Iterator[HistoryCommit], name: str) -> Iterator[LoggedChange]:
    path = project.page(name)
    if not name or path:
        return trail.all_changes(past, commits, path)
    records = _named(project, name)
    if records:
        return (each for _, each in trail.follow(past, commits, records))
    return _gone(past, commits, name)


def _gone(past: Past, commits: Iterator[HistoryCommit], name: str) -> Iterator[LoggedChange]:
    """The versions of what is no more: a file of that name, or a record."""
    gone = trail.all_changes(past, commits, name) if name.endswith(".md") else trail.removed(past, commits, name)
    first = next(gone, None)
    if first is None:
        raise named.unknown(name)
    yield first
    yield from gone


def _named(project: Project, name: str) -> list[Record]:
    """The record that is named so, else those that fit a query."""
    try:
        return [project.get(name)]
    except Ambiguous:
        pass
    except (NotFound, Refused):
        if len(name.split()) == 1 and ":" not in name and name.endswith(".md"):
            return []
    asking = questions.of(project)
    return asking.fitting(asking.parse(name, limit=_RECORDS)).records
