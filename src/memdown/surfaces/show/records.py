"""Records as lines for people: a row of a list, and what to know before relying on one."""

import os

from memdown.index import untrue
from memdown.record import Mark, Record
from memdown.surfaces.show.style import link, style
from memdown.text import without_bold

TYPE_CHECKING = False  # as typing's, which a cold start need not pay for
if TYPE_CHECKING:
    from collections.abc import Iterable

_SHORT = 8
_KIND = 9
_LONG = 16
"""The longest id that widens the column of all others."""
_END_OF_PATH = 24
_TITLE = 100
"""How much of a title a row has: some have a paragraph for one."""


def short(id: str) -> str:
    """An id as people are shown it and may give it back.

    The beginning of a hash; of a part of a file, the file's name and the beginning of the part's; else all of it.
    """
    if "/" in id and "#" in id:
        return id.rpartition("/")[2][:_END_OF_PATH]
    return id[:_SHORT] if not id.strip("0123456789abcdef-") and id[:1] != "-" else id


def cut(title: str) -> str:
    """As much of a title as fits, in whole words, without marks of bold text."""
    title = without_bold(title)
    start = title[:_TITLE]
    return title if start == title else f"{start.rpartition(' ')[0] or start}…"


def day_of(record: Record) -> str | None:
    return record.at.local.date().isoformat() if record.at else None


def place(record: Record, root: str | None = None) -> str:
    """Where a record stands; on a terminal a click opens the file, when it is known below which folder that is."""
    where = style("place", f"{record.path}:{record.line}")
    return link(where, os.path.join(root, record.path)) if root else where  # noqa: PTH118 - pathlib is slow to load


def widths(records: "Iterable[Record]") -> tuple[int, int]:
    """How wide the ids and the kinds of rows below each other are."""
    id, kind = _SHORT, _KIND
    for each in records:
        length = len(short(each.id))
        id, kind = max(id, length if length <= _LONG else 0), max(kind, len(each.kind))
    return id, kind


def row(record: Record, root: str | None = None, *, wide: tuple[int, int] = (_SHORT, _KIND)) -> str:
    """The id, the day, the kind, the title, who wrote it, its scope and where it stands."""
    beside = " · ".join(filter(None, (record.author, record.scope)))
    return "  ".join(
        (
            style("id", f"{short(record.id):{wide[0]}}"),
            day_of(record) or "----------",
            style("dim", f"{record.kind:{wide[1]}}"),
            cut(record.title or "(no title)"),
            *((style("dim", beside),) if beside else ()),
            place(record, root),
        )
    )


def retired_as(record: Record) -> str:
    """How a record without a successor ended: a deprecated one was given up, and nothing replaces it."""
    return "deprecated" if (record.status or "").casefold().startswith("deprecated") else "superseded"


def marks_of(mark: Mark) -> str:
    """What to know before relying on a record, for the end of its line."""
    notes = []
    if mark.superseded:
        by = ", ".join(short(id) for id in mark.superseded_by)
        notes.append(f"superseded by {by}" if by else retired_as(mark.record))
    if mark.expired:
        notes.append("expired")
    if mark.standing:
        notes.append(mark.standing)
    if mark.untrue:
        notes.append(untrue.sentence(mark.untrue))
    return style("warning", f"  [{', '.join(notes)}]") if notes else ""
