"""What a branch learned: the records it added, changed, moved and removed since it left another."""

from contextlib import closing

from msgspec import Struct, structs

from memdown import git
from memdown.errors import NotFound, quote
from memdown.git.walk import HistoryCommit
from memdown.history import trail
from memdown.history.changes import changes as compared
from memdown.history.past import Past, renamed
from memdown.history.trail import LoggedChange
from memdown.project import Project


class BranchChanges(Struct, frozen=True):
    """What one commit has that another had not when they parted."""

    base: str
    """The commit where they parted."""
    head: str
    commits: int
    """How many commits since then touched memory."""
    changes: list[LoggedChange]
    """By record, each with the last commit that touched it."""


def changes(project: Project, commits: str = "") -> BranchChanges:
    """What `base..head` brings; without a base, since the main branch, and without a head, up to the last commit."""
    with project.snapshot(), Past(project.root, project.config, project.tell, project.files.find) as past:
        past.head()
        one, _, other = commits.partition("...") if "..." in commits else commits.partition("..")
        name = one or git.main_branch(project.root)
        if name is None:
            raise NotFound("No branch here is called main or master; give a range, such as `v1.2..HEAD`.")
        base, head = past.commit(name).commit, past.commit(other or "HEAD").commit
        fork = git.merge_base(project.root, base, head)
        if fork is None:
            raise NotFound(f"{quote(name)} and {quote(other or 'HEAD')} have no commit in common; fetch more of them.")
        files = past.between(fork, head)
        olds, news = (
            [*each] for each in (past.documents(f.before[0] for f in files), past.documents(f.after for f in files))
        )
        found = compared(olds, news, renamed(files, 0))
        number, last = _last(past, head, fork)
        unknown = HistoryCommit("", (), "", "", "", "", (), ())
        changes = [
            structs.replace(trail.logged(each, unknown), **_commit_of(last.get((each.path, each.id)))) for each in found
        ]
    return BranchChanges(fork, head, number, changes)


def _last(past: Past, head: str, fork: str) -> tuple[int, dict[tuple[str, str | None], LoggedChange]]:
    """How many commits there are, and for each record the last one that touched it."""
    names: set[str] = set()
    last: dict[tuple[str, str | None], LoggedChange] = {}
    with closing(past.commits(head, fork)) as commits:
        seen = (names.add(each.commit) or each for each in commits)  # type: ignore[func-returns-value]
        for each in trail.all_changes(past, seen):
            last.setdefault((each.path, each.id), each)
            if each.old:
                last.setdefault((each.old.path, each.old.id), each)
    return len(names), last


def _commit_of(change: LoggedChange | None) -> dict[str, str | None]:
    names = ("commit", "at", "author", "assistant", "subject")
    return {name: getattr(change, name) for name in names} if change else {}
