"""The open index of a project, brought up to date before each question, and closed with the project."""

from datetime import date, timedelta
from typing import TYPE_CHECKING
from weakref import finalize

from memdown.index import Index, sync
from memdown.index.schema import REAL
from memdown.lazy import LazyModule
from memdown.project import Project
from memdown.record import Days

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


def with_content(project: Project, content_hash: str) -> list[str]:
    """The files of their own that hold this content."""
    return [path for (path,) in indexed(project).connection.execute(_WITH_CONTENT, (content_hash,))]
