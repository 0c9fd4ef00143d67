"""The dialects memdown speaks: rooms of one shape. To add one, write its module and list it here and in `homes`."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from importlib import import_module
from typing import Any, Protocol, cast

from msgspec import structs

from memdown import times
from memdown.diagnostics import Rule
from memdown.homes import MERGED
from memdown.lazy import beside
from memdown.limits.settings import DEFAULTS, Limits
from memdown.markdown.merge_comments import MARK, without_merge_comments
from memdown.record import Document, Record
from memdown.text import Edit


class Dialect(Protocol):
    """What every room offers. Readers are lenient and complete; writers are strict and canonical.

    Some rooms have more. For adding: `holds(names, text_of)`, where others share its folder; `other_spelling(place,
    names)`, where a file may have other names; `twin(record, alike, by_content=)`, where a thing is kept once;
    `beside(record, old, homes, now, text_of)`, where other files list what it holds; `reference(record, others, now)`,
    how a new record names one that it replaces. For deleting: `remove(text, record)`, the edits that take a record out;
    `kept(text, record, new=None)`, why a record stays, or stays as it is, and what to do instead. For reading:
    `is_retired(record)`, where a record may say so itself; `is_mention(record)`, where a line may only tell of one;
    `is_unfilled(record)` and `HAS_TEMPLATES`, where one or its file may be a template; `read_in(path, text,
    canonical_path)`, where a reader has to know its home; `points(document)`, what a session should know of a file when
    it begins, and `points_beside(document)`, of one that no dialect reads; `read_order(document)`, which place a file
    has among those that it reads first, and `lacking(names)`, what its home should have and has not; `laid_out(path,
    text)`, how a file is read for a task; `called(path)`, whose memory a file is; `ALL_IN_FIELDS`, where no word of a
    file is outside a field; `FIELD_NAME`, how its format names the fields of an entry; `COMPARES_COPIES`, where rules
    compare only files that share an id or a content;
    `ASKS_REPOSITORY`, where they look at the repository; `READ_WHOLE`, where a session reads every file; `DATA`,
    where a home has files that are no Markdown; `committed_part(path)` and `LOST`, the files that lose no entry of
    the last commit, and the rule about it; `AGED`, the kind of record whose date is the age of its whole file, and
    `stale_since(path, text, today, settings)`, why a file may not hold any more. For writing: `WHY_LATER`, where a
    decision can be given its reason afterwards; `update_order(names)`, what is brought up to date when the user asks
    for it, file by file as the folder spells them; `append_only(path)`, the kinds of records that a new text for a
    file has to keep; `open_items(text)`, what is left open in it, as a report names it; `touched(document, edited=)`,
    what follows when an assistant reads or has edited a file itself: edits, and what it should know, and
    `staged(document)`, what it should know of a text that it is about to commit. For archiving: `to_archive(project,
    older_than, size, keep)`, the files whose old entries move to archives; `to_slim(project, keep)`, those that can
    be shortened, so that so many of the newest entries stay. For converting to it: `drafts(document, known)`,
    `entries(records)`, `first_difference(before, drafts, after)`. For importing: `collection(path)`, which files are
    one list of entries; `passages(path, text)`, how prose between them is divided; `apart(path, text, mark)`, how a
    second text of a name is kept; `unpack(value, name)`, `packs(path)` and `pack(home, skills, at, made_by)`, the
    export of another program.
    """

    @property
    def KINDS(self) -> Mapping[str, str]:
        """The kinds of records that can be added, and where each stands in the home, with `*` for what differs."""

    def claims(self, path: str, text: str) -> bool:
        """Is this file mine?"""

    def read(self, path: str, text: str) -> Sequence[Record]:
        """All records of a file; never raises on content."""

    def prepare(self, record: Record, now: datetime) -> Record:
        """A new record as it would be written: checked, with what follows from it, without what has no field here."""

    def place(self, record: Record) -> str:
        """Which file would hold a record, relative to the dialect's home."""

    def insert(self, text: str, record: Record) -> Sequence[Edit]:
        """The canonical writing of a new record into a text."""

    def update(self, text: str, old: Record, new: Record) -> Sequence[Edit]:
        """The edits from one state of a record to another; they touch only what differs."""


class Room:
    """A dialect, each module of which is loaded when something in it is asked for: a claim needs no reader."""

    def __init__(self, name: str) -> None:
        self._room = f"memdown.dialects.{name}"
        self._modules: dict[str, str] = {}

    def __getattr__(self, name: str) -> object:
        if not self._modules:
            parts = import_module(self._room).PARTS
            self._modules = {each: f".{module}" for module, names in parts.items() for each in names.split()}
            self._modules["KINDS"] = ""  # which is asked of every room, to find the one that is meant
        if name not in self._modules:
            raise AttributeError(f"{self._room} offers no {name!r}")
        value = getattr(import_module(f"{self._room}{self._modules[name]}"), name)
        setattr(self, name, value)  # from now on it is found here
        return value


DIALECTS: dict[str, Dialect] = {
    name: cast("Dialect", Room(name)) for name in ("okf", "layers", "journal", "bank", "sem", "cards")
}
"""The first that claims a file reads it; one that goes by the place alone comes before those that look inside."""

FIRST = ("cards", "sem", "journal", "bank")
"""Which dialect takes a kind that several would, the first one first; any other comes after these."""
BEGUN = ("bank", "sem", "journal", "okf")
"""Those whose first files are made on request; the files of others come with their first record."""
ADDRESSED = ("layers",)
"""What these hold has an address, which only their own commands ask for."""


@cache
def offered(dialect: str | None, name: str) -> Any:
    """What a room may have beyond what every room has; None where it has no such thing."""
    return getattr(DIALECTS.get(dialect or ""), name, None)


def offering(name: str, among: Collection[str] = DIALECTS) -> list[str]:
    """The dialects whose rooms have a thing that not every room has, in the order in which they take a kind."""
    ordered = (each for each in dict.fromkeys((*FIRST, *DIALECTS)) if each in among)
    return [dialect for dialect in ordered if offered(dialect, name) is not None]


def to_update(used: Collection[str], names: Sequence[str]) -> list[str]:
    """What of a folder is brought up to date when the user asks for it, in order, file by file as the folder has them.

    The first of the dialects there says how; what only others have follows.
    """
    first, *others = offering("update_order", used) or offering("update_order")[-1:]
    steps: list[str] = offered(first, "update_order")(names)
    listed = {step.partition(" ")[0] for step in steps}
    more = (step for other in others for step in offered(other, "update_order")(names))
    return [*steps, *(step for step in more if (name := step.partition(" ")[0]) in names and name not in listed)]


def answered(name: str) -> Callable[[Record], bool]:
    """A question about records that only some rooms answer; for those of all others the answer is no."""
    found = cache(partial(offered, name=name))  # a room is loaded when one of its records is met
    return lambda record: (ask := found(record.dialect)) is not None and ask(record)


def rules(dialect: str, profile: str | None = None) -> Sequence[Rule]:
    """A dialect's checks: its module `rules`, which only checking needs; with a profile, those that it minds."""
    room = import_module(f"memdown.dialects.{dialect}.rules")
    found: Sequence[Rule] = room.RULES
    return found if profile is None or not hasattr(room, "minded") else room.minded(profile)


def guidance(dialect: str) -> str:
    """What an assistant is told about a dialect: its file `guidance.md`, with `{home}` and `{names}` in it.

    `{read}` are the files to read first, in their order, and `{update}` those of an update; the name of a file stands
    for what it is called on disk.
    """
    try:
        return beside(import_module(f"memdown.dialects.{dialect}").__file__ or "", "guidance.md")
    except FileNotFoundError:  # a room need not have one
        return ""


def is_merged(name: str) -> bool:
    """Whether a file only keeps what stands elsewhere already, so that nobody should meet it twice."""
    return any(part in MERGED for part in name.split("/")[:-1])


def parse(
    path: str,
    text: str,
    *,
    canonical_path: str | None = None,
    now: datetime | None = None,
    settings: Limits = DEFAULTS,
    known: str | None = None,
) -> Document:
    """A file as the dialect that claims it reads it, or as the one that is known to.

    `canonical_path` is the path a dialect would expect, for a file in a folder that the configuration names. `now` is
    for rules that compare times with the clock; without it they are silent. `settings` are the limits they go by.
    """
    document = Document(path, text, now=now, settings=settings, canonical_path=canonical_path)
    for name, dialect in DIALECTS.items():
        if name == known or (known is None and dialect.claims(canonical_path or path, text)):
            document.dialect = name
            moved = canonical_path if canonical_path != path else None
            read_in = getattr(dialect, "read_in", None) if moved else None
            found = read_in(path, text, moved) if read_in else dialect.read(path, text)
            document.records = _placed(_zoned(found, document), document)
            break
    return document


def read_as(dialect: str, path: str, text: str) -> list[Record]:
    """The records of a file that is known to be a dialect's, so that no other has to look at it."""
    return _placed(DIALECTS[dialect].read(path, text), Document(path, text))


def _zoned(records: Sequence[Record], document: Document) -> Sequence[Record]:
    """Records with the offsets that letters of zones have here: as the file explains them, or as the project sets."""
    if not any(record.at and record.at.is_doubtful for record in records):
        return records
    zones = times.offsets(document.settings.times.zones) | times.explained(document.text)
    return [structs.replace(each, at=each.at.placed(zones)) if each.at else each for each in records]


def _placed(records: Sequence[Record], document: Document) -> list[Record]:
    text = document.text
    if MARK in text:
        records = [_without_comments(each) for each in records]
    if len(records) == 1 and "\r" not in text:
        # A card, as most files are, need not have its lines listed for two numbers.
        span = records[0].span
        last = max(len(text) - 1, 0)
        start = min(span.start, last)
        end = max(min(span.end - 1, last), start)
        first = text.count("\n", 0, start) + 1
        return [structs.replace(records[0], line=first, end_line=first + text.count("\n", start, end))]
    at = document.lines.at
    return [
        structs.replace(
            record, line=at(record.span.start) + 1, end_line=at(max(record.span.end - 1, record.span.start)) + 1
        )
        for record in records
    ]


def _without_comments(record: Record) -> Record:
    """A record without what a merge noted beside it, which `check` reports and no one takes for memory."""
    title, summary, body = (
        each and without_merge_comments(each) for each in (record.title, record.summary, record.body)
    )
    extra = {
        name: without_merge_comments(value)
        if isinstance(value, str)
        else [without_merge_comments(each) for each in value]
        for name, value in record.extra.items()
    }
    return structs.replace(record, title=title, summary=summary, body=body, extra=extra)
