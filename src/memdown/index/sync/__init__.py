"""Bringing the index up to date before a question: a scan when nothing changed, else reading what did.

A hook or a search that starts cold comes through here; whatever reads files is loaded only when one has to be read.
"""

import os
import sqlite3
import time

from memdown.errors import on_failure
from memdown.index import Index
from memdown.index.sqlite import NAME, Unusable
from memdown.index.sync.scan import Scan, history, settings
from memdown.lazy import LazyModule

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memdown.index.sync import update
    from memdown.index.sync.notify import Notifications
    from memdown.record import Record

    Late = dict[str, Sequence[Record] | None]
    Progress = Callable[[Iterable[str], str], Iterable[str]]
else:
    update = LazyModule("memdown.index.sync.update")

Counts = dict[str, int | float]
"""files, records, changed, removed, renamed, seconds; with a limit of time also left: files that are not read yet.
`behind` is there, and 1, when another process was writing and the index is as it was before that."""
_FIRST = 4
"""How much longer the first refresh of a clone may take, so that its first prompt finds what is there."""
Seen = tuple[int, Scan]
"""A scan, and how many commits of others the index had seen before it."""


def refresh(
    root: str,
    index: Index | None = None,
    *,
    rebuild: bool = False,
    shrink: bool = False,
    limit: float | None = None,
    wanted: "Iterable[str]" = (),
    notices: "Notifications | None" = None,
    tell: "Callable[[str], None]" = lambda _: None,
    progress: "Progress" = lambda names, _: names,
) -> tuple[Index, Counts]:
    """The index of a root, as its files are now, and what was done for that. Whoever asks closes it.

    `index` is the one that was used before, if any; it is closed when another takes its place, and when this fails.
    With `shrink`, a journal may lose most of its rows. With a `limit`, in seconds of work, files that have most of the
    `wanted` texts are read in that time, then the newest, and the rest is left for the next call; an index that is
    begun may take longer. With `notices`, from who lives on between calls, only files are looked at that the system
    says have changed. `tell` hears what a person should know, a sentence each without its period.
    """
    started, worked = time.perf_counter(), time.process_time()
    if index is not None and not index.is_current():
        index.close()
        index = None
    seen: Seen | None = None
    counts: Counts | None = None
    if notices is not None:
        counts = (
            _noticed(root, index, notices, tell, progress) if index is not None and not (rebuild or shrink) else None
        )
        if index is not None and counts is not None:
            counts["seconds"] = round(time.perf_counter() - started, 4)
            return index, counts
        if index is not None and not index.outdated:
            notices.watch(root, str(index.noted("homes")), _around(root))

    def close() -> None:
        if index is not None:
            index.close()

    with on_failure(close):
        try:
            index = index or Index.open(os.path.join(root, ".memdown", NAME))  # noqa: PTH118 - pathlib is slow to import
            if index is not None and not rebuild:
                counts, seen = unchanged(root, index)
        except (Unusable, sqlite3.DatabaseError):
            if index is not None:
                index.close()
            index = None  # the way that mends it finds out why, and reports it
    if index is None or counts is None:
        if limit is not None and (index is None or index.outdated):
            limit *= _FIRST
        options = update.RefreshOptions  # loads what reads files, which is much of a short limit
        until = None if limit is None else max(worked + limit, time.process_time() + limit / 2)
        how = options(rebuild, shrink, until, tuple(wanted))
        index, counts = update.refresh(root, index, seen, how, tell=tell, progress=progress)
    if notices is not None and not _is_watched(index, notices):
        notices.close()  # there is what the system does not tell of
    counts["seconds"] = round(time.perf_counter() - started, 4)
    return index, counts


def _is_watched(index: Index, notices: "Notifications") -> bool:
    """Whether the system tells of every change of what the index holds."""
    return index.noted("homes") == notices.homes and index.has_scan() and not index.noted("shared")


def _around(root: str) -> str:
    """What else the answers depend on."""
    return f"{settings(root)} {history(root)}"


def _noticed(
    root: str, index: Index, notices: "Notifications", tell: "Callable[[str], None]", progress: "Progress"
) -> Counts | None:
    """What was done for the files that the system says have changed; None when all have to be looked at."""
    names = notices.changed()
    if names is None or notices.around != _around(root) or not index.has_scan():
        return None
    if not names:
        counts: Counts = {key: int(index.noted(key) or 0) for key in ("files", "records")}
        return counts | {"changed": 0, "removed": 0, "renamed": 0}
    try:
        return update.refresh_some(root, index, names, tell=tell, progress=progress)
    except sqlite3.DatabaseError:
        return None  # the way that looks at all files finds out why, and mends it


def late(
    root: str, index: Index | None, notices: "Notifications | None"
) -> "dict[str, Sequence[Record] | None] | None":
    """The files that changed since the index was brought up to date; None when all have to be looked at.

    The next who brings it up to date is told of them all the same.
    """
    if index is None or notices is None or not index.is_current():
        return None
    if notices.around != _around(root) or not index.has_scan():
        return None
    return notices.late()


def unchanged(root: str, index: Index) -> tuple[Counts | None, Seen | None]:
    """What the index holds, when the files are as it knows them; else what was seen of them, as far as that went."""
    if index.outdated:
        return None, None
    commits = index.commits()
    meta = index.meta()
    if meta.get("settings") != settings(root) or meta.get("history", "") != history(root):
        return None, None
    scan = Scan(root, str(meta["homes"]).split("\n"))
    if meta.get("racy") or not scan.simple or scan.signature() != meta.get("scan"):
        return None, (commits, scan)
    counts: Counts = {"files": int(meta["files"]), "records": int(meta["records"])}
    return counts | {"changed": 0, "removed": 0, "renamed": 0}, None
