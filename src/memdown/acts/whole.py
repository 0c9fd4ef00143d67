"""A new text for a whole file: it may not be empty, and a file that is only appended to keeps its entries."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memdown.dialects import DIALECTS, offered, read_as
from memdown.errors import Refused, quote
from memdown.limits.settings import NOTABLE
from memdown.project import Project
from memdown.record import Record
from memdown.text import is_blank

_NAMED = 3


def refuse_loss(project: Project, name: str, before: str, after: str, *, force: bool = False) -> None:
    """Refuse a text that would empty a file, or drop entries that it has to keep; `force` lets it drop them."""
    if dropped := refuse_shrinking(name, project.config.canonical_path(name), before, after, force=force):
        project.files.force(dropped)


def refuse_shrinking(name: str, path: str, before: str, after: str, *, force: bool = False) -> str:
    """The same for a file that is not on this machine, whose usual path is `path`: what `force` let go, in words."""
    if is_blank(after) and not is_blank(before):
        raise Refused(f"The new content for {quote(name)} is empty; give the text that it should have.")
    old = _entries(path, before)
    gone = [*_missing(old, _entries(path, after, like=before))] if old else []
    if gone and not force:
        titles = ", ".join(quote(_title(each)) for each in gone[:_NAMED])
        more = f" and {len(gone) - _NAMED} more" if len(gone) > _NAMED else ""
        raise Refused(
            f"{quote(name)} is append-only, and the new content lacks {len(gone)} of its {len(old)} entries, or most of"
            f" their text: {titles}{more}; keep them and add to them, or use force to drop them."
        )
    return f"dropped {len(gone)} of {len(old)} entries of {name}" if gone else ""


class Entry(NamedTuple):
    """A record that a file has to keep, and how many letters and digits it has."""

    record: Record
    letters: int


def _entries(path: str, text: str, *, like: str | None = None) -> list[Entry]:
    """The records of a text that a file has to keep; it is read by the dialect that claims the file as it was."""
    dialect = next((each for each in DIALECTS if DIALECTS[each].claims(path, text if like is None else like)), None)
    append_only = offered(dialect, "append_only")
    kinds = append_only(path) if append_only else ()
    found = read_as(dialect, path, text) if dialect and kinds else []
    return [
        Entry(each, sum(map(str.isalnum, each.span.of(text))))
        for each in found
        if each.kind in kinds and "unfilled" not in each.extra
    ]


def _missing(old: Sequence[Entry], new: Sequence[Entry]) -> Iterator[Record]:
    """Those that are there neither by their title nor by their id, or that have lost most of their text."""
    texts: dict[tuple[str, str], list[Entry]] = {}
    for each in new:
        texts.setdefault(_key(each.record), []).append(each)
    left = []
    for each in old:
        same = texts.get(_key(each.record), [])
        kept = next((other for other in same if not _is_less(other.letters, each.letters)), None)
        if kept is not None:
            same.remove(kept)
        else:
            left.append(each)
    named = {each.record.id: each.letters for entries in texts.values() for each in entries}
    yield from (each.record for each in left if _is_less(named.get(each.record.id, -1), each.letters))


def _is_less(letters: int, before: int) -> bool:
    """Whether a text has lost more than a correction takes."""
    return letters * 2 < before or before - letters > NOTABLE


def _key(record: Record) -> tuple[str, str]:
    return record.kind, " ".join(_title(record).casefold().split())


def _title(record: Record) -> str:
    return record.title or record.summary or (record.body or "").strip()[:80]
