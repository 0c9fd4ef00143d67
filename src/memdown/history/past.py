"""What git has of the memory of one project: commits that touched it, texts and records of any of them."""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Self

from msgspec import structs

from memdown import dialects, git
from memdown.errors import NotFound, Unreadable, quote, way
from memdown.git import walk
from memdown.git.walk import FileChange, FileState, HistoryCommit, Texts
from memdown.history.files import folders, memory_files
from memdown.record import Document
from memdown.settings.config import Config

_DOCUMENTS = 60
"""Parsed files that are kept."""
_HERE = "here:"
"""Begins what a text of the working tree is known by."""


class Past:
    """The memory of a project as git has it, during one question; ask in `with`."""

    def __init__(
        self, root: Path, settled: Config, tell: Callable[[str], None], read: Callable[[str], str | None]
    ) -> None:
        """`read` gives the text of a file of the working tree; `tell` hears what people should know."""
        self._root = root
        self._settled = settled
        self._tell = tell
        self._read = read
        self._folders = folders(settled)
        self._texts = Texts(root, settled.max_file_megabytes << 20)
        self._documents: OrderedDict[FileState, Document] = OrderedDict()
        self._known: dict[str, bool] = {}
        self._here: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._texts.__exit__(None, None, None)

    # Commits

    def head(self) -> str:
        """The last commit; says what is wrong where there is none."""
        return self.commit("HEAD").commit

    def commit(self, name: str) -> git.Commit:
        """The commit that a person names; says what is wrong where there is none."""
        found = git.resolve(self._root, name)
        if found is not None:
            return found
        if not git.is_repository(self._root):
            raise Unreadable(
                f"Not a git repository, so there is no history; run {way('git init')} and commit the memory."
            )
        if git.resolve(self._root, "HEAD") is None:
            raise NotFound("No commits yet, so there is no history; commit the memory first.")
        raise NotFound(f"{quote(name)} is not a commit that git knows; give a hash, a branch or a tag.")

    def commits(self, start: str, beside: str = "") -> Generator[HistoryCommit, None, None]:
        """The commits up to one that touched memory, each before its parents; not those that `beside` has too."""
        if git.is_shallow(self._root):
            self._tell(
                f"this is a shallow clone, so older versions are missing; {way('git fetch --unshallow')} gets them"
            )
        with closing(walk.commits(self._root, start, self._folders, beside)) as found:
            for each in found:
                files = tuple(self._memory(each.files))
                yield structs.replace(each, files=files)

    def uncommitted(self, head: str, untracked: Iterable[str]) -> HistoryCommit | None:
        """What was done to memory since the last commit, as one more that has no name; None for nothing."""
        files = self.between(head, None, untracked)
        return HistoryCommit("", (), "", "", "", "", (), tuple(files)) if files else None

    def between(self, base: str, target: str | None, untracked: Iterable[str] = ()) -> list[FileChange]:
        """Files of memory that differ between two commits, or between one and the working tree.

        `untracked` files are new there.
        """
        found = list(self._memory(walk.differences(self._root, base, target, self._folders)))
        if target is not None:
            return found
        found += self._memory(FileChange((None,), FileState(name, "")) for name in untracked)
        return [each for each in map(self._with_text, found) if each is not None]

    def _memory(self, files: Iterable[FileChange]) -> Iterator[FileChange]:
        """Those of memory; one that was elsewhere before, or is now, is new or gone."""
        for each in files:
            before = tuple(state if state and self._is_memory(state.path) else None for state in each.before)
            after = each.after if each.after and self._is_memory(each.after.path) else None
            if after or any(before):
                yield FileChange(before, after)

    def _is_memory(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = bool(list(memory_files((name,), self._settled, self._tell)))
        return self._known[name]

    def _with_text(self, change: FileChange) -> FileChange | None:
        """A change up to the working tree, with the text that is there; None where nothing changed but line ends."""
        if change.after is None:
            return change
        name = change.after.path
        text = self._read(name)
        if text is None:
            return FileChange(change.before, None)
        old = self.text(change.before[0])
        if old is not None and "\r" not in old and text != old:
            text = text.replace("\r\n", "\n")  # as git checks files out on Windows
        if text == old and change.before[0] and change.before[0].path == name:
            return None
        self._here[name] = text
        return FileChange(change.before, FileState(name, f"{_HERE}{name}"))

    # Files

    def text(self, state: FileState | None) -> str | None:
        """The text of a file; None where there is none, or git does not have it."""
        if state is None:
            return None
        if state.blob.startswith(_HERE):
            return self._here[state.path]
        text = self._texts.of(state.blob)
        if text is None:
            self._tell(f"a version of {quote(state.path)} is skipped: git does not have its text here")
        return text

    def document(self, state: FileState | None) -> Document | None:
        """A file as the dialect that claims it reads it; None where there is none."""
        if state is None or (text := self.text(state)) is None:
            return None
        if state in self._documents:
            self._documents.move_to_end(state)
            return self._documents[state]
        path = self._settled.canonical_path(state.path)
        found = dialects.parse(state.path, text, canonical_path=path, settings=self._settled)
        self._documents[state] = found
        if len(self._documents) > _DOCUMENTS:
            self._documents.popitem(last=False)
        return found

    def documents(self, states: Iterable[FileState | None]) -> list[Document]:
        """The same of several files, without those that are none."""
        return [each for each in map(self.document, states) if each is not None]

    def files_at(self, commit: str) -> list[FileState]:
        """All files of memory that a commit has."""
        blobs = git.files_at(self._root, commit)
        return [FileState(name, blobs[name]) for name in blobs if self._is_memory(name)]


def renamed(files: Sequence[FileChange], parent: int) -> dict[str, str]:
    """The new names of files by their names in one of the parents."""
    return {
        before.path: each.after.path
        for each in files
        if each.after and (before := each.before[parent]) and before.path != each.after.path
    }
