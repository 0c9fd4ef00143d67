"""A task is told in several files: its row, its own file, and the counts of the session cache change together."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from msgspec import structs

from memdown.dialects.journal import write_sessions
from memdown.dialects.journal.fields import with_fields
from memdown.dialects.journal.names import CACHE, FILES, REGISTRY
from memdown.dialects.journal.read import read
from memdown.dialects.journal.remove import remove
from memdown.dialects.journal.sessions import cache
from memdown.dialects.journal.tasks import registry
from memdown.dialects.journal.write import update
from memdown.homes import bank_of
from memdown.record import Record
from memdown.text import apply

_SHARED = ("priority", "dependencies")
"""What both a row and a file have beside title and status."""


def beside(
    record: Record | None,
    old: Record | None,
    homes: Sequence[str],  # noqa: ARG001 - the shape of all rooms
    now: datetime,
    text_of: Callable[[str], str | None],
) -> Iterator[tuple[str, str | None, str | None]]:
    """The other files of a task after it changed from `old` to `record`, or went: name, text before and after."""
    home = bank_of(old.path) if old and old.kind == "task" else None
    if old is None or home is None:
        return
    rows = f"{home}/{FILES[REGISTRY]}"
    places = (rows, f"{home}/tasks/{old.task}.md")
    if old.path not in places:
        return  # an archive, or a copy under another name: it stands alone
    texts: dict[str, str | None] = {}
    rows_before = text_of(rows) or ""
    for name in places:
        if (before := text_of(name)) is None:
            continue
        views = [each for each in read(name, before) if each.kind == "task" and each.task == old.task]
        after: str | None = before
        if record is None and views:
            after = apply(before, remove(before, views[0])) or None
        elif record is not None:
            after = _changed(before, views, old, record, now)
        texts[name] = after
        if name != old.path and after != before:
            yield name, before, after
    counting = text_of(f"{home}/{FILES[CACHE]}")
    if counting is not None and (after := recounted(counting, rows_before, texts.get(rows) or "")) != counting:
        yield f"{home}/{FILES[CACHE]}", counting, after


def _changed(text: str, views: Sequence[Record], old: Record, new: Record, now: datetime) -> str:
    """A file that tells of a task with what changed of it."""
    edits = []
    for view in views:
        fresh = view
        if new.status != old.status and (view.status or view.extra.get("source") != "details"):
            fresh = structs.replace(fresh, status=new.status)
            if new.status == "completed":
                fresh = with_fields(fresh, completed=f"{now:%Y-%m-%d}")
        if new.title != old.title and view.extra.get("source") != "details":
            fresh = structs.replace(fresh, title=new.title)
        for name in _SHARED:
            if new.extra.get(name) != old.extra.get(name) and name in view.extra:
                fresh = with_fields(fresh, **{name: new.extra.get(name, "")})
        edits += update(text, view, fresh)
    return apply(text, edits)


def recounted(text: str, before: str, after: str) -> str:
    """The session cache, when it counts, after the tasks of the registry changed."""
    old, new = counts(before), counts(after)
    if old == new or cache(text).counted_at is None:
        return text
    return apply(text, write_sessions.set_counts(text, new, old))


def counts(text: str) -> dict[str, int]:
    """How many tasks of a registry are active (in progress), paused, completed, cancelled."""
    states = Counter({task.id: task.status for task in registry(text).tasks if task.source == "registry"}.values())
    return {name: states["in_progress" if name == "active" else name] for name in write_sessions.COUNTS}
