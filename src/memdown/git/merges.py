"""Merges that git made or left in conflict: the texts of both sides and of what they come from."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from memdown import git
from memdown.errors import Refused
from memdown.text import decode, encode

_MERGES = 50
"""How many merges of a file are looked at."""


class IndexChange(Struct, frozen=True, tag="index"):
    """How files stood in git's index before they were staged, for whoever takes that back."""

    names: list[str]
    rows: list[str]
    """As `git ls-files --stage` prints them, with names from the top of the repository; none for a file it lacked."""
    head: str
    """The commit that was checked out: once there is another, the conflict is over."""


def merges_of(root: Path, name: str) -> list[str]:
    """The latest commits that merged a file, the last one first."""
    found = git.output(root, "rev-list", "--merges", "--full-history", f"--max-count={_MERGES}", "HEAD", "--", name)
    return found.split()


def merge_of(root: Path, commit: str, name: str) -> tuple[str | None, str | None, str | None, str | None]:
    """What a commit with two parents made of a file, and what it had: the base, and the file in each parent."""
    base = git.output(root, "merge-base", f"{commit}^1", f"{commit}^2").strip()
    committed, before, ours, theirs = _texts(root, name, (commit, base, f"{commit}^1", f"{commit}^2"))
    return committed, before, ours, theirs


def sides(root: Path) -> tuple[str, str, str] | None:
    """The base and the two commits of the merge that goes on, or was committed last; None where there is none."""
    for ours, theirs in (("HEAD", "MERGE_HEAD"), ("HEAD^1", "HEAD^2")):
        base = git.merge_base(root, ours, theirs)
        if base:
            return base, ours, theirs
    return None


def merge_going_on(root: Path, name: str) -> tuple[str | None, str | None, str | None]:
    """What a merge that is not committed yet merges: a file in the base and on each side."""
    commits = sides(root) if is_going_on(root) else None
    if commits is None:
        return None, None, None
    base, ours, theirs = _texts(root, name, commits)
    return base, ours, theirs


def _texts(root: Path, name: str, commits: Sequence[str]) -> list[str | None]:
    """A file at each of some commits; None where it is not there."""
    place = git.output(root, "rev-parse", "--show-prefix").strip() + name
    texts = git.texts_of(root, [f"{each}:{place}" for each in commits])
    return [None if each is None else decode(each) for each in texts]


def is_going_on(root: Path) -> bool:
    """Whether a merge is not committed yet."""
    return git.resolve(root, "MERGE_HEAD") is not None


def unmerged(root: Path) -> dict[str, dict[str, str]]:
    """The files below a folder that a merge left in conflict: the text of each stage by its number."""
    rows = [row.partition("\t") for row in git.output(root, "ls-files", "--unmerged", "-z").split("\0")[:-1]]
    stages = [(name, *facts.split(" ")) for facts, _, name in rows]
    found: dict[str, dict[str, str]] = {}
    for (name, _, _, stage), data in zip(stages, git.texts_of(root, [each[2] for each in stages]), strict=True):
        if data is not None:
            found.setdefault(name, {})[stage] = decode(data)
    return found


def indexed(root: Path, names: Sequence[str]) -> IndexChange:
    """How files stand in git's index."""
    rows = git.output(root, "--literal-pathspecs", "ls-files", "--stage", "--full-name", "-z", "--", *names)
    return IndexChange([*names], rows.split("\0")[:-1], git.head(root))


def stage(root: Path, names: Sequence[str]) -> None:
    """Tell git that files are merged."""
    if names:
        git.run(root, "--literal-pathspecs", "add", "--", *names)


def unstage(root: Path, change: IndexChange) -> IndexChange:
    """Put files into git's index as they stood there, conflicts too, unless that is over; how they stood until now."""
    now = indexed(root, change.names)
    if now.head == change.head and now.rows != change.rows:
        top = git.output(root, "rev-parse", "--show-prefix").rstrip("\n")
        gone = [f"0 {'0' * 40}\t{top}{name}" for name in change.names]
        rows = "".join(f"{row}\0" for row in (*gone, *change.rows))
        done = git.run(root, "update-index", "-z", "--index-info", given=encode(rows))
        if done.returncode:
            why = " ".join(decode(done.stderr).split())
            raise Refused(f"git could not change its index, so nothing was undone: {why}")
    return now
