"""The past of files, from two processes of git: `git log` says what changed where, `git cat-file` has the texts."""

from collections import OrderedDict
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from msgspec import Struct

from memdown import git
from memdown.git.process import ENTRY, FIELD
from memdown.text import decode

if TYPE_CHECKING:
    import subprocess

_TRAILERS = f"%(trailers:only,unfold,separator={ENTRY})"
_FORMAT = f"--format=format:{ENTRY}{FIELD.join(('%H', '%P', '%at', '%aN', '%aE', '%s', _TRAILERS))}"
_RENAMES = ("-M", "-l1000")
_RAW = ("--raw", "-z", "--no-abbrev", "--no-ext-diff", "--relative", "--ignore-submodules")
_CACHE = 32 << 20
"""Characters of texts that are kept, since one commit's new version is the next one's old."""


class FileState(Struct, frozen=True):
    """A file as a commit has it."""

    path: str
    blob: str
    """What `Texts` knows its text by."""


class FileChange(Struct, frozen=True):
    """A file that differs from every parent of a commit: as each parent has it, and as the commit has it."""

    before: tuple[FileState | None, ...]
    after: FileState | None


class HistoryCommit(Struct, frozen=True):
    """A commit that touched some of the files asked for."""

    commit: str
    """Empty for what is not committed yet."""
    parents: tuple[str, ...]
    """The commits before it, of those that touched these files."""
    at: str
    """When it was written, in UTC."""
    author: str
    email: str
    title: str
    trailers: tuple[str, ...]
    files: tuple[FileChange, ...]


def specs(folders: Iterable[str]) -> list[str]:
    """Folders as git takes them: literally, whatever their case."""
    return [f":(icase,literal){folder}" for folder in dict.fromkeys(folders)]


def commits(root: Path, start: str, folders: Sequence[str], beside: str = "") -> Generator[HistoryCommit, None, None]:
    """The commits up to one that touched anything in these folders, each before its parents; git ends with it.

    Without those that another commit, `beside`, has too.
    """
    ends = (start, f"^{beside}") if beside else (start,)
    options = (*_RAW, *_RENAMES, "-c", "--date-order", "--parents", "--encoding=UTF-8", "--no-show-signature")
    with git.streaming(
        root, "-c", "log.showRoot=true", "log", _FORMAT, *options, *ends, "--", *specs(folders)
    ) as stream:
        pieces = map(decode, git.pieces(stream))
        head, files = "", list[FileChange]()
        for text in pieces:
            if text.startswith(ENTRY):
                if head:
                    yield _commit(head, files)
                head, _, first = text.removeprefix(ENTRY).partition("\n")
                files = [_change(first, pieces)] if first else []
            elif text.startswith(":"):
                files.append(_change(text, pieces))
        if head:
            yield _commit(head, files)


def differences(root: Path, base: str, target: str | None, folders: Sequence[str]) -> list[FileChange]:
    """Files in these folders that differ between two commits, or between one and the working tree.

    What is in the working tree only has no blob.
    """
    ends = (base,) if target is None else (base, target)
    printed = git.output(root, "diff", *_RAW, *_RENAMES, *ends, "--", *specs(folders))
    pieces = iter(printed.split("\0"))
    rows = [(text, _change(text, pieces)) for text in pieces if text.startswith(":")]
    return [change for text, change in rows if not text.endswith(" U")]  # in conflict: a second row has the file


def _change(row: str, pieces: Iterator[str]) -> FileChange:
    """A row of `--raw`, with the names that follow it; that of a merge begins with a colon for each parent."""
    parents = len(row) - len(row.lstrip(":"))
    fields = row[parents:].split(" ")
    modes, blobs, status = fields[: parents + 1], fields[parents + 1 : -1], fields[-1]
    first = last = next(pieces, "")
    if parents == 1 and status[:1] in ("R", "C"):
        last = next(pieces, "")
    names = [first] * parents + [last]
    states = [_state(*each) for each in zip(modes, names, blobs, strict=True)]
    return FileChange(tuple(states[:-1] if status[:1] != "C" else [None]), states[-1])


def _state(mode: str, name: str, blob: str) -> FileState | None:
    """An ordinary file; links and other repositories are none."""
    return FileState(name, blob if blob.strip("0") else "") if mode.startswith("100") else None


def _commit(head: str, files: Sequence[FileChange]) -> HistoryCommit:
    name, parents, seconds, author, email, title, trailers = map(git.one_line, head.split(FIELD))
    at = git.stamp(seconds)
    kept_trailers = tuple(filter(None, trailers.split(ENTRY)))
    return HistoryCommit(name, tuple(parents.split()), at, author, email, title, kept_trailers, tuple(files))


class Texts:
    """The texts of files by their blobs: one process for all of them, which is ended with the block of code."""

    def __init__(self, root: Path, largest: int) -> None:
        """Texts of more than `largest` bytes are not read."""
        self._root = root
        self._largest = largest
        self._known: OrderedDict[str, str | None] = OrderedDict()
        self._kept = 0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.__exit__(None, error, trace)
            self._process = None

    def of(self, blob: str) -> str | None:
        """The text of a blob; None for one that git does not have, or that is too large."""
        if blob in self._known:
            self._known.move_to_end(blob)
            return self._known[blob]
        text = self._asked(blob)
        self._known[blob] = text
        self._kept += len(text or "")
        while self._kept > _CACHE and len(self._known) > 2:
            self._kept -= len(self._known.popitem(last=False)[1] or "")
        return text

    def _asked(self, blob: str) -> str | None:
        process = self._process or self._started()
        assert process.stdin
        assert process.stdout
        process.stdin.write(f"{blob}\n".encode())
        process.stdin.flush()
        *_, kind, size = (b"", *process.stdout.readline().rstrip(b"\n").split(b" "))
        if kind != b"blob":
            return None
        left = int(size) + 1
        if left <= self._largest:
            return decode(process.stdout.read(left)[:-1])
        while left > 0 and (block := process.stdout.read(min(left, 1 << 20))):
            left -= len(block)
        return None

    def _started(self) -> "subprocess.Popen[bytes]":
        self._process = git.conversation(self._root, "cat-file", "--batch")
        return self._process
