"""What the code did while the memory stood still, measured with git: commits, files, and the share of the sources."""

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from memdown.git import Changed, Commit
from memdown.git.repository import Repository
from memdown.homes import NOT_CODE
from memdown.patterns import lazy
from memdown.scan.catalog import LANGUAGES

_ASIDE = frozenset(
    "test tests __tests__ testing testdata spec specs e2e fixtures __fixtures__ __mocks__"
    " doc docs documentation".split()
)
_TEST = lazy(r"test_.*|.*[._-](?:test|tests|spec)|conftest|.*[a-z\d](?:Test|Tests|Spec|Specs)")


class Since(Struct, frozen=True):
    """What git shows since some files last changed, beside the memory itself."""

    commits: list[Commit]
    files: list[str]


class Impact(Struct, frozen=True):
    """How much of the source code is not as it was, and the numbers behind it."""

    per_cent: int
    files: int
    """Source files that were added, deleted, renamed or changed."""
    of: int
    """All source files, those that are gone too."""
    added: int
    deleted: int
    renamed: int
    changed: int


class _Base(Struct, frozen=True):
    """The state of the code when some files were last changed."""

    commit: str
    """Compared with this one."""
    commits: list[Commit]
    """What came after it."""
    at: float | None
    """When the files were changed, if that is not in a commit."""


def since(repository: Repository, names: Collection[str], home: str) -> Since | None:
    """What changed since any of these files and folders last did; None when git cannot tell."""
    base = _base(repository, names, home)
    if base is None:
        return None
    inside = (f"{home}/", ".memdown/")
    new = [name for name in repository.untracked() if not name.startswith(inside)]
    found = {each.path for each in _changed(repository, base, home)}
    return Since(base.commits, sorted({*found, *_later(repository.root, new, base)} - NOT_CODE))


def impact(repository: Repository, patterns: str, home: str) -> Impact | None:
    """The share of tracked source files, outside of tests and docs, that changed since this file last did."""
    base = _base(repository, [patterns], home)
    if base is None:
        return None
    moved = [each for each in _changed(repository, base, home) if is_source(each.path)]
    gone = {each.path for each in moved if each.how == "deleted"}
    sources = {name for name in repository.tracked() if is_source(name) and not name.startswith(f"{home}/")} | gone
    counts = {how: sum(each.how == how for each in moved) for how in ("added", "deleted", "renamed", "changed")}
    share = 100 * len(moved) // len(sources) if sources else 0
    return Impact(share, len(moved), len(sources), **counts)


def behind(repository: Repository, first: str, names: Sequence[str]) -> list[str]:
    """Those of the files that did not change since the first one did."""
    loose = repository.uncommitted([first, *names])
    others = [name for name in names if name not in loose]
    if first in loose:
        return others
    ago = repository.ago(first)
    return [name for name in others if ago is not None and (repository.ago(name) or -1) > ago]


def is_source(name: str) -> bool:
    """Whether a file is source code, and neither a test nor documentation."""
    *folders, file = name.split("/")
    stem, dot, ending = file.rpartition(".")
    if not dot or ending.lower() not in LANGUAGES or _TEST.fullmatch(stem):
        return False
    return not _ASIDE.intersection(folder.lower() for folder in folders)


def _base(repository: Repository, names: Collection[str], home: str) -> _Base | None:
    last = repository.last_change(names)
    commit = last.commit.commit if last else None
    loose = repository.uncommitted(names)
    if not loose:
        return _Base(commit, repository.commits(commit, home, NOT_CODE), None) if commit else None
    # A change that is not committed yet has no place among the commits, only a time.
    at = max((repository.root / name).stat().st_mtime for name in loose)
    later = [each for each in repository.commits(commit, home, NOT_CODE) if _seconds(each) > at]
    before = repository.parent(later[-1].commit) if later else repository.head
    return _Base(before or commit or (later[-1].commit if later else ""), later, at)


def _changed(repository: Repository, base: _Base, home: str) -> list[Changed]:
    found = repository.changed(base.commit, home) if base.commit else []
    kept = set(_later(repository.root, [each.path for each in found], base))
    return [each for each in found if each.path in kept]


def _later(root: Path, names: Sequence[str], base: _Base) -> list[str]:
    """Files that changed after the memory did; one that is gone may have."""
    at = base.at
    if at is None:
        return list(names)
    return [name for name in names if not (root / name).is_file() or (root / name).stat().st_mtime > at]


def _seconds(commit: Commit) -> float:
    return datetime.fromisoformat(commit.date).timestamp()
