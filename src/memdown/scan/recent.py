"""What git knows of the work itself, as first content of a memory bank: the last commits, and open branches."""

from collections.abc import Iterator
from pathlib import Path

from memdown import git
from memdown.errors import without_credentials
from memdown.markdown import last_commit
from memdown.scan.model import clean

_COMMITS, _BRANCHES = 8, 6
_LONGEST = 120
_FORM = "%h%x09%ad%x09%s"
_MAIN = ("main", "master", "trunk", "develop")


def sections(root: Path) -> dict[str, dict[str, str]]:
    """Texts by file and heading; none where there is no git, or nothing was committed."""
    commits = [
        _parts(row) for row in _rows(root, "log", "--no-merges", f"-{_COMMITS}", "--date=short", f"--format={_FORM}")
    ]
    if not commits:
        return {}
    branch = git.output(root, "symbolic-ref", "--short", "-q", "HEAD").strip()
    _, day, title = commits[0]
    focus = last_commit.sentence(title, day, "" if branch in _MAIN else branch)
    changes = "\n".join(f"- {title} — {day} ({commit})" for commit, day, title in commits)
    found = {"activeContext.md": {"Current Focus": focus, "Recent Changes": changes}}
    if opened := "\n".join(_open(root, branch)):
        found["progress.md"] = {"In Progress": opened}
    return found


def _open(root: Path, current: str) -> Iterator[str]:
    """Branches with commits that the main one does not have, the youngest first."""
    heads = _rows(root, "for-each-ref", "--format=%(refname:short)", "refs/heads")
    main = next((name for name in _MAIN if name in heads), None)
    if main is None or len(heads) < 2:
        return
    form = "%(refname:short)%09%(committerdate:short)%09%(contents:subject)"
    rows = _rows(root, "for-each-ref", "--sort=-committerdate", f"--no-merged={main}", f"--format={form}", "refs/heads")
    for name, day, title in map(_parts, rows[:_BRANCHES]):
        here = ", checked out" if name == current else ""
        yield f"- [ ] Branch `{name}`: {title} — {day} (git{here})"


def _rows(root: Path, *args: str) -> list[str]:
    return [row for row in git.output(root, *args).split("\n") if row.count("\t") in (0, 2) and row]


def _parts(row: str) -> tuple[str, str, str]:
    first, day, title = row.split("\t")
    return first, day, clean(without_credentials(title), _LONGEST)
