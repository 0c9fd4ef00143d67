"""What git knows of a working tree, gathered once for all who ask in one call.

Three processes answer everything: `git status` (what is not committed), `git log`, read only as far back as the asked
files were last changed, and `git diff-tree` (which files a commit has, and what changed since). The text of a committed
file is a fourth, for a file that was changed.
"""

from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import ExitStack, closing
from functools import cached_property
from pathlib import Path

from msgspec import Struct

from memdown import git, homes
from memdown.git import Changed, Commit
from memdown.git.process import ENTRY, FIELD
from memdown.text import decode

_NO_TREE = {40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904"}
_NO_TREE[64] = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
"""The tree without files, by the length of a repository's hashes."""
_FORMAT = f"--format=format:{ENTRY}{FIELD.join(('%H', '%P', '%T', '%ct %an', '%s'))}"


class LoggedCommit(Struct, frozen=True):
    """A commit with what it touched."""

    commit: Commit
    parents: tuple[str, ...]
    tree: str
    files: frozenset[str]


class Repository:
    """The facts of one working tree. Nothing is asked before somebody needs it, and nothing is asked twice."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._written: set[str] = set()
        self._log: list[LoggedCommit] = []
        self._stream: Iterator[LoggedCommit] | None = None
        self._differences: dict[str, dict[str, str]] = {}
        self._comparing: Callable[[str], str] | None = None
        self._open = ExitStack()

    # What is not committed

    @cached_property
    def status(self) -> str:
        """What git itself says of the last commit, the index and the working tree, in a form that only we read."""
        return git.output(
            *(self.root, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--branch"),
            *("--ignore-submodules", "--", "."),
        )

    @cached_property
    def _status(self) -> tuple[str | None, dict[str, str], list[str]]:
        """The last commit, what differs from it (added, deleted, changed), and what git does not track."""
        head, differing, untracked = None, dict[str, str](), list[str]()
        for row in self.status.split("\0"):
            mark, _, rest = row.partition(" ")
            if row.startswith("# branch.oid ") and not row.endswith(")"):
                head = row.split(" ")[2]
            elif mark == "?" and not row.endswith("/"):
                untracked.append(self._below(rest))
            elif mark in ("1", "u"):
                codes = rest[:2]
                name = self._below(rest.split(" ", 7 if mark == "1" else 9)[-1])
                differing[name] = "deleted" if "D" in codes else "added" if "A" in codes else "changed"
        return head, differing, untracked

    def _below(self, name: str) -> str:
        """A name from the top of the working tree as a name below the root."""
        return name.removeprefix(self._prefix)

    @cached_property
    def _prefix(self) -> str:
        top = homes.working_tree(str(self.root))
        inside = self.root.relative_to(top).as_posix() if top else "."
        return "" if inside == "." else f"{inside}/"

    @property
    def head(self) -> str | None:
        """The last commit; None where there is none, or no git."""
        return self._status[0]

    def wrote(self, name: str) -> None:
        """A file was written since git was asked."""
        self._written.add(name)

    def untracked(self) -> list[str]:
        """Files that git does not track, and does not ignore."""
        return self._status[2]

    def differing(self) -> list[str]:
        """Every file that is not as in the last commit, or that git does not track."""
        return sorted({*self._status[1], *self._status[2]})

    def uncommitted(self, names: Iterable[str]) -> list[str]:
        """Those of these files, and of those in these folders, that are there and not as in the last commit."""
        if not self.is_known:
            return []
        wanted = {*names}
        inside = tuple(f"{name}/" for name in wanted)
        differing = {*self._status[1], *self._status[2], *self._written}
        loose = {name for name in differing if name in wanted or name.startswith(inside)}
        loose |= {name for name in wanted if name not in self._committed}  # ignored, for what git says of it
        return sorted(name for name in loose if (self.root / name).is_file())

    @cached_property
    def is_known(self) -> bool:
        """Whether the folder is in a working tree of git."""
        return self.head is not None or git.is_repository(self.root)

    def tracked(self) -> frozenset[str]:
        """Files that git tracks."""
        new = (name for name, how in self._status[1].items() if how == "added")
        return self._committed.union(new)

    def files(self) -> list[str]:
        """Files that git tracks or would track, as they are on disk."""
        gone = {name for name, how in self._status[1].items() if how == "deleted"}
        return sorted({*self.tracked(), *self.untracked()} - gone)

    def committed(self, name: str) -> str | None:
        """The text of a file in the last commit; None when git does not know it."""
        return git.committed(self.root, name) if name in self._committed else None

    # History

    def last_change(self, names: Collection[str]) -> LoggedCommit | None:
        """The last commit that touched one of these files, or anything in one of these folders."""
        wanted = frozenset(names)
        inside = tuple(f"{name}/" for name in wanted)
        if not any(name in wanted or name.startswith(inside) for name in self._committed):
            return None  # the whole log would be read for nothing
        touched = (
            each for each in self._entries() if any(name in wanted or name.startswith(inside) for name in each.files)
        )
        return next(touched, None)

    def last_changes(self, names: Iterable[str]) -> dict[str, LoggedCommit]:
        """The last commit that touched each of these files; those that are not committed are left out."""
        wanted, found = {name for name in names if name in self._committed}, dict[str, LoggedCommit]()
        if not wanted:
            return found
        # What is asked for may lie at the beginning of a long history: git passes over commits of other folders.
        with closing(_log(self.root, sorted({name.partition("/")[0] for name in wanted}))) as log:
            for each in log:
                for name in each.files & wanted:
                    found[name] = each
                wanted -= each.files
                if not wanted:
                    break
        return found

    def ago(self, name: str) -> int | None:
        """How far back in the log a file was last changed; None for one that is not committed."""
        if name not in self._committed:
            return None
        return next((number for number, each in enumerate(self._entries()) if name in each.files), None)

    def commits(self, since: str | None, beside: str, aside: Collection[str] = ()) -> list[Commit]:
        """Commits after one, or all, that touched anything outside a folder and `aside`; the newest first."""
        inside = f"{beside}/"
        return [
            each.commit
            for each in self._after(since)
            if any(not name.startswith(inside) and name not in aside for name in each.files)
        ]

    def _after(self, since: str | None) -> Iterator[LoggedCommit]:
        """Commits that cannot be reached from one."""
        reached = {since} if since else set()
        open_ends = {self.head}
        for each in self._entries():
            name = each.commit.commit
            open_ends.discard(name)
            if name in reached:
                reached.update(each.parents)
                open_ends -= reached
            else:
                open_ends.update(parent for parent in each.parents if parent not in reached)
                yield each
            if not open_ends:
                return

    def parent(self, commit: str) -> str | None:
        """The commit before one."""
        found = next((each for each in self._entries() if each.commit.commit == commit), None)
        return found.parents[0] if found and found.parents else None

    def _entries(self) -> Iterator[LoggedCommit]:
        """The log from the last commit on, read as far as somebody asks."""
        at = 0
        while True:
            if at == len(self._log):
                if self._stream is None:
                    self._stream = self._open.enter_context(closing(_log(self.root))) if self.head else iter(())
                entry = next(self._stream, None)
                if entry is None:
                    return
                self._log.append(entry)
            yield self._log[at]
            at += 1

    def close(self) -> None:
        """End what is still running."""
        self._open.close()
        self._stream = self._comparing = None

    # What changed since

    @cached_property
    def _committed(self) -> frozenset[str]:
        """The files of the last commit."""
        if self.head is None:
            return frozenset()
        entry = next(self._entries(), None)
        if entry is None:  # a partial clone that lacks the folders of the commit before
            return frozenset(git.files_at(self.root, self.head))
        tree = entry.tree
        return frozenset(self._compared(f"{_NO_TREE[len(tree)]} {tree}"))

    def _since(self, base: str) -> dict[str, str]:
        """What happened to files from a commit up to the last one."""
        if self.head is None or base == self.head:
            return {}
        if base not in self._differences:
            self._differences[base] = self._compared(f"{self.head} {base}")
        return self._differences[base]

    def _compared(self, line: str) -> dict[str, str]:
        """The answer of `git diff-tree` to one line; it goes on for the next."""
        if self._comparing is None:
            options = ("-r", "-z", "-M", "--name-status", "--relative", "--ignore-submodules", "--no-ext-diff")
            self._comparing = self._open.enter_context(git.batch(self.root, "diff-tree", "--stdin", *options))
        printed = self._comparing(line)
        # Two trees are repeated with a line's end behind them, a commit with the end of a name.
        return git.statuses(printed.partition("\n" if line.startswith(tuple(_NO_TREE.values())) else "\0")[2])

    def changed(self, base: str, beside: str) -> list[Changed]:
        """Tracked files that are not as they were in a commit, outside a folder."""
        then, now = self._since(base), self._status[1]
        inside = f"{beside}/"
        found = {name: _both(then.get(name), now.get(name)) for name in {**then, **now} if not name.startswith(inside)}
        return [Changed(name, how) for name, how in sorted(found.items()) if how]


def _both(then: str | None, now: str | None) -> str | None:
    """What happened to a file since a commit, from what happened up to the last commit and after it."""
    if then is None or now is None:
        return then or now
    if now == "deleted":
        return None if then == "added" else "deleted"
    return "changed" if then == "deleted" else then


def _log(root: Path, below: Iterable[str] = ()) -> Generator[LoggedCommit, None, None]:
    """Commits from the last one on, with `below` those of some folders; git ends when nobody asks for more."""
    only = ("--full-history", "--", *(f":(literal){each}" for each in below)) if below else ()
    with git.streaming(root, "log", "-z", _FORMAT, "--name-only", "--no-renames", "--relative", *only) as stream:
        head, files = "", list[str]()
        for piece in git.pieces(stream):
            text = decode(piece)
            if text.startswith(ENTRY):
                if head:
                    yield _entry(head, files)
                head, _, first = text.removeprefix(ENTRY).partition("\n")
                files = [first] if first else []
            elif text:
                files.append(text)
        if head:
            yield _entry(head, files)


def _entry(head: str, files: Iterable[str]) -> LoggedCommit:
    name, parents, tree, who, title = head.split(FIELD)
    seconds, _, author = who.partition(" ")
    return LoggedCommit(git.commit_of(name, seconds, author, title), tuple(parents.split()), tree, frozenset(files))
