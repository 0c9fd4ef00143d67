"""What git remembers of files and lines that are gone: which commit took them away, and where they went.

Every question has a limit of time, and the answer says whether it was asked to the end: a long history is no reason to
wait for minutes, and what was not asked is not what was not found.
"""

import codecs
import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memdown import git, homes
from memdown.errors import way
from memdown.git import Commit, loose
from memdown.git.process import ENTRY, FIELD
from memdown.lazy import LazyModule
from memdown.patterns import lazy

if TYPE_CHECKING:
    import shutil
else:  # only a question to git needs it
    shutil = LazyModule("shutil")

SECONDS = 20.0
"""How long one question may walk through the history."""
_TOGETHER = 60.0
"""How long all questions may."""
_FORMAT = f"--format=format:{ENTRY}{FIELD.join(('%H', '%ct', '%an', '%s'))}"
_BLAMED = lazy(r"([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?")
_HASH = lazy(r"[0-9a-f]{7,64}")
_REMOTE = lazy(r"(?:[a-z+]{2,9}://)?(?:[^@/\s]{1,200}@)?([\w.-]{1,200})(?::\d{1,5}/|[:/])/?([^\s]{1,200}?)(?:\.git)?/?")
"""The address of a remote: `git@github.com:ann/pool.git`, `https://github.com/ann/pool`."""
_AT_ONCE = 200
"""Names that are looked for in one call."""
UNCOMMITTED = Commit("", "", "", "")
"""Stands for the commit that would hold what is changed since the last one."""


class GitPast:
    """The history of one working tree, asked when somebody needs it and not twice."""

    def __init__(self, root: Path, seconds: float = SECONDS) -> None:
        self.root = root
        self._seconds = seconds
        self._left = _TOGETHER
        self._renames: dict[str, dict[str, str]] = {}
        self._changes: dict[str, str] = {}
        self.in_time = True
        """Whether every question so far was asked to its end."""

    @cached_property
    def is_known(self) -> bool:
        """Whether there is a history at all."""
        return bool(git.output(self.root, "rev-parse", "--verify", "--quiet", "HEAD"))

    @cached_property
    def is_shallow(self) -> bool:
        """Whether the clone has only the end of the history."""
        return git.output(self.root, "rev-parse", "--is-shallow-repository").strip() == "true"

    @cached_property
    def is_partial(self) -> bool:
        """Whether the clone leaves texts or folders of former commits on the server, which nobody asks here."""
        return bool(git.output(self.root, "config", "--get-regexp", r"^remote\..*\.(promisor|partialclonefilter)$"))

    @property
    def is_whole(self) -> bool:
        """Whether what the history does not show never was."""
        return not self.missing

    @property
    def missing(self) -> str:
        """Why the history cannot be asked, or not to its end; empty when it was."""
        if not self.is_known:
            return self._without
        if self.is_shallow:
            return f"this is a shallow clone; {way('git fetch --unshallow')} gets the rest of the history"
        if self.is_partial:
            return "this is a partial clone, and part of its history is missing"
        return "" if self.in_time else "the history is too long to walk"

    @cached_property
    def _without(self) -> str:
        """Why there is no history."""
        if not homes.working_tree(str(self.root)):
            return "not a git repository"
        if not shutil.which("git"):
            return "git is not installed"
        return "no commits yet" if git.is_repository(self.root) else "git cannot read this repository"

    @cached_property
    def deleted(self) -> dict[str, Commit]:
        """Every file that some commit deleted or renamed, with the last commit that did."""
        found: dict[str, Commit] = {}
        options = ("--diff-filter=D", "--no-renames", "--name-only", "-z", "--relative", "--ignore-submodules")
        for commit, names in self._walk("log", *options):
            for name in names:
                found.setdefault(name, commit)
        return found

    def renamed(self, commit: str) -> dict[str, str]:
        """What a commit renamed, by git's own judgement: from which name to which."""
        if commit not in self._renames:
            options = ("-r", "-z", "-l2000", "--diff-filter=R", "--name-status", "--relative", "--no-commit-id")
            # Without the texts, git still knows what was renamed as it was.
            for alike in ("-M", *(("-M100%",) if self.is_partial else ())):
                printed = git.output(self.root, "diff-tree", "--root", *options, alike, commit)
                self._renames[commit] = _pairs(printed)
                if printed:
                    break
        return self._renames[commit]

    @cached_property
    def pending(self) -> dict[str, str]:
        """What is renamed since the last commit, and not committed, whether or not git was told."""
        if not self.is_known:
            return {}
        options = ("-z", "-M", "--diff-filter=R", "--name-status", "--relative", "--no-ext-diff")
        missing = [name for name in git.output(self.root, "ls-files", "-z", "--deleted").split("\0") if name]
        untold = loose.renames(self.root, missing, git.untracked(self.root)) if missing else {}
        return untold | _pairs(git.output(self.root, "diff", *options, "HEAD"))

    def touching(self, globs: Sequence[str]) -> Iterator[Commit]:
        """Commits that changed one of these files, the newest first."""
        only = [f":(glob){each}" for each in globs]
        return (commit for commit, _ in self._walk("log", "--no-merges", "-z", "--", *only))

    def change_counts(self, since: str) -> "Counter[str]":
        """How many commits changed each file since a day."""
        options = ("--no-merges", "--no-renames", "--name-only", "-z", "--relative", "--ignore-submodules")
        return Counter(name for _, names in self._walk("log", f"--since={since}", *options) for name in names)

    def commits_of(self, names: Collection[str], most: int) -> list[str]:
        """The commits that changed one of these files, thinned out to so many, the first and the last among them."""
        only = [f":(literal){each}" for each in sorted(names)[:_AT_ONCE]]
        rows = git.output(self.root, "log", "--format=%H", "--", *only).split() if self.is_known and only else []
        step = max(1, -(-len(rows) // most))
        return list(dict.fromkeys([*rows[::step], *rows[-1:]]))

    def line_commits(self, name: str) -> dict[int, str]:
        """The commit that wrote each line of a file, by line from 1; lines that are not committed are left out."""
        rows = git.blame(self.root, name, "-w") if self.is_known else []
        heads = (match for row in rows if (match := _BLAMED.fullmatch(row)))
        return {int(match[2]): match[1] for match in heads if match[1].strip("0")}

    def after(self, revision: str) -> frozenset[str] | None:
        """The commits since a revision, that one left out; None when git knows no such revision."""
        found = git.resolve(self.root, revision)
        return frozenset(git.output(self.root, "rev-list", f"{found.commit}..HEAD").split()) if found else None

    def lines_with(self, commit: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The lines of a commit's files that have one of these words: the file and the line."""
        for first in range(0, len(names), _AT_ONCE):
            wanted = [each for name in names[first : first + _AT_ONCE] for each in ("-e", name)]
            printed = git.output(self.root, "grep", "-I", "-z", "-w", "-F", "--no-color", *wanted, commit, "--", ".")
            for row in printed.split("\n"):
                place, _, line = row.partition("\0")
                if line:
                    yield place.partition(":")[2], line

    def former_texts(self, commits: Iterable[str], is_wanted: Callable[[str], bool]) -> Iterator[bytes]:
        """The texts that some files had at one of these commits, and that no file has now, each once."""
        changed = frozenset(git.output(self.root, "diff", "--name-only", "-z", "--relative", "HEAD").split("\0"))
        seen = {each for name, each in git.files_at(self.root, "HEAD").items() if name not in changed}
        former: dict[str, None] = {}
        for commit in commits:
            found = git.files_at(self.root, commit)
            former.update({each: None for name, each in found.items() if each not in seen and is_wanted(name)})
        until = time.monotonic() + self._seconds
        for data in git.texts_of(self.root, list(former)):
            if time.monotonic() > until:
                self.in_time = False
                return
            yield data or b""

    def files_with(self, names: Collection[str]) -> dict[str, list[str]]:
        """By name, the files of the working tree that have it as a word."""
        found: dict[str, dict[str, None]] = {}
        every = sorted(names) if self.is_known else []
        for first in range(0, len(every), _AT_ONCE):
            wanted = [each for name in every[first : first + _AT_ONCE] for each in ("-e", name)]
            options = ("-I", "-o", "-z", "-w", "-F", "--no-color", "--untracked")
            for row in git.output(self.root, "grep", *options, *wanted, "--", ".").split("\n"):
                file, _, name = row.partition("\0")
                if name:
                    found.setdefault(name, {})[file] = None
        return {name: list(files) for name, files in found.items()}

    def text_at(self, commit: str, name: str) -> str | None:
        """The text of a file at a commit; None when it had none."""
        return git.output(self.root, "show", f"{commit}:./{name}") or None

    @cached_property
    def remotes(self) -> frozenset[str]:
        """The repositories that this one was cloned from or is pushed to: host and path, in small letters."""
        rows = git.output(self.root, "config", "--get-regexp", r"^remote\..*\.url$").split("\n")
        found = (_REMOTE.fullmatch(row.partition(" ")[2].strip().lower()) for row in rows)
        return frozenset(f"{match[1]}/{match[2]}" for match in found if match)

    def moves(self, revision: str) -> bool:
        """Whether a name in an address is a branch, which moves on, or may be one that this clone does not have."""
        if _HASH.fullmatch(revision):
            return False
        return not git.output(self.root, "rev-parse", "--verify", "--quiet", f"refs/tags/{revision}").strip()

    def had(self, commit: str, name: str) -> bool:
        """Whether a file or folder was there at a commit."""
        return bool(git.output(self.root, "ls-tree", "--name-only", "-z", commit, "--", name))

    def last_change(self, name: str) -> str:
        """When the last commit was made that changed a file; empty when none did."""
        if name not in self._changes:
            only = ("-1", "--format=%cI", "--", f":(literal){name}")
            self._changes[name] = git.output(self.root, "log", *only).strip()
        return self._changes[name]

    def last_removal(
        self, keys: Collection[str], expression: str, keys_in: Callable[[str], Iterable[str]], since: str | None = None
    ) -> dict[str, Commit]:
        """By key, the last commit that removed a line with it, as `keys_in` says of a line, or UNCOMMITTED.

        Git looks only at changes of lines that fit the expression, unless that is empty, and at commits since one.
        """
        found = {key: UNCOMMITTED for line in (self._removed_since if keys else ()) for key in keys_in(line)}
        if keys and len(found) >= len(keys):
            return found
        options = ("-p", "-U0", "--no-merges", "--no-ext-diff", "--no-color", "--no-textconv", "-z")
        only = (*((f"-G{expression}",) if expression else ()), *((f"{since}..HEAD",) if since else ()))
        # Of a package in a repository, what left it counts as removed, and what others removed does not.
        for commit, pieces in self._walk("log", *options, *only, "--", ".") if keys else ():
            for line in _removed("\0".join(pieces)):
                for key in keys_in(line):
                    found.setdefault(key, commit)
            if len(found) >= len(keys):
                break
        return found

    @cached_property
    def _removed_since(self) -> list[str]:
        """The lines of code that were removed since the last commit; those of Markdown only tell of code."""
        options = ("-U0", "--relative", "--no-ext-diff", "--no-color", "--no-textconv", "--ignore-submodules")
        printed = git.output(self.root, "diff", *options, "HEAD", "--", ".", ":(exclude)*.md") if self.is_known else ""
        return list(_removed(printed))

    def known(self, hashes: Iterable[str]) -> set[str]:
        """Those of these hashes, short or whole, that are commits here."""
        wanted = list(dict.fromkeys(hashes))
        given = "".join(f"{each}^{{commit}}\n" for each in wanted).encode()
        rows = git.output(self.root, "cat-file", "--batch-check", given=given).split("\n") if wanted else []
        return {each for each, row in zip(wanted, rows, strict=False) if row.endswith("commit") or " commit " in row}

    def _walk(self, *args: str) -> Iterator[tuple[Commit, list[str]]]:
        """The entries of a log, each with what git prints below it, as long as there is time."""
        if not self.is_known:
            return
        started = time.monotonic()
        until = started + min(self._seconds, self._left)
        head, *rest = args
        try:
            with git.streaming(self.root, head, _FORMAT, *rest) as stream:
                open_entry = ""
                for block in codecs.iterdecode(stream, "utf-8", "surrogateescape"):  # a letter may be in two of them
                    *whole, open_entry = (open_entry + block).split(ENTRY)
                    yield from (_entry(each) for each in whole if each)
                    if time.monotonic() > until:
                        self.in_time = False
                        return
                if open_entry:
                    yield _entry(open_entry)
        finally:
            self._left -= time.monotonic() - started


def _entry(text: str) -> tuple[Commit, list[str]]:
    end = re.search(r"[\0\n]|$", text)
    assert end
    head, rest = text[: end.start()], text[end.end() :]
    name, seconds, author, title = head.split(FIELD)
    return git.commit_of(name, seconds, author, title), [each for each in rest.split("\0") if each.strip("\n")]


def _removed(diff: str) -> Iterator[str]:
    """The lines that a difference takes out."""
    return (line[1:] for line in diff.split("\n") if line.startswith("-") and not line.startswith("---"))


def _pairs(printed: str) -> dict[str, str]:
    pieces = iter(printed.split("\0"))
    return {next(pieces, ""): next(pieces, "") for status in pieces if status.startswith("R")}


def most_common(values: Iterable[str]) -> str | None:
    """What occurs most often; None of nothing."""
    counts = Counter(values)
    return counts.most_common(1)[0][0] if counts else None
