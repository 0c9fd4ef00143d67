"""The one model: what every dialect reads its files into and writes them from.

Nothing here knows Markdown or a dialect. What `Record` cannot name, `extra` keeps.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from msgspec import Struct

from memdown.text import Lines, Span
from memdown.times import Moment

T = TypeVar("T")
Extra = Mapping[str, str | Sequence[str]]


class Link(Struct, frozen=True):
    """One record pointing at something else."""

    type: str
    """How they relate: supersedes, related, depends, file, area."""
    target: str
    """The id, path or name written in the file."""
    resolved: str | None = None
    """The id it was found to mean; None when nothing has it or nobody looked."""


class Record(Struct, frozen=True, kw_only=True):
    """One remembered thing, and where it stands."""

    id: str
    """The dialect's own id where it has one; unique in the root, never a timestamp alone."""
    dialect: str
    kind: str
    """card, decision, memory, note, directive, task, edit, session, review, issue, section, …"""
    path: str
    """The file that holds it, relative to the root, with forward slashes."""
    span: Span
    """What it covers in that file."""
    line: int = 0
    end_line: int = 0
    """The lines it covers, from 1; whoever parses a whole document fills them in."""
    title: str | None = None
    summary: str | None = None
    body: str | None = None
    at: Moment | None = None
    author: str | None = None
    contributors: tuple[str, ...] = ()
    scope: str | None = None
    status: str | None = None
    tags: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    extra: Extra = {}
    """What only this dialect has, as the text it is."""


class Query(Struct, frozen=True, kw_only=True):
    """Which records are asked for. What is None or empty is not asked about."""

    words: tuple[str, ...] = ()
    """All of them are somewhere in the record."""
    kinds: tuple[str, ...] = ()
    """Any of them is its kind."""
    author: str | None = None
    """Who wrote it or took part, without a role."""
    scope: str | None = None
    tags: tuple[str, ...] = ()
    """It has all of them."""
    after: Moment | None = None
    before: Moment | None = None
    """The first and the last moment; a date is the whole day. A record without a date is left out then."""
    expired: bool | None = None
    superseded: bool | None = None
    dialect: str | None = None
    path: str | None = None
    """A file, or a folder and all below it, by its name in the root."""
    status: str | None = None
    """Something its status says."""
    limit: int | None = None
    """At most so many, the newest."""


class Document:
    """One file as it was read: its text, the records in it, and what was worked out about it so far."""

    __slots__ = ("_known", "dialect", "now", "path", "records", "text")

    def __init__(
        self,
        path: str,
        text: str,
        *,
        dialect: str | None = None,
        records: Sequence[Record] = (),
        now: datetime | None = None,
    ) -> None:
        self.path = path
        self.text = text
        self.now = now
        """The time it is looked at, for rules that compare with it; None when nobody said."""
        self.dialect = dialect
        """The dialect that claims the file; None when it is some other text."""
        self.records = records
        self._known: dict[object, object] = {}

    def of(self, reader: Callable[[str], T]) -> T:
        """What `reader` makes of the text, read once: `doc.of(frontmatter.read)`."""
        if reader not in self._known:
            self._known[reader] = reader(self.text)
        return self._known[reader]  # type: ignore[return-value]

    @property
    def lines(self) -> Lines:
        return self.of(Lines)
