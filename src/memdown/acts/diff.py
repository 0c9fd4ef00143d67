"""What changed in memory between two commits, or since one, record by record."""

from collections.abc import Sequence

from msgspec import Struct

from memdown import git
from memdown.errors import Invalid, NotFound, quote, way
from memdown.history.changes import RecordChange, changes
from memdown.history.past import Past, renamed
from memdown.index.sync import past as moments
from memdown.project import Project


class Comparison(Struct, frozen=True):
    """Two states of memory, and how they differ."""

    base: str
    """The commit that is compared with."""
    target: str | None
    """The other one; None for the files as they are now."""
    changes: list[RecordChange]


def diff(project: Project, names: Sequence[str] = ()) -> Comparison:
    """What changed since a commit, or between two; then files or folders, to which it is limited.

    Without a commit, since the last one. `a..b` are two, and `a...b` begins where they parted.
    """
    with project.snapshot(), Past(project.root, project.config, project.tell, project.files.find) as past:
        head = past.head()
        ends, paths = _ends(project, past, names)
        base, target = (ends[0] if ends else head), (ends[1] if len(ends) > 1 else None)
        untracked = git.untracked(project.root) if target is None else ()
        files = past.between(base, target, untracked)
        old = past.documents(each.before[0] for each in files)
        new = past.documents(each.after for each in files)
        found = changes(old, new, renamed(files, 0))
    return Comparison(base, target, [each for each in found if not paths or _is_below(each, paths)])


def _ends(project: Project, past: Past, names: Sequence[str]) -> tuple[list[str], list[str]]:
    """The commits that are named first, and the files after them."""
    ends: list[str] = []
    paths: list[str] = []
    for name in names:
        found = _commits(project, past, name) if not paths and len(ends) < 2 else []
        ends += found
        if not found:
            paths.append(_path(project, name))
    if len(ends) > 2:
        raise Invalid(f"{quote(names[1])} is a third commit; name two at most.")
    return ends, paths


def _commits(project: Project, past: Past, name: str) -> list[str]:
    """The commits that a name stands for: one, or two with dots between them; none where it is a file's."""
    one, dots, other = name.partition("...") if "..." in name else name.partition("..")
    if dots and not other.startswith("/") and one not in ("", "."):
        first, second = past.commit(one).commit, past.commit(other or "HEAD").commit
        return [(git.merge_base(project.root, first, second) or first) if dots == "..." else first, second]
    resolved = git.resolve(project.root, name)
    if resolved is not None:
        return [resolved.commit]
    if _is_there(project, name):
        return []
    try:
        return [moments.then(project.root, name, project.now()).commit.commit]
    except NotFound:
        if name.endswith(".md"):  # a file that is no more
            return []
        raise


def _is_there(project: Project, name: str) -> bool:
    inside = project.name_of(name)
    return inside is not None and (not inside or (project.root / inside).exists())


def _path(project: Project, name: str) -> str:
    project.inside(name)
    inside = project.files.name_of(name)
    if not _is_there(project, name) and not name.endswith(".md"):
        raise NotFound(
            f"{quote(name)} is neither a commit that git knows nor a file; {way('status')} shows what is here."
        )
    return inside


def _is_below(change: RecordChange, paths: Sequence[str]) -> bool:
    names = [change.path, *([change.old.path] if change.old else [])]
    return any(not path or name == path or name.startswith(f"{path}/") for path in paths for name in names)
