"""Memory as it was, from git: which commit is meant, and an index of the texts it has, kept in memory only."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, time
from pathlib import Path

from msgspec import Struct

from memdown import git, times
from memdown.dialects import relations
from memdown.errors import Invalid, NotFound, Unreadable, on_failure, quote
from memdown.git import Commit
from memdown.hashes import blake2b
from memdown.history.files import memory_files
from memdown.index import Index, journal
from memdown.index.query import moment
from memdown.index.rows import Rows
from memdown.index.sync.sessions import renumber
from memdown.index.sync.update import Progress, parsed
from memdown.index.sync.writer import relate
from memdown.record import Document
from memdown.settings.config import Config
from memdown.times import Moment

_FIRST, _LAST = datetime(1970, 1, 2, tzinfo=UTC), datetime(2099, 12, 30, tzinfo=UTC)
"""git takes dates before and after these for others."""


class Then(Struct, frozen=True):
    """A point in the past: the commit, and the time on the clock."""

    commit: Commit
    at: datetime


def then(root: Path, text: str, now: datetime) -> Then:
    """What a person means by a date, the name of a commit or an age, in this order."""
    if not git.is_repository(root):
        raise Unreadable("Not a git repository, so there is no history; leave out --as-of.")
    day = times.read(text.strip())
    named = git.resolve(root, text) if day is None else None
    if named is not None:
        return Then(named, _made(named))
    at = min(_end(day or _age(text, now), now), _LAST)
    found = git.last_before(root, at) if at >= _FIRST else None
    if found is None:
        raise NotFound(f"There is no commit up to {quote(text)}; `git log --reverse` shows the first one.")
    return Then(found, min(at, max(now, _made(found))))


def _age(text: str, now: datetime) -> Moment:
    try:
        return moment(text, now)
    except Invalid:
        raise NotFound(
            f"{quote(text)} is neither a commit that git knows nor a date; give a hash, a branch or a tag, or a date as"
            " 2026-02-01 or 7d."
        ) from None


def _made(commit: Commit) -> datetime:
    return datetime.fromisoformat(commit.date)


def _end(meant: Moment, now: datetime) -> datetime:
    """A day counts as a whole, here."""
    if meant.precision == "day":
        return datetime.combine(meant.local.date(), time.max.replace(microsecond=0), now.tzinfo)
    return meant.instant()


def index_at(
    root: Path,
    settled: Config,
    commit: str,
    tell: Callable[[str], None],
    progress: Progress,
    beside: Mapping[str, str] | None = None,
) -> Index:
    """The index of what a commit has, below the folders that the settings of today name. Whoever asks closes it.

    Files that are the same in another commit, whose files are given as `beside`, are left out.
    """
    blobs = git.files_at(root, commit)
    files = [name for name in memory_files(blobs, settled, tell) if blobs[name] != (beside or {}).get(name)]
    texts = git.texts_of(root, [blobs[name] for name in files])
    index = Index.in_memory()
    with on_failure(index.close):
        fill(
            index,
            (
                (parsed(name, data, settled.canonical_path(name), settled), data)
                for name, data in _read(progress(files, "reading"), texts, tell)
            ),
        )
    index.outdated = False
    return index


def fill(index: Index, documents: Iterable[tuple[Document, bytes]]) -> None:
    """Put documents that are no files here, with their bytes, into an empty index."""
    with index.writing() as connection:
        index.clear()
        rows = Rows(connection, relations.expires)
        for number, (document, data) in enumerate(documents, 1):
            state = (len(data), 0, 0, 0, blake2b(data, digest_size=16).digest(), 0)
            rows.add(number, document, state)
        rows.flush()
        index.add_indexes()
        renumber(connection, rows.touched)
        relate(connection)
        journal.fill(connection)


def _read(
    names: Iterable[str], texts: Iterator[bytes | None], tell: Callable[[str], None]
) -> Iterator[tuple[str, bytes]]:
    for name in names:
        data = next(texts)
        if data is None:
            tell(f"{quote(name)} is skipped: git does not have its text here")
        else:
            yield name, data
