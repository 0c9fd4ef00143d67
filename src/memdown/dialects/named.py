"""Which record a person means: by its id, its number, its title, the beginning of one of these, or its line."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from memdown.errors import Ambiguous, NotFound, UnknownName, quote, some, way
from memdown.lazy import LazyModule
from memdown.record import Record
from memdown.text import legible, without_bold

if TYPE_CHECKING:
    from memdown.dialects import hollow
else:  # most names mean one record
    hollow = LazyModule("memdown.dialects.hollow")

_SHOWN = 5


class Called(Protocol):
    """What people call a record by."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def number(self) -> str: ...
    @property
    def task(self) -> str: ...


class CalledRow(Called, Protocol):
    """The same of a record that was not read."""

    @property
    def hollow(self) -> int: ...


C = TypeVar("C", bound=CalledRow)


def only(records: Iterable[Record], name: str) -> Record:
    """The record of this id, number or title, or the only one whose id or title begins so.

    Of several, those that say nothing, as a template's sections, are not meant. Bytes that are not UTF-8 may be
    written as lists show them.
    """
    known = list(records)
    for fits in _ways(name):
        found = [record for record in known if fits(record)]
        if len(found) > 1:
            found = [record for record in found if not hollow.is_hollow(record)]
        if found:
            return _one(found, legible(name))
    raise unknown(legible(name))


def considered(records: Iterable[C], name: str) -> list[C]:
    """Those that count when it is asked which record a name means: all others may as well not be there."""
    known = list(records)
    seen: list[C] = []
    for fits in _ways(name):
        found = [record for record in known if fits(record)]
        seen += found
        if len(found) == 1 or not all(record.hollow for record in found):
            break
    return seen


def _ways(name: str) -> "tuple[Callable[[Called], bool], ...]":
    """How a record may be called by a name, the first way first."""
    name = legible(name)
    title = _folded(name)
    return (
        lambda record: legible(record.id) == name,
        lambda record: name in (record.number, record.task if record.kind == "task" else ""),
        lambda record: _folded(record.title or "") == title,
        lambda record: legible(record.id).startswith(name),
        lambda record: _folded(record.title or "").startswith(title),
        lambda record: _is_called_by_file(record, name),
        lambda record: _end_of_path(record.id) == name,
        lambda record: _end_of_path(record.id).startswith(name),
    )


def unknown(name: str) -> UnknownName:
    """What is said where no record has a name, now or in the past."""
    words = all(word.isalpha() for word in name.split())
    there = f"{way('search', name)} searches the text of all memory" if words and name.strip() else f"see {way('list')}"
    return UnknownName(f"No memory has the id or title {quote(name)}; {there}.")


def _end_of_path(id: str) -> str:
    """What lists show of an id that is a path."""
    return legible(id).rpartition("/")[2] if "/" in id else ""


def _is_called_by_file(record: Called, name: str) -> bool:
    """Whether a record that is known by a path, and is a file, is called by the end of the path of that file."""
    file = name.removesuffix(".md")
    return "/" in file and "/" in record.id and f"/{record.path}".endswith(f"/{file}.md") and "#" not in record.id


def is_title(name: str) -> bool:
    """Whether a name is words and not meant for a file: then it is not held to what files may be called."""
    words = name.split(" ")
    return len(words) > 1 and name.isprintable() and "/" not in name and all(word[:1].isalnum() for word in words)


def at_line(records: Sequence[Record], line: int, name: str) -> Record:
    """The record that a line belongs to; of several inside each other, the innermost."""
    around = [record for record in records if record.line <= line <= record.end_line]
    if around:
        return min(around, key=lambda record: (record.end_line - record.line, -record.line))
    starts = some([str(record.line) for record in records], _SHOWN)
    where = f"records of this file begin at {starts}" if records else "this file has no records"
    raise NotFound(f"There is no record at {quote(name)}; {where}.")


def _one(found: Sequence[Record], name: str) -> Record:
    """The record, when all that fit are one thing: a task may have a row, a section and a file."""
    things = {(record.kind, record.task) if record.task else (record.kind, record.id) for record in found}
    if len(found) == 1 or (len(things) == 1 and found[0].kind == "task"):
        return found[0]
    alone = len({record.id for record in found}) == len(found)  # copies of one entry have one id
    listed = "; ".join(
        f"{f'{each.id} at ' if alone else ''}{each.path}:{each.line} {quote(each.title or '')}"
        for each in found[:_SHOWN]
    )
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    which = "one of these ids" if alone else "the file and line of one"
    raise Ambiguous(f"{len(found)} memories match {quote(name)}: {listed}{more}. Give {which}.")


def _folded(title: str) -> str:
    return " ".join(without_bold(legible(title)).split()).casefold()
