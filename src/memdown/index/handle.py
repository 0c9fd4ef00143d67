"""The open index of a project, brought up to date before each question, and closed with the project."""

from collections.abc import Sequence
from datetime import date, timedelta
from stat import S_ISREG
from typing import TYPE_CHECKING
from weakref import finalize

from memdown.dialects import is_merged
from memdown.index import Index, sync
from memdown.index.schema import REAL
from memdown.lazy import LazyModule
from memdown.project import Project
from memdown.record import Days, Record
from memdown.store.walks import is_found

if TYPE_CHECKING:
    from memdown.index.sync import notify
    from memdown.index.sync.notify import Notifications
else:
    notify = LazyModule("memdown.index.sync.notify")

_DAYS = f"""
select dialect, kind, instant / {86_400_000_000} - (instant < 0 and instant % {86_400_000_000} != 0) as day, count(*)
from record r where {REAL} group by 1, 2, 3
"""
_EPOCH = date(1970, 1, 1)
_MOST_LATE = 16
"""Changed files that a write looks at itself; bringing the index up to date for each takes longer than the write."""
_WITH_CONTENT = "select path from record where content = ?"


class IndexHandle:
    """At most one open index. Closing it is final for the index only: the next question may bring another."""

    def __init__(self) -> None:
        self.index: Index | None = None
        self.notices: Notifications | None = None
        """What the system says has changed, for a process that lives on."""
        self._close: finalize[[], IndexHandle] | None = None

    def hold(self, index: Index) -> Index:
        """Take over an index; another that was held is closed."""
        if index is not self.index:
            self.close()
            self.index = index
            # For those who never close, and for the end of the process.
            self._close = finalize(self, index.close)
        return index

    def close(self) -> None:
        if self.notices is not None:
            self.notices.close()
        if self._close is not None:
            self._close()
        self.index = self._close = None


def indexed(project: Project) -> Index:
    """The index as the files are now; it is the project's to close."""
    return refreshed(project)[0]


def refreshed(project: Project, *, rebuild: bool = False, shrink: bool = False) -> tuple[Index, sync.Counts]:
    """The index as the files are now, and what was done for that.

    With `shrink` a journal's file may lose most of its rows though its text did not.
    """
    handle = project.opened(IndexHandle)
    index, counts = sync.refresh(
        str(project.root),
        handle.index,
        rebuild=rebuild,
        shrink=shrink,
        notices=handle.notices,
        tell=project.tell,
        progress=project.progress,
    )
    return handle.hold(index), counts


def keep_watch(project: Project) -> None:
    """Have the system tell what changes from now on, instead of looking at all files before each question."""
    handle = project.opened(IndexHandle)
    if handle.notices is None:
        handle.notices = notify.Notifications()


def days(project: Project) -> Days:
    """Records counted by dialect, kind and day, as the index has them."""
    index = project.opened(IndexHandle).index
    rows = index.connection.execute(_DAYS) if index else ()
    return Days(
        {
            (dialect, kind, None if day is None else _EPOCH + timedelta(day)): number
            for dialect, kind, day, number in rows
        }
    )


class Recent:
    """The index as it is, and the records of the files that changed since, by their names."""

    def __init__(self, index: Index, late: dict[str, Sequence[Record]]) -> None:
        self.index = index
        self.late = late

    def with_content(self, content_hash: str) -> list[str]:
        """The files of their own that hold this content, but for the late ones."""
        rows = self.index.connection.execute(_WITH_CONTENT, (content_hash,))
        return [path for (path,) in rows if path not in self.late]


def recent(project: Project) -> Recent:
    """All that the files hold, for who writes: in a process that lives on, the index need not be written for it."""
    handle = project.opened(IndexHandle)
    late = sync.late(str(project.root), handle.index, handle.notices)
    if handle.index is None or late is None or len(late) > _MOST_LATE:
        return Recent(indexed(project), {})
    homes = str(handle.index.noted("homes")).split("\n")
    for name, known in late.items():
        if known is None:
            late[name] = known = _records(project, name, homes)
        if known is None:
            return Recent(indexed(project), {})
    return Recent(handle.index, {name: known or () for name, known in late.items()})


def _records(project: Project, name: str, homes: list[str]) -> Sequence[Record] | None:
    """The records of a file, if it is there and memory, as the index will have them; None for one that is a link."""
    try:
        seen = (project.root / name).lstat()
    except OSError:
        return ()
    if not S_ISREG(seen.st_mode) or seen.st_nlink > 1:
        return None
    home = next((name[: len(home)] for home in homes if name.lower().startswith(f"{home.lower()}/")), None)
    if home is None or is_merged(name) or not is_found(name, home, project.files.hidden, lambda _: None):
        return ()
    return project.parse(name, project.files.read(name)).records


def open_index(project: Project) -> Index | None:
    """The index that a process has open, as it is; None when it has none, or that is no longer the one."""
    index = project.opened(IndexHandle).index
    return index if index is not None and index.is_current() else None
