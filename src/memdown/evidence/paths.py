"""Paths: whether a file or folder is there, under which name, and where it went."""

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from posixpath import normpath

from msgspec import structs

from memdown import git, homes
from memdown.claims.grammar import is_doubtful
from memdown.evidence.model import FRESH, NOT_COMMITTED, Answer, not_found, unknown
from memdown.git import Commit
from memdown.git.past import GitPast, most_common
from memdown.markdown.line_ends import split_lines

_CHAIN = 50
"""Renames one after the other that are followed."""
_GIT_FILES = ("HEAD", "index", "logs/HEAD")
"""What changes in git's own folder with the last commit or the list of files."""
_FEW = 400
"""Renames of one folder that are looked at."""


class PathEvidence:
    """The files of a project, now and before."""

    def __init__(
        self,
        root: Path,
        files: Iterable[str],
        past: GitPast,
        *,
        top: Path | None,
        deleted: Iterable[str],
        looked_at: Callable[[str], None] | None = None,
    ) -> None:
        """`top` is git's working tree, when the root is a folder in it; `deleted` is missing since the last commit.

        `looked_at` hears of every path that is asked of the disk, or of another list of git's, and not of `files`.
        """
        self.root = root
        self.past = past
        self._top = top if top and top != root else None
        self._files = frozenset(files)
        self._deleted = frozenset(deleted)
        self._looked_at = looked_at or (lambda _: None)
        self._inner: dict[str, PathEvidence] = {}
        """By their folders, the submodules."""

    @classmethod
    def of_repository(
        cls, root: Path, past: GitPast, top: Path | None = None, looked_at: Callable[[str], None] | None = None
    ) -> "PathEvidence":
        """The files that git tracks in a folder."""
        if looked_at:
            for name in _GIT_FILES:
                looked_at(f"{homes.git_folder(str(root))}/{name}")
        files = filter(None, git.output(root, "ls-files", "-z").split("\0"))
        return cls(root, files, past, top=top, deleted=(), looked_at=looked_at)

    def find(self, path: str, beside: str = "") -> str | None:
        """The file or folder that a path means: from the root, from the file that names it, or further down."""
        bare = path.rstrip("/")
        places = self._places(bare, beside)
        for each in places:
            if each in self._files or each in self._folders:
                return each
        if ".." not in bare and (below := self._ending(bare)):
            return below
        for each in places:  # what git ignores, and what is in another repository inside this one
            if each.startswith("..") or each.casefold() in self._other_case or not self._has(self.root / each):
                continue
            if each not in self._lost or not _is_left_over(self.root / each):
                return each
        if self._top and self._has(self._top / bare):
            return bare
        return None

    def left(self, path: str, beside: str, was_there: Callable[[str], bool]) -> Answer | None:
        """What became of a path that only others further down end with now: `api.py`, which went to `src/api.py`.

        None for one that is there, or was not when somebody named it: then it meant the one further down.
        """
        bare = path.rstrip("/")
        places = self._places(bare, beside)
        if any(each in self._files or each in self._folders for each in places):
            return None
        below = self._ending(normpath(bare)) if any(each in self._lost for each in places) else None
        meant = next((each for each in places if below and each in self._lost and was_there(each)), None)
        if not below or not meant or self._has(self.root / meant):
            return None
        became = self._became(meant)
        if became and became.state == "gone" and "/" in bare and not was_there(below):
            # Deleted in one commit and added in another, which git takes for no rename.
            return Answer("moved", below, became.commit, became.note)
        return became

    def _places(self, bare: str, beside: str) -> list[str]:
        """What a path may mean that a file names: from the root, beside the file, and from any folder around that."""
        found = [normpath(bare)]
        folder = beside.rpartition("/")[0]
        while folder:
            found.append(normpath(f"{folder}/{bare}"))
            folder = folder.rpartition("/")[0]
        return found

    def _has(self, path: Path) -> bool:
        self._looked_at(str(path))
        return _is_there(path)

    def answer(self, path: str, beside: str = "", *, sure: float = 1.0) -> Answer:
        """How a path stands."""
        if self.find(path, beside):
            return FRESH
        bare = normpath(path.rstrip("/"))
        if bare.startswith(".."):
            other_package = self._beside_root(bare)
            if other_package and other_package.state in ("fresh", "moved", "gone"):
                return other_package
            bare = normpath(f"{beside.rpartition('/')[0]}/{bare}")
        if bare.startswith(".."):
            return unknown("it leads outside the project")
        other = self._other_case.get(bare.casefold()) or self._ending(bare.casefold(), folded=True)
        if other:
            lost = (each for each in self._matching(bare, self.past.deleted) if each.casefold() == other.casefold())
            return Answer("moved", other, self.past.deleted.get(next(lost, bare)), "only the case differs")
        inside = [*self._in_submodules(bare, beside)]
        if inside:
            return next((each for each in inside if each.state != "unknown"), inside[0])
        return self._became(bare) or self._behind_link(bare) or self._never(bare, sure)

    def _behind_link(self, bare: str) -> Answer | None:
        """What became of a path that leads through a link to a folder, which git knows by where that leads."""
        try:
            real = Path(os.path.realpath(self.root / bare)).relative_to(os.path.realpath(self.root)).as_posix()
        except (OSError, ValueError):  # a name that no disk can have, or a link that leads out of the project
            return None
        return self._became(real) if real != bare else None

    def _became(self, bare: str) -> Answer | None:
        """What became of a path that was there once, here or in the working tree around."""
        before = self._before(bare)
        if before and before.state == "gone" and is_doubtful(bare) and git.ignored(self.root, [bare]):
            return unknown("git ignores it, so a tool probably generates it")
        if self._above and (before is None or before.state == "gone"):
            before = self._from_top(bare, before) or before
        return before

    def _beside_root(self, bare: str) -> Answer | None:
        """What the working tree says of `../web/app.js`, where the root is a package in it."""
        if not self._above:
            return None
        named = normpath(f"{self.root.relative_to(self._above.root).as_posix()}/{bare}")
        return None if named.startswith("..") else self._above.answer(named)

    def _never(self, bare: str, sure: float) -> Answer:
        if not self.past.is_known and sure >= 0.8 and ("/" not in bare or bare.split("/")[0] in self._folders):
            return Answer("gone", note=self.past.missing)
        return not_found(self.past, "git never had it")

    def _in_submodules(self, bare: str, beside: str) -> Iterator[Answer]:
        """What submodules say of each place that a path may mean."""
        for each in self._places(bare, beside) if self._submodules else ():
            folder = next((one for one in self._submodules if f"{each}/".startswith(f"{one}/")), None)
            if folder:
                yield self._in_submodule(folder, each.removeprefix(f"{folder}/"))

    def _in_submodule(self, folder: str, inside: str) -> Answer:
        """What another repository inside this one says of its file."""
        if not self._has(self.root / folder / ".git"):
            return unknown(f"it is in the submodule {folder}, which is not checked out")
        if folder not in self._inner:
            other = self.root / folder
            self._inner[folder] = PathEvidence.of_repository(other, GitPast(other), looked_at=self._looked_at)
        answer = self._inner[folder].answer(inside)
        return structs.replace(answer, now=f"{folder}/{answer.now}") if answer.now else answer

    def _from_top(self, bare: str, before: Answer | None) -> Answer | None:
        """What the working tree says of a path, where the root is a folder in it: of one that is named from its top,
        or of a file that left the root."""
        assert self._above
        own = self.root.relative_to(self._above.root).as_posix()
        named = f"{own}/{bare}" if before else bare
        lost = self._above.past.deleted
        if named not in lost and not any(each.startswith(f"{named}/") for each in lost):
            return None
        answer = self._above._before(named)
        return answer if before is None or (answer and answer.state == "moved") else None

    @cached_property
    def _above(self) -> "PathEvidence | None":
        """The whole working tree, where the root is a folder in it."""
        top = self._top
        if not top or not self.past.is_known:
            return None
        return PathEvidence.of_repository(top, GitPast(top), looked_at=self._looked_at)

    def _before(self, bare: str) -> Answer | None:
        """What became of a path that was there once."""
        lost = self._matching(bare, self._deleted)
        if lost:
            return self._uncommitted(bare, lost)
        lost = self._matching(bare, self.past.deleted)
        if not lost:
            return None
        if lost == [bare] or all(f"/{each}".endswith(f"/{bare}") for each in lost):
            return self._file(max(lost, key=lambda each: self.past.deleted[each].date))
        return self._folder(bare, lost)

    def _uncommitted(self, bare: str, lost: list[str]) -> Answer:
        moved = [self.past.pending[each] for each in lost if each in self.past.pending]
        inside = lost[0] != bare and not f"/{lost[0]}".endswith(f"/{bare}")
        if moved and inside:
            return Answer("moved", _new_folder(bare, lost, self.past.pending), note=NOT_COMMITTED)
        twins = [each for each in self._by_name.get(bare.rpartition("/")[2], ()) if each not in self._deleted]
        target = moved[0] if moved else twins[0] if len(twins) == 1 else None
        return Answer("moved" if target else "gone", target, note=NOT_COMMITTED)

    def _file(self, name: str) -> Answer:
        first = self.past.deleted[name]
        at, commit = name, first
        for _ in range(_CHAIN):
            at = self.past.renamed(commit.commit).get(at, "")
            if not at or at in self._files:
                break
            if at not in self.past.deleted:
                at = ""
                break
            commit = self.past.deleted[at]
        return Answer("moved", at, first) if at else Answer("gone", commit=first)

    def _folder(self, bare: str, lost: list[str]) -> Answer:
        last = max((self.past.deleted[each] for each in lost), key=lambda commit: commit.date)
        together = [each for each in lost if self.past.deleted[each].commit == last.commit][:_FEW]
        ends = {each: answer.now for each in together if (answer := self._file(each)).now}
        now = _new_folder(bare, list(ends), {old: new or "" for old, new in ends.items()})
        return Answer("moved", now, last) if now and now in self._folders else Answer("gone", commit=last)

    def _matching(self, bare: str, names: Collection[str]) -> list[str]:
        """Of these files, the one of a path, those that end so, or those in such a folder."""
        if bare in names:
            return [bare]
        last = bare.rpartition("/")[2]
        index = self._lost_names if names is self.past.deleted else _by_name(names)
        ending = [each for each in index.get(last, ()) if f"/{each}".endswith(f"/{bare}")]
        return ending or [each for each in names if f"/{bare}/" in f"/{each}"]

    def _ending(self, bare: str, *, folded: bool = False) -> str | None:
        names = self._by_folded_name if folded else self._by_name
        ends = [
            each
            for each in names.get(bare.rpartition("/")[2], ())
            if f"/{each.casefold() if folded else each}".endswith(f"/{bare}")
        ]
        return min(ends, key=lambda each: (each.count("/"), each)) if ends else None

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(_folders(self._files))

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _by_name((*self._files, *self._folders))

    @cached_property
    def _by_folded_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, paths in self._by_name.items():
            found.setdefault(name.casefold(), []).extend(paths)
        return found

    @cached_property
    def _lost(self) -> frozenset[str]:
        """Files and folders of which something was deleted or renamed, committed or not."""
        names = (*self._deleted, *self.past.deleted)
        return frozenset((*names, *_folders(names)))

    @cached_property
    def _lost_names(self) -> dict[str, list[str]]:
        return _by_name(self.past.deleted)

    @cached_property
    def _other_case(self) -> dict[str, str]:
        """Files and folders by their name in small letters: a disk may find them under any case, git does not."""
        return {each.casefold(): each for each in (*self._files, *self._folders)}

    @cached_property
    def _submodules(self) -> list[str]:
        try:
            text = (self.root / ".gitmodules").read_text("utf-8", "replace")
        except OSError:
            return []
        rows = (line.partition("=") for line in split_lines(text))
        return [value.strip() for key, _, value in rows if key.strip() == "path"]


def _new_folder(bare: str, lost: list[str], moves: dict[str, str]) -> str | None:
    """Where a folder went, when its files went there together."""
    ends = []
    for old in lost:
        inside = f"/{old}".partition(f"/{bare}/")[2]
        new = moves.get(old, "")
        if new and f"/{new}".endswith(f"/{inside}"):
            ends.append(new[: -len(inside)].rstrip("/"))
    return most_common(filter(None, ends))


def _folders(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        folder = name.rpartition("/")[0]
        while folder and folder not in seen:
            seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]


def _by_name(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition("/")[2], []).append(name)
    return found


def _is_there(path: Path) -> bool:
    try:
        return os.path.lexists(path)
    except (OSError, ValueError):  # a name that no disk can have
        return False


def _is_left_over(path: Path) -> bool:
    """Whether a folder has nothing but what Python keeps beside its modules: git takes out files, and leaves that."""
    try:
        with os.scandir(path) as entries:
            return all(
                each.is_dir(follow_symlinks=False) and (each.name == "__pycache__" or _is_left_over(Path(each.path)))
                for each in entries
            )
    except OSError:  # a file, or a folder that nobody may look into
        return False


def shown(commit: Commit) -> str:
    """A commit as people name it."""
    return f"{commit.commit[:8]} {commit.title} ({commit.author}, {commit.date[:10]})"
