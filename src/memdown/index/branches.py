"""Search on branches that are not checked out: what they say that memory here does not."""

from msgspec import structs

from memdown import git
from memdown.errors import Unreadable, way
from memdown.index import questions
from memdown.index.query import Query
from memdown.index.search import LIMIT, MOST, Hit, Hits
from memdown.project import Project
from memdown.record import Record

_BRANCHES = 50
"""Branches that are looked at, those that were changed last."""


def search(project: Project, query: Query) -> Hits:
    """The hits here, then those that only other local branches have, each with the names of these."""
    if not git.is_repository(project.root):
        raise Unreadable(f"Only git has branches, and this is not a git repository; leave out {way('--branches')}.")
    limit = LIMIT if query.limit is None else query.limit
    everything = structs.replace(query, limit=MOST)
    here = questions.of(project).search(everything)
    known = {_key(hit.mark.record) for hit in here}
    others: dict[tuple[str | None, ...], Hit] = {}
    beside = git.files_at(project.root, "HEAD")
    current = git.current_branch(project.root)
    branches = {name: commit for name, commit in git.branches(project.root).items() if name != current}
    if len(branches) > _BRANCHES:
        project.tell(
            f"{len(branches) - _BRANCHES} of {len(branches)} branches, those not changed for longest, are left out"
        )
    for name, commit in list(branches.items())[:_BRANCHES]:
        with questions.on_branch(project, commit, beside) as asking:
            for hit in asking.search(everything):
                key = _key(hit.mark.record)
                if key not in known:
                    first = others.get(key, hit)
                    others[key] = structs.replace(first, branches=(*first.branches, name))
    found = sorted(others.values(), key=lambda hit: -hit.score)
    # Each has its own index, so that scores of one branch say little beside those of another: what is here comes first.
    shown = [*here.hits[:limit], *found[:limit]]
    return structs.replace(here, total=here.total + len(found), hits=shown)


def _key(record: Record) -> tuple[str | None, ...]:
    return record.id, record.kind, record.title, record.summary, record.body, record.status
